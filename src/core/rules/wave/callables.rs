//! What device code of a file can call: its functions, macros, lambdas and objects.

use std::cell::OnceCell;
use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use super::lane_branches::forward;
use crate::analysis::{Function, Slot, declaration, is_source, template_head_end};
use crate::rules::context::Context;
use crate::syntax::{Document, MacroDefinition, TokenIdx, TokenKind, split_arguments, template_end, words, words_in};

/// What is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Key<'d> {
    /// What has this name.
    Named(&'d str),
    /// An object of the class of this name.
    Object(&'d str),
}

impl<'d> Key<'d> {
    pub(super) fn name(self) -> &'d str {
        match self {
            Key::Named(name) | Key::Object(name) => name,
        }
    }
}

/// Something of the file that can be called.
pub(super) struct Callable<'d> {
    pub(super) key: Key<'d>,
    pub(super) defined: TokenIdx,
    pub(super) parameters: Vec<&'d str>,
    /// Those of the template.
    pub(super) types: Vec<&'d str>,
    pub(super) body: Range<TokenIdx>,
    /// Where it calls what it is given.
    pub(super) called: Vec<(Slot, TokenIdx)>,
    /// Whether code of other files may call it.
    pub(super) is_shared: bool,
    /// Whether it is a macro without parameters.
    pub(super) is_bare: bool,
    /// Names that the body declares.
    declared: OnceCell<FxHashSet<&'d str>>,
}

impl<'d> Callable<'d> {
    /// `open` is the parenthesis of its parameters, if these are there.
    fn of(document: &'d Document, name: TokenIdx, open: TokenIdx, body: Range<TokenIdx>) -> Callable<'d> {
        let close = document.partner(open).filter(|&close| document.is(open, b'(') && close > open);
        let parts = close.map(|close| split_arguments(document, open + 1..close)).unwrap_or_default();
        let parameter = |part: Range<TokenIdx>| {
            let declared = declaration(document, part.clone()).and_then(|found| Some(found.declarators.first()?.name));
            document.token_text(declared.or_else(|| last_name(document, part.clone())).unwrap_or(part.start))
        };
        Callable {
            key: Key::Named(document.token_text(name)),
            defined: name,
            parameters: parts.into_iter().map(parameter).collect(),
            types: Vec::new(),
            body,
            called: Vec::new(),
            is_shared: false,
            is_bare: false,
            declared: OnceCell::new(),
        }
    }

    /// Whether the body declares a name behind a type or a `&`.
    pub(super) fn declares(&self, document: &'d Document, name: &str) -> bool {
        self.declared.get_or_init(|| declared(document, &self.body)).contains(name)
    }

    /// The parameter of this name, or the one of the template.
    pub(super) fn slot(&self, name: &str) -> Option<Slot> {
        let argument = self.parameters.iter().position(|parameter| *parameter == name).map(Slot::Argument);
        argument.or_else(|| self.types.iter().position(|parameter| *parameter == name).map(Slot::Template))
    }

    /// With what is handed over and called, and where: `f` in `f(x)`; `F` in `F()(x)`, `f` where `F f;` declares it.
    fn with_called(self, document: &'d Document) -> Callable<'d> {
        if self.parameters.is_empty() && self.types.is_empty() {
            return self;
        }
        let is_member = |idx: TokenIdx| {
            let before = idx.checked_sub(1).map_or("", |before| document.token_text(before));
            matches!(before, "." | "->" | "::")
        };
        // Where variables of the types of the template are declared.
        let mut variables: FxHashMap<&str, Vec<(TokenIdx, Slot)>> = FxHashMap::default();
        let numbered = |names: &[&'d str], slot: fn(usize) -> Slot| {
            names.iter().enumerate().map(|(number, name)| (*name, slot(number))).collect::<Vec<_>>()
        };
        let mut slots: FxHashMap<&str, Slot> = numbered(&self.types, Slot::Template).into_iter().collect();
        slots.extend(numbered(&self.parameters, Slot::Argument));
        let mut found = Vec::new();
        let mut named: Vec<TokenIdx> = slots
            .keys()
            .flat_map(|name| words_in(document, name, self.body.clone()))
            .filter(|&idx| !is_member(idx))
            .collect();
        named.sort_unstable();
        for idx in named {
            match slots[document.token_text(idx)] {
                slot @ Slot::Argument(_) => found.extend(document.is(idx + 1, b'(').then_some((slot, idx))),
                slot @ Slot::Template(_) if document.kind(idx + 1) == Some(TokenKind::Ident) => {
                    variables.entry(document.token_text(idx + 1)).or_default().push((idx, slot));
                }
                slot @ Slot::Template(_) => found.extend(calls_made(document, idx).then_some((slot, idx))),
            }
        }
        for (name, declared) in variables.into_iter().filter(|(name, _)| !slots.contains_key(name)) {
            let of = |idx: TokenIdx| {
                let after = declared.partition_point(|(declared, _)| *declared < idx);
                declared.get(after.checked_sub(1)?).map(|(_, slot)| *slot)
            };
            let uses = words_in(document, name, self.body.clone());
            let calls =
                uses.filter(|&idx| document.is(idx + 1, b'(') && !is_member(idx) && !declares_type(document, idx));
            found.extend(calls.filter_map(|idx| Some((of(idx)?, idx))));
        }
        found.sort_by_key(|(_, idx)| *idx);
        Callable { called: found, ..self }
    }
}

/// Whether the object of a class is called where it is made: `F()(x)`, `F{}(x)`, `F<2>()(x)`.
pub(super) fn calls_made(document: &Document, class: TokenIdx) -> bool {
    made_until(document, class).is_some()
}

/// The last token of the object of a class that is made and then called.
pub(super) fn made_until(document: &Document, class: TokenIdx) -> Option<TokenIdx> {
    let open = template_end(document, class + 1, document.tokens().len()).map_or(class + 1, |end| end + 1);
    let makes = document.is(open, b'(') || document.is(open, b'{');
    document.partner(open).filter(|&close| makes && close > open && document.is(close + 1, b'('))
}

/// Whether a name stands behind a type: `F f(1);`
fn declares_type(document: &Document, idx: TokenIdx) -> bool {
    let before = idx.checked_sub(1);
    before.is_some_and(|before| {
        document.kind(before) == Some(TokenKind::Ident) && document.token_text(before) != "return"
    })
}

/// All that device code of the file can call.
pub(super) fn callables<'d>(cx: &Context<'d>) -> Vec<Callable<'d>> {
    let document: &'d Document = cx.document;
    let is_source = is_source(&document.file().path);
    let mut all = Vec::new();
    for function in cx.facts.functions.iter().filter(|function| function.runs_on_device()) {
        if let Some(name) = function.name {
            let class = class_around(cx, function);
            all.extend(objects(cx, function, (name, class)));
            let is_member = class.is_some() || name > 0 && document.kind(name - 1) == Some(TokenKind::PathSep);
            let is_own = is_source && function.head.clone().any(|idx| document.token_text(idx) == "static");
            let defined = Callable {
                types: template_parameters(document, function, name),
                is_shared: !is_member && !is_own && !function.is_kernel,
                ..Callable::of(document, name, name + 1, function.body.clone())
            };
            all.push(defined.with_called(document));
        }
        all.extend(lambdas(document, function));
    }
    for MacroDefinition { name, parameters, body } in MacroDefinition::all(document) {
        // One without parameters is used as a call is made: `WARP_SYNC;`
        let is_bare = parameters.is_empty();
        let open = if is_bare { name } else { parameters.start };
        let defined = Callable { is_shared: !is_source, is_bare, ..Callable::of(document, name, open, body) };
        all.push(defined.with_called(document));
    }
    all
}

