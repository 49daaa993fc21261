//! Memory: the functions that allocate it and tell about it.

use std::ffi::c_uint;

use hipshift_emulator::memory::{Allocation, Kind};

use crate::abi::{Address, Out};
use crate::allocation::{TOTAL, allocate, find, free, used};
use crate::call::api;
use crate::error::Error;
use crate::operation::Operation;
use crate::region::Extent;
use crate::schedule::wait_for_all;
use crate::stream::submit;

/// Rows of pitched memory start at multiples of this many bytes.
const PITCH: usize = 256;

/// Memory of rows that each start at a multiple of [`PITCH`]. Gives its address and the distance of rows in bytes.
fn allocate_rows(width: usize, rows: usize) -> Result<(Address, usize), Error> {
    let pitch = width.checked_next_multiple_of(PITCH).ok_or(Error::InvalidValue)?;
    let bytes = pitch.checked_mul(rows).ok_or(Error::InvalidValue)?;
    Ok((allocate(bytes, Kind::Device)?, pitch))
}

/// `hipPitchedPtr`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct PitchedPointer {
    pub(crate) address: Address,
    pub(crate) pitch: usize,
    pub(crate) width: usize,
    pub(crate) height: usize,
}

api! {
    "hip_4.2" fn hipMalloc(memory: Out<Address>, bytes: usize) {
        memory.check()?;
        memory.set(allocate(bytes, Kind::Device)?)
    }

    "hip_4.2" fn hipExtMallocWithFlags(memory: Out<Address>, bytes: usize, _flags: c_uint) {
        memory.check()?;
        memory.set(allocate(bytes, Kind::Device)?)
    }

    "hip_4.2" fn hipMallocManaged(memory: Out<Address>, bytes: usize, flags: c_uint) {
        memory.check()?;
        // hipMemAttachGlobal or hipMemAttachHost.
        if bytes == 0 || !matches!(flags, 1 | 2) {
            return Err(Error::InvalidValue);
        }
        memory.set(allocate(bytes, Kind::Managed)?)
    }

    "hip_4.2" fn hipMallocPitch(memory: Out<Address>, pitch: Out<usize>, width: usize, height: usize) {
        memory.check()?;
        let (address, bytes) = allocate_rows(width, height)?;
        pitch.set(bytes)?;
        memory.set(address)
    }

    "hip_4.2" fn hipMemAllocPitch(
        memory: Out<Address>,
        pitch: Out<usize>,
        width: usize,
        height: usize,
        _element: c_uint,
    ) {
        memory.check()?;
        let (address, bytes) = allocate_rows(width, height)?;
        pitch.set(bytes)?;
        memory.set(address)
    }

    "hip_4.2" fn hipMalloc3D(memory: Out<PitchedPointer>, extent: Extent) {
        memory.check()?;
        let rows = extent.height.checked_mul(extent.depth).ok_or(Error::InvalidValue)?;
        let (address, pitch) = allocate_rows(extent.width, rows)?;
        memory.set(PitchedPointer { address, pitch, width: extent.width, height: extent.height })
    }

    "hip_4.2" fn hipFree(memory: Address) {
        wait_for_all()?;
        free(memory)
    }

    "hip_5.1" fn hipFreeAsync(memory: Address, stream: Address) {
        if memory.is_null() {
            return Err(Error::InvalidValue);
        }
        submit(stream, Operation::Free(memory))
    }

    "hip_4.2" fn hipMemGetInfo(free: Out<usize>, total: Out<usize>) {
        free.set_if_wanted(TOTAL.saturating_sub(used()));
        total.set_if_wanted(TOTAL);
        Ok(())
    }

    "hip_4.2" fn hipMemPtrGetInfo(memory: Address, bytes: Out<usize>) { bytes.set(size(&find(memory)?)) }

    "hip_4.2" fn hipMemGetAddressRange(start: Out<Address>, bytes: Out<usize>, memory: Address) {
        let allocation = find(memory)?;
        start.set_if_wanted(Address::new(allocation.start));
        bytes.set_if_wanted(size(&allocation));
        Ok(())
    }
}

/// Bytes of an allocation.
fn size(allocation: &Allocation) -> usize {
    usize::try_from(allocation.bytes).unwrap_or(usize::MAX)
}
