//! A code object in the memory of the emulated GPU.

use std::sync::Arc;

use hipshift_emulator::Module;
use hipshift_emulator::object::bundle::{self, BundleError, Extent};
use hipshift_emulator::object::{CodeObject, Kernel};

use crate::abi::Address;
use crate::error::Error;
use crate::messages::warn;
use crate::own_libraries;
use crate::readable::readable_from;
use crate::runtime::gpu;

/// A kernel of a loaded code object: what `hipFunction_t` stands for.
#[derive(Clone)]
pub(crate) struct Function {
    pub(crate) module: Arc<Module>,
    pub(crate) name: Arc<str>,
}

/// Loads what fits the emulated GPU from an image in memory: a bundle of code objects, or one alone.
pub(crate) fn load_from(image: Address) -> Result<Module, Error> {
    if image.is_null() {
        return Err(Error::InvalidValue);
    }
    let (mut known, readable) = (0, readable_from(image));
    loop {
        // What lies behind the end of the memory is no part of the image, whatever its header says.
        if known > readable {
            return Err(refuse(&BundleError::Damaged, Error::InvalidImage));
        }
        // SAFETY: the system says that so many bytes can be read; the program keeps them as they are while they are loaded.
        let prefix = unsafe { std::slice::from_raw_parts(image.pointer().cast_const(), known) };
        match bundle::extent(prefix).map_err(|error| refuse(&error, Error::InvalidImage))? {
            Extent::Bytes(bytes) if bytes == known => return load(prefix),
            Extent::Needs(bytes) | Extent::Bytes(bytes) => known = bytes,
        }
    }
}

/// As [`load_from`], from bytes whose length is known.
pub(crate) fn load(image: &[u8]) -> Result<Module, Error> {
    let mut module = load_plain(image)?;
    // A library may have compiled the code, or read it from a file of its own.
    if own_libraries::is_caller() {
        module.treat_as_library();
    }
    Ok(module)
}

fn load_plain(image: &[u8]) -> Result<Module, Error> {
    let object = bundle::select(image, gpu().device.target()).map_err(|error| refuse(&error, Error::NoBinaryForGpu))?;
    let object = CodeObject::parse(&object).map_err(|error| refuse(&error, Error::InvalidImage))?;
    gpu().device.load(&object).map_err(|error| refuse(&error, Error::SharedObjectInitFailed))
}

impl Function {
    /// A kernel by its name. Fails with `hipErrorInvalidDeviceFunction`.
    pub(crate) fn new(module: Arc<Module>, name: Arc<str>) -> Result<Function, Error> {
        let function = Function { module, name };
        function.kernel().map(|_| ())?;
        Ok(function)
    }

    /// What the code object says of the kernel.
    pub(crate) fn kernel(&self) -> Result<&Kernel, Error> {
        self.module.kernel(&self.name).ok_or(Error::InvalidDeviceFunction)
    }
}

/// Says on the terminal why a code object was not taken: a status alone would not tell.
fn refuse(reason: &dyn std::error::Error, error: Error) -> Error {
    warn(&reason.to_string());
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two pages, the second of which cannot be read.
    fn page() -> *mut u8 {
        // SAFETY: memory is asked for where there is room.
        let place = unsafe {
            let (rights, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
            libc::mmap(std::ptr::null_mut(), 8192, rights, kind, -1, 0)
        };
        assert_ne!(place, libc::MAP_FAILED);
        // SAFETY: the second page of this memory.
        assert_eq!(unsafe { libc::mprotect(place.cast::<u8>().add(4096).cast(), 4096, libc::PROT_NONE) }, 0);
        place.cast()
    }

    #[test]
    fn an_image_ends_where_memory_does_whatever_its_header_says() {
        let mut plain = b"__CLANG_OFFLOAD_BUNDLE__".to_vec();
        for number in [1_u64, 56, 1 << 30, 0] {
            plain.extend(number.to_le_bytes());
        }
        let mut compressed = b"CCOB\x03\0\x01\0".to_vec();
        compressed.extend((1_u64 << 30).to_le_bytes());
        compressed.resize(32, 0);
        let many = [b"__CLANG_OFFLOAD_BUNDLE__".as_slice(), &4000_u64.to_le_bytes()].concat();
        let mut object = b"\x7fELF".to_vec();
        object.resize(64, 0xff);
        object[40..48].copy_from_slice(&(1_u64 << 30).to_le_bytes());
        let short = b"CCOB".to_vec();
        for image in [plain, compressed, many, object, short] {
            let place = page();
            // SAFETY: the image lies at the end of the first page.
            let image = unsafe {
                let start = place.add(4096 - image.len());
                start.copy_from_nonoverlapping(image.as_ptr(), image.len());
                Address::new(start as u64)
            };
            assert_eq!(load_from(image).err(), Some(Error::InvalidImage));
        }
    }
}
