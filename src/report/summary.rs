//! The summary at the end of a run.

use std::io::{self, Write};

use super::totals::{RuleTotal, Totals};
use super::visible::one_line;
use super::words::plural;
use crate::mapping::AS_NVCC;
use crate::project::{FileReport, Status, WaveDecision, WaveSpots, Why};
use crate::settings::{BuildMode, WaveWidth};

/// What the summary is to say.
#[derive(Debug, Clone, Copy, Default)]
pub struct SummaryOptions<'s> {
    /// Where the output went.
    pub destination: &'s str,
    /// Lines in place of those about what was converted.
    pub head: Option<&'s str>,
    /// How many lanes warps have, and why.
    pub wave: Option<&'s WaveDecision>,
    /// Places listed for each rule; the rest is counted.
    pub places: usize,
    /// List every applied rule with its count.
    pub stats: bool,
    /// What became of files of CMake.
    pub build_mode: BuildMode,
}

/// Writes the summary: about ten lines.
pub fn write_summary(out: &mut dyn Write, reports: &[FileReport], options: SummaryOptions<'_>) -> io::Result<()> {
    let totals = Totals::of(reports);
    match options.head {
        Some(head) => out.write_all(head.as_bytes())?,
        None => write_head(out, &totals, options.destination)?,
    }
    if let Some(decision) = options.wave {
        write_wave(out, decision, totals.rewrites_warps())?;
    }
    for report in reports.iter().filter(|report| report.error.is_some()) {
        writeln!(out, "error: {}", one_line(report.error.as_deref().unwrap_or_default()))?;
    }
    if !totals.open.is_empty() {
        writeln!(out, "{} left for a person:", plural(totals.open_count(), "finding"))?;
        write_rules(out, &totals.open, reports, options.places)?;
    }
    if !totals.look.is_empty() {
        writeln!(out, "converted or kept, worth a look:")?;
        write_rules(out, &totals.look, reports, options.places)?;
    }
    write_decided(out, reports, options.places)?;
    if options.stats {
        write_stats(out, &totals)?;
    }
    write_next(out, (reports, options.build_mode), &totals)
}

fn write_head(out: &mut dyn Write, totals: &Totals, destination: &str) -> io::Result<()> {
    write!(out, "{} of {} converted{destination}", totals.converted, plural(totals.files, "file"))?;
    if totals.without_cuda > 0 {
        write!(out, ", {} without CUDA", totals.without_cuda)?;
    }
    if totals.failed > 0 {
        write!(out, ", {} could not be read", totals.failed)?;
    }
    writeln!(out)?;
    let count = |groups: &[char]| groups.iter().filter_map(|group| totals.applied.get(group)).sum::<usize>();
    let (names, includes) = (count(&['A']), count(&['H']));
    let others = totals.fixes() - names - includes - totals.applied_by_rule.get("L001").copied().unwrap_or(0);
    let rewritten = totals.applied_by_rule.get("L001").copied().unwrap_or(0);
    let launches = plural(totals.launches, "launch");
    writeln!(
        out,
        "{} · {} · {launches} ({rewritten} rewritten) · {others} other",
        plural(names, "name"),
        plural(includes, "include")
    )
}

/// How many lanes warps have, and what decided it, if the project has warps at all.
pub fn write_wave(out: &mut dyn Write, decision: &WaveDecision, rewritten: bool) -> io::Result<()> {
    let decides_nothing = decision.asked || (decision.fixed.count == 0 && decision.sized.count == 0);
    if decides_nothing && !rewritten {
        return Ok(());
    }
    let (policy, reason) = wave_reason(decision);
    writeln!(out, "wave policy: {policy}, {reason}")
}

