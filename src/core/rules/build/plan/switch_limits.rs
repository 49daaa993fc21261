//! What the variable that chooses between CUDA and HIP does not reach, and where another one has its name.

use camino::Utf8Path;

use super::change::Change;
use super::cmake_call::Call;
use super::planner::Plan;
use crate::analysis::{Reader, SwitchRole};
use crate::build::{BuildFile, SWITCH, is_template, sets_switch, turns};
use crate::source::TextSize;

/// Tells of a file of CMake that gets parts for each side, or has them, where they would be chosen wrongly.
pub(super) fn plan(plan: &Plan<'_>, whole: &BuildFile, (path, role): (&Utf8Path, SwitchRole)) {
    let calls = || whole.commands.iter().map(|command| Call { command, plan });
    let parted = turns(plan.text, &whole.commands);
    let turn = parted.first().map(|turn| whole.commands[turn.command].range.start());
    let own = calls().find(|call| sets_switch(plan.text, call.command));
    if let Some(call) = own.filter(|_| role.lacks_platform) {
        let message = format!(
            "`{SWITCH}` is the project's own; where it is true, nothing tells sources that the host's compiler reads that they are built for HIP"
        );
        let advice = "add `add_compile_definitions(__HIP_PLATFORM_AMD__)` in `if(USE_HIP)` behind it";
        plan.tell(Change::left(call.command.range, message, advice));
    }
    let Some(first) = [turn, plan.first_edit()].into_iter().flatten().min() else { return };
    if role.reader == Reader::User && !is_template(path) {
        tell_installed(plan, calls(), first);
    }
    if let Some(call) = own.filter(|call| call.command.range.start() > first && !is_off(call)) {
        let message = format!("`{SWITCH}` is set here, behind commands that depend on it");
        plan.tell(Change::left(call.command.range, message, "set it in front of them"));
    }
    for call in calls().filter(|call| hides(call)) {
        let message = format!("`{SWITCH}` is a variable of this block's own, which decides there what is read for HIP");
        plan.tell(Change::left(call.command.range, message, "give it another name"));
    }
}

fn tell_installed<'p>(plan: &Plan<'_>, calls: impl IntoIterator<Item = Call<'p>>, first: TextSize) {
    let Some(call) = calls.into_iter().find(|call| call.command.range.end() >= first) else { return };
    let message =
        format!("users of the installed package read this file, and do not set `{SWITCH}`: they get what is for CUDA");
    plan.tell(Change::left(
        call.command.range,
        message,
        "have `configure_file` make the file from a template (`*.cmake.in`), which gets the choice of the build",
    ));
}

/// Whether an option is off unless the user sets it, so that it has one value in front of it and behind.
fn is_off(call: &Call<'_>) -> bool {
    let is_false = |value: &str| ["", "OFF", "0", "NO", "N", "FALSE"].contains(&value.to_ascii_uppercase().as_str());
    let is_cached = call.is("set") && call.text(2) == "CACHE" && call.find("FORCE").is_none();
    call.is("option") && is_false(call.text(2)) || is_cached && is_false(call.text(1))
}

/// Whether a function has a parameter of this name, or a loop a variable. A macro only replaces references (`CMake` documentation,
/// "macro", "Macro vs Function").
fn hides(call: &Call<'_>) -> bool {
    let names_it = |text: &&str| *text == SWITCH;
    if call.is("function") {
        return call.texts().skip(1).any(|text| names_it(&text));
    }
    let is_zipped = call.find("IN").is_some();
    let variables = call.texts().take_while(|text| *text != "IN").take(if is_zipped { usize::MAX } else { 1 });
    call.is("foreach") && variables.into_iter().any(|text| names_it(&text))
}
