//! Either of the two ways in which programs are compiled.

use std::io;

use camino::Utf8Path;

use super::compile::{Build, Built, Stage};
use super::nvidia::{NvidiaBuild, nvidia_target};
use super::program::{Program, Unit};
use crate::mapping::Target;

/// How programs are compiled.
#[derive(Debug, Clone)]
pub enum Builder<'b> {
    /// By the compiler for AMD GPUs.
    Amd(Build<'b>),
    /// By nvcc.
    Nvidia(NvidiaBuild<'b>),
}

impl Builder<'_> {
    /// Compiles and links programs. Fails if the compiler cannot be started; what it says about a program is in its result.
    pub fn programs(&self, programs: &[Program], units: &[Unit]) -> io::Result<Vec<Built>> {
        match self {
            Builder::Amd(build) => build.programs(programs, units),
            Builder::Nvidia(build) => build.programs(programs, units),
        }
    }

    /// What it is compiled for.
    pub(super) fn targets(&self) -> Vec<&'static Target> {
        match self {
            Builder::Amd(build) => build.targets.to_vec(),
            Builder::Nvidia(_) => vec![nvidia_target()],
        }
    }

    /// How far programs are made.
    pub(super) fn stage(&self) -> Stage {
        match self {
            Builder::Amd(build) => build.stage,
            Builder::Nvidia(_) => Stage::Link,
        }
    }

    /// Where objects and executables are.
    pub(super) fn folder(&self) -> &Utf8Path {
        match self {
            Builder::Amd(build) => build.folder,
            Builder::Nvidia(build) => build.folder,
        }
    }
}
