//! Lists in braces that name fewer components than a vector has.

use std::borrow::Cow;
use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use super::coordinate_argument::{COORDINATES, is_coordinate};
use super::struct_vector_list::Structures;
use super::untyped_list::{SoleVariables, kind_of_list};
use super::vector_operator::COMPONENTS;
use super::vector_types::VectorTypes;
use crate::analysis::is_number_type;
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::mapping::vector_size;
use crate::rules::conditional::is_for_hip;
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::{Edit, TextRange, TextSize};
use crate::syntax::{Document, MacroDefinition, TokenIdx, TokenKind, split_arguments, start_of_postfix, words};

declare_rule! {
    /// ## What it does
    /// Finds variables, members, arrays, results and temporary objects of CUDA's vector types, such as `float4`, whose list in braces names fewer
    /// values than there are components, the numbers of an array without inner braces, or components by their names; and lists for
    /// structures of the file with such members that have no braces for these, `Ball ball = {0}` among them.
    ///
    /// ## Why is this bad?
    /// CUDA's vectors are aggregates: components that are not named are 0 (C++17, \[dcl.init.aggr\]). HIP's are classes whose
    /// constructors take one value or all of them, so `float4 a = {1, 2};` does not compile. Before ROCm 7.0 one value goes to
    /// all components: `float4{1}` is `{1, 1, 1, 1}` (`amd_hip_vector_types.h`). The constructor of vectors of one component is
    /// `explicit`, so that `uint1 a = {1}` does not compile.
    ///
    /// ## Example
    /// ```cuda
    /// __device__ float4 start() { float4 a = {1, 2}; return a; }
    /// ```
    /// Use instead:
    /// ```hip
    /// __device__ float4 start() { float4 a = {1, 2, 0, 0}; return a; }
    /// ```
    ///
    /// ## What to do
    /// Where the one value in a list is not known to be a number, it may be another vector, and there is no fix, nor where conditions
    /// or macros with commas stand in a list: write all components.
    ///
    /// ## Fix safety
    /// Safe: the list says what it means in CUDA.
    ShortVectorList { code: "K055", name: "short-vector-list", severity: Hint, fix: Sometimes, since: "0.2.0" }
}

/// Arrays of more dimensions are left to people.
const MOST_DIMENSIONS: usize = 4;

/// Words in front of the type of a declaration.
const QUALIFIERS: &[&str] = &[
    "__constant__",
    "__device__",
    "__shared__",
    "const",
    "constexpr",
    "extern",
    "inline",
    "static",
    "thread_local",
    "volatile",
];

impl Rule for ShortVectorList {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check<'d>(_: WholeFile, cx: &mut Context<'d>) {
        if cx.facts.is_hip {
            return;
        }
        let document: &'d Document = cx.document;
        let mut lists = Lists::of(document);
        let braces = (1..document.tokens().len()).filter(|&idx| document.is(idx, b'{'));
        let found: Vec<_> = braces.filter_map(|open| lists.at(open).or_else(|| lists.untyped(open, cx))).collect();
        for list in found {
            if !is_for_hip(list.open, cx) && !cx.is_for_cuda_alone(list.open) {
                list.report(&lists, cx);
            }
        }
        let structures = Structures::of(document, &lists.types);
        if structures.are_none() {
            return;
        }
        let braces = (1..document.tokens().len()).filter(|&idx| document.is(idx, b'{'));
        let found: Vec<_> = braces.filter_map(|open| structures.flat_list(open)).collect();
        for list in found {
            if !is_for_hip(list.open, cx) && !cx.is_for_cuda_alone(list.open) {
                let message = format!(
                    "the vectors in `{}` are classes in HIP, which take lists in braces of their own",
                    list.name
                );
                let fix = Fix::safe("write what each of them takes", list.edits);
                cx.report(document.range_of(list.open..list.close + 1), message).fix(fix);
            }
        }
    }
}

/// What tells the lists of a file that initialise vectors from other text in braces.
struct Lists<'d> {
    types: VectorTypes<'d>,
    document: &'d Document,
    /// Classes that the file defines.
    classes: FxHashSet<&'d str>,
    /// Macros that stand for several values.
    macros: FxHashSet<&'d str>,
    /// The vector type of the declaration that goes on behind a comma, by the comma.
    of_commas: FxHashMap<TokenIdx, Option<TokenIdx>>,
    /// Whether the file declares types that are called as vectors are.
    own_names: FxHashMap<String, bool>,
    /// The variables of functions whose names mean nothing else.
    variables: SoleVariables<'d>,
}

