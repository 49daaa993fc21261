//! How a launch ended, in words that many kernels can share.

use hipshift_emulator::{Fault, FaultKind, LaunchError, Space};
use serde::{Deserialize, Serialize};

/// How a launch ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in super::super) enum Ending {
    /// All blocks ran to their end.
    End {
        /// Instructions of all waves.
        instructions: u64,
        /// Waves.
        waves: u64,
    },
    /// It ran without a fault until its instructions were spent.
    Budget,
    /// It was stopped.
    Stopped {
        /// What has to change for it to run.
        class: Class,
        /// Why, without what differs from kernel to kernel.
        reason: String,
        /// The instruction, if it came to one.
        instruction: String,
    },
}

/// What has to change for a kernel to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(in super::super) enum Class {
    /// The emulator lacks an instruction.
    Instruction,
    /// The emulator fails.
    Emulator,
    /// The kernel needs a program that prepares its arguments.
    Arguments,
}

impl Ending {
    /// Reads the error of a launch.
    pub(super) fn of_error(error: &LaunchError) -> Ending {
        match error {
            LaunchError::Fault(fault) => Ending::of_fault(fault),
            // The words of the others name the kernel and its sizes.
            LaunchError::Refused { text, .. } => {
                let text = text.split_once("`: ").map_or(text.as_str(), |(_kernel, text)| text);
                Ending::stopped(Class::Emulator, format!("launch refused: {text}"))
            }
            other => Ending::stopped(Class::Emulator, format!("launch refused: {other}")),
        }
    }

    /// Stopped, not at an instruction.
    pub(super) fn stopped(class: Class, reason: String) -> Ending {
        Ending::Stopped { class, reason, instruction: String::new() }
    }

    fn of_fault(fault: &Fault) -> Ending {
        let (class, reason) = match &fault.kind {
            FaultKind::StepLimit(_) => return Ending::Budget,
            FaultKind::Unimplemented(text) => {
                (Class::Instruction, format!("instruction `{}` is not implemented", mnemonic(text)))
            }
            FaultKind::IllegalInstruction(_) => (Class::Emulator, "no instruction where it goes on".to_owned()),
            FaultKind::Service(text) => (Class::Emulator, text.clone()),
            kind => (Class::Arguments, argument_fault(kind)),
        };
        Ending::Stopped { class, reason, instruction: fault.instruction.clone() }
    }

    /// Whether the kernel ran without a fault.
    pub(in super::super) fn is_run(&self) -> bool {
        !matches!(self, Ending::Stopped { .. })
    }
}

/// The first word of an instruction.
pub(in super::super) fn mnemonic(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or_default()
}

/// A fault that other arguments could avoid, without the numbers of this launch.
fn argument_fault(kind: &FaultKind) -> String {
    match kind {
        FaultKind::OutOfBounds { space, address, write, place, .. } => {
            let verb = if *write { "write" } else { "read" };
            match space {
                Space::Global => format!("{verb} of global memory {}", place_of(*address, place)),
                Space::Lds => format!("{verb} of LDS outside of what the block has"),
                Space::Private => format!("{verb} of private memory outside of what the lane has"),
            }
        }
        FaultKind::Misaligned { .. } => "address that is not aligned".to_owned(),
        FaultKind::Trap(number) => format!("trap {number}, the kernel's own"),
        FaultKind::SyncMask { .. } => "`_sync` function with a mask of other lanes".to_owned(),
        FaultKind::Barrier { .. } => "barrier that a part of the waves never reaches".to_owned(),
        FaultKind::NoProgress(_) => "waits for what nothing will change".to_owned(),
        other => other.to_string(),
    }
}

/// Addresses that small values make where a pointer is expected.
const NULL: u64 = 1 << 20;

/// Where an address lies that no buffer holds; `place` is what the emulator says of it.
fn place_of(address: u64, place: &str) -> &'static str {
    let distance = place.split(' ').next().and_then(|number| number.parse::<u64>().ok());
    if address < NULL {
        "near null"
    } else if distance.is_some_and(|bytes| bytes <= 1 << 30) {
        "up to 1 GiB outside of a buffer"
    } else {
        "far from every buffer"
    }
}

#[cfg(test)]
mod tests {
    use hipshift_emulator::Refusal;

    use super::*;

    #[test]
    fn places_have_no_numbers_of_the_launch() {
        let place = "4096 bytes behind the end of an allocation of 1048576 bytes";
        assert_eq!(place_of(1 << 40, place), "up to 1 GiB outside of a buffer");
        assert_eq!(place_of(8, place), "near null");
        assert_eq!(place_of(1 << 40, "where nothing is allocated"), "far from every buffer");
    }

    #[test]
    fn refusals_do_not_name_the_kernel() {
        let error = LaunchError::Refused {
            why: Refusal::Lds,
            text: "kernel `k`: 70000 bytes of LDS, a block can have 65536".to_owned(),
        };
        let expected = "launch refused: 70000 bytes of LDS, a block can have 65536".to_owned();
        assert_eq!(Ending::of_error(&error), Ending::stopped(Class::Emulator, expected));
    }
}
