//! Commands of makefiles and scripts that link device code: nvcc does so by itself, clang has to be told.

use std::collections::BTreeSet;

use super::make_names::{Names, calls_nvcc};
use super::make_steps::{Step, steps};
use super::make_variables::{values, with_users};
use super::planner::Plan;
use crate::build::{references, words};
use crate::mapping::{makes_code_object, nvcc_option, speaks_of_rdc};
use crate::source::TextSize;

/// Options of nvcc with which it does not link.
pub(super) const NO_LINK: &[&str] = &[
    "-c",
    "-dc",
    "--device-c",
    "-dlink",
    "--device-link",
    "--emit-static-lib",
    "--hip-link",
    "--offload-device-only",
    "-nodlink",
    "--no-device-link",
    "-E",
    "-M",
    "-MM",
    "-lib",
    "--lib",
    "--version",
    "-V",
];

/// Options for a step that links device code alone.
const DEVICE_LINK: &[&str] = &["-dlink", "--device-link"];

/// Where such a step writes to if it is not told.
const DEFAULT_RESULT: &str = "a_dlink.o";

/// The commands that link device code without saying so, where the file compiles such code to be linked. One that takes
/// what a step of its own has linked links it no more.
pub(super) fn device_links(plan: &Plan<'_>, names: &Names<'_>) -> BTreeSet<TextSize> {
    let compiles = compiles_to_be_linked(plan);
    // Other makefiles may compile what this one links.
    if !compiles && !plan.builds.is_relocatable_for_nvcc {
        return BTreeSet::new();
    }
    let steps = steps(plan);
    let is_linked = |step: &&Step<'_>| step.texts.iter().any(|text| DEVICE_LINK.contains(text));
    let linked: BTreeSet<&str> = steps.iter().filter(is_linked).map(result).collect();
    let holding = holding(plan, &linked);
    let links = |step: &&Step<'_>| links_device_code(plan, step, names) && !takes(step, (&linked, &holding));
    steps.iter().filter(links).filter(|step| compiles || takes_objects(step)).map(|step| step.start).collect()
}

/// Whether a command takes objects alone, which it links the same way if there is no device code to link in them.
fn takes_objects(step: &Step<'_>) -> bool {
    let needed = step.texts.iter().any(|text| matches!(*text, "$^" | "$+" | "$<" | "$?"));
    let needed = if needed { step.prerequisites.split_whitespace() } else { "".split_whitespace() };
    let is_result = |at: usize| at.checked_sub(1).is_some_and(|before| step.texts[before] == "-o");
    let own = (0..step.texts.len()).filter(|at| !is_result(*at)).map(|at| step.texts[at]);
    let taken: Vec<&str> = own.chain(needed).collect();
    let has = |endings: &[&str]| taken.iter().any(|text| endings.iter().any(|ending| text.ends_with(ending)));
    let names_objects = || taken.iter().any(|text| text.starts_with('$') && text.to_ascii_uppercase().contains("OBJ"));
    let names_sources = || taken.iter().any(|text| text.starts_with('$') && text.to_ascii_uppercase().contains("SRC"));
    (has(&[".o", ".a"]) || names_objects()) && !has(&[".cu", ".cpp", ".cc", ".cxx", ".c", ".hip"]) && !names_sources()
}

/// Whether the file has code for GPUs compiled that is linked later.
fn compiles_to_be_linked(plan: &Plan<'_>) -> bool {
    let is_rdc = |word: &str| {
        matches!(word, "-dc" | "--device-c")
            || nvcc_option(word, None).is_some_and(|found| found.row.for_clang("") == ["-fgpu-rdc"])
    };
    plan.build.lines.iter().any(|line| words(plan.text, line.code).iter().any(|word| is_rdc(plan.slice(word.range))))
}

/// The file that a command writes.
fn result<'p>(step: &Step<'p>) -> &'p str {
    let behind = step.texts.iter().position(|text| *text == "-o").and_then(|at| step.texts.get(at + 1));
    match behind {
        Some(&"$@") => step.target,
        Some(text) => text,
        None => DEFAULT_RESULT,
    }
}

/// The variables that hold one of these files, or refer to one that does.
fn holding<'p>(plan: &Plan<'p>, files: &BTreeSet<&str>) -> BTreeSet<&'p str> {
    let given = plan.build.lines.iter().flat_map(|line| values(plan, line));
    with_users(plan, given.filter(|(_, value)| has_one(value, files)).map(|(name, _)| name).collect())
}

fn has_one(text: &str, files: &BTreeSet<&str>) -> bool {
    text.split_whitespace().any(|word| files.contains(word))
}

/// Whether a command takes one of these files, by its name, by what the rule needs, or by a variable that holds it.
fn takes(step: &Step<'_>, (files, holding): (&BTreeSet<&str>, &BTreeSet<&str>)) -> bool {
    let needs_all = step.texts.iter().any(|text| matches!(*text, "$^" | "$+" | "$?"));
    let needed = if needs_all { step.prerequisites } else { "" };
    let mut texts = step.texts.iter().copied().chain([needed]);
    texts.any(|text| has_one(text, files) || references(text).iter().any(|name| holding.contains(name)))
}

/// Whether a command with nvcc links device code without saying so.
fn links_device_code(plan: &Plan<'_>, step: &Step<'_>, names: &Names<'_>) -> bool {
    let calls = step.found.iter().any(|word| calls_nvcc(plan.slice(word.range), names));
    let is_other = |text: &&str| NO_LINK.contains(text) || makes_code_object(text) || speaks_of_rdc(text);
    calls && step.texts.contains(&"-o") && !step.texts.iter().any(is_other)
}
