//! `warpSize` where C++ wants a constant.

use super::lane_function::{REWORKED, is_wave_size, keeps_32_lanes};
use super::wave_size_alias::{AliasOf, aliases};
use crate::analysis::{Role, WAVE_SIZE, role};
use crate::diagnostic::{RuleInfo, Severity};
use crate::rules::context::Context;
use crate::rules::query::{Name, Names};
use crate::rules::rule::{Rule, declare_rule};
use crate::syntax::{Document, TokenIdx, TokenKind, words};

declare_rule! {
    /// ## What it does
    /// Finds `warpSize` in constant expressions: the size of an array, a template argument, an enumerator,
    /// `constexpr`, `static_assert`, `case`, `__launch_bounds__`; also by way of a macro that stands for it.
    ///
    /// ## Why is this bad?
    /// From ROCm 7.0 on it is no constant, and does not compile there. Before, it is a constant
    /// of the device code of one target.
    ///
    /// ## Example
    /// With `--wave-policy native`:
    /// ```cuda
    /// __device__ void f() { __shared__ float sums[1024 / warpSize]; }
    /// ```
    ///
    /// ## What to do
    /// Use the number for the smallest wave that the code must run on: 32 lanes make the most
    /// slots. Where the size must be exact, make it a template parameter of the kernel and choose
    /// on the host by `hipDeviceAttributeWarpSize`.
    ConstantWaveSize { code: "W010", name: "constant-wave-size", severity: Error, fix: None, since: "0.1.0" }
}

impl Rule for ConstantWaveSize {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Names;

    fn check<'d>(name: Name<'d>, cx: &mut Context<'d>) {
        if !is_wave_size(&name, cx) || keeps_32_lanes(name.range.start(), cx) {
            return;
        }
        let aliases = aliases_by(name.token, cx.document);
        for idx in std::iter::once(name.token).chain(aliases) {
            report(idx, cx);
        }
    }
}

fn report(idx: TokenIdx, cx: &mut Context<'_>) {
    let Some(place) = constant_place(cx.document, idx) else { return };
    let severity = if cx.settings.rocm < REWORKED { Severity::Warning } else { Severity::Error };
    let (range, text) = (cx.document.range_of(idx..idx + 1), cx.document.token_text(idx));
    let is = if text == WAVE_SIZE { String::new() } else { " is `warpSize`, which".to_owned() };
    let finding = cx.report(range, format!("`{text}`{is} is no constant from ROCm 7.0 on, but {place}"));
    finding.severity(severity).note("32 makes the most slots; for an exact size, pass it as a template argument");
}

/// The uses of the macro that is `warpSize`, if the token is all that it stands for.
fn aliases_by(idx: TokenIdx, document: &Document) -> Vec<TokenIdx> {
    let Some(directive) = document.directive_of(idx) else { return Vec::new() };
    let name = document.token_text(directive.tokens.start + 2);
    let is_alias = aliases(document).contains(&(name, AliasOf::WaveSize));
    let is_use = |idx: &TokenIdx| document.directive_of(*idx).is_none() && role(document, *idx) == Role::Free;
    if is_alias { words(document, name).filter(is_use).collect() } else { Vec::new() }
}

/// Where a constant is needed at `idx`, if it is.
fn constant_place(document: &Document, idx: TokenIdx) -> Option<&'static str> {
    let mut at = idx;
    while let Some(before) = at.checked_sub(1) {
        match document.kind(before)? {
            TokenKind::Punct(b']' | b')') => at = document.partner(before).filter(|&open| open < before)?,
            TokenKind::Punct(b'[') => return declares(document, before).then_some("is the size of an array"),
            TokenKind::Punct(b'(') => {
                return match document.token_text(before.checked_sub(1)?) {
                    "static_assert" => Some("is tested at compile time"),
                    "__launch_bounds__" => Some("is a launch bound"),
                    _ => statement_word(document, before),
                };
            }
            TokenKind::Punct(b'{') if opens_enum(document, before) => return Some("is the value of an enumerator"),
            TokenKind::Punct(b';' | b'{' | b'}') | TokenKind::Hash => return None,
            TokenKind::Punct(b'<') if is_template_list(document, before, idx) => return Some("is a template argument"),
            TokenKind::Ident => match document.token_text(before) {
                "constexpr" => return Some("makes a constant"),
                "case" => return Some("is a case"),
                _ => at = before,
            },
            _ => at = before,
        }
    }
    None
}

/// `enum {`, `enum class Name : int {`
fn opens_enum(document: &Document, open: TokenIdx) -> bool {
    let mut head = (open.saturating_sub(6)..open).rev().map(|idx| document.token_text(idx));
    head.by_ref().take_while(|word| !matches!(*word, ";" | "{" | "}" | ")")).any(|word| word == "enum")
}

/// `constexpr int a = f(warpSize)` and the like, seen from the parenthesis.
fn statement_word(document: &Document, open: TokenIdx) -> Option<&'static str> {
    let words = (0..open).rev().map(|idx| document.token_text(idx));
    let mut words = words.take_while(|word| !matches!(*word, ";" | "{" | "}" | ")" | "("));
    words.any(|word| word == "constexpr").then_some("makes a constant")
}

/// Whether the bracket at `open` follows a name that is being declared: `float sums[`.
fn declares(document: &Document, open: TokenIdx) -> bool {
    let Some(name) = open.checked_sub(1) else { return false };
    let follows_type = name.checked_sub(1).is_some_and(|before| {
        document.kind(before) == Some(TokenKind::Ident) && document.token_text(before) != "return"
    });
    document.kind(name) == Some(TokenKind::Ident) && follows_type
}

/// `Reduce<int, warpSize>`: a name before, and a closing bracket soon behind.
fn is_template_list(document: &Document, open: TokenIdx, idx: TokenIdx) -> bool {
    let follows_name = open > 0 && document.kind(open - 1) == Some(TokenKind::Ident);
    let is_shift = document.is(open + 1, b'<') || (open > 0 && document.is(open - 1, b'<'));
    let closes = document.is(idx + 1, b'>') && !document.is(idx + 2, b'=');
    let goes_on = document.is(idx + 2, b'(') || document.is(idx + 2, b'{') || document.is(idx + 2, b':');
    let names = document.token(idx + 2).is_some_and(|next| matches!(next.kind, TokenKind::Ident | TokenKind::PathSep));
    follows_name && !is_shift && closes && (goes_on || names)
}
