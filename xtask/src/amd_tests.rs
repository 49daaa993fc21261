//! Runs AMD's own compiled tests of its libraries on the emulator, and writes what came of them.

mod cause;
mod googletest;
mod groups;
mod kept;
mod page;
mod program;
mod suite;

use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

use anyhow::{Context, Result};
use camino::Utf8PathBuf;
use clap::Args;
use clap::builder::PossibleValuesParser;
use hipshift::mapping::Target;
use hipshift::validate::link_names;
use rayon::prelude::*;

use self::kept::{Head, Kept, Verdict};
use self::program::Program;
use self::suite::{SUITES, Suite};
use crate::{process, repository_root};

/// Options of `xtask amd-tests`.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Suites; default: rocrand, hiprand
    #[arg(value_parser = PossibleValuesParser::new(SUITES.iter().map(|suite| suite.name)))]
    suites: Vec<String>,
    /// Targets
    #[arg(long, value_delimiter = ',', default_value = "gfx90a,gfx1100")]
    arch: Vec<String>,
    /// Minutes that a program may take on a target; another run goes on with the tests that are left
    #[arg(long, default_value_t = 2)]
    minutes: u64,
    /// Seconds that a process with a group of tests gets; a test that has had half of them is too slow
    #[arg(long, default_value_t = 30)]
    seconds: u64,
    /// Programs that run at once
    #[arg(long, default_value_t = 1)]
    jobs: usize,
    /// Only programs with this in their name
    #[arg(long, value_name = "TEXT")]
    program: Option<String>,
    /// Make the page from results that are kept, and run nothing
    #[arg(long)]
    page: bool,
}

/// Runs suites, keeps what came of them, and writes the page. A failure that nobody has explained is a failure of the task.
#[expect(clippy::print_stdout, reason = "says where the result is")]
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let home = repository_root().join("target/amd-tests");
    let results = home.join("results");
    fs::create_dir_all(&results).with_context(|| format!("creating `{}`", results.display()))?;
    if !arguments.page {
        run_suites(arguments, &home, &results)?;
    }
    let causes = cause::read(&repository_root().join(cause::TABLE))?;
    let page = page::Page { kept: kept::read_all(&results)?, causes };
    let path = repository_root().join("docs/amd-tests.md");
    fs::write(&path, page.text()).with_context(|| format!("writing `{}`", path.display()))?;
    for row in page.idle() {
        tell(&format!("no failure that is kept needs this row: {row}"));
    }
    let open = page.unexplained();
    println!("wrote {}; {open} failures are not explained", path.display());
    Ok(ExitCode::from(u8::from(open > 0)))
}

fn run_suites(arguments: &Arguments, home: &Path, results: &Path) -> Result<()> {
    let names: Vec<&str> = match arguments.suites.as_slice() {
        [] => vec!["rocrand", "hiprand"],
        given => given.iter().map(String::as_str).collect(),
    };
    let targets = arguments.arch.iter().map(|name| Target::find(name)).collect::<Result<Vec<_>, _>>()?;
    let library = build_library()?;
    let digest = digest(&library)?;
    let folder = Utf8PathBuf::try_from(home.join("run"))?;
    fs::create_dir_all(&folder).with_context(|| format!("creating `{folder}`"))?;
    let runtime = link_names(&library, &folder).with_context(|| format!("preparing `{folder}`"))?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(arguments.jobs).build()?;
    for suite in names.into_iter().filter_map(Suite::find) {
        let fetched = suite
            .fetch(&home.join("packages"), &tell)
            .with_context(|| format!("fetching the tests of {}", suite.name))?;
        let mut programs = Vec::new();
        for path in &fetched.programs {
            programs.extend(targets.iter().map(|target| Program {
                suite,
                fetched: &fetched,
                path: path.clone(),
                target,
                runtime: runtime.clone(),
                folder: folder.join(suite.name).join(&target.name).join(name(path)),
                process: Duration::from_secs(arguments.seconds),
                whole: Duration::from_secs(60 * arguments.minutes),
            }));
        }
        for program in &programs {
            // The page tells of all, whether their turn comes or not.
            Kept::note(results, &head(program, &digest))?;
        }
        programs.retain(|program| arguments.program.as_ref().is_none_or(|text| name(&program.path).contains(text)));
        let run = |program: &Program| run_program(program, &digest, results);
        pool.install(|| programs.par_iter().with_max_len(1).map(run).collect::<Result<Vec<()>>>())?;
    }
    Ok(())
}

fn run_program(program: &Program, digest: &str, results: &Path) -> Result<()> {
    let head = head(program, digest);
    let mut kept = Kept::open(results, &head)?;
    if kept.results.is_empty() || kept.results.iter().any(|result| result.verdict == Verdict::Left) {
        program.run(&mut kept)?;
        kept.write(results)?;
    }
    let count = |verdict: Verdict| kept.results.iter().filter(|result| result.verdict == verdict).count();
    let [passed, failed, slow, left] = [Verdict::Passed, Verdict::Failed, Verdict::Slow, Verdict::Left].map(count);
    let Head { suite, program, target, .. } = head;
    tell(&format!("{suite} {program} {target}: {passed} passed, {failed} failed, {slow} too slow, {left} left"));
    Ok(())
}

fn head(program: &Program, digest: &str) -> Head {
    Head {
        suite: program.suite.name.to_owned(),
        program: name(&program.path),
        target: program.target.name.clone(),
        version: program.fetched.version.clone(),
        library: digest.to_owned(),
        seconds: program.process.as_secs(),
    }
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[expect(clippy::print_stderr, reason = "progress of a long run")]
fn tell(step: &str) {
    eprintln!("{step}");
}

/// Builds the emulator's library as it is handed out.
fn build_library() -> Result<PathBuf> {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(["build", "--quiet", "--release", "--package", "hipshift-amdhip64", "--message-format=json"]);
    let messages = process::run(command.current_dir(repository_root())).context("building the emulator's library")?;
    let mut words = messages.lines().flat_map(|line| line.split('"'));
    let library = words.rfind(|word| word.ends_with("/libamdhip64.so")).context("cargo did not say where it is")?;
    Ok(library.into())
}

/// What tells one build of the library from others.
fn digest(library: &Path) -> Result<String> {
    let bytes = fs::read(library).with_context(|| format!("reading `{}`", library.display()))?;
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    Ok(format!("{:016x}", hasher.finish()))
}
