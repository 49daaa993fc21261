//! What a rule is.

use super::context::Context;
use super::query::{Checker, Query};
use crate::diagnostic::RuleInfo;

/// One check. Its documentation is the page that `explain` prints.
pub trait Rule {
    /// What is known about the rule before it runs; filled by `declare_rule!`.
    const INFO: RuleInfo;
    /// What the rule looks at.
    type Query: Query;
    /// Looks at one such thing and reports to `cx`.
    fn check<'d>(found: <Self::Query as Query>::Of<'d>, cx: &mut Context<'d>);
}

/// A rule in the registry, with its type erased.
#[derive(Clone, Copy)]
pub struct Registered {
    /// What is known about it.
    pub info: &'static RuleInfo,
    /// Makes the function to call.
    pub checker: fn() -> Checker,
}

impl Registered {
    /// Erases the type of a rule.
    pub(super) const fn new<R: Rule>() -> Registered {
        Registered { info: &R::INFO, checker: || R::Query::checker(R::check) }
    }
}

/// Declares the type of a rule and its [`RuleInfo`]; the doc comment becomes the rule's page.
macro_rules! declare_rule {
    (
        $(#[doc = $doc:literal])*
        $rule:ident { code: $code:literal, name: $name:literal, severity: $severity:ident, fix: $fix:ident, since: $since:literal $(,)? }
    ) => {
        $(#[doc = $doc])*
        pub(crate) struct $rule;

        impl $rule {
            pub(crate) const RULE_INFO: crate::diagnostic::RuleInfo = crate::diagnostic::RuleInfo {
                code: $code,
                name: $name,
                severity: crate::diagnostic::Severity::$severity,
                fix: crate::diagnostic::FixAvailability::$fix,
                since: $since,
                docs: concat!($($doc, "\n"),*),
            };
        }
    };
}

pub(crate) use declare_rule;
