//! Names of NVIDIA's libraries that no table covers.

use crate::diagnostic::RuleInfo;
use crate::rules::context::Context;
use crate::rules::meaning::Meaning;
use crate::rules::query::{Name, Names};
use crate::rules::rule::{Rule, declare_rule};

declare_rule! {
    /// ## What it does
    /// Finds names of NVIDIA's libraries that hipshift has no table for, such as NPP, nvJPEG, cuTENSOR and CUPTI.
    ///
    /// ## Why is this bad?
    /// They were not converted. AMD may have a library for the same purpose, with another interface.
    ///
    /// ## Example
    /// ```cuda
    /// #include <nppi.h>
    /// NppStatus status = nppiSet_8u_C1R(0, image, step, size);
    /// ```
    ///
    /// ## What to do
    /// Port the calls to the library that the note names, or to kernels of your own; or keep them behind
    /// `#if !defined(__HIP_PLATFORM_AMD__)`.
    UnmappedLibrary { code: "A026", name: "unmapped-library", severity: Error, fix: None, since: "0.2.0" }
}

impl Rule for UnmappedLibrary {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Names;

    fn check<'d>(name: Name<'d>, cx: &mut Context<'d>) {
        let Meaning::OfLibrary(family) = name.meaning else { return };
        let finding =
            cx.report(name.range, format!("`{}` is of {}, which was not converted", name.text, family.library));
        if !family.counterpart.is_empty() {
            finding.note(format!("AMD's counterpart is {}", family.counterpart));
        }
        finding.note(family.note);
    }
}
