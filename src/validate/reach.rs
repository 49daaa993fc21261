//! Which functions of a program a kernel comes to, by the names that stand in their bodies.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::Functions;
use crate::source::TextRange;
use crate::syntax::{Document, TokenKind};

/// A function with the names that it may call.
#[derive(Debug)]
pub(super) struct Body {
    pub(super) name: String,
    /// From its specifiers to the end of its body.
    pub(super) range: TextRange,
    words: FxHashSet<String>,
    /// Called without its name, as operators are.
    is_operator: bool,
}

/// The functions of a file.
pub(super) fn bodies(document: &Document) -> Vec<Body> {
    let functions = Functions::of(document);
    let bodies = functions.iter().filter_map(|function| {
        let name = document.token_text(function.name?).to_owned();
        let tokens = function.body.clone();
        let words = tokens.filter(|idx| document.token(*idx).is_some_and(|token| token.kind == TokenKind::Ident));
        let words = words.map(|idx| document.token_text(idx).to_owned()).collect();
        let is_operator = function.head.clone().any(|idx| document.token_text(idx) == "operator");
        let first = document.token(function.head.start)?.range();
        let last = document.token(function.body.end.checked_sub(1)?)?.range();
        Some(Body { name, range: TextRange::new(first.start(), last.end()), words, is_operator })
    });
    bodies.collect()
}

/// The names of all functions that those called `root` come to, their own included; nothing if there is no such function.
/// Functions of equal name count as one, and operators may be called anywhere.
pub(super) fn reached<'b>(all: impl Iterator<Item = &'b Body>, root: &'b str) -> Option<FxHashSet<&'b str>> {
    let (mut found, mut waiting) = (FxHashSet::default(), vec![root]);
    let mut by_name: FxHashMap<&str, Vec<&Body>> = FxHashMap::default();
    for body in all {
        by_name.entry(&body.name).or_default().push(body);
        waiting.extend(body.is_operator.then_some(body.name.as_str()));
    }
    if !by_name.contains_key(root) {
        return None;
    }
    while let Some(name) = waiting.pop() {
        let Some((name, bodies)) = by_name.get_key_value(name) else { continue };
        if found.insert(*name) {
            waiting.extend(bodies.iter().flat_map(|body| &body.words).map(String::as_str));
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceFile;

    #[test]
    fn calls_are_followed_and_may_go_round() {
        let text = "int d(int n) { return n; }\nint c(int n) { return n ? b(n) : d(n); }\nint b(int n) { return c(n - 1); }\n\
                    void unused() { d(1); }\n__global__ void a(int* p) { *p = b(3); }\n";
        let document = Document::new(SourceFile::from_text("a.hip", text));
        let all = bodies(&document);
        let mut found: Vec<&str> = reached(all.iter(), "a").unwrap().into_iter().collect();
        found.sort_unstable();
        assert_eq!(found, ["a", "b", "c", "d"]);
        assert_eq!(reached(all.iter(), "none"), None);
        let kernel = all.iter().find(|body| body.name == "a").unwrap();
        assert_eq!(
            &text[usize::from(kernel.range.start())..usize::from(kernel.range.end())],
            "__global__ void a(int* p) { *p = b(3); }"
        );
    }
}
