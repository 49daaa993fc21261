//! Contexts, which HIP keeps for code that was written for CUDA's driver API. There is one: that of the GPU.

use std::cell::RefCell;
use std::ffi::{c_int, c_uint};

use crate::abi::{Address, Out};
use crate::call::api;
use crate::error::Error;
use crate::runtime::check;
use crate::schedule::{reset, wait_for_all};

/// The handle of the one context: no other handle, and no address of a program, has this number.
const CONTEXT: u64 = 0x800;

thread_local! {
    /// The contexts that a thread has pushed; below them lies the one of the device.
    static STACK: RefCell<Vec<Address>> = const { RefCell::new(Vec::new()) };
}

fn context() -> Address {
    Address::new(CONTEXT)
}

/// Fails unless a handle is that of the context.
fn known(handle: Address) -> Result<(), Error> {
    if handle == context() { Ok(()) } else { Err(Error::InvalidContext) }
}

fn push(handle: Address) -> Result<(), Error> {
    known(handle)?;
    STACK.with_borrow_mut(|stack| stack.push(handle));
    Ok(())
}

fn pop() -> Address {
    STACK.with_borrow_mut(Vec::pop).unwrap_or_else(context)
}

api! {
    "hip_4.2" fn hipCtxCreate(handle: Out<Address>, _flags: c_uint, device: c_int) {
        check(device)?;
        handle.set(context())?;
        push(context())
    }

    "hip_4.2" fn hipCtxDestroy(handle: Address) {
        known(handle)?;
        pop();
        Ok(())
    }

    "hip_4.2" fn hipCtxPushCurrent(handle: Address) { push(handle) }

    "hip_4.2" fn hipCtxPopCurrent(handle: Out<Address>) {
        handle.set_if_wanted(pop());
        Ok(())
    }

    "hip_4.2" fn hipCtxSetCurrent(handle: Address) {
        pop();
        if handle.is_null() { Ok(()) } else { push(handle) }
    }

    "hip_4.2" fn hipCtxGetCurrent(handle: Out<Address>) { handle.set(context()) }

    "hip_4.2" fn hipCtxGetDevice(device: Out<c_int>) { device.set(0) }

    "hip_4.2" fn hipCtxGetFlags(flags: Out<c_uint>) { flags.set(0) }

    "hip_4.2" fn hipCtxGetCacheConfig(preference: Out<c_uint>) { preference.set(0) }

    "hip_4.2" fn hipCtxSetCacheConfig(_preference: c_uint) { Ok(()) }

    "hip_4.2" fn hipCtxGetSharedMemConfig(banks: Out<c_uint>) { banks.set(0) }

    "hip_4.2" fn hipCtxSetSharedMemConfig(_banks: c_uint) { Ok(()) }

    "hip_4.2" fn hipCtxSynchronize() { wait_for_all() }

    "hip_4.2" fn hipDevicePrimaryCtxRetain(handle: Out<Address>, device: c_int) {
        check(device)?;
        handle.set(context())
    }

    "hip_4.2" fn hipDevicePrimaryCtxRelease(device: c_int) { check(device) }

    "hip_4.2" fn hipDevicePrimaryCtxReset(device: c_int) {
        check(device)?;
        reset();
        Ok(())
    }

    "hip_4.2" fn hipDevicePrimaryCtxSetFlags(device: c_int, _flags: c_uint) { check(device) }

    "hip_4.2" fn hipDevicePrimaryCtxGetState(device: c_int, flags: Out<c_uint>, active: Out<c_int>) {
        check(device)?;
        flags.set_if_wanted(0);
        active.set(1)
    }
}