/// The names in `template <class F, int N = 2>` in front of a function.
fn template_parameters<'d>(document: &'d Document, function: &Function, name: TokenIdx) -> Vec<&'d str> {
    let keyword = (function.head.start..name).rev().find(|&idx| document.token_text(idx) == "template");
    let Some(less) = keyword.map(|keyword| keyword + 1).filter(|&less| document.is(less, b'<')) else {
        return Vec::new();
    };
    let end = template_head_end(document, less, name);
    if end <= less {
        return Vec::new();
    }
    let parts = split_arguments(document, less + 1..end).into_iter();
    parts.map(|part| last_name(document, part).map_or("", |idx| document.token_text(idx))).collect()
}

/// The last name of a parameter, in front of what it is otherwise: `f` of `F&& f`, `N` of `int N = 2`.
fn last_name(document: &Document, part: Range<TokenIdx>) -> Option<TokenIdx> {
    let end = part.clone().find(|&idx| document.is(idx, b'=')).unwrap_or(part.end);
    (part.start..end).rev().find(|&idx| document.kind(idx) == Some(TokenKind::Ident))
}

/// The class whose `operator()` the function is, and the variables of it, each of which is called as that: `Sum sum; sum(x);`
fn objects<'d>(
    cx: &Context<'d>,
    function: &Function,
    (name, class): (TokenIdx, Option<TokenIdx>),
) -> Vec<Callable<'d>> {
    let document: &'d Document = cx.document;
    let Some(class) = class.filter(|_| is_call_operator(document, name)) else { return Vec::new() };
    let of_class = || Callable::of(document, class, name + 3, function.body.clone());
    let key = Key::Object(document.token_text(class));
    let object = Callable { key, is_shared: true, ..of_class() }.with_called(document);
    let called = object.called.clone();
    let mut all = vec![object];
    for variable in variables_of(document, document.token_text(class)).filter(|&variable| variable != class) {
        let key = Key::Named(document.token_text(variable));
        all.push(Callable { key, defined: variable, called: called.clone(), ..of_class() });
    }
    all
}

