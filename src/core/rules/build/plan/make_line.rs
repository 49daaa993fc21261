//! One line of a makefile or a script.

use super::asked_compilers::plan_asked;
use super::change::{Change, Topic, stays};
use super::cmake_definitions::plan_definitions;
use super::folders::{ROCM, Reference, folder_edits, only_of_cuda};
use super::headers::plan_named_headers;
use super::linked_libraries::plan_library;
use super::make_calls::{behind_call, by_command, commands_of_nvcc};
use super::make_joined::plan_joined_lists;
use super::make_names::{Names, assigned, calls_nvcc, nvcc_in, referred};
use super::make_substitutions::plan_substitutions;
use super::options::{OptionContext, plan_options};
use super::planner::Plan;
use super::prefixes::plan_prefixes;
use super::style::LineStyle;
use crate::build::{BuildKind, Line, LineKind, Word, references, speaks_of_gpus, words};
use crate::mapping::{build_library, build_tool, is_cuda_folder};
use crate::source::{Edit, TextRange, TextSize, range};

/// Plans one line.
pub(super) fn plan_line(plan: &Plan<'_>, line: &Line, names: &Names<'_>) {
    let found = words(plan.text, line.code);
    let all_for_nvcc =
        has_options_of_nvcc(plan, line) || assigned(plan, line).is_some_and(|name| names.flags.contains(name));
    // Another file may use a variable with other compilers: what these need does not disturb hipcc.
    let is_alone = is_for_nvcc_alone(plan, line, &found, names);
    let for_nvcc = all_for_nvcc || is_alone;
    plan_substitutions(plan, line.code);
    let targets = plan.device_options();
    plan_definitions(plan, line, &found);
    let rest = plan_prefixes(plan, line.code, &found, (for_nvcc, &targets));
    let rest = plan_joined_lists(plan, line.code, rest);
    let commands = commands_of_nvcc(plan, line, &found, names);
    for (for_nvcc, words) in by_command(plan, &rest, (all_for_nvcc, &commands)) {
        if !for_nvcc && plan.build.kind == BuildKind::Shell && asks_for_word(plan.slice(line.code)) {
            tell_compared(plan, words);
            continue;
        }
        plan_options(plan, words, OptionContext { for_nvcc, targets: Some(&targets), style: &LineStyle });
    }
    plan_libraries_beside(plan, line, names);
    plan_folder_name(plan, line, names);
    plan_named_folder(plan, line, names);
    plan.add_extensions(line.code);
    for word in &found {
        plan_word(plan, line, *word, (names, is_alone));
    }
    plan_asked(plan, line);
    if line.kind != LineKind::Directive || code_asks(plan.slice(line.code)) {
        plan_named_headers(plan, &found);
    }
    if for_nvcc && names.device_links.contains(&line.code.start()) {
        plan_device_link(plan, (&found, &targets), names);
    }
}

/// The folder of libraries that a line finds by where the compiler is: `$(dir $(NVCC))../lib64`, `$(patsubst %/bin/nvcc,%/lib64,$(NVCC))`.
fn plan_libraries_beside(plan: &Plan<'_>, line: &Line, names: &Names<'_>) {
    let (code, start) = (plan.slice(line.code), usize::from(line.code.start()));
    let is_compiler = |name: &str| name == "NVCC" || names.compilers.contains(&name);
    // `$(dir $(NVCC))..`, `$(shell dirname $(which nvcc))/..`
    let is_above = |front: &str| {
        let function = ["$(dir ", "dirname "].iter().filter_map(|name| front.rfind(name)).max();
        let called =
            function.map(|at| &front[at..]).filter(|called| called.ends_with(")..") || called.ends_with(")/.."));
        called.is_some_and(|called| called.contains("nvcc") || references(called).into_iter().any(is_compiler))
    };
    // `$(addsuffix /lib64,$(CUDA_HOME))`
    let is_suffix = |at: usize| {
        let rest = code[at + LIBRARIES.len()..].strip_prefix(',').filter(|_| code[..at].ends_with("$(addsuffix "));
        let leads = |name: &str| is_cuda_folder(name) || names.folders.leading.contains(name);
        let argument = rest.and_then(|rest| rest.split_once(')')).filter(|(_, behind)| behind.starts_with(')'));
        argument.is_some_and(|(first, _)| references(first).into_iter().any(leads))
    };
    if !code.contains(LIBRARIES) {
        return;
    }
    for (at, _) in code.match_indices(LIBRARIES) {
        let is_whole = !code[at + LIBRARIES.len()..].starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        if is_whole && (code[..at].ends_with("nvcc,%") || is_above(&code[..at]) || is_suffix(at)) {
            let place = range(start + at, start + at + LIBRARIES.len());
            plan.add(Change::rename(Topic::Library, place, (LIBRARIES, "/lib")));
        }
    }
}

