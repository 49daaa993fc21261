//! Where the value of a call may be of another integer type than in CUDA, because nothing there depends on the type.

use std::ops::Range;

use super::places::statement;
use crate::analysis::Function;
use crate::rules::context::Context;
use crate::syntax::{Document, MacroDefinition, TokenIdx, TokenKind, opening};

/// A call with the operators around it.
pub(super) struct Place<'c, 'd> {
    cx: &'c Context<'d>,
    /// Its first token.
    first: TokenIdx,
    /// Its last token.
    last: TokenIdx,
    before: &'d str,
    after: &'d str,
}

impl<'c, 'd> Place<'c, 'd> {
    /// The place of the tokens from `first` to `last`.
    pub(super) fn of((first, last): (TokenIdx, TokenIdx), cx: &'c Context<'d>) -> Place<'c, 'd> {
        let document = cx.document;
        let around = text_around(document, first);
        let before = first.checked_sub(1).filter(|idx| around.contains(idx)).map_or("", |idx| ending_at(document, idx));
        let after = Some(last + 1).filter(|idx| around.contains(idx)).map_or("", |idx| starting_at(document, idx));
        Place { cx, first, last, before, after }
    }

    /// Whether the value is the same whatever its type is.
    pub(super) fn takes_any_type(&self) -> bool {
        self.is_cast()
            || self.is_condition()
            || self.is_compared_with_its_like()
            || self.is_stored()
            || self.is_returned()
            || self.is_number_of_bits()
            || self.is_index()
            || self.is_of_atomic()
            || self.is_of_bits()
    }

