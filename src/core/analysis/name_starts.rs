//! Macros that put the start of a name before what they are given, `#define CALL(f) cuda##f` and `cublas##f##dot`, and what their uses
//! hand over.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use camino::Utf8PathBuf;
use rustc_hash::{FxHashMap, FxHashSet};

use super::names::looks_like_cuda;
use super::own_names::is_source;
use super::pasted::DEEPEST;
use super::roles::is_pasting;
use crate::source::TextRange;
use crate::syntax::{Call, DirectiveKind, Document, MacroDefinition, TokenIdx, TokenKind, words_that};

/// A parameter of a macro: the name of the macro, and the number of the parameter from 0.
pub type MacroParameter = (String, usize);

/// What follows the start of a name.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct NameRest {
    /// The parameter that is pasted to the start.
    pub parameter: MacroParameter,
    /// The end that is pasted behind the parameter; empty without one.
    pub end: String,
    /// With how many arguments a name that has an end is called in the macro, if it is.
    pub arguments: Option<usize>,
}

impl NameRest {
    /// What a use puts behind the start. Nothing can be said of one that hands over no single name.
    pub fn made<'h>(&self, handed: &'h HandedName) -> Cow<'h, HandedName> {
        if self.end.is_empty() || handed.name.is_empty() {
            return Cow::Borrowed(handed);
        }
        Cow::Owned(HandedName { name: format!("{}{}", handed.name, self.end), arguments: self.arguments })
    }
}

/// The starts of names in the macros of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NameStarts {
    by_token: FxHashMap<TokenIdx, NameRest>,
}

impl NameStarts {
    /// Finds `cuda##f` and `cuda##f##End` in macros with the parameter `f`, where nothing else is pasted on either side.
    pub fn of(document: &Document) -> NameStarts {
        let mut found = NameStarts::default();
        for defined in MacroDefinition::all(document).filter(|defined| defined.parameters.len() > 2) {
            let mut parameters = None;
            for idx in defined.body.clone().filter(|&idx| is_start(document, idx)) {
                let parameters = parameters.get_or_insert_with(|| numbers(document, &defined));
                let is_text = |idx| !parameters.contains_key(document.token_text(idx));
                let Some(&number) = parameters.get(document.token_text(idx + 3)) else { continue };
                let end = is_pasting(document, idx + 4).then_some(idx + 6);
                if is_text(idx) && end.is_none_or(is_text) {
                    let parameter = (document.token_text(defined.name).to_owned(), number);
                    found.by_token.insert(idx, rest(document, parameter, end));
                }
            }
        }
        found
    }

    /// What follows the start at `token`.
    pub fn get(&self, token: TokenIdx) -> Option<&NameRest> {
        self.by_token.get(&token)
    }

    /// The parameters that follow starts.
    pub fn asked(&self) -> Asked {
        self.by_token.values().map(|rest| rest.parameter.clone()).collect()
    }
}

fn rest(document: &Document, parameter: MacroParameter, end: Option<TokenIdx>) -> NameRest {
    let arguments = end.and_then(|end| Call::at(document, end)).map(|call| call.arguments.len());
    let end = end.map(|end| document.token_text(end).to_owned()).unwrap_or_default();
    NameRest { parameter, end, arguments }
}

/// Whether the name at `idx` starts names of CUDA's, and one name is pasted to it, or two.
fn is_start(document: &Document, idx: TokenIdx) -> bool {
    let is_name = |idx| document.kind(idx) == Some(TokenKind::Ident);
    is_name(idx)
        && is_name(idx + 3)
        && is_pasting(document, idx + 1)
        && (!is_pasting(document, idx + 4) || is_name(idx + 6) && !is_pasting(document, idx + 7))
        && !(idx >= 2 && is_pasting(document, idx - 2))
        && looks_like_cuda(&format!("{}Xx", document.token_text(idx)))
}

/// The numbers of the parameters of a macro; those that `...` stands for have the name `__VA_ARGS__`.
fn numbers<'d>(document: &'d Document, defined: &MacroDefinition) -> FxHashMap<&'d str, usize> {
    let names = defined.parameters.clone().filter(|&idx| document.kind(idx) == Some(TokenKind::Ident));
    let mut found: FxHashMap<&str, usize> = FxHashMap::default();
    for (number, idx) in names.enumerate() {
        found.entry(document.token_text(idx)).or_insert(number);
    }
    // `#define F(a, ...)`, but not `#define F(a...)`, where the dots belong to the name.
    let last = defined.parameters.end.saturating_sub(2);
    let has_dots = document.is(last, b'.') && last >= 3;
    if has_dots && document.kind(last - 3) != Some(TokenKind::Ident) {
        found.insert("__VA_ARGS__", found.len());
    }
    found
}

