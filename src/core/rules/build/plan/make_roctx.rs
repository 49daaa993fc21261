//! The library of ranges for profilers: NVTX is headers alone, and roctx has to be linked.

use std::collections::BTreeSet;

use super::change::{Change, Topic};
use super::make_device_link::NO_LINK;
use super::make_names::{Names, calls_nvcc};
use super::make_steps::{Step, steps};
use super::make_variables::{values, with_users};
use super::planner::Plan;
use crate::build::references;
use crate::mapping::makes_code_object;
use crate::source::Edit;

/// What names the older library, which the tables rename.
const NAMED: &str = "nvToolsExt";

/// Plans the commands that link, where a source of the project includes NVTX and the file names no library for it.
pub(super) fn plan_roctx(plan: &Plan<'_>, names: &Names<'_>) {
    if !plan.builds.uses_nvtx || plan.text.contains(NAMED) || plan.text.contains("roctx64") {
        return;
    }
    let runtime = |value: &str| value.split_whitespace().any(is_runtime);
    let given = plan.build.lines.iter().flat_map(|line| values(plan, line));
    let holding = with_users(plan, given.filter(|(_, value)| runtime(value)).map(|(name, _)| name).collect());
    let commands = steps(plan).into_iter().flat_map(|step| step.commands(plan));
    for step in commands.filter(|step| links(step, names, &holding)) {
        let Some(last) = step.found.last() else { continue };
        let message = "NVTX needs no library, and roctx does";
        plan.add(match step.argument(plan, *last) {
            Some(place) => Change::new(Topic::Library, place, message, vec![Edit::insert(place.end(), " -lroctx64")]),
            None => Change::left(last.range, message, "link with `-lroctx64`"),
        });
    }
}

/// Whether a word links the runtime of CUDA.
fn is_runtime(word: &str) -> bool {
    word.starts_with("-lcudart") || word == "-lcuda"
}

/// Whether a command makes a program or a library with calls of the runtime.
fn links(step: &Step<'_>, names: &Names<'_>, holding: &BTreeSet<&str>) -> bool {
    let is_other = |text: &&str| NO_LINK.contains(text) || makes_code_object(text);
    let uses = |text: &&str| is_runtime(text) || references(text).iter().any(|name| holding.contains(name));
    step.texts.contains(&"-o")
        && !step.texts.iter().any(is_other)
        && step.texts.iter().any(|text| calls_nvcc(text, names) || uses(text))
}
