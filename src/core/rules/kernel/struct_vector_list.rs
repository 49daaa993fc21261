//! Lists in braces for structures whose members are CUDA's vectors, without braces for these: `struct Ball { float3 at; float radius; }`
//! and `Ball ball = {1, 2, 3, 4}` (C++17, \[dcl.init.aggr\], brace elision).

use std::collections::BTreeMap;
use std::ops::Range;

use rustc_hash::FxHashMap;

use super::vector_types::VectorTypes;
use crate::analysis::is_number_type;
use crate::mapping::vector_size;
use crate::source::{Edit, TextRange, TextSize};
use crate::syntax::{Document, TokenIdx, TokenKind, split_arguments, words};

/// A member of a structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Member<'d> {
    /// A vector with so many components.
    Vector(usize),
    /// A number or a pointer, which takes one value.
    Number,
    /// An object of another type, which takes one list in braces.
    Other(&'d str),
    /// An array, which takes one list in braces.
    Array,
}

/// The structures of a file that are lists of members and nothing else.
pub(super) struct Structures<'d> {
    document: &'d Document,
    /// None where two definitions have the name.
    members: FxHashMap<&'d str, Option<Vec<Member<'d>>>>,
}

/// Structures within each other are followed no further than this.
const DEEPEST: u32 = 16;

/// A list that needs braces, and the name of its structure.
pub(super) struct FlatList<'d> {
    pub(super) open: TokenIdx,
    pub(super) close: TokenIdx,
    pub(super) name: &'d str,
    pub(super) edits: Vec<Edit>,
}

