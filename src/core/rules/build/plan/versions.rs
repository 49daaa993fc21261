//! Versions of CUDA's that a build compares, or reads from what nvcc prints.

use std::collections::BTreeSet;

use super::change::{Change, Topic};
use super::cmake_call::{Call, calls};
use super::cmake_gpus::is_comparing;
use super::make_names::{Names, assigned, calls_nvcc};
use super::planner::Plan;
use crate::build::{Argument, Line, LineKind, Word, references, words};
use crate::diagnostic::Severity;
use crate::mapping::build_variable;
use crate::source::{Edit, TextRange, range};

/// What a person can do about a comparison.
const ADVICE: &str = "decide for HIP which branch is taken, and let the condition go";

/// Something that stops a build for HIP, or leads it to the wrong branch.
fn error(place: TextRange, message: String, advice: &str) -> Change {
    Change { severity: Some(Severity::Error), ..Change::left(place, message, advice) }
}

/// Tells a version of CUDA's that a condition or a generator expression of CMake compares, and decides what HIP's interface decides.
pub(super) fn plan_comparison(call: Call<'_>, argument: &Argument, (place, own): (TextRange, &BTreeSet<&str>)) -> bool {
    let name = call.plan.slice(place);
    let in_condition = || call.is_any(&["if", "elseif", "while"]) && call.texts().any(is_comparing);
    let in_expression = || call.plan.slice(argument.inner).contains("$<VERSION_");
    let found = is_version(name) && (in_condition() || in_expression());
    let is_of_cmake = is_of_cmake(name) && !own.contains(name);
    let comparison = if found && is_of_cmake { compared(call, argument, place) } else { None };
    if let Some(comparison) = comparison {
        call.plan.add(comparison.decided(call.plan));
    } else if found && is_of_cmake {
        call.plan.add(error(place, format!("`{name}` is compared, and has no value in a build for HIP"), ADVICE));
    } else if found {
        call.plan.add(Change::left(place, format!("`{name}` is compared as a version of CUDA"), ADVICE));
    }
    found
}

/// A comparison with CUDA's release of which HIP's interface decides.
struct Comparison {
    place: TextRange,
    holds: bool,
    /// What CMake calls true and false there.
    words: (&'static str, &'static str),
}

impl Comparison {
    fn decided(&self, plan: &Plan<'_>) -> Change {
        let new = if self.holds { self.words.0 } else { self.words.1 };
        let message = format!("`{}` is `{new}` for HIP, whose interface is that of CUDA 12", plan.slice(self.place));
        let change = Change::new(Topic::Left, self.place, message, vec![Edit::replace(self.place, new)]);
        Change { severity: Some(Severity::Info), ..change }
    }
}

/// The comparison around a name: `NAME VERSION_LESS 11.2`, or `$<VERSION_LESS:${NAME},11.2>`.
fn compared(call: Call<'_>, argument: &Argument, name: TextRange) -> Option<Comparison> {
    let text = call.plan.slice(name);
    if call.is_any(&["if", "elseif"]) {
        let at = call.arguments().iter().position(|other| other.range == argument.range)?;
        let holds = holds(text, call.text(at + 1), call.text(at + 2))?;
        let place = TextRange::new(argument.range.start(), call.arguments()[at + 2].range.end());
        return Some(Comparison { place, holds, words: ("TRUE", "FALSE") });
    }
    let (front, behind) =
        (call.plan.text[..name.start().into()].strip_suffix("${")?, &call.plan.text[name.end().into()..]);
    let start = front.rfind("$<VERSION_")?;
    let operator = front[start..].strip_prefix("$<")?.strip_suffix(':')?;
    let (release, _) = behind.strip_prefix("},")?.split_once('>')?;
    let end = usize::from(name.end()) + "},".len() + release.len() + ">".len();
    Some(Comparison { place: range(start, end), holds: holds(text, operator, release)?, words: ("1", "0") })
}

/// The CUDA release whose interface HIP follows.
const FOLLOWED: u32 = 12;

/// What HIP's interface says to `name operator release`, if it says something: it follows some release of CUDA 12.
fn holds(name: &str, operator: &str, release: &str) -> Option<bool> {
    let name = name.to_ascii_uppercase();
    if !name.contains("CUDA") || ["MINOR", "PATCH"].iter().any(|part| name.contains(part)) {
        return None;
    }
    let mut parts = release.split('.').map(|part| part.parse::<u32>().ok());
    let major = parts.next().flatten().filter(|major| *major < 100)?;
    let is_first = parts.all(|part| part == Some(0));
    let is_older = match major {
        FOLLOWED if is_first => Some(false),
        FOLLOWED => None,
        _ => Some(FOLLOWED < major),
    };
    match operator.strip_prefix("VERSION_").unwrap_or(operator) {
        "LESS" => is_older,
        "GREATER_EQUAL" => is_older.map(|older| !older),
        "GREATER" => (major != FOLLOWED).then_some(FOLLOWED > major),
        "LESS_EQUAL" => (major != FOLLOWED).then_some(FOLLOWED < major),
        "EQUAL" => (major != FOLLOWED).then_some(false),
        _ => None,
    }
}

