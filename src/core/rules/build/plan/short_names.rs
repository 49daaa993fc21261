//! Options that clang has, too, but not by all the names that nvcc has for them, or not with the value as nvcc takes it
//! (NVIDIA, "CUDA Compiler Driver NVCC", section 4.2; LLVM, "Clang command line argument reference").

use super::change::{Change, Topic, stays};
use super::linked_libraries::plan_library;
use super::planner::Plan;
use super::style::removal;
use crate::build::Word;
use crate::mapping::{FoundOption, build_library};
use crate::source::{Edit, TextRange, range};

/// An option with a value.
struct Named {
    /// The names that nvcc has for it, with one dash or two.
    names: &'static [&'static str],
    /// What clang calls it. A value stands right behind one that does not end with a blank.
    short: &'static str,
    /// Whether clang takes the value as a word of its own, too.
    apart: bool,
    /// Whether nvcc takes several values with commas between them.
    lists: bool,
}

const fn named(names: &'static [&'static str], short: &'static str, (apart, lists): (bool, bool)) -> Named {
    Named { names, short, apart, lists }
}

const NAMED: &[Named] = &[
    named(&["D", "define-macro"], "-D", (true, true)),
    named(&["I", "include-path"], "-I", (true, true)),
    named(&["L", "library-path"], "-L", (true, true)),
    named(&["O", "optimize"], "-O", (false, false)),
    named(&["U", "undefine-macro"], "-U", (true, true)),
    named(&["frandom-seed"], "-frandom-seed=", (false, false)),
    named(&["ftemplate-backtrace-limit"], "-ftemplate-backtrace-limit=", (false, false)),
    named(&["ftemplate-depth"], "-ftemplate-depth=", (false, false)),
    named(&["include", "pre-include"], "-include ", (true, true)),
    named(&["isystem", "system-include"], "-isystem ", (true, true)),
    named(&["l", "library"], "-l", (false, true)),
    named(&["o", "output-file"], "-o ", (true, false)),
    named(&["std"], "-std=", (false, false)),
];

/// The option as clang takes it, if that is something else than what stands there. The value stays where it is.
pub(super) fn by_short_name(
    plan: &Plan<'_>,
    (words, option): (&[Word], &str),
    found: FoundOption<'_>,
) -> Option<Change> {
    let name = option.trim_start_matches('-');
    let known = NAMED.iter().find(|known| known.names.contains(&name))?;
    let (first, value) = (words.first()?, found.value?);
    let start = usize::from(first.range.start());
    let rest = &plan.text[start + option.len()..];
    let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    let between = if found.takes_next { blanks } else { usize::from(rest.starts_with('=')) };
    let is_short = option.trim_end() == known.short.trim_end_matches([' ', '=']);
    let is_clangs = is_short && if found.takes_next { known.apart } else { known.short.ends_with('=') };
    // The end of a line may stand in front of the value.
    if between == 0 || rest[between..].starts_with(['\\', '\n']) || is_clangs {
        return None;
    }
    if known.lists && value.contains(',') {
        return Some(stays(first.range, option, "several values stand behind it, with commas between them"));
    }
    if known.short == "-l" {
        let end = usize::from(words.last()?.range.end());
        let place = end.checked_sub(value.len()).map(|at| range(at, end))?;
        if let Some(gone) = without_library(plan, range(start, end), value) {
            return Some(gone);
        }
        plan_library(plan, place, value);
    }
    let place = range(start, start + option.len() + between);
    let message = format!("`{option}` is `{}` for clang", known.short.trim_end());
    Some(Change::new(Topic::Option, place, message, vec![Edit::replace(place, known.short)]))
}

/// A library that HIP needs nothing for goes with its option.
fn without_library(plan: &Plan<'_>, place: TextRange, name: &str) -> Option<Change> {
    let library = build_library(name).filter(|library| library.link.as_deref() == Some(""))?;
    let message = format!("HIP needs no `{}`", library.cuda);
    Some(Change::new(Topic::Library, place, message, vec![Edit::delete(removal(plan, place))]))
}