impl<'d> Structures<'d> {
    pub(super) fn of(document: &'d Document, types: &VectorTypes<'d>) -> Structures<'d> {
        let mut structures = Structures { document, members: FxHashMap::default() };
        for keyword in words(document, "struct") {
            let Some((names, body)) = definition(document, keyword) else { continue };
            let members = members(document, body, types);
            for name in names {
                let known = structures.members.contains_key(name);
                structures.members.insert(name, members.clone().filter(|_| !known));
            }
        }
        structures.members.retain(|_, members| members.is_some());
        structures
    }

    pub(super) fn are_none(&self) -> bool {
        self.members.is_empty()
    }

    /// The list that starts at a brace, if it initialises structures and has to change.
    pub(super) fn flat_list(&self, open: TokenIdx) -> Option<FlatList<'d>> {
        let document = self.document;
        let (name, is_array) = self.declared(open)?;
        let close = document.partner(open).filter(|&close| close > open + 1)?;
        let members = self.members.get(name)?.as_ref()?;
        if !document.directives_in(open..close).is_empty() || (open..close).any(|idx| document.is(idx, b';')) {
            return None;
        }
        let parts = parts(document, open + 1..close);
        let mut signs = Signs::default();
        match parts.as_slice() {
            // What is not named is zero.
            [only] if is_zero(document, only) && self.starts_with_vector(members, DEEPEST) => {
                let edits = vec![Edit::delete(document.range_of(only.clone()))];
                return Some(FlatList { open, close, name, edits });
            }
            _ if is_array => self.elements(members, &parts, &mut signs)?,
            _ => (self.of_members(members, &parts, (&mut signs, DEEPEST))? == parts.len()).then_some(())?,
        }
        let edits = signs.edits(document);
        (!edits.is_empty()).then_some(FlatList { open, close, name, edits })
    }

    /// The elements of an array: each is a list, or all of them stand one after the other.
    fn elements(&self, members: &[Member<'d>], parts: &[Range<TokenIdx>], signs: &mut Signs) -> Option<()> {
        let document = self.document;
        if parts.iter().all(|part| is_list(document, part)) {
            return parts.iter().try_for_each(|part| self.within(members, part, (&mut *signs, DEEPEST)));
        }
        let mut at = 0;
        while at < parts.len() {
            let mut inner = Signs::default();
            let used = self.of_members(members, &parts[at..], (&mut inner, DEEPEST))?;
            signs.surround(&parts[at], &parts[at + used.checked_sub(1)?], 0, document);
            signs.add(inner);
            at += used;
        }
        Some(())
    }

    /// The members of a structure that a list in braces stands for.
    fn within(&self, members: &[Member<'d>], list: &Range<TokenIdx>, (signs, depth): (&mut Signs, u32)) -> Option<()> {
        let parts = parts(self.document, list.start + 1..list.end - 1);
        (self.of_members(members, &parts, (signs, depth))? == parts.len()).then_some(())
    }

    /// The structure of the variable that a list initialises, and whether that is an array: `Ball a = {`, `Ball a[2] = {`, `Ball a{`.
    fn declared(&self, open: TokenIdx) -> Option<(&'d str, bool)> {
        let document = self.document;
        let last = open.checked_sub(if document.is(open.checked_sub(1)?, b'=') { 2 } else { 1 })?;
        let is_array = document.is(last, b']');
        let name = if is_array { document.partner(last)?.checked_sub(1)? } else { last };
        let kind = name.checked_sub(1).filter(|_| document.kind(name) == Some(TokenKind::Ident))?;
        let text = document.token_text(kind);
        let starts = kind.checked_sub(1).is_none_or(|before| {
            let before = document.token_text(before);
            matches!(
                before,
                ";" | "{" | "}" | "(" | ")" | "," | "const" | "static" | "struct" | "constexpr" | "inline" | "volatile"
            ) || before.starts_with("__") && before.ends_with("__")
        });
        let starts = starts || document.directive_of(kind - 1).is_some();
        (starts && self.members.contains_key(text)).then_some((text, is_array))
    }

    fn starts_with_vector(&self, members: &[Member<'d>], depth: u32) -> bool {
        match members.first() {
            Some(Member::Vector(_)) => true,
            Some(Member::Other(name)) if depth > 0 => {
                let inner = self.members.get(name).and_then(Option::as_ref);
                inner.is_some_and(|inner| self.starts_with_vector(inner, depth - 1))
            }
            _ => false,
        }
    }

    /// Finds the braces and zeros that values need which initialise members, and says how many of them do. None where it cannot be
    /// told which value is whose.
    fn of_members(
        &self,
        members: &[Member<'d>],
        parts: &[Range<TokenIdx>],
        (signs, depth): (&mut Signs, u32),
    ) -> Option<usize> {
        let document = self.document;
        let mut at = 0;
        for member in members {
            let Some(part) = parts.get(at) else { break };
            let is_list = is_list(document, part);
            match member {
                Member::Vector(size) if is_list => {
                    let named = self::parts(document, part.start + 1..part.end - 1);
                    if named.len() < *size && named.iter().all(|part| is_number(document, part)) {
                        named.last().into_iter().for_each(|last| signs.fill(last, size - named.len(), document));
                    }
                }
                Member::Vector(size) if is_number(document, part) => {
                    let run = parts[at..].iter().take(*size).take_while(|part| is_number(document, part)).count();
                    if run < *size && at + run < parts.len() {
                        return None;
                    }
                    signs.surround(part, &parts[at + run - 1], size - run, document);
                    at += run - 1;
                }
                Member::Vector(_) if document.token_text(part.start).starts_with("make_") => {}
                Member::Other(name) if is_list => {
                    if let Some(inside) = self.members.get(name).and_then(Option::as_ref) {
                        self.within(inside, part, (&mut *signs, depth.checked_sub(1)?))?;
                    }
                }
                Member::Number => {}
                Member::Array if is_list => {}
                _ => return None,
            }
            at += 1;
        }
        Some(at)
    }
}

/// What is written between the values of a list, by place: in front of a value, and behind one.
#[derive(Debug, Default)]
struct Signs {
    front: BTreeMap<TextSize, String>,
    behind: BTreeMap<TextSize, String>,
}

impl Signs {
    /// Zeros for what is not named, behind the last value that is.
    fn fill(&mut self, last: &Range<TokenIdx>, count: usize, document: &Document) {
        self.behind.entry(document.range_of(last.clone()).end()).or_default().push_str(&", 0".repeat(count));
    }

    /// Braces around values, with zeros for what is not named.
    fn surround(&mut self, first: &Range<TokenIdx>, last: &Range<TokenIdx>, count: usize, document: &Document) {
        self.front.entry(document.range_of(first.clone()).start()).or_default().push('{');
        self.fill(last, count, document);
        self.behind.entry(document.range_of(last.clone()).end()).or_default().push('}');
    }

    /// Takes in signs within those that are there.
    fn add(&mut self, inner: Signs) {
        for (place, text) in inner.front {
            self.front.entry(place).or_default().push_str(&text);
        }
        for (place, text) in inner.behind {
            self.behind.entry(place).or_default().insert_str(0, &text);
        }
    }

    /// The sign behind a value is part of the edit: another rule may insert something at the end of it.
    fn edits(self, document: &Document) -> Vec<Edit> {
        let behind = self.behind.into_iter().filter(|(_, text)| !text.is_empty()).map(|(at, text)| {
            let next = document.text()[usize::from(at)..].chars().next().unwrap_or('}');
            Edit::replace(TextRange::new(at, at + TextSize::of(next)), format!("{text}{next}"))
        });
        self.front.into_iter().map(|(at, text)| Edit::insert(at, text)).chain(behind).collect()
    }
}

/// Whether a value is a list in braces.
fn is_list(document: &Document, part: &Range<TokenIdx>) -> bool {
    document.is(part.start, b'{') && document.partner(part.start) == Some(part.end - 1)
}

/// The values of a list; nothing stands behind a last comma.
fn parts(document: &Document, list: Range<TokenIdx>) -> Vec<Range<TokenIdx>> {
    let mut parts = split_arguments(document, list);
    parts.retain(|part| !part.is_empty());
    parts
}

/// A value that is made of numbers alone.
fn is_number(document: &Document, part: &Range<TokenIdx>) -> bool {
    let is_of_number = |idx: TokenIdx| match document.kind(idx) {
        Some(TokenKind::Number | TokenKind::Char) => true,
        Some(TokenKind::Punct(sign)) => matches!(sign, b'+' | b'-' | b'*' | b'/' | b'(' | b')'),
        _ => false,
    };
    part.clone().all(is_of_number) && part.clone().any(|idx| document.kind(idx) == Some(TokenKind::Number))
}

/// `0`, `0.0f`
fn is_zero(document: &Document, part: &Range<TokenIdx>) -> bool {
    let text = document.token_text(part.start);
    part.len() == 1
        && is_number(document, part)
        && text.trim_end_matches(['f', 'F', 'u', 'U', 'l', 'L']).bytes().all(|byte| matches!(byte, b'0' | b'.'))
}

/// The names of the structure that is defined at a keyword, and its body: `struct A {`, `typedef struct { … } A;`. One with a base
/// is no list of members.
fn definition(document: &Document, keyword: TokenIdx) -> Option<(Vec<&str>, Range<TokenIdx>)> {
    let mut at = keyword + 1;
    while matches!(document.token_text(at), "alignas" | "__align__" | "__attribute__") {
        at = document.after_brackets(at + 1);
    }
    let own = (document.kind(at) == Some(TokenKind::Ident)).then_some(at);
    let open = own.map_or(at, |own| own + 1);
    let close = document.partner(open).filter(|&close| document.is(open, b'{') && close > open)?;
    let is_typedef = keyword > 0 && document.token_text(keyword - 1) == "typedef";
    let other = Some(close + 1).filter(|&name| is_typedef && document.is(name + 1, b';'));
    let names = own.into_iter().chain(other).map(|name| document.token_text(name)).collect();
    Some((names, open + 1..close))
}

/// The members of a structure; none where something else than data stands there.
fn members<'d>(document: &'d Document, body: Range<TokenIdx>, types: &VectorTypes<'d>) -> Option<Vec<Member<'d>>> {
    if !document.directives_in(body.clone()).is_empty() {
        return None;
    }
    let is_other = |idx: TokenIdx| {
        matches!(
            document.token_text(idx),
            "(" | "{" | "=" | ":" | "static" | "typedef" | "using" | "friend" | "template" | "<"
        )
    };
    if body.clone().any(is_other) {
        return None;
    }
    let mut found = Vec::new();
    let mut start = body.start;
    while let Some(end) = (start..body.end).find(|&idx| document.is(idx, b';')) {
        found.extend(declared(document, start..end, types)?);
        start = end + 1;
    }
    (start == body.end && found.iter().any(|member| *member != Member::Number)).then_some(found)
}

/// The members of one declaration: `unsigned int a, *b, c[2]`.
fn declared<'d>(document: &'d Document, tokens: Range<TokenIdx>, types: &VectorTypes<'d>) -> Option<Vec<Member<'d>>> {
    let declarators = split_arguments(document, tokens);
    let first = declarators.first()?;
    let is_star = |idx: TokenIdx| document.is(idx, b'*');
    let ends = |idx: TokenIdx| document.kind(idx) != Some(TokenKind::Ident);
    let stop = first.clone().find(|&idx| ends(idx)).unwrap_or(first.end);
    // The last word is the name, unless a star stands between it and the type.
    let kind = first.start..if stop < first.end && is_star(stop) { stop } else { stop.checked_sub(1)? };
    let words =
        kind.map(|idx| document.token_text(idx)).filter(|word| !matches!(*word, "const" | "volatile" | "struct"));
    let words: Vec<&str> = words.collect();
    let (&last, joined) = (words.last()?, words.join(" "));
    let member = match types.vector(last).and_then(vector_size) {
        Some(size) if words.len() == 1 => Member::Vector(size),
        _ if is_number_type(&joined) || words.len() == 1 && types.is_number(last) => Member::Number,
        _ if words.len() == 1 => Member::Other(last),
        _ => return None,
    };
    let of_declarator = |declarator: &Range<TokenIdx>| match () {
        () if document.is(declarator.end - 1, b']') => Member::Array,
        () if declarator.clone().any(is_star) => Member::Number,
        () => member,
    };
    Some(declarators.iter().map(of_declarator).collect())
}
