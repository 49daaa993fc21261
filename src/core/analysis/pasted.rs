//! Arguments of macros that become parts of other names, or members: `f(x)` where `#define f(n) get_##n` or
//! `#define f(o, n) (o)->n` stands.

use rustc_hash::{FxHashMap, FxHashSet};

use super::roles::is_pasted;
use crate::syntax::{Call, Document, MacroDefinition, TokenIdx, TokenKind, words_that};

/// How many macros may stand between one that is used and the one that pastes.
pub(super) const DEEPEST: usize = 4;

/// What a macro makes of an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ArgumentUse {
    /// A part of another name.
    Part,
    /// A member of an object, each time.
    Member,
}

/// For macros by their names: parameters by their numbers, and what becomes of them. Of several definitions all count.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MacroParameters {
    known: FxHashMap<String, Vec<(usize, ArgumentUse)>>,
}

impl MacroParameters {
    /// The macros of a file.
    pub fn of(document: &Document) -> MacroParameters {
        Macros::of(document, &MacroParameters::default()).own
    }

    /// Adds the macros of another file.
    pub fn extend(&mut self, more: &MacroParameters) {
        for (name, found) in &more.known {
            self.add(name, found);
        }
    }

    fn add(&mut self, name: &str, found: &[(usize, ArgumentUse)]) -> bool {
        if found.is_empty() {
            return false;
        }
        let known = self.known.entry(name.to_owned()).or_default();
        let before = known.len();
        known.extend(found);
        known.sort_unstable();
        known.dedup();
        known.len() > before
    }
}

/// The macros of a file, and those of the others.
struct Macros<'m> {
    own: MacroParameters,
    shared: &'m MacroParameters,
}

impl<'m> Macros<'m> {
    fn of(document: &Document, shared: &'m MacroParameters) -> Macros<'m> {
        let defined: Vec<MacroDefinition> =
            MacroDefinition::all(document).filter(|defined| defined.parameters.len() > 2).collect();
        let mut macros = Macros { own: MacroParameters::default(), shared };
        for _ in 0..DEEPEST {
            let mut grown = false;
            for macro_ in &defined {
                let found = macros.uses_of(document, macro_);
                grown |= macros.own.add(document.token_text(macro_.name), &found);
            }
            if !grown {
                break;
            }
        }
        macros
    }

    fn get(&self, name: &str) -> &[(usize, ArgumentUse)] {
        let known = self.own.known.get(name).or_else(|| self.shared.known.get(name));
        known.map_or_else(|| of_tests(name), Vec::as_slice)
    }

    /// The parameters of a macro that its body pastes, or hands on to a macro that does, and those that are members each time. Where the
    /// body uses one as it is as well, no spelling of the argument serves both.
    fn uses_of(&self, document: &Document, defined: &MacroDefinition) -> Vec<(usize, ArgumentUse)> {
        let handed_on = self.handed_on(document, defined);
        let (mut parts, mut members, mut plain) = (FxHashSet::default(), FxHashSet::default(), FxHashSet::default());
        for idx in defined.body.clone().filter(|&idx| document.kind(idx) == Some(TokenKind::Ident)) {
            let Some(number) = defined.parameter(document, document.token_text(idx)) else { continue };
            let is_member = || matches!(document.kind(idx - 1), Some(TokenKind::Arrow | TokenKind::Punct(b'.')));
            match handed_on.get(idx) {
                Some(ArgumentUse::Part) => parts.insert(number),
                _ if is_pasted(document, idx) => parts.insert(number),
                Some(ArgumentUse::Member) => members.insert(number),
                None if is_member() => members.insert(number),
                // `#n` is a text of the same spelling.
                None if document.is(idx - 1, b'#') => continue,
                None => plain.insert(number),
            };
        }
        let members = members.into_iter().filter(|number| !plain.contains(number) && !parts.contains(number));
        let members: Vec<_> = members.map(|number| (number, ArgumentUse::Member)).collect();
        parts.into_iter().map(|number| (number, ArgumentUse::Part)).chain(members).collect()
    }

    /// The tokens in the body of a macro that are arguments of which other macros make something.
    fn handed_on(&self, document: &Document, defined: &MacroDefinition) -> PastedArguments {
        let mut handed = PastedArguments::default();
        for idx in defined.body.clone().filter(|&idx| document.is(idx + 1, b'(')) {
            handed.add(document, idx, self.get(document.token_text(idx)));
        }
        handed
    }
}

/// Macros of Google Test: `MOCK_METHOD2(name, …)` and `MOCK_CONST_METHOD0(name, …)`, `EXPECT_CALL(object, name(1))`.
fn of_tests(name: &str) -> &'static [(usize, ArgumentUse)] {
    let is_old = || {
        let count = name.strip_prefix("MOCK_METHOD").or_else(|| name.strip_prefix("MOCK_CONST_METHOD"));
        count.is_some_and(|count| !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit()))
    };
    match name {
        "MOCK_METHOD" | "EXPECT_CALL" | "ON_CALL" => &[(1, ArgumentUse::Member)],
        _ if is_old() => &[(0, ArgumentUse::Member)],
        _ => &[],
    }
}

