//! What kernels need of a GPU: registers, local memory, scratch memory, and how many waves fit beside each other.
//!
//! The compiler says it in the remarks of its pass `kernel-resource-usage` (LLVM, "User Guide for AMDGPU Backend").

use cpp_demangle::{DemangleOptions, Symbol};
use serde::{Deserialize, Serialize};

use super::message::{MISSED_OCCUPANCY, Place, place};
use crate::mapping::Target;

/// Numbers of scalar, vector and accumulation registers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Registers {
    /// Scalar registers of a wave.
    pub scalar: u32,
    /// Vector registers of a lane.
    pub vector: u32,
    /// Accumulation registers of a lane, on targets that have them.
    pub accumulation: Option<u32>,
}

/// What one kernel needs on one target.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resources {
    /// The kernel as a person writes it, without its parameters.
    pub kernel: String,
    /// Where it is defined.
    #[serde(skip)]
    pub place: Option<Place>,
    /// Whether it stands in a header of others, such as rocPRIM's, which the user does not change.
    #[serde(skip)]
    pub is_of_others: bool,
    /// Name of the target.
    pub target: String,
    /// Registers.
    pub registers: Registers,
    /// Scalar and vector registers that were put elsewhere, as there were too few.
    pub spilled: Registers,
    /// Bytes of scratch memory for each lane.
    pub scratch: u32,
    /// Whether it needs more scratch memory than the compiler can tell, such as in a recursion.
    pub dynamic_stack: bool,
    /// Bytes of local memory (`__shared__`) for each block, without those that a launch asks for.
    pub lds: u32,
    /// Waves that fit on an execution unit at once.
    pub occupancy: u32,
    /// Waves on an execution unit that its launch bounds ask for, if it has fewer.
    pub asked: Option<u32>,
}

impl Resources {
    /// The kernel's name without namespaces and template arguments.
    pub fn function(&self) -> &str {
        unqualified(self.kernel.split('<').next().unwrap_or_default())
    }

    /// What a person should look at, in words.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        let Registers { scalar, vector, .. } = self.spilled;
        if vector > 0 || scalar > 0 {
            warnings.push(format!(
                "spills {vector} vector and {scalar} scalar registers; {} bytes of scratch memory for each lane",
                self.scratch
            ));
        }
        if let Some(asked) = self.asked {
            let waves = self.occupancy;
            warnings.push(format!("{waves} of its waves fit on an execution unit; its launch bounds ask for {asked}"));
        }
        if let Some(limit) = Target::find(&self.target).ok().map(|target| target.lds).filter(|limit| self.lds > *limit)
        {
            warnings.push(format!("needs {} bytes of shared memory for a block, of which there are {limit}", self.lds));
        }
        warnings
    }
}

/// The last part of a name with namespaces.
pub(super) fn unqualified(name: &str) -> &str {
    name.rsplit("::").next().unwrap_or(name)
}

/// Reads all remarks of a compiler that was started with `-v`, and so says which target it compiles for.
pub(super) fn resources(output: &str) -> Vec<Resources> {
    let mut found: Vec<Resources> = Vec::new();
    let (mut target, mut missed) = (None, Vec::new());
    for line in output.lines() {
        if is_pass(line) {
            target = target_of(line);
        } else if let Some((_, text)) = line.split_once(MISSED_OCCUPANCY) {
            missed.extend(missed_occupancy(text));
        } else if let (Some((before, text)), Some(target)) = (remark(line), target) {
            if let Some(symbol) = text.strip_prefix("Function Name: ") {
                let asked = missed.iter().find(|(name, _)| *name == symbol).map(|(_, asked)| *asked);
                missed.retain(|(name, _)| *name != symbol);
                found.push(Resources { place: place(before), asked, ..empty(symbol, target) });
            } else if let (Some(kernel), Some((name, value))) = (found.last_mut(), text.trim().split_once(": ")) {
                set(kernel, name, value);
            }
        }
    }
    found
}

fn empty(symbol: &str, target: &str) -> Resources {
    Resources {
        kernel: demangled(symbol),
        place: None,
        is_of_others: false,
        target: target.to_owned(),
        registers: Registers::default(),
        spilled: Registers::default(),
        scratch: 0,
        dynamic_stack: false,
        lds: 0,
        occupancy: 0,
        asked: None,
    }
}

/// The kernels of several files, each once: templates are made in every file that uses them.
pub(super) fn join<'r>(kernels: impl Iterator<Item = &'r Resources>) -> Vec<Resources> {
    let mut joined: Vec<Resources> = Vec::new();
    for kernel in kernels {
        if !joined.contains(kernel) {
            joined.push(kernel.clone());
        }
    }
    joined.sort_by(|a, b| (&a.kernel, &a.target).cmp(&(&b.kernel, &b.target)));
    joined
}

/// Whether a line is the command of a pass of the compiler.
fn is_pass(line: &str) -> bool {
    line.starts_with(" \"") && line.contains(" -cc1 ")
}

/// The target that a pass makes code for; none for the host's.
fn target_of(command: &str) -> Option<&str> {
    let target = command.split_once(" -target-cpu ")?.1.split(' ').next();
    target.filter(|_| command.contains(" -triple amdgcn"))
}

/// The place and the text of a remark about what a kernel needs.
fn remark(line: &str) -> Option<(&str, &str)> {
    let (before, text) = line.split_once(" remark: ")?;
    Some((before, text.strip_suffix(" [-Rpass-analysis=kernel-resource-usage]")?))
}

