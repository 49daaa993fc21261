//! Conditions of CMake that are other ones for HIP, whatever they are called.

use super::change::{Change, Topic};
use super::cmake_call::Call;
use crate::build::Argument;
use crate::diagnostic::Severity;
use crate::mapping::build_library;
use crate::source::{Edit, TextRange};

/// What a person can do about one.
const ADVICE: &str = "decide for HIP which branch is taken";

/// The compiler's name that asks for clang, which compiles HIP as well.
const CLANG: &str = "Clang";

/// Plans what a condition asks of a name, if it is another question for HIP: which GPUs, which compiler, whether there is a target.
pub(super) fn plan_condition(call: Call<'_>, (number, argument): (usize, &Argument), place: TextRange) -> bool {
    if !call.is_any(&["if", "elseif", "while"]) {
        return false;
    }
    let (plan, name) = (call.plan, call.plan.slice(place));
    let before = |back: usize| number.checked_sub(back).map_or("", |at| call.text(at));
    let compares = |operator: &str| COMPARING.contains(&operator.strip_prefix("VERSION_").unwrap_or(operator));
    let value = match () {
        () if compares(call.text(number + 1)) => Some(call.text(number + 2)),
        () if compares(before(1)) => Some(before(2)),
        () => None,
    };
    let tell = |message: String| {
        let change = Change::left(place, message, ADVICE);
        plan.add(Change { severity: Some(Severity::Error), ..change });
    };
    match (name, value) {
        ("CMAKE_CUDA_ARCHITECTURES", Some(value)) if !matches!(value, "" | "OFF" | "native") => {
            tell(format!("`{name}` is compared, and names GPUs of AMD's in a build for HIP"));
        }
        ("CMAKE_CUDA_COMPILER_ID", Some(value)) if value.contains(CLANG) => {
            tell(format!("`{name}` is always `{CLANG}` in a build for HIP"));
        }
        _ if before(1) == "TARGET" => return plan_target(call, (number, argument), name),
        _ => return false,
    }
    true
}

/// Words of CMake that compare two values.
const COMPARING: &[&str] = &[
    "LESS",
    "GREATER",
    "EQUAL",
    "LESS_EQUAL",
    "GREATER_EQUAL",
    "STREQUAL",
    "STRLESS",
    "STRGREATER",
    "MATCHES",
    "IN_LIST",
];

/// `TARGET CUDA::nvtx3`: a library that takes its place without a target is there.
fn plan_target(call: Call<'_>, (number, argument): (usize, &Argument), name: &str) -> bool {
    let library = name.strip_prefix("CUDA::").and_then(build_library);
    let Some(library) = library.filter(|library| library.link.is_some() && library.package.is_empty()) else {
        return false;
    };
    let place = TextRange::new(call.arguments()[number - 1].range.start(), argument.range.end());
    let what = if library.target.is_empty() { "needs none" } else { "links it by its name" };
    let message = format!("HIP has no target for `{name}`, and {what}");
    let change = Change::new(Topic::Library, place, message, vec![Edit::replace(place, "TRUE")]);
    call.plan.add(Change { severity: Some(Severity::Info), ..change });
    true
}