/// CUDA's folder of libraries, below the one that holds all of it.
const LIBRARIES: &str = "/lib64";

/// Whether a line of a script compares words, is the pattern of a `case`, or goes through a list of words: several would not do for one.
fn asks_for_word(code: &str) -> bool {
    let begins = ["[ ", "[[ ", "if [", "elif [", "while [", "until [", "case ", "for ", "test "].iter();
    let is_pattern = || code.split_once(')').is_some_and(|(pattern, _)| !pattern.contains(['(', ' ']));
    begins.into_iter().any(|start| code.starts_with(start)) || is_pattern()
}

/// Tells of names of GPUs that a script takes for one word.
fn tell_compared(plan: &Plan<'_>, words: &[Word]) {
    let named = words.iter().filter(|word| plan.slice(word.range).contains("sm_"));
    for word in named.filter(|word| plan.slice(word.range).starts_with('-')) {
        let text = plan.slice(word.range);
        plan.add(stays(word.range, text, "the script takes it for one word, and clang has several for it"));
    }
}

/// Whether a directive is a condition, and names no file that make reads.
fn code_asks(code: &str) -> bool {
    code.starts_with("if") || code.starts_with("else")
}

/// Parts of names of variables with options for nvcc.
const NVCC_VARIABLES: &[&str] = &["NVCC", "GENCODE", "NVFLAGS", "CUFLAGS", "CU_FLAGS"];
/// Options for CUDA are nvcc's, but what leads to CUDA, as `CUDA_INC` does, leads other compilers there as well.
const CUDA_VARIABLE: &str = "CUDA";

/// Whether a line gives options to a variable that is called as those for CUDA's compiler are.
fn has_options_of_nvcc(plan: &Plan<'_>, line: &Line) -> bool {
    let mut parts = NVCC_VARIABLES.iter().chain([&CUDA_VARIABLE]);
    assigned(plan, line).is_some_and(|name| parts.any(|part| name.contains(part)))
}

/// Whether no other compiler gets the words of a line.
pub(super) fn is_for_nvcc_alone(plan: &Plan<'_>, line: &Line, found: &[Word], names: &Names<'_>) -> bool {
    let is_call = |word: &Word| calls_nvcc(plan.slice(word.range), names);
    let is_option_list = assigned(plan, line).is_some_and(|name| NVCC_VARIABLES.iter().any(|part| name.contains(part)));
    is_option_list || found.iter().any(is_call)
}

/// The variable for CUDA's folder gets ROCm's name where it gets its value.
fn plan_folder_name(plan: &Plan<'_>, line: &Line, names: &Names<'_>) {
    let Some(name) = assigned(plan, line).filter(|name| names.folders.folder == Some(name) && *name != ROCM) else {
        return;
    };
    let place = if let LineKind::Assignment { name, .. } = line.kind {
        name
    } else {
        let at = usize::from(line.code.start()) + plan.slice(line.code).find(name).unwrap_or_default();
        range(at, at + name.len())
    };
    plan.add(Change::rename(Topic::Library, place, (name, ROCM)));
}

/// Words in front of names of variables, and functions of make that take one.
const NAMING: &[&str] = &["export", "ifdef", "ifndef", "undefine", "unexport", "$(flavor", "$(origin", "$(value"];

