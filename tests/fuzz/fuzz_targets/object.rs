//! Takes any bytes for a code object or a bundle, and runs its kernels within limits: errors, nothing else.
#![no_main]

use std::sync::Arc;

use hipshift_emulator::object::{CodeObject, bundle};
use hipshift_emulator::{Alone, Checks, Device, Launch, Options, Silent, Target};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = bundle::extent(bytes);
    for target in [Target::GFX90A, Target::GFX1100] {
        let _ = bundle::select(bytes, &target);
        run(bytes, target);
    }
});

fn run(bytes: &[u8], target: Target) {
    let Ok(object) = CodeObject::parse(bytes) else { return };
    if object.memory_size > 1 << 26 || !object.fits(&target) {
        return;
    }
    let options = Options { threads: 1, step_limit: Some(5000), checks: Checks::All, ..Options::default() };
    let device = Device::new(target, options, Arc::new(Silent));
    let Ok(module) = device.load(&object) else { return };
    for kernel in object.kernels() {
        let size = kernel.args.iter().map(|arg| arg.offset.saturating_add(arg.size)).max().unwrap_or(0).min(1 << 16);
        let arguments = vec![0; size as usize];
        let launch = Launch { grid: [2, 1, 1], block: [96, 1, 1], dynamic_lds: 64, arguments: &arguments, cooperative: false, neighbours: Arc::new(Alone) };
        let _ = device.launch(&module, &kernel.name, &launch);
    }
}
