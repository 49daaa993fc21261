//! Reports the changes of a topic.

use std::rc::Rc;

use super::plan::{Change, Topic, changes_of};
use crate::analysis::Kernels;
use crate::diagnostic::Fix;
use crate::rules::context::Context;

impl Context<'_> {
    /// What the build file becomes, planned on the first call; nothing for other files.
    pub(super) fn build_changes(&self) -> Rc<Vec<Change>> {
        let plan = || {
            let build = self.document.build();
            Rc::new(build.map_or_else(Vec::new, |build| {
                let file = self.document.file();
                changes_of(file, build, (self.settings, self.table), self.project)
            }))
        };
        Rc::clone(self.build_changes.get_or_init(plan))
    }
}

/// Reports what the plan of the file says about a topic.
pub(super) fn report(topic: Topic, cx: &mut Context<'_>) {
    let changes = cx.build_changes();
    let unbounded = unbounded_kernels(&cx.project.kernels);
    for change in Rc::clone(&changes).iter().filter(|change| change.topic == topic) {
        let finding = cx.report(change.range, change.message.as_str());
        if let Some(note) = &change.note {
            finding.note(note.as_str());
        }
        if change.topic == Topic::Unsupported && change.message.contains(REGISTERS) {
            finding.note(unbounded.as_str());
        }
        if let Some(severity) = change.severity {
            finding.severity(severity);
        }
        if !change.edits.is_empty() {
            finding.fix(Fix::safe(title(topic), change.edits.clone()));
        }
    }
}

/// The option that bounds the registers of all kernels of a file.
const REGISTERS: &str = "maxrregcount";

/// How many names a note lists.
const LISTED: usize = 4;

/// The kernels of the project that lose their bound with the option; nothing where there are none.
fn unbounded_kernels(kernels: &Kernels) -> String {
    let names: Vec<String> = kernels.unbounded().into_iter().map(|name| format!("`{name}`")).collect();
    let listed = names.iter().take(LISTED).map(String::as_str).collect::<Vec<_>>().join(", ");
    match names.len() {
        0 => String::new(),
        count if count > LISTED => format!("kernels of which no bound is known: {listed} and {} more", count - LISTED),
        _ => format!("kernels of which no bound is known: {listed}"),
    }
}

/// What the fixes of a topic do.
fn title(topic: Topic) -> &'static str {
    match topic {
        Topic::Unsupported => "remove the option",
        Topic::Option => "give clang its own option",
        Topic::Language => "have CMake compile HIP",
        Topic::Library => "name what ROCm has in its place",
        Topic::Compiler => "call hipcc",
        Topic::Source => "tell that the sources are HIP",
        Topic::Left | Topic::Product => "say it for HIP",
    }
}