/// The names in a file that are such arguments.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PastedArguments {
    tokens: FxHashMap<TokenIdx, ArgumentUse>,
}

impl PastedArguments {
    /// The arguments of a file whose macros may be those of `shared`, too.
    pub fn of(document: &Document, shared: &MacroParameters) -> PastedArguments {
        let macros = Macros::of(document, shared);
        let lists = lists(document);
        let mut found = PastedArguments::default();
        let is_wanted = |name: &str| !macros.get(name).is_empty() || lists.contains_key(name);
        for idx in words_that(document, is_wanted).into_iter().filter(|&idx| document.is(idx + 1, b'(')) {
            let name = document.token_text(idx);
            found.add(document, idx, macros.get(name));
            for list in lists.get(name).into_iter().flatten() {
                found.add_listed(document, idx, list, &macros);
            }
        }
        found.add_names_of_parts(document);
        found
    }

    /// Adds what macros without parameters stand for that are such arguments: `cuda` where `JOIN(PREFIX, f)` and
    /// `#define PREFIX cuda` stand.
    fn add_names_of_parts(&mut self, document: &Document) {
        let is_part =
            |(idx, made): (&TokenIdx, &ArgumentUse)| (*made == ArgumentUse::Part).then(|| document.token_text(*idx));
        let parts: FxHashSet<&str> = self.tokens.iter().filter_map(is_part).collect();
        let one_name = |defined: &MacroDefinition| defined.parameters.is_empty() && defined.body.len() == 1;
        for defined in MacroDefinition::all(document).filter(one_name) {
            if parts.contains(document.token_text(defined.name)) {
                self.tokens.insert(defined.body.start, ArgumentUse::Part);
            }
        }
    }

    /// What a macro makes of the name at `idx`, if it is such an argument.
    pub fn get(&self, idx: TokenIdx) -> Option<ArgumentUse> {
        self.tokens.get(&idx).copied()
    }

    fn add(&mut self, document: &Document, name: TokenIdx, parameters: &[(usize, ArgumentUse)]) {
        if parameters.is_empty() {
            return;
        }
        let Some(call) = Call::at(document, name) else { return };
        for (number, made) in parameters {
            let Some(tokens) = call.arguments.get(*number).map(|&argument| document.tokens_in(argument)) else {
                continue;
            };
            // `EXPECT_CALL(object, name(1))`
            let is_called = *made == ArgumentUse::Member && document.is(tokens.start + 1, b'(');
            if tokens.len() == 1 || is_called {
                let known = self.tokens.entry(tokens.start).or_insert(*made);
                *known = (*known).min(*made);
            }
        }
    }

    /// Adds what a list of a macro that is used at `name` hands to the macro that is its argument there.
    fn add_listed(&mut self, document: &Document, name: TokenIdx, list: &List, macros: &Macros<'_>) {
        let Some(call) = Call::at(document, name) else { return };
        let Some(tokens) = call.arguments.get(list.parameter).map(|&argument| document.tokens_in(argument)) else {
            return;
        };
        if tokens.len() == 1 {
            let parameters = macros.get(document.token_text(tokens.start));
            list.items.iter().for_each(|item| self.add(document, *item, parameters));
        }
    }
}

