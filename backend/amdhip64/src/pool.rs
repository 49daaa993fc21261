//! Memory pools. All memory comes from one place; a pool only keeps what programs set on it.

use std::ffi::{c_int, c_uint};
use std::sync::Mutex;

use hipshift_emulator::memory::Kind;

use crate::abi::{Address, In, Out};
use crate::allocation::{allocate, used};
use crate::call::api;
use crate::error::Error;
use crate::handles::Handles;
use crate::lock::lock;
use crate::runtime::check;

/// A pool of a program, or the one that the device has.
struct Pool {
    /// Values of `hipMemPoolAttr` that a program can set: reuse (1 to 3) and release threshold (4).
    settings: Mutex<[u64; 4]>,
}

static POOLS: Handles<Pool> = Handles::new("a memory pool");

/// The pool that allocations without a pool come from.
static CURRENT: Mutex<Option<Address>> = Mutex::new(None);

/// Attributes that tell of memory: reserved and used, now and at most.
const USAGE: std::ops::RangeInclusive<c_uint> = 5..=8;

fn create() -> Address {
    POOLS.insert(Pool { settings: Mutex::new([1, 1, 1, 0]) })
}

/// The pool of the device, made when it is asked for first.
fn device_pool() -> Address {
    *lock(&CURRENT).get_or_insert_with(create)
}

/// The place of a setting in a pool.
fn setting(attribute: c_uint) -> Result<usize, Error> {
    if (1..=4).contains(&attribute) { Ok(attribute as usize - 1) } else { Err(Error::InvalidValue) }
}

fn get(pool: Address, attribute: c_uint, value: Address) -> Result<(), Error> {
    let pool = POOLS.get(pool)?;
    if USAGE.contains(&attribute) {
        return Out::at(value).set(used() as u64);
    }
    let number = lock(&pool.settings)[setting(attribute)?];
    // The switches are of type int, the threshold is 64 bits wide.
    if attribute == 4 { Out::at(value).set(number) } else { Out::at(value).set(c_int::from(number != 0)) }
}

fn set(pool: Address, attribute: c_uint, value: Address) -> Result<(), Error> {
    let pool = POOLS.get(pool)?;
    // The marks of use can be reset, and here they are always what is used now.
    if USAGE.contains(&attribute) {
        return Ok(());
    }
    let at = setting(attribute)?;
    let number = if attribute == 4 { In::at(value).get()? } else { u64::from(In::<c_int>::at(value).get()? != 0) };
    lock(&pool.settings)[at] = number;
    Ok(())
}

api! {
    "hip_5.1" fn hipDeviceGetDefaultMemPool(pool: Out<Address>, device: c_int) {
        check(device)?;
        pool.set(device_pool())
    }

    "hip_5.1" fn hipDeviceGetMemPool(pool: Out<Address>, device: c_int) {
        check(device)?;
        pool.set(device_pool())
    }

    "hip_5.1" fn hipDeviceSetMemPool(device: c_int, pool: Address) {
        check(device)?;
        POOLS.get(pool)?;
        *lock(&CURRENT) = Some(pool);
        Ok(())
    }

    "hip_5.1" fn hipMemPoolCreate(pool: Out<Address>, properties: In<u8>) {
        properties.get()?;
        pool.set(create())
    }

    "hip_5.1" fn hipMemPoolDestroy(pool: Address) { POOLS.remove(pool).map(|_| ()) }

    "hip_5.1" fn hipMemPoolTrimTo(pool: Address, _bytes: usize) { POOLS.get(pool).map(|_| ()) }

    "hip_5.1" fn hipMemPoolGetAttribute(pool: Address, attribute: c_uint, value: Address) {
        get(pool, attribute, value)
    }

    "hip_5.1" fn hipMemPoolSetAttribute(pool: Address, attribute: c_uint, value: Address) {
        set(pool, attribute, value)
    }

    "hip_5.1" fn hipMallocFromPoolAsync(memory: Out<Address>, bytes: usize, pool: Address, stream: Address) {
        memory.check()?;
        POOLS.get(pool)?;
        crate::stream::get(stream)?;
        memory.set(allocate(bytes, Kind::Device)?)
    }
}