/// The list that initialises a vector, or an array of vectors.
struct List<'d> {
    open: TokenIdx,
    close: TokenIdx,
    /// How the type is called.
    name: Cow<'d, str>,
    /// Components of a vector.
    size: usize,
    /// The dimensions of the array.
    dimensions: usize,
}

/// What a list becomes.
enum Change {
    Edits(Vec<Edit>),
    /// It may be a vector, or have another number of values than the text shows.
    Unknown,
}

impl<'d> Lists<'d> {
    fn of(document: &'d Document) -> Lists<'d> {
        let keywords = ["struct", "class", "union"].into_iter().flat_map(|keyword| words(document, keyword));
        let classes = keywords.filter_map(|keyword| defined(keyword, document)).map(|name| document.token_text(name));
        let macros = document.directives().iter().filter_map(|directive| MacroDefinition::of(document, directive));
        let macros = macros.filter(|found| has_comma(found.body.clone(), document));
        Lists {
            types: VectorTypes::of(document),
            document,
            classes: classes.collect(),
            macros: macros.map(|found| document.token_text(found.name)).collect(),
            of_commas: FxHashMap::default(),
            own_names: FxHashMap::default(),
            variables: SoleVariables::default(),
        }
    }

    /// The list that starts at a brace, if it initialises vectors.
    fn at(&mut self, open: TokenIdx) -> Option<List<'d>> {
        let document = self.document;
        let close = document.partner(open)?;
        let before = open.checked_sub(1)?;
        let (kind, dimensions) = match document.token_text(before) {
            ")" => (self.compound_literal(before)?, 0),
            "=" => self.declared(before.checked_sub(1)?)?,
            _ if self.is_vector(before) => (self.temporary(before, open..close)?, 0),
            _ => self.declared(before)?,
        };
        // The body of a function or a class has statements.
        if dimensions > MOST_DIMENSIONS || (open..close).any(|idx| document.is(idx, b';')) {
            return None;
        }
        let name = document.token_text(kind);
        let size = vector_size(self.types.vector(name)?)?;
        Some(List { open, close, name: Cow::Borrowed(name), size, dimensions })
    }

