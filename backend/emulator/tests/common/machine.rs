//! A device with one loaded file, and arguments by value.

#![allow(clippy::too_many_arguments, reason = "a launch has many sides")]

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use hipshift_emulator::memory::{Kind, Memory};
use hipshift_emulator::object::CodeObject;
use hipshift_emulator::{Alone, Device, Launch, LaunchError, Module, Options, Statistics, Target};

use super::Printed;

/// A device and a module.
pub(crate) struct Machine {
    pub(crate) device: Device,
    pub(crate) module: Module,
    pub(crate) printed: Arc<Printed>,
}

/// The code object of a kernel file, compiled once.
fn object(file: &str, processor: &str, flags: &[&str]) -> Option<CodeObject> {
    type Key = (String, String, String);
    type Compiled = Arc<OnceLock<Option<CodeObject>>>;
    static OBJECTS: OnceLock<Mutex<HashMap<Key, Compiled>>> = OnceLock::new();
    // Each test says so where there is no compiler, not the first alone.
    super::toolchain()?;
    let key = (file.to_owned(), processor.to_owned(), flags.join(" "));
    // Whoever compiles one object keeps nobody from another.
    let place = OBJECTS.get_or_init(Mutex::default).lock().unwrap().entry(key).or_default().clone();
    let compiled = || Some(CodeObject::parse(&super::compile(&super::kernels(file), processor, flags)?).unwrap());
    place.get_or_init(compiled).clone()
}

impl Machine {
    /// Loads a kernel file; `None` where there is no compiler.
    pub(crate) fn new(file: &str, processor: &str) -> Option<Machine> {
        Machine::with(file, processor, &["-O2"], Options::default())
    }

    pub(crate) fn with(file: &str, processor: &str, flags: &[&str], options: Options) -> Option<Machine> {
        let object = object(file, processor, flags)?;
        let printed = Arc::new(Printed::default());
        let device = Device::new(Target::parse(processor).unwrap(), options, printed.clone());
        let module = device.load(&object).unwrap();
        Some(Machine { device, module, printed })
    }

    pub(crate) fn memory(&self) -> &Memory {
        self.device.memory()
    }

    /// Lanes of a wave.
    pub(crate) fn wave(&self) -> usize {
        self.device.target().wave_size() as usize
    }

    /// Puts values into memory of the device.
    pub(crate) fn upload<T: Copy>(&self, values: &[T]) -> u64 {
        let bytes = std::mem::size_of_val(values);
        let address = self.memory().allocate(bytes.max(1) as u64, 256, Kind::Device).unwrap();
        // SAFETY: the memory was allocated with this size, and nobody else uses it.
        unsafe { std::ptr::copy_nonoverlapping(values.as_ptr().cast::<u8>(), address as *mut u8, bytes) };
        address
    }

    /// Reads values from memory of the device.
    pub(crate) fn download<T: Copy>(&self, address: u64, count: usize) -> Vec<T> {
        let found = self.memory().find(address).expect("an address of the device");
        assert!(address + (count * size_of::<T>()) as u64 <= found.end());
        // SAFETY: the bounds were just checked, and all bit patterns of the types in use are values.
        unsafe { std::slice::from_raw_parts(address as *const T, count) }.to_vec()
    }

    /// Launches a kernel; arguments lie where the metadata wants them.
    pub(crate) fn run(
        &self,
        kernel: &str,
        grid: [u32; 3],
        block: [u32; 3],
        dynamic_lds: u32,
        arguments: &[Vec<u8>],
    ) -> Result<Statistics, LaunchError> {
        self.start(kernel, grid, block, dynamic_lds, arguments, false)
    }

    pub(crate) fn start(
        &self,
        kernel: &str,
        grid: [u32; 3],
        block: [u32; 3],
        dynamic_lds: u32,
        arguments: &[Vec<u8>],
        cooperative: bool,
    ) -> Result<Statistics, LaunchError> {
        let known = self.module.kernel(kernel).unwrap_or_else(|| panic!("no kernel {kernel}"));
        let explicit: Vec<_> = known.args.iter().filter(|arg| arg.is_explicit()).collect();
        assert_eq!(explicit.len(), arguments.len());
        let mut bytes = Vec::new();
        for (arg, value) in explicit.iter().zip(arguments) {
            bytes.resize(arg.offset as usize, 0);
            assert_eq!(arg.size as usize, value.len(), "{kernel}");
            bytes.extend(value);
        }
        let launch = Launch { grid, block, dynamic_lds, arguments: &bytes, cooperative, neighbours: Arc::new(Alone) };
        self.device.launch(&self.module, kernel, &launch)
    }
}

/// An argument: a number or a pointer.
macro_rules! args {
    ($($value:expr),* $(,)?) => { &[$($value.to_le_bytes().to_vec()),*] };
}
pub(crate) use args;

/// Processors of each kind of machine code.
const PROCESSORS: &[&str] = &["gfx90a", "gfx906", "gfx942", "gfx950", "gfx1030", "gfx1100", "gfx1201"];

/// Runs a test on processors of all generations, optimised and not.
pub(crate) fn on_each(file: &str, test: impl Fn(&Machine)) {
    static TESTS: AtomicUsize = AtomicUsize::new(0);
    let levels = |processor: &&'static str| ["-O2", "-O0"].map(|level| (*processor, level));
    let mut kinds: Vec<(&str, &str)> = PROCESSORS.iter().flat_map(levels).collect();
    // Two tests of a file would wait for each object together: one begins at the other end.
    if TESTS.fetch_add(1, Ordering::Relaxed) % 2 == 1 {
        kinds.reverse();
    }
    for (processor, level) in kinds {
        let Some(machine) = Machine::with(file, processor, &[level], Options::default()) else { return };
        eprintln!("on {processor} {level}");
        test(&machine);
    }
}

/// Numbers that look random, the same each time.
pub(crate) fn random(seed: u64, count: usize) -> Vec<u64> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    (0..count).map(|_| next()).collect()
}
