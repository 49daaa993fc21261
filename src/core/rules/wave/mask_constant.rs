//! Lane masks that are constants.

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
    pub(super) fn of(document: &Document, argument: TextRange) -> Option<MaskConstant> {
        let value = constant(document, argument);
        match (is_full(&value), is_narrow(&value)) {
            (true, _) => Some(MaskConstant::Full),
            (false, true) => Some(MaskConstant::Partial),
            (false, false) => None,
        }
    }
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