    /// The list that starts at a brace, if it initialises a vector whose type stands elsewhere.
    fn untyped(&mut self, open: TokenIdx, cx: &Context<'d>) -> Option<List<'d>> {
        let close = self.document.partner(open)?;
        let kind = kind_of_list(cx, open, &mut self.variables)?;
        // Another name may be another type in another class or branch.
        let size = vector_size(&kind).filter(|_| !self.is_own_name(&kind))?;
        Some(List { open, close, name: Cow::Owned(kind), size, dimensions: 0 })
    }

    /// Whether the file declares a type of this name: a class, another name of something else, or a parameter of a template.
    fn is_own_name(&mut self, name: &str) -> bool {
        let document = self.document;
        let declares = |idx: TokenIdx| {
            let before = idx.checked_sub(1).map_or("", |before| document.token_text(before));
            let ends_alias = document.is(idx + 1, b';') && !matches!(before, "" | ";" | "{" | "}");
            ends_alias || matches!(before, "class" | "enum" | "struct" | "typename" | "union" | "using" | "define")
        };
        let look = || words(document, name).any(declares);
        *self.own_names.entry(name.to_owned()).or_insert_with(look)
    }

    /// Whether a token names one of CUDA's vectors, and no type of the program's that is called so.
    fn is_vector(&self, idx: TokenIdx) -> bool {
        let document = self.document;
        let is_qualified = || {
            let sign = idx.checked_sub(1).filter(|&sign| document.kind(sign) == Some(TokenKind::PathSep));
            sign.is_some_and(|sign| sign > 0 && document.kind(sign - 1) == Some(TokenKind::Ident))
        };
        document.kind(idx) == Some(TokenKind::Ident)
            && self.types.vector(document.token_text(idx)).is_some()
            && !is_qualified()
            && !self.classes.contains(document.token_text(idx))
    }

    /// `(float4){1}`, where a value is wanted.
    fn compound_literal(&self, close: TokenIdx) -> Option<TokenIdx> {
        let open = self.document.partner(close).filter(|open| open + 2 == close)?;
        (self.is_vector(open + 1) && self.wants_value(open)).then_some(open + 1)
    }

    /// `float4{1}`, where a value is wanted, or behind a comma with nothing but names and numbers.
    fn temporary(&self, kind: TokenIdx, list: Range<TokenIdx>) -> Option<TokenIdx> {
        let is_plain = |idx: TokenIdx| {
            matches!(self.document.kind(idx), Some(TokenKind::Ident | TokenKind::Number))
                || [b',', b'.', b'-'].iter().any(|sign| self.document.is(idx, *sign))
        };
        let is_listed = || kind > 0 && self.document.is(kind - 1, b',') && (list.start + 1..list.end).all(is_plain);
        (self.wants_value(kind) || is_listed()).then_some(kind)
    }

    fn wants_value(&self, idx: TokenIdx) -> bool {
        let before = idx.checked_sub(1).map_or("", |before| self.document.token_text(before));
        matches!(before, "=" | "return" | "(" | "{" | "?" | ":")
    }

    /// The type and the dimensions of what is declared by a name that ends at `last`: `float4 a`, `float4 a[2][2]`, `float4 a, b`.
    fn declared(&mut self, last: TokenIdx) -> Option<(TokenIdx, usize)> {
        let document = self.document;
        let (mut name, mut dimensions) = (last, 0);
        while document.is(name, b']') {
            name = document.partner(name)?.checked_sub(1)?;
            dimensions += 1;
        }
        let before = name.checked_sub(1).filter(|_| document.kind(name) == Some(TokenKind::Ident))?;
        let kind = if document.is(before, b',') { self.of_comma(before)? } else { self.declaring(before)? };
        Some((kind, dimensions))
    }

    /// The type at `kind`, if a declaration starts with it.
    fn declaring(&self, kind: TokenIdx) -> Option<TokenIdx> {
        let before = kind.checked_sub(1).map_or("", |before| self.document.token_text(before));
        let starts = matches!(before, "" | ";" | "{" | "}" | "(" | "," | ":" | ")" | ">" | "else")
            || QUALIFIERS.contains(&before)
            || self.document.directive_of(kind - usize::from(kind > 0)).is_some();
        (starts && self.is_vector(kind)).then_some(kind)
    }

    /// The type of the declaration that goes on behind a comma: `float4 a = {0}, b`. Each comma is looked at once.
    fn of_comma(&mut self, comma: TokenIdx) -> Option<TokenIdx> {
        let (document, mut seen, mut at) = (self.document, Vec::new(), Some(comma));
        let found = loop {
            let Some(comma) = at.filter(|&comma| document.is(comma, b',')) else {
                break at.and_then(|kind| self.declaring(kind));
            };
            if let Some(known) = self.of_commas.get(&comma) {
                break *known;
            }
            seen.push(comma);
            let mut last = comma.checked_sub(1);
            while let Some(end) = last.filter(|&end| [b'}', b']', b'='].iter().any(|sign| document.is(end, *sign))) {
                last = document.partner(end).unwrap_or(end).checked_sub(1);
            }
            at =
                last.filter(|&name| document.kind(name) == Some(TokenKind::Ident)).and_then(|name| name.checked_sub(1));
        };
        self.of_commas.extend(seen.into_iter().map(|comma| (comma, found)));
        found
    }
}

/// The name of the class that is defined behind a keyword: `struct alignas(16) float4 {`.
fn defined(keyword: TokenIdx, document: &Document) -> Option<TokenIdx> {
    let mut name = keyword + 1;
    if document.is(name + 1, b'(') {
        name = document.partner(name + 1)? + 1;
    }
    (document.is(name + 1, b'{') || document.is(name + 1, b':')).then_some(name)
}

impl List<'_> {
    fn report<'d>(&self, lists: &Lists<'d>, cx: &mut Context<'d>) {
        let document = cx.document;
        let reader = Reader { lists, cx };
        let Some(change) = self.change(self.open, self.close, self.dimensions, &reader) else { return };
        let range = document.range_of(self.open..self.close + 1);
        match change {
            Change::Edits(edits) if edits.is_empty() => {}
            Change::Edits(edits) => {
                let message = format!("`{}` is a class in HIP, which takes all of its components or none", self.name);
                cx.report(range, message).fix(Fix::safe("write all components", edits));
            }
            Change::Unknown => {
                let message = format!(
                    "`{}` is a class in HIP, which takes all of its components, another vector, or none",
                    self.name
                );
                cx.report(range, message).severity(Severity::Warning).note("write all components, if this does not");
            }
        }
    }

    /// What the list between two braces becomes that initialises an array of so many dimensions, or one vector.
    fn change(&self, open: TokenIdx, close: TokenIdx, dimensions: usize, reader: &Reader<'_, '_>) -> Option<Change> {
        let document = reader.cx.document;
        let mut parts = split_arguments(document, open + 1..close);
        parts.retain(|part| !part.is_empty());
        let first = parts.first()?.start;
        if parts.iter().any(|part| document.is(part.end - 1, b'.')) {
            return None;
        }
        let inner = dimensions.checked_sub(1);
        if let Some(inner) = inner.filter(|_| document.is(first, b'{')) {
            let lists = parts.iter().filter(|part| document.is(part.start, b'{'));
            let changes = lists.filter_map(|part| self.change(part.start, part.end - 1, inner, reader));
            let edits = changes.map(|change| match change {
                Change::Edits(edits) => Some(edits),
                Change::Unknown => None,
            });
            let edits: Option<Vec<Vec<Edit>>> = edits.collect();
            return Some(edits.map_or(Change::Unknown, |edits| Change::Edits(edits.concat())));
        }
        if reader.has_surprise(open, close, &parts) {
            return Some(Change::Unknown);
        }
        match inner {
            None if self.size == 1 => self.only_component(open, &parts, reader),
            None => self.components(&parts, reader),
            Some(inner) => self.elements(&parts, inner, reader),
        }
    }

    /// The components of one vector.
    fn components(&self, parts: &[Range<TokenIdx>], reader: &Reader<'_, '_>) -> Option<Change> {
        let document = reader.cx.document;
        let (first, last) = (parts.first()?, parts.last()?);
        if document.is(first.start, b'.') {
            return self.named(parts, document).map(Change::Edits);
        }
        if parts.len() >= self.size || document.is(first.start, b'{') {
            return None;
        }
        if parts.len() == 1 && !reader.is_number(first) {
            return (!reader.is_known(first)).then_some(Change::Unknown);
        }
        Some(Change::Edits(vec![self.filled(parts.len(), last, document)]))
    }

    /// The list of a vector of one component behind `=` or in another list, which does not call a constructor that is `explicit`:
    /// `uint1 a = {1}`. With the type in front of it, it does.
    fn only_component(&self, open: TokenIdx, parts: &[Range<TokenIdx>], reader: &Reader<'_, '_>) -> Option<Change> {
        let document = reader.cx.document;
        // C has no constructors.
        let is_c = document.file().path.extension() == Some("c");
        let is_copied = !is_c && matches!(document.token_text(open - 1), "=" | "{" | "," | "return");
        let [part] = parts else { return None };
        let place = document.range_of(open..open + 1);
        let is_wanted = is_copied && reader.is_number(part);
        is_wanted.then(|| Change::Edits(vec![Edit::replace(place, format!("{}{{", self.name))]))
    }

    /// The zeros of the components behind the last that is named. The character behind it is part of the edit: another rule may
    /// insert something at the end of the last one.
    fn filled(&self, named: usize, last: &Range<TokenIdx>, document: &Document) -> Edit {
        let end = document.range_of(last.clone()).end();
        let next = document.text()[usize::from(end)..].chars().next().unwrap_or('}');
        let range = TextRange::new(end, end + TextSize::of(next));
        Edit::replace(range, format!("{}{next}", ", 0".repeat(self.size - named)))
    }

    /// `{.x = 1, .z = 3}`, in order: the names go, and zeros stand for those that are left out.
    fn named(&self, parts: &[Range<TokenIdx>], document: &Document) -> Option<Vec<Edit>> {
        let mut edits = Vec::new();
        let mut next = 0;
        for part in parts {
            let is_named = document.is(part.start, b'.') && document.is(part.start + 2, b'=') && part.len() > 3;
            let at = COMPONENTS.iter().position(|name| *name == document.token_text(part.start + 1));
            let at = at.filter(|at| is_named && *at < self.size && *at >= next)?;
            let name = TextRange::new(
                document.range_of(part.start..part.start + 1).start(),
                document.range_of(part.start + 3..part.end).start(),
            );
            edits.push(Edit::replace(name, "0, ".repeat(at - next)));
            next = at + 1;
        }
        if next < self.size {
            edits.push(self.filled(next, parts.last()?, document));
        }
        Some(edits)
    }

    /// The components of all elements in one list of numbers: all zero, or those of an array of one dimension.
    fn elements(&self, parts: &[Range<TokenIdx>], inner: usize, reader: &Reader<'_, '_>) -> Option<Change> {
        let document = reader.cx.document;
        let (first, last) = (parts.first()?, parts.last()?);
        if !parts.iter().all(|part| is_literal(part, document)) {
            return None;
        }
        let is_zero = |part: &Range<TokenIdx>| {
            let text = document.token_text(part.start);
            part.len() == 1 && text.trim_end_matches(['f', 'F']).trim_matches(['0', '.']).is_empty()
        };
        if parts.iter().all(is_zero) {
            return Some(Change::Edits(vec![Edit::replace(document.range_of(first.start..last.end), "")]));
        }
        if inner > 0 {
            return Some(Change::Unknown);
        }
        let mut edits = Vec::new();
        for vector in parts.chunks(self.size) {
            let (first, last) = (vector.first()?, vector.last()?);
            let missing = ", 0".repeat(self.size - vector.len());
            edits.push(Edit::insert(document.range_of(first.clone()).start(), "{"));
            edits.push(Edit::insert(document.range_of(last.clone()).end(), format!("{missing}}}")));
        }
        Some(Change::Edits(edits))
    }
}