/// The word for how many lanes warps have, and what that means and why.
pub fn wave_reason(decision: &WaveDecision) -> (&'static str, String) {
    let (policy, meaning) = match decision.width {
        WaveWidth::Logical32 => ("logical32", "warps keep 32 lanes"),
        WaveWidth::Native => ("native", "a warp is a whole wave"),
    };
    let why = match (decision.asked, decision.fixed.count, decision.sized.count) {
        (true, ..) => ", as asked".to_owned(),
        (false, 0, 0) => ", as CUDA's have".to_owned(),
        (false, 0, _) => format!(
            ", as CUDA's have; `warpSize` is used and no 32 was seen, so see `hipshift lint --wave-policy native`: {}",
            spots(&decision.sized)
        ),
        (false, ..) => format!(", as CUDA's have; 32 is counted on: {}", spots(&decision.fixed)),
    };
    (policy, format!("{meaning}{why}{}", kept_kernels(decision)))
}

/// Kernels that are named.
const NAMED: usize = 4;

/// `; 2 of 5 kernels that use lanes keep 32, see …: a, b`
fn kept_kernels(decision: &WaveDecision) -> String {
    let (kept, all) = (decision.kept.len(), decision.kept.len() + decision.whole);
    if kept == 0 {
        return String::new();
    }
    let mut names: Vec<String> = decision.kept.iter().take(NAMED).map(|name| format!("`{name}`")).collect();
    if kept > NAMED {
        names.push(format!("and {} more", kept - NAMED));
    }
    format!("; {kept} of {all} kernels that use lanes keep 32, see what is open in them: {}", names.join(", "))
}

/// `a.cu:3` `tid & 31` and 4 more
fn spots(spots: &WaveSpots) -> String {
    let Some(first) = &spots.first else { return String::new() };
    let more = match spots.count - 1 {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}:{} `{}`{more}", one_line(first.path.as_str()), first.line, first.text)
}

fn write_rules(out: &mut dyn Write, rules: &[RuleTotal], reports: &[FileReport], limit: usize) -> io::Result<()> {
    for total in rules {
        let (severity, rule) = (total.severity.as_str(), total.rule);
        write!(out, "  {severity:<7} {} {:<24} {:>4}  ", rule.code, rule.name, total.places.len())?;
        write_places(out, &total.places, reports, limit)?;
        writeln!(out)?;
    }
    Ok(())
}

/// What was not applied because a person did not want it, and where a person's text stands in place of fixes.
fn write_decided(out: &mut dyn Write, reports: &[FileReport], limit: usize) -> io::Result<()> {
    let hidden = |report: &FileReport, is: fn(&Why) -> bool| -> Vec<u32> {
        report.hidden.iter().filter(|hidden| is(&hidden.why)).map(|hidden| hidden.finding.start.line).collect()
    };
    let rejected = |report: &FileReport| hidden(report, |why| matches!(why, Why::Rejected(_)));
    let suppressed = |report: &FileReport| hidden(report, |why| matches!(why, Why::Comment(_)));
    let edited = |report: &FileReport| report.edited.clone();
    write_kind(out, (reports, &rejected), ("rejected in review", "fix"), limit)?;
    write_kind(out, (reports, &edited), ("text of a reviewer in place of fixes", "place"), limit)?;
    write_kind(out, (reports, &suppressed), ("suppressed by comments", "finding"), limit)
}

/// The lines of a report that a summary names.
type LinesOf<'l> = &'l dyn Fn(&FileReport) -> Vec<u32>;