/// Parameters of macros that somebody wants to know the arguments of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asked {
    numbers: BTreeMap<String, BTreeSet<usize>>,
}

impl FromIterator<MacroParameter> for Asked {
    fn from_iter<I: IntoIterator<Item = MacroParameter>>(parameters: I) -> Asked {
        let mut asked = Asked::default();
        parameters.into_iter().for_each(|parameter| asked.insert(parameter));
        asked
    }
}

impl Asked {
    /// Adds what another file asks for.
    pub fn extend(&mut self, more: &Asked) {
        for (name, numbers) in &more.numbers {
            self.numbers.entry(name.clone()).or_default().extend(numbers);
        }
    }

    fn insert(&mut self, (name, number): MacroParameter) {
        self.numbers.entry(name).or_default().insert(number);
    }

    fn contains(&self, (name, number): &MacroParameter) -> bool {
        self.numbers.get(name).is_some_and(|numbers| numbers.contains(number))
    }

    /// Whether nothing is asked for.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// The names of the macros.
    pub fn macros(&self) -> impl Iterator<Item = &str> {
        self.numbers.keys().map(String::as_str)
    }
}

/// What one use hands over.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct HandedName {
    /// The name that the start is pasted to; empty where no single name stands there.
    pub name: String,
    /// With how many arguments it is called within the argument, if it is.
    pub arguments: Option<usize>,
}

/// Where something is handed over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandedAt {
    /// The file.
    pub file: Utf8PathBuf,
    /// The line, from 1.
    pub line: u32,
    /// The name of the macro there.
    pub range: TextRange,
}

/// What uses hand over to parameters of macros.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HandedNames {
    /// With the first place of each.
    names: FxHashMap<MacroParameter, BTreeMap<HandedName, HandedAt>>,
    /// The parameters of other macros that are handed over.
    passed: FxHashMap<MacroParameter, BTreeSet<MacroParameter>>,
}

impl HandedNames {
    /// What a file hands over to its own macros.
    pub fn within(document: &Document, starts: &NameStarts) -> HandedNames {
        HandedNames::follow(&starts.asked(), |asked| Uses::of(document, asked))
    }

    /// What a file hands over to the macros of other files. What a source defines without asking whether it is there serves the
    /// source alone.
    pub fn between(document: &Document, asked: &Asked) -> HandedNames {
        let mut asked = asked.clone();
        if is_source(&document.file().path) {
            let tested = tested(document);
            for defined in MacroDefinition::all(document).map(|defined| document.token_text(defined.name)) {
                if !tested.contains(defined) {
                    asked.numbers.remove(defined);
                }
            }
        }
        Uses::of(document, &asked)
    }

    /// Looks with `look` for what uses hand over to parameters, and to those that are handed on to these.
    pub fn follow(first: &Asked, mut look: impl FnMut(&Asked) -> HandedNames) -> HandedNames {
        let (mut all, mut known, mut asked) = (HandedNames::default(), first.clone(), first.clone());
        for _ in 0..DEEPEST {
            if asked.is_empty() {
                return all;
            }
            let found = look(&asked);
            let new = found.passed.values().flatten().filter(|parameter| !known.contains(parameter)).cloned();
            asked = new.collect();
            known.extend(&asked);
            all.extend(found);
        }
        all
    }

    /// Adds what other files hand over.
    pub fn extend(&mut self, more: HandedNames) {
        for (parameter, names) in more.names {
            let known = self.names.entry(parameter).or_default();
            for (name, at) in names {
                known.entry(name).or_insert(at);
            }
        }
        for (to, from) in more.passed {
            self.passed.entry(to).or_default().extend(from);
        }
    }

    /// All that is handed over to a parameter, directly or by way of other macros; by the file itself and by its project.
    pub fn all_of<'h>(
        sets: [&'h HandedNames; 2],
        parameter: &'h MacroParameter,
    ) -> Vec<(&'h HandedName, &'h HandedAt)> {
        let (mut found, mut seen, mut open) = (Vec::new(), FxHashSet::default(), vec![parameter]);
        while let Some(parameter) = open.pop() {
            if seen.insert(parameter) {
                found.extend(sets.iter().filter_map(|set| set.names.get(parameter)).flatten());
                open.extend(sets.iter().filter_map(|set| set.passed.get(parameter)).flatten());
            }
        }
        found
    }
}