/// A macro that hands each of its items to a macro that it is given: `#define LIST(X) X(one) X(two)`.
struct List {
    /// The number of the parameter that the items are handed to.
    parameter: usize,
    /// Where it stands before the parentheses of an item.
    items: Vec<TokenIdx>,
}

fn lists(document: &Document) -> FxHashMap<&str, Vec<List>> {
    let mut found: FxHashMap<&str, Vec<List>> = FxHashMap::default();
    for defined in MacroDefinition::all(document).filter(|defined| defined.parameters.len() > 2) {
        let mut items: FxHashMap<usize, Vec<TokenIdx>> = FxHashMap::default();
        for idx in defined.body.clone().filter(|&idx| document.is(idx + 1, b'(')) {
            if let Some(number) = defined.parameter(document, document.token_text(idx)) {
                items.entry(number).or_default().push(idx);
            }
        }
        let lists = items.into_iter().map(|(parameter, items)| List { parameter, items });
        found.entry(document.token_text(defined.name)).or_default().extend(lists);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceFile;

    const PART: Option<ArgumentUse> = Some(ArgumentUse::Part);
    const MEMBER: Option<ArgumentUse> = Some(ArgumentUse::Member);

    /// What becomes of `X`, where it stands last.
    #[track_caller]
    fn check(text: &str, expected: Option<ArgumentUse>) {
        let document = Document::new(SourceFile::from_text("a.cu", text));
        let idx = (0..document.tokens().len()).rev().find(|&idx| document.token_text(idx) == "X").unwrap();
        let found = PastedArguments::of(&document, &MacroParameters::default()).get(idx);
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn arguments_that_are_pasted_are_no_names() {
        check("#define F(n) get_##n\nF(X);", PART);
        check("#define F(a, n) a + n##_t\nF(b, X);", PART);
        check("#define F(a, n) a + n##_t\nF(X, b);", None);
        check("#define F(n) name(#n, get_##n)\nF(X);", PART);
        check("#define F(n) #n\nF(X);", None);
        check("#define F(n) get_##n + n\nF(X);", PART);
        check("#define F(n) get_##n\nF(X + 1);", None);
        check("#define F(n) get_##n\nX;", None);
        check("#define F(n, ...) n(1, ##__VA_ARGS__)\nF(X, 2);", None);
    }

    #[test]
    fn a_macro_may_hand_on_what_another_pastes() {
        check("#define F(a, b) a##b\n#define G(n) F(get_, n)\nG(X);", PART);
        check("#define G(n) F(get_, n)\n#define F(a, b) a##b\nG(X);", PART);
        check("#define F(a, b) a##b\n#define G(n) F(get_, n) + n\nG(X);", PART);
    }

    #[test]
    fn a_list_hands_its_items_to_a_macro() {
        check("#define PASTE(n) p_##n;\nLIST(PASTE)\n#define LIST(M) M(Y) M(X)", PART);
        check("#define PLAIN(n) n;\nLIST(PLAIN)\n#define LIST(M) M(Y) M(X)", None);
        check("#define PASTE(a, n) a p_##n;\nLIST(1, PASTE)\n#define LIST(n, M) M(Y, 1) M(n, X)", PART);
    }

    #[test]
    fn arguments_behind_objects_are_members() {
        check("#define F(o, n, ...) ((o)->n(__VA_ARGS__))\nF(object, X, 1);", MEMBER);
        check("#define F(n) object.n\nF(X);", MEMBER);
        check("#define F(n) object.n + n\nF(X);", None);
        check("#define F(n) object.n + get_##n\nF(X);", PART);
        check("EXPECT_CALL(object, X(1, 2));", MEMBER);
        check("MOCK_METHOD2(X, int(int, int));", MEMBER);
    }

    #[test]
    fn macros_of_other_files_count() {
        let header = Document::new(SourceFile::from_text("a.h", "#define F(n) get_##n\n"));
        let document = Document::new(SourceFile::from_text("a.cu", "F(X);"));
        let found = PastedArguments::of(&document, &MacroParameters::of(&header));
        assert_eq!(found.get(2), PART);
    }
}
