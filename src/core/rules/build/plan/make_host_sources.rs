//! Sources that nvcc gives to the compiler of the host, and that hipcc reads as HIP (nvcc, "Supported Input File
//! Suffixes"; hipcc, `HIP_COMPILE_CXX_AS_HIP`): where code asks which compiler reads it, the answer has to stay the same.

use std::collections::BTreeMap;

use super::change::{Change, Topic};
use super::cmake_sources::is_cuda_source;
use super::folders::{ROCM, ROCM_FOLDER};
use super::make_line::{Names, PLATFORM, calls_nvcc};
use super::make_steps::{Step, steps};
use super::make_variables::{values, with_users};
use super::planner::Plan;
use crate::build::{BuildKind, LineKind, references};
use crate::diagnostic::Severity;
use crate::source::{Edit, range};

/// The suffixes of C++ for the host.
const HOST_SUFFIXES: &[&str] = &[".cpp", ".cc", ".cxx", ".c++", ".C"];

/// Options whose value is the next word.
const WITH_VALUE: &[&str] = &[
    "-o",
    "--output-file",
    "-I",
    "-isystem",
    "-include",
    "--pre-include",
    "-MF",
    "-MT",
    "-MQ",
    "-D",
    "-L",
    "-l",
    "-Xcompiler",
    "-Xlinker",
];

/// What a word of a command gives to the compiler.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Input {
    /// C++ for the host.
    Host,
    /// A source of CUDA's.
    Device,
    /// A list of C++ and something else.
    Both,
    /// Neither, or it cannot be told.
    Other,
}

/// Plans the commands that give C++ to nvcc, where a file of the project asks whether nvcc reads it.
pub(super) fn plan_host_sources(plan: &Plan<'_>, names: &Names<'_>) {
    if !plan.builds.asks_for_nvcc || plan.builds.names_language {
        return;
    }
    let variables = all_values(plan);
    let naming = with_users(plan, plan.builds.language_variables.iter().map(String::as_str).collect());
    let names_language = |text: &&str| {
        text.starts_with("-x") || *text == "--x" || references(text).iter().any(|name| naming.contains(name))
    };
    for step in steps(plan).into_iter().flat_map(|step| step.commands(plan)) {
        let calls = step.texts.iter().any(|text| calls_nvcc(text, names));
        if calls && !step.texts.iter().any(names_language) {
            plan_step(plan, &step, (names, &variables));
        }
    }
}

fn plan_step(plan: &Plan<'_>, step: &Step<'_>, (names, variables): (&Names<'_>, &Values<'_>)) {
    let inputs: Vec<Input> = (0..step.texts.len()).map(|at| input(step, at, variables)).collect();
    let is_host = |input: &Input| *input == Input::Host;
    let first = inputs.iter().position(|input| matches!(input, Input::Host | Input::Both));
    let Some(first) = first else { return };
    let run = inputs[first..].iter().take_while(|input| is_host(input)).count();
    let others = inputs[first + run..].iter().any(is_host);
    let is_mixed = inputs.iter().any(|input| matches!(input, Input::Device | Input::Both));
    let is_plain = !is_mixed && !others;
    let ends =
        is_plain.then(|| (step.argument(plan, step.found[first]), step.argument(plan, step.found[first + run - 1])));
    let Some((Some(start), Some(end))) = ends else {
        let text = step.texts[first];
        let message = format!("nvcc reads C++ of `{text}` as the host's compiler does, hipcc as HIP");
        let advice =
            "`__HIPCC__` is defined then, for which code of the project asks; compile C++ apart, with `-x c++`";
        let left = Change::left(step.found[first].range, message, advice);
        // Mostly the answer makes no difference, and where it does, hardly anything compiles.
        return plan.add(Change { severity: Some(Severity::Info), ..left });
    };
    let place = range(start.start().into(), end.end().into());
    let mut edits = vec![Edit::insert(place.start(), format!("-x c++ {}{PLATFORM} ", include_option(plan, names)))];
    if !step.texts.iter().any(|text| matches!(*text, "-c" | "--compile" | "-dc" | "--device-c")) {
        edits.push(Edit::insert(place.end(), " -x none"));
    }
    let message = format!("nvcc reads `{}` as the host's compiler does, hipcc as HIP", plan.slice(place));
    plan.add(Change::new(Topic::Compiler, place, message, edits));
}

/// The option for the folder of HIP's headers, which the compiler knows by itself for HIP alone.
fn include_option(plan: &Plan<'_>, names: &Names<'_>) -> String {
    let folder = match (plan.build.kind, names.folders.folder) {
        (BuildKind::Make, Some(_)) => format!("$({ROCM})"),
        (BuildKind::Make, None) => format!("$(or $({ROCM}),{ROCM_FOLDER})"),
        (_, Some(_)) => format!("${{{ROCM}}}"),
        (_, None) => format!("${{{ROCM}:-{ROCM_FOLDER}}}"),
    };
    format!("-I{folder}/include")
}

fn input(step: &Step<'_>, at: usize, variables: &Values<'_>) -> Input {
    let text = step.texts[at];
    let belongs = at.checked_sub(1).is_some_and(|before| WITH_VALUE.contains(&step.texts[before]));
    if belongs || text.starts_with('-') {
        return Input::Other;
    }
    match text {
        "$<" if step.target.starts_with('.') && step.prerequisites.trim().is_empty() => {
            // A suffix rule: `.cpp.o:`
            let suffix = step.target.rsplit_once('.').map_or("", |(suffix, _)| suffix);
            of_words(suffix.split_whitespace())
        }
        "$<" => of_words(step.prerequisites.split_whitespace().take(1)),
        "$^" | "$+" => of_words(step.prerequisites.split_whitespace()),
        _ => match listed(variables, text) {
            Some(value) => of_words(value.iter().copied()),
            None => of_words([text].into_iter()),
        },
    }
}

/// What variables hold, by all their assignments.
type Values<'p> = BTreeMap<&'p str, Vec<&'p str>>;

fn all_values<'p>(plan: &Plan<'p>) -> Values<'p> {
    let lines = plan.build.lines.iter().filter(|line| matches!(line.kind, LineKind::Assignment { .. }));
    let mut all = Values::new();
    for (name, value) in lines.flat_map(|line| values(plan, line)) {
        all.entry(name).or_default().extend(value.split_whitespace());
    }
    all
}

/// What the variable holds that a word refers to.
fn listed<'v, 'p>(variables: &'v Values<'p>, word: &str) -> Option<&'v [&'p str]> {
    let name = word.strip_prefix("$(").or_else(|| word.strip_prefix("${"))?.strip_suffix([')', '}'])?;
    variables.get(name).map(Vec::as_slice)
}

/// What a list is. What stands in it beside C++ would be read as C++, too.
fn of_words<'w>(words: impl Iterator<Item = &'w str>) -> Input {
    let (mut has_host, mut has_others, mut has_device) = (false, false, false);
    for word in words {
        let word = word.trim_end_matches([')', '"', '\'']);
        let is_host = HOST_SUFFIXES.iter().any(|suffix| word.ends_with(suffix));
        has_host |= is_host;
        has_others |= !is_host;
        has_device |= is_cuda_source(word);
    }
    match (has_host, has_others, has_device) {
        (true, false, _) => Input::Host,
        (true, true, _) => Input::Both,
        (false, _, true) => Input::Device,
        (false, _, false) => Input::Other,
    }
}
