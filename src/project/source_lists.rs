//! What a file of CMake puts into variables, as far as these may hold sources.

use std::collections::BTreeSet;

use camino::Utf8Path;

use crate::analysis::{ListFlow, NamedList, SourceLists};
use crate::build::{Command, references};

/// The lists of a file, by its commands.
pub(super) fn source_lists(path: &Utf8Path, text: &str, all: &[Command]) -> SourceLists {
    let mut reader = Reader { path, text, lists: SourceLists::default(), handing: handing(text, all) };
    for command in all {
        reader.read(command);
    }
    reader.lists
}

/// The variables that a file hands to others, and those that these hold; a project's own file has nobody above it.
fn handing(text: &str, all: &[Command]) -> BTreeSet<String> {
    let is = |command: &&Command, name: &str| text[command.name].eq_ignore_ascii_case(name);
    if all.iter().any(|command| is(&command, "project") || is(&command, "function") || is(&command, "macro")) {
        return BTreeSet::new();
    }
    let words = |command: &Command| -> Vec<String> {
        command.arguments.iter().map(|argument| text[argument.inner].to_owned()).collect()
    };
    let hands = |words: &[String]| words.iter().any(|word| matches!(word.as_str(), "PARENT_SCOPE" | "CACHE"));
    let handed = all.iter().filter(|command| is(command, "set")).map(words).filter(|words| hands(words));
    let names = |words: Vec<String>| {
        let held: Vec<String> = words.iter().flat_map(|word| references(word)).map(str::to_owned).collect();
        words.into_iter().take(1).chain(held)
    };
    handed.flat_map(names).collect()
}

struct Reader<'t> {
    path: &'t Utf8Path,
    text: &'t str,
    lists: SourceLists,
    handing: BTreeSet<String>,
}

impl<'t> Reader<'t> {
    fn read(&mut self, command: &Command) {
        let words: Vec<&'t str> = command.arguments.iter().map(|argument| &self.text[argument.inner]).collect();
        let word = |number: usize| words.get(number).copied().unwrap_or_default();
        let behind = |number: usize| words.get(number..).unwrap_or_default();
        let name = self.text[command.name].to_ascii_lowercase();
        match name.as_str() {
            "set" | "get_filename_component" => self.give(word(0), behind(1)),
            "list" if matches!(word(0), "APPEND" | "PREPEND" | "INSERT") => self.give(word(1), behind(2)),
            "file" if word(0).starts_with("GLOB") => self.give(word(1), behind(2)),
            "foreach" => {
                self.give(word(0), behind(1));
                let lists = words.iter().skip_while(|word| **word != "LISTS").skip(1);
                lists.for_each(|list| self.flow(list, word(0)));
            }
            "set_property" if word(0) == "GLOBAL" => {
                if let Some(at) = words.iter().position(|word| *word == "PROPERTY") {
                    self.give(word(at + 1), behind(at + 2));
                }
            }
            "get_property" if word(1) == "GLOBAL" => self.flow(word(3), word(0)),
            "get_directory_property" => self.flow(words.last().copied().unwrap_or_default(), word(0)),
            "function" | "macro" => {
                let parameters = behind(1).iter().chain(&["ARGN", "ARGV"]);
                parameters.for_each(|parameter| self.flow(&called(word(0)), parameter));
            }
            "cmake_parse_arguments" => self.parse_arguments(&words),
            _ if KNOWN.contains(&name.as_str()) => {}
            _ => self.give(&called(&name), &words),
        }
    }

    /// `cmake_parse_arguments(P "" "NAME" "SOURCES;FLAGS" ${ARGN})` sets `P_NAME`, `P_SOURCES` and `P_FLAGS`.
    fn parse_arguments(&mut self, words: &[&str]) {
        let Some((prefix, rest)) = words.split_first() else { return };
        let names = rest.iter().skip(1).take(2).flat_map(|names| names.split(';')).filter(|name| !name.is_empty());
        names.for_each(|name| self.give(&format!("{prefix}_{name}"), rest.get(3..).unwrap_or_default()));
    }

    /// Some values go into a variable.
    fn give(&mut self, name: &str, values: &[&str]) {
        let parts = || values.iter().flat_map(|value| value.split([';', ' ', '\n']));
        if parts().any(|part| part.rsplit_once('.').is_some_and(|(_, ending)| ending == "cu")) {
            let handed_on = self.handing.contains(name);
            let file = self.path.to_owned();
            self.lists.named.insert(NamedList { name: name.to_owned(), file, handed_on });
        }
        parts().flat_map(references).for_each(|from| self.flow(from, name));
    }

    fn flow(&mut self, from: &str, to: &str) {
        if from != to && !from.is_empty() && !to.is_empty() {
            let (from, to) = (from.to_owned(), to.to_owned());
            self.lists.flows.insert(ListFlow { from, to, file: self.path.to_owned() });
        }
    }
}

/// What a function gets, by its name in any case.
fn called(name: &str) -> String {
    format!("{}()", name.to_ascii_lowercase())
}

/// Commands of CMake that put nothing into a variable.
const KNOWN: &[&str] = &[
    "add_compile_options",
    "add_custom_command",
    "add_custom_target",
    "add_definitions",
    "add_dependencies",
    "add_executable",
    "add_library",
    "add_subdirectory",
    "add_test",
    "cmake_minimum_required",
    "cmake_policy",
    "configure_file",
    "cuda_add_executable",
    "cuda_add_library",
    "else",
    "elseif",
    "enable_language",
    "endforeach",
    "endfunction",
    "endif",
    "endmacro",
    "endwhile",
    "execute_process",
    "file",
    "find_package",
    "if",
    "include",
    "include_directories",
    "install",
    "link_directories",
    "list",
    "mark_as_advanced",
    "message",
    "option",
    "project",
    "set_property",
    "set_source_files_properties",
    "set_target_properties",
    "source_group",
    "string",
    "target_compile_definitions",
    "target_compile_features",
    "target_compile_options",
    "target_include_directories",
    "target_link_libraries",
    "target_sources",
    "while",
];
