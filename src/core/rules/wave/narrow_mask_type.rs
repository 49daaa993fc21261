//! Variables of 32 bits that hold lane masks.

use super::lane_function::{LaneFunction, has_wide_masks, may_have_wide_masks};
use super::widening::report_widening;
use crate::analysis::{Function, MaskDeclaration, MaskWidth};
use crate::diagnostic::{RuleInfo, Severity};
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::{Edit, TextRange};
use crate::syntax::TokenIdx;

declare_rule! {
    /// ## What it does
    /// Finds variables, parameters, members, results and conversions of 32 bits that hold lane
    /// masks: what ballots return, what is passed as a mask, and what is computed from either,
    /// followed through the functions of the project. Tells of masks that are printed, too. In sources written for HIP, and in CUDA
    /// whose warps become whole waves (`--wave-policy native`).
    ///
    /// ## Why is this bad?
    /// A mask has 64 bits in HIP. Lanes 32 to 63 are lost without any warning of the compiler.
    ///
    /// ## Example
    /// With `--wave-policy native --ignore W032`:
    /// ```cuda
    /// #include <cuda_runtime.h>
    /// __device__ bool any(int p) {
    ///     unsigned votes = __ballot_sync(0xffffffff, p);
    ///     return votes != 0;
    /// }
    /// ```
    /// Use instead:
    /// ```hip
    /// #include <hip/hip_runtime.h>
    /// __device__ bool any(int p) {
    ///     unsigned long long votes = __ballot(p);
    ///     return votes != 0;
    /// }
    /// ```
    ///
    /// ## Fix safety
    /// Safe in CUDA whose warps become whole waves. In sources written for HIP the upper half may
    /// have been cut off on purpose, so there the fix is unsafe. What shares its type with other
    /// variables, and pointers and arrays, have no fix: their memory is sized elsewhere.
    NarrowMaskType { code: "W004", name: "narrow-mask-type", severity: Warning, fix: Sometimes, since: "0.1.0" }
}

/// What a lane mask is in HIP.
const WIDE: &str = "unsigned long long";

/// What to do where the type cannot be changed by itself.
const ADVICE: &str = "give it a type of 64 bits, and whatever is laid out with it";

impl Rule for NarrowMaskType {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check<'d>(_: WholeFile, cx: &mut Context<'d>) {
        if !may_have_wide_masks(cx) {
            return;
        }
        let uses = cx.mask_uses().clone();
        for found in &uses.declarations {
            report(found, cx);
        }
        for conversion in uses.conversions {
            let range = cx.document.range_of(conversion.clone());
            if is_in_stand_in(conversion.start, cx) || !has_wide_masks(range.start(), cx) {
                continue;
            }
            let message = "this conversion cuts a lane mask to 32 bits".to_owned();
            report_widening(range, message, Some(retype(range)), ADVICE, cx);
        }
        let printed = uses.printed.into_iter().map(|printed| cx.document.range_of(printed));
        for printed in printed.filter(|printed| has_wide_masks(printed.start(), cx)).collect::<Vec<_>>() {
            let finding = cx.report(printed, "a lane mask has 64 bits, so `printf` needs `%llx`");
            finding.severity(Severity::Warning);
        }
    }
}

fn report(found: &MaskDeclaration, cx: &mut Context<'_>) {
    let document = cx.document;
    let Some(name) = document.token(found.name) else { return };
    let text = document.token_text(found.name);
    if LaneFunction::named(text).is_some() || !has_wide_masks(name.range().start(), cx) {
        // Stands in for CUDA's function, which has 32 bits; another rule tells of it.
        return;
    }
    match &found.width {
        // A type that is declared elsewhere, or a template's, may well have 64 bits.
        MaskWidth::Wide | MaskWidth::Unknown => {}
        MaskWidth::Narrow(tokens) => {
            let range = document.range_of(tokens.clone());
            let change = found.is_separate.then(|| retype(range));
            let message = format!("`{text}` holds a lane mask, which has 64 bits in HIP, in 32");
            report_widening(name.range(), message, change, ADVICE, cx);
            if is_passed_from_elsewhere(found.name, cx) {
                let message = format!("`{text}` is a lane mask that others pass");
                let finding = cx.report(name.range(), message);
                finding.severity(Severity::Warning).note("make it 64 bits there as well");
            }
        }
    }
}

/// Whether a token stands in a function called like one of CUDA's about lanes, which cuts its result to
/// CUDA's 32 bits on purpose.
fn is_in_stand_in(token: TokenIdx, cx: &Context<'_>) -> bool {
    let name = cx.facts.functions.around(token).and_then(|function| function.name);
    name.is_some_and(|name| LaneFunction::named(cx.document.token_text(name)).is_some())
}

fn retype(range: TextRange) -> (String, Vec<Edit>) {
    ("make it 64 bits wide".to_owned(), vec![Edit::replace(range, WIDE)])
}

/// A parameter of a kernel or a template: the host, or code of another file, gives the mask.
fn is_passed_from_elsewhere(name: TokenIdx, cx: &Context<'_>) -> bool {
    let is_in_head = |function: &&Function| function.head.contains(&name);
    let function = cx.facts.functions.iter().find(is_in_head);
    function.is_some_and(|function| {
        let is_template = function.name.is_some_and(|own| own > name);
        is_template || (function.is_kernel && function.name.is_some_and(|own| own < name))
    })
}
