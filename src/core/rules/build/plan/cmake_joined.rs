//! Variables of CMake with options between commas, as `-Xcompiler` of nvcc takes them.

use super::change::{Change, Topic};
use super::cmake_call::{Call, call_around, calls};
use super::planner::Plan;
use super::style::variable;
use crate::build::{BuildKind, Word};
use crate::source::{Edit, TextSize};

/// Has a variable that stands for options between commas split, in front of the command that hands them to the compiler.
pub(super) fn plan_joined(plan: &Plan<'_>, word: Word, separator: &str) {
    let text = plan.slice(word.range);
    let Some(name) = variable(text) else { return };
    if plan.build.kind != BuildKind::CMake || !calls(plan).any(|call| joins(call, name)) {
        return;
    }
    let Some(user) = call_around(plan, word.range) else { return };
    let list = format!("{name}_options");
    let (indent, end) = (user.indent(), plan.newline.as_str());
    let line = format!("{indent}string(REPLACE \",\" \"{separator}\" {list} \"${{{name}}}\"){end}");
    let at = user.command.range.start() - TextSize::of(indent);
    let edits = vec![Edit::insert(at, line), Edit::replace(word.range, format!("${{{list}}}"))];
    let message = format!("`{text}` holds options between commas, which clang takes one by one");
    plan.add(Change::new(Topic::Option, word.range, message, edits));
}

/// Whether a command puts commas into a variable.
fn joins(call: Call<'_>, name: &str) -> bool {
    let text = |number| call.text(number);
    match call.name().to_ascii_lowercase().as_str() {
        "set" => text(0) == name && call.texts().skip(1).any(|value| value.contains(',') && !value.contains("$<")),
        "list" => text(0) == "JOIN" && text(2) == "," && text(3) == name,
        "string" => match text(0) {
            "APPEND" | "PREPEND" | "CONCAT" => text(1) == name && call.texts().skip(2).any(|value| value.contains(',')),
            "JOIN" => text(1) == "," && text(2) == name,
            "REPLACE" => text(2).contains(',') && text(3) == name,
            "REGEX" => text(1) == "REPLACE" && text(3).contains(',') && text(4) == name,
            _ => false,
        },
        _ => false,
    }
}
