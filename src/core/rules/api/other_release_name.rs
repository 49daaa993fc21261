//! Names that HIP has, but not in the release asked for.

use std::rc::Rc;

use super::helpers::{changed_arguments, is_dropped};
use crate::diagnostic::RuleInfo;
use crate::mapping::Entry;
use crate::rules::context::Context;
use crate::rules::meaning::Meaning;
use crate::rules::query::{Files, Name, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::rules::{kernel, wave};

declare_rule! {
    /// ## What it does
    /// Finds names of CUDA whose HIP counterpart came later than the ROCm release asked for, or
    /// was removed before it. The finding names the releases.
    ///
    /// ## Why is this bad?
    /// The name does not exist in the headers of that release.
    ///
    /// ## Example
    /// With `--rocm 6.4`:
    /// ```cuda
    /// cudaLaunchKernelExC(&config, kernel, arguments);
    /// ```
    ///
    /// ## What to do
    /// Convert for a release that has it (`--rocm`), or replace the call.
    OtherReleaseName { code: "A004", name: "other-release-name", severity: Error, fix: None, since: "0.1.0" }
}

impl Rule for OtherReleaseName {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check<'d>(_: WholeFile, cx: &mut Context<'d>) {
        let names = Rc::clone(&cx.names);
        for name in names.iter() {
            let Meaning::OtherRelease(entry) = name.meaning else { continue };
            let is_settled = changed_arguments(&name, cx).is_some()
                || is_dropped(&name, &names, cx)
                || wave::reports(&name, cx)
                || kernel::emulated(&name, cx).is_some();
            if !is_settled {
                report(&name, entry, cx);
            }
        }
    }
}

fn report(name: &Name<'_>, entry: &Entry, cx: &mut Context<'_>) {
    let rocm = cx.settings.rocm;
    let when = match (entry.range.since, entry.range.until) {
        (Some(since), _) if rocm < since => format!("exists from ROCm {since} on"),
        (_, Some(until)) => format!("existed until ROCm {until}"),
        _ => "exists in other releases".to_owned(),
    };
    let message = format!("`{}`, the counterpart of `{}`, {when}; not in ROCm {rocm}", entry.hip, name.text);
    cx.report(name.range, message).note(entry.note);
}