    fn word(&self, back: usize) -> &'d str {
        self.first.checked_sub(back).map_or("", |idx| self.cx.document.token_text(idx))
    }

    fn begins(&self) -> bool {
        matches!(self.before, "" | "(" | "," | ";" | "{" | "}" | "return" | "=" | "&&" | "||" | "?" | ":")
    }

    fn ends(&self) -> bool {
        matches!(self.after, "" | ")" | "," | ";" | "}" | "]" | "&&" | "||" | "?" | ":")
    }

    /// `(int)__popc(x)`, `float(__popc(x))`, `static_cast<long>(__popc(x))`; also `if (a) __popc(x);`.
    fn is_cast(&self) -> bool {
        let is_type = |word| matches!(word, "int" | "float" | "double" | "unsigned" | "long" | "size_t" | "int32_t");
        self.before == ")" || self.before == "(" && self.after == ")" && (is_type(self.word(2)) || self.is_named_cast())
    }

    /// `static_cast<T>(`
    fn is_named_cast(&self) -> bool {
        let document = self.cx.document;
        let Some(end) = self.first.checked_sub(2).filter(|&end| document.is(end, b'>')) else { return false };
        let open = (0..end).rev().take(LONGEST_TYPE).find(|&idx| document.is(idx, b'<'));
        open.and_then(|open| open.checked_sub(1)).is_some_and(|name| document.token_text(name) == "static_cast")
    }

    /// `!__popc(x)`, `__popc(x) && y`, `__popc(x) ? y : z`, `if (__popc(x))`
    fn is_condition(&self) -> bool {
        let is_head = self.before == "(" && self.after == ")" && matches!(self.word(2), "if" | "while");
        is_head
            || self.before.ends_with('!')
            || matches!(self.before, "&&" | "||") && self.ends()
            || matches!(self.after, "&&" | "||" | "?") && self.begins()
    }

    /// `__popc(x) == y`, which looks at the bits, and `__popc(x) > 1`: a number in the text has no sign.
    fn is_compared_with_its_like(&self) -> bool {
        let document = self.cx.document;
        let equals = |sign: &str| matches!(sign, "==" | "!=");
        if equals(self.after) && self.begins() || equals(self.before) && self.ends() {
            return true;
        }
        let is_number =
            |idx: TokenIdx| document.kind(idx) == Some(TokenKind::Number) && !is_floating(document.token_text(idx));
        if is_relation(self.after) && self.begins() {
            let number = self.last + 1 + self.after.len();
            let behind = document.token_text(number + 1);
            return is_number(number) && matches!(behind, "" | ")" | ";" | "&" | "|" | "?" | "," | ":" | "}");
        }
        if is_relation(self.before) && self.ends() {
            let Some(number) = self.first.checked_sub(1 + self.before.len()) else { return false };
            let in_front = number.checked_sub(1).map_or("", |idx| document.token_text(idx));
            return is_number(number) && matches!(in_front, "(" | "=" | "&" | "|" | "?" | "," | "return" | ";" | "{");
        }
        false
    }

    /// `int n = __popc(x);`, `n += __popc(x);`: the type is that of the variable.
    fn is_stored(&self) -> bool {
        let sets = matches!(self.before, "=" | "+=" | "-=" | "*=" | "&=" | "|=" | "^=");
        let is_deduced = || {
            let whole = statement(self.cx.document, self.first);
            (whole.start..self.first).any(|idx| matches!(self.cx.document.token_text(idx), "auto" | "decltype"))
        };
        sets && (self.after == ";" || self.after == ")" && self.ends_loop_head()) && !is_deduced()
    }

    /// `for (…; …; i += __popc(x))`
    fn ends_loop_head(&self) -> bool {
        let open = self.cx.document.partner(self.last + 1).and_then(|open| open.checked_sub(1));
        open.is_some_and(|word| self.cx.document.token_text(word) == "for")
    }

    /// `i < g.size()`, for a value that is as large as in CUDA.
    pub(super) fn is_compared(&self) -> bool {
        is_relation(self.after) && self.begins() || is_relation(self.before) && self.ends()
    }

    /// `return __popc(x);` of a function whose type is written down.
    fn is_returned(&self) -> bool {
        let is_whole = self.before == "return" && self.after == ";";
        let function = self.cx.facts.functions.around(self.first).filter(|_| is_whole);
        let document = self.cx.document;
        function.is_some_and(|function| {
            let mut head = function.head.clone();
            !head.any(|idx| matches!(document.token_text(idx), "auto" | "decltype" | "operator"))
                && !is_in_lambda(function, self.first, self.cx)
        })
    }

    /// `1 << __popc(x)`, whose type is that of the other operand.
    fn is_number_of_bits(&self) -> bool {
        matches!(self.before, "<<" | ">>" | "<<=" | ">>=") && self.ends()
    }

    fn is_index(&self) -> bool {
        self.before == "[" && self.after == "]"
    }

    /// `__popc(__popc(x))`: these are no templates, and take a type of their own.
    fn is_of_bits(&self) -> bool {
        let takes_bits = |word| {
            matches!(word, "__popc" | "__popcll" | "__brev" | "__brevll" | "__clz" | "__clzll" | "__ffs" | "__ffsll")
        };
        self.before == "(" && self.after == ")" && takes_bits(self.word(2))
    }

    /// The type of an atomic operation is that of its pointer.
    fn is_of_atomic(&self) -> bool {
        let document = self.cx.document;
        let name = opening(document, self.first).and_then(|open| open.checked_sub(1));
        matches!(self.before, "(" | ",")
            && matches!(self.after, ")" | ",")
            && name.is_some_and(|name| document.token_text(name).starts_with("atomic"))
    }
}

/// Whether a statement sets an integer of 32 bits to nothing but sums and products of such, which wrap to the same value:
/// `int n = base + __popc(x);`.
pub(super) fn wraps_alike(whole: &Range<TokenIdx>, cx: &Context<'_>) -> bool {
    let document = cx.document;
    let Some(function) = cx.facts.functions.around(whole.start) else { return false };
    let sets = whole.clone().find(|&idx| document.is(idx, b'='));
    let terms =
        sets.filter(|&sets| sets > whole.start && is_int(function, sets - 1, cx)).map(|sets| sets + 1..whole.end);
    document.is(whole.end, b';') && terms.is_some_and(|terms| are_terms(function, terms, cx))
}

