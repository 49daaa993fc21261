//! Statements of function bodies, classes and macros, as far as tokens tell: what is declared, what
//! is computed, what is returned.

use std::ops::Range;

use crate::syntax::{Document, Operand, TokenIdx, TokenKind, is_type_word, split_arguments};

/// A statement, or a part of one such as the condition of a loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Statement {
    /// Variables of one type.
    Declaration(Declaration),
    /// An expression.
    Expression(Operand),
    /// What a function returns.
    Return(Operand),
}

impl Statement {
    /// The expressions of the statement: first values of what it declares, or its own.
    pub fn operands(&self) -> impl Iterator<Item = &Operand> {
        let (declarators, operand) = match self {
            Statement::Declaration(declaration) => (declaration.declarators.as_slice(), None),
            Statement::Expression(operand) | Statement::Return(operand) => (&[][..], Some(operand)),
        };
        declarators.iter().filter_map(|declarator| declarator.value.as_ref()).chain(operand)
    }
}

/// Variables, members or parameters that are declared together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declaration {
    /// The tokens of the type with its specifiers, up to the first name or the `*` before it.
    pub kind: Range<TokenIdx>,
    /// What is declared.
    pub declarators: Vec<Declarator>,
}

/// One variable, member or parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declarator {
    /// Its name.
    pub name: TokenIdx,
    /// Whether it is a pointer, a reference or an array.
    pub is_compound: bool,
    /// Its first value.
    pub value: Option<Operand>,
}

/// The statements among `tokens`, those within blocks, conditions and lambdas included.
pub fn statements(document: &Document, tokens: Range<TokenIdx>) -> Vec<Statement> {
    let mut found = Vec::new();
    collect(document, tokens, &mut found);
    found
}

fn collect(document: &Document, tokens: Range<TokenIdx>, found: &mut Vec<Statement>) {
    // Ranges that are still to be read; a stack, since blocks may nest without end.
    let mut waiting = vec![tokens];
    while let Some(tokens) = waiting.pop() {
        let mut at = tokens.start;
        while at < tokens.end {
            at = step(document, at, tokens.end, found, &mut waiting);
        }
    }
}

/// Reads what starts at `at`, and gives the place after it.
fn step(
    document: &Document,
    at: TokenIdx,
    end: TokenIdx,
    found: &mut Vec<Statement>,
    waiting: &mut Vec<Range<TokenIdx>>,
) -> TokenIdx {
    let Some(token) = document.token(at) else { return end };
    match token.kind {
        TokenKind::Hash => return document.directive_of(at).map_or(at + 1, |directive| directive.tokens.end),
        TokenKind::Punct(b'{' | b'}' | b';') => return at + 1,
        _ => {}
    }
    match document.token_text(at) {
        "if" | "while" | "switch" | "for" => {
            let open = at + 1 + usize::from(document.token_text(at + 1) == "constexpr");
            let close = document.partner(open).filter(|&close| document.is(open, b'(') && close > open && close < end);
            let Some(close) = close else { return at + 1 };
            waiting.push(open + 1..close);
            close + 1
        }
        "struct" | "class" | "union" | "namespace" | "enum" | "extern" => {
            let stops = |idx: &TokenIdx| document.is(*idx, b'{') || document.is(*idx, b';');
            (at..end).find(stops).map_or(end, |stop| stop + 1)
        }
        "else" | "do" | "try" | "public" | "private" | "protected" | "default" | ":" => at + 1,
        "break" | "continue" | "goto" | "using" | "typedef" | "case" | "template" | "friend" => {
            let stops = |idx: &TokenIdx| matches!(document.token_text(*idx), ";" | ":" | "{");
            (at..end).find(stops).map_or(end, |stop| stop + 1)
        }
        "return" => {
            let stop = chunk_end(document, at + 1, end, waiting);
            found.push(Statement::Return(Operand::read(document, at + 1..stop)));
            stop
        }
        _ => {
            let stop = chunk_end(document, at, end, waiting).max(at + 1);
            found.push(match declaration(document, at..stop) {
                Some(declaration) => Statement::Declaration(declaration),
                None => Statement::Expression(Operand::read(document, at..stop)),
            });
            stop
        }
    }
}

/// Where the statement that starts at `at` ends. Braces within it are read later.
fn chunk_end(document: &Document, start: TokenIdx, end: TokenIdx, waiting: &mut Vec<Range<TokenIdx>>) -> TokenIdx {
    let mut at = start;
    while at < end {
        match document.token(at).map(|token| token.kind) {
            Some(TokenKind::Punct(b';' | b'}') | TokenKind::Hash) => return at,
            Some(TokenKind::Punct(b'(' | b'[')) => {
                at = document.partner(at).filter(|&close| close > at && close < end).unwrap_or(at);
            }
            Some(TokenKind::Punct(b'{')) => {
                let Some(close) = document.partner(at).filter(|&close| close > at && close < end) else { return at };
                waiting.push(at + 1..close);
                at = close;
            }
            _ => {}
        }
        at += 1;
    }
    end
}

