//! The whole of a validation: compile, run on each target, compare.

use std::io;

use camino::{Utf8Path, Utf8PathBuf};

use super::backend::{Emulation, environment};
use super::compare::compare;
use super::compile::{BUILD_ROOT, Build, Built};
use super::execute::{Call, Ending, Execution, Setting, execute};
use super::expected::Expected;
use super::origin::Origins;
use super::outcome::{Evidence, ProgramResult, ScheduleDifference, TargetResult, Verdict, WaveDifference};
use super::program::{Program, Unit};
use crate::mapping::Target;

/// A run, and what checks found in it.
struct Observed {
    execution: Execution,
    findings: Vec<String>,
}

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
    /// What every program is given. Variables that the emulator needs win.
    pub setting: Setting<'p>,
    /// What programs should print.
    pub expected: &'p Expected,
    /// Targets that the emulator knows; others are compiled only.
    pub emulated: &'p [&'static str],
    /// How the emulator runs programs.
    pub emulation: &'p Emulation,
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
            let (last_words, findings) = (Vec::new(), Vec::new());
            (TargetResult { target, verdict, evidence, time: None, last_words, findings }, None)
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
        let mut runs = Vec::new();
        for seed in self.seeds() {
            runs.push((seed, self.execute(target, executable, runtime, seed)?));
        }
        Ok(self.judged(target, runs, expected))
    }

    /// The seeds to run with; one run without a seed where none is given.
    fn seeds(&self) -> Vec<Option<u64>> {
        let seeds = self.emulation.seeds.iter().copied().map(Some);
        if self.emulation.seeds.is_empty() { vec![None] } else { seeds.collect() }
    }

    /// The result of all runs on a target, with the run that it is about.
    fn judged(
        &self,
        target: &'static Target,
        runs: Vec<(Option<u64>, Observed)>,
        expected: Option<&str>,
    ) -> (TargetResult, Option<Execution>) {
        let time = runs.iter().map(|(_, run)| run.execution.time).sum();
        let mut findings = Vec::new();
        for finding in runs.iter().flat_map(|(_, run)| &run.findings) {
            if !findings.contains(finding) {
                findings.push(finding.clone());
            }
        }
        let unsteady = self.schedule_difference(&runs);
        let verdicts = runs.into_iter().map(|(_, run)| (self.verdict(&run.execution, expected), run.execution));
        let mut verdicts: Vec<_> = verdicts.collect();
        // A run that went wrong says more than one that went well.
        let chosen = verdicts.iter().position(|(verdict, _)| verdict.is_failure()).unwrap_or(0);
        let (verdict, execution) = verdicts.swap_remove(chosen);
        let verdict = match unsteady {
            Some(difference) => Verdict::Unsteady(difference),
            None if verdict.is_success() && !findings.is_empty() => Verdict::Found,
            None => verdict,
        };
        let last_words = if verdict.is_failure() { last_words(&execution) } else { Vec::new() };
        let last_words = last_words.iter().map(|line| self.lead_back(line)).collect();
        let evidence = Evidence::Emulated;
        (TargetResult { target, verdict, evidence, time: Some(time), last_words, findings }, Some(execution))
    }

    fn execute(
        &self,
        target: &Target,
        executable: &Utf8Path,
        runtime: &Utf8Path,
        seed: Option<u64>,
    ) -> io::Result<Observed> {
        let folder = Utf8PathBuf::from(format!("{executable}-{}", target.name));
        std::fs::create_dir_all(&folder)?;
        let list = Utf8PathBuf::from(format!("{folder}.findings"));
        let mut environment =
            [self.setting.environment, &environment(runtime, target, self.emulation.checks, seed)].concat();
        environment.push(("HIPSHIFT_FINDINGS".to_owned(), list.to_string()));
        let setting = Setting { environment: &environment, ..self.setting };
        let execution = execute(Call { program: executable, folder: &folder, setting })?;
        let text = match std::fs::read(&list) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(error),
        };
        if !text.is_empty() {
            std::fs::remove_file(&list)?;
        }
        let text = String::from_utf8_lossy(&text);
        Ok(Observed { execution, findings: text.lines().map(|line| self.lead_back(line)).collect() })
    }

    /// A line of a program's output with places in the user's files.
    fn lead_back(&self, line: &str) -> String {
        self.origins.lead_back(&line.replace(BUILD_ROOT, self.build.folder.as_str()))
    }

    /// The first pair of schedules that a program does not do the same with.
    fn schedule_difference(&self, runs: &[(Option<u64>, Observed)]) -> Option<ScheduleDifference> {
        let ((seed, first), others) = runs.split_first()?;
        others.iter().find_map(|(other_seed, other)| {
            let (a, b) = (String::from_utf8_lossy(&first.execution.output), &other.execution.output);
            let difference = compare(&a, &String::from_utf8_lossy(b), &self.expected.tolerance);
            let is_other = difference.is_some() || first.execution.ending != other.execution.ending;
            let seeds = [(*seed)?, (*other_seed)?];
            is_other.then_some(ScheduleDifference { seeds, difference })
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