/// Reads the values of lists.
struct Reader<'r, 'd> {
    lists: &'r Lists<'d>,
    cx: &'r Context<'d>,
}

impl Reader<'_, '_> {
    /// Whether the list may have another number of values than the text shows: a directive stands in it, or a macro with a comma.
    fn has_surprise(&self, open: TokenIdx, close: TokenIdx, parts: &[Range<TokenIdx>]) -> bool {
        let document = self.cx.document;
        let around = document.directive_of(open).map(|directive| directive.tokens.start);
        let is_other = |idx: TokenIdx| document.directive_of(idx).map(|directive| directive.tokens.start) != around;
        let is_list = |part: &Range<TokenIdx>| self.lists.macros.contains(document.token_text(part.start));
        (open..=close).any(is_other) || parts.iter().any(is_list)
    }

    /// Whether the text shows a value to be a number: a literal, a cast to a number, a variable that is declared as one, a component.
    fn is_number(&self, part: &Range<TokenIdx>) -> bool {
        let document = self.cx.document;
        let sign = usize::from(document.is(part.start, b'-') && part.len() > 1);
        let part = &(part.start + sign..part.end);
        let last = part.end - 1;
        let is_whole = |start: TokenIdx| start_of_postfix(document, last) == Some(start);
        let is_conversion = || {
            let is_type = is_number_type(document.token_text(part.start)) && document.is(part.start + 1, b'(');
            is_type && document.partner(part.start + 1) == Some(last)
        };
        let is_cast = || {
            let close = document.partner(part.start).filter(|_| document.is(part.start, b'('));
            close.is_some_and(|close| {
                let words: Vec<&str> = (part.start + 1..close).map(|idx| document.token_text(idx)).collect();
                is_number_type(&words.join(" ")) && close < last && (is_whole(close + 1) || close + 1 == last)
            })
        };
        let is_component = || part.len() == 3 && document.is(part.start + 1, b'.') && self.is_vector(part.start);
        let is_declared = || part.len() == 1 && self.kind(part).is_some_and(|kind| is_number_type(&kind));
        is_literal(part, document)
            || is_conversion()
            || is_cast()
            || is_component()
            || is_coordinate(document, part)
            || is_declared()
    }

