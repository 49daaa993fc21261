//! The C++ standard that a build asks for, where headers of HIP's need a newer one.

use std::collections::BTreeSet;

use super::change::{Change, Topic};
use super::cmake_call::{Call, calls};
use super::planner::Plan;
use crate::build::{Line, LineKind};
use crate::mapping::RocmVersion;
use crate::source::{Edit, TextRange};

/// Standards before the one that is needed.
const OLDER: &[&str] = &["98", "03", "0x", "11", "1y", "14"];
/// What rocPRIM asks for, on which hipCUB and rocThrust stand (`rocprim/config.hpp` of 7.2).
const NEEDED: &str = "17";
/// The first release in which it does.
const SINCE: RocmVersion = RocmVersion { major: 7, minor: 0 };

/// Plans the options for a standard in a part of the text: `-std=c++14`, `--std c++14`.
pub(super) fn plan_standards(plan: &Plan<'_>, part: TextRange) {
    if !is_too_old(plan) {
        return;
    }
    let text = plan.slice(part);
    for (at, option) in text.match_indices("-std") {
        let behind = &text[at + option.len()..];
        let language = behind.strip_prefix('=').unwrap_or_else(|| behind.trim_start_matches([' ', '\t']));
        if language.len() < behind.len() {
            plan_language(plan, language);
        }
    }
}

/// Options with the standard that is needed, where they name an older one.
pub(super) fn raised(plan: &Plan<'_>, options: String) -> String {
    if !is_too_old(plan) {
        return options;
    }
    let raised = |word: &str| {
        let language = word.strip_prefix("-std=")?;
        let name = language.strip_suffix(number(language)?)?;
        OLDER.contains(&&language[name.len()..]).then(|| format!("-std={name}{NEEDED}"))
    };
    options.split(' ').map(|word| raised(word).unwrap_or_else(|| word.to_owned())).collect::<Vec<_>>().join(" ")
}

/// Plans the values of the variables that makefiles put behind the option: `-std=$(STANDARD)`.
pub(super) fn plan_variables(plan: &Plan<'_>) {
    if !is_too_old(plan) || !plan.text.contains("-std") {
        return;
    }
    let behind = |line: &Line| {
        let text = plan.slice(line.code);
        let places =
            text.match_indices("-std").filter_map(|(at, option)| text[at + option.len()..].strip_prefix(['=', ' ']));
        places
            .filter_map(|language| named(language.strip_prefix("$(").or_else(|| language.strip_prefix("${"))?))
            .collect::<Vec<_>>()
    };
    let names: BTreeSet<&str> = plan.build.lines.iter().flat_map(behind).collect();
    for line in &plan.build.lines {
        let LineKind::Assignment { name, operator } = line.kind else { continue };
        let value = &plan.text[operator.end().into()..line.code.end().into()];
        if names.contains(plan.slice(name)) {
            plan_language(plan, value.trim_start());
        }
    }
}

/// The name that a reference begins with.
fn named(text: &str) -> Option<&str> {
    text.split_once([')', '}']).map(|(name, _)| name)
}

/// Plans the number of a standard that a text begins with: `c++14`.
fn plan_language(plan: &Plan<'_>, language: &str) {
    if let Some(number) = number(language) {
        plan_number(plan, plan.place(number));
    }
}

/// The number of the standard that a text begins with: `14` of `c++14`.
fn number(language: &str) -> Option<&str> {
    let number = ["c++", "gnu++"].iter().find_map(|name| language.strip_prefix(name))?;
    let len = number.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(number.len());
    Some(&number[..len])
}

/// Plans the variables and properties of CMake for a standard.
pub(super) fn plan_properties(call: Call<'_>) {
    if !is_too_old(call.plan) {
        return;
    }
    if call.texts().any(|text| text.contains("CUDA_STANDARD")) {
        let names = call.texts().zip(call.arguments().iter().skip(1));
        for (_, value) in names.filter(|(name, _)| matches!(*name, "CMAKE_CUDA_STANDARD" | "CUDA_STANDARD")) {
            plan_number(call.plan, value.inner);
        }
    } else if call.texts().any(|text| text.contains("CXX_STANDARD")) && !has_own_standard(call.plan) {
        plan_standard_of_host(call);
    }
}

/// Whether the file says which standard code for the GPU has, or is that of a project without such code.
fn has_own_standard(plan: &Plan<'_>) -> bool {
    let names = |call: &Call<'_>, word: &str| call.texts().any(|text| text.contains(word));
    let has_language =
        || !calls(plan).any(|call| call.is("project")) || plan.text.to_ascii_lowercase().contains("cuda");
    calls(plan).any(|call| names(&call, "CUDA_STANDARD") || names(&call, "HIP_STANDARD")) || !has_language()
}

/// Where a file has a standard for C++ only, CMake takes it for HIP as well (`HIP_STANDARD`).
fn plan_standard_of_host(call: Call<'_>) {
    let plan = call.plan;
    let mut names = call.texts().zip(call.arguments().iter().skip(1));
    let Some((name, value)) = names.find(|(name, value)| {
        matches!(*name, "CMAKE_CXX_STANDARD" | "CXX_STANDARD") && OLDER.contains(&plan.slice(value.inner))
    }) else {
        return;
    };
    let message = format!("hipCUB and rocThrust need C++{NEEDED} from ROCm {SINCE} on");
    let edit = match name {
        "CMAKE_CXX_STANDARD" if call.is("set") => {
            let scope = if call.texts().any(|text| text == "PARENT_SCOPE") { " PARENT_SCOPE" } else { "" };
            let line = format!("{}set(CMAKE_HIP_STANDARD {NEEDED}{scope})", call.indent());
            Some(plan.lines_after(call.command.range.end(), &[line]))
        }
        "CXX_STANDARD" if call.is("set_target_properties") => {
            Some(Edit::insert(value.range.end(), format!(" HIP_STANDARD {NEEDED}")))
        }
        _ => None,
    };
    plan.add(match edit {
        Some(edit) => Change::new(Topic::Option, value.inner, message, vec![edit]),
        None => Change::left(value.inner, &message, "set `HIP_STANDARD` as well"),
    });
}

fn is_too_old(plan: &Plan<'_>) -> bool {
    plan.builds.uses_primitives && plan.settings.rocm >= SINCE
}

fn plan_number(plan: &Plan<'_>, place: TextRange) {
    if OLDER.contains(&plan.slice(place)) {
        let message = format!("hipCUB and rocThrust need C++{NEEDED} from ROCm {SINCE} on");
        plan.add(Change::new(Topic::Option, place, message, vec![Edit::replace(place, NEEDED)]));
    }
}
