//! Variables of CMake whose options nothing but CUDA's compiler gets.

use std::collections::BTreeSet;

use super::cmake_call::{Call, calls};
use super::cmake_style::words_of;
use super::planner::Plan;
use crate::build::references;

/// Commands that only ask for a value, or show it.
const ASKING: &[&str] = &["if", "elseif", "while", "message"];

/// The variables of a file that it reads in generator expressions for CUDA's compiler, and nowhere else.
pub(super) fn nvcc_lists<'p>(plan: &'p Plan<'p>) -> &'p BTreeSet<String> {
    plan.known.nvcc_lists.get_or_init(|| {
        let (mut for_cuda, mut for_others) = (BTreeSet::new(), BTreeSet::new());
        for call in calls(plan).filter(|call| !call.is_any(ASKING)) {
            let own = changed(call);
            for word in words_of(plan, call.arguments()) {
                let names = if word.for_cuda { &mut for_cuda } else { &mut for_others };
                let used = references(plan.slice(word.range)).into_iter();
                names.extend(used.filter(|name| *name != own).map(str::to_owned));
            }
        }
        for_cuda.difference(&for_others).cloned().collect()
    })
}

/// The variable that a command changes, which may read it for that.
fn changed(call: Call<'_>) -> &str {
    match () {
        () if call.is("set") => call.text(0),
        () if call.is_any(&["list", "string"]) => call.text(1),
        () => "",
    }
}
