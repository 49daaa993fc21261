//! What surrounds every call of the API: the macros that export functions with their version, the thread's last error,
//! and a barrier for panics.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::abi::Status;
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
    if let Err(error) = result
        && error != Error::NotReady
    {
        crate::misuse::failed(name, error);
    }
    let status = result.map_or_else(|error| error as Status, |()| 0);
    NEWEST.set(status);
    // An answer of "not yet" is no error that a later check of errors should see.
    if status != 0 && status != Error::NotReady as Status {
        LAST.set(status);
    }
    status
}

/// Exports functions under their names and the version nodes of AMD's library. The body of each gives
/// `Result<(), Error>`; [`enter`] turns that into a status and remembers an error for
/// `hipGetLastError`. After `also` stand names for the same function: HIP's `_spt` forms differ in the stream
/// that 0 means.
macro_rules! api {
    ($($(#[$meta:meta])* $node:literal fn $name:ident $(also $node2:literal $name2:ident)?
       ($($argument:ident: $type:ty),* $(,)?) $body:block)*) => {$(
        core::arch::global_asm!(concat!(".symver ", stringify!($name), ", ", stringify!($name), "@@@", $node));

        $(#[$meta])*
        #[unsafe(no_mangle)]
        extern "C" fn $name($($argument: $type),*) -> $crate::abi::Status {
            $crate::call::enter(stringify!($name), move || $body)
        }

        $crate::call::api!(@also $(($node2, $name2))? $name ($($argument: $type),*));
    )*};
    (@also $name:ident ($($argument:ident: $type:ty),*)) => {};
    (@also ($node:literal, $alias:ident) $name:ident ($($argument:ident: $type:ty),*)) => {
        core::arch::global_asm!(concat!(".symver ", stringify!($alias), ", ", stringify!($alias), "@@@", $node));

        #[unsafe(no_mangle)]
        extern "C" fn $alias($($argument: $type),*) -> $crate::abi::Status {
            $crate::default_stream::per_thread(move || $name($($argument),*))
        }
    };
}
pub(crate) use api;

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
    let text = error::description(status);
    if status != Error::Unknown as Status && text == error::description(Error::Unknown as Status) {
        return Err(Error::InvalidValue);
    }
    Ok((error::name(status), text))
}
