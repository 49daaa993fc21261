//! The whole of a validation: compile, run on each target, compare.

use std::io;

use camino::{Utf8Path, Utf8PathBuf};

use super::builder::Builder;
use super::case::{Case, Observed, cases};
use super::compile::{BUILD_ROOT, Built, Stage};
use super::execute::{Call, Ending, Execution, Setting, execute};
use super::executor::Executor;
use super::expected::Expected;
use super::message::missing_libraries;
use super::origin::Origins;
use super::outcome::{
    Evidence, LIBRARY_NOTE, Made, ProgramResult, ScheduleDifference, TargetResult, Verdict, WaveDifference,
};
use super::program::{Program, Unit};
use super::resources::unqualified;
use crate::mapping::Target;
use crate::regular_file::{LONGEST, read_regular};

/// Lines of a failed program that are shown.
const LAST_LINES: usize = 12;

/// Lines of the runtime's log that are shown.
const LOG_LINES: usize = 40;

/// What is to be done.
#[derive(Debug, Clone)]
pub struct Plan<'p> {
    /// How programs are compiled, and for which targets.
    pub build: Builder<'p>,
    /// The units of all programs.
    pub units: &'p [Unit],
    /// The programs.
    pub programs: &'p [Program],
    /// From places in converted files to the user's.
    pub origins: &'p Origins,
    /// What every program is given. Variables that the executor needs win.
    pub setting: Setting<'p>,
    /// What programs should print.
    pub expected: &'p Expected,
    /// What runs programs, each target by the first that can; without any they are only compiled.
    pub executors: &'p [Executor],
    /// Whether kernels are also started with blocks that leave parts of waves.
    pub vary_block: bool,
}

/// Compiles all programs and runs them one after the other, each on every target. `tick` is called for each that is done.
pub fn validate(plan: &Plan<'_>, tick: impl Fn()) -> io::Result<Vec<ProgramResult>> {
    let built = plan.build.programs(plan.programs, plan.units)?;
    let mut results = Vec::new();
    for (program, built) in plan.programs.iter().zip(built) {
        let own = Plan { setting: program.given.over(plan.setting), ..plan.clone() };
        results.extend(own.results(program, &built)?);
        tick();
    }
    Ok(results)
}

/// A case on a target.
#[derive(Debug, Clone, Copy)]
struct Start<'s> {
    target: &'static Target,
    executable: &'s Utf8Path,
    executor: &'s Executor,
    case: &'s Case<'s>,
}

/// What became of a case on a target, with the run that it is about.
type Judged = (TargetResult, Option<Observed>);