/// Whether a function is `operator()`.
pub(super) fn is_call_operator(document: &Document, name: TokenIdx) -> bool {
    document.token_text(name) == "operator" && document.is(name + 1, b'(') && document.is(name + 2, b')')
}

/// The variables and parameters of a class.
pub(super) fn variables_of<'d>(document: &'d Document, class: &'d str) -> impl Iterator<Item = TokenIdx> + 'd {
    let is_head = |idx: TokenIdx| idx > 0 && matches!(document.token_text(idx - 1), "struct" | "class");
    words(document, class).filter(move |&idx| !is_head(idx)).flat_map(|idx| declared_as(document, idx))
}

/// The variables or the parameter of the type that a token ends or names: `Sum a(1), b;`, `Sum<int> &c`.
fn declared_as(document: &Document, kind: TokenIdx) -> Vec<TokenIdx> {
    let end = template_end(document, kind + 1, document.tokens().len()).filter(|_| document.is(kind + 1, b'<'));
    let mut first = end.unwrap_or(kind) + 1;
    first += usize::from(document.is(first, b'&'));
    if document.kind(first) != Some(TokenKind::Ident) {
        return Vec::new();
    }
    let ends = |&idx: &TokenIdx| document.is(idx, b';') || document.is(idx, b')') || document.is(idx, b'{');
    let mut variables = vec![first];
    let mut at = first;
    while let Some(next) = forward(document, at..document.tokens().len(), &[",", ";"]).filter(|next| !ends(next)) {
        // In a list of parameters a type follows.
        let is_name =
            document.kind(next + 1) == Some(TokenKind::Ident) && document.kind(next + 2) != Some(TokenKind::Ident);
        variables.extend(is_name.then_some(next + 1));
        at = next + 1;
    }
    variables
}

/// The name of the class around a function.
pub(super) fn class_around(cx: &Context<'_>, function: &Function) -> Option<TokenIdx> {
    let document = cx.document;
    let open = cx.facts.blocks(document).around(function.head.start)?;
    let ends = |&idx: &TokenIdx| [b';', b'{', b'}'].iter().any(|&sign| document.is(idx, sign));
    let head = (0..open).rev().find(ends).map_or(0, |end| end + 1)..open;
    let keyword = head.clone().rev().find(|&idx| matches!(document.token_text(idx), "struct" | "class"))?;
    (keyword + 1..open).find(|&idx| document.kind(idx) == Some(TokenKind::Ident) && !document.is(idx + 1, b'('))
}

/// Lambdas within more lambdas than this count as the code of those.
const DEEPEST_LAMBDA: usize = 4;

/// `auto f = [&](int x) { … };`
pub(super) fn lambdas<'d>(document: &'d Document, function: &Function) -> impl Iterator<Item = Callable<'d>> {
    let body = function.body.clone();
    let starts = body.clone().filter(move |&idx| document.is(idx, b'=') && document.is(idx + 1, b'['));
    let mut around: Vec<TokenIdx> = Vec::new();
    starts.filter_map(move |sign| {
        while around.pop_if(|end| *end < sign).is_some() {}
        if around.len() >= DEEPEST_LAMBDA {
            return None;
        }
        let name = sign.checked_sub(1).filter(|&name| document.kind(name) == Some(TokenKind::Ident))?;
        let open = document.partner(sign + 1).filter(|&close| close > sign)? + 1;
        // `[&] { … }` takes nothing.
        let close = document.partner(open).filter(|&close| document.is(open, b'(') && close > open).unwrap_or(open);
        let start = (close..body.end).find(|&idx| document.is(idx, b'{') || document.is(idx, b';'))?;
        let end = document.partner(start).filter(|&end| end > start)?;
        around.push(end);
        Some(Callable::of(document, name, open, start..end).with_called(document))
    })
}

/// The names that stand behind a type or a `&`.
fn declared<'d>(document: &'d Document, body: &Range<TokenIdx>) -> FxHashSet<&'d str> {
    let follows_type = |before: TokenIdx| {
        let is_type = document.kind(before) == Some(TokenKind::Ident) && document.token_text(before) != "return";
        is_type || document.is(before, b'&')
    };
    let names = body.clone().filter(|&idx| document.kind(idx) == Some(TokenKind::Ident));
    names.filter(|idx| idx.checked_sub(1).is_some_and(follows_type)).map(|idx| document.token_text(idx)).collect()
}
