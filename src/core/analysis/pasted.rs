//! Arguments of macros that become parts of other names: `f(x)` where `#define f(n) get_##n` stands.

use rustc_hash::{FxHashMap, FxHashSet};

use super::roles::is_pasted;
use crate::syntax::{Call, Document, MacroDefinition, TokenIdx, TokenKind};

/// How many macros may stand between one that is used and the one that pastes.
const DEEPEST: usize = 4;

/// For each macro, the numbers of its parameters that become parts of names.
type Parameters<'d> = FxHashMap<&'d str, Vec<usize>>;

/// The names in a file that are such arguments.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PastedArguments {
    tokens: FxHashSet<TokenIdx>,
}

impl PastedArguments {
    /// The arguments of a file.
    pub fn of(document: &Document) -> PastedArguments {
        let pasting = pasting_parameters(document);
        let mut found = PastedArguments::default();
        if pasting.is_empty() {
            return found;
        }
        for idx in 0..document.tokens().len() {
            let is_name = document.kind(idx) == Some(TokenKind::Ident) && document.is(idx + 1, b'(');
            let Some(parameters) = is_name.then(|| pasting.get(document.token_text(idx))).flatten() else { continue };
            found.add(document, idx, parameters);
        }
        found
    }

    /// Whether the name at `idx` is a part of another name where it stands.
    pub fn contains(&self, idx: TokenIdx) -> bool {
        self.tokens.contains(&idx)
    }

    fn add(&mut self, document: &Document, name: TokenIdx, parameters: &[usize]) {
        let Some(call) = Call::at(document, name) else { return };
        let given = parameters.iter().filter_map(|&number| call.arguments.get(number));
        let tokens = given.map(|&argument| document.tokens_in(argument));
        self.tokens.extend(tokens.filter(|tokens| tokens.len() == 1).map(|tokens| tokens.start));
    }
}

fn pasting_parameters(document: &Document) -> Parameters<'_> {
    let defined: Vec<MacroDefinition> =
        MacroDefinition::all(document).filter(|defined| defined.parameters.len() > 2).collect();
    let mut found = Parameters::default();
    for _ in 0..DEEPEST {
        let before = found.len();
        for macro_ in &defined {
            let name = document.token_text(macro_.name);
            if !found.contains_key(name) {
                let numbers = pasted_of(document, macro_, &found);
                found.extend((!numbers.is_empty()).then_some((name, numbers)));
            }
        }
        if found.len() == before {
            break;
        }
    }
    found
}

/// The parameters of a macro that its body pastes, or hands on to a macro that does. Where the body uses one as it is as well, no
/// spelling of the argument serves both.
fn pasted_of(document: &Document, defined: &MacroDefinition, known: &Parameters<'_>) -> Vec<usize> {
    let handed_on = handed_on(document, defined, known);
    let names = defined.body.clone().filter(|&idx| document.kind(idx) == Some(TokenKind::Ident));
    let pasted = names.filter(|idx| is_pasted(document, *idx) || handed_on.contains(idx));
    let mut numbers: Vec<usize> =
        pasted.filter_map(|idx| defined.parameter(document, document.token_text(idx))).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// The tokens in the body of a macro that are arguments which other macros paste.
fn handed_on(document: &Document, defined: &MacroDefinition, known: &Parameters<'_>) -> FxHashSet<TokenIdx> {
    let mut handed = PastedArguments::default();
    for idx in defined.body.clone().filter(|&idx| document.is(idx + 1, b'(')) {
        if let Some(parameters) = known.get(document.token_text(idx)) {
            handed.add(document, idx, parameters);
        }
    }
    handed.tokens
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceFile;

    /// Whether `X`, where it stands last, becomes a part of another name.
    #[track_caller]
    fn check(text: &str, expected: bool) {
        let document = Document::new(SourceFile::from_text("a.cu", text));
        let idx = (0..document.tokens().len()).rev().find(|&idx| document.token_text(idx) == "X").unwrap();
        assert_eq!(PastedArguments::of(&document).contains(idx), expected, "{text}");
    }

    #[test]
    fn arguments_that_are_pasted_are_no_names() {
        check("#define F(n) get_##n\nF(X);", true);
        check("#define F(a, n) a + n##_t\nF(b, X);", true);
        check("#define F(a, n) a + n##_t\nF(X, b);", false);
        check("#define F(n) name(#n, get_##n)\nF(X);", true);
        check("#define F(n) #n\nF(X);", false);
        check("#define F(n) get_##n + n\nF(X);", true);
        check("#define F(n) get_##n\nF(X + 1);", false);
        check("#define F(n) get_##n\nX;", false);
        check("#define F(n, ...) n(1, ##__VA_ARGS__)\nF(X, 2);", false);
    }

    #[test]
    fn a_macro_may_hand_on_what_another_pastes() {
        check("#define F(a, b) a##b\n#define G(n) F(get_, n)\nG(X);", true);
        check("#define G(n) F(get_, n)\n#define F(a, b) a##b\nG(X);", true);
        check("#define F(a, b) a##b\n#define G(n) F(get_, n) + n\nG(X);", true);
    }
}