impl Plan<'_> {
    /// The results of a program: one, or for a kernel one for each size of blocks.
    fn results(&self, program: &Program, built: &Built) -> io::Result<Vec<ProgramResult>> {
        let source = &self.units[program.units[0]].source;
        let vary = self.vary_block && built.executable.is_some() && !self.executors.is_empty();
        let cases = match cases(program, source, self.expected, vary) {
            Ok(cases) => cases,
            Err(error) => return Ok(vec![self.without_reference(program, built, &error.to_string())]),
        };
        let mut results = Vec::new();
        for case in cases {
            let runs = self.build.targets().into_iter().map(|target| self.on_target(target, built, &case));
            let mut runs = runs.collect::<io::Result<Vec<Judged>>>()?;
            let first = results.is_empty();
            let wave_difference = self.wave_difference(program, &case, &runs);
            if let Some(found) = &wave_difference {
                blame_waves(found, &mut runs);
            }
            let targets = runs.into_iter().map(|(result, _)| result).collect();
            let mut result = self.result(program, case.name, built, targets);
            result.wave_difference = wave_difference;
            if !first {
                // They are about the program, however it is started.
                (result.messages, result.resources) = (Vec::new(), Vec::new());
            }
            results.push(result);
        }
        Ok(results)
    }

    fn result(&self, program: &Program, name: String, built: &Built, targets: Vec<TargetResult>) -> ProgramResult {
        ProgramResult {
            wave_difference: None,
            name,
            source: self.units[program.units[0]].source.clone(),
            messages: built.messages.iter().map(|message| self.origins.explain(message)).collect(),
            resources: built.resources.iter().map(|kernel| self.origins.place_kernel(kernel)).collect(),
            targets,
        }
    }

    /// The result of a program that is not started, because what it should print cannot be read. The others go on.
    fn without_reference(&self, program: &Program, built: &Built, reason: &str) -> ProgramResult {
        let refused = || (Verdict::NoReference(reason.to_owned()), Evidence::Compiled);
        let on_target = |target| {
            let (verdict, evidence) = self.without_start(built).unwrap_or_else(refused);
            without_run(target, verdict, evidence)
        };
        let targets = self.build.targets().into_iter().map(on_target).collect();
        self.result(program, program.name.clone(), built, targets)
    }

    fn on_target(&self, target: &'static Target, built: &Built, case: &Case<'_>) -> io::Result<Judged> {
        let not_run = |reason| Ok((without_run(target, Verdict::NotRun(reason), Evidence::Compiled), None));
        if let Some((verdict, evidence)) = self.without_start(built) {
            return Ok((without_run(target, verdict, evidence), None));
        }
        let executor = match self.executor_for(target) {
            Ok(executor) => executor,
            Err(reason) => return not_run(reason),
        };
        let Some(executable) = &built.executable else {
            return not_run("it was not linked".to_owned());
        };
        let start = Start { target, executable, executor, case };
        let mut runs = Vec::new();
        for seed in executor.seeds() {
            runs.push((seed, self.observe(start, seed)?));
        }
        let (mut result, run) = self.judged(start, runs);
        if result.verdict.is_failure() {
            result.last_words.extend(self.log(start)?);
        }
        Ok((result, run))
    }

    /// What is known of a program that is not started: it was refused, or nobody wanted it to run.
    fn without_start(&self, built: &Built) -> Option<(Verdict, Evidence)> {
        let is_wanted = !self.executors.is_empty();
        let made = match (built.link_failed, built.is_compiled()) {
            (true, _) if is_wanted => return Some((Verdict::NotLinked, Evidence::Compiled)),
            (true, _) => match missing_libraries(&built.messages) {
                Some(missing) => Made::Unlinked(missing),
                None => return Some((Verdict::NotLinked, Evidence::Compiled)),
            },
            (false, false) => return Some((Verdict::NotCompiled, Evidence::None)),
            (false, true) if is_wanted => return None,
            (false, true) => match (self.build.stage(), &built.executable) {
                (Stage::Syntax, _) => Made::Checked,
                (Stage::Device, _) => Made::Compiled,
                (Stage::Link, Some(_)) => Made::Linked,
                (Stage::Link, None) => Made::Unlinked("there is no `libamdhip64.so` to link with".to_owned()),
            },
        };
        Some((Verdict::Made(made), Evidence::Compiled))
    }

    /// What runs code for a target, or why nothing does.
    fn executor_for(&self, target: &Target) -> Result<&Executor, String> {
        let mut reasons = Vec::new();
        for executor in self.executors {
            match executor.refuses(target) {
                None => return Ok(executor),
                Some(reason) => reasons.push(reason),
            }
        }
        Err(reasons.join("; "))
    }

    /// The result of all runs on a target, with the run that it is about.
    fn judged(&self, start: Start<'_>, runs: Vec<(Option<u64>, Observed)>) -> Judged {
        let Start { target, executor, case, .. } = start;
        let time = runs.iter().map(|(_, run)| run.execution.time).sum();
        let mut findings = Vec::new();
        for finding in runs.iter().flat_map(|(_, run)| &run.findings) {
            if !findings.contains(finding) {
                findings.push(finding.clone());
            }
        }
        let unsteady = schedule_difference(target, case, &runs);
        let mut verdicts: Vec<_> = runs.into_iter().map(|(_, run)| (case.verdict(&run), run)).collect();
        // A run that went wrong says more than one that went well.
        let chosen = verdicts.iter().position(|(verdict, _)| verdict.is_failure()).unwrap_or(0);
        let (verdict, run) = verdicts.swap_remove(chosen);
        let verdict = match unsteady {
            Some(difference) => Verdict::Unsteady(difference),
            None if verdict.is_success() && findings.iter().any(|found| !found.starts_with(LIBRARY_NOTE)) => {
                Verdict::Found
            }
            None => verdict,
        };
        let last_words = if verdict.is_failure() { last_words(&run.execution) } else { Vec::new() };
        let last_words = last_words.iter().map(|line| self.lead_back(line)).collect();
        let evidence = executor.evidence();
        (TargetResult { target, verdict, evidence, time: Some(time), last_words, findings }, Some(run))
    }

    /// Runs a program once, and reads what checks found and what it has written.
    fn observe(&self, start: Start<'_>, seed: Option<u64>) -> io::Result<Observed> {
        let Start { target, executable, executor, case } = start;
        let folder = Utf8PathBuf::from(format!("{executable}-{}", target.name));
        let list = Utf8PathBuf::from(format!("{folder}.findings"));
        std::fs::create_dir_all(&folder)?;
        case.clean(&folder)?;
        let way = executor.start(executable, target, seed, &list);
        let environment = [self.setting.environment, &way.environment].concat();
        let own = case.arguments(self.setting.arguments);
        let (program, arguments) = match way.wrapper {
            Some((wrapper, words)) => (wrapper, [words, own].concat()),
            None => (executable.to_owned(), own),
        };
        let setting = Setting { environment: &environment, arguments: &arguments, ..self.setting };
        let execution = execute(Call { program: &program, folder: &folder, setting })?;
        if let Some((wrapper, words)) = executor.sanitize(executable, &list, &execution) {
            // What the program does is known already; this run is for the log.
            let arguments = [words, case.arguments(self.setting.arguments)].concat();
            execute(Call {
                program: &wrapper,
                folder: &folder,
                setting: Setting { arguments: &arguments, ..setting },
            })?;
        }
        let findings = executor.findings(&take(&list)?);
        let findings = findings.iter().map(|line| self.lead_back(line)).collect();
        case.observe(execution, findings, &folder)
    }

    /// What the runtime of real GPUs logs when a program that failed is run once more.
    fn log(&self, start: Start<'_>) -> io::Result<Vec<String>> {
        let Some(variables) = start.executor.log_variables() else { return Ok(Vec::new()) };
        let environment = [self.setting.environment, &variables].concat();
        let again = Plan { setting: Setting { environment: &environment, ..self.setting }, ..self.clone() };
        let run = again.observe(start, None)?;
        let [(name, value)] = variables;
        let head = format!("once more with {name}={value}, the end of what it wrote to standard error:");
        Ok([vec![head], last_lines(&run.execution.errors, LOG_LINES)].concat())
    }

    /// A line of a program's output with places in the user's files.
    fn lead_back(&self, line: &str) -> String {
        self.origins.lead_back(&line.replace(BUILD_ROOT, self.build.folder().as_str()))
    }

    /// The first pair of targets with waves of different width on which something else came out.
    fn wave_difference(&self, program: &Program, case: &Case<'_>, runs: &[Judged]) -> Option<WaveDifference> {
        let ran = |wide: bool| {
            let of_width = move |(result, _): &&Judged| result.target.is_wave64() == wide;
            runs.iter().filter(of_width).find_map(|(result, run)| Some((result.target, run.as_ref()?)))
        };
        let ((wide, a), (narrow, b)) = (ran(true)?, ran(false)?);
        // Without its end a kernel has written no arrays.
        let ended = [a, b].iter().all(|run| run.execution.ending == Ending::Code(0));
        let difference = case.mismatch([(wide, a), (narrow, b)]).filter(|_| ended || program.kernel.is_none())?;
        let sources: Vec<&Utf8Path> = program.units.iter().map(|at| self.units[*at].source.as_path()).collect();
        let function = program.kernel.as_ref().map_or("main", |kernel| &kernel.function);
        let findings = self.origins.wave_findings(&sources, unqualified(function));
        Some(WaveDifference { wide, narrow, difference, findings })
    }
}

