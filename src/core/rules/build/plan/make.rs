//! Makefiles and scripts of a shell.

use std::collections::BTreeMap;

use super::change::{Change, Topic};
use super::cpp_standard::{plan_standards, plan_variables};
use super::folders::{FolderNames, ROCM, ROCM_FOLDER};
use super::library_files::plan_library_files;
use super::make_device_link::device_links;
use super::make_floats::tell_floats;
use super::make_host_sources::plan_host_sources;
use super::make_line::plan_line;
use super::make_names::{Names, assigned, is_nvcc};
use super::make_roctx::plan_roctx;
use super::make_variables::{
    flags_of_nvcc, include_folders, library_lists, plan_include_options, shared_lists, unseen_compilers,
};
use super::planner::Plan;
use super::shell_libraries::plan_listed_libraries;
use super::{make_gpus, versions};
use crate::build::{BuildKind, Line, LineKind, words};
use crate::mapping::{is_cuda_folder, is_cuda_folder_value};
use crate::source::{Edit, TextSize, range};

/// Plans all lines of a makefile or a script.
pub(super) fn plan(plan: &Plan<'_>) {
    let names = names_of(plan);
    let releases = versions::plan_releases(plan, &names);
    for line in &plan.build.lines {
        plan_standards(plan, line.code);
        plan_line(plan, line, &names);
        tell_floats(plan, line);
        plan_include_options(plan, line, &names);
        versions::plan_line(plan, line, (&names, &releases));
        plan_library_files(plan, line.code);
    }
    plan_variables(plan);
    plan_listed_libraries(plan);
    plan_host_sources(plan, &names);
    plan_roctx(plan, &names);
    make_gpus::plan(plan, &names);
    if plan.build.kind == BuildKind::Make && names.folders.folder.is_none() && uses_rocm_variable(plan) {
        let start = behind_includes(plan).unwrap_or_default();
        let text = format!("{ROCM} ?= {ROCM_FOLDER}{}", plan.newline.as_str());
        let message = format!("`{ROCM}` names the folder of ROCm");
        let end = plan.text.find('\n').unwrap_or(plan.text.len());
        plan.add(Change::new(
            Topic::Library,
            range(start.into(), end.max(start.into())),
            message,
            vec![Edit::insert(start, text)],
        ));
    }
}

/// Where the text begins that may give the variable for ROCm's folder its usual value: behind a byte order mark, and behind the makefiles
/// that are read, one of which may find the folder out.
fn behind_includes(plan: &Plan<'_>) -> Option<TextSize> {
    let finds_folder = plan.builds.folder_variables.iter().any(|name| is_cuda_folder(name));
    let is_include = |line: &&Line| {
        let code = plan.slice(line.code);
        let names = ["include ", "-include ", "sinclude "];
        finds_folder && line.kind == LineKind::Directive && names.iter().any(|name| code.starts_with(name))
    };
    let mark = plan.text.starts_with('\u{feff}').then(|| TextSize::from(3));
    let Some(last) = plan.build.lines.iter().rfind(is_include) else { return mark };
    let end = usize::from(last.range.end());
    plan.text[end..].find('\n').map_or(mark, |at| TextSize::try_from(end + at + 1).ok())
}

/// What the lines of a file say together.
fn names_of<'p>(plan: &Plan<'p>) -> Names<'p> {
    let folders = folder_names(plan);
    let libraries = library_lists(plan);
    let shared = shared_lists(plan, &libraries);
    let mut names = Names { folders, libraries, shared, ..Names::default() };
    for line in &plan.build.lines {
        let found = words(plan.text, line.code);
        if let Some(name) = assigned(plan, line) {
            if found.iter().any(|word| is_nvcc(plan.slice(word.range))) && !finds_folder(plan.slice(line.code)) {
                names.compilers.push(name);
            } else {
                names.others.push(name);
            }
        }
    }
    add_callers(plan, &mut names);
    let unseen = unseen_compilers(plan, &names);
    names.compilers.extend(unseen);
    names.includes = include_folders(plan, &names);
    names.flags = flags_of_nvcc(plan, &names);
    names.device_links = device_links(plan, &names);
    names
}

/// Whether a text makes something else of where nvcc lies: `-I$(shell dirname $(shell which nvcc))/../include`.
fn finds_folder(text: &str) -> bool {
    let value = text.trim();
    let is_program = value.trim_end_matches(['"', '\'']).ends_with("/nvcc");
    value.starts_with('-') || !is_program && (value.contains("dirname ") || value.contains("$(dir "))
}

/// Variables that begin with one that calls nvcc do so, too: `GPUCC = $(COMPILER) -O3`.
fn add_callers<'p>(plan: &Plan<'p>, names: &mut Names<'p>) {
    let begins = |line: &'p Line| {
        let name = assigned(plan, line).filter(|_| plan.build.kind == BuildKind::Make)?;
        let first = plan.slice(line.code).split_whitespace().next()?;
        let used = first.strip_prefix("$(").and_then(|rest| rest.strip_suffix(')'))?;
        (name != used).then_some((used, name))
    };
    let mut users: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (used, name) in plan.build.lines.iter().filter_map(begins) {
        users.entry(used).or_default().push(name);
    }
    let mut open: Vec<&str> = names.compilers.iter().copied().chain(["NVCC"]).collect();
    while let Some(compiler) = open.pop() {
        for name in users.remove(compiler).unwrap_or_default() {
            if let Some(at) = names.others.iter().position(|other| *other == name) {
                names.others.swap_remove(at);
            }
            if !names.compilers.contains(&name) {
                names.compilers.push(name);
                open.push(name);
            }
        }
    }
}

/// The variables that name CUDA's folder.
fn folder_names<'p>(plan: &Plan<'p>) -> FolderNames<'p> {
    let lines = &plan.build.lines;
    let sets_rocm = lines.iter().any(|line| assigned(plan, line) == Some(ROCM));
    let mut names = FolderNames { folder: Some(ROCM).filter(|_| sets_rocm), ..FolderNames::default() };
    for name in lines.iter().filter_map(|line| assigned(plan, line)).filter(|name| is_cuda_folder(name)) {
        match names.folder {
            None => names.folder = Some(name),
            Some(folder) if folder != name => names.kept.push(name),
            Some(_) => {}
        }
    }
    let is_folder = |line: &&Line| {
        let code = plan.slice(line.code);
        let is_value = matches!(line.kind, LineKind::Assignment { .. });
        is_cuda_folder_value(if is_value { code } else { code.split_once('=').map_or("", |(_, value)| value) })
    };
    let here = lines.iter().filter(is_folder).filter_map(|line| assigned(plan, line));
    let elsewhere = plan.builds.folder_variables.iter().map(String::as_str);
    let keeps_name = |name: &&str| !is_cuda_folder(name) && *name != ROCM || names.kept.contains(name);
    names.leading = here.chain(elsewhere).filter(keeps_name).collect();
    names
}

/// Whether the result refers to the variable for ROCm's folder.
fn uses_rocm_variable(plan: &Plan<'_>) -> bool {
    let refers = |line: &Line| super::make_line::refers_to_folder(plan.slice(line.code));
    plan.changes_any(Topic::Library) && plan.build.lines.iter().any(refers)
}
