//! Sources that nvcc gives to the compiler of the host, and that hipcc reads as HIP (nvcc, "Supported Input File
//! Suffixes"; hipcc, `HIP_COMPILE_CXX_AS_HIP`): where code asks which compiler reads it, the answer has to stay the same.

use std::collections::{BTreeMap, BTreeSet};

use super::change::{Change, Topic};
use super::cmake_sources::is_cuda_source;
use super::folders::{ROCM, ROCM_FOLDER};
use super::make_line::PLATFORM;
use super::make_names::{Names, calls_nvcc};
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
    let languages = Languages::of(plan, &variables);
    for step in steps(plan).into_iter().flat_map(|step| step.commands(plan)) {
        if !step.texts.iter().any(|text| calls_nvcc(text, names)) {
            continue;
        }
        match languages.named_in(&step) {
            Named::Yes => {}
            Named::No => plan_step(plan, &step, (names, &variables)),
            Named::Elsewhere => tell_step(plan, &step, &variables),
        }
    }
}

/// Whether a command names the language of its sources itself.
enum Named {
    Yes,
    No,
    /// A variable of another file may do so.
    Elsewhere,
}

/// The variables that name a language, or may do so.
struct Languages<'a, 'p> {
    variables: &'a Values<'p>,
    naming: BTreeSet<&'p str>,
    /// Those that hold what variables of other files hold, where one of the project names a language.
    filled_elsewhere: BTreeSet<&'p str>,
}

impl<'a, 'p> Languages<'a, 'p> {
    fn of(plan: &Plan<'p>, variables: &'a Values<'p>) -> Languages<'a, 'p> {
        let known: Vec<&str> = plan.builds.language_variables.iter().map(String::as_str).collect();
        let words = variables.values().flatten().copied();
        let foreign = words.filter_map(whole_reference).filter(|name| !variables.contains_key(name));
        let foreign = if known.is_empty() { Vec::new() } else { foreign.collect() };
        Languages { variables, naming: with_users(plan, known), filled_elsewhere: with_users(plan, foreign) }
    }

    fn named_in(&self, step: &Step<'_>) -> Named {
        let is_option = |text: &str| text.starts_with("-x") || text == "--x" || text.starts_with("--x=");
        let names = |text: &str| is_option(text) || references(text).iter().any(|name| self.naming.contains(name));
        if step.texts.iter().any(|text| names(text)) {
            return Named::Yes;
        }
        let is_filled_elsewhere = |name: &str| {
            !self.naming.is_empty() && !self.variables.contains_key(name) || self.filled_elsewhere.contains(name)
        };
        let mut others = step.texts.iter().skip(1).filter_map(|text| whole_reference(text));
        if others.any(is_filled_elsewhere) { Named::Elsewhere } else { Named::No }
    }
}

/// The variable that a word refers to as a whole, and that may hold options: `$(FLAGS)`.
fn whole_reference(word: &str) -> Option<&str> {
    let name = word.strip_prefix("$(").or_else(|| word.strip_prefix("${"))?.strip_suffix([')', '}'])?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    name.chars().all(is_name).then_some(name)
}

/// Tells of C++ that a command gives to the compiler.
fn tell_step(plan: &Plan<'_>, step: &Step<'_>, variables: &Values<'_>) {
    let first = (0..step.texts.len()).find(|&at| matches!(input(step, at, variables), Input::Host | Input::Both));
    if let Some(first) = first {
        plan.add(left(step, first));
    }
}

/// What is said of C++ that is not planned.
fn left(step: &Step<'_>, at: usize) -> Change {
    let message = format!("nvcc reads C++ of `{}` as the host's compiler does, hipcc as HIP", step.texts[at]);
    let advice = "`__HIPCC__` is defined then, for which code of the project asks; compile C++ apart, with `-x c++`";
    // Mostly the answer makes no difference, and where it does, hardly anything compiles.
    Change { severity: Some(Severity::Info), ..Change::left(step.found[at].range, message, advice) }
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
        return plan.add(left(step, first));
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
    variables.get(whole_reference(word)?).map(Vec::as_slice)
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
