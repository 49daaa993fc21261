//! A code object in the memory of the emulated GPU.

use std::sync::Arc;

use hipshift_emulator::object::bundle::{self, Extent};
use hipshift_emulator::object::{CodeObject, Kernel};
use hipshift_emulator::Module;

use crate::abi::Address;
use crate::error::Error;
use crate::messages::warn;
use crate::runtime::gpu;

/// A code object and where it was placed.
pub(crate) struct Loaded {
    pub(crate) object: CodeObject,
    pub(crate) module: Module,
}

/// A kernel of a loaded code object: what `hipFunction_t` stands for.
#[derive(Clone)]
pub(crate) struct Function {
    pub(crate) loaded: Arc<Loaded>,
    pub(crate) name: Arc<str>,
}

impl Loaded {
    /// Loads what fits the emulated GPU from an image in memory: a bundle of code objects, or one alone.
    pub(crate) fn from_memory(image: Address) -> Result<Loaded, Error> {
        if image.is_null() {
            return Err(Error::InvalidValue);
        }
        let mut known = 0;
        loop {
            // SAFETY: programs pass an image that their compiler wrote, and its header is believed about its length.
            let prefix = unsafe { std::slice::from_raw_parts(image.pointer().cast_const(), known) };
            match bundle::extent(prefix).map_err(|error| refuse(&error, Error::InvalidImage))? {
                Extent::Needs(bytes) => known = bytes,
                Extent::Bytes(bytes) if bytes == known => return Loaded::new(prefix),
                Extent::Bytes(bytes) => known = bytes,
            }
        }
    }

    /// As [`Loaded::from_memory`], from bytes whose length is known.
    pub(crate) fn new(image: &[u8]) -> Result<Loaded, Error> {
        let object = bundle::select(image, &gpu().target).map_err(|error| refuse(&error, Error::NoBinaryForGpu))?;
        let object = CodeObject::parse(&object).map_err(|error| refuse(&error, Error::InvalidImage))?;
        let module = gpu().device.load(&object).map_err(|error| refuse(&error, Error::SharedObjectInitFailed))?;
        Ok(Loaded { object, module })
    }
}

impl Function {
    /// A kernel by its name. Fails with `hipErrorInvalidDeviceFunction`.
    pub(crate) fn new(loaded: Arc<Loaded>, name: Arc<str>) -> Result<Function, Error> {
        let function = Function { loaded, name };
        function.kernel().map(|_| ())?;
        Ok(function)
    }

    /// What the code object says of the kernel.
    pub(crate) fn kernel(&self) -> Result<&Kernel, Error> {
        self.loaded.object.kernel(&self.name).ok_or(Error::InvalidDeviceFunction)
    }
}

/// Says on the terminal why a code object was not taken: a status alone would not tell.
fn refuse(reason: &dyn std::error::Error, error: Error) -> Error {
    warn(&reason.to_string());
    error
}
