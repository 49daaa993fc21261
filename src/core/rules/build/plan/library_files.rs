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
    /// Whether a `*` stands for what follows the name.
    is_pattern: bool,
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
    if rest[len..].starts_with(['*', '?']) {
        let place = range(start + at, start + at + "lib".len() + len);
        return build_library(&rest[..len]).map(|library| NamedFile {
            library,
            place,
            has_version: false,
            is_pattern: true,
        });
    }
    let ending = [".so", ".a"].into_iter().find(|ending| rest[len..].starts_with(ending))?;
    let behind = &rest[len + ending.len()..];
    let library = build_library(&rest[..len]).filter(|_| !behind.starts_with(is_inside))?;
    let version = behind.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(behind.len());
    // `.so.*` names no version.
    let version = if behind[..version].contains(|c: char| c.is_ascii_digit()) { version } else { 0 };
    let end = at + "lib".len() + len + ending.len() + version;
    let place = range(start + at, start + end);
    Some(NamedFile { library, place, has_version: version > 0, is_pattern: false })
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
            let ending = if file.is_pattern { "" } else { ".so" };
            plan.add(Change::rename(Topic::Library, file.place, (name, &format!("lib{link}{ending}"))));
        }
        (None, advice) => {
            left(format!("nothing takes the place of `{name}`"), advice.as_deref().unwrap_or_default());
        }
    }
}
