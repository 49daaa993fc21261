//! Pieces of programs that a file puts together: strings with code beside those that hold whole functions for the device.

use crate::analysis::program_text;
use crate::diagnostic::{Applicability, Fix, Severity};
use crate::mapping::{Kind, Resolution};
use crate::rules::context::Context;
use crate::source::{Edit, TextRange, TextSize};
use crate::syntax::{Literals, TokenKind, lex};

/// Tells CUDA's names in a string that is a piece of a program; the file writes programs if another of its strings is one.
pub(super) fn check_piece(literals: &Literals, cx: &mut Context<'_>) {
    let text = literals.text.as_str();
    if !is_code(text) {
        return;
    }
    let found = names(text, cx);
    if found.is_empty() || !writes_programs(cx) {
        return;
    }
    for (at, name, new) in found {
        let place = at + literals.range.start();
        let Some(new) = new else {
            let message = format!("`{name}` does not exist in HIP, and stands in a piece of a program");
            cx.report(place, message).severity(Severity::Warning);
            continue;
        };
        let message = format!("`{name}` in a piece of a program is `{new}` in HIP");
        let edits = vec![Edit::replace(place, new.clone())];
        // What the setting for strings asks for.
        let applicability = if cx.settings.strings { Applicability::Safe } else { Applicability::Unsafe };
        let fix = Fix { applicability, ..Fix::risky(format!("write `{new}`"), edits) };
        let finding = cx.report(place, message).severity(Severity::Warning);
        finding.note("convert it with `strings = true` in `hipshift.toml`, or by hand").fix(fix);
    }
}

/// Whether a text has the marks of code, and not those of a message alone.
fn is_code(text: &str) -> bool {
    text.contains([';', '{', '}']) || text.contains("#include")
}

/// CUDA's names and headers in a text, and what they become.
fn names(text: &str, cx: &Context<'_>) -> Vec<(TextRange, String, Option<String>)> {
    let become_of = |resolution: Option<Resolution<'_>>, name: &str| match resolution? {
        Resolution::Name(to, entry) if to != name && entry.kind != Kind::Namespace => Some(Some(to.to_owned())),
        Resolution::Missing(_) | Resolution::OtherRelease(_) => Some(None),
        Resolution::Name(..) => None,
    };
    // `cudaFree failed;` is no code.
    let is_called = |name: &str, end: TextSize| {
        let is_function = cx.table.get(name).iter().all(|entry| entry.kind == Kind::Function);
        !is_function || text[end.into()..].trim_start().starts_with('(')
    };
    let tokens = lex(text).tokens;
    let words = tokens.iter().filter(|token| token.kind == TokenKind::Ident);
    let mut found: Vec<_> = words
        .filter_map(|token| {
            let (range, name) = (token.range(), &text[token.range()]);
            let new = become_of(cx.resolve(name), name).filter(|_| is_called(name, range.end()))?;
            Some((range, name.to_owned(), new))
        })
        .collect();
    for (at, _) in text.match_indices("#include") {
        let header =
            text[at..].split_once('<').and_then(|(front, rest)| Some((front.len() + 1, rest.split_once('>')?.0)));
        let Some((offset, path)) = header else { continue };
        if let Some(new) = become_of(cx.resolve_header(path), path) {
            let start = TextSize::try_from(at + offset).unwrap_or_default();
            let len = TextSize::try_from(path.len()).unwrap_or_default();
            found.push((TextRange::at(start, len), path.to_owned(), new));
        }
    }
    found
}

/// Whether a string of the file holds a function for the device.
fn writes_programs(cx: &Context<'_>) -> bool {
    let document = cx.document;
    *cx.writes_programs.get_or_init(|| (0..document.tokens().len()).any(|idx| program_text(document, idx).is_some()))
}
