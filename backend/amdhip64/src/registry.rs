//! What a program registers before `main`: its fat binaries, and which host symbol stands for which kernel
//! or variable in them.
//!
//! Source: the calls that clang 22 writes for HIP (`__hipRegisterFatBinary` and the others).

use std::collections::HashMap;
use std::ffi::{c_int, c_uint};
use std::sync::{Arc, LazyLock, Mutex, OnceLock};

use hipshift_emulator::Module;
use hipshift_emulator::memory::Kind;

use crate::abi::{Address, In, Out, Text};
use crate::error::Error;
use crate::loaded::load_from;
use crate::lock::lock;
use crate::messages::warn;
use crate::own_libraries::is_in_library;
use crate::runtime::gpu;
use crate::schedule::wait_at_end;

/// The structure that a program passes to `__hipRegisterFatBinary`.
#[derive(Clone, Copy)]
#[repr(C)]
struct Wrapper {
    magic: u32,
    version: u32,
    image: Address,
    unused: Address,
}

/// "HIPF", as bytes in memory "FPIH".
const MAGIC: u32 = 0x4849_5046;

/// One registered fat binary; loaded when something in it is used first.
pub(crate) struct FatBinary {
    image: Address,
    /// Managed variables: device symbols that hold the address of memory that host and device share.
    managed: Mutex<Vec<(Arc<str>, Address)>>,
    loaded: OnceLock<Result<Arc<Module>, Error>>,
}

impl FatBinary {
    /// The code object for the emulated GPU. Fails with `hipErrorNoBinaryForGpu` where there is none.
    pub(crate) fn load(&self) -> Result<Arc<Module>, Error> {
        self.loaded.get_or_init(|| self.load_now()).clone()
    }

    fn load_now(&self) -> Result<Arc<Module>, Error> {
        let mut module = load_from(self.image)?;
        if is_in_library(self.image) {
            module.treat_as_library();
        }
        for (name, memory) in lock(&self.managed).iter() {
            if let Some((symbol, _)) = module.symbol(name) {
                copy(Address::new(symbol), &memory.get().to_ne_bytes());
            }
        }
        Ok(Arc::new(module))
    }
}

/// A name within a fat binary.
#[derive(Clone)]
pub(crate) struct Entry {
    pub(crate) binary: Arc<FatBinary>,
    pub(crate) name: Arc<str>,
}

/// What a host symbol of a variable stands for.
#[derive(Clone)]
enum Variable {
    InModule(Entry),
    Managed { memory: Address, bytes: u64 },
}

#[derive(Default)]
struct Registry {
    binaries: HashMap<Address, Arc<FatBinary>>,
    functions: HashMap<Address, Entry>,
    variables: HashMap<Address, Variable>,
}

static REGISTRY: LazyLock<Mutex<Registry>> = LazyLock::new(Mutex::default);

/// The kernel that a host symbol stands for. Fails with `hipErrorInvalidDeviceFunction`.
pub(crate) fn function(symbol: Address) -> Result<Entry, Error> {
    lock(&REGISTRY).functions.get(&symbol).cloned().ok_or(Error::InvalidDeviceFunction)
}

/// The host symbol that stands for a kernel of a module that is loaded.
pub(crate) fn symbol_of(module: &Arc<Module>, name: &str) -> Option<Address> {
    let registry = lock(&REGISTRY);
    let is_of_module =
        |entry: &Entry| matches!(entry.binary.loaded.get(), Some(Ok(loaded)) if Arc::ptr_eq(loaded, module));
    let mut entries = registry.functions.iter();
    entries.find(|(_, entry)| *entry.name == *name && is_of_module(entry)).map(|(symbol, _)| *symbol)
}

/// Address and size in bytes of the variable that a host symbol stands for. Fails with `hipErrorInvalidSymbol`.
pub(crate) fn variable(symbol: Address) -> Result<(Address, u64), Error> {
    let variable = lock(&REGISTRY).variables.get(&symbol).cloned().ok_or(Error::InvalidSymbol)?;
    match variable {
        Variable::Managed { memory, bytes } => Ok((memory, bytes)),
        Variable::InModule(entry) => {
            let (address, bytes) = entry.binary.load()?.symbol(&entry.name).ok_or(Error::InvalidSymbol)?;
            Ok((Address::new(address), bytes))
        }
    }
}

/// Writes bytes to memory of the emulated GPU that is known to be as long.
fn copy(to: Address, bytes: &[u8]) {
    // SAFETY: callers pass allocations of their own, or symbols of the module that holds them.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to.pointer(), bytes.len()) };
}

