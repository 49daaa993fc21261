//! Options that clang has, too, but not by all the names that nvcc has for them, or not with the value as the next word
//! (NVIDIA, "CUDA Compiler Driver NVCC", section 4.2; LLVM, "Clang command line argument reference").

use super::change::{Change, Topic};
use super::make_line::plan_library;
use super::planner::Plan;
use super::style::removal;
use crate::build::Word;
use crate::mapping::{FoundOption, build_library};
use crate::source::{Edit, range};

/// Names of nvcc's, and what clang calls the option; a value stands right behind those that do not end with a blank.
const SHORT: &[(&str, &str)] = &[
    ("define-macro", "-D"),
    ("include-path", "-I"),
    ("l", "-l"),
    ("library", "-l"),
    ("library-path", "-L"),
    ("optimize", "-O"),
    ("output-file", "-o "),
    ("pre-include", "-include "),
    ("system-include", "-isystem "),
    ("undefine-macro", "-U"),
];

/// Those whose value clang takes in the same word alone.
const JOINED: &[(&str, &str)] = &[("O", "-O"), ("l", "-l"), ("std", "-std=")];

/// The option by the name that clang has for it, if it has another one here. The value stays where it is.
pub(super) fn by_short_name(
    plan: &Plan<'_>,
    (words, option): (&[Word], &str),
    found: FoundOption<'_>,
) -> Option<Change> {
    let name = option.trim_start_matches('-');
    let names = if found.takes_next && !option.starts_with("--") { JOINED } else { SHORT };
    let long = || JOINED.iter().filter(|(known, _)| found.takes_next && *known == name);
    let (_, short) = names.iter().chain(long()).find(|(known, _)| *known == name)?;
    let (first, value) = (words.first()?, found.value?);
    let start = usize::from(first.range.start());
    let after = usize::from(first.range.start()) + option.len();
    let rest = &plan.text[after..];
    let between = if found.takes_next {
        rest.len() - rest.trim_start_matches([' ', '\t']).len()
    } else {
        usize::from(rest.starts_with('='))
    };
    // Something else than blanks, such as the end of a line, stays in front of the value.
    if between == 0 || option == short.trim_end() && !found.takes_next {
        return None;
    }
    if *short == "-l" {
        let end = usize::from(words.last()?.range.end());
        if build_library(value).is_some_and(|library| library.link.as_deref() == Some("")) {
            let place = range(start, end);
            let message = format!("HIP needs no `{value}`");
            return Some(Change::new(Topic::Library, place, message, vec![Edit::delete(removal(plan.text, place))]));
        }
        plan_library(plan, range(end.checked_sub(value.len())?, end), value);
    }
    let place = range(start, after + between);
    let message = format!("`{}` is `{}` for clang", option, short.trim_end());
    Some(Change::new(Topic::Option, place, message, vec![Edit::replace(place, *short)]))
}
