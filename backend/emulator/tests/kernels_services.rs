//! Kernels that ask the host for something, and kernels that have to be stopped.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    clippy::float_cmp,
    clippy::many_single_char_names,
    clippy::precedence,
    reason = "the host repeats what kernels do with bits"
)]

use std::sync::Arc;

use hipshift_emulator::{Alone, Fault, FaultKind, LaunchError, Options, Space};

use crate::common::machine::{Machine, args, on_each};

fn fault(result: Result<hipshift_emulator::Statistics, LaunchError>) -> Fault {
    match result {
        Err(LaunchError::Fault(fault)) => *fault,
        other => panic!("no fault but {other:?}"),
    }
}

fn expected_lines(blocks: u32, threads: u32) -> Vec<String> {
    let mut lines = Vec::new();
    for block in 0..blocks {
        for thread in 0..threads {
            lines.push(format!("block {block} thread {thread}: text {:5.2} -5000000000 x%", f64::from(thread) * 1.5));
        }
    }
    lines.sort();
    lines
}

#[test]
fn kernels_print() {
    on_each("services.hip", |machine| {
        let name = machine.upload(b"name\0");
        machine.run("hello", [3, 1, 1], [96, 1, 1], 0, args![name, 70_i32]).unwrap();
        let printed = String::from_utf8(machine.printed.0.lock().unwrap().0.clone()).unwrap();
        let mut lines: Vec<String> = printed.lines().map(str::to_owned).collect();
        lines.sort();
        assert_eq!(lines, expected_lines(3, 70));
    });
}

#[test]
fn buffered_text_is_printed_at_the_end() {
    for processor in ["gfx90a", "gfx1100"] {
        let flags = ["-O2", "-mprintf-kind=buffered"];
        let Some(machine) = Machine::with("services.hip", processor, &flags, Options::default()) else { return };
        let name = machine.upload(b"name\0");
        machine.run("hello", [2, 1, 1], [64, 1, 1], 0, args![name, 64_i32]).unwrap();
        let printed = String::from_utf8(machine.printed.0.lock().unwrap().0.clone()).unwrap();
        let mut lines: Vec<String> = printed.lines().map(str::to_owned).collect();
        lines.sort();
        assert_eq!(lines, expected_lines(2, 64), "{processor}");
    }
}

#[test]
fn failed_assertions_stop_the_launch_and_say_why() {
    on_each("services.hip", |machine| {
        let mut values = [1_i32; 64];
        let data = machine.upload(&values);
        machine.run("checked", [1, 1, 1], [64, 1, 1], 0, args![data]).unwrap();
        values[3] = -1;
        let data = machine.upload(&values);
        let fault = fault(machine.run("checked", [1, 1, 1], [64, 1, 1], 0, args![data]));
        assert_eq!(fault.kind, FaultKind::Assert);
        let printed = String::from_utf8(machine.printed.0.lock().unwrap().1.clone()).unwrap();
        assert!(printed.contains("checked") && printed.contains("\"negative\"' failed"), "{printed}");
    });
}

#[test]
fn what_is_not_implemented_stops_the_launch() {
    on_each("services.hip", |machine| {
        let out = machine.upload(&[0_i32; 64]);
        let fault = fault(machine.run("rotate", [1, 1, 1], [64, 1, 1], 0, args![out]));
        assert!(matches!(&fault.kind, FaultKind::Unimplemented(text) if text.starts_with("ds_swizzle_b32")), "{fault}");
        let told = machine.device.unimplemented(&machine.module);
        assert_eq!(told, [(fault.pc, fault.instruction)]);
    });
}

#[test]
fn traps_stop_the_launch() {
    on_each("services.hip", |machine| {
        machine.run("trap", [1, 1, 1], [64, 1, 1], 0, args![100_i32]).unwrap();
        let fault = fault(machine.run("trap", [2, 1, 1], [64, 1, 1], 0, args![9_i32]));
        assert_eq!((fault.kind, fault.kernel.as_str()), (FaultKind::Trap(2), "trap"));
        assert_eq!(fault.instruction, "s_trap 2");
    });
}

