//! Hints about where managed memory should lie. It lies in one place here; what was said of it can be asked.

use std::ffi::{c_int, c_uint};

use hipshift_emulator::memory::Kind;

use crate::abi::{Address, In, Out};
use crate::allocation::find;
use crate::call::api;
use crate::error::Error;
use crate::hint_list;

/// `hipCpuDeviceId` and `hipInvalidDeviceId`.
const HOST: c_int = -1;
const NOWHERE: c_int = -2;

/// What is known of a range, by the numbers of `hipMemRangeAttribute`.
const READ_MOSTLY: c_uint = 1;
const PREFERRED: c_uint = 2;
const ACCESSED_BY: c_uint = 3;
const LAST_PREFETCH: c_uint = 4;
const COHERENCY: c_uint = 100;

/// `hipMemLocation`: a kind, and a number. 0 is none, 1 a device, 2 and above are the host's.
#[derive(Clone, Copy)]
#[repr(C)]
struct Location {
    kind: c_uint,
    id: c_int,
}

impl Location {
    fn device(self) -> c_int {
        if self.kind == 1 { self.id } else { HOST }
    }
}

fn check_place(device: c_int) -> Result<(), Error> {
    if device == HOST { Ok(()) } else { crate::runtime::check(device) }
}

fn say(memory: Address, bytes: usize, attribute: c_uint, value: c_int) -> Result<(), Error> {
    if bytes == 0 {
        return Err(Error::InvalidValue);
    }
    crate::region::check(memory, bytes, true)?;
    hint_list::say([memory.get(), memory.get() + bytes as u64], attribute, value);
    Ok(())
}

/// A hint of `hipMemoryAdvise`.
fn advise(memory: Address, bytes: usize, advice: c_uint, device: c_int) -> Result<(), Error> {
    if matches!(advice, 3 | 5 | 6) {
        check_place(device)?;
    }
    let (attribute, value) = match advice {
        1 => (READ_MOSTLY, 1),
        2 => (READ_MOSTLY, 0),
        3 => (PREFERRED, device),
        4 => (PREFERRED, NOWHERE),
        5 => (ACCESSED_BY, device),
        6 => (ACCESSED_BY, NOWHERE),
        // Fine-grained coherency, and coarse-grained.
        100 => (COHERENCY, 1),
        101 => (COHERENCY, 0),
        _ => return Err(Error::InvalidValue),
    };
    say(memory, bytes, attribute, value)
}

fn prefetch(memory: Address, bytes: usize, device: c_int, stream: Address) -> Result<(), Error> {
    check_place(device)?;
    crate::stream::get(stream)?;
    say(memory, bytes, LAST_PREFETCH, device)
}

/// What was said of a whole range.
fn ask(memory: Address, bytes: usize, attribute: c_uint) -> Result<c_int, Error> {
    let unsaid = match attribute {
        READ_MOSTLY | COHERENCY => 0,
        PREFERRED | ACCESSED_BY | LAST_PREFETCH => NOWHERE,
        _ => return Err(Error::InvalidValue),
    };
    if bytes == 0 || find(memory)?.kind != Kind::Managed {
        return Err(Error::InvalidValue);
    }
    crate::region::check(memory, bytes, true)?;
    Ok(hint_list::ask([memory.get(), memory.get() + bytes as u64], attribute).unwrap_or(unsaid))
}

/// Writes the answer: one number, or for the devices that access memory as many as there is room for.
fn answer(data: Address, size: usize, attribute: c_uint, value: c_int) -> Result<(), Error> {
    if size == 0 || !size.is_multiple_of(4) || size != 4 && attribute != ACCESSED_BY {
        return Err(Error::InvalidValue);
    }
    for at in 0..size / 4 {
        let place = Address::new(data.get() + 4 * at as u64);
        Out::at(if data.is_null() { data } else { place }).set(if at == 0 { value } else { NOWHERE })?;
    }
    Ok(())
}

api! {
    "hip_4.2" fn hipMemAdvise(memory: Address, bytes: usize, advice: c_uint, device: c_int) {
        advise(memory, bytes, advice, device)
    }

    "hip_7.1" fn hipMemAdvise_v2(memory: Address, bytes: usize, advice: c_uint, location: Location) {
        advise(memory, bytes, advice, location.device())
    }

    "hip_4.2" fn hipMemPrefetchAsync(memory: Address, bytes: usize, device: c_int, stream: Address) {
        prefetch(memory, bytes, device, stream)
    }

    "hip_7.1" fn hipMemPrefetchAsync_v2(
        memory: Address,
        bytes: usize,
        location: Location,
        flags: c_uint,
        stream: Address,
    ) {
        if flags != 0 {
            return Err(Error::InvalidValue);
        }
        prefetch(memory, bytes, location.device(), stream)
    }

    "hip_4.2" fn hipMemRangeGetAttribute(
        data: Address,
        size: usize,
        attribute: c_uint,
        memory: Address,
        bytes: usize,
    ) {
        answer(data, size, attribute, ask(memory, bytes, attribute)?)
    }

    "hip_4.2" fn hipMemRangeGetAttributes(
        data: In<Address>,
        sizes: In<usize>,
        attributes: In<c_uint>,
        count: usize,
        memory: Address,
        bytes: usize,
    ) {
        if count == 0 {
            return Err(Error::InvalidValue);
        }
        let places = data.list(count)?.into_iter().zip(sizes.list(count)?);
        places.zip(attributes.list(count)?).try_for_each(|((data, size), attribute)| {
            answer(data, size, attribute, ask(memory, bytes, attribute)?)
        })
    }
}
