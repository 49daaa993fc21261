//! Names that HIP has no counterpart for.

use super::helpers::changed_arguments;
use super::standard_limits::{is_namespace, serves};
use crate::diagnostic::RuleInfo;
use crate::rules::context::Context;
use crate::rules::kernel;
use crate::rules::meaning::Meaning;
use crate::rules::query::{Name, Names};
use crate::rules::rule::{Rule, declare_rule};

declare_rule! {
    /// ## What it does
    /// Finds names of CUDA that HIP has no counterpart for in any release.
    ///
    /// ## Why is this bad?
    /// The converted program does not compile, or does not load, until a person replaces the call.
    ///
    /// ## Example
    /// ```cuda
    /// cudaDeviceFlushGPUDirectRDMAWrites(target, scope);
    /// ```
    ///
    /// ## What to do
    /// Follow the advice of the finding where there is some; else guard the code with
    /// `#if !defined(__HIP_PLATFORM_AMD__)` and provide another way.
    UnsupportedName { code: "A003", name: "unsupported-name", severity: Error, fix: None, since: "0.1.0" }
}

impl Rule for UnsupportedName {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Names;

    fn check<'d>(name: Name<'d>, cx: &mut Context<'d>) {
        let Meaning::Missing(entry) = name.meaning else { return };
        let is_served = is_namespace(entry.cuda) && serves(cx);
        if is_served || changed_arguments(&name, cx).is_some() || kernel::reports(&name, cx) {
            return;
        }
        let message = format!("`{}` has no counterpart in HIP", name.text);
        let finding = cx.report(name.range, message);
        finding.note(entry.note);
        if !entry.roc.is_empty() {
            finding.note(format!("AMD's own library has `{}`; choose it with the library option", entry.roc));
        }
    }
}