fn set(kernel: &mut Resources, name: &str, value: &str) {
    let number = value.parse().unwrap_or(0);
    match name {
        "TotalSGPRs" => kernel.registers.scalar = number,
        "VGPRs" => kernel.registers.vector = number,
        "AGPRs" => kernel.registers.accumulation = Some(number),
        "ScratchSize [bytes/lane]" => kernel.scratch = number,
        "Dynamic Stack" => kernel.dynamic_stack = value == "True",
        "Occupancy [waves/SIMD]" => kernel.occupancy = number,
        "SGPRs Spill" => kernel.spilled.scalar = number,
        "VGPRs Spill" => kernel.spilled.vector = number,
        "LDS Size [bytes/block]" => kernel.lds = number,
        _ => {}
    }
}

/// Reads `… in 'SYMBOL': desired occupancy was 8, final occupancy is 2`.
fn missed_occupancy(text: &str) -> Option<(&str, u32)> {
    let (_, rest) = text.split_once(" in '")?;
    let (symbol, rest) = rest.split_once("': desired occupancy was ")?;
    Some((symbol, rest.split(',').next()?.parse().ok()?))
}

/// The name of a function with its template arguments, as a person writes it.
pub fn demangled(symbol: &str) -> String {
    let name = Symbol::new(symbol)
        .ok()
        .and_then(|symbol| symbol.demangle_with_options(&DemangleOptions::new().no_params().no_return_type()).ok());
    name.unwrap_or_else(|| symbol.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = r#" "/opt/clang" -cc1 -triple amdgcn-amd-amdhsa -O2 -target-cpu gfx90a -x hip a.hip
a.hip:2:1: warning: failed to meet occupancy target given by 'amdgpu-waves-per-eu' in '_Z5smallILi64EEvPf': desired occupancy was 8, final occupancy is 2 [-Wpass-failed]
a.hip:2:1: remark: Function Name: _Z5smallILi64EEvPf [-Rpass-analysis=kernel-resource-usage]
a.hip:2:1: remark:     TotalSGPRs: 106 [-Rpass-analysis=kernel-resource-usage]
a.hip:2:1: remark:     VGPRs: 139 [-Rpass-analysis=kernel-resource-usage]
a.hip:2:1: remark:     AGPRs: 4 [-Rpass-analysis=kernel-resource-usage]
a.hip:2:1: remark:     ScratchSize [bytes/lane]: 36 [-Rpass-analysis=kernel-resource-usage]
a.hip:2:1: remark:     Dynamic Stack: True [-Rpass-analysis=kernel-resource-usage]
a.hip:2:1: remark:     Occupancy [waves/SIMD]: 2 [-Rpass-analysis=kernel-resource-usage]
a.hip:2:1: remark:     SGPRs Spill: 78 [-Rpass-analysis=kernel-resource-usage]
a.hip:2:1: remark:     VGPRs Spill: 5 [-Rpass-analysis=kernel-resource-usage]
a.hip:2:1: remark:     LDS Size [bytes/block]: 70000 [-Rpass-analysis=kernel-resource-usage]
 "/opt/clang" -cc1 -triple x86_64-pc-linux-gnu -aux-triple amdgcn-amd-amdhsa -target-cpu x86-64 -x hip a.hip
a.hip:9:1: remark: Function Name: main [-Rpass-analysis=kernel-resource-usage]
"#;

    #[test]
    fn all_numbers_are_read_for_the_target_of_the_pass() {
        let found = resources(OUTPUT);
        assert_eq!(found.len(), 1);
        let Resources { kernel, target, registers, spilled, .. } = &found[0];
        assert_eq!((kernel.as_str(), target.as_str()), ("small<64>", "gfx90a"));
        assert_eq!(*registers, Registers { scalar: 106, vector: 139, accumulation: Some(4) });
        assert_eq!(*spilled, Registers { scalar: 78, vector: 5, accumulation: None });
        assert_eq!((found[0].scratch, found[0].dynamic_stack, found[0].lds), (36, true, 70000));
        assert_eq!(found[0].place.as_ref().map(|place| (place.line, place.column)), Some((2, 1)));
        assert_eq!(
            found[0].warnings(),
            [
                "spills 5 vector and 78 scalar registers; 36 bytes of scratch memory for each lane",
                "2 of its waves fit on an execution unit; its launch bounds ask for 8",
                "needs 70000 bytes of shared memory for a block, of which there are 65536"
            ]
        );
    }

    #[test]
    fn the_name_of_a_function_has_neither_namespaces_nor_arguments() {
        let function = |symbol| empty(symbol, "gfx90a").function().to_owned();
        assert_eq!(function("_ZN12_GLOBAL__N_11kEPf"), "k");
        assert_eq!(function("_ZN2vt4fillILi64EfEEvPT0_i"), "fill");
        assert_eq!(function("badd_f32"), "badd_f32");
    }

    #[test]
    fn kernels_of_several_files_are_told_once() {
        let twice = [resources(OUTPUT), resources(OUTPUT)].concat();
        assert_eq!(join(twice.iter()).len(), 1);
        let calm = Resources { spilled: Registers::default(), asked: None, lds: 65536, ..twice[0].clone() };
        assert_eq!(calm.warnings(), Vec::<String>::new());
    }
}
