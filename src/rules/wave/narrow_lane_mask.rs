//! Lane masks of 32 bits.

use crate::diagnostic::{Fix, RuleInfo};
use crate::rules::context::Context;
use crate::rules::meaning::Meaning;
use crate::rules::query::{Name, Names};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::{Edit, TextRange};
use crate::syntax::{Call, DirectiveKind, Document};

declare_rule! {
    /// ## What it does
    /// Finds calls of the `_sync` family whose lane mask is a constant of 32 bits.
    ///
    /// ## Why is this bad?
    /// HIP's lane masks have 64 bits on every target, and its headers refuse others with a static
    /// assertion. Widening the constant is wrong as well: a mask that names lanes which are not
    /// active ends the program, and on targets with 64 lanes a mask of 32 ones cuts the wave in half.
    ///
    /// ## Example
    /// ```cuda
    /// __device__ float f(float x) { return __shfl_xor_sync(0xffffffff, x, 16); }
    /// ```
    /// With `--unsafe-fixes` it becomes `__shfl_xor(x, 16, 32)`.
    ///
    /// ## Fix safety
    /// Unsafe. There is a fix for shuffles with a mask of 32 ones: the form without mask, and 32 as
    /// the width where none is given, keeps groups of 32 lanes on every target. It is right for code
    /// that counts on 32 lanes, and wrong for code that works with `warpSize`; in a file that uses
    /// `warpSize` there is no fix. Votes, ballots and matches have none: their result covers the
    /// whole wave.
    NarrowLaneMask { code: "W001", name: "narrow-lane-mask", severity: Error, fix: Sometimes, since: "0.1.0" }
}

impl Rule for NarrowLaneMask {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Names;

    fn check<'d>(name: Name<'d>, cx: &mut Context<'d>) {
        let Some(call) = narrow_call(&name, cx) else { return };
        let Some(&mask) = call.arguments.first() else { return };
        let fix = maskless(&name, &call, cx);
        let finding = cx.report(mask, format!("the mask of `{}` has 32 bits, but HIP takes 64 only", name.text));
        match fix {
            Some(fix) => finding.fix(fix).note("groups of 32 lanes are kept with `--unsafe-fixes`"),
            None => finding.note("decide which lanes are meant: 32 of them, or the whole wave"),
        };
    }
}

/// Whether the rule reports the call at `name`, so that rules about names need not.
pub(in crate::rules) fn takes_narrow_mask(name: &Name<'_>, cx: &Context<'_>) -> bool {
    narrow_call(name, cx).is_some()
}

/// The call at `name`, if it is one of the family with a constant mask of 32 bits.
fn narrow_call(name: &Name<'_>, cx: &Context<'_>) -> Option<Call> {
    let is_family =
        name.text.starts_with("__") && name.text.ends_with("_sync") && matches!(name.meaning, Meaning::Same(_));
    if !is_family {
        return None;
    }
    let call = Call::at(cx.document, name.token)?;
    let mask = constant(cx.document, *call.arguments.first()?);
    is_narrow(&mask).then_some(call)
}

/// The text of an argument without blanks and case; a macro of the file is looked up.
fn constant(document: &Document, argument: TextRange) -> String {
    let text = document.slice(argument);
    let normal = |text: &str| text.split_whitespace().collect::<String>().to_ascii_lowercase();
    if !text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        return normal(text);
    }
    let mut macros = document.directives().iter().filter(|directive| directive.kind == DirectiveKind::Define);
    let definition = macros.find(|directive| document.token_text(directive.tokens.start + 2) == text);
    let value = definition.map(|directive| document.range_of(directive.tokens.start + 3..directive.tokens.end));
    normal(value.map_or(text, |value| document.slice(value)))
}

fn is_narrow(mask: &str) -> bool {
    let digits = mask.trim_start_matches("0x").trim_end_matches('u');
    let is_hex = mask.starts_with("0x") && digits.len() <= 8 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hex || is_full(mask)
}

/// 32 ones, in the ways people write them.
const FORMS: &[&str] = &[
    "0xffffffff",
    "0xffffffffu",
    "~0u",
    "~0",
    "-1",
    "4294967295u",
    "(unsigned)-1",
    "(unsignedint)-1",
    "(uint32_t)-1",
    "uint32_t(-1)",
    "unsigned(-1)",
    "uint32_max",
];

/// Whether a constant is 32 ones.
fn is_full(mask: &str) -> bool {
    let bare = mask.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')).unwrap_or(mask);
    FORMS.contains(&bare)
}

/// A shuffle of 32 lanes without mask.
fn maskless(name: &Name<'_>, call: &Call, cx: &Context<'_>) -> Option<Fix> {
    let document = cx.document;
    let shuffle = name.text.strip_suffix("_sync").filter(|shuffle| shuffle.starts_with("__shfl"))?;
    let [mask, first, .., last] = call.arguments.as_slice() else { return None };
    if cx.facts.mentions_warp_size || !is_full(&constant(document, *mask)) {
        return None;
    }
    let mut edits = vec![Edit::replace(name.range, shuffle), Edit::delete(TextRange::new(mask.start(), first.start()))];
    match call.arguments.len() {
        3 => edits.push(Edit::insert(last.end(), ", 32")),
        4 => {}
        _ => return None,
    }
    Some(Fix::risky("shuffle groups of 32 lanes without a mask", edits))
}
