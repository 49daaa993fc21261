//! Names whose HIP counterpart behaves differently or covers some uses only.

use super::helpers::{changed_arguments, needs_its_call};
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::mapping::{Kind, Support};
use crate::rules::context::Context;
use crate::rules::meaning::Meaning;
use crate::rules::query::{Name, Names};
use crate::rules::rule::{Rule, declare_rule};
use crate::rules::{kernel, wave};
use crate::source::Edit;
use crate::syntax::{Document, TokenIdx, TokenKind, split_arguments};

declare_rule! {
    /// ## What it does
    /// Finds names of CUDA whose HIP counterpart behaves differently, has no effect on AMD GPUs,
    /// or covers some uses only. The finding says what differs.
    ///
    /// ## Why is this bad?
    /// The converted program compiles, but this line may not do what it did.
    ///
    /// ## Example
    /// ```cuda
    /// CUdeviceptr buffer;
    /// ```
    /// Use instead:
    /// ```hip
    /// hipDeviceptr_t buffer;
    /// ```
    ///
    /// ## Fix safety
    /// Safe where the counterpart takes the same arguments: without it the program does not
    /// compile, and the finding stays in the report for a person to check. Unsafe where the
    /// counterpart covers some uses only, and where a structure that differs is initialised by
    /// position.
    LossyName { code: "A002", name: "lossy-name", severity: Info, fix: Always, since: "0.1.0" }
}

impl Rule for LossyName {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Names;

    fn check<'d>(name: Name<'d>, cx: &mut Context<'d>) {
        let (to, entry) = match name.meaning {
            Meaning::Renamed(to, entry) => (to, entry),
            Meaning::Same(entry) => (entry.hip, entry),
            _ => return,
        };
        let reported = changed_arguments(&name, cx).is_some()
            || needs_its_call(&name, cx)
            || kernel::reports(&name, cx)
            || wave::reports(&name, cx);
        if entry.support == Support::Full || reported {
            return;
        }
        let title = format!("rename to `{to}`");
        let edits = vec![Edit::replace(name.range, to)];
        let partial = entry.support == Support::Partial;
        let what = if partial { "covers some uses only" } else { "differs" };
        let by_position = entry.kind == Kind::Type && is_initialised_by_position(name.token, cx.document);
        let finding = cx.report(name.range, format!("`{to}`, which stands for `{}` in HIP, {what}", name.text));
        finding.note(entry.note);
        if to == name.text {
            return;
        }
        if by_position {
            finding.note("it is initialised by position here");
        }
        if partial || by_position {
            // Left alone, the name does not compile.
            finding.severity(Severity::Warning).fix(Fix::risky(title, edits));
        } else {
            finding.fix(Fix::safe(title, edits));
        }
    }
}

/// `T name = {a, b}`, `T{a, b}`
fn is_initialised_by_position(name: TokenIdx, document: &Document) -> bool {
    let is_name = |idx| document.token(idx).is_some_and(|token| token.kind == TokenKind::Ident);
    let mut open = name + 1;
    open += usize::from(is_name(open));
    open += usize::from(document.is(open, b'='));
    let Some(close) = document.partner(open).filter(|_| document.is(open, b'{')) else { return false };
    let values = split_arguments(document, open + 1..close);
    values.len() > 1 && values.iter().all(|value| !document.is(value.start, b'.'))
}
