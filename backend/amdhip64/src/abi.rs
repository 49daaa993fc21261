//! Types that cross the C interface.

use std::ffi::{CStr, c_char, c_void};

use crate::error::Error;

/// The result of a call, as C sees it: 0 or one of [`Error`].
pub(crate) type Status = i32;

/// A place that the caller gave for a result. HIP's contract: null, or valid for a write of `T`.
#[repr(transparent)]
pub(crate) struct Out<T>(*mut T);

impl<T> Out<T> {
    /// Hands a result to the caller. Fails with `hipErrorInvalidValue` for a null pointer.
    pub(crate) fn set(self, value: T) -> Result<(), Error> {
        if !self.set_if_wanted(value) {
            return Err(Error::InvalidValue);
        }
        Ok(())
    }

    /// Hands a result to a caller who may have passed null; tells whether there was a place.
    pub(crate) fn set_if_wanted(self, value: T) -> bool {
        if self.0.is_null() {
            return false;
        }
        // SAFETY: HIP's callers pass null or a place for one `T`.
        unsafe { self.0.write_unaligned(value) };
        true
    }

    /// A place at an address that the caller gave without a type.
    pub(crate) fn at(address: Address) -> Out<T> {
        Out(address.0.cast())
    }

    /// Where the place is.
    pub(crate) fn address(&self) -> Address {
        Address(self.0.cast())
    }

    /// Fails with `hipErrorInvalidValue` where there is no place for the result.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.0.is_null() { Err(Error::InvalidValue) } else { Ok(()) }
    }
}

/// A structure that the caller hands over by address. HIP's contract: null, or valid for a read of `T`.
#[repr(transparent)]
pub(crate) struct In<T>(*const T);

impl<T: Copy> In<T> {
    /// A structure at an address that the caller handed over within another.
    pub(crate) fn at(address: Address) -> In<T> {
        In(address.0.cast_const().cast())
    }

    /// Where the structure is.
    pub(crate) fn address(&self) -> Address {
        Address(self.0.cast_mut().cast())
    }

    /// The structure. Fails with `hipErrorInvalidValue` for a null pointer.
    pub(crate) fn get(&self) -> Result<T, Error> {
        self.get_if_given().ok_or(Error::InvalidValue)
    }

    /// The structure, if there is one.
    pub(crate) fn get_if_given(&self) -> Option<T> {
        // SAFETY: HIP's callers pass null or the address of a `T`.
        (!self.0.is_null()).then(|| unsafe { self.0.read_unaligned() })
    }

    /// The first `count` elements of an array.
    pub(crate) fn list(&self, count: usize) -> Result<Vec<T>, Error> {
        if count == 0 {
            return Ok(Vec::new());
        }
        if self.0.is_null() {
            return Err(Error::InvalidValue);
        }
        // SAFETY: HIP's callers pass arrays of the length that they say.
        Ok((0..count).map(|at| unsafe { self.0.add(at).read_unaligned() }).collect())
    }
}

/// Text of the caller that ends with NUL. HIP's contract: null, or such a text.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Text(*const c_char);

impl Text {
    /// The text. Fails with `hipErrorInvalidValue` for a null pointer or bytes that are not UTF-8.
    pub(crate) fn get(&self) -> Result<&str, Error> {
        if self.0.is_null() {
            return Err(Error::InvalidValue);
        }
        // SAFETY: HIP's callers pass texts that end with NUL.
        unsafe { CStr::from_ptr(self.0) }.to_str().map_err(|_| Error::InvalidValue)
    }
}

/// An address of the caller or of a device. Guest addresses are host addresses.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub(crate) struct Address(*mut c_void);

// SAFETY: an address is a number here; what lies there is read and written by the places that say so.
unsafe impl Send for Address {}
// SAFETY: as above.
unsafe impl Sync for Address {}

impl Address {
    pub(crate) const NULL: Address = Address(std::ptr::null_mut());

    pub(crate) fn new(address: u64) -> Address {
        Address(std::ptr::with_exposed_provenance_mut(usize::try_from(address).unwrap_or(0)))
    }

    pub(crate) fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// As a pointer to bytes.
    pub(crate) fn pointer(self) -> *mut u8 {
        self.0.cast()
    }

    /// As a number.
    pub(crate) fn get(self) -> u64 {
        self.0.expose_provenance() as u64
    }
}

/// `dim3`: extents of a grid or a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Dim3 {
    pub(crate) x: u32,
    pub(crate) y: u32,
    pub(crate) z: u32,
}

impl Dim3 {
    pub(crate) fn array(self) -> [u32; 3] {
        [self.x, self.y, self.z]
    }
}
