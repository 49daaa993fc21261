//! What validation found, for each program and target.

use std::time::Duration;

use camino::Utf8PathBuf;

use super::execute::Ending;
use super::message::{Cause, Message, Place};
use super::mismatch::Mismatch;
use super::resources::Resources;
use crate::mapping::Target;

/// How much a result proves. The order is from the weakest to the strongest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Evidence {
    /// Not even compiled.
    None,
    /// The compiler for AMD GPUs took the code; nothing was run.
    Compiled,
    /// The machine code for AMD GPUs ran on an emulator.
    Emulated,
    /// The converted code ran on an NVIDIA GPU, compiled by nvcc.
    Nvidia,
    /// The machine code for AMD GPUs ran on one.
    Amd,
}

impl Evidence {
    /// The label in every report.
    pub fn label(self) -> &'static str {
        match self {
            Evidence::None => "none",
            Evidence::Compiled => "compiled",
            Evidence::Emulated => "emulated",
            Evidence::Nvidia => "ran on NVIDIA",
            Evidence::Amd => "ran on AMD",
        }
    }
}

/// What became of one program on one target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The compiler refused it.
    NotCompiled,
    /// The linker refused it.
    NotLinked,
    /// Nobody wanted it to run; it was made as far as this.
    Made(Made),
    /// It was compiled; nothing can run it, for this reason.
    NotRun(String),
    /// It ended with code 0, and what it printed was not compared with anything.
    Ran,
    /// It was not started: what it should come to cannot be read, for this reason.
    NoReference(String),
    /// It ended with code 0, was compared with nothing, and printed this line, which says that it failed.
    SaysFailed(String),
    /// It ended with code 0, was compared with nothing, and something else came out on a target with waves of another width:
    /// [`ProgramResult::wave_difference`] has it.
    WaveDependent,
    /// It ended with code 0 and printed what was expected.
    Matched,
    /// It ended with code 0, and something else came out.
    Differs(Mismatch),
    /// It failed.
    Failed(Ending),
    /// It printed or did something else when blocks and waves took turns in another order.
    Unsteady(ScheduleDifference),
    /// It ended with code 0, and checks found defects, which [`TargetResult::findings`] has.
    Found,
}

/// How far a program was made that is not to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Made {
    /// The compiler took names and types.
    Checked,
    /// There is code for GPUs, and for the host where that was asked for.
    Compiled,
    /// There is code, but for this reason no executable.
    Unlinked(String),
    /// There is an executable.
    Linked,
}

impl Made {
    fn label(&self) -> &'static str {
        match self {
            Made::Checked => "checked",
            Made::Compiled | Made::Unlinked(_) => "compiled",
            Made::Linked => "linked",
        }
    }
}

/// Two schedules that a program does not do the same with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduleDifference {
    /// The seeds.
    pub seeds: [u64; 2],
    /// Where what came out differs, if that does: `expected` is that of the first seed.
    pub difference: Option<Mismatch>,
}

impl Verdict {
    /// Whether nothing speaks against the program. "Not run" is no success.
    pub fn is_success(&self) -> bool {
        matches!(self, Verdict::Ran | Verdict::Matched)
    }

    /// Whether something speaks against the program.
    pub fn is_failure(&self) -> bool {
        matches!(
            self,
            Verdict::NotCompiled
                | Verdict::NotLinked
                | Verdict::NoReference(_)
                | Verdict::SaysFailed(_)
                | Verdict::WaveDependent
                | Verdict::Differs(_)
                | Verdict::Failed(_)
                | Verdict::Unsteady(_)
                | Verdict::Found
        )
    }

    /// One word or two for a table.
    pub fn label(&self) -> &'static str {
        match self {
            Verdict::NotCompiled => "not compiled",
            Verdict::NotLinked => "not linked",
            Verdict::Made(made) => made.label(),
            Verdict::NotRun(_) => "not run",
            Verdict::Ran => "ran",
            Verdict::NoReference(_) => "no reference",
            Verdict::SaysFailed(_) => "says it failed",
            Verdict::WaveDependent => "waves differ",
            Verdict::Matched => "matched",
            Verdict::Differs(_) => "differs",
            Verdict::Failed(Ending::Timeout) => "timed out",
            Verdict::Failed(_) => "failed",
            Verdict::Unsteady(_) => "unsteady",
            Verdict::Found => "findings",
        }
    }
}

/// The result of one program on one target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetResult {
    /// The target.
    pub target: &'static Target,
    /// What became of it.
    pub verdict: Verdict,
    /// How much that proves.
    pub evidence: Evidence,
    /// How long it ran, if it did.
    pub time: Option<Duration>,
    /// The end of what it wrote to standard output and standard error, if it failed.
    pub last_words: Vec<String>,
    /// What checks found, at lines of the user's files where they are known. Those that begin with [`LIBRARY_NOTE`] are no defects
    /// of the program.
    pub findings: Vec<String>,
}

/// How the emulator's runtime begins what it finds in code of AMD's own libraries.
pub const LIBRARY_NOTE: &str = "note: in a library, ";

/// The results of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramResult {
    /// Its name.
    pub name: String,
    /// Its file with `main`.
    pub source: Utf8PathBuf,
    /// What compiler and linker said, at places of the user's files where they are known.
    pub messages: Vec<Message>,
    /// What its kernels need on each target, at their places in the user's files.
    pub resources: Vec<Resources>,
    /// One for each target.
    pub targets: Vec<TargetResult>,
    /// Two targets, one with waves of 64 and one with waves of 32 lanes, on which it printed different texts.
    pub wave_difference: Option<WaveDifference>,
}

/// A program that prints something else where waves are wider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaveDifference {
    /// The target with 64 lanes.
    pub wide: &'static Target,
    /// The target with 32 lanes.
    pub narrow: &'static Target,
    /// Where: `expected` is what came out with 64 lanes, `actual` with 32.
    pub difference: Mismatch,
    /// What hipshift found about waves in the program's files, nearest to the kernel first.
    pub findings: Vec<WaveFinding>,
}

/// Something about waves that hipshift found in a program that prints something else where they are wider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaveFinding {
    /// Where, in the user's file.
    pub place: Place,
    /// The rule, what it says, and whether the conversion changed the text.
    pub cause: Cause,
}
