//! Variables that a makefile or a script gives to CMake, by `-D` or by its environment.

use std::collections::BTreeSet;

use super::change::{Change, Topic};
use super::options::{OptionContext, plan_options};
use super::planner::Plan;
use super::style::{LineStyle, removal, unquoted};
use crate::build::{Line, LineKind, Word, references, words};
use crate::mapping::build_variable;
use crate::source::{Edit, TextRange, TextSize, range};

/// The variables with options for nvcc.
const FLAGS: &str = "CMAKE_CUDA_FLAGS";
/// The variable with GPUs.
const GPUS: &str = "CMAKE_CUDA_ARCHITECTURES";
/// Programs that CMake finds by itself for HIP.
pub(super) const PROGRAMS: &[&str] = &["CMAKE_CUDA_COMPILER", "CMAKE_CUDA_HOST_COMPILER", "CUDA_HOST_COMPILER"];

/// Variables of the environment that CMake reads for CUDA, and what to do about them (CMake documentation, "cmake-env-variables(7)").
const ENVIRONMENT: &[(&str, &str)] = &[
    (
        "CUDACXX",
        "remove it: CMake finds the clang of ROCm by itself, and `HIPCXX` names another one, which is not hipcc",
    ),
    ("CUDAFLAGS", "`HIPFLAGS` takes its place, with options of clang"),
    ("CUDAARCHS", "give `-DCMAKE_HIP_ARCHITECTURES=…` to CMake"),
    ("CUDAHOSTCXX", "remove it: clang compiles for the host, too"),
];

/// Plans what the words of a line define.
pub(super) fn plan_definitions(plan: &Plan<'_>, line: &Line, found: &[Word]) {
    for (at, word) in found.iter().enumerate() {
        let text = plan.slice(word.range);
        let front = at.checked_sub(1).map_or("", |before| plan.slice(found[before].range));
        let definition = text.strip_prefix("-D").or(Some(text).filter(|_| front == "-D"));
        if let Some((name, value)) = definition.and_then(|definition| definition.split_once('=')) {
            let value = plan.slice(whole_value(plan, plan.place(value)));
            let first = if front == "-D" { found[at - 1].range } else { word.range };
            let whole = first.cover(word.range).cover(plan.place(value));
            plan_definition(plan, whole, (name.split(':').next().unwrap_or(name), value));
        }
        plan_environment(plan, word.range);
    }
    if let LineKind::Assignment { name, .. } = line.kind {
        plan_environment(plan, name);
    }
}

/// A value with the quotes that it begins with, or with all of the command that it is printed by: both may stand behind the word that
/// it belongs to.
fn whole_value(plan: &Plan<'_>, value: TextRange) -> TextRange {
    let rest = &plan.text[usize::from(value.start())..];
    let quoted = || {
        let quote = rest.chars().next().filter(|sign| matches!(sign, '"' | '\'') && value.is_empty())?;
        rest[1..].find(quote).map(|len| len + 2)
    };
    let end = quoted().or_else(|| substitution(rest)).filter(|len| *len > usize::from(value.len()));
    end.map_or(value, |len| range(value.start().into(), usize::from(value.start()) + len))
}

/// The length of the substitution that a text begins with: `$(which nvcc)`, in a makefile `$$(which nvcc)`, or in backticks.
fn substitution(text: &str) -> Option<usize> {
    if let Some(rest) = text.strip_prefix('`') {
        return rest.find('`').map(|len| len + 2);
    }
    let open = text.find(|sign| sign != '$').filter(|open| matches!(open, 1 | 2) && text[*open..].starts_with('('))?;
    let mut depth = 0_usize;
    for (at, sign) in text[open..].char_indices() {
        match sign {
            '(' => depth += 1,
            ')' if depth == 1 => return Some(open + at + 1),
            ')' => depth -= 1,
            '\n' => return None,
            _ => {}
        }
    }
    None
}

