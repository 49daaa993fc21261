//! The program that is tried: converted, compiled for a target of each width of waves, and run.

use std::time::Duration;

use camino::Utf8Path;

use super::check::{Check, State};
use crate::analysis::ProjectFacts;
use crate::cli::settings::builtin_table;
use crate::cli::validate::targets;
use crate::engine::{Input, Outcome, convert};
use crate::settings::Settings;
use crate::source::SourceFile;
use crate::syntax::Document;
use crate::toolchain::Toolchain;
use crate::validate::{
    Build, Builder, Executor, Expected, Gravity, Limits, Origins, Plan, ProgramResult, Search, Setting, Stage,
    TargetResult, Tolerance, Unit, Verdict, programs, validate,
};

/// The program in CUDA.
pub(super) const SOURCE: &str = include_str!("kernel.cu");

/// What it prints: 4096 * 4095 / 2.
const PRINTED: &str = "sum 8386560\n";

/// Longer than a slow machine needs.
const LIMITS: Limits = Limits { time: Duration::from_secs(60), memory: None };

/// A text before and after conversion.
pub(super) struct Converted {
    document: Document,
    outcome: Outcome,
}

impl Converted {
    /// Converts a text with default settings.
    pub(super) fn new(text: &str) -> anyhow::Result<Converted> {
        let document = Document::new(SourceFile::from_text("self-check.cu", text));
        let (project, settings) = (ProjectFacts::default(), Settings::default());
        let outcome =
            convert(Input { document: &document, project: &project, table: builtin_table()?, settings: &settings });
        Ok(Converted { document, outcome })
    }

    /// Whether all of it was converted.
    pub(super) fn check(&self) -> Check {
        const NAME: &str = "conversion";
        let changes = self.outcome.applied.iter().count();
        match self.outcome.remaining.first() {
            None => Check::ok(NAME, format!("{changes} changes to a small program, nothing is left to do")),
            Some(finding) => {
                let about = format!("left to do in a small program: {}", finding.message);
                Check::other(NAME, State::Failed, about, "this build is damaged: install hipshift again")
            }
        }
    }

    /// Compiles the program in `folder` and runs it on each target.
    pub(super) fn run(
        &self,
        toolchain: &Toolchain,
        executors: &[Executor],
        folder: &Utf8Path,
    ) -> anyhow::Result<Vec<Check>> {
        let output = folder.join("self-check.hip");
        std::fs::write(&output, self.outcome.patch.apply(self.document.text()))?;
        let origins = Origins::default();
        origins.insert(&output, self.document.source(), &self.outcome);
        let targets = targets(&[], executors)?;
        let units = [Unit { source: "self-check.cu".into(), output, has_main: true, flags: Vec::new() }];
        let build = Builder::Amd(Build {
            toolchain,
            targets: &targets,
            search: &Search::default(),
            flags: &[],
            folder,
            runtime: executors.first().and_then(Executor::library),
            stage: Stage::Link,
            merges_bytes: true,
            cache: None,
        });
        let plan = Plan {
            build,
            units: &units,
            programs: &programs(&units),
            origins: &origins,
            setting: Setting { arguments: &[], input: None, environment: &[], limits: LIMITS },
            expected: &Expected { output: Some(PRINTED.to_owned()), tolerance: Tolerance::default() },
            executors,
            vary_block: false,
        };
        let results = validate(&plan, || {})?;
        Ok(results.iter().flat_map(|result| result.targets.iter().map(|target| of_target(result, target))).collect())
    }
}

/// What became of the program on one target.
fn of_target(result: &ProgramResult, target: &TargetResult) -> Check {
    let name = target.target.name.as_str();
    let waves = format!("waves of {} lanes", target.target.wave_size);
    match &target.verdict {
        Verdict::Matched => {
            Check::ok(name, format!("{waves}: compiled, {}, printed what CUDA prints", target.evidence.label()))
        }
        Verdict::NotRun(_) | Verdict::Made(_) => {
            let reason = match &target.verdict {
                Verdict::NotRun(reason) => reason.as_str(),
                _ => "there is nothing to run it",
            };
            let advice = "without an executor, `validate` only compiles";
            Check::other(name, State::Missing, format!("{waves}: compiled; {reason}"), advice)
        }
        verdict => {
            let errors = result.messages.iter().filter(|message| message.gravity == Gravity::Error);
            let said = errors.map(|message| message.text.clone()).chain(target.last_words.iter().cloned()).next();
            let about = format!("{waves}: {}; {}", verdict.label(), said.unwrap_or_default());
            Check::other(
                name,
                State::Failed,
                about,
                "`hipshift doctor` shows the compiler, headers and libraries in use",
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_to_do_is_a_failure() {
        assert_eq!(Converted::new(SOURCE).unwrap().check().state, State::Ok);
        let check = Converted::new("auto f = cudaNever();\n").unwrap().check();
        assert!(check.state == State::Failed && check.about.contains("cudaNever"), "{check:?}");
    }
}