/// `rejected in review: 2 fixes  a.cu:3,9`, if there are any; each line is named once.
fn write_kind(
    out: &mut dyn Write,
    (reports, lines): (&[FileReport], LinesOf<'_>),
    (kind, noun): (&str, &str),
    limit: usize,
) -> io::Result<()> {
    let (mut count, mut places) = (0, Vec::new());
    for (index, report) in reports.iter().enumerate() {
        let mut lines = lines(report);
        count += lines.len();
        lines.dedup();
        places.extend(lines.into_iter().map(|line| (index, line)));
    }
    if count == 0 {
        return Ok(());
    }
    write!(out, "{kind}: {}  ", plural(count, noun))?;
    write_places(out, &places, reports, limit)?;
    writeln!(out)
}

/// `a.cu:3,9 b.cu:7`
fn write_places(out: &mut dyn Write, places: &[(usize, u32)], reports: &[FileReport], limit: usize) -> io::Result<()> {
    let mut last = None;
    for &(index, line) in places.iter().take(limit) {
        let Some(report) = reports.get(index) else { continue };
        match last {
            Some(same) if same == index => write!(out, ",{line}")?,
            Some(_) => write!(out, " {}:{line}", one_line(report.path.as_str()))?,
            None => write!(out, "{}:{line}", one_line(report.path.as_str()))?,
        }
        last = Some(index);
    }
    match places.len().saturating_sub(limit) {
        0 => Ok(()),
        more => write!(out, " and {more} more"),
    }
}

fn write_stats(out: &mut dyn Write, totals: &Totals) -> io::Result<()> {
    writeln!(out, "applied by rule:")?;
    for rule in crate::engine::rules() {
        if let Some(count) = totals.applied_by_rule.get(rule.code) {
            writeln!(out, "          {} {:<24} {count:>4}", rule.code, rule.name)?;
        }
    }
    writeln!(out, "names of the project's own that look like CUDA's: {}", totals.own_names)
}

/// What builds the result, if a build file at its top was converted.
fn build_command((reports, mode): (&[FileReport], BuildMode)) -> Option<String> {
    let is_named = |report: &&FileReport| {
        matches!(report.path.file_name(), Some("CMakeLists.txt" | "Makefile" | "makefile" | "GNUmakefile"))
    };
    let depth = |report: &&FileReport| report.path.components().count();
    let is_converted = |report: &&FileReport| report.status == Status::Converted;
    let is_read = |report: &&FileReport| {
        let by_extension = matches!(report.path.extension(), Some("cmake" | "gmk" | "mak" | "make" | "mk"));
        by_extension || report.path.file_name().is_some_and(|name| name.starts_with("make."))
    };
    // A file at the top may leave all that is about CUDA to those that it reads.
    let may_read = |top: &&FileReport| {
        let folder = top.path.parent();
        let is_below = |report: &FileReport| folder.is_some_and(|folder| report.path.starts_with(folder));
        top.output.is_some() && reports.iter().filter(is_converted).any(|report| is_read(&report) && is_below(report))
    };
    let first = || reports.iter().filter(is_named).filter(may_read).min_by_key(depth);
    let converted = reports.iter().filter(is_converted).filter(is_named).min_by_key(depth);
    let converted = converted.or_else(first)?;
    // A makefile above it calls it, and says nothing of CUDA itself.
    let is_above = |report: &&FileReport| {
        let is_same = report.path.file_name() == converted.path.file_name() && report.output.is_some();
        is_same && report.path.parent().is_some_and(|folder| converted.path.starts_with(folder))
    };
    let top = reports.iter().filter(is_above).min_by_key(depth).unwrap_or(converted);
    let file = top.output.as_deref().unwrap_or(&top.path);
    let folder = file.parent().filter(|folder| !folder.as_str().is_empty()).unwrap_or(camino::Utf8Path::new("."));
    let folder = shlex::try_quote(folder.as_str()).ok()?;
    let switch = if mode == BuildMode::Option { " -DUSE_HIP=ON" } else { "" };
    Some(match top.path.file_name() {
        Some("CMakeLists.txt") => {
            format!("cmake -S {folder} -B {folder}/build{switch} && cmake --build {folder}/build")
        }
        _ => format!("make -C {folder}"),
    })
}

fn write_next(out: &mut dyn Write, built: (&[FileReport], BuildMode), totals: &Totals) -> io::Result<()> {
    match totals.open.first() {
        Some(total) => {
            writeln!(out, "next: `hipshift explain {}`; `-v` shows each finding with its line", total.rule.code)
        }
        None if totals.converted > 0 => match build_command(built) {
            Some(command) => writeln!(out, "next: `{command}`"),
            None => writeln!(out, "next: compile the result with `hipcc {}`", AS_NVCC.join(" ")),
        },
        None => Ok(()),
    }
}