/// The names that conditions ask for, and those that are undefined.
fn tested(document: &Document) -> FxHashSet<&str> {
    let tests = |kind: DirectiveKind| kind.has_condition() || kind == DirectiveKind::Undef;
    let directives = document.directives().iter().filter(|directive| tests(directive.kind));
    let tokens = directives.flat_map(|directive| directive.tokens.clone());
    tokens.filter(|&idx| document.kind(idx) == Some(TokenKind::Ident)).map(|idx| document.token_text(idx)).collect()
}

/// The uses of macros in one file.
struct Uses<'d> {
    document: &'d Document,
    found: HandedNames,
    /// The macro that is being read, by where it starts, and its parameters.
    around: Option<(TokenIdx, String, FxHashMap<&'d str, usize>)>,
}

impl<'d> Uses<'d> {
    fn of(document: &'d Document, asked: &Asked) -> HandedNames {
        let mut uses = Uses { document, found: HandedNames::default(), around: None };
        if asked.is_empty() {
            return uses.found;
        }
        for at in words_that(document, |name| asked.numbers.contains_key(name)) {
            let name = document.token_text(at);
            if let Some(numbers) = asked.numbers.get(name)
                && uses.enter(at)
            {
                for &number in numbers {
                    uses.add(at, (name.to_owned(), number));
                }
            }
        }
        uses.found
    }

    /// Whether the macro is used at `at`, and not only defined or asked for.
    fn enter(&mut self, at: TokenIdx) -> bool {
        let document = self.document;
        let Some(directive) = document.directive_of(at) else {
            self.around = None;
            return true;
        };
        let Some(defined) = MacroDefinition::of(document, directive).filter(|defined| defined.name != at) else {
            return false;
        };
        if self.around.as_ref().is_none_or(|(start, ..)| *start != defined.name) {
            let name = document.token_text(defined.name).to_owned();
            self.around = Some((defined.name, name, numbers(document, &defined)));
        }
        directive.kind == DirectiveKind::Define && defined.body.contains(&at)
    }

    /// Adds what the use at `at` hands to a parameter of its macro.
    fn add(&mut self, at: TokenIdx, to: MacroParameter) {
        let document = self.document;
        if !document.is(at + 1, b'(') {
            // A variable may have the name of a macro with parameters. Within macros and lists it may be handed on.
            let opens = at > 0 && (document.is(at - 1, b'(') || document.is(at - 1, b','));
            let is_alone = opens && (document.is(at + 1, b')') || document.is(at + 1, b','));
            if self.around.is_some() || is_alone {
                self.note(at, to, HandedName { name: String::new(), arguments: None });
            }
            return;
        }
        let name = argument(document, at + 1, to.1).filter(|&idx| document.kind(idx) == Some(TokenKind::Ident));
        let name = name.filter(|&idx| !is_pasting(document, idx + 1));
        let text = name.map_or("", |idx| document.token_text(idx));
        if let Some((_, around, parameters)) = &self.around
            && let Some(&number) = parameters.get(text)
        {
            let from = (around.clone(), number);
            self.found.passed.entry(to).or_default().insert(from);
            return;
        }
        let call = name.and_then(|idx| Call::at(document, idx));
        let arguments = call.map(|call| call.arguments.len()).or_else(|| called_behind(document, at));
        self.note(at, to, HandedName { name: text.to_owned(), arguments });
    }

    fn note(&mut self, at: TokenIdx, to: MacroParameter, handed: HandedName) {
        let range = self.document.range_of(at..at + 1);
        let line = self.document.position(range.start()).line;
        let place = || HandedAt { file: self.document.file().path.clone(), line, range };
        self.found.names.entry(to).or_default().entry(handed).or_insert_with(place);
    }
}

/// With how many arguments the name that a macro makes is called, where nothing stands behind it in the macro: `CALL(Malloc)(p, n)`.
fn called_behind(document: &Document, at: TokenIdx) -> Option<usize> {
    let call = Call::at(document, document.partner(at + 1)?)?;
    let name = document.token_text(at);
    let mut defined = MacroDefinition::all(document).filter(|defined| document.token_text(defined.name) == name);
    let first = defined.next()?;
    let ends = |defined: &MacroDefinition| defined.body.len() > 3 && is_pasting(document, defined.body.end - 3);
    (ends(&first) && defined.all(|defined| ends(&defined))).then_some(call.arguments.len())
}

