//! Warp functions, which cover a whole wave in HIP.

use std::rc::Rc;

use super::lane_function::{LaneFunction, REWORKED, keeps_32_lanes, takes_mask};
use super::place_in_wave::counts_by_32;
use super::unused_mask::unused_masks;
use crate::analysis::WAVE_SIZE;
use crate::diagnostic::{Fix, RuleInfo};
use crate::mapping::{Intrinsic, IntrinsicKind, Intrinsics, template};
use crate::rules::api::{is_declaration, may_have_more, visible_call};
use crate::rules::call_edits::{Change, change};
use crate::rules::context::Context;
use crate::rules::definitions::definitions;
use crate::rules::query::{Files, Name, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;
use crate::syntax::{Call, TokenKind};

declare_rule! {
    /// ## What it does
    /// Finds CUDA's warp functions (shuffles, votes, ballots, matches, reductions and
    /// `__syncwarp`) in a project whose warps keep 32 lanes (`--wave-policy logical32`), and
    /// replaces them by what does the same for 32 lanes on every target.
    ///
    /// ## Why is this bad?
    /// HIP's functions of these names work on a wave, which has 64 lanes on CDNA GPUs. Ballots
    /// cover both halves of it, a shuffle from lane 0 reaches all 64, and a mask that names a lane
    /// that is not active ends the program.
    ///
    /// ## Example
    /// ```cuda
    /// #include <cuda_runtime.h>
    /// __device__ float sum(float x) { return x + __shfl_xor_sync(0xffffffff, x, 16); }
    /// __device__ unsigned votes(int p) { return __ballot_sync(0xffffffff, p); }
    /// ```
    /// Use instead:
    /// ```hip
    /// #include <hip/hip_runtime.h>
    /// #ifndef HIPSHIFT_BALLOT
    /// #define HIPSHIFT_BALLOT
    /// __device__ __forceinline__ unsigned hipshift_ballot(int predicate) {
    ///     return (unsigned)(__ballot(predicate) >> (__lane_id() & 32u));
    /// }
    /// #endif
    /// #ifndef HIPSHIFT_BALLOT_SYNC
    /// #define HIPSHIFT_BALLOT_SYNC
    /// __device__ __forceinline__ unsigned hipshift_ballot_sync(unsigned mask, int predicate) {
    ///     return hipshift_ballot(predicate) & mask;
    /// }
    /// #endif
    /// __device__ float sum(float x) { return x + __shfl_xor(x, 16, 32); }
    /// __device__ unsigned votes(int p) { return hipshift_ballot_sync(0xffffffff, p); }
    /// ```
    ///
    /// ## Fix safety
    /// Safe. A group of 32 lanes is what a warp was in CUDA, for any block size, in partial waves
    /// and in divergent code. Shuffles lose their mask, which HIP would only check, and get the
    /// width 32; all others become definitions that cut out the half of the calling lane.
    WaveWideFunction { code: "W002", name: "wave-wide-function", severity: Hint, fix: Always, since: "0.1.0" }
}

impl Rule for WaveWideFunction {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check<'d>(_: WholeFile, cx: &mut Context<'d>) {
        let names = Rc::clone(&cx.names);
        let uses: Vec<_> = names.iter().filter_map(|name| form(&name, cx).map(|form| (name, form))).collect();
        let is_inline = |form: &Form| matches!(form, Form::Inline(_));
        let inline = uses.iter().enumerate().filter(|(_, (_, form))| is_inline(form));
        let mut unused = unused_masks(inline.map(|(number, (name, _))| (number, name)), cx);
        for (number, (name, form)) in uses.into_iter().enumerate() {
            let (title, edits) = match form {
                Form::Whole => continue,
                Form::Inline(mut edits) => {
                    edits.extend(unused.remove(&number));
                    ("keep groups of 32 lanes".to_owned(), edits)
                }
                Form::StandIn(intrinsic) => {
                    let helper = intrinsic.helper();
                    let mut edits = vec![Edit::replace(name.range, &*helper)];
                    edits.extend(definitions(name.range.start(), cx));
                    (format!("define and use `{helper}`"), edits)
                }
            };
            let message = format!("`{}` is for a warp of 32 lanes, but in HIP for a whole wave", name.text);
            cx.report(name.range, message).fix(Fix::safe(title, edits));
        }
    }
}

/// How a function is written for 32 lanes.
enum Form {
    /// As it is.
    Whole,
    /// With other arguments.
    Inline(Vec<Edit>),
    /// By a definition.
    StandIn(&'static Intrinsic),
}

/// What stands in for a function about lanes, if the file has to define it.
pub(in crate::rules) fn stand_in(name: &Name<'_>, cx: &Context<'_>) -> Option<&'static Intrinsic> {
    match form(name, cx)? {
        Form::StandIn(intrinsic) => Some(intrinsic),
        Form::Whole | Form::Inline(_) => None,
    }
}