    /// Whether a variable of the function is a vector.
    fn is_vector(&self, name: TokenIdx) -> bool {
        self.kind(&(name..name + 1)).is_some_and(|kind| self.lists.types.vector(&kind).is_some())
    }

    fn kind(&self, part: &Range<TokenIdx>) -> Option<String> {
        let function = self.cx.facts.functions.around(part.start)?;
        self.cx.variable_types().of_argument(function, part.clone())
    }

    /// Whether the one value of a list is known to be no number: what makes a vector, or a variable that is declared as something else.
    fn is_known(&self, part: &Range<TokenIdx>) -> bool {
        let text = self.cx.document.token_text(part.start);
        text.starts_with("make_")
            || text == "dim3"
            || part.len() == 1 && (COORDINATES.contains(&text) || self.kind(part).is_some())
    }
}

/// A number or a character, with a sign or without.
fn is_literal(part: &Range<TokenIdx>, document: &Document) -> bool {
    let start = part.start + usize::from(document.is(part.start, b'-') || document.is(part.start, b'+'));
    start + 1 == part.end && matches!(document.kind(start), Some(TokenKind::Number | TokenKind::Char))
}

/// Whether a comma stands in the tokens of a macro that no bracket is around.
fn has_comma(body: Range<TokenIdx>, document: &Document) -> bool {
    split_arguments(document, body).len() > 1
}