/// The registered binary of a handle, with a name in it.
fn entry(handle: Address, name: Text) -> Option<Entry> {
    let binary = lock(&REGISTRY).binaries.get(&handle).cloned()?;
    Some(Entry { binary, name: name.get().ok()?.into() })
}

/// Exports a function that programs call before and after `main`, where nobody reads a status.
macro_rules! startup {
    ($($(#[$meta:meta])* fn $name:ident($($argument:ident: $type:ty),* $(,)?) -> $result:ty $body:block)*) => {$(
        core::arch::global_asm!(concat!(".symver ", stringify!($name), ", ", stringify!($name), "@@@hip_4.2"));

        $(#[$meta])*
        #[unsafe(no_mangle)]
        extern "C" fn $name($($argument: $type),*) -> $result $body
    )*};
}

startup! {
    /// Gives the handle that the other calls pass back: the wrapper's own address.
    fn __hipRegisterFatBinary(wrapper: In<Wrapper>) -> Address {
        let Some(content) = wrapper.get_if_given().filter(|wrapper| wrapper.magic == MAGIC && wrapper.version == 1) else {
            warn("a fat binary of an unknown kind was registered; its kernels cannot be launched");
            return Address::NULL;
        };
        let binary = FatBinary { image: content.image, managed: Mutex::default(), loaded: OnceLock::new() };
        lock(&REGISTRY).binaries.insert(wrapper.address(), Arc::new(binary));
        wrapper.address()
    }

    fn __hipUnregisterFatBinary(handle: Address) -> () {
        // The program ends, or unloads a library: what goes on may use code and variables of it.
        wait_at_end();
        let Some(binary) = lock(&REGISTRY).binaries.remove(&handle) else { return };
        for (_, memory) in lock(&binary.managed).drain(..) {
            // Only this list knows the memory, and gives it back once.
            let _ = gpu().device.memory().free(memory.get());
        }
    }

    fn __hipRegisterFunction(
        handle: Address,
        symbol: Address,
        _device_function: Address,
        name: Text,
        _thread_limit: c_int,
        _tid: Address,
        _bid: Address,
        _block: Address,
        _grid: Address,
        _warp_size: Address,
    ) -> c_int {
        if let Some(entry) = entry(handle, name) {
            lock(&REGISTRY).functions.insert(symbol, entry);
        }
        0
    }

    fn __hipRegisterVar(
        handle: Address,
        symbol: Address,
        _host_name: Address,
        name: Text,
        _is_extern: c_int,
        _bytes: usize,
        _is_constant: c_int,
        _global: c_int,
    ) -> () {
        if let Some(entry) = entry(handle, name) {
            lock(&REGISTRY).variables.insert(symbol, Variable::InModule(entry));
        }
    }

    /// Host code may use a managed variable before any other call, so its memory is made here.
    fn __hipRegisterManagedVar(
        handle: Address,
        pointer: Out<Address>,
        initial: Address,
        name: Text,
        bytes: usize,
        alignment: c_uint,
    ) -> () {
        let Some(entry) = entry(handle, name) else { return };
        let memory = gpu().device.memory();
        let Ok(address) = memory.allocate(bytes as u64, u64::from(alignment).max(8), Kind::Managed) else {
            warn(&format!("no memory for the managed variable {}", entry.name));
            return;
        };
        let memory = Address::new(address);
        // SAFETY: the compiler passes the initial value of the variable, of the size that it states.
        unsafe { std::ptr::copy_nonoverlapping(initial.pointer().cast_const(), memory.pointer(), bytes) };
        lock(&entry.binary.managed).push((entry.name.clone(), memory));
        let variable = Variable::Managed { memory, bytes: bytes as u64 };
        lock(&REGISTRY).variables.insert(pointer.address(), variable);
        pointer.set_if_wanted(memory);
    }

    /// Surface references do not exist in the headers of HIP 7.2; nothing can use one.
    fn __hipRegisterSurface(
        _handle: Address, _symbol: Address, _host_name: Address, _name: Text, _type: c_int, _extern: c_int,
    ) -> () {}

    /// The variable is a `textureReference` on both sides.
    fn __hipRegisterTexture(
        handle: Address, symbol: Address, _host_name: Address, name: Text, _type: c_int, _normalized: c_int,
        _extern: c_int,
    ) -> () {
        if let Some(entry) = entry(handle, name) {
            lock(&REGISTRY).variables.insert(symbol, Variable::InModule(entry));
        }
    }
}
