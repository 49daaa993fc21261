//! Options of nvcc in the commands of CMake.

use std::collections::BTreeSet;

use super::change::{Change, Topic};
use super::cmake_call::Call;
use super::cmake_names::plan_names;
use super::cmake_style::ArgumentStyle;
use super::options::{OptionContext, plan_options};
use super::style::Between;
use crate::build::{ArgumentKind, Word, is_handing_on, parts};
use crate::source::{Edit, Patch, TextRange};

/// Commands whose arguments are never options.
const WITHOUT_OPTIONS: &[&str] = &["message", "project", "find_package", "if", "elseif", "else", "endif", "include"];

/// Plans the options among the arguments of a command.
pub(super) fn plan_flags(call: Call<'_>) {
    if call.is_any(WITHOUT_OPTIONS) {
        return;
    }
    // A text that is searched for says nothing about how to compile.
    if call.is("string") && !["APPEND", "PREPEND", "CONCAT", "JOIN"].contains(&call.text(0)) {
        return;
    }
    let first = call.text(usize::from(call.is_any(&["list", "string"])));
    let for_nvcc = ["CUDA_FLAGS", "NVCC", "GENCODE"].iter().any(|part| first.contains(part));
    let style = ArgumentStyle { call };
    plan_options(call.plan, &words_of(call, 0), OptionContext { for_nvcc, targets: None, style: &style });
}

/// The words in the arguments of a command from a number on.
fn words_of(call: Call<'_>, from: usize) -> Vec<Word> {
    let text = call.plan.text;
    let mut words: Vec<Word> = Vec::new();
    for argument in call.arguments().iter().skip(from).filter(|argument| argument.kind != ArgumentKind::Bracket) {
        let is_group = argument.kind == ArgumentKind::Quoted
            && words.last().is_some_and(|before| is_handing_on(&text[before.range]));
        if is_group {
            words.push(Word::new(argument.inner));
        } else {
            words.extend(parts(text, argument.inner));
        }
    }
    words
}

/// `CUDA_NVCC_FLAGS` is a list, `CMAKE_HIP_FLAGS` a string.
pub(super) fn plan_find_cuda_flags(call: Call<'_>) {
    let plan = call.plan;
    let (variable, from) =
        if call.is("list") && call.text(0) == "APPEND" { (call.text(1), 2) } else { (call.text(0), 1) };
    let Some(kind) = variable.strip_prefix("CUDA_NVCC_FLAGS").filter(|_| call.is_any(&["list", "set"])) else { return };
    let flags =
        translated(call, from, " ").replace(&format!("${{{variable}}}"), &format!("${{CMAKE_HIP_FLAGS{kind}}}"));
    let new = match call.name().to_ascii_lowercase().as_str() {
        "list" => format!("string(APPEND CMAKE_HIP_FLAGS{kind} \" {flags}\")"),
        _ => format!("set(CMAKE_HIP_FLAGS{kind} \"{flags}\")"),
    };
    let message = format!("`{variable}` is `CMAKE_HIP_FLAGS{kind}` for HIP, a string");
    plan.add(Change::new(Topic::Option, call.command.range, message, vec![Edit::replace(call.command.range, new)]));
}

/// The arguments from a number on, with clang's options and `separator` between them. What is lost is told.
pub(super) fn translated(call: Call<'_>, from: usize, separator: &'static str) -> String {
    let plan = call.plan;
    let scratch = plan.alike();
    plan_options(
        &scratch,
        &words_of(call, from),
        OptionContext { for_nvcc: true, targets: None, style: &Between(separator) },
    );
    plan_names(Call { command: call.command, plan: &scratch }, &BTreeSet::new());
    let mut patch = Patch::default();
    for change in scratch.into_changes() {
        let is_told = matches!(change.topic, Topic::Unsupported | Topic::Product) || change.note.is_some();
        let is_told =
            is_told && call.arguments().get(from).is_some_and(|first| first.range.start() <= change.range.start());
        // Options that the change beside this one holds do not overlap.
        if patch.try_add(&change.edits).is_ok() && is_told {
            plan.add(Change { edits: Vec::new(), ..change });
        }
    }
    let (Some(before), Some(last)) = (call.arguments().get(from - 1), call.arguments().last()) else {
        return String::new();
    };
    let text = patch.apply_within(plan.text, TextRange::new(before.range.end(), last.range.end()));
    let words = text.split(|c: char| matches!(c, ';' | '"') || c.is_whitespace()).filter(|word| !word.is_empty());
    let words = words.collect::<Vec<_>>().join(separator);
    // These belong together.
    words.replace("SHELL:-Xarch_device;", "SHELL:-Xarch_device ")
}
