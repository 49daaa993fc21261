//! Versions of CUDA's that a build compares, or reads from what nvcc prints.

use std::collections::BTreeSet;

use super::change::{Change, Topic};
use super::cmake_call::{Call, calls};
use super::make_line::{Names, calls_nvcc};
use super::planner::Plan;
use crate::build::{Argument, Line, LineKind, Word};
use crate::diagnostic::Severity;
use crate::mapping::build_variable;
use crate::source::{Edit, TextRange};

/// What a person can do about a comparison.
const ADVICE: &str = "decide for HIP which branch is taken, and let the condition go";

/// Something that stops a build for HIP, or leads it to the wrong branch.
fn error(place: TextRange, message: String, advice: &str) -> Change {
    Change { severity: Some(Severity::Error), ..Change::left(place, message, advice) }
}

/// Words of CMake that compare.
const COMPARING: &[&str] = &["LESS", "GREATER", "EQUAL", "LESS_EQUAL", "GREATER_EQUAL"];

/// Tells a version of CUDA's that a condition or a generator expression of CMake compares.
pub(super) fn plan_comparison(call: Call<'_>, argument: &Argument, (place, own): (TextRange, &BTreeSet<&str>)) -> bool {
    let name = call.plan.slice(place);
    let compares = |text: &str| COMPARING.contains(&text.strip_prefix("VERSION_").unwrap_or(text));
    let in_condition = || call.is_any(&["if", "elseif", "while"]) && call.texts().any(compares);
    let in_expression = || call.plan.slice(argument.inner).contains("$<VERSION_");
    let found = is_version(name) && (in_condition() || in_expression());
    if found && is_of_cmake(name) && !own.contains(name) {
        call.plan.add(error(place, format!("`{name}` is compared, and has no value in a build for HIP"), ADVICE));
    } else if found {
        call.plan.add(Change::left(place, format!("`{name}` is compared as a version of CUDA"), ADVICE));
    }
    found
}

/// Words of CMake that ask whether something is older.
const OLDER: &[&str] = &["LESS", "LESS_EQUAL", "VERSION_LESS", "VERSION_LESS_EQUAL"];

/// Plans a check that refuses an old CUDA, `if(CUDA_VERSION VERSION_LESS 9) message(FATAL_ERROR …) endif()`, which says nothing
/// about HIP: its condition becomes false. Whether the command begins one.
pub(super) fn plan_gate(call: Call<'_>, own: &BTreeSet<&str>) -> bool {
    let plan = call.plan;
    let name = call.text(0).trim_start_matches("${").trim_end_matches('}');
    let asks = call.is("if") && is_version(name) && OLDER.contains(&call.text(1)) && call.arguments().len() == 3;
    let mut behind = calls(plan).skip_while(|other| other.command.range.start() <= call.command.range.start());
    let is_told = |other: Call<'_>| other.is("endif");
    if !asks
        || !is_of_cmake(name)
        || own.contains(name)
        || !behind.find(|other| !other.is("message")).is_some_and(is_told)
    {
        return false;
    }
    let place = TextRange::new(call.arguments()[0].range.start(), call.arguments()[2].range.end());
    let message = format!("`{}` asks for CUDA's release, and HIP has none of these", plan.slice(place));
    let change = Change::new(Topic::Left, place, message, vec![Edit::replace(place, "FALSE")]);
    plan.add(Change { severity: Some(Severity::Info), ..change });
    true
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

/// Plans the versions in a line of make or a shell.
pub(super) fn plan_line(plan: &Plan<'_>, line: &Line, (found, names): (&[Word], &Names<'_>)) {
    let (mut words, is_read) = (found.iter(), reads_output(plan.slice(line.code)));
    while words.by_ref().any(|word| calls_nvcc(plan.slice(word.range), names)) {
        let next = words.clone().next().filter(|next| PRINTING.contains(&plan.slice(next.range)));
        if let Some(next) = next {
            plan_print(plan, next.range, is_read);
        }
    }
    if compares(plan, line) {
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

/// Whether a line goes on with what a command prints.
fn reads_output(code: &str) -> bool {
    code.contains("$(shell") || code.contains(['|', '`']) || code.contains("=$(") || code.contains("\"$(")
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
