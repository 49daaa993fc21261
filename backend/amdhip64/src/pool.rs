//! Memory pools. All memory comes from one place; a pool only keeps what programs set on it.

use std::ffi::{c_int, c_uint};
use std::sync::Mutex;

use hipshift_emulator::memory::Kind;

use crate::abi::{Address, In, Out};
use crate::allocation::allocate;
use crate::call::api;
use crate::error::Error;
use crate::handles::Handles;
use crate::lock::lock;
use crate::pool_usage;
use crate::runtime::check;

/// A pool of a program, or the one that the device has.
struct Pool {
    /// Values of `hipMemPoolAttr` that a program can set: reuse (1 to 3) and release threshold (4).
    settings: Mutex<[u64; 4]>,
}

static POOLS: Handles<Pool> = Handles::new("a memory pool");

/// The pool that the device has from the beginning, and the one that allocations without a pool come from.
static DEFAULT: Mutex<Option<Address>> = Mutex::new(None);
static CURRENT: Mutex<Option<Address>> = Mutex::new(None);

/// Attributes that tell of memory now and at most: reserved, and used. No more is reserved than is used.
const NOW: [c_uint; 2] = [5, 7];
const MOST: [c_uint; 2] = [6, 8];

fn create() -> Address {
    POOLS.insert(Pool { settings: Mutex::new([1, 1, 1, 0]) })
}

/// The pool that the device has from the beginning, made when it is asked for first.
fn default_pool() -> Address {
    *lock(&DEFAULT).get_or_insert_with(create)
}

/// The pool that allocations without a pool come from.
fn current_pool() -> Address {
    lock(&CURRENT).unwrap_or_else(default_pool)
}

/// Allocates memory from a pool. What is freed in between may be of any stream.
fn take(memory: Out<Address>, bytes: usize, pool: Address, stream: Address) -> Result<(), Error> {
    memory.check()?;
    crate::stream::get(stream)?;
    let address = allocate(bytes, Kind::Device)?;
    if !address.is_null() {
        pool_usage::note_taken(pool, address, bytes);
    }
    memory.set(address)
}

/// The place of a setting in a pool.
fn setting(attribute: c_uint) -> Result<usize, Error> {
    if (1..=4).contains(&attribute) { Ok(attribute as usize - 1) } else { Err(Error::InvalidValue) }
}

fn get(handle: Address, attribute: c_uint, value: Address) -> Result<(), Error> {
    let pool = POOLS.get(handle)?;
    let usage = pool_usage::of(handle);
    match attribute {
        _ if NOW.contains(&attribute) => return Out::at(value).set(usage.now),
        _ if MOST.contains(&attribute) => return Out::at(value).set(usage.most),
        _ => {}
    }
    let number = lock(&pool.settings)[setting(attribute)?];
    // The switches are of type int, the threshold is 64 bits wide.
    if attribute == 4 { Out::at(value).set(number) } else { Out::at(value).set(c_int::from(number != 0)) }
}

fn set(handle: Address, attribute: c_uint, value: Address) -> Result<(), Error> {
    let pool = POOLS.get(handle)?;
    if MOST.contains(&attribute) {
        // The marks can be set back to 0, and to nothing else.
        if In::<u64>::at(value).get()? != 0 {
            return Err(Error::InvalidValue);
        }
        pool_usage::set_back(handle);
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
        pool.set(default_pool())
    }

    "hip_5.1" fn hipDeviceGetMemPool(pool: Out<Address>, device: c_int) {
        check(device)?;
        pool.set(current_pool())
    }

    "hip_5.1" fn hipDeviceSetMemPool(device: c_int, pool: Address) {
        check(device)?;
        POOLS.get(pool)?;
        *lock(&CURRENT) = Some(pool);
        Ok(())
    }

    "hip_5.1" fn hipMallocAsync(memory: Out<Address>, bytes: usize, stream: Address) {
        take(memory, bytes, current_pool(), stream)
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
        POOLS.get(pool)?;
        take(memory, bytes, pool, stream)
    }
}
