//! Arrays and pointers whose memory a function uses as more than one type.

use rustc_hash::{FxHashMap, FxHashSet};

use super::number_types::Number;
use super::places::{steps, writes};
use super::pointer_cast::Cast;
use crate::analysis::Function;
use crate::rules::context::Context;
use crate::syntax::{Document, TokenIdx, TokenKind, is_type_word, words};

/// What the functions of a file use under the types of casts.
#[derive(Default)]
pub(super) struct PunnedMemory<'d> {
    /// By where the function starts, and the name of the array or pointer.
    bases: FxHashMap<(TokenIdx, &'d str), Base>,
    /// How functions use what names point to, by where the functions start; read once for all names.
    uses: FxHashMap<TokenIdx, FxHashMap<&'d str, Uses>>,
    /// Whether types of the file are like a number, by their names and its words.
    alike: FxHashMap<(String, String), bool>,
    /// The functions of the file that run on the device.
    own_functions: Option<FxHashSet<&'d str>>,
}

/// An array or a pointer that is cast.
struct Base {
    /// The type under which it is used without a cast, if Clang tells that from others.
    own: Option<Class>,
    casts: Vec<(Class, Cast)>,
    is_written: bool,
}

/// What Clang takes for a type of its own: an access of one class does not touch memory of another. Signed and unsigned numbers are of one.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Class {
    Number(Number),
    /// A structure, or the parameter of a template.
    Other(String),
}

impl Class {
    /// The class of what the words of a type name; none for bytes and vectors, which may be anything.
    fn of(words: &[&str]) -> Option<Class> {
        match Number::named(words)? {
            Number::Integer { rank, .. } => Some(Class::Number(Number::Integer { rank, is_unsigned: false })),
            Number::Small(name) if name.contains("char") || name.contains("int8") => None,
            Number::Small(name) if name == "bool" => Some(Class::Number(Number::Small(name))),
            Number::Small(_) => Some(Class::Number(Number::Small("short".to_owned()))),
            real @ Number::Real { .. } => Some(Class::Number(real)),
            Number::Named(name) if name == "void" || name.ends_with(|c: char| c.is_ascii_digit()) => None,
            // Structures with unions, and other names of vectors.
            Number::Named(name) if ["half", "bfloat", "omplex"].iter().any(|part| name.contains(part)) => None,
            Number::Named(name) => Some(Class::Other(name)),
        }
    }

    /// Whether it is another name in the file, which may be that of a number, or a structure with members of the other class alone: an
    /// access to a member is one of the member's class.
    fn is_like(&self, number: &Class, document: &Document) -> bool {
        let Class::Other(name) = self else { return false };
        let is_alias = |idx: TokenIdx| {
            let is_using = idx > 0 && document.token_text(idx - 1) == "using";
            is_using || document.is(idx + 1, b';') && declares_type(document, idx)
        };
        let has_such_members = |idx: TokenIdx| {
            let close = document.partner(idx + 1).filter(|_| document.is(idx + 1, b'{'));
            let is_word = |at: &TokenIdx| is_type_word(document.token_text(*at));
            let mut members =
                (idx + 2..close.unwrap_or(idx)).filter(is_word).map(|at| document.token_text(at)).peekable();
            members.peek().is_some() && members.all(|word| Class::of(&[word]).as_ref() == Some(number))
        };
        words(document, name).any(|idx| is_alias(idx) || has_such_members(idx))
    }
}

/// Whether a `typedef` starts the few words in front of a name.
fn declares_type(document: &Document, idx: TokenIdx) -> bool {
    const MOST: usize = 6;
    (idx.saturating_sub(MOST)..idx).any(|at| document.token_text(at) == "typedef")
}

/// Whether the words of two types name numbers that Clang takes for the same memory.
pub(super) fn is_same_class(one: &[&str], other: &[&str]) -> bool {
    one == other || Class::of(one).is_some() && Class::of(one) == Class::of(other)
}

/// How a function uses what a name points to.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Uses {
    is_used: bool,
    is_written: bool,
    /// Whether something else gets it: a function, another pointer, a reference.
    pub(super) is_handed_on: bool,
}

impl<'d> PunnedMemory<'d> {
    /// Adds a cast of an array or a pointer that the function declares.
    pub(super) fn add(&mut self, cast: Cast, function: &Function, cx: &Context<'d>) {
        let document: &'d Document = cx.document;
        let words: Vec<&str> = cast.kind.clone().map(|idx| document.token_text(idx)).collect();
        let Some(class) = Class::of(&words) else { return };
        let found = match (cast.pointer(document), cast.place(document)) {
            (Some(pointer), _) => self.uses(document.token_text(pointer), function, document),
            (None, Some(end)) => Uses { is_used: true, is_written: writes(document, end), is_handed_on: false },
            (None, None) => self.given_to(cast.receiver(document), cx),
        };
        if !found.is_used {
            return;
        }
        let name = document.token_text(cast.variable);
        let kind = cx.variable_types().of_argument(function, cast.variable..cast.variable + 1);
        let element = kind.as_deref().and_then(|kind| kind.strip_suffix('*'));
        let own = element.and_then(|element| Class::of(&element.split(' ').collect::<Vec<_>>()));
        let own = own.filter(|own| {
            let key = (element.unwrap_or_default().to_owned(), words.join(" "));
            !*self.alike.entry(key).or_insert_with(|| own.is_like(&class, document))
        });
        let direct = if own.is_some() { self.uses(name, function, document) } else { Uses::default() };
        let base = self.bases.entry((function.head.start, name)).or_insert_with(|| Base {
            own: own.filter(|_| direct.is_used),
            casts: Vec::new(),
            is_written: direct.is_written,
        });
        base.is_written |= found.is_written;
        base.casts.push((class, cast));
    }

