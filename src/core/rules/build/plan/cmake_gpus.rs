//! Variables of CMake's files that hold GPUs to compile for, and who compares them with others.

use std::collections::BTreeSet;

use super::cmake_call::{Call, calls};
use super::planner::Plan;
use crate::build::{ArgumentKind, references};
use crate::source::TextSize;

/// The variable and the property that hold NVIDIA's GPUs in a build for CUDA.
const VARIABLE: &str = "CMAKE_CUDA_ARCHITECTURES";
const PROPERTY: &str = "CUDA_ARCHITECTURES";

/// Words of CMake that compare two values.
const COMPARING: &[&str] = &[
    "LESS",
    "GREATER",
    "EQUAL",
    "LESS_EQUAL",
    "GREATER_EQUAL",
    "STREQUAL",
    "STRLESS",
    "STRGREATER",
    "MATCHES",
    "IN_LIST",
];

/// Whether a word compares two values, also as versions.
pub(super) fn is_comparing(word: &str) -> bool {
    COMPARING.contains(&word.strip_prefix("VERSION_").unwrap_or(word))
}

/// What the argument of a number is compared with in a condition: `80` of `arch EQUAL 80`.
pub(super) fn compared_with(call: Call<'_>, number: usize) -> Option<&str> {
    let before = |back: usize| number.checked_sub(back).map_or("", |at| call.text(at));
    match () {
        () if is_comparing(call.text(number + 1)) => Some(call.text(number + 2)),
        () if is_comparing(before(1)) => Some(before(2)),
        () => None,
    }
}

/// Where names stand that are compared and hold GPUs which came from CMake's variable, by another name or in a generator expression.
pub(super) fn gpu_comparisons<'p>(plan: &'p Plan<'p>) -> &'p BTreeSet<TextSize> {
    plan.known.gpu_comparisons.get_or_init(|| {
        let (mut holders, mut found) = (Holders::default(), BTreeSet::new());
        for call in calls(plan) {
            holders.follow(call);
            found.extend(holders.comparisons(call));
        }
        found
    })
}

/// The variables that hold GPUs where the file is read.
#[derive(Default)]
struct Holders<'p> {
    names: BTreeSet<&'p str>,
}

impl<'p> Holders<'p> {
    fn holds(&self, name: &str) -> bool {
        name == VARIABLE || self.names.contains(name)
    }

    /// Whether a text is the values of a variable that holds GPUs, with others perhaps: `${archs}`, `${archs};90`.
    fn hands_on(&self, text: &str) -> bool {
        text.starts_with("${") && !text.contains([' ', '=']) && self.refers(text)
    }

    fn refers(&self, text: &str) -> bool {
        references(text).into_iter().any(|name| self.holds(name))
    }

    /// Follows what a command makes of variables.
    fn follow(&mut self, call: Call<'p>) {
        let texts: Vec<&str> = call.texts().collect();
        let from = |first: usize| texts.get(first..).unwrap_or_default();
        let hands_on = |first: usize| from(first).iter().any(|text| self.hands_on(text));
        let (made, holds) = match () {
            () if call.is("set") => (texts.first(), hands_on(1)),
            () if call.is("foreach") => {
                let lists = from(1).iter().skip_while(|text| **text != "LISTS").skip(1);
                (texts.first(), hands_on(1) || lists.take_while(|text| **text != "ITEMS").any(|name| self.holds(name)))
            }
            () if call.is_any(&["get_target_property", "get_property"]) => (texts.first(), from(1).contains(&PROPERTY)),
            () if call.is("list") => match call.text(0) {
                "APPEND" | "PREPEND" | "INSERT" => (texts.get(1), self.holds(call.text(1)) || hands_on(2)),
                "GET" | "SUBLIST" | "JOIN" => (texts.last(), self.holds(call.text(1))),
                _ => return,
            },
            () if call.is("string") => match (call.text(0), call.text(1)) {
                ("REGEX", "REPLACE") => (texts.get(4), hands_on(5)),
                ("REGEX" | "REPLACE", _) => (texts.get(3), hands_on(4)),
                ("STRIP" | "SUBSTRING" | "TOLOWER" | "TOUPPER", value) => (texts.last(), self.hands_on(value)),
                _ => return,
            },
            () => return,
        };
        match made {
            Some(name) if holds => _ = self.names.insert(*name),
            Some(name) => _ = self.names.remove(name),
            None => {}
        }
    }

    /// Where names stand in a command that compares what they hold with GPUs of NVIDIA's.
    fn comparisons(&self, call: Call<'p>) -> Vec<TextSize> {
        let is_condition = call.is_any(&["if", "elseif", "while"]);
        let searches = call.is("string") && matches!(call.text(0), "FIND" | "COMPARE");
        let mut found = Vec::new();
        for (number, text) in call.texts().enumerate() {
            let names: Vec<&str> = match () {
                () if call.arguments()[number].kind == ArgumentKind::Bracket => continue,
                () if is_condition => {
                    let is_asked = compared_with(call, number).is_some_and(names_gpu);
                    let name = references(text).first().copied().unwrap_or(text);
                    [name].into_iter().filter(|name| is_asked && self.names.contains(name)).collect()
                }
                () if searches || compares_in_expression(text) || defines(call, text) => {
                    references(text).into_iter().filter(|name| self.holds(name)).collect()
                }
                () => continue,
            };
            found.extend(names.into_iter().map(|name| call.plan.place(name).start()));
        }
        found
    }
}

/// Whether a value is that of a GPU of NVIDIA's: `80`, `90a`, `sm_80`, `all-major`.
fn names_gpu(value: &str) -> bool {
    value.contains(|c: char| c.is_ascii_digit()) || matches!(value, "all" | "all-major")
}

/// Whether a text of a command defines a macro, but not as a text, which programs print: `ARCH=${archs}`, and not `ARCH=\"${archs}\"`.
pub(super) fn defines(call: Call<'_>, text: &str) -> bool {
    let is_definition = call.is_any(&["add_compile_definitions", "add_definitions", "target_compile_definitions"]);
    let is_option = call.is_any(&["add_compile_options", "target_compile_options"]) && text.starts_with("-D");
    let value = text.split_once('=').map_or("", |(_, value)| value);
    (is_definition || is_option) && value.starts_with("${")
}

/// Whether a generator expression in a text compares values: `$<STREQUAL:a,b>`.
fn compares_in_expression(text: &str) -> bool {
    text.split("$<").skip(1).any(|rest| rest.split_once(':').is_some_and(|(keyword, _)| is_comparing(keyword)))
}
