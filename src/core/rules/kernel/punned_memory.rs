//! Arrays and pointers whose memory a function uses as more than one type.

use rustc_hash::FxHashMap;

use super::number_types::Number;
use super::places::writes;
use super::pointer_cast::Cast;
use crate::analysis::Function;
use crate::rules::context::Context;
use crate::syntax::{Document, TokenIdx, TokenKind, words_in};

/// What the functions of a file use under the types of casts.
#[derive(Default)]
pub(super) struct PunnedMemory<'d> {
    /// By where the function starts, and the name of the array or pointer.
    bases: FxHashMap<(TokenIdx, &'d str), Base>,
    /// How functions use their arrays and pointers, by where the functions start and their names.
    uses: FxHashMap<(TokenIdx, &'d str), Uses>,
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
            // Structures with unions.
            Number::Named(name) if name.contains("half") || name.contains("bfloat") => None,
            Number::Named(name) => Some(Class::Other(name)),
        }
    }
}

/// Whether the words of two types name numbers that Clang takes for the same memory.
pub(super) fn is_same_class(one: &[&str], other: &[&str]) -> bool {
    one == other || Class::of(one).is_some() && Class::of(one) == Class::of(other)
}

/// How a function uses what a name points to.
#[derive(Debug, Clone, Copy, Default)]
struct Uses {
    is_used: bool,
    is_written: bool,
}

impl<'d> PunnedMemory<'d> {
    /// Adds a cast of an array or a pointer that the function declares.
    pub(super) fn add(&mut self, cast: Cast, function: &Function, cx: &Context<'d>) {
        let document: &'d Document = cx.document;
        let words: Vec<&str> = cast.kind.clone().map(|idx| document.token_text(idx)).collect();
        let Some(class) = Class::of(&words) else { return };
        let found = match (cast.pointer(document), cast.place(document)) {
            (Some(pointer), _) => self.uses(document.token_text(pointer), function, document),
            (None, Some(end)) => Uses { is_used: true, is_written: writes(document, end) },
            (None, None) => Uses::default(),
        };
        if !found.is_used {
            return;
        }
        let name = document.token_text(cast.variable);
        let kind = cx.variable_types().of_argument(function, cast.variable..cast.variable + 1);
        let element = kind.as_deref().and_then(|kind| kind.strip_suffix('*'));
        let own = element.and_then(|element| Class::of(&element.split(' ').collect::<Vec<_>>()));
        let direct = if own.is_some() { self.uses(name, function, document) } else { Uses::default() };
        let base = self.bases.entry((function.head.start, name)).or_insert_with(|| Base {
            own: own.filter(|_| direct.is_used),
            casts: Vec::new(),
            is_written: direct.is_written,
        });
        base.is_written |= found.is_written;
        base.casts.push((class, cast));
    }

    /// The casts to a type that is not the one under which the function uses the same memory first, where it writes there.
    pub(super) fn hazards(self, document: &Document) -> Vec<Cast> {
        let mut found: Vec<Cast> =
            self.bases.into_values().filter(|base| base.is_written).flat_map(Base::others).collect();
        found.sort_unstable_by_key(|cast| document.range_of(cast.tokens.clone()).start());
        found
    }

    fn uses(&mut self, name: &'d str, function: &Function, document: &'d Document) -> Uses {
        let read = || {
            let found = words_in(document, name, function.body.clone()).map(|idx| use_at(document, idx));
            found.fold(Uses::default(), |all, one| Uses {
                is_used: all.is_used | one.is_used,
                is_written: all.is_written | one.is_written,
            })
        };
        *self.uses.entry((function.head.start, name)).or_insert_with(read)
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
    let ends = document.is(idx + 1, b',') || document.is(idx + 1, b')');
    let is_passed = ends && (is_before(b'(') || is_before(b','));
    if is_declared || !(is_pointed || is_indexed || is_arrow || is_passed) {
        return Uses::default();
    }
    let member = if is_arrow { idx + 2 } else { idx };
    Uses { is_used: true, is_written: is_before(b'&') || writes(document, member) }
}

/// Whether a token is a word that a declaration has in front of a name.
fn names_type(document: &Document, idx: TokenIdx) -> bool {
    let word = document.token_text(idx);
    document.kind(idx) == Some(TokenKind::Ident) && !matches!(word, "return" | "else" | "case" | "throw" | "sizeof")
        || document.is(idx, b'>')
}