/// The first token of an argument of a macro, as the preprocessor counts them; none where it is empty.
fn argument(document: &Document, open: TokenIdx, number: usize) -> Option<TokenIdx> {
    let close = document.partner(open)?;
    let (mut at, mut left) = (open + 1, number);
    while left > 0 && at < close {
        left -= usize::from(document.is(at, b','));
        at = if document.is(at, b'(') { document.partner(at)? } else { at } + 1;
    }
    (at < close && !document.is(at, b',')).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceFile;

    /// What is handed over to the first start of the file.
    #[track_caller]
    fn check(text: &str, expected: &[(&str, Option<usize>)]) {
        let document = Document::new(SourceFile::from_text("a.cu", text));
        let starts = NameStarts::of(&document);
        let (own, others) = (HandedNames::within(&document, &starts), HandedNames::default());
        let first =
            starts.by_token.iter().min_by_key(|(token, _)| **token).map(|(_, rest)| rest.parameter.clone()).unwrap();
        let mut found: Vec<_> =
            HandedNames::all_of([&own, &others], &first).into_iter().map(|(name, _)| name).collect();
        found.sort_unstable();
        let found: Vec<_> = found.iter().map(|handed| (handed.name.as_str(), handed.arguments)).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn uses_hand_over_the_first_name_of_the_argument() {
        check("#define F(n) cuda##n\nF(A); F(B(1, 2)); F(A);", &[("A", None), ("B", Some(2))]);
        check("#define F(x, n) cuda##n\nF(g(1, 2), A);", &[("A", None)]);
        check("#define F(n, ...) cuda##n(__VA_ARGS__)\nF(A, 1);", &[("A", None)]);
        check("#define F(x, ...) cuda##__VA_ARGS__\nF(1, A, B);", &[("A", None)]);
        check("#define F(x, n...) cuda##n\nF(1, A, B);", &[("A", None)]);
    }

    #[test]
    fn what_is_no_single_name_is_told() {
        check("#define F(n) cuda##n\nF((A));", &[("", None)]);
        check("#define F(n) cuda##n\nF();", &[("", None)]);
        check("#define F(n) cuda##n\nLIST(F)", &[("", None)]);
        check("#define F(n) cuda##n\n#define G F\n", &[("", None)]);
        check("#define F(n) cuda##n\n#define G(a) F(A##a)\n", &[("", None)]);
        check("#define F(n) cuda##n\nint F = 1;\n#undef F\n#ifdef F\n#endif", &[]);
    }

    #[test]
    fn other_macros_hand_on() {
        check("#define F(n) cuda##n\n#define G(a, b) F(b)\nG(A, B);", &[("B", None)]);
        check("#define G(a, ...) F(a(__VA_ARGS__))\n#define F(n) cuda##n\nG(A, 1);", &[("A", None)]);
        check("#define F(n) cuda##n\n#define G(a) F(a)\n#define H(a) G(a)\nH(A); F(B);", &[("A", None), ("B", None)]);
    }

    #[test]
    fn starts_stand_before_one_parameter_alone() {
        let count = |text: &str| NameStarts::of(&Document::new(SourceFile::from_text("a.cu", text))).by_token.len();
        assert_eq!(count("#define F(n) cuda##n + cublas ## n\n"), 2);
        assert_eq!(count("#define F(a, b) cuda##a##To##b\n"), 0);
        assert_eq!(count("#define F(a, b) cuda##a##b\n"), 0);
        assert_eq!(count("#define F(a) cuda##a##To + cublas##a##dot(1)\n"), 2);
        assert_eq!(count("#define F(a, cuda) cuda##a\n"), 0);
        assert_eq!(count("#define F(a) cuda##b\n#define G cuda##b\n"), 0);
        assert_eq!(count("#define F(a) get_##a\n#define G(a) get_##cuda##a\n"), 0);
    }

    #[test]
    fn a_source_keeps_its_macros_to_itself() {
        let asked: Asked = [("F".to_owned(), 0)].into_iter().collect();
        let names = |path: &str, text: &str| {
            HandedNames::between(&Document::new(SourceFile::from_text(path, text)), &asked).names.len()
        };
        assert_eq!(names("a.cu", "F(A);"), 1);
        assert_eq!(names("a.cu", "#define F(n) n\nF(A);"), 0);
        assert_eq!(names("a.cuh", "#define F(n) n\nF(A);"), 1);
        assert_eq!(names("a.cu", "#ifndef F\n#define F(n) n\n#endif\nF(A);"), 1);
    }
}
