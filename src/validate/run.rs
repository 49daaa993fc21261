//! The whole of a validation: compile, run on each target, compare.

use std::io;

use camino::{Utf8Path, Utf8PathBuf};

use super::backend::environment;
use super::compare::compare;
use super::compile::{Build, Built};
use super::execute::{Call, Ending, Execution, Limits, execute};
use super::expected::Expected;
use super::origin::Origins;
use super::outcome::{Evidence, ProgramResult, TargetResult, Verdict, WaveDifference};
use super::program::{Program, Unit};
use crate::mapping::Target;

/// Lines of a failed program that are shown.
const LAST_LINES: usize = 12;

/// What is to be done.
#[derive(Debug, Clone)]
pub struct Plan<'p> {
    /// How programs are compiled, and for which targets.
    pub build: Build<'p>,
    /// The units of all programs.
    pub units: &'p [Unit],
    /// The programs.
    pub programs: &'p [Program],
    /// From places in converted files to the user's.
    pub origins: &'p Origins,
    /// Arguments of every program.
    pub arguments: &'p [String],
    /// Bounds on each run.
    pub limits: Limits,
    /// What programs should print.
    pub expected: &'p Expected,
    /// Targets that the emulator knows; others are compiled only.
    pub emulated: &'p [&'static str],
}

/// Compiles all programs and runs them one after the other, each on every target. `tick` is called for each that is done.
pub fn validate(plan: &Plan<'_>, tick: impl Fn()) -> io::Result<Vec<ProgramResult>> {
    let built = plan.build.programs(plan.programs, plan.units)?;
    let results = plan.programs.iter().zip(built).map(|(program, built)| {
        let result = plan.result(program, &built);
        tick();
        result
    });
    results.collect()
}

impl Plan<'_> {
    fn result(&self, program: &Program, built: &Built) -> io::Result<ProgramResult> {
        let source = &self.units[program.units[0]].source;
        let expected = self.expected.for_program(source)?;
        let runs = self.build.targets.iter().map(|target| self.on_target(target, built, expected.as_deref()));
        let runs = runs.collect::<io::Result<Vec<(TargetResult, Option<Execution>)>>>()?;
        let wave_difference = self.wave_difference(&runs);
        Ok(ProgramResult {
            name: program.name.clone(),
            source: source.clone(),
            messages: built.messages.iter().map(|message| self.origins.explain(message)).collect(),
            resources: built.resources.iter().map(|kernel| self.origins.place_kernel(kernel)).collect(),
            targets: runs.into_iter().map(|(result, _)| result).collect(),
            wave_difference,
        })
    }

    fn on_target(
        &self,
        target: &'static Target,
        built: &Built,
        expected: Option<&str>,
    ) -> io::Result<(TargetResult, Option<Execution>)> {
        let without_run = |verdict: Verdict, evidence: Evidence| {
            (TargetResult { target, verdict, evidence, time: None, last_words: Vec::new() }, None)
        };
        if !built.is_compiled() {
            return Ok(without_run(Verdict::NotCompiled, Evidence::None));
        }
        let (Some(executable), Some(runtime)) = (&built.executable, self.build.runtime) else {
            let reason = "there is nothing to run it".to_owned();
            return Ok(without_run(Verdict::NotRun(reason), Evidence::Compiled));
        };
        if !self.emulated.contains(&target.name.as_str()) {
            let reason = format!("the emulator does not know {}", target.name);
            return Ok(without_run(Verdict::NotRun(reason), Evidence::Compiled));
        }
        let execution = self.execute(target, executable, runtime)?;
        let verdict = self.verdict(&execution, expected);
        let last_words = if verdict.is_failure() { last_words(&execution) } else { Vec::new() };
        let time = Some(execution.time);
        Ok((TargetResult { target, verdict, evidence: Evidence::Emulated, time, last_words }, Some(execution)))
    }

    fn execute(&self, target: &Target, executable: &Utf8Path, runtime: &Utf8Path) -> io::Result<Execution> {
        let folder = Utf8PathBuf::from(format!("{executable}-{}", target.name));
        std::fs::create_dir_all(&folder)?;
        execute(Call {
            program: executable,
            arguments: self.arguments,
            folder: &folder,
            environment: &environment(runtime, target),
            limits: self.limits,
        })
    }

    fn verdict(&self, execution: &Execution, expected: Option<&str>) -> Verdict {
        if execution.ending != Ending::Code(0) {
            return Verdict::Failed(execution.ending);
        }
        let Some(expected) = expected else { return Verdict::Ran };
        let actual = String::from_utf8_lossy(&execution.output);
        compare(expected, &actual, &self.expected.tolerance).map_or(Verdict::Matched, Verdict::Differs)
    }

    /// The first pair of targets with waves of different width on which a program printed different texts.
    fn wave_difference(&self, runs: &[(TargetResult, Option<Execution>)]) -> Option<WaveDifference> {
        let ran = |wide: bool| {
            let of_width = move |(result, _): &&(TargetResult, Option<Execution>)| result.target.is_wave64() == wide;
            runs.iter().filter(of_width).find_map(|(result, run)| Some((result.target, run.as_ref()?)))
        };
        let ((wide, a), (narrow, b)) = (ran(true)?, ran(false)?);
        let (a, b) = (String::from_utf8_lossy(&a.output), String::from_utf8_lossy(&b.output));
        let difference = compare(&a, &b, &self.expected.tolerance)?;
        Some(WaveDifference { wide, narrow, difference })
    }
}

/// The last lines of a run: standard output, then standard error.
fn last_words(execution: &Execution) -> Vec<String> {
    let lines = |bytes: &[u8]| -> Vec<String> {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(LAST_LINES)..].iter().map(|line| (*line).to_owned()).collect()
    };
    [lines(&execution.output), lines(&execution.errors)].concat()
}
