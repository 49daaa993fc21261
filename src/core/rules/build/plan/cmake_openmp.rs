//! OpenMP in host code of CUDA sources: clang has a library of its own for it.

use super::change::{Change, Topic};
use super::cmake_call::{call_around, calls};
use super::planner::Plan;
use super::style::variable;
use crate::build::{BuildKind, Word};

/// Has HIP's linker take LLVM's library where a target hands `-fopenmp` to the host's compiler: clang's code calls that one
/// (LLVM, "OpenMP Support", `__kmpc_fork_call`), and what CMake finds for another compiler is `libgomp`.
pub(super) fn plan_openmp(plan: &Plan<'_>, word: Word) {
    if plan.build.kind != BuildKind::CMake || !is_openmp(plan, plan.slice(word.range)) {
        return;
    }
    let user = call_around(plan, word.range).filter(|call| call.is("target_compile_options"));
    let Some(call) = user else { return };
    // Who links a library with such code needs it as well.
    let scope = call.scope_at(word.range).filter(|scope| *scope != "PRIVATE").unwrap_or("PUBLIC");
    let (indent, target) = (call.indent(), call.text(0));
    let line = format!("{indent}target_link_options({target} {scope} $<$<LINK_LANGUAGE:HIP>:-fopenmp>)");
    let edit = plan.lines_after(call.command.range.end(), &[line]);
    plan.add(Change::new(Topic::Option, word.range, "clang's OpenMP has a library of its own", vec![edit]));
}

/// Whether a word is the option, or a variable that holds what `find_package(OpenMP)` found.
fn is_openmp(plan: &Plan<'_>, text: &str) -> bool {
    const FOUND: [&str; 2] = ["OpenMP_CXX_FLAGS", "OpenMP_C_FLAGS"];
    let Some(name) = variable(text) else { return text == "-fopenmp" };
    FOUND.contains(&name)
        || calls(plan).any(|call| {
            let holds = |part: &str| FOUND.iter().any(|found| part.contains(found));
            call.is_any(&["set", "string", "list"]) && call.texts().any(|part| part == name) && call.texts().any(holds)
        })
}
