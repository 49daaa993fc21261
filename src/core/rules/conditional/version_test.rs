//! Conditions on version numbers of CUDA and its libraries.

use super::helpers::{is_guarded, only_fails, outcome, outside_conditions};
use super::judgement::{Case, Truth, names};
use super::left_out::why_right;
use super::macros::{Macro, Reading, classify};
use super::parts::Place;
use super::polyfill::without_repetition;
use crate::analysis::Expression;
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;
use crate::syntax::TokenIdx;

declare_rule! {
    /// ## What it does
    /// Finds conditions on version macros of CUDA, its compiler and its libraries, such as
    /// `CUDART_VERSION` and `CUBLAS_VER_MAJOR`, and says which branch HIP compilers take.
    ///
    /// ## Why is this bad?
    /// The macros are undefined in HIP and count as 0 in a condition: the code for the oldest
    /// release is compiled, with functions that HIP may not have. HIP's own version numbers say
    /// something else and cannot stand in.
    ///
    /// ## Example
    /// ```cuda
    /// #if CUDART_VERSION >= 11020
    /// int pools = 1;
    /// #endif
    /// ```
    /// Use instead:
    /// ```hip
    /// #if defined(__HIP_PLATFORM_AMD__) || CUDART_VERSION >= 11020
    /// int pools = 1;
    /// #endif
    /// ```
    ///
    /// ## Fix safety
    /// Unsafe: it takes HIP for CUDA 12, whose interface it follows, but not in every function.
    /// Numbers within CUDA 12 and library versions that HIP does not follow get no fix. Safe
    /// where the branch taken defines a function that HIP's headers define as well.
    VersionTest { code: "C006", name: "version-test", severity: Warning, fix: Sometimes, since: "0.1.0" }
}

impl Rule for VersionTest {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        for case in &Case::all(cx) {
            let first = case.names_of(cx, |found| matches!(found, Macro::Version(_))).next();
            if let Some(name) = first.filter(|_| !case.is_settled(cx)) {
                report(case, name, cx);
            }
        }
        let mut told = None;
        for (name, place) in outside_conditions(cx) {
            if !matches!(classify(&name.text, cx), Macro::Version(_)) {
                continue;
            }
            // One warning for a macro that is made of several numbers.
            let directive = cx.document.directive_of(name.token).map(|directive| directive.tokens.start);
            let is_told = std::mem::replace(&mut told, directive) == directive;
            let (severity, effect) = match place {
                Place::MacroBody if is_told => (Severity::Info, "and counts as 0 in conditions"),
                Place::Code => (Severity::Error, "so this does not compile"),
                Place::MacroBody if is_guarded(name.token, cx) => (Severity::Info, "and counts as 0 in conditions"),
                Place::MacroBody | Place::Presence => (Severity::Warning, "and counts as 0 in conditions"),
                Place::Defined | Place::Undefined => continue,
            };
            let note = cx.table.get(&name.text).first().map(|entry| entry.note).unwrap_or_default();
            let message = format!("`{}` is undefined in HIP, {effect}", name.text);
            cx.report(name.range, message).severity(severity).note(note);
        }
    }
}

fn report(case: &Case<'_>, name: TokenIdx, cx: &mut Context<'_>) {
    let Some(token) = cx.document.token(name) else { return };
    let naming =
        |number, found: Macro<'_>| if let Macro::Version(version) = found { version.release(number) } else { None };
    let outcome = outcome(case, name, naming, cx);
    let (converted, meant) = (case.as_converted(cx), case.as_meant(cx));
    let is_right = converted.is_known() && converted == meant;
    let repetition =
        if is_right { None } else { without_repetition(case, (converted.constant(), meant.constant()), cx) };
    let why = match is_right {
        true => Some("with CUDA 12 it is the same"),
        false if repetition.is_some() => None,
        false => why_right(case, converted, cx),
    };
    let stops = why.is_none() && meant.constant() == Some(false) && only_fails(case, cx.document);
    let fix = if why.is_some() { None } else { repetition.or_else(|| by_release(case, stops, cx)) };
    let message = format!("`{}` is undefined in HIP, {outcome}", cx.document.slice(token.range()));
    let finding = cx.report(token.range(), message);
    if let Some(why) = why {
        finding.severity(Severity::Info).note(why);
    } else if stops {
        finding.severity(Severity::Info).note("the check would stop the compiler, and passes with CUDA 12");
    } else {
        finding.note("decide which branch HIP is to take; HIP counts its own releases in `HIP_VERSION`");
    }
    if let Some(fix) = fix {
        finding.fix(fix);
    }
}

/// A fix that decides each part about versions as CUDA 12 would.
fn by_release(case: &Case<'_>, stops: bool, cx: &Context<'_>) -> Option<Fix> {
    let mut edits = Vec::new();
    collect(case, case.expression, &mut edits, cx);
    let title = "take the branch that CUDA 12 takes";
    (!edits.is_empty()).then(|| if stops { Fix::safe(title, edits) } else { Fix::risky(title, edits) })
}

fn collect(case: &Case<'_>, part: &Expression, edits: &mut Vec<Edit>, cx: &Context<'_>) {
    let versions = names(cx.document, part).map(|name| match classify(&cx.document.name(name), cx) {
        Macro::Version(version) => Some(version),
        _ => None,
    });
    let versions: Vec<_> = versions.collect();
    let only_versions = versions.iter().all(Option::is_some);
    let Some(first) = versions.iter().flatten().next() else { return };
    let (converted, meant) = (Truth::of(part, case.reading, cx), Truth::of(part, Reading::Meant, cx));
    if converted == meant && converted.is_known() {
        return;
    }
    if !only_versions {
        part.parts().iter().for_each(|part| collect(case, part, edits, cx));
        return;
    }
    if let Some(truth) = meant.constant() {
        edits.extend(case.forced(part, truth, first.guard(), cx.document));
    }
}
