//! Launches each kernel of a code object once, with arguments that are made up.

use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use anyhow::{Context, Result};
use hipshift_emulator::object::{CodeObject, Kernel};
use hipshift_emulator::{Alone, Device, Launch, Module, Options, Silent, Statistics, Target};
use serde::{Deserialize, Serialize};

use super::arguments::{Arguments, INTEGERS, block};
use super::ending::{Class, Ending, mnemonic};

/// Instructions that the waves of one block may execute together.
pub(in super::super) const BUDGET: u64 = 250_000;

/// Blocks of a launch.
const BLOCKS: u32 = 2;

/// What came of a code object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(in super::super) struct Launched {
    /// Mangled names of kernels and how their launches ended.
    pub(in super::super) kernels: Vec<(String, Ending)>,
    /// Instructions that the emulator does not execute, in all of the code: mnemonic, number of places.
    pub(in super::super) unimplemented: BTreeMap<String, usize>,
}

/// Launches all kernels of a code object on a device of its target.
pub(super) fn launch_all(object: &[u8], target: &str) -> Result<Launched> {
    let target = Target::parse(target)?;
    let object = CodeObject::parse(object).context("reading the code object")?;
    // One thread, so that a launch ends in the same way each time.
    let options = Options { threads: 1, step_limit: Some(BUDGET), ..Options::default() };
    let device = Device::new(target, options, Arc::new(Silent));
    let module = device.load(&object).context("loading the code object")?;
    let mut launched = Launched::default();
    for (_, text) in device.unimplemented(&module) {
        *launched.unimplemented.entry(mnemonic(&text).to_owned()).or_default() += 1;
    }
    for kernel in object.kernels() {
        launched.kernels.push((kernel.name.clone(), launch(&device, &module, kernel)));
    }
    Ok(launched)
}

/// How the first attempt ended that came through, or the first of all.
fn launch(device: &Device, module: &Module, kernel: &Kernel) -> Ending {
    let mut first = None;
    for integer in INTEGERS {
        let attempt = catch_unwind(AssertUnwindSafe(|| attempt(device, module, kernel, integer)));
        let ending = attempt.unwrap_or_else(|panic| Ending::stopped(Class::Emulator, panic_text(&*panic)));
        if ending.is_run() {
            return ending;
        }
        first = first.or(Some(ending));
    }
    first.unwrap_or_else(|| Ending::stopped(Class::Arguments, "no attempt was made".to_owned()))
}

fn attempt(device: &Device, module: &Module, kernel: &Kernel, integer: u64) -> Ending {
    let arguments = match Arguments::new(kernel, device.memory(), integer) {
        Ok(arguments) => arguments,
        Err(reason) => return Ending::stopped(Class::Arguments, reason),
    };
    let launch = Launch {
        grid: [BLOCKS, 1, 1],
        block: block(kernel),
        // All that is left: how much a kernel expects is nowhere written.
        dynamic_lds: device.target().processor.lds_bytes.saturating_sub(kernel.lds_size),
        arguments: &arguments.bytes,
        cooperative: false,
        neighbours: Arc::new(Alone),
    };
    match device.launch(module, &kernel.name, &launch) {
        Ok(Statistics { waves, instructions }) => Ending::End { instructions, waves },
        Err(error) => Ending::of_error(&error),
    }
}

/// What a panic says.
fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    format!("the emulator panicked: {}", text.unwrap_or("without a text"))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;
    use std::process::Command;

    use hipshift::mapping::{RocmVersion, Target};

    use super::super::LEVEL;
    use super::*;
    use crate::repository_root;

    /// Device code of the fixture for a target; `None` where there is no compiler.
    fn object(target: &str) -> Option<Vec<u8>> {
        let folder = repository_root().join("target/toolchain");
        let Ok(toolchain) = hipshift::toolchain::Toolchain::find(Some(&folder), RocmVersion::NEWEST) else {
            let how = "no compiler for AMD GPUs found, `./test` fetches it";
            assert!(std::env::var_os("HIPSHIFT_REQUIRE_TOOLCHAIN").is_none(), "{how}");
            eprintln!("not tested: {how}");
            return None;
        };
        let path = std::env::temp_dir().join(format!("smoke-{}-{target}.co", std::process::id()));
        let mut command: Command = toolchain.command(&[Target::find(target).unwrap()]);
        command.args([LEVEL, "-c", "--cuda-device-only", "--no-gpu-bundle-output", "-o"]).arg(&path);
        command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/smoke.hip"));
        crate::process::run(&mut command).unwrap();
        let object = fs::read(&path).unwrap();
        fs::remove_file(path).unwrap();
        Some(object)
    }

    fn reason(ending: &Ending) -> (Class, &str) {
        match ending {
            Ending::Stopped { class, reason, .. } => (*class, reason),
            ran => panic!("not stopped: {ran:?}"),
        }
    }

    #[test]
    #[expect(clippy::print_stderr, reason = "says what is not tested")]
    fn launches_end_as_the_kernels_say() {
        for target in ["gfx90a", "gfx1100"] {
            let Some(object) = object(target) else { return };
            let launched = launch_all(&object, target).unwrap();
            eprintln!("on {target}");
            let endings: BTreeMap<_, _> =
                launched.kernels.iter().map(|(name, ending)| (name.as_str(), ending)).collect();
            assert_eq!(endings.len(), 7, "{endings:?}");
            assert!(matches!(endings["scale"], Ending::End { waves: 8 | 16, instructions: 100.. }), "{endings:?}");
            assert!(
                matches!(endings["rows"], Ending::End { .. }),
                "rows of 32 threads, as many as the launch bounds say"
            );
            assert!(matches!(endings["only_one"], Ending::End { .. }), "the last attempt");
            assert_eq!(*endings["for_ever"], Ending::Budget);
            assert_eq!(reason(endings["through_null"]), (Class::Arguments, "read of global memory near null"));
            assert_eq!(reason(endings["refuses"]), (Class::Arguments, "trap 2, the kernel's own"));
            let missing = reason(endings["rotates"]);
            assert_eq!(missing, (Class::Instruction, "instruction `ds_swizzle_b32` is not implemented"));
            assert_eq!(launched.unimplemented, BTreeMap::from([("ds_swizzle_b32".to_owned(), 1)]));
        }
    }

    #[test]
    fn what_is_no_code_object_is_an_error() {
        assert!(launch_all(b"no code object", "gfx90a").is_err());
    }
}