/// A variable for CUDA's folder that is named without its value: `ifndef CUDA_HOME`, `$(origin CUDA_HOME)`.
fn plan_named_folder(plan: &Plan<'_>, line: &Line, names: &Names<'_>) {
    let code = plan.slice(line.code);
    let is_folder = |name: &str| is_cuda_folder(name) && !names.folders.kept.contains(&name) && name != ROCM;
    let mut is_naming = false;
    for word in code.split([' ', '\t']) {
        let name = word.trim_end_matches([')', ',', ';']);
        if is_naming && is_folder(name.split(')').next().unwrap_or(name)) {
            let name = name.split(')').next().unwrap_or(name);
            let at = usize::from(line.code.start()) + (word.as_ptr().addr() - code.as_ptr().addr());
            plan.add(Change::rename(Topic::Library, range(at, at + name.len()), (name, ROCM)));
        }
        let begins = NAMING.iter().any(|naming| word == *naming || naming.starts_with('$') && word.ends_with(naming));
        is_naming = begins || is_naming && (word.is_empty() || code.starts_with("export ") && !word.contains('='));
    }
}

fn plan_word(plan: &Plan<'_>, line: &Line, word: Word, (names, for_nvcc): (&Names<'_>, bool)) {
    let text = plan.slice(word.range);
    plan_path(plan, line, word.range, (names, for_nvcc));
    // The name of a target, of a file that a rule needs, or of a result calls nothing.
    let front = plan.slice(range(line.code.start().into(), word.range.start().into()));
    // `debug: CXX = nvcc` gives a variable a value.
    let is_rule = matches!(line.kind, LineKind::Rule { .. }) && !front.contains(';') && assigned(plan, line).is_none();
    let is_target = text == "nvcc" && (is_rule || front.trim_end().ends_with(" -o"));
    if let Some(at) = nvcc_in(text).filter(|_| !is_target) {
        let start = usize::from(word.range.start()) + at;
        plan.add(Change::rename(Topic::Compiler, range(start, start + "nvcc".len()), ("nvcc", "hipcc")));
    } else if let Some(name) = text.strip_prefix("-l").filter(|name| !name.is_empty()) {
        plan_library(plan, word.range, name);
    } else if let Some(advice) = tool(text) {
        plan.add(Change::left(word.range, format!("`{text}` is a program of CUDA's"), advice));
    } else if let Some(library) = build_library(text)
        && let Some(name) = assigned(plan, line).filter(|name| names.libraries.contains(name))
    {
        if names.shared.contains(name) && library.link.as_deref() != Some(text) {
            let message = format!("`{name}` is used for more than `-l`, so that `{text}` keeps its name");
            plan.add(Change::left(word.range, message, "give the libraries of HIP a list of their own"));
        } else {
            plan_library(plan, word.range, text);
        }
    } else {
        plan_assigned_folder(plan, word.range, text, names);
    }
}

/// What takes the place of a program of CUDA's that a word starts: by its name alone, or by a path to CUDA's folder.
fn tool(word: &str) -> Option<&'static str> {
    let name = word.rsplit(['/', '@']).next().unwrap_or(word);
    let is_cuda = !word.contains('/') || refers_to_folder(word) || word.to_ascii_lowercase().contains("cuda");
    build_tool(name).filter(|_| is_cuda)
}

/// `make CUDA_HOME=…` within a command.
fn plan_assigned_folder(plan: &Plan<'_>, place: TextRange, text: &str, names: &Names<'_>) {
    let Some((name, _)) =
        text.split_once('=').filter(|(name, _)| is_cuda_folder(name) && !names.folders.kept.contains(name))
    else {
        return;
    };
    let at = usize::from(place.start());
    plan.add(Change::rename(Topic::Library, range(at, at + name.len()), (name, ROCM)));
}

