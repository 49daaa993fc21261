//! Loops over the names of CUDA's libraries: `foreach(part cublas curand) … CUDA::${part} …`.

use super::change::{Change, Topic};
use super::cmake_call::{Call, calls};
use super::planner::Plan;
use crate::build::Argument;
use crate::mapping::{BuildLibrary, build_library};
use crate::source::{Edit, TextRange, range};

/// The names of targets, in front of the variable of a loop.
const TARGETS: &str = "CUDA::";

/// A loop whose variable stands behind `CUDA::` alone.
pub(super) struct LibraryLoop<'p> {
    call: Call<'p>,
    /// What it goes through.
    libraries: Vec<(TextRange, &'static BuildLibrary)>,
    /// Where `CUDA::${variable}` stands.
    uses: Vec<TextRange>,
}

impl LibraryLoop<'_> {
    /// The packages of the libraries.
    pub(super) fn packages(&self) -> impl Iterator<Item = &'static str> {
        self.libraries.iter().map(|(_, library)| library.package.as_str())
    }
}

/// The loops of a file.
pub(super) fn library_loops<'p>(plan: &'p Plan<'p>) -> impl Iterator<Item = LibraryLoop<'p>> {
    calls(plan).filter(|call| call.is("foreach")).filter_map(library_loop)
}

/// Plans the loops: they go through HIP's targets.
pub(super) fn plan_loops<'p>(plan: &'p Plan<'p>) {
    for found in library_loops(plan) {
        let variable = found.call.text(0);
        let items = found.libraries.iter().map(|(place, library)| Edit::replace(*place, library.target.as_str()));
        let uses = found.uses.iter().map(|place| Edit::replace(*place, format!("${{{variable}}}")));
        let message = format!("`{variable}` goes through libraries of CUDA's");
        plan.add(Change::new(Topic::Library, found.call.command.range, message, items.chain(uses).collect()));
    }
}

/// Whether the `CUDA::` at a place belongs to such a loop.
pub(super) fn is_in_loop(plan: &Plan<'_>, name: TextRange) -> bool {
    plan.slice(name) == TARGETS
        && library_loops(plan).any(|found| found.uses.iter().any(|place| place.start() == name.start()))
}

fn library_loop(call: Call<'_>) -> Option<LibraryLoop<'_>> {
    let mut items = call.arguments().get(1..)?;
    for word in ["IN", "ITEMS"] {
        if let [first, rest @ ..] = items
            && call.plan.slice(first.inner) == word
        {
            items = rest;
        }
    }
    let library = |item: &Argument| {
        let library = build_library(call.plan.slice(item.inner))?;
        (!library.target.is_empty()).then_some((item.inner, library))
    };
    let libraries = items.iter().map(library).collect::<Option<Vec<_>>>().filter(|all| !all.is_empty())?;
    let reference = format!("${{{}}}", call.text(0));
    let mut uses = Vec::new();
    for inner in body(call) {
        for argument in inner.arguments() {
            let (text, start) = (call.plan.slice(argument.inner), usize::from(argument.inner.start()));
            for (at, _) in text.match_indices(&reference) {
                let Some(front) = text[..at].strip_suffix(TARGETS) else {
                    // What a message says is for people.
                    if inner.is("message") {
                        continue;
                    }
                    return None;
                };
                uses.push(range(start + front.len(), start + at + reference.len()));
            }
        }
    }
    (!uses.is_empty()).then_some(LibraryLoop { call, libraries, uses })
}

/// The commands of a loop.
fn body(opening: Call<'_>) -> Vec<Call<'_>> {
    let behind = calls(opening.plan).skip_while(|call| call.command.range.start() <= opening.command.range.start());
    let mut depth = 1_usize;
    let is_inside = |call: &Call<'_>| {
        depth = if call.is("foreach") { depth + 1 } else { depth - usize::from(call.is("endforeach")) };
        depth > 0
    };
    behind.take_while(is_inside).collect()
}
