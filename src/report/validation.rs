//! The result of a validation as a table for people.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::resources::{write_resource_warnings, write_resources, write_rows};
use super::validation_formats::{message_line, times, wave_finding_line, wave_reason};
use super::validation_sums::Sums;
use super::visible::{line_start, one_line};
use super::words::plural;
use crate::mapping::Target;
use crate::validate::{Gravity, Made, Message, Mismatch, ProgramResult, TargetResult, Verdict, WaveDifference};

/// Messages of the compiler that are shown for a program.
const MESSAGES: usize = 20;

/// Findings of rules that are shown beside a difference between waves.
const WAVE_FINDINGS: usize = 20;

/// Writes a line for each program with a column for each target, then what went wrong, then the sum.
///
/// `resources` adds a table of what kernels need; what is wrong with that is told without it, too.
pub fn write_validation(out: &mut dyn Write, results: &[ProgramResult], resources: bool) -> io::Result<()> {
    write_table(out, results)?;
    let mut told = Told::of(results);
    for result in results {
        told.write(out, result)?;
        write_details(out, result)?;
    }
    if resources {
        write_resources(out, results)?;
    }
    write_not_run(out, results)?;
    write_sum(out, results)
}

/// Why programs were not run or not linked, each reason once.
fn write_not_run(out: &mut dyn Write, results: &[ProgramResult]) -> io::Result<()> {
    let mut reasons: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for result in results.iter().flat_map(|result| &result.targets) {
        match &result.verdict {
            Verdict::NotRun(reason) => *reasons.entry(("not run", reason)).or_default() += 1,
            Verdict::Made(Made::Unlinked(reason)) => *reasons.entry(("not linked", reason)).or_default() += 1,
            _ => {}
        }
    }
    for ((what, reason), count) in reasons {
        writeln!(out, "{what} ({}): {}", plural(count, "result"), one_line(reason))?;
    }
    Ok(())
}

fn write_table(out: &mut dyn Write, results: &[ProgramResult]) -> io::Result<()> {
    let Some(first) = results.first() else { return Ok(()) };
    let heads = first.targets.iter().map(|result| head(result.target));
    let mut rows = vec![std::iter::once("program".to_owned()).chain(heads).collect::<Vec<String>>()];
    for result in results {
        rows.push(std::iter::once(line_start(&result.name)).chain(result.targets.iter().map(cell)).collect());
    }
    write_rows(out, &rows)
}

fn head(target: &Target) -> String {
    format!("{} (wave{})", target.name, target.wave_size)
}

fn cell(result: &TargetResult) -> String {
    let label = result.verdict.label();
    result.time.map_or_else(|| label.to_owned(), |time| format!("{label} {:.2} s", time.as_secs_f64()))
}

/// Messages that programs share, each told once, with how often it was said in all.
struct Told {
    /// What is left to tell, by its line.
    counts: BTreeMap<String, usize>,
}

impl Told {
    fn of(results: &[ProgramResult]) -> Told {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for message in results.iter().flat_map(|result| &result.messages) {
            *counts.entry(message_line(message)).or_default() += message.count;
        }
        Told { counts }
    }

    /// Writes the messages of a program that no other has told.
    fn write(&mut self, out: &mut dyn Write, result: &ProgramResult) -> io::Result<()> {
        let is_shown = |message: &&Message| message.gravity == Gravity::Error || message.explanation.is_some();
        let mut left = 0;
        for (at, message) in result.messages.iter().filter(is_shown).enumerate() {
            let line = message_line(message);
            if at >= MESSAGES {
                left += usize::from(self.counts.contains_key(&line));
            } else if let Some(count) = self.counts.remove(&line) {
                writeln!(out, "{line}{}", times(count))?;
                write_cause(out, message)?;
            }
        }
        if left > 0 {
            writeln!(
                out,
                "    … and {} of {}; `--format json` has all",
                plural(left, "message"),
                one_line(&result.name)
            )?;
        }
        Ok(())
    }
}

fn write_cause(out: &mut dyn Write, message: &Message) -> io::Result<()> {
    if let Some(cause) = &message.rule {
        let verb = if cause.wrote { "wrote this" } else { "says" };
        writeln!(out, "    {} {verb}: {}", cause.code, cause.message)?;
    }
    // The rule has said it already, with the names of this place.
    let is_said = |code| message.rule.as_ref().is_some_and(|cause| cause.code == code);
    if let Some(explanation) = message.explanation.as_ref().filter(|trap| !is_said(trap.code)) {
        writeln!(out, "    {}: {}", explanation.code, explanation.text)?;
    }
    Ok(())
}

