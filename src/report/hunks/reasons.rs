//! Why fixes are made: their rules, messages, and how sure they are.

use super::paint::{Paint, Role};
use super::visible::visible;
use crate::diagnostic::{Applicability, Diagnostic, Severity};

/// The word for the least sure of `fixes`.
pub fn safety<'f>(fixes: impl Iterator<Item = &'f Diagnostic>) -> &'static str {
    let sureness = fixes.filter_map(|finding| finding.fix.as_ref()).map(|fix| fix.applicability).min();
    if sureness == Some(Applicability::Safe) { "safe" } else { "unsafe" }
}

/// Why each of `fixes` is made, in the order of the text; equal ones once. `versions` tells since and until when
/// there is what a name becomes.
pub fn reasons(fixes: &[&Diagnostic], versions: impl Fn(&Diagnostic) -> Option<String>, paint: Paint) -> String {
    let mut shown: Vec<(String, usize)> = Vec::new();
    for finding in fixes {
        let text = reason(finding, versions(finding), paint);
        match shown.iter_mut().find(|(other, _)| *other == text) {
            Some((_, count)) => *count += 1,
            None => shown.push((text, 1)),
        }
    }
    let with_count = |(text, count): (String, usize)| match count {
        1 => text,
        count => text.replacen('\n', &format!(" ({count} times)\n"), 1),
    };
    shown.into_iter().map(with_count).collect()
}

fn reason(finding: &Diagnostic, versions: Option<String>, paint: Paint) -> String {
    let (role, word) = match (finding.severity, safety(std::iter::once(finding))) {
        (Severity::Error, word) => (Role::Error, word),
        (_, "safe") => (Role::Info, "safe"),
        (_, word) => (Role::Warning, word),
    };
    let (code, name, message) = (finding.rule.code, finding.rule.name, visible(&finding.message));
    let mut text = paint.text(role, word);
    text.extend([" ", code, " ", name, ": ", &message, "\n"]);
    // The message of a plain translation says it all.
    if let Some(fix) = finding.fix.as_ref().filter(|_| finding.severity > Severity::Hint) {
        line(&mut text, paint, "fix", &fix.title);
    }
    if let Some(versions) = versions {
        line(&mut text, paint, "versions", &versions);
    }
    for advice in &finding.notes {
        line(&mut text, paint, "note", advice);
    }
    text
}

fn line(out: &mut String, paint: Paint, kind: &str, text: &str) {
    paint.push(out, Role::Margin, &format!("  {kind}: "));
    out.push_str(&visible(text));
    out.push('\n');
}
