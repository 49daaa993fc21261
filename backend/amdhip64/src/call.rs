//! What surrounds every call of the API: the thread's last error, and a barrier for panics.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::abi::{Status, api};
use crate::error::{self, Error};
use std::ffi::{CStr, c_char};

thread_local! {
    /// What `hipGetLastError` gives: the newest error, until it is asked for.
    static LAST: Cell<Status> = const { Cell::new(0) };
    /// What `hipExtGetLastError` gives: the result of the newest call.
    static NEWEST: Cell<Status> = const { Cell::new(0) };
}

/// The result of one call. A bug of ours ends as `defect`, never as unwinding into C.
pub(crate) fn shielded<E>(name: &str, defect: E, body: impl FnOnce() -> Result<(), E>) -> Result<(), E> {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| {
        crate::messages::warn(&format!("{name} failed inside hipshift; this is a defect of hipshift"));
        Err(defect)
    })
}

/// Runs one call of the API.
pub(crate) fn enter(name: &str, body: impl FnOnce() -> Result<(), Error>) -> Status {
    let result = shielded(name, Error::Unknown, body);
    let status = result.map_or_else(|error| error as Status, |()| 0);
    NEWEST.set(status);
    // An answer of "not yet" is no error that a later check of errors should see.
    if status != 0 && status != Error::NotReady as Status {
        LAST.set(status);
    }
    status
}

/// Exports a function that answers with something else than a status, and leaves the last error as it is.
macro_rules! inquiry {
    ($node:literal fn $name:ident($($argument:ident: $type:ty),*) -> $result:ty $body:block) => {
        core::arch::global_asm!(concat!(".symver ", stringify!($name), ", ", stringify!($name), "@@@", $node));

        #[unsafe(no_mangle)]
        extern "C" fn $name($($argument: $type),*) -> $result $body
    };
}

pub(crate) use inquiry;

inquiry! { "hip_4.2" fn hipGetLastError() -> Status { LAST.replace(0) } }

inquiry! { "hip_4.2" fn hipPeekAtLastError() -> Status { LAST.get() } }

inquiry! { "hip_6.0" fn hipExtGetLastError() -> Status { NEWEST.replace(0) } }

inquiry! { "hip_4.2" fn hipGetErrorName(status: Status) -> *const c_char { error::name(status).as_ptr() } }

inquiry! { "hip_4.2" fn hipGetErrorString(status: Status) -> *const c_char { error::description(status).as_ptr() } }

api! {
    "hip_5.3" fn hipDrvGetErrorName(status: Status, name: crate::abi::Out<*const c_char>) {
        name.set(known(status)?.0.as_ptr())
    }

    "hip_5.3" fn hipDrvGetErrorString(status: Status, text: crate::abi::Out<*const c_char>) {
        text.set(known(status)?.1.as_ptr())
    }
}

/// Name and description of a status that exists.
fn known(status: Status) -> Result<(&'static CStr, &'static CStr), Error> {
    let name = error::name(status);
    if status != Error::Unknown as Status && name == error::name(Error::Unknown as Status) {
        return Err(Error::InvalidValue);
    }
    Ok((name, error::description(status)))
}