/// The declaration that `tokens` are, if they are one.
pub fn declaration(document: &Document, tokens: Range<TokenIdx>) -> Option<Declaration> {
    let mut at = tokens.start;
    while at < tokens.end && is_part_of_type(document, at) {
        at += 1;
    }
    let name = at.checked_sub(1).filter(|&name| name > tokens.start && is_name(document, name))?;
    let kind = tokens.start..(tokens.start..name).find(|&idx| is_pointer_sign(document, idx)).unwrap_or(name);
    let is_end = at == tokens.end;
    let goes_on = is_end || matches!(document.token_text(at), "=" | "[" | "(" | "{" | "," | ":");
    let before = document.token_text(name - 1);
    let follows_type = matches!(before, "*" | "&" | ">") || document.kind(name - 1) == Some(TokenKind::Ident);
    let is_plain = !is_pointer_sign(document, name - 1) || names_type(document, kind.clone());
    let is_declaration = goes_on && follows_type && is_plain && !kind.is_empty() && !is_operator_word(before);
    if !is_declaration {
        return None;
    }
    let mut parts = split_arguments(document, name..tokens.end);
    if let Some(first) = parts.first_mut() {
        first.start = kind.end;
    }
    let declarators = parts.into_iter().filter_map(|part| declarator(document, part)).collect();
    Some(Declaration { kind, declarators })
}

/// `* name[3] = value`
fn declarator(document: &Document, part: Range<TokenIdx>) -> Option<Declarator> {
    let name = part.clone().find(|&idx| !is_pointer_sign(document, idx) && document.token_text(idx) != "const")?;
    if !is_name(document, name) {
        return None;
    }
    let after = name + 1;
    let is_array = document.is(after, b'[') && after < part.end;
    let value = match document.token_text(after) {
        _ if after >= part.end => None,
        "=" => Some(after + 1..part.end),
        "(" | "{" => document.partner(after).map(|close| after + 1..close),
        _ => None,
    };
    let value = value.map(|tokens| Operand::read(document, tokens));
    Some(Declarator { name, is_compound: is_array || name > part.start, value })
}

fn is_name(document: &Document, idx: TokenIdx) -> bool {
    document.token(idx).is_some_and(|token| token.kind == TokenKind::Ident)
        && !is_type_keyword(document.token_text(idx))
}

fn is_part_of_type(document: &Document, idx: TokenIdx) -> bool {
    match document.token(idx).map(|token| token.kind) {
        Some(TokenKind::Ident | TokenKind::PathSep) => true,
        Some(TokenKind::Punct(sign)) => matches!(sign, b'*' | b'&'),
        _ => false,
    }
}

fn is_pointer_sign(document: &Document, idx: TokenIdx) -> bool {
    document.is(idx, b'*') || document.is(idx, b'&')
}

fn names_type(document: &Document, mut tokens: Range<TokenIdx>) -> bool {
    tokens.any(|idx| is_type_word(document.token_text(idx)) || is_type_keyword(document.token_text(idx)))
}

fn is_type_keyword(word: &str) -> bool {
    matches!(
        word,
        "void" | "const" | "auto" | "static" | "volatile" | "constexpr" | "register" | "__shared__" | "__restrict__"
    ) || (is_type_word(word) && !word.ends_with("_t"))
}

fn is_operator_word(word: &str) -> bool {
    matches!(word, "return" | "new" | "delete" | "throw" | "sizeof" | "not" | "and" | "or")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceFile;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let document = Document::new(SourceFile::from_text("a.cu", text));
        let slice = |tokens: &Range<TokenIdx>| document.slice(document.range_of(tokens.clone())).to_owned();
        let mut seen: Vec<String> = statements(&document, 0..document.tokens().len())
            .iter()
            .map(|statement| match statement {
                Statement::Return(operand) => format!("return {}", slice(&operand.tokens)),
                Statement::Expression(operand) => slice(&operand.tokens),
                Statement::Declaration(declaration) => {
                    let names = declaration.declarators.iter().map(|declarator| {
                        let compound = if declarator.is_compound { "*" } else { "" };
                        let value = declarator.value.as_ref().map(|value| format!("={}", slice(&value.tokens)));
                        format!("{compound}{}{}", document.token_text(declarator.name), value.unwrap_or_default())
                    });
                    format!("{}: {}", slice(&declaration.kind), names.collect::<Vec<_>>().join(", "))
                }
            })
            .collect();
        seen.sort();
        assert_eq!(seen, expected, "{text}");
    }

    #[test]
    fn declarations_are_told_from_expressions() {
        check("const unsigned int m = f(x), *n;", &["const unsigned int: m=f(x), *n"]);
        check("auto m = x; m |= 1; f(m);", &["auto: m=x", "f(m)", "m |= 1"]);
        check("__shared__ uint32_t masks[32];", &["__shared__ uint32_t: *masks"]);
        check("a * b;", &["a * b"]);
        check("unsigned x(1);", &["unsigned: x=1"]);
        check("return m & 1;", &["return m & 1"]);
    }

    #[test]
    fn blocks_conditions_and_classes_are_looked_into() {
        check("if (m & 1) { x = 2; } else y = 3;", &["m & 1", "x = 2", "y = 3"]);
        check("for (int o = 16; o > 0; o /= 2) v += g(o);", &["int: o=16", "o /= 2", "o > 0", "v += g(o)"]);
        check("struct S { unsigned mask; int n; };", &["int: n", "unsigned: mask"]);
        check("auto f = [&](int x) { return x; };", &["auto: f=[&](int x) { return x; }", "return x"]);
        check("switch (x) { case 1: y = 2; break; default: z = 3; }", &["x", "y = 2", "z = 3"]);
    }
}
