//! Words of a build file that are the project's own: names that the file gives, macros of its sources, and text for people.

use std::collections::BTreeSet;

use super::cmake_call::{Call, calls};
use super::make_names::assigned;
use super::planner::Plan;
use crate::build::{BuildKind, Line, LineKind};
use crate::mapping::{build_variable, is_cuda_folder};
use crate::source::{TextRange, range};

/// The names that a file gives, and where it writes for people or to its sources.
pub(super) struct OwnWords<'p> {
    names: BTreeSet<&'p str>,
    /// In order and apart.
    texts: Vec<TextRange>,
}

impl<'p> OwnWords<'p> {
    /// Those of the file of a plan.
    pub(super) fn of(plan: &'p Plan<'p>) -> OwnWords<'p> {
        if plan.build.kind == BuildKind::CMake {
            let names = calls(plan).flat_map(given).filter(|name| !is_of_cmake(name)).collect();
            return OwnWords { names, texts: calls(plan).flat_map(texts).collect() };
        }
        let names = plan
            .build
            .lines
            .iter()
            .flat_map(|line| named(plan, line))
            .filter(|name| !is_cuda_folder(name) && !is_read_elsewhere(name));
        let texts = plan.build.lines.iter().filter(|line| is_said(plan.slice(line.code))).map(|line| line.code);
        OwnWords { names: names.collect(), texts: texts.collect() }
    }

    /// Whether the word at a place is one.
    pub(super) fn holds(&self, plan: &Plan<'_>, place: TextRange) -> bool {
        self.names.contains(plan.slice(place)) || self.is_text(plan, place) || is_macro(plan, place)
    }

    /// Whether a word is written for people or for sources, and is no reference to a variable.
    fn is_text(&self, plan: &Plan<'_>, place: TextRange) -> bool {
        let before = &plan.text[..usize::from(place.start())];
        let behind = self.texts.partition_point(|text| text.start() <= place.start());
        let holds = behind.checked_sub(1).is_some_and(|at| self.texts[at].contains_range(place));
        holds && !before.ends_with(['$', '{']) && !before.ends_with("$(") && !before.ends_with("::")
    }
}

/// Whether a word is a macro of sources that an option defines.
fn is_macro(plan: &Plan<'_>, place: TextRange) -> bool {
    let (before, behind) = (&plan.text[..usize::from(place.start())], &plan.text[usize::from(place.end())..]);
    let is_end = |c: char| c.is_whitespace() || matches!(c, '=' | '"' | '\'' | ')' | ';');
    let name = plan.slice(place);
    before.ends_with("-D") && behind.starts_with(is_end) && !is_of_cmake(name) && !is_cuda_folder(name)
}

/// Commands of CMake whose first argument is a name that they give.
const GIVING: &[&str] = &[
    "add_custom_target",
    "add_executable",
    "add_library",
    "cmake_dependent_option",
    "cuda_add_executable",
    "cuda_add_library",
    "find_file",
    "find_library",
    "find_path",
    "find_program",
    "foreach",
    "function",
    "get_filename_component",
    "macro",
    "option",
    "project",
    "set",
];

/// The names that a command of CMake gives.
fn given(call: Call<'_>) -> Vec<&str> {
    match () {
        () if call.is_any(GIVING) => vec![call.text(0)],
        () if call.is_any(&["list", "file"]) => vec![call.text(1)],
        // Where the result goes depends on what is done.
        () if call.is("string") => call.texts().collect(),
        () => call.find("OUTPUT_VARIABLE").map(|at| call.text(at + 1)).into_iter().collect(),
    }
}

/// Starts of variables that programs and libraries read.
const ENVIRONMENT: &[&str] = &[
    "CUDAARCHS",
    "CUDACXX",
    "CUDAFLAGS",
    "CUDAHOSTCXX",
    "CUDA_CACHE",
    "CUDA_DEVICE",
    "CUDA_LAUNCH_BLOCKING",
    "CUDA_MPS",
    "CUDA_MODULE_LOADING",
    "CUDA_VISIBLE_DEVICES",
    "NCCL_",
    "NVCC_APPEND",
    "NVCC_PREPEND",
    "NVIDIA_",
];

/// Whether a variable of the environment means something to CUDA's programs.
fn is_read_elsewhere(name: &str) -> bool {
    ENVIRONMENT.iter().any(|start| name.starts_with(start))
}

/// Whether a name means something to CMake.
fn is_of_cmake(name: &str) -> bool {
    name.starts_with("CMAKE_") || name.starts_with("CUDAToolkit_") || build_variable(name).is_some()
}

/// Words behind which a text for people follows.
const TOLD: &[&str] = &["COMMENT", "DESCRIPTION", "DOC", "REASON_FAILURE_MESSAGE"];

/// The arguments of a command of CMake that are for people, or macros of sources.
fn texts(call: Call<'_>) -> Vec<TextRange> {
    let defines = ["target_compile_definitions", "add_compile_definitions", "add_definitions"];
    let all = call.is("message") || call.is_any(&defines);
    let cache = call.find("CACHE").filter(|_| call.is("set"));
    let is_text = |at: usize| {
        let is_told = at > 0 && TOLD.contains(&call.text(at - 1));
        all || is_told || at == 1 && call.is("option") || cache.is_some_and(|cache| at > cache + 1)
    };
    let arguments = call.arguments().iter().enumerate();
    arguments.filter(|(at, _)| is_text(*at)).map(|(_, argument)| argument.range).collect()
}

/// The names that a line of make or a shell gives.
fn named<'p>(plan: &Plan<'p>, line: &Line) -> Vec<&'p str> {
    if let LineKind::Rule { colon } = line.kind {
        let targets = plan.slice(range(line.code.start().into(), colon.start().into()));
        return targets.split_whitespace().filter(|target| !target.contains(['$', '%', '/'])).collect();
    }
    let function = || plan.slice(line.code).split_once("()").map(|(name, _)| name.trim());
    assigned(plan, line).or_else(function).into_iter().collect()
}

/// Whether a line says something to people, and does nothing else.
fn is_said(code: &str) -> bool {
    let code = code.trim_start_matches(['@', '-', '+', ' ']);
    let is_shown = code.starts_with("echo ") || code.starts_with("printf ");
    let is_call = ["$(info ", "$(warning ", "$(error "].iter().any(|call| code.starts_with(call));
    is_call || is_shown && !code.contains(['|', '>', ';', '&', '`'])
}