fn plan_definition<'p>(plan: &Plan<'p>, whole: TextRange, (name, value): (&'p str, &'p str)) {
    if PROGRAMS.contains(&name) {
        let message = format!("CMake finds the compiler for HIP by itself, without `{name}`");
        return plan.add(Change::new(Topic::Compiler, whole, message, vec![Edit::delete(removal(plan, whole))]));
    }
    let Some(hip) = build_variable(name).filter(|_| name.starts_with("CMAKE_")).and_then(|known| known.hip.as_deref())
    else {
        return;
    };
    let inner = unquoted(value);
    if name == GPUS && !plan_gpus(plan, value) {
        return;
    }
    plan.add(Change::rename(Topic::Language, plan.place(name), (name, hip)));
    if name.starts_with(FLAGS) {
        let options = words(plan.text, plan.place(inner));
        plan_options(plan, &options, OptionContext { for_nvcc: true, targets: Some(""), style: &LineStyle });
    }
}

/// The GPUs of the settings take the place of NVIDIA's; what stands between them ends commands of a shell. Whether it
/// is known how to write that.
fn plan_gpus<'p>(plan: &Plan<'p>, value: &'p str) -> bool {
    let targets: Vec<&str> = plan.targets().collect();
    let place = plan.place(value);
    let list = targets.join(";");
    let quotes = plan.known.quotes.get_or_init(|| quotes(plan));
    let before = quotes.partition_point(|at| *at < place.start());
    let open = before.checked_sub(1).and_then(|at| quotes.get(at)).filter(|_| !before.is_multiple_of(2));
    // `"-DCMAKE_CUDA_ARCHITECTURES=80;90"`: within quotes, the list goes on behind what ends a command.
    let is_of_list = |c: char| c.is_ascii_alphanumeric() || c == ';' || c == '-';
    let behind = &plan.text[usize::from(place.end())..];
    let rest = behind.len() - behind.trim_start_matches(is_of_list).len();
    let rest = if open.is_some() && behind.starts_with(';') { rest } else { 0 };
    let place = range(place.start().into(), usize::from(place.end()) + rest);
    let message = format!("`{}` are GPUs of NVIDIA's", plan.slice(place));
    let new = match open {
        _ if targets.len() < 2 => list,
        None => format!("\"{list}\""),
        // A variable gets the text, and no shell reads that again.
        Some(open) if plan.text[..usize::from(*open)].ends_with('=') => list,
        // The quotes are around this argument alone.
        Some(open) if plan.text[usize::from(*open) + 1..].starts_with(&format!("-D{GPUS}")) => list,
        Some(_) => {
            let advice = "name AMD's GPUs by hand, with quotes around the list for the shell that reads the text";
            plan.add(Change::left(place, message, advice));
            return false;
        }
    };
    plan.add(Change::new(Topic::Language, place, message, vec![Edit::replace(place, new)]));
    true
}

/// Where the quotes of a file stand that nothing escapes and no comment holds.
fn quotes(plan: &Plan<'_>) -> Vec<TextSize> {
    let in_line = |line: &Line| {
        let (text, start) = (plan.slice(line.range), usize::from(line.range.start()));
        let end = line.comment.map_or(text.len(), |comment| usize::from(comment.start()) - start);
        let found = text[..end].match_indices('"').filter(|(at, _)| !text[..*at].ends_with('\\'));
        found.filter_map(|(at, _)| TextSize::try_from(start + at).ok()).collect::<Vec<_>>()
    };
    plan.build.lines.iter().flat_map(in_line).collect()
}

/// The variables that a file without CMake refers to, and that are its own.
fn own_environment(plan: &Plan<'_>) -> BTreeSet<String> {
    let own = if plan.text.contains("cmake") { Vec::new() } else { references(plan.text) };
    own.into_iter().map(str::to_owned).collect()
}

/// A variable of the environment that CMake reads for CUDA, and for nothing else.
fn plan_environment(plan: &Plan<'_>, place: TextRange) {
    let name = plan.slice(place).split('=').next().unwrap_or_default();
    let is_own = || plan.known.own_environment.get_or_init(|| own_environment(plan)).contains(name);
    if let Some((name, advice)) = ENVIRONMENT.iter().find(|(known, _)| *known == name).filter(|_| !is_own()) {
        let start = usize::from(place.start());
        let place = range(start, start + name.len());
        plan.add(Change::left(place, format!("CMake reads no `{name}` for HIP"), advice));
    }
}