/// Words of CMake that ask whether something is older.
const OLDER: &[&str] = &["LESS", "LESS_EQUAL", "VERSION_LESS", "VERSION_LESS_EQUAL"];

/// Plans a check that refuses an old CUDA, `if(CUDA_VERSION VERSION_LESS 9) message(FATAL_ERROR …) endif()`, which says nothing
/// about HIP: its condition becomes false. Whether the command begins one.
pub(super) fn plan_gate(call: Call<'_>, own: &BTreeSet<&str>) -> bool {
    let plan = call.plan;
    let texts: Vec<&str> = call.texts().collect();
    let asks = |terms: &[&str]| {
        let name = terms[0].trim_start_matches("${").trim_end_matches('}');
        is_version(name) && is_of_cmake(name) && !own.contains(name) && OLDER.contains(&terms[1])
    };
    let joins = |text: &&str| matches!(*text, "OR" | "NOT") || text.contains(['(', ')']);
    if !call.is("if") || !texts.windows(3).any(asks) || texts.iter().any(joins) || !only_tells(call) {
        return false;
    }
    let (Some(first), Some(last)) = (call.arguments().first(), call.arguments().last()) else { return false };
    let place = TextRange::new(first.range.start(), last.range.end());
    let message = format!("`{}` asks for CUDA's release, and HIP has none of these", plan.slice(place));
    let change = Change::new(Topic::Left, place, message, vec![Edit::replace(place, "FALSE")]);
    plan.add(Change { severity: Some(Severity::Info), ..change });
    true
}

/// Whether nothing but messages stands behind an `if`, up to its end.
fn only_tells(call: Call<'_>) -> bool {
    let mut behind = calls(call.plan).skip_while(|other| other.command.range.start() <= call.command.range.start());
    behind.find(|other| !other.is("message")).is_some_and(|other| other.is("endif"))
}

/// Whether CMake or a package sets a variable.
fn is_of_cmake(name: &str) -> bool {
    build_variable(name).is_some() || name.starts_with("CMAKE_CUDA_") || name.starts_with("CUDAToolkit_")
}

/// Whether a name is a version of CUDA's or of its compiler.
fn is_version(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    ["CUDA", "NVCC", "CUDNN", "NCCL"].iter().any(|part| name.contains(part)) && name.contains("VER")
}

/// Options with which nvcc prints its version.
pub(super) const PRINTING: &[&str] = &["--version", "-V"];

/// Tells that what nvcc prints is read.
pub(super) fn plan_printed(plan: &Plan<'_>, place: TextRange) {
    let message = "the build reads what nvcc prints, and hipcc prints another text".to_owned();
    plan.add(error(place, message, "`hipconfig --version` prints the version of HIP alone"));
}

/// What nvcc prints of its release, for the release that HIP's interface follows.
const RELEASE: &str = "echo 'Cuda compilation tools, release 12.0, V12.0.140'";

/// Plans the calls of nvcc of whose output the build reads the release: it goes on as with CUDA 12. Returns the variables that
/// get their values from it.
pub(super) fn plan_releases<'p>(plan: &Plan<'p>, names: &Names<'_>) -> BTreeSet<&'p str> {
    let mut known = BTreeSet::new();
    for line in &plan.build.lines {
        let refers = || references(plan.slice(line.code)).into_iter().any(|name| known.contains(name));
        if plan_release(plan, line, names) || assigned(plan, line).is_some() && refers() {
            known.extend(assigned(plan, line));
        }
    }
    known
}

/// Plans the call in one line, and tells whether there is one.
fn plan_release(plan: &Plan<'_>, line: &Line, names: &Names<'_>) -> bool {
    if !plan.slice(line.code).contains("release") {
        return false;
    }
    let found = words(plan.text, line.code);
    let call = printing_calls(plan, &found, names).into_iter().find(|(_, option)| {
        let behind = plan.slice(range(option.end().into(), line.code.end().into()));
        reads_output(plan, line, *option) && behind.contains("release")
    });
    let Some((call, option)) = call else { return false };
    let front = plan.slice(range(line.code.start().into(), call.start().into()));
    // Within quotes of this kind there can be none.
    if front.matches('\'').count() % 2 == 1 {
        return false;
    }
    let place = TextRange::new(call.start(), option.end());
    // `"$NVCC" --version`: the quote in front belongs to the one behind the name.
    // `"$CUDA_HOME"/bin/nvcc` is one word of the shell, too.
    let word = front.rfind([' ', '\t', '(', '`', ';', '|', '&', '\n', '=']).map_or(front, |at| &front[at + 1..]);
    let is_part = word == "\"" && plan.slice(place).contains('"') || word.contains('$');
    let start = usize::from(call.start()) - if is_part { word.len() } else { 0 };
    let is_option_quoted = plan.text[..usize::from(option.start())].ends_with('"')
        && plan.text[usize::from(option.end())..].starts_with('"');
    let place = range(start, usize::from(option.end()) + usize::from(is_option_quoted));
    let message = "the build reads CUDA's release from what nvcc prints, and goes on as with CUDA 12".to_owned();
    let change = Change::new(Topic::Left, place, message, vec![Edit::replace(place, RELEASE)]);
    plan.add(Change { severity: Some(Severity::Info), ..change });
    true
}

