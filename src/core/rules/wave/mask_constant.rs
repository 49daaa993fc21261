//! Lane masks that are constants.

use rustc_hash::FxHashMap;

use crate::rules::context::Context;
use crate::source::TextRange;
use crate::syntax::{DirectiveKind, Document};

/// A lane mask whose value is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MaskConstant {
    /// 32 ones: a whole warp of CUDA's.
    Full,
    /// Some of 32 lanes.
    Partial,
}

impl MaskConstant {
    /// The value of an argument, if it is a constant of 32 bits.
    pub(super) fn of(cx: &Context<'_>, argument: TextRange) -> Option<MaskConstant> {
        let value = constant(cx, argument);
        match (is_full(&value), is_narrow(&value)) {
            (true, _) => Some(MaskConstant::Full),
            (false, true) => Some(MaskConstant::Partial),
            (false, false) => None,
        }
    }
}

/// No constant of a mask is longer without blanks.
const LONGEST: usize = 64;

/// The text of an argument without blanks and case; a macro or constant of the file is looked up.
fn constant(cx: &Context<'_>, argument: TextRange) -> String {
    let text = cx.document.slice(argument);
    let bare = |text: &str| text.chars().filter(|c| !c.is_whitespace()).take(LONGEST + 1).collect::<String>();
    let normal = |text: &str| bare(text).to_ascii_lowercase();
    if !text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        return normal(text);
    }
    let values = cx.mask_values.get_or_init(|| values(cx.document));
    normal(values.get(text).map_or(text, |value| cx.document.slice(*value)))
}

/// What the macros and constants of a file stand for, by their names; of several the first, and macros first.
fn values(document: &Document) -> FxHashMap<&str, TextRange> {
    let mut values = FxHashMap::default();
    for directive in document.directives().iter().filter(|directive| directive.kind == DirectiveKind::Define) {
        let name = document.token_text(directive.tokens.start + 2);
        values.entry(name).or_insert_with(|| document.range_of(directive.tokens.start + 3..directive.tokens.end));
    }
    let is_constant =
        |idx: usize| (1..=MOST_WORDS).any(|back| idx >= back && is_constant_keyword(document.token_text(idx - back)));
    for idx in (1..document.tokens().len()).filter(|&idx| document.is(idx + 1, b'=') && is_constant(idx)) {
        let end = (idx + 2..document.tokens().len()).take(LONGEST).find(|&end| document.is(end, b';'));
        if let Some(end) = end {
            values.entry(document.token_text(idx)).or_insert_with(|| document.range_of(idx + 2..end));
        }
    }
    values
}

/// Words between `constexpr` and a name: `constexpr static unsigned long long int MASK`.
const MOST_WORDS: usize = 6;

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

/// Types of 64 bits, without blanks; longer ones first.
const WIDE: &[&str] = &["unsignedlonglong", "unsignedlong", "longlong", "uint64_t", "int64_t", "size_t"];

/// Whether an argument is a constant of 64 ones: a whole wave.
pub(super) fn is_whole_wave(cx: &Context<'_>, argument: TextRange) -> bool {
    let text = constant(cx, argument);
    let bare = text.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')).unwrap_or(&text);
    let digits = bare.trim_end_matches(['u', 'l']);
    let is_long = bare.trim_end_matches('u').ends_with('l');
    matches!(digits, "0xffffffffffffffff" | "18446744073709551615")
        || (is_long && matches!(digits, "~0" | "-1"))
        || matches!(bare, "uint64_max" | "ullong_max")
        || is_converted(&text)
}

/// `(uint64_t)-1`, `~static_cast<unsigned long long>(0)`, `std::numeric_limits<uint64_t>::max()`
fn is_converted(text: &str) -> bool {
    let Some(kind) = WIDE.iter().find(|kind| text.contains(**kind)) else { return false };
    let rest = text.replacen(kind, "", 1).replace("static_cast<>", "").replace(['(', ')'], "");
    matches!(rest.as_str(), "-1" | "~0" | "-1ll" | "~0ull" | "std::numeric_limits<>::max")
}
