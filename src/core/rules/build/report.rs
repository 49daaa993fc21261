//! Reports the changes of a topic.

use std::rc::Rc;

use super::plan::Topic;
use crate::diagnostic::Fix;
use crate::rules::context::Context;

/// Reports what the plan of the file says about a topic.
pub(super) fn report(topic: Topic, cx: &mut Context<'_>) {
    let changes = cx.build_changes();
    for change in Rc::clone(&changes).iter().filter(|change| change.topic == topic) {
        let finding = cx.report(change.range, change.message.as_str());
        if let Some(note) = &change.note {
            finding.note(note.as_str());
        }
        if let Some(severity) = change.severity {
            finding.severity(severity);
        }
        if !change.edits.is_empty() {
            finding.fix(Fix::safe(title(topic), change.edits.clone()));
        }
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