/// A word that leads below CUDA's folder leads below ROCm's.
fn plan_path(plan: &Plan<'_>, line: &Line, place: TextRange, (names, for_nvcc): (&Names<'_>, bool)) {
    let sets_folder = assigned(plan, line).is_some_and(|name| names.folders.folder == Some(name));
    let reference = match plan.build.kind {
        // The user's folder counts, and no variable of make can be set by itself.
        BuildKind::Shell if sets_folder => Reference::WithDefault,
        _ if sets_folder => Reference::Folder,
        BuildKind::Shell if names.folders.folder.is_none() => Reference::WithDefault,
        _ => Reference::Variable,
    };
    let text = plan.slice(place);
    let mut edits = folder_edits(plan.text, with_rest(plan, place), (Some(reference), &names.folders));
    let option = include_option(plan, place);
    let behind = behind_argument(plan, place);
    let folder = option.map(|option| text.strip_prefix(option).unwrap_or(text)).unwrap_or_default();
    let are_headers = referred(folder).is_some_and(|name| names.includes.contains(name));
    if (are_headers || names.folders.are_headers(folder)) && !for_nvcc {
        edits.push(Edit::insert(behind, PLATFORM));
        let message = "HIP's headers ask for the platform";
        return plan.add(Change::new(Topic::Library, place, message, edits));
    }
    let leads = !edits.is_empty() || text.match_indices('$').any(|(at, _)| names.folders.begins(&text[at..]).is_some());
    if let Some(below) = only_of_cuda(text).filter(|_| leads && tool(text).is_none()) {
        let message = format!("`{below}` lies below CUDA's folder, and not below ROCm's");
        plan.add(Change::left(place, message, "do without it, or name what takes its place"));
    }
    let Some(last) = edits.last() else { return };
    if option.is_some() && !for_nvcc && text.trim_end_matches('/').ends_with("/include") {
        // Other compilers than hipcc have to be told which of HIP's platforms is meant.
        if last.range.end() <= place.end() {
            edits.push(Edit::insert(behind, PLATFORM));
        }
    }
    plan.add(Change::new(Topic::Library, place, format!("`{text}` leads to CUDA"), edits));
}

/// What tells other compilers than hipcc which of HIP's platforms is meant.
pub(super) const PLATFORM: &str = " -D__HIP_PLATFORM_AMD__";

/// The option for a folder of headers that a word begins with, or whose value it is: `-I"$DIR/include"`.
fn include_option(plan: &Plan<'_>, place: TextRange) -> Option<&'static str> {
    let front = &plan.text[..usize::from(place.start())];
    let front = front.strip_suffix(['"', '\'']).unwrap_or(front).trim_end_matches([' ', '\t']);
    let begins = |option: &&str| plan.slice(place).starts_with(option) || front.ends_with(*option);
    ["-isystem", "-I"].into_iter().find(begins)
}

/// Behind a word, and behind the quotes around it alone, unless these hold what a variable gets.
fn behind_argument(plan: &Plan<'_>, place: TextRange) -> TextSize {
    let (front, behind) = (&plan.text[..usize::from(place.start())], &plan.text[usize::from(place.end())..]);
    let is_alone = |quote: &char| {
        let outside = front.strip_suffix(*quote).filter(|outside| !outside.ends_with(['=', '\\']));
        outside.is_some() && behind.starts_with(*quote)
    };
    place.end() + TextSize::from(u32::from(['"', '\''].iter().any(is_alone)))
}

/// A word with the rest of its path, if that stands behind quotes: `"$CUDA_HOME"/lib64`.
fn with_rest(plan: &Plan<'_>, place: TextRange) -> TextRange {
    let behind = &plan.text[usize::from(place.end())..];
    let is_variable = plan.slice(place).starts_with('$');
    let rest = behind.strip_prefix('"').filter(|rest| is_variable && rest.starts_with('/'));
    let Some(rest) = rest else { return place };
    let len = rest.find(|c: char| c.is_whitespace() || matches!(c, '"' | ';' | ')' | '$')).unwrap_or(rest.len());
    range(place.start().into(), usize::from(place.end()) + 1 + len)
}

/// Has a command link device code.
fn plan_device_link(plan: &Plan<'_>, (found, targets): (&[Word], &str), names: &Names<'_>) {
    let Some(call) = found.iter().find(|word| calls_nvcc(plan.slice(word.range), names)) else { return };
    let message = "clang links device code with `-fgpu-rdc`, for the GPUs that it is told";
    let is_naming = |text: &str| {
        speaks_of_gpus(text) || references(text).into_iter().any(|name| plan.builds.gpu_variables.contains(name))
    };
    let targets =
        if found.iter().any(|word| is_naming(plan.slice(word.range))) { String::new() } else { format!(" {targets}") };
    let edit = behind_call(plan, *call).map(|place| Edit::insert(place, format!(" -fgpu-rdc{targets}")));
    plan.add(Change::new(Topic::Option, call.range, message, edit.into_iter().collect()));
}

/// Whether a line refers to a variable for CUDA's folder.
pub(super) fn refers_to_folder(code: &str) -> bool {
    code.split(['$', '(', ')', '{', '}', '/', ' ', '\t', '"', '\'']).any(is_cuda_folder)
}