fn write_details(out: &mut dyn Write, result: &ProgramResult) -> io::Result<()> {
    write_resource_warnings(out, &result.resources)?;
    let name = line_start(&result.name);
    for target in &result.targets {
        write_target(out, &name, target)?;
    }
    match &result.wave_difference {
        Some(wave) => write_wave_difference(out, &name, wave),
        None => Ok(()),
    }
}

fn write_wave_difference(out: &mut dyn Write, name: &str, wave: &WaveDifference) -> io::Result<()> {
    writeln!(out, "{name}: {}: a bug unless the width of waves is meant to show", wave_reason(wave))?;
    write_difference(out, &wave.difference, &wave.wide.name, &wave.narrow.name)?;
    for finding in wave.findings.iter().take(WAVE_FINDINGS) {
        writeln!(out, "    {}", wave_finding_line(finding))?;
    }
    match wave.findings.len() {
        0 => writeln!(out, "    no rule about waves found anything in its files"),
        count @ WAVE_FINDINGS.. => writeln!(out, "    {count} in all; `hipshift lint` shows them"),
        _ => Ok(()),
    }
}

fn write_target(out: &mut dyn Write, name: &str, result: &TargetResult) -> io::Result<()> {
    let target = &result.target.name;
    match &result.verdict {
        Verdict::Failed(ending) => writeln!(out, "{name}, {target}: {ending}")?,
        Verdict::Differs(difference) => {
            writeln!(out, "{name}, {target}: {} is not as expected", difference.place())?;
            write_difference(out, difference, "expected", found_word(difference))?;
        }
        Verdict::Unsteady(found) => {
            let [first, second] = found.seeds.map(|seed| format!("seed {seed}"));
            writeln!(out, "{name}, {target}: does something else with schedules of {first} and {second}")?;
            if let Some(difference) = &found.difference {
                write_difference(out, difference, &first, &second)?;
            }
        }
        Verdict::Found => writeln!(out, "{name}, {target}: {}", plural(result.findings.len(), "finding"))?,
        Verdict::NoReference(reason) => {
            writeln!(out, "{name}, {target}: what it should come to cannot be read: {reason}")?;
        }
        Verdict::SaysFailed(line) => {
            writeln!(out, "{name}, {target}: ended with code 0, but prints `{}`", line.trim())?;
            // It is among the last ones or before them.
            return result.findings.iter().try_for_each(|finding| writeln!(out, "    {finding}"));
        }
        // What is told of both widths together says it.
        Verdict::NotCompiled | Verdict::NotLinked | Verdict::Made(_) | Verdict::NotRun(_) | Verdict::WaveDependent => {}
        Verdict::Ran | Verdict::Matched if result.findings.is_empty() => {}
        Verdict::Ran | Verdict::Matched => writeln!(out, "{name}, {target}:")?,
    }
    for finding in &result.findings {
        writeln!(out, "    {finding}")?;
    }
    if matches!(result.verdict, Verdict::Found | Verdict::WaveDependent) {
        return Ok(());
    }
    for line in &result.last_words {
        writeln!(out, "    {line}")?;
    }
    Ok(())
}

fn write_difference(out: &mut dyn Write, difference: &Mismatch, first: &str, second: &str) -> io::Result<()> {
    let width = first.len().max(second.len());
    for (label, line) in [first, second].into_iter().zip(difference.sides()) {
        let line = line.unwrap_or("(the output ends here)");
        writeln!(out, "    {label:<width$}  {line}")?;
    }
    Ok(())
}

/// What was not expected has been printed or computed.
fn found_word(difference: &Mismatch) -> &'static str {
    match difference {
        Mismatch::Text(_) => "printed",
        Mismatch::Array(_) => "computed",
    }
}

fn write_sum(out: &mut dyn Write, results: &[ProgramResult]) -> io::Result<()> {
    let Sums { results: count, well, failed, not_run, evidence } = Sums::of(results);
    let (programs, count) = (plural(results.len(), "program"), plural(count, "result"));
    writeln!(out, "{programs}, {count}: {well} well, {failed} failed, {not_run} not run")?;
    let evidence = evidence.map(|(label, count)| format!("{count} {label}"));
    writeln!(out, "evidence: {}", evidence.join(", "))
}
