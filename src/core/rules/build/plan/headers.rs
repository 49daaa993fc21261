//! Headers of CUDA's that build files name: by a path, as what is looked for, and as what is included in each source.

use super::change::{Change, Topic};
use super::planner::Plan;
use crate::build::Word;
use crate::diagnostic::Severity;
use crate::mapping::{Entry, Kind, Support};
use crate::source::{TextRange, range};

/// Options whose value is a header.
const INCLUDING: &[&str] = &["-include", "--include", "-pre-include", "--pre-include"];

/// Plans the name of a header of CUDA's, if it is one.
pub(super) fn plan_header(plan: &Plan<'_>, place: TextRange) {
    let name = plan.slice(place);
    let Some(entry) = header(plan, name) else { return };
    if entry.support < Support::Differs || entry.hip.is_empty() {
        let message = format!("nothing takes the whole place of `{name}`");
        plan.add(Change::left(place, message, entry.note));
    } else if entry.hip != name {
        let change = Change::rename(Topic::Library, place, (name, entry.hip));
        let differs = entry.support == Support::Differs;
        let severity = differs.then_some(Severity::Info).or(change.severity);
        let note = differs.then(|| entry.note.to_owned());
        plan.add(Change { severity, ..change.with_note(note) });
    }
}

/// The header of CUDA's that has this name.
pub(super) fn header<'p>(plan: &Plan<'p>, name: &str) -> Option<&'p Entry> {
    plan.table.get(name).iter().find(|entry| entry.kind == Kind::Header)
}

/// Plans the headers among words of a command line: what an option has included, and files below a folder of the system's or of a
/// variable.
pub(super) fn plan_named_headers(plan: &Plan<'_>, found: &[Word]) {
    for (at, word) in found.iter().enumerate() {
        let text = plan.slice(word.range);
        if at.checked_sub(1).is_some_and(|before| INCLUDING.contains(&plan.slice(found[before].range))) {
            plan_header(plan, word.range);
        } else if let Some((_, name)) = text.split_once('=').filter(|(option, _)| INCLUDING.contains(option)) {
            plan_header(plan, plan.place(name));
        }
        let Some((folder, name)) = text.rsplit_once("/include/").filter(|(folder, _)| folder.starts_with(['/', '$']))
        else {
            continue;
        };
        // `/include/*` names none.
        if !folder.contains("-I") {
            let end = usize::from(word.range.end());
            plan_header(plan, range(end - name.len(), end));
        }
    }
}