/// The calls of nvcc that print its version, each with the option for it.
fn printing_calls(plan: &Plan<'_>, found: &[Word], names: &Names<'_>) -> Vec<(TextRange, TextRange)> {
    let pairs = found
        .windows(2)
        .filter(|pair| calls_nvcc(plan.slice(pair[0].range), names) && PRINTING.contains(&plan.slice(pair[1].range)));
    pairs.map(|pair| (pair[0].range, pair[1].range)).collect()
}

/// Plans the versions in a line of make or a shell; `releases` are variables with the release of CUDA that HIP follows.
pub(super) fn plan_line(plan: &Plan<'_>, line: &Line, (names, releases): (&Names<'_>, &BTreeSet<&str>)) {
    let found = words(plan.text, line.code);
    for (_, option) in printing_calls(plan, &found, names) {
        plan_print(plan, option, reads_output(plan, line, option));
    }
    let is_known = || references(plan.slice(line.code)).into_iter().any(|name| releases.contains(name));
    if compares(plan, line) && !is_known() {
        let versions =
            found.iter().flat_map(|word| parts(plan, word.range)).filter(|part| is_version(plan.slice(*part)));
        for place in versions.take(1) {
            let message = format!("`{}` is compared, and is no version of HIP", plan.slice(place));
            plan.add(error(place, message, ADVICE));
        }
    }
}

/// A version that is printed: for a person, or for the build.
fn plan_print(plan: &Plan<'_>, place: TextRange, is_read: bool) {
    if is_read {
        plan_printed(plan, place);
    } else if plan.slice(place) == "-V" {
        plan.add(Change::rename(Topic::Option, place, ("-V", "--version")));
    }
}

/// Whether a line goes on with what the command prints that ends at `place`: by a substitution around it, or by a pipe behind it.
fn reads_output(plan: &Plan<'_>, line: &Line, place: TextRange) -> bool {
    let front = plan.slice(range(line.code.start().into(), place.start().into()));
    let behind = plan.slice(range(place.end().into(), line.code.end().into()));
    let opens = front.matches("$(").count() > front.matches(')').count();
    let end = [";", "&&", "||", "`", ")"].iter().filter_map(|end| behind.find(end)).min().unwrap_or(behind.len());
    opens || front.matches('`').count() % 2 == 1 || behind[..end].contains('|')
}

/// Whether a line decides by a comparison.
fn compares(plan: &Plan<'_>, line: &Line) -> bool {
    let code = plan.slice(line.code);
    let starts = |words: &[&str]| words.iter().any(|word| code.starts_with(word));
    match line.kind {
        LineKind::Directive => starts(&["if", "else if"]),
        LineKind::Assignment { .. } => code.contains("$(shell expr ") || code.contains("$(shell test "),
        _ => starts(&["if ", "elif ", "while ", "case ", "[ ", "[[ ", "test ", "@if ", "@test "]),
    }
}

/// The names in a word.
fn parts(plan: &Plan<'_>, word: TextRange) -> Vec<TextRange> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let names = plan.slice(word).split(|c: char| !is_name(c)).filter(|part| !part.is_empty());
    names.map(|part| plan.place(part)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hip_follows_some_release_of_cuda_12() {
        let of = |operator, release| holds("CMAKE_CUDA_COMPILER_VERSION", operator, release);
        assert_eq!(
            [of("VERSION_LESS", "11.0"), of("VERSION_LESS", "12"), of("VERSION_LESS", "13")],
            [Some(false), Some(false), Some(true)]
        );
        assert_eq!([of("VERSION_LESS", "12.0.0"), of("VERSION_LESS", "12.4")], [Some(false), None]);
        assert_eq!([of("VERSION_GREATER_EQUAL", "11.2"), of("VERSION_GREATER_EQUAL", "12.1")], [Some(true), None]);
        assert_eq!(
            [of("GREATER", "11"), of("VERSION_GREATER", "12.0"), of("GREATER", "12.9")],
            [Some(true), None, None]
        );
        assert_eq!(
            [of("VERSION_EQUAL", "10.2"), of("VERSION_EQUAL", "12.0"), of("LESS_EQUAL", "11.8")],
            [Some(false), None, Some(false)]
        );
        assert_eq!([of("STREQUAL", "11"), of("VERSION_LESS", "${LEAST}"), of("LESS", "11040")], [None; 3]);
        assert_eq!(holds("CUDA_VERSION_MINOR", "LESS", "2"), None);
        assert_eq!(holds("NCCL_VERSION", "VERSION_LESS", "2.4"), None);
        assert_eq!(holds("CUDA_VERSION_MAJOR", "LESS", "11"), Some(false));
    }
}
