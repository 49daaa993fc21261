//! Which names of a file stand for objects of a structure, as far as tokens tell: variables, parameters, arrays, lists
//! of them, and what is made from these by `auto`.

use rustc_hash::FxHashSet;

use crate::syntax::{Document, TokenIdx, TokenKind, words};

/// Names of objects, of pointers to them, and of lists of them.
pub(super) struct Objects<'d>(FxHashSet<&'d str>);

impl<'d> Objects<'d> {
    /// What is declared with a type of these names, and what `auto` takes from it.
    pub(super) fn of(types: &[&'d str], document: &'d Document) -> Objects<'d> {
        let mut types = types.to_vec();
        types.sort_unstable();
        types.dedup();
        let mut names = FxHashSet::default();
        for idx in types.into_iter().flat_map(|name| words(document, name)) {
            if !is_key(idx, document) {
                add_declarators(behind_lists(idx, document), document, &mut names);
            }
        }
        // What is taken from these may be handed on once more; further steps are rare.
        for _ in 0..2 {
            let taken: Vec<&str> = names.iter().flat_map(|name| taken_from(name, document)).collect();
            names.extend(taken);
        }
        Objects(names)
    }

    /// Whether the object in front of a member is one of these: `x.member`, `x[i]->member`, `x.at(i).member`.
    pub(super) fn have(&self, member: TokenIdx, document: &Document) -> bool {
        let name = member.checked_sub(2).and_then(|end| root_of(end, document));
        name.is_some_and(|name| self.0.contains(document.token_text(name)))
    }
}

fn is_name(idx: TokenIdx, document: &Document) -> bool {
    document.kind(idx) == Some(TokenKind::Ident)
}

/// The name that an operand which ends at `end` starts with.
fn root_of(end: TokenIdx, document: &Document) -> Option<TokenIdx> {
    let mut idx = end;
    while !is_name(idx, document) {
        let open = document.partner(idx).filter(|&open| open < idx)?;
        let before = open.checked_sub(1)?;
        let is_call = document.is(idx, b')') && is_name(before, document);
        idx = match document.kind(idx)? {
            // `x.at(i)`: what the list is called.
            TokenKind::Punct(b')') if is_call => before.checked_sub(2).filter(|_| is_access(before - 1, document))?,
            // `(*x)`
            TokenKind::Punct(b')') => idx.checked_sub(1).filter(|&last| is_name(last, document))?,
            TokenKind::Punct(b']') => before,
            _ => return None,
        };
    }
    Some(idx)
}

fn is_access(idx: TokenIdx, document: &Document) -> bool {
    matches!(document.token_text(idx), "." | "->")
}

/// `map<T, U>`: an element is no `T`.
fn is_key(of_type: TokenIdx, document: &Document) -> bool {
    let Some(list) = of_type.checked_sub(2).filter(|_| document.is(of_type - 1, b'<')) else { return false };
    let name = document.token_text(list);
    name.ends_with("map") || matches!(name, "pair" | "tuple")
}

/// The first token behind the lists of template arguments that a type stands in: `vector<T> x`, `array<T, 4> x`.
fn behind_lists(of_type: TokenIdx, document: &Document) -> TokenIdx {
    let mut next = of_type + 1;
    let mut list = of_type;
    while list.checked_sub(1).is_some_and(|before| matches!(document.token_text(before), "<" | "const")) {
        list -= 1;
        if !document.is(list, b'<') {
            continue;
        }
        let ends = |idx: TokenIdx| matches!(document.token_text(idx), ">" | ";" | "{" | "}");
        next = (next..document.tokens().len()).find(|&idx| ends(idx)).unwrap_or(next) + 1;
        // The name of the list, of which only the last part counts here: `std::vector`.
        let Some(name) = list.checked_sub(1).filter(|&name| is_name(name, document)) else { break };
        list = name;
        while list >= 2 && document.token_text(list - 1) == "::" && is_name(list - 2, document) {
            list -= 2;
        }
    }
    next
}

/// Adds what is declared from `start` on, where the type has ended: `*a, b[2]`.
fn add_declarators<'d>(start: TokenIdx, document: &'d Document, names: &mut FxHashSet<&'d str>) {
    let mut idx = start;
    loop {
        while matches!(document.token_text(idx), "*" | "&" | "&&" | "const") {
            idx += 1;
        }
        // `T a, int b`: another parameter.
        if !is_name(idx, document) || is_name(idx + 1, document) {
            return;
        }
        names.insert(document.token_text(idx));
        idx += 1;
        while let Some(close) = document.partner(idx).filter(|&close| close > idx) {
            idx = close + 1;
        }
        if !document.is(idx, b',') {
            return;
        }
        idx += 1;
    }
}

/// What `auto` makes from an object: `auto& x = name[0]`, `for (auto x : name)`.
fn taken_from<'d>(name: &'d str, document: &'d Document) -> Vec<&'d str> {
    let taken = words(document, name).filter_map(|idx| {
        let mut before = idx.checked_sub(1)?;
        while matches!(document.token_text(before), "*" | "&") {
            before = before.checked_sub(1)?;
        }
        let target = before.checked_sub(1).filter(|_| matches!(document.token_text(before), "=" | ":"))?;
        let mut of_type = target.checked_sub(1)?;
        while matches!(document.token_text(of_type), "*" | "&" | "&&" | "const") {
            of_type = of_type.checked_sub(1)?;
        }
        (is_name(target, document) && document.token_text(of_type) == "auto").then(|| document.token_text(target))
    });
    taken.collect()
}
