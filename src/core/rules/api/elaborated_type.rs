//! `struct` and `enum` in front of types that are plain `typedef`s in HIP.

use crate::diagnostic::{Fix, RuleInfo};
use crate::rules::context::Context;
use crate::rules::meaning::Meaning;
use crate::rules::query::{Name, Names};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::{Edit, TextRange};

declare_rule! {
    /// ## What it does
    /// Finds types of CUDA that are named with `struct` or `enum` in front and whose HIP
    /// counterpart is a `typedef` of something with another name.
    ///
    /// ## Why is this bad?
    /// C++ does not allow the keyword in front of a `typedef`, so the renamed line does not
    /// compile.
    ///
    /// ## Example
    /// ```cuda
    /// struct cudaGraphicsResource* resource;
    /// ```
    /// Use instead:
    /// ```hip
    /// hipGraphicsResource* resource;
    /// ```
    ///
    /// ## Fix safety
    /// Safe.
    ElaboratedType { code: "A020", name: "elaborated-type", severity: Hint, fix: Always, since: "0.1.0" }
}

/// Types that HIP's headers (5.7 to 7.2) define as `typedef` of an unnamed type or of one with
/// another tag.
const TYPEDEFS: &[&str] = &[
    "hipExternalMemoryBufferDesc",
    "hipExternalMemoryHandleDesc",
    "hipExternalMemoryHandleType",
    "hipExternalMemoryMipmappedArrayDesc",
    "hipExternalSemaphoreHandleDesc",
    "hipExternalSemaphoreHandleType",
    "hipExternalSemaphoreSignalParams",
    "hipExternalSemaphoreWaitParams",
    "hipGraphicsResource",
    "hipLaunchParams",
    "hipLibraryOption",
];

impl Rule for ElaboratedType {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Names;

    fn check<'d>(name: Name<'d>, cx: &mut Context<'d>) {
        let Meaning::Renamed(to, _) = name.meaning else { return };
        if !TYPEDEFS.contains(&to) {
            return;
        }
        let Some(before) = name.token.checked_sub(1) else { return };
        let keyword = cx.document.token_text(before);
        if !matches!(keyword, "struct" | "enum" | "union") {
            return;
        }
        let Some(token) = cx.document.token(before) else { return };
        let unwanted = TextRange::new(token.range().start(), name.range.start());
        let fix = Fix::safe(format!("remove `{keyword}`"), vec![Edit::delete(unwanted)]);
        let message = format!("`{to}` is a `typedef` in HIP, so `{keyword}` must not stand in front of it");
        cx.report(token.range(), message).fix(fix);
    }
}
