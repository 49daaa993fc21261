//! Variables of the device: `__device__` and `__constant__` declarations outside of functions.

use std::cell::OnceCell;
use std::ops::Range;

use rustc_hash::FxHashMap;

use super::conditions::Conditions;
use super::functions::Functions;
use crate::source::Spans;
use crate::syntax::{Document, TokenIdx, TokenKind, words, words_that};

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
#[expect(clippy::struct_excessive_bools, reason = "each is another specifier of the declaration, or its place")]
pub struct DeviceVariable {
    /// Its name.
    pub name: TokenIdx,
    /// Where it lives.
    pub space: Space,
    /// Whether `const` or `constexpr` is among its specifiers.
    pub is_const: bool,
    /// Whether `static` is among its specifiers.
    pub is_static: bool,
    /// Whether it is a template, or a member of a template.
    pub is_template: bool,
    /// Whether some `#if` inside of the file decides on it.
    pub is_conditional: bool,
}

impl DeviceVariable {
    /// The variables that a file declares outside of functions.
    pub(super) fn all(document: &Document, functions: &Functions, conditions: &Conditions) -> Vec<DeviceVariable> {
        let spaces = [("__device__", Space::Device), ("__constant__", Space::Constant)];
        let conditional = conditional(conditions);
        let templates = OnceCell::new();
        let templates = || templates.get_or_init(|| class_templates(document));
        let mut found: Vec<DeviceVariable> = Vec::new();
        // What the declarations declare that were read, by where they start.
        let mut read: FxHashMap<TokenIdx, Option<usize>> = FxHashMap::default();
        for (word, space) in spaces {
            let mut last = 0..0;
            for keyword in words(document, word) {
                if document.directive_of(keyword).is_some() || functions.holding(keyword).is_some() {
                    continue;
                }
                if !last.contains(&keyword) {
                    last = declaration(document, keyword);
                }
                let known = read.get(&last.start).copied();
                match known.and_then(|known| found.get_mut(known?)) {
                    // `__device__ __constant__` declares one variable.
                    Some(first) => first.space = Space::Constant,
                    None if known.is_some() => {}
                    None => {
                        let variable = variable(document, (&conditional, templates()), keyword, &last, space);
                        read.insert(last.start, variable.as_ref().map(|_| found.len()));
                        found.extend(variable);
                    }
                }
            }
        }
        found
    }

    /// The words of a file that name one of `variables`, in the order of the text.
    pub fn named<'v>(
        document: &Document,
        variables: impl Iterator<Item = &'v DeviceVariable>,
    ) -> Vec<(TokenIdx, &'v DeviceVariable)> {
        let mut by_name: FxHashMap<&str, &DeviceVariable> = FxHashMap::default();
        for variable in variables {
            by_name.entry(document.token_text(variable.name)).or_insert(variable);
        }
        if by_name.is_empty() {
            return Vec::new();
        }
        let words = words_that(document, |name| by_name.contains_key(name));
        words.into_iter().filter_map(|idx| Some((idx, *by_name.get(document.token_text(idx))?))).collect()
    }
}

/// The branches that have others beside them.
fn conditional(conditions: &Conditions) -> Spans<TokenIdx> {
    let chains = conditions.chains().iter().filter(|chain| chain.branches.len() > 1);
    chains.flat_map(|chain| &chain.branches).map(|branch| branch.body.clone()).collect()
}

/// The declaration around a specifier, without the semicolon.
fn declaration(document: &Document, keyword: TokenIdx) -> Range<TokenIdx> {
    let ends =
        |idx: TokenIdx| matches!(document.token_text(idx), ";" | "}" | "{") || document.directive_of(idx).is_some();
    let start = (0..keyword).rev().find(|&idx| ends(idx)).map_or(0, |idx| idx + 1);
    let end = (keyword..document.tokens().len()).find(|&idx| ends(idx)).unwrap_or(document.tokens().len());
    start..end
}

fn variable(
    document: &Document,
    (conditional, templates): (&Spans<TokenIdx>, &Spans<TokenIdx>),
    keyword: TokenIdx,
    declaration: &Range<TokenIdx>,
    space: Space,
) -> Option<DeviceVariable> {
    let has = |word: &str| declaration.clone().any(|idx| document.token_text(idx) == word);
    if ["__managed__", "typedef", "using", "operator", "friend", "extern"].into_iter().any(has) {
        return None;
    }
    let name = declarator(document, keyword + 1..declaration.end)?;
    Some(DeviceVariable {
        name,
        space,
        is_const: has("const") || has("constexpr"),
        is_static: has("static"),
        is_template: has("template") || templates.contains(declaration.start),
        is_conditional: conditional.contains(keyword),
    })
}

/// The bodies of class templates.
fn class_templates(document: &Document) -> Spans<TokenIdx> {
    let ends =
        |idx: TokenIdx| matches!(document.token_text(idx), ";" | "{" | "}") || document.directive_of(idx).is_some();
    let is_template = |open: TokenIdx| {
        let head = || (0..open).rev().take_while(|&idx| !ends(idx)).map(|idx| document.token_text(idx));
        head().any(|word| word == "template") && head().any(|word| matches!(word, "struct" | "class"))
    };
    let has_any = words(document, "template").next().is_some();
    let opens = (0..document.tokens().len()).filter(|&idx| has_any && document.is(idx, b'{') && is_template(idx));
    opens.filter_map(|open| Some(open..document.partner(open)?)).collect()
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
    use crate::analysis::Facts;
    use crate::source::SourceFile;

    #[test]
    fn variables_are_told_from_functions_and_parameters() {
        let text = "__device__ int a; __constant__ float b[4] = {1}; static __device__ volatile vec<int, 3>* c;\n\
                    __device__ __constant__ int d; __device__ int f(int); __device__ int g() { return 1; }\n\
                    __device__ __managed__ int e; template <class T> __constant__ T h; __constant__ const int i = 3;";
        let document = Document::new(SourceFile::from_text("a.cu", text));
        let found = Facts::of(&document).device_variables(&document).to_vec();
        let shown: Vec<(&str, Space)> = found.iter().map(|v| (document.token_text(v.name), v.space)).collect();
        let (device, constant) = (Space::Device, Space::Constant);
        assert_eq!(
            shown,
            [("a", device), ("c", device), ("d", constant), ("b", constant), ("h", constant), ("i", constant)]
        );
        assert!(found[4].is_template && found[5].is_const);
        assert!(!found[0].is_template);
    }

    #[test]
    fn members_of_class_templates_are_templates() {
        let is_template = |text: &str| {
            let document = Document::new(SourceFile::from_text("a.cu", text));
            Facts::of(&document).device_variables(&document)[0].is_template
        };
        assert!(is_template("template <class T> struct Q { int n; void f() { } static __constant__ T a; };"));
        assert!(!is_template("struct Q { static __constant__ int a; };"));
        assert!(!is_template("template <class T> void f(T x) { } namespace n { __constant__ int a; }"));
    }
}