#[test]
fn halted_waves_stop_the_launch() {
    on_each("services.hip", |machine| {
        let out = machine.upload(&[0_i32; 64]);
        machine.run("halts", [1, 1, 1], [64, 1, 1], 0, args![out, 1_i32]).unwrap();
        assert_eq!(machine.download::<i32>(out, 64), [1; 64]);
        let fault = fault(machine.run("halts", [1, 1, 1], [64, 1, 1], 0, args![out, 0_i32]));
        assert_eq!((fault.kind, fault.instruction.as_str()), (FaultKind::Halted, "s_sethalt 1"));
    });
}

#[test]
fn kernels_allocate_memory() {
    on_each("services.hip", |machine| {
        let out = machine.upload(&[0_i32; 128]);
        machine.run("lists", [2, 1, 1], [64, 1, 1], 0, args![out, 20_i32]).unwrap();
        let expected: Vec<i32> = (0..128).map(|i| 190 * (i % 64)).collect();
        assert_eq!(machine.download::<i32>(out, 128), expected);
        machine.run("lists", [2, 1, 1], [64, 1, 1], 0, args![out, 3_i32]).unwrap();
        assert_eq!(machine.download::<i32>(out, 2), [0, 3]);
    });
}

#[test]
fn accesses_outside_of_allocations_are_found() {
    for processor in ["gfx90a", "gfx1100"] {
        let Some(machine) = Machine::with("services.hip", processor, &["-O2", "-g"], Options::default()) else {
            return;
        };
        let data = machine.upload(&[0_i32; 100]);
        machine.run("out_of_bounds", [1, 1, 1], [64, 1, 1], 0, args![data, 36_i32]).unwrap();
        let found = fault(machine.run("out_of_bounds", [1, 1, 1], [64, 1, 1], 0, args![data, 68_i32]));
        let address = data + 400;
        let place = "0 bytes behind the end of an allocation of 400 bytes".to_owned();
        let expected = FaultKind::OutOfBounds { space: Space::Global, address, bytes: 4, write: true, place };
        assert_eq!(found.kind, expected);
        let lane = if processor == "gfx90a" { 32 } else { 0 };
        assert_eq!(found.lanes, (u64::MAX << lane) & if lane == 0 { 0xffff_ffff } else { u64::MAX });
        let source = found.source.clone().unwrap();
        assert!(source.contains("services.hip:"), "{source}");
        assert!(found.to_string().contains("in kernel `out_of_bounds`, block (0, 0, 0)"), "{found}");
        machine.memory().free(data).unwrap();
        let found = fault(machine.run("out_of_bounds", [1, 1, 1], [64, 1, 1], 0, args![data, 0_i32]));
        assert!(found.to_string().contains("that was freed"), "{found}");
    }
}

#[test]
fn endless_kernels_are_stopped() {
    let options = Options { step_limit: Some(100_000), ..Options::default() };
    let Some(machine) = Machine::with("services.hip", "gfx90a", &["-O2"], options) else { return };
    let flag = machine.upload(&[0_i32]);
    let fault = fault(machine.run("endless", [1, 1, 1], [64, 1, 1], 0, args![flag]));
    assert_eq!(fault.kind, FaultKind::StepLimit(100_000));
}

#[test]
fn launches_that_cannot_be_are_refused() {
    let Some(machine) = Machine::new("services.hip", "gfx90a") else { return };
    let refused = |result| matches!(result, Err(LaunchError::Refused { .. }));
    assert!(refused(machine.run("trap", [1, 1, 1], [2048, 1, 1], 0, args![0_i32])));
    assert!(refused(machine.run("trap", [0, 1, 1], [64, 1, 1], 0, args![0_i32])));
    assert!(refused(machine.run("trap", [1, 1, 1], [64, 1, 1], 70_000, args![0_i32])));
    let launch = hipshift_emulator::Launch {
        grid: [1; 3],
        block: [64, 1, 1],
        dynamic_lds: 0,
        arguments: &[],
        cooperative: false,
        neighbours: Arc::new(Alone),
    };
    assert!(refused(machine.device.launch(&machine.module, "trap", &launch)));
    let unknown = machine.device.launch(&machine.module, "nothing", &launch);
    assert_eq!(unknown, Err(LaunchError::UnknownKernel("nothing".to_owned())));
}