fn without_run(target: &'static Target, verdict: Verdict, evidence: Evidence) -> TargetResult {
    TargetResult { target, verdict, evidence, time: None, last_words: Vec::new(), findings: Vec::new() }
}

/// Makes the difference the verdict on its two targets, unless these were judged by what is expected, or one of them failed
/// anyway, which is why something else came out.
fn blame_waves(found: &WaveDifference, runs: &mut [Judged]) {
    let is_part = |result: &TargetResult| result.target == found.wide || result.target == found.narrow;
    let mut parts: Vec<&mut TargetResult> =
        runs.iter_mut().map(|(result, _)| result).filter(|result| is_part(result)).collect();
    if parts.iter().any(|result| result.verdict.is_failure()) {
        return;
    }
    for result in parts.iter_mut().filter(|result| result.verdict == Verdict::Ran) {
        result.verdict = Verdict::WaveDependent;
    }
}

/// The first pair of schedules that a program does not do the same with.
fn schedule_difference(
    target: &Target,
    case: &Case<'_>,
    runs: &[(Option<u64>, Observed)],
) -> Option<ScheduleDifference> {
    let ((seed, first), others) = runs.split_first()?;
    others.iter().find_map(|(other_seed, other)| {
        let difference = case.mismatch([(target, first), (target, other)]);
        let is_other = difference.is_some() || first.execution.ending != other.execution.ending;
        let seeds = [(*seed)?, (*other_seed)?];
        is_other.then_some(ScheduleDifference { seeds, difference })
    })
}

/// The text of a file, which is removed; nothing if there is none. The program may have put anything in its place.
fn take(path: &Utf8Path) -> io::Result<String> {
    match path.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(String::new()),
        Ok(about) if about.is_symlink() => return Err(io::Error::other(format!("the program made {path} a link"))),
        _ => {}
    }
    let text = read_regular(path.as_std_path(), LONGEST)?;
    std::fs::remove_file(path)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// The last lines of a run: standard output, then standard error.
fn last_words(execution: &Execution) -> Vec<String> {
    [&execution.output, &execution.errors].into_iter().flat_map(|text| last_lines(text, LAST_LINES)).collect()
}

fn last_lines(text: &[u8], count: usize) -> Vec<String> {
    let text = String::from_utf8_lossy(text).into_owned();
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(count)..].iter().map(|line| (*line).to_owned()).collect()
}
