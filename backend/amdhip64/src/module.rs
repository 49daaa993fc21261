//! Modules: code objects that a program loads itself, and what can be asked about kernels.

use std::ffi::{c_int, c_uint};
use std::fs;
use std::sync::Arc;

use hipshift_emulator::Module;

use crate::abi::{Address, Out, Text};
use crate::call::api;
use crate::error::Error;
use crate::functions::{FUNCTIONS, function};
use crate::handles::Handles;
use crate::loaded::{Function, load, load_from};
use crate::runtime::gpu;
use crate::schedule::settle;

/// Modules that are loaded.
static MODULES: Handles<Arc<Module>> = Handles::new("a module");

fn load_image(module: Out<Address>, image: Address) -> Result<(), Error> {
    module.check()?;
    module.set(MODULES.insert(Arc::new(load_from(image)?)))
}

/// `hipFuncAttributes`.
#[repr(C)]
struct Attributes {
    binary_version: c_int,
    cache_mode: c_int,
    constant_bytes: usize,
    private_bytes: usize,
    most_dynamic_lds: c_int,
    threads_per_block: c_int,
    registers: c_int,
    carveout: c_int,
    ptx_version: c_int,
    lds_bytes: usize,
}

/// What HIP tells of a kernel. Versions are the target's number times ten, as AMD's library has it.
fn attributes(function: &Function) -> Result<Attributes, Error> {
    let kernel = function.kernel()?;
    let (major, minor) = crate::properties::compute_capability(gpu().device.target());
    let number = |value: u32| c_int::try_from(value).unwrap_or(c_int::MAX);
    Ok(Attributes {
        binary_version: major * 10 + minor,
        cache_mode: 0,
        constant_bytes: 0,
        private_bytes: kernel.private_size as usize,
        most_dynamic_lds: number(gpu().device.target().processor.lds_bytes.saturating_sub(kernel.lds_size)),
        threads_per_block: number(kernel.max_workgroup_size),
        registers: number(kernel.vgprs),
        carveout: 0,
        ptx_version: major * 10 + minor,
        lds_bytes: kernel.lds_size as usize,
    })
}

/// One of [`attributes`], by the number of `hipFunction_attribute`.
fn attribute(function: &Function, number: c_uint) -> Result<c_int, Error> {
    let all = attributes(function)?;
    let bytes = |value: usize| c_int::try_from(value).unwrap_or(c_int::MAX);
    Ok(match number {
        0 => all.threads_per_block,
        1 => bytes(all.lds_bytes),
        2 => bytes(all.constant_bytes),
        3 => bytes(all.private_bytes),
        4 => all.registers,
        5 => all.ptx_version,
        6 => all.binary_version,
        7 => all.cache_mode,
        8 => all.most_dynamic_lds,
        9 => all.carveout,
        _ => return Err(Error::InvalidValue),
    })
}

/// Checks a setting of a kernel: 8 is the most dynamic LDS, 9 the share of LDS beside cache, which is fixed on AMD GPUs.
fn set_attribute(function: &Function, number: c_uint, value: c_int) -> Result<(), Error> {
    let most = attributes(function)?.most_dynamic_lds;
    match number {
        8 if (0..=most).contains(&value) => Ok(()),
        9 if (-1..=100).contains(&value) => Ok(()),
        _ => Err(Error::InvalidValue),
    }
}

api! {
    "hip_4.2" fn hipModuleLoad(module: Out<Address>, path: Text) {
        module.check()?;
        let bytes = fs::read(path.get()?).map_err(|_| Error::FileNotFound)?;
        module.set(MODULES.insert(Arc::new(load(&bytes)?)))
    }

    "hip_4.2" fn hipModuleLoadData(module: Out<Address>, image: Address) { load_image(module, image) }

    /// The options are for compilers of CUDA; nothing is compiled here.
    "hip_4.2" fn hipModuleLoadDataEx(
        module: Out<Address>,
        image: Address,
        _count: c_uint,
        _options: Address,
        _values: Address,
    ) {
        load_image(module, image)
    }

    "hip_7.1" fn hipModuleLoadFatBinary(module: Out<Address>, image: Address) { load_image(module, image) }

    "hip_4.2" fn hipModuleUnload(module: Address) {
        settle();
        MODULES.remove(module).map(|_| ())
    }

    "hip_4.2" fn hipModuleGetFunction(kernel: Out<Address>, module: Address, name: Text) {
        kernel.check()?;
        let module = MODULES.get(module)?;
        let function = Function::new((*module).clone(), name.get()?.into()).map_err(|_| Error::NotFound)?;
        kernel.set(FUNCTIONS.insert(function))
    }

    "hip_7.1" fn hipModuleGetFunctionCount(count: Out<c_uint>, module: Address) {
        let kernels = MODULES.get(module)?.object().kernels().len();
        count.set(c_uint::try_from(kernels).unwrap_or(c_uint::MAX))
    }

    "hip_4.2" fn hipModuleGetGlobal(address: Out<Address>, bytes: Out<u64>, module: Address, name: Text) {
        let symbol = MODULES.get(module)?.symbol(name.get()?);
        let (start, size) = symbol.ok_or(Error::NotFound)?;
        bytes.set_if_wanted(size);
        address.set_if_wanted(Address::new(start));
        Ok(())
    }

    "hip_6.2" fn hipGetFuncBySymbol(kernel: Out<Address>, symbol: Address) {
        kernel.check()?;
        kernel.set(FUNCTIONS.insert(function(symbol)?))
    }

    "hip_4.2" fn hipFuncGetAttributes(out: Out<Attributes>, symbol: Address) {
        out.check()?;
        out.set(attributes(&function(symbol)?)?)
    }

    "hip_4.2" fn hipFuncGetAttribute(value: Out<c_int>, number: c_uint, handle: Address) {
        value.check()?;
        value.set(attribute(&function(handle)?, number)?)
    }

    "hip_4.2" fn hipFuncSetAttribute(symbol: Address, number: c_uint, value: c_int) {
        set_attribute(&function(symbol)?, number, value)
    }

    "hip_4.2" fn hipFuncSetCacheConfig(symbol: Address, _preference: c_uint) { function(symbol).map(|_| ()) }

    "hip_4.2" fn hipFuncSetSharedMemConfig(symbol: Address, _banks: c_uint) { function(symbol).map(|_| ()) }
}
