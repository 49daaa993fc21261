//! The C++ standard that a build asks for, where headers of HIP's need a newer one.

use super::change::{Change, Topic};
use super::cmake_call::Call;
use super::planner::Plan;
use crate::mapping::RocmVersion;
use crate::source::{Edit, TextRange};

/// Standards before the one that is needed.
const OLDER: &[&str] = &["98", "03", "0x", "11", "1y", "14"];
/// What rocPRIM asks for, on which hipCUB and rocThrust stand (`rocprim/config.hpp` of 7.2).
const NEEDED: &str = "17";
/// The first release in which it does.
const SINCE: RocmVersion = RocmVersion { major: 7, minor: 0 };

/// Plans the options for a standard in a part of the text: `-std=c++14`.
pub(super) fn plan_standards(plan: &Plan<'_>, part: TextRange) {
    if !is_too_old(plan) {
        return;
    }
    let text = plan.slice(part);
    for (at, option) in text.match_indices("-std=") {
        let language = &text[at + option.len()..];
        let Some(number) = ["c++", "gnu++"].iter().find_map(|name| language.strip_prefix(name)) else { continue };
        let len = number.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(number.len());
        plan_number(plan, plan.place(&number[..len]));
    }
}

/// Plans the variables and properties of CMake for a standard.
pub(super) fn plan_properties(call: Call<'_>) {
    if !is_too_old(call.plan) || !call.texts().any(|text| text.contains("CUDA_STANDARD")) {
        return;
    }
    let names = call.texts().zip(call.arguments().iter().skip(1));
    for (_, value) in names.filter(|(name, _)| matches!(*name, "CMAKE_CUDA_STANDARD" | "CUDA_STANDARD")) {
        plan_number(call.plan, value.inner);
    }
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
