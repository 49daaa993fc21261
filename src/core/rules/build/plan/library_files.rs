//! Libraries of CUDA's that are named as files, such as `libcublas.so`.

use super::change::{Change, Topic};
use super::planner::Plan;
use crate::mapping::{BuildLibrary, build_library};
use crate::source::{TextRange, range};

/// A library that a text names as a file.
struct NamedFile {
    library: &'static BuildLibrary,
    place: TextRange,
    has_version: bool,
    /// What stands behind the name for HIP: nothing where a `*` stands for it.
    ending: &'static str,
}

/// Plans the files of libraries in a part of the text.
pub(super) fn plan_library_files(plan: &Plan<'_>, part: TextRange) {
    let text = plan.slice(part);
    let start = usize::from(part.start());
    let found = text.match_indices("lib").filter_map(|(at, _)| named_file(text, at, start));
    found.for_each(|file| plan_file(plan, &file));
}

/// The library whose file is named at a place.
fn named_file(text: &str, at: usize, start: usize) -> Option<NamedFile> {
    let is_inside = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if text[..at].ends_with(is_inside) {
        return None;
    }
    let rest = &text[at + "lib".len()..];
    let len = rest.find(|c: char| !is_inside(c))?;
    let (before, ending) = if rest[len..].starts_with(['*', '?']) {
        ("", "")
    } else {
        ([".so", ".a"].into_iter().find(|ending| rest[len..].starts_with(ending))?, ".so")
    };
    let behind = &rest[len + before.len()..];
    let library = build_library(&rest[..len]).filter(|_| !behind.starts_with(is_inside))?;
    let version = behind.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(behind.len());
    // `.so.*` names no version.
    let version = if behind[..version].contains(|c: char| c.is_ascii_digit()) { version } else { 0 };
    let end = at + "lib".len() + len + before.len() + version;
    Some(NamedFile { library, place: range(start + at, start + end), has_version: version > 0, ending })
}

fn plan_file(plan: &Plan<'_>, file: &NamedFile) {
    let name = plan.slice(file.place);
    let left = |message: String, advice: &str| plan.add(Change::left(file.place, message, advice));
    match (&file.library.link, &file.library.advice) {
        (Some(link), _) if link.is_empty() => left(format!("HIP needs no `{name}`"), "remove it"),
        (Some(link), _) if file.has_version => {
            let advice = format!("`lib{link}.so` has versions of its own");
            left(format!("`{name}` is a version of CUDA's library"), &advice);
        }
        (Some(link), _) => {
            let new = format!("lib{link}{}", file.ending);
            plan.add(Change::rename(Topic::Library, file.place, (name, &new)));
        }
        (None, advice) => {
            left(format!("nothing takes the place of `{name}`"), advice.as_deref().unwrap_or_default());
        }
    }
}
