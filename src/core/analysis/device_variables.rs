//! Variables of the device: `__device__` and `__constant__` declarations outside of functions.

use std::ops::Range;

use super::facts::Facts;
use crate::syntax::{Document, TokenIdx, TokenKind, words};

/// The memory that a variable lives in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Space {
    /// `__device__`
    Device,
    /// `__constant__`
    Constant,
}

/// A variable that lives in the device's memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceVariable {
    /// Its name.
    pub name: TokenIdx,
    /// Where it lives.
    pub space: Space,
    /// Whether `const` or `constexpr` is among its specifiers.
    pub is_const: bool,
    /// Whether it is a template, or a member of a template.
    pub is_template: bool,
    /// Whether some `#if` inside of the file decides on it.
    pub is_conditional: bool,
}

impl DeviceVariable {
    /// The variables that a file declares outside of functions.
    pub fn all(document: &Document, facts: &Facts) -> Vec<DeviceVariable> {
        let spaces = [("__device__", Space::Device), ("__constant__", Space::Constant)];
        let mut found: Vec<DeviceVariable> = Vec::new();
        for (word, space) in spaces {
            for keyword in words(document, word) {
                // `__device__ __constant__` declares one variable.
                let known = |variable: &DeviceVariable| declaration(document, keyword).contains(&variable.name);
                if document.directive_of(keyword).is_some()
                    || facts.functions.iter().any(|f| f.head.start <= keyword && keyword < f.body.end)
                {
                    continue;
                }
                if let Some(first) = found.iter_mut().find(|variable| known(variable)) {
                    first.space = Space::Constant;
                } else if let Some(variable) = read(document, facts, keyword, space) {
                    found.push(variable);
                }
            }
        }
        found
    }
}

/// The declaration around a specifier, without the semicolon.
fn declaration(document: &Document, keyword: TokenIdx) -> Range<TokenIdx> {
    let ends =
        |idx: TokenIdx| matches!(document.token_text(idx), ";" | "}" | "{") || document.directive_of(idx).is_some();
    let start = (0..keyword).rev().find(|&idx| ends(idx)).map_or(0, |idx| idx + 1);
    let end = (keyword..document.tokens().len()).find(|&idx| ends(idx)).unwrap_or(document.tokens().len());
    start..end
}

fn read(document: &Document, facts: &Facts, keyword: TokenIdx, space: Space) -> Option<DeviceVariable> {
    let declaration = declaration(document, keyword);
    let has = |word: &str| declaration.clone().any(|idx| document.token_text(idx) == word);
    if ["__managed__", "typedef", "using", "operator", "friend", "extern"].into_iter().any(has) {
        return None;
    }
    let name = declarator(document, keyword + 1..declaration.end)?;
    let branches =
        facts.conditions.chains().iter().filter(|chain| chain.branches.len() > 1).flat_map(|chain| &chain.branches);
    Some(DeviceVariable {
        name,
        space,
        is_const: has("const") || has("constexpr"),
        is_template: has("template"),
        is_conditional: branches.into_iter().any(|branch| branch.body.contains(&keyword)),
    })
}

/// The name that a declaration declares: the last word before `[`, `=` or the end, outside of
/// template arguments; none if a parameter list follows.
fn declarator(document: &Document, tokens: Range<TokenIdx>) -> Option<TokenIdx> {
    let mut last = None;
    let mut idx = tokens.start;
    while idx < tokens.end {
        match document.token(idx)?.kind {
            TokenKind::Ident => {
                let attribute = document.token_text(idx).starts_with("__") && document.is(idx + 1, b'(');
                let skipped = document.partner(idx + 1).filter(|_| attribute || document.token_text(idx) == "alignas");
                match skipped {
                    Some(close) => idx = close,
                    None => last = Some(idx),
                }
            }
            TokenKind::Punct(b'[' | b'=' | b',') => return last,
            TokenKind::Punct(b'(') => return None,
            TokenKind::Punct(b'<') => {
                let close = (idx..tokens.end).rev().find(|&at| document.is(at, b'>'))?;
                idx = close;
            }
            _ => {}
        }
        idx += 1;
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceFile;

    #[test]
    fn variables_are_told_from_functions_and_parameters() {
        let text = "__device__ int a; __constant__ float b[4] = {1}; static __device__ volatile vec<int, 3>* c;\n\
                    __device__ __constant__ int d; __device__ int f(int); __device__ int g() { return 1; }\n\
                    __device__ __managed__ int e; template <class T> __constant__ T h; __constant__ const int i = 3;";
        let document = Document::new(SourceFile::from_text("a.cu", text));
        let found = DeviceVariable::all(&document, &Facts::of(&document));
        let shown: Vec<(&str, Space)> = found.iter().map(|v| (document.token_text(v.name), v.space)).collect();
        let (device, constant) = (Space::Device, Space::Constant);
        assert_eq!(
            shown,
            [("a", device), ("c", device), ("d", constant), ("b", constant), ("h", constant), ("i", constant)]
        );
        assert!(found[4].is_template && found[5].is_const);
    }
}
