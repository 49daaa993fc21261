//! The project's own names that look like CUDA's.

use crate::analysis::Declaration;
use crate::diagnostic::{Diagnostic, RuleInfo};
use crate::rules::context::Context;
use crate::rules::meaning::{Meaning, Owner};
use crate::rules::query::{Name, Names};
use crate::rules::rule::{Rule, declare_rule};
use crate::syntax::{Document, TokenIdx};

declare_rule! {
    /// ## What it does
    /// Lists names that look like CUDA's and were left alone because they are the project's own:
    /// declared by one of its files, a member of a class, or in a scope that is not CUDA's.
    ///
    /// ## Why is this bad?
    /// It is not. The list is there so that nothing is passed over in silence.
    ///
    /// ## Example
    /// ```cuda
    /// mylib::cudaMalloc(&pointer, size);
    /// ```
    OwnName { code: "A006", name: "own-name", severity: Hint, fix: None, since: "0.1.0" }
}

impl Rule for OwnName {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Names;

    fn check<'d>(name: Name<'d>, cx: &mut Context<'d>) {
        let Meaning::Own(owner) = name.meaning else { return };
        let whose = match owner {
            Owner::File(Declaration::Macro) => "is a macro of this file".to_owned(),
            Owner::File(_) => "is declared in this file".to_owned(),
            Owner::Project => "is declared by another file of the project".to_owned(),
            Owner::Class => "is a member".to_owned(),
            Owner::Listed => "is on the list of names to keep".to_owned(),
            Owner::Scope(outer) => format!("belongs to `{}`", scope_name(cx.document, outer)),
        };
        cx.report(name.range, format!("`{}` {whose}; it was left as it is", name.text));
    }
}

/// The name of a scope that ends at `last`: itself, or what stands before its template arguments.
fn scope_name(document: &Document, last: TokenIdx) -> &str {
    let mut depth = 0;
    for idx in (0..=last).rev() {
        depth += i32::from(document.is(idx, b'>')) - i32::from(document.is(idx, b'<'));
        if depth == 0 {
            return document.token_text(if document.is(idx, b'<') { idx.saturating_sub(1) } else { idx });
        }
    }
    document.token_text(last)
}

/// Turns a finding of [`super::UnknownName`] into one of this rule: another file declares the name.
pub(crate) fn declared_elsewhere(finding: &mut Diagnostic, name: &str) {
    finding.rule = &OwnName::RULE_INFO;
    finding.severity = OwnName::RULE_INFO.severity;
    finding.message = format!("`{name}` is declared by another file of the project; it was left as it is");
}

/// Whether a finding says that nobody knows a name.
pub(crate) fn is_unknown(finding: &Diagnostic) -> bool {
    finding.rule.code == super::UnknownName::RULE_INFO.code
}