    /// What a function of the file does with a pointer that it gets: it may write.
    fn given_to(&mut self, receiver: Option<TokenIdx>, cx: &Context<'d>) -> Uses {
        let document: &'d Document = cx.document;
        let Some(receiver) = receiver else { return Uses::default() };
        let own = self.own_functions.get_or_insert_with(|| {
            let on_device = cx.facts.functions.iter().filter(|function| function.runs_on_device());
            on_device.filter_map(|function| Some(document.token_text(function.name?))).collect()
        });
        let is_own = own.contains(document.token_text(receiver));
        Uses { is_used: is_own, is_written: is_own, is_handed_on: is_own }
    }

    /// The casts to a type that is not the one under which the function uses the same memory first, where it writes there.
    pub(super) fn hazards(&mut self, document: &Document) -> Vec<Cast> {
        let bases = std::mem::take(&mut self.bases).into_values();
        let mut found: Vec<Cast> = bases.filter(|base| base.is_written).flat_map(Base::others).collect();
        found.sort_unstable_by_key(|cast| document.range_of(cast.tokens.clone()).start());
        found
    }

    /// How a function uses what a name points to.
    pub(super) fn uses(&mut self, name: &'d str, function: &Function, document: &'d Document) -> Uses {
        let read = || {
            let mut by_name: FxHashMap<&str, Uses> = FxHashMap::default();
            for idx in function.body.clone().filter(|&idx| document.kind(idx) == Some(TokenKind::Ident)) {
                let (one, all) = (use_at(document, idx), by_name.entry(document.token_text(idx)).or_default());
                all.is_used |= one.is_used;
                all.is_written |= one.is_written;
                all.is_handed_on |= one.is_handed_on;
            }
            by_name
        };
        let uses = self.uses.entry(function.head.start).or_insert_with(read);
        uses.get(name).copied().unwrap_or_default()
    }
}

impl Base {
    fn others(self) -> Vec<Cast> {
        let main = self.own.or_else(|| self.casts.first().map(|(class, _)| class.clone()));
        self.casts.into_iter().filter(|(class, _)| Some(class) != main.as_ref()).map(|(_, cast)| cast).collect()
    }
}

/// How the name of an array or a pointer is used at a token.
fn use_at(document: &Document, idx: TokenIdx) -> Uses {
    let before = idx.checked_sub(1);
    let is_before = |sign: u8| before.is_some_and(|before| document.is(before, sign));
    let is_declared = before.is_some_and(|before| names_type(document, before));
    let is_pointed =
        is_before(b'*') && !before.and_then(|star| star.checked_sub(1)).is_some_and(|at| names_type(document, at));
    let is_indexed = document.is(idx + 1, b'[');
    let is_arrow = document.kind(idx + 1) == Some(TokenKind::Arrow);
    if is_declared {
        return Uses::default();
    }
    let is_address = is_before(b'&');
    let is_read = is_indexed || is_arrow || is_pointed || is_in_brackets_of_place(document, idx);
    // `int& word = words[i]`
    let is_bound = is_before(b'=') && is_indexed && idx.checked_sub(3).is_some_and(|sign| document.is(sign, b'&'));
    let is_handed_on = if is_read {
        is_bound || is_address && !is_of_atomic(document, idx)
    } else {
        !(writes(document, idx) || steps(document, idx))
    };
    let ends = document.is(idx + 1, b',') || document.is(idx + 1, b')');
    let is_passed = ends && (is_before(b'(') || is_before(b','));
    if !(is_pointed || is_indexed || is_arrow || is_passed) {
        return Uses { is_handed_on, ..Uses::default() };
    }
    let member = if is_arrow { idx + 2 } else { idx };
    Uses { is_used: true, is_written: is_address || writes(document, member), is_handed_on }
}

/// Whether a name stands in what a star reads: `*(words + i)`.
fn is_in_brackets_of_place(document: &Document, idx: TokenIdx) -> bool {
    let open = idx.checked_sub(1).filter(|&open| document.is(open, b'('));
    open.and_then(|open| open.checked_sub(1)).is_some_and(|star| document.is(star, b'*'))
}

/// Whether an address is what an atomic function changes: `atomicAdd(&words[i], 1)`.
fn is_of_atomic(document: &Document, idx: TokenIdx) -> bool {
    let name = idx.checked_sub(3).filter(|name| document.is(name + 1, b'('));
    name.is_some_and(|name| document.token_text(name).starts_with("atomic"))
}

/// Whether a token is a word that a declaration has in front of a name.
fn names_type(document: &Document, idx: TokenIdx) -> bool {
    let word = document.token_text(idx);
    document.kind(idx) == Some(TokenKind::Ident) && !matches!(word, "return" | "else" | "case" | "throw" | "sizeof")
        || document.is(idx, b'>')
}
