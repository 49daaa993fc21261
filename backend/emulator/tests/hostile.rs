//! Damaged code objects and bundles: errors, never panics, whatever is changed.

use std::sync::{Arc, OnceLock};

use hipshift_emulator::object::{CodeObject, bundle};
use hipshift_emulator::{Alone, Device, Launch, Options, Silent, Target};
use proptest::prelude::*;

use crate::common;

/// A real code object, or nothing where there is no compiler.
fn real() -> Option<&'static Vec<u8>> {
    static OBJECT: OnceLock<Option<Vec<u8>>> = OnceLock::new();
    OBJECT.get_or_init(|| common::compile(&common::kernels("services.hip"), "gfx90a", &["-O2"])).as_ref()
}

/// Loads and launches what can still be read; only errors are allowed to come out.
fn use_it(bytes: &[u8]) {
    use_on(bytes, Target::GFX90A);
}

fn use_on(bytes: &[u8], target: Target) {
    let Ok(object) = CodeObject::parse(bytes) else { return };
    if object.memory_size > 1 << 30 {
        return;
    }
    let options = Options { threads: 1, step_limit: Some(20_000), ..Options::default() };
    let device = Device::new(target, options, Arc::new(Silent));
    let Ok(module) = device.load(&object) else { return };
    for kernel in object.kernels() {
        let size = kernel.args.iter().map(|arg| arg.offset.saturating_add(arg.size)).max().unwrap_or(0).min(1 << 16);
        let arguments = vec![0; size as usize];
        let launch = Launch {
            grid: [1; 3],
            block: [64, 1, 1],
            dynamic_lds: 0,
            arguments: &arguments,
            cooperative: false,
            neighbours: Arc::new(Alone),
        };
        let _ = device.launch(&module, &kernel.name, &launch);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn changed_bytes_are_survived(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..40)) {
        let Some(real) = real() else { return Ok(()) };
        let mut bytes = real.clone();
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        use_it(&bytes);
    }

    #[test]
    fn changed_headers_are_survived(changes in prop::collection::vec((0_usize..1024, any::<u8>()), 1..8)) {
        let Some(real) = real() else { return Ok(()) };
        let mut bytes = real.clone();
        for (at, value) in changes {
            bytes[at] = value;
        }
        use_it(&bytes);
    }

    #[test]
    fn cut_off_files_are_survived(at in any::<prop::sample::Index>()) {
        let Some(real) = real() else { return Ok(()) };
        use_it(&real[..at.index(real.len())]);
    }

    #[test]
    fn bundles_of_anything_are_survived(tail in prop::collection::vec(any::<u8>(), 0..200), kind in 0..3_usize) {
        let magic: &[u8] = [&b"__CLANG_OFFLOAD_BUNDLE__"[..], b"CCOB\x03\0\x01\0", b"\x7fELF"][kind];
        let image = [magic, &tail].concat();
        let _ = bundle::select(&image, &Target::GFX90A);
        let _ = bundle::extent(&image);
        let _ = CodeObject::parse(&image);
    }
}

/// Kernels of all kinds for two kinds of machine code, damaged by a generator that gives the same numbers each time.
#[test]
fn damaged_kernels_of_all_kinds_end_with_errors() {
    let files = ["basic.hip", "block.hip", "float.hip", "services.hip"];
    for (seed, file) in files.iter().enumerate() {
        for target in [Target::GFX90A, Target::GFX1100] {
            let Some(real) = common::compile(&common::kernels(file), target.processor.name, &["-O2"]) else { return };
            let mut random = Random(seed as u64 + 1);
            for round in 0..12 {
                let mut bytes = real.clone();
                // All parts of a file, the code or the headers and metadata before it.
                let (first, length) = [(0, real.len()), (0, 1024), (1024, real.len() - 1024)][round % 3];
                for _ in 0..=random.below(16) {
                    let at = first + random.below(length);
                    bytes[at] ^= 1 << random.below(8);
                }
                if round % 4 == 3 {
                    bytes.truncate(random.below(real.len()));
                }
                use_on(&bytes, target);
            }
        }
    }
}

/// Marsaglia's xorshift with 64 bits.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).unwrap()
    }
}

#[test]
fn a_real_object_is_read() {
    let Some(real) = real() else { return };
    let object = CodeObject::parse(real).unwrap();
    assert_eq!(object.version, 6);
    assert_eq!(bundle::extent(real), Ok(bundle::Extent::Bytes(real.len())));
    let kernel = object.kernel("out_of_bounds").unwrap();
    assert_eq!((kernel.wave_size, kernel.max_workgroup_size, kernel.args[0].size), (64, 1024, 8));
    assert!(object.fits(&Target::GFX90A) && !object.fits(&Target::GFX1100));
}