/// Whether the text says that a name is that of an integer with 32 bits.
fn is_int(function: &Function, name: TokenIdx, cx: &Context<'_>) -> bool {
    let words = cx.variable_types().of_variable(function, name);
    let is_int = |word: &&str| matches!(*word, "int" | "unsigned" | "int32_t" | "uint32_t");
    words.is_some_and(|words| words.iter().all(is_int))
}

fn are_terms(function: &Function, terms: Range<TokenIdx>, cx: &Context<'_>) -> bool {
    let document = cx.document;
    let mut idx = terms.start;
    while idx < terms.end {
        let text = document.token_text(idx);
        let counts_bits = matches!(text, "__popc" | "__popcll" | "__ffs" | "__ffsll" | "__clz" | "__clzll");
        idx = match document.token(idx).map(|token| token.kind) {
            Some(TokenKind::Ident) if counts_bits => document.partner(idx + 1).unwrap_or(terms.end),
            Some(TokenKind::Ident) if is_int(function, idx, cx) => idx,
            Some(TokenKind::Number) if !is_floating(text) && !text.ends_with(['l', 'L']) => idx,
            Some(TokenKind::Punct(b'+' | b'-' | b'*' | b'(' | b')')) => idx,
            _ => return false,
        } + 1;
    }
    true
}

/// How many tokens the type of a cast has at most where it is looked for.
const LONGEST_TYPE: usize = 16;

/// The tokens that belong to the text of `idx`: of its macro, without the parameters, or of the file.
fn text_around(document: &Document, idx: TokenIdx) -> Range<TokenIdx> {
    let Some(directive) = document.directive_of(idx) else { return 0..document.tokens().len() };
    MacroDefinition::of(document, directive).map_or(directive.tokens.clone(), |definition| definition.body)
}

fn is_relation(sign: &str) -> bool {
    matches!(sign, "<" | ">" | "<=" | ">=")
}

fn is_operator(document: &Document, idx: TokenIdx) -> bool {
    use TokenKind::Punct;
    let kind = document.kind(idx);
    matches!(
        kind,
        Some(Punct(b'=' | b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^' | b'~' | b'<' | b'>' | b'!'))
    )
}

/// The operator that ends at a token, or the token.
fn ending_at(document: &Document, idx: TokenIdx) -> &str {
    let mut start = idx;
    while is_operator(document, start)
        && start.checked_sub(1).is_some_and(|before| is_operator(document, before) && document.touches_next(before))
    {
        start -= 1;
    }
    document.slice(document.range_of(start..idx + 1))
}

/// The operator that starts at a token, or the token.
fn starting_at(document: &Document, idx: TokenIdx) -> &str {
    let mut end = idx;
    while is_operator(document, end) && is_operator(document, end + 1) && document.touches_next(end) {
        end += 1;
    }
    document.slice(document.range_of(idx..end + 1))
}

/// Whether a block between the function's body and the token belongs to no statement: it is that of a lambda or a class.
fn is_in_lambda(function: &Function, inner: TokenIdx, cx: &Context<'_>) -> bool {
    let blocks = cx.facts.blocks(cx.document);
    let around = std::iter::successors(blocks.around(inner), |open| blocks.around(*open));
    around.take_while(|open| *open > function.body.start).any(|open| !opens_statement(cx.document, open))
}

fn opens_statement(document: &Document, open: TokenIdx) -> bool {
    let Some(before) = open.checked_sub(1) else { return false };
    match document.token_text(before) {
        "else" | "do" | "try" | ";" | "{" | "}" | ":" => true,
        ")" => {
            let word = document.partner(before).and_then(|paren| paren.checked_sub(1));
            let words = ["if", "constexpr", "for", "while", "switch", "catch"];
            word.is_some_and(|word| words.contains(&document.token_text(word)))
        }
        _ => false,
    }
}

fn is_floating(number: &str) -> bool {
    !number.starts_with("0x") && (number.contains('.') || number.ends_with(['f', 'F']) || number.contains(['e', 'E']))
}
