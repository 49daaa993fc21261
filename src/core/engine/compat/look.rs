//! What one file needs from a header, and what of its findings is left when the header is there.

use crate::diagnostic::{Applicability, Diagnostic, Findings, Severity};
use crate::engine::check::{Checked, check_and};
use crate::engine::convert::Outcome;
use crate::engine::decide::Decided;
use crate::engine::input::Input;
use crate::rules::{HeaderForm, HeaderUse, OwnUse, header_uses, is_served_by_any_header, own_uses};
use crate::source::Patch;

use super::needs::Needs;
use super::plan::{HeaderPlan, Planned};

/// The findings of a file, and what the header could do about them.
#[derive(Debug)]
pub struct SeenThrough {
    /// The findings.
    pub checked: Checked,
    /// Sorted by place.
    uses: Vec<HeaderUse>,
    own: Vec<(String, OwnUse)>,
}

/// Looks at a file.
pub fn look(input: Input<'_>) -> SeenThrough {
    let (checked, (mut uses, own)) = check_and(input, |cx| (header_uses(cx), own_uses(cx)));
    uses.sort_by_key(|place| place.range.start());
    SeenThrough { checked, uses, own }
}

impl SeenThrough {
    /// What the file needs, if fixes are wanted that are at least as sure as `wanted`.
    pub fn needs(self, wanted: Applicability) -> Needs {
        let mut needs = Needs::default();
        for finding in self.checked.found.iter() {
            if let Some(place) = place_of(&self.uses, &finding) {
                needs.add(place, is_wanted(&finding, wanted));
            }
        }
        self.own.into_iter().for_each(|(name, how)| needs.add_own(name, how));
        needs
    }
}

/// Tells the findings that the header of `plan` settles, which count as applied, from those that want an edit.
pub fn see_through(seen: SeenThrough, plan: &HeaderPlan, wanted: Applicability) -> Outcome {
    let SeenThrough { checked, uses, .. } = seen;
    let mut remaining = Vec::new();
    let mut applied: Findings = checked.found;
    applied.sift(|mut finding| {
        let place = place_of(&uses, &finding);
        let settled = match place {
            Some(place) => settle(place, plan),
            None if is_served_by_any_header(finding.rule) => Ok(()),
            None => Err("no header can do this"),
        };
        let Err(why) = settled else { return true };
        if is_wanted(&finding, wanted) {
            // What the conversion would have changed does not compile as it is, or means something else.
            finding.severity = finding.severity.max(Severity::Warning);
            finding.note(format!("{why}; edit the source, or take `--emit guarded` or `--emit hip`"));
        }
        remaining.push(finding);
        false
    });
    let Checked { suppressed, declared, .. } = checked;
    Outcome { patch: Patch::default(), applied, remaining, suppressed, declared, decided: Decided::default() }
}

fn settle(place: &HeaderUse, plan: &HeaderPlan) -> Result<(), &'static str> {
    if let HeaderForm::Include(_) = place.form {
        return Ok(());
    }
    match plan.get(&place.name) {
        Some(Ok(Planned::Calls(_))) if !place.fits_macro => {
            Err("a macro of the header takes its arguments in parentheses, split at each comma outside of parentheses")
        }
        Some(Ok(_)) => Ok(()),
        Some(Err(refusal)) => Err(refusal.as_str()),
        None => Err("no header can do this"),
    }
}

fn is_wanted(finding: &Diagnostic, wanted: Applicability) -> bool {
    finding.fix.as_ref().is_some_and(|fix| fix.applicability >= wanted)
}

fn place_of<'u>(uses: &'u [HeaderUse], finding: &Diagnostic) -> Option<&'u HeaderUse> {
    finding.fix.as_ref().filter(|fix| !fix.by_hand)?;
    let first = uses.partition_point(|place| place.range.start() < finding.range.start());
    let here = uses.iter().skip(first).take_while(|place| place.range.start() == finding.range.start());
    let mut same = here.filter(|place| place.range == finding.range && place.rule.code == finding.rule.code);
    same.next()
}
