//! A code object in the memory of the emulated GPU.

use std::sync::Arc;

use hipshift_emulator::Module;
use hipshift_emulator::object::bundle::{self, Extent};
use hipshift_emulator::object::{CodeObject, Kernel};

use crate::abi::Address;
use crate::error::Error;
use crate::messages::warn;
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
    let mut known = 0;
    loop {
        // SAFETY: programs pass an image that their compiler wrote, and its header is believed about its length.
        let prefix = unsafe { std::slice::from_raw_parts(image.pointer().cast_const(), known) };
        match bundle::extent(prefix).map_err(|error| refuse(&error, Error::InvalidImage))? {
            Extent::Bytes(bytes) if bytes == known => return load(prefix),
            Extent::Needs(bytes) | Extent::Bytes(bytes) => known = bytes,
        }
    }
}

/// As [`load_from`], from bytes whose length is known.
pub(crate) fn load(image: &[u8]) -> Result<Module, Error> {
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
