//! Makefiles and scripts of a shell.

use super::change::{Change, Topic};
use super::folders::{ROCM, ROCM_FOLDER};
use super::make_line::{Names, plan_line};
use super::planner::Plan;
use crate::build::{BuildKind, Line, LineKind, words};
use crate::mapping::{is_cuda_folder, nvcc_option};
use crate::source::{Edit, TextSize, range};

/// Plans all lines of a makefile or a script.
pub(super) fn plan(plan: &Plan<'_>) {
    let names = names_of(plan);
    for line in &plan.build.lines {
        plan_line(plan, line, &names);
    }
    if plan.build.kind == BuildKind::Make && names.folder.is_none() && uses_rocm_variable(plan) {
        let start = TextSize::from(if plan.text.starts_with('\u{feff}') { 3_u32 } else { 0 });
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

/// What the lines of a file say together.
fn names_of<'p>(plan: &Plan<'p>) -> Names<'p> {
    let sets_rocm = plan.build.lines.iter().any(|line| assigned(plan, line) == Some(ROCM));
    let folder = Some(ROCM).filter(|_| sets_rocm);
    let mut names = Names { compilers: Vec::new(), folder, kept: Vec::new(), links_device_code: false };
    for line in &plan.build.lines {
        let found = words(plan.text, line.code);
        if let Some(name) = assigned(plan, line) {
            if found.iter().any(|word| is_nvcc(plan.slice(word.range))) {
                names.compilers.push(name);
            }
            if is_cuda_folder(name) {
                match names.folder {
                    None => names.folder = Some(name),
                    Some(folder) if folder != name => names.kept.push(name),
                    Some(_) => {}
                }
            }
        }
        let is_rdc = |word: &str| {
            matches!(word, "-dc" | "--device-c")
                || nvcc_option(word, None).is_some_and(|found| found.row.for_clang("") == ["-fgpu-rdc"])
        };
        names.links_device_code |= found.iter().any(|word| is_rdc(plan.slice(word.range)));
    }
    names
}

/// The name of the variable that a line gives a value.
pub(super) fn assigned<'p>(plan: &Plan<'p>, line: &Line) -> Option<&'p str> {
    if let LineKind::Assignment { name, .. } = line.kind {
        return Some(plan.slice(name));
    }
    let code = plan.slice(line.code);
    let (name, _) =
        code.strip_prefix("export ").unwrap_or(code).split_once('=').filter(|_| plan.build.kind == BuildKind::Shell)?;
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_').then_some(name)
}

/// Whether a word calls nvcc.
pub(super) fn is_nvcc(word: &str) -> bool {
    word.rsplit(['/', '@']).next() == Some("nvcc")
}

/// Whether the result refers to the variable for ROCm's folder.
fn uses_rocm_variable(plan: &Plan<'_>) -> bool {
    let refers = |line: &Line| super::make_line::refers_to_folder(plan.slice(line.code));
    plan.changes_any(Topic::Library) && plan.build.lines.iter().any(refers)
}
