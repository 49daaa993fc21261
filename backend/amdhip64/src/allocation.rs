//! Allocations in the memory of the emulated GPU.

use hipshift_emulator::memory::{Allocation, Kind, MemoryError};

use crate::abi::Address;
use crate::error::Error;
use crate::hint_list;
use crate::misuse::misuse;
use crate::pool_usage;
use crate::runtime::gpu;

/// Alignment of allocations, in bytes: what HIP promises.
const ALIGNMENT: u64 = 256;
/// Memory that the emulated GPU is said to have, in bytes.
pub(crate) const TOTAL: usize = 16 << 30;

/// Allocates memory. HIP gives a null pointer for 0 bytes.
pub(crate) fn allocate(bytes: usize, kind: Kind) -> Result<Address, Error> {
    if bytes == 0 {
        return Ok(Address::NULL);
    }
    let free = TOTAL.saturating_sub(used());
    if bytes > free {
        return Err(Error::OutOfMemory);
    }
    gpu().device.memory().allocate(bytes as u64, ALIGNMENT, kind).map(Address::new).map_err(|error| status(&error))
}

/// Fails where memory could not be given back, and tells why.
pub(crate) fn check_free(address: Address) -> Result<(), Error> {
    let starts = |allocation: &Allocation| allocation.start == address.get();
    let is_known = address.is_null() || gpu().device.memory().find(address.get()).is_some_and(|found| starts(&found));
    // What is freed wrongly is not freed, and told.
    if is_known { Ok(()) } else { free(address) }
}

/// Gives memory back. A null pointer is nothing to give back.
pub(crate) fn free(address: Address) -> Result<(), Error> {
    if address.is_null() {
        return Ok(());
    }
    let memory = gpu().device.memory();
    let found = memory.find(address.get());
    memory.free(address.get()).map_err(|error| {
        misuse(&format!("memory is freed: {error}"));
        Error::InvalidValue
    })?;
    pool_usage::note_freed(address);
    if let Some(allocation) = found {
        hint_list::forget([allocation.start, allocation.end()]);
    }
    Ok(())
}

fn status(error: &MemoryError) -> Error {
    match error {
        MemoryError::OutOfMemory(_) => Error::OutOfMemory,
        _ => Error::InvalidValue,
    }
}

/// Bytes of the GPU's memory that are in use.
pub(crate) fn used() -> usize {
    let memory = gpu().device.memory();
    let bytes: u64 = [Kind::Device, Kind::Heap, Kind::Managed].into_iter().map(|kind| memory.in_use(kind)).sum();
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

/// The allocation that an address lies in. Fails with `hipErrorInvalidValue`.
pub(crate) fn find(address: Address) -> Result<Allocation, Error> {
    gpu().device.memory().find(address.get()).ok_or(Error::InvalidValue)
}