/// Whether a macro may give the function another name: it has a definition, and HIP's libraries do not call it,
/// whose headers may come behind the macro.
pub(in crate::rules) fn aliased_lane_function(name: &Name<'_>, cx: &Context<'_>) -> bool {
    let is_new = takes_mask(&name.text) || name.text == "__activemask";
    is_new && lane_definition(name).is_some() && form(name, cx).is_some()
}

fn lane_definition(name: &Name<'_>) -> Option<&'static Intrinsic> {
    Intrinsics::builtin().ok()?.get(&name.text).filter(|intrinsic| intrinsic.kind == IntrinsicKind::Lanes)
}

fn form(name: &Name<'_>, cx: &Context<'_>) -> Option<Form> {
    let function = LaneFunction::of(name)?;
    if !keeps_32_lanes(name.range.start(), cx) || !cx.settings.rules.is_enabled(&WaveWideFunction::RULE_INFO) {
        return None;
    }
    // A declaration is of an overload of the project's own.
    if visible_call(cx.document, name.token).is_some_and(|call| is_declaration(&call, cx)) {
        return None;
    }
    let inline = match function {
        LaneFunction::Shuffle => shuffle(name, cx),
        LaneFunction::Barrier => barrier(name, cx),
        LaneFunction::Vote | LaneFunction::Match | LaneFunction::Reduce => None,
    };
    inline.or_else(|| lane_definition(name).map(Form::StandIn))
}

/// The shuffle without mask, among 32 lanes unless it says otherwise.
fn shuffle(name: &Name<'_>, cx: &Context<'_>) -> Option<Form> {
    let call = visible_call(cx.document, name.token).filter(|call| !may_have_more(cx.document, call))?;
    let base = name.text.strip_suffix("_sync").unwrap_or(&name.text);
    let masks = usize::from(takes_mask(&name.text));
    let has_effects = masks == 1 && has_effects(cx, &call);
    let text = match call.arguments.len() - masks {
        _ if has_effects => return None,
        2 if masks == 1 => format!("{base}($1, $2, 32)"),
        2 => format!("{base}($0, $1, 32)"),
        3 if masks == 1 => format!("{base}($1, $2, $3)"),
        3 => return Some(Form::Whole),
        _ => return None,
    };
    inline(name, &call, &text, cx)
}

/// `__syncwarp` without mask.
fn barrier(name: &Name<'_>, cx: &Context<'_>) -> Option<Form> {
    if cx.settings.rocm < REWORKED {
        return None;
    }
    let call = visible_call(cx.document, name.token)?;
    match call.arguments.len() {
        0 => Some(Form::Whole),
        1 if !has_effects(cx, &call) => inline(name, &call, "__syncwarp()", cx),
        _ => None,
    }
}

fn inline(name: &Name<'_>, call: &Call, text: &str, cx: &Context<'_>) -> Option<Form> {
    let Change { edits, .. } = change(cx.document, name.range, call, &template(text)?, cx.settings.rocm).ok()?;
    Some(Form::Inline(edits))
}

/// Whether evaluating the first argument may do something, so that it must not go.
fn has_effects(cx: &Context<'_>, call: &Call) -> bool {
    let document = cx.document;
    let Some(&mask) = call.arguments.first() else { return false };
    let (start, end) = (document.token_at(mask.start()), document.token_at(mask.end()));
    (start..end).any(|idx| match document.kind(idx) {
        Some(TokenKind::Punct(b'=')) => true,
        Some(TokenKind::Punct(sign @ (b'+' | b'-'))) => document.is(idx + 1, sign),
        Some(TokenKind::Ident) => document.is(idx + 1, b'(') && !is_harmless(document.token_text(idx)),
        _ => false,
    })
}

/// Functions that only compute, and conversions.
fn is_harmless(name: &str) -> bool {
    name.starts_with("__")
        || name.ends_with("_t")
        || matches!(name, "unsigned" | "int" | "long" | "sizeof" | "static_cast" | "min" | "max")
}

/// Whether the rules of this group deal with `name`, so that those about names need not.
pub(in crate::rules) fn reports(name: &Name<'_>, cx: &Context<'_>) -> bool {
    let is_ours = LaneFunction::of(name).is_some() || name.text == WAVE_SIZE;
    is_ours && cx.settings.rules.is_enabled(&WaveWideFunction::RULE_INFO) || counts_by_32(name, cx)
}
