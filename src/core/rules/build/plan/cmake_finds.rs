//! Libraries and headers that `find_library`, `find_path` and the like of CMake look for.

use super::change::{Change, Topic};
use super::cmake_call::Call;
use crate::build::Argument;
use crate::mapping::{Kind, Support, build_library};

/// Commands that look for headers.
const FOR_HEADERS: &[&str] =
    &["check_include_file", "check_include_file_cxx", "check_include_files", "find_file", "find_path"];

/// Plans what a command looks for.
pub(super) fn plan_finds(call: Call<'_>) {
    if call.is("find_library") {
        names(call).for_each(|name| plan_library(call, name));
    } else if call.is_any(&["check_include_file", "check_include_file_cxx", "check_include_files"]) {
        call.arguments().iter().take(1).for_each(|name| plan_header(call, name));
    } else if call.is_any(FOR_HEADERS) {
        names(call).for_each(|name| plan_header(call, name));
    }
}

/// The names that are looked for: those behind `NAMES`, or the one behind the variable.
fn names(call: Call<'_>) -> impl Iterator<Item = &Argument> {
    let listed = call.find("NAMES").map(|at| at + 1);
    let is_keyword = |text: &str| text.len() > 2 && text.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    let arguments = call.arguments().iter().skip(listed.unwrap_or(1));
    let most = if listed.is_some() { usize::MAX } else { 1 };
    arguments.take(most).take_while(move |argument| !is_keyword(call.plan.slice(argument.inner)))
}

fn plan_library(call: Call<'_>, argument: &Argument) {
    let (plan, name) = (call.plan, call.plan.slice(argument.inner));
    let Some(library) = build_library(name) else { return };
    match &library.link {
        Some(link) if !link.is_empty() => {
            plan.add(Change::rename(Topic::Library, argument.inner, (name, link)));
        }
        Some(_) => plan.add(Change::left(argument.inner, format!("HIP needs no library `{name}`"), "remove it")),
        None => {
            let advice = library.advice.as_deref().unwrap_or_default();
            plan.add(Change::left(argument.inner, format!("nothing takes the place of `{name}`"), advice));
        }
    }
}

fn plan_header(call: Call<'_>, argument: &Argument) {
    let (plan, name) = (call.plan, call.plan.slice(argument.inner));
    let Some(entry) = plan.table.get(name).iter().find(|entry| entry.kind == Kind::Header) else { return };
    if entry.support < Support::Full {
        let message = format!("nothing takes the whole place of `{name}`");
        plan.add(Change::left(argument.inner, message, entry.note));
    } else if entry.hip != name {
        plan.add(Change::rename(Topic::Library, argument.inner, (name, entry.hip)));
    }
}
