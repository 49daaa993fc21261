//! Names of kernels, and functions of this library by their names.

use std::collections::HashMap;
use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::sync::{LazyLock, Mutex};

use crate::abi::{Address, Out, Text};
use crate::call::{api, inquiry};
use crate::error::Error;
use crate::functions::function;
use crate::lock::lock;

/// The name of a kernel as text that stays; null where there is no such kernel.
fn name(handle: Address) -> *const c_char {
    static NAMES: LazyLock<Mutex<HashMap<Address, CString>>> = LazyLock::new(Mutex::default);
    let Ok(function) = function(handle) else { return std::ptr::null() };
    let made = || CString::new(function.name.as_bytes()).unwrap_or_default();
    lock(&NAMES).entry(handle).or_insert_with(made).as_ptr()
}

inquiry! { "hip_4.2" fn hipKernelNameRef(handle: Address) -> *const c_char { name(handle) } }

inquiry! { "hip_4.2" fn hipKernelNameRefByPtr(symbol: Address, _stream: Address) -> *const c_char { name(symbol) } }

/// The function of a name, for the headers of HIP 7.
fn entry_point(symbol: Text) -> Result<Option<Address>, Error> {
    let name = match symbol.get()? {
        "hipGetDeviceProperties" => "hipGetDevicePropertiesR0600",
        "hipChooseDevice" => "hipChooseDeviceR0600",
        name => name,
    };
    if !name.starts_with("hip") {
        return Ok(None);
    }
    let name = CString::new(name).map_err(|_| Error::InvalidValue)?;
    let Some(library) = own_library() else { return Ok(None) };
    // SAFETY: the name ends with NUL, and the library is that of this function, which stays loaded; nothing is called.
    let found = unsafe { libc::dlsym(std::ptr::with_exposed_provenance_mut::<c_void>(library), name.as_ptr()) };
    Ok((!found.is_null()).then(|| Address::new(found.expose_provenance() as u64)))
}

/// The handle of this library: a program may have functions of its own whose names are those of HIP.
fn own_library() -> Option<usize> {
    static LIBRARY: LazyLock<Option<usize>> = LazyLock::new(|| {
        let mut place = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
        let own = own_library as fn() -> Option<usize>;
        // SAFETY: `place` is room for the answer, of which zero bytes are a value.
        let known = unsafe { libc::dladdr(own as *const c_void, place.as_mut_ptr()) };
        // SAFETY: zero bytes or what the loader wrote.
        let place = unsafe { place.assume_init() };
        if known == 0 || place.dli_fname.is_null() {
            return None;
        }
        // SAFETY: the loader's own name of a library that is loaded; no other is loaded.
        let handle = unsafe { libc::dlopen(place.dli_fname, libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
        (!handle.is_null()).then(|| handle.expose_provenance())
    });
    *LIBRARY
}

/// Hands a function over, and whether there is one (0) or not (1).
fn give(symbol: Text, place: Out<Address>, status: Out<c_uint>) -> Result<(), Error> {
    place.check()?;
    let found = entry_point(symbol)?;
    status.set_if_wanted(found.is_none().into());
    place.set(found.unwrap_or(Address::NULL))?;
    if found.is_some() { Ok(()) } else { Err(Error::InvalidValue) }
}

api! {
    "hip_6.1" fn hipGetProcAddress(
        symbol: Text,
        place: Out<Address>,
        _version: c_int,
        _flags: u64,
        status: Out<c_uint>,
    ) {
        give(symbol, place, status)
    }

    "hip_7.1" fn hipGetDriverEntryPoint also "hip_7.1" hipGetDriverEntryPoint_spt(
        symbol: Text,
        place: Out<Address>,
        _flags: u64,
        status: Out<c_uint>,
    ) {
        give(symbol, place, status)
    }
}
