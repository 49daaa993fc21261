//! Lane masks of 32 bits where HIP wants 64.

use super::lane_function::{LaneFunction, keeps_32_lanes, takes_mask};
use crate::analysis::WaveWidth;
use crate::diagnostic::{Fix, RuleInfo};
use crate::mapping::template;
use crate::rules::api::visible_call;
use crate::rules::call_edits::change;
use crate::rules::context::Context;
use crate::rules::query::{Name, Names};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::TextRange;
use crate::syntax::{Call, DirectiveKind, Document};

declare_rule! {
    /// ## What it does
    /// Finds calls of the `_sync` family whose lane mask is a constant of 32 bits: in sources
    /// written for HIP, and in CUDA whose warps become whole waves (`--wave-policy native`).
    ///
    /// ## Why is this bad?
    /// HIP's lane masks have 64 bits on every target, and its headers refuse others with a static
    /// assertion. Widening the constant is wrong as well: a mask that names a lane which is not
    /// active, because the block is no multiple of 64 or the code diverges, ends the program, and
    /// with `NDEBUG` makes `__all_sync` false.
    ///
    /// ## Example
    /// With `--wave-policy native`:
    /// ```cuda
    /// __device__ float f(float x) { return __shfl_xor_sync(0xffffffff, x, 16); }
    /// ```
    /// it becomes `__shfl_xor(x, 16)`, which asks the lanes that are active and checks nothing.
    ///
    /// ## Fix safety
    /// A mask of 32 ones means the whole warp, so the form without mask does the same: it is safe
    /// under `--wave-policy native`. Reductions have no such form and get `__activemask()`. In
    /// sources written for HIP nobody can tell whether a warp of 32 lanes or a whole wave was
    /// meant, so there the fix is unsafe. Other masks of 32 bits choose lanes by number and have
    /// no fix.
    NarrowLaneMask { code: "W001", name: "narrow-lane-mask", severity: Error, fix: Sometimes, since: "0.1.0" }
}

impl Rule for NarrowLaneMask {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Names;

    fn check<'d>(name: Name<'d>, cx: &mut Context<'d>) {
        let Some(function) = LaneFunction::of(&name).filter(|_| takes_mask(&name.text)) else { return };
        if keeps_32_lanes(cx) {
            return;
        }
        let Some(call) = visible_call(cx.document, name.token) else { return };
        let Some(&mask) = call.arguments.first() else { return };
        let value = constant(cx.document, mask);
        if !is_narrow(&value) {
            return;
        }
        let fix = if is_full(&value) { maskless(&name, function, &call, cx) } else { None };
        let finding = cx.report(mask, format!("the mask of `{}` has 32 bits, but HIP takes 64 only", name.text));
        match fix {
            Some(fix) => finding.fix(fix),
            None => finding.note("decide which lanes of a wave are meant"),
        };
    }
}

/// The call for all lanes that are active.
fn maskless(name: &Name<'_>, function: LaneFunction, call: &Call, cx: &Context<'_>) -> Option<Fix> {
    let width = cx.wave_width();
    let base = name.text.strip_suffix("_sync").unwrap_or(&name.text);
    let text = match (function, width) {
        (LaneFunction::Shuffle, WaveWidth::Logical32) if call.arguments.len() == 3 => format!("{base}($1, $2, 32)"),
        (LaneFunction::Shuffle, _) => format!("{base}($1..)"),
        (LaneFunction::Barrier, _) => "__syncwarp()".to_owned(),
        // Their result covers the whole wave.
        (_, WaveWidth::Logical32) => return None,
        (LaneFunction::Vote | LaneFunction::Match, _) => format!("{base}($1..)"),
        (LaneFunction::Reduce, _) => format!("{}(__activemask(), $1)", name.text),
    };
    let edits = change(cx.document, name.range, call, &template(&text)?, cx.settings.rocm).ok()?.edits;
    if cx.facts.is_hip {
        return Some(Fix::risky("ask the active lanes", edits));
    }
    Some(Fix::safe("ask the active lanes", edits))
}

/// The text of an argument without blanks and case; a macro or constant of the file is looked up.
fn constant(document: &Document, argument: TextRange) -> String {
    let text = document.slice(argument);
    let normal = |text: &str| text.split_whitespace().collect::<String>().to_ascii_lowercase();
    if !text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        return normal(text);
    }
    normal(value_of(document, text).unwrap_or(text))
}

/// What a macro or constant of the file stands for.
fn value_of<'d>(document: &'d Document, name: &str) -> Option<&'d str> {
    let mut macros = document.directives().iter().filter(|directive| directive.kind == DirectiveKind::Define);
    let definition = macros.find(|directive| document.token_text(directive.tokens.start + 2) == name);
    if let Some(directive) = definition {
        return Some(document.slice(document.range_of(directive.tokens.start + 3..directive.tokens.end)));
    }
    let is_constant =
        |idx: usize| (1..4).any(|back| idx >= back && is_constant_keyword(document.token_text(idx - back)));
    let mut names = (1..document.tokens().len()).filter(|&idx| document.token_text(idx) == name);
    let declared = names.find(|&idx| document.is(idx + 1, b'=') && is_constant(idx))?;
    let end = (declared + 2..document.tokens().len()).find(|&idx| document.is(idx, b';'))?;
    Some(document.slice(document.range_of(declared + 2..end)))
}

fn is_constant_keyword(text: &str) -> bool {
    matches!(text, "constexpr" | "const")
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
