//! Memory of the host that the GPU can reach.

use std::ffi::c_uint;

use hipshift_emulator::memory::{Kind, MemoryError};

use crate::abi::{Address, Out};
use crate::allocation::{allocate, find, free};
use crate::call::api;
use crate::error::Error;
use crate::runtime::gpu;
use crate::schedule::settle;

fn allocate_host(memory: Out<Address>, bytes: usize) -> Result<(), Error> {
    memory.check()?;
    memory.set(allocate(bytes, Kind::Host)?)
}

/// Gives pinned memory back, and only that.
fn free_host(memory: Address) -> Result<(), Error> {
    if !memory.is_null() && find(memory)?.kind != Kind::Host {
        return Err(Error::InvalidValue);
    }
    settle();
    free(memory)
}

/// Memory that is known to the GPU; it has one address for both sides.
fn known(memory: Address) -> Result<Address, Error> {
    let allocation = find(memory)?;
    if matches!(allocation.kind, Kind::Host | Kind::Managed) { Ok(memory) } else { Err(Error::InvalidValue) }
}

api! {
    "hip_4.2" fn hipHostMalloc(memory: Out<Address>, bytes: usize, _flags: c_uint) { allocate_host(memory, bytes) }

    "hip_4.2" fn hipHostAlloc(memory: Out<Address>, bytes: usize, _flags: c_uint) { allocate_host(memory, bytes) }

    "hip_4.2" fn hipMallocHost(memory: Out<Address>, bytes: usize) { allocate_host(memory, bytes) }

    "hip_4.2" fn hipMemAllocHost(memory: Out<Address>, bytes: usize) { allocate_host(memory, bytes) }

    "hip_4.2" fn hipHostFree(memory: Address) { free_host(memory) }

    "hip_4.2" fn hipFreeHost(memory: Address) { free_host(memory) }

    "hip_4.2" fn hipHostGetDevicePointer(device: Out<Address>, host: Address, _flags: c_uint) {
        device.set(known(host)?)
    }

    /// All pinned memory is portable and mapped here.
    "hip_4.2" fn hipHostGetFlags(flags: Out<c_uint>, host: Address) {
        known(host)?;
        flags.set(0x1 | 0x2)
    }

    "hip_4.2" fn hipHostRegister(memory: Address, bytes: usize, _flags: c_uint) {
        if memory.is_null() || bytes == 0 {
            return Err(Error::InvalidValue);
        }
        gpu().device.memory().register(memory.get(), bytes as u64, Kind::Host).map_err(|error| match error {
            MemoryError::Overlap(_) => Error::HostMemoryAlreadyRegistered,
            _ => Error::InvalidValue,
        })
    }

    "hip_4.2" fn hipHostUnregister(memory: Address) {
        settle();
        let result = gpu().device.memory().unregister(memory.get());
        result.map_err(|_| Error::HostMemoryNotRegistered)
    }
}
