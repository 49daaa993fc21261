//! The scopes of a file, from its braces and what stands before them, and where a declaration is visible.
//!
//! Text alone does not tell all scopes: a macro may open one. What is in doubt counts as a block, so that a name is
//! visible in less of the file rather than in more.

use std::ops::Range;

use super::scope_bases::{Bases, bases};
use super::scope_kinds::Kind;
use super::scope_other_names::OtherNames;
use super::scope_places::{captured, enclosing_parentheses, end_of_statement, is_of_template, is_parameter};
use super::scope_qualifiers::qualifiers;
use super::scope_reader::{Scope, is_control, read};
use super::scope_search::{Searched, UsedIn, UsedScopes, joined};
use super::token_ranges::TokenRanges;
use crate::syntax::{Document, TokenIdx, TokenKind, words};

/// The scopes of a file, in the order of their opening braces.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scopes {
    list: Vec<Scope>,
    bases: Bases,
    other_names: OtherNames,
    heads: TokenRanges,
    used: UsedScopes,
}

/// Where a declaration is visible without a qualifier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// In a part of the file.
    Local(Range<TokenIdx>),
    /// In a namespace or class, by its path; the global scope has an empty one.
    Named(String),
}

impl Place {
    /// Whether it is the global scope.
    pub fn is_global(&self) -> bool {
        matches!(self, Place::Named(path) if path.is_empty())
    }
}

impl Scopes {
    /// The scopes of a file.
    pub fn of(document: &Document) -> Scopes {
        let scopes = read(document);
        let bases = Bases::of(document, &scopes);
        let heads = TokenRanges::of(scopes.iter().map(|scope| scope.head.clone()));
        let other_names = OtherNames::of(document);
        let mut all = Scopes { list: scopes, bases, other_names, heads, used: UsedScopes::default() };
        for using in words(document, "using") {
            if matches!(document.token_text(using + 1), "namespace" | "enum") {
                all.used.add(path_after(document, using + 1), using, all.used_in(document, using));
            }
        }
        all.used.settle();
        all
    }

    /// For which code the `using` at a token counts.
    fn used_in(&self, document: &Document, using: TokenIdx) -> UsedIn {
        let scope = self.numbers_outwards(using).find(|&scope| self.list[scope].kind != Kind::Transparent);
        match (scope, self.place_around(document, using)) {
            (None, _) => UsedIn::File,
            (Some(scope), Place::Named(path)) if self.list[scope].kind == Kind::Namespace => UsedIn::Namespace(path),
            (Some(scope), _) => UsedIn::Scope(scope),
        }
    }

    /// Where the name that is declared at the token `idx` is visible.
    pub fn place_of(&self, document: &Document, idx: TokenIdx) -> Place {
        if let Some(directive) = document.directive_of(idx) {
            return Place::Local(idx..directive.tokens.end);
        }
        if let Some(range) = captured(document, idx) {
            return Place::Local(range);
        }
        // A parameter of a function or template, or a variable of a loop: visible in the body, too.
        // Braces within a head open before those of the head itself.
        let mut heads = self.heads.holding(idx).into_iter().rev().map(|scope| &self.list[scope]);
        if let Some(scope) = heads.find(|scope| is_parameter(document, scope, idx)) {
            return Place::Local(idx..scope.body.end.max(end_of_statement(document, scope.head.end)));
        }
        if let Some(group) = enclosing_parentheses(document, idx) {
            // `int (*name)(int)`
            let is_pointer =
                document.is(group.start + 1, b'*') && (document.is(group.end, b'(') || document.is(group.end, b'['));
            if is_pointer && group.start > 0 {
                return self.place_of(document, group.start - 1);
            }
            let is_loop = group.start > 0 && is_control(document.token_text(group.start - 1));
            return Place::Local(idx..if is_loop { end_of_statement(document, group.end) } else { group.end });
        }
        if is_of_template(document, idx) {
            return Place::Local(idx..end_of_statement(document, idx));
        }
        self.place_around(document, idx)
    }

    fn place_around(&self, document: &Document, idx: TokenIdx) -> Place {
        let mut names = Vec::new();
        let mut nearest: Option<&Scope> = None;
        for scope in self.outwards(idx) {
            match scope.kind {
                Kind::Transparent | Kind::Enum => continue,
                Kind::Namespace | Kind::Class | Kind::ScopedEnum if scope.name.is_some() => {
                    names.push(path_of_name(document, scope));
                }
                _ => {
                    let scope = nearest.unwrap_or(scope);
                    return Place::Local(if scope.kind == Kind::Block {
                        idx..scope.body.end
                    } else {
                        scope.body.clone()
                    });
                }
            }
            nearest = nearest.or(Some(scope));
        }
        names.reverse();
        Place::Named(names.join("::"))
    }

    /// The namespaces and classes in which a name at the token `idx` is looked for.
    pub fn searched_at(&self, document: &Document, idx: TokenIdx) -> Searched<'_> {
        let mut around: Vec<&Scope> = self.outwards(idx).collect();
        around.reverse();
        around.extend(self.heads.holding(idx).first().map(|&scope| &self.list[scope]));
        // Paths from the global scope on, and those that may start at each of them.
        let (mut whole, mut classes, mut qualified) = (vec![String::new()], Vec::new(), Vec::new());
        for scope in around {
            match scope.kind {
                Kind::Namespace | Kind::Class | Kind::ScopedEnum if scope.name.is_some() => {
                    classes.extend(bases(document, scope));
                    if !scope.head.contains(&idx) {
                        let path = path_of_name(document, scope);
                        let outer = whole.last().cloned().unwrap_or_default();
                        whole.extend(outer_paths(&path).map(|inner| joined(&outer, inner)));
                    }
                }
                Kind::Block => qualified.extend(qualifiers(document, scope)),
                _ => {}
            }
        }
        self.other_names.add_meant(&mut qualified);
        classes.extend(qualified.iter().cloned());
        self.other_names.add_meant(&mut classes);
        self.bases.add_inherited(&mut classes);
        Searched::new(&self.used, (idx, self.numbers_outwards(idx).collect()), whole, (classes, qualified))
    }

    /// Whether the innermost scope around a token is a class.
    pub fn is_in_class(&self, idx: TokenIdx) -> bool {
        let mut around = self.outwards(idx).filter(|scope| scope.kind != Kind::Transparent);
        around.next().is_some_and(|scope| scope.kind == Kind::Class)
    }

    /// Whether a declaration at `place` is visible at the token `idx`, where `searched` is looked for.
    pub fn reaches(place: &Place, idx: TokenIdx, searched: &Searched<'_>) -> bool {
        match place {
            Place::Local(range) => range.contains(&idx),
            Place::Named(path) => searched.contains(path),
        }
    }

    /// The scopes around a token, innermost first.
    fn outwards(&self, idx: TokenIdx) -> impl Iterator<Item = &Scope> {
        self.numbers_outwards(idx).map(|scope| &self.list[scope])
    }

    fn numbers_outwards(&self, idx: TokenIdx) -> impl Iterator<Item = usize> {
        let after = self.list.partition_point(|scope| scope.body.start <= idx);
        let mut next = after.checked_sub(1);
        std::iter::from_fn(move || {
            loop {
                let number = next?;
                let scope = self.list.get(number)?;
                next = scope.parent;
                if scope.body.contains(&idx) {
                    return Some(number);
                }
            }
        })
    }

    /// Whether a `using namespace` of this path before the token brings it into view, or a `using enum` a type's.
    pub fn uses_namespace(&self, document: &Document, path: &str, idx: TokenIdx) -> bool {
        self.searched_at(document, idx).is_used_at(path)
    }

    /// The namespaces that some `using namespace` of the file brings into view, and the types of `using enum`, in no order.
    pub fn used_namespaces(&self) -> impl Iterator<Item = &str> {
        self.used.paths()
    }

    /// Whether what a `using` declares is seen at a token behind it.
    pub fn is_seen(&self, using: TokenIdx, idx: TokenIdx) -> bool {
        let scope = self.outwards(using).find(|scope| scope.kind != Kind::Transparent);
        scope.is_none_or(|scope| scope.body.contains(&idx))
    }

    /// What a `using namespace` of a namespace brings into view for all who are in that: the paths of both.
    pub fn shared_namespaces(&self, document: &Document) -> Vec<(String, String)> {
        let directives = words(document, "using").filter(|&using| document.token_text(using + 1) == "namespace");
        let shared = directives.filter_map(|using| match self.place_around(document, using) {
            Place::Named(path) => Some((path, path_after(document, using + 1))),
            Place::Local(_) => None,
        });
        shared.collect()
    }
}

/// The names with a scope that a `using` brings into view, with where it stands: `using a::b, c::d;`.
pub fn used_names(document: &Document) -> Vec<(TokenIdx, String)> {
    let names_scope = |using: &TokenIdx| {
        let mut path = using + 1..using + 4;
        !matches!(document.token_text(using + 1), "namespace" | "enum" | "typename")
            && path.any(|at| document.kind(at) == Some(TokenKind::PathSep))
            && !document.is(using + 2, b'=')
    };
    let of_one = |using: TokenIdx| {
        let is_part = |at: &TokenIdx| {
            document.is(*at, b',') || matches!(document.kind(*at), Some(TokenKind::Ident | TokenKind::PathSep))
        };
        let paths: String = (using + 1..).take_while(is_part).map(|at| document.token_text(at)).collect();
        let each: Vec<_> = paths.split(',').map(|path| (using, path.trim_start_matches("::").to_owned())).collect();
        each
    };
    words(document, "using").filter(names_scope).flat_map(of_one).collect()
}

/// The path behind the keyword at `keyword`, up to a semicolon.
fn path_after(document: &Document, keyword: TokenIdx) -> String {
    let path = (keyword + 1..document.tokens().len()).take_while(|&at| !document.is(at, b';'));
    path.map(|at| document.token_text(at)).collect::<String>().trim_start_matches("::").to_owned()
}

/// `a`, `a::b` and `a::b::c` of the last one. Of a path that nobody writes, with so many parts that their paths were a burden, the whole
/// only.
fn outer_paths(path: &str) -> impl Iterator<Item = &str> {
    const MOST_PARTS: usize = 64;
    let ends = path.match_indices("::").map(|(end, _)| end).chain([path.len()]);
    let skipped = match path.matches("::").count() {
        separators if separators < MOST_PARTS => 0,
        separators => separators,
    };
    ends.skip(skipped).map(|end| &path[..end])
}

/// The name of a scope as it is written: `b::c` of `namespace b::c`.
fn path_of_name(document: &Document, scope: &Scope) -> String {
    let name = scope.name.clone().map_or("", |name| document.slice(document.range_of(name)));
    name.split_whitespace().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceFile;

    /// `D` is declared once; it is visible at those of the words `a` to `f` that `expected` names.
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let document = Document::new(SourceFile::from_text("a.cu", text));
        let find = |word: &str| (0..document.tokens().len()).find(|&idx| document.token_text(idx) == word);
        let scopes = Scopes::of(&document);
        let place = scopes.place_of(&document, find("D").unwrap());
        let is_seen = |idx: TokenIdx| Scopes::reaches(&place, idx, &scopes.searched_at(&document, idx));
        let marks = ["a", "b", "c", "d", "e", "f"].into_iter();
        let seen: String = marks.filter(|mark| find(mark).is_some_and(is_seen)).collect();
        let seen = if place.is_global() { format!("::{seen}") } else { seen };
        assert_eq!(seen, expected, "{text}");
    }

    #[test]
    fn the_file_sees_what_is_declared_in_it() {
        check("int a; int D; int b; namespace n { int c; }", "::abc");
        check("extern \"C\" { int D; } int a; namespace { int b; }", "::ab");
        check("namespace { int D; } int a;", "::a");
        check("enum E { D }; int a;", "::a");
        check("enum class E { D, a }; int b;", "a");
    }

    #[test]
    fn a_brace_that_each_branch_opens_counts_once() {
        check("#if A\nvoid g() {\n#else\nvoid g(int x) {\n#endif\nint D; int a; }\nint b;", "a");
        check("#if A\nvoid g() {\n#else\nvoid g(int x) {\n#endif\n}\nint D; int a;", "::a");
    }

    #[test]
    fn a_namespace_keeps_its_names() {
        check("int a; namespace n { int D; int b; } int c; namespace n { int d; } namespace m { int e; }", "bd");
        check("namespace n { namespace m { int D; } int a; } namespace n::m { int b; } namespace m { int c; }", "b");
        check("namespace n { int D; } int a; void g() { using namespace n; int b; } int c;", "b");
        check("namespace n { int D; } namespace n::m { int a; } namespace k::n { int b; }", "a");
    }

    #[test]
    fn a_namespace_keeps_what_it_brings_into_view() {
        check(
            "namespace n { int D; } namespace m { int a; using namespace n; int b; } int c; namespace m { int d; }",
            "bd",
        );
        check(
            "namespace n { int D; } namespace m { using namespace n; } namespace m::k { int a; } namespace k { int b; }",
            "a",
        );
        check(
            "namespace n { int D; } namespace m { using namespace n; int run(); } int m::run() { a; } int run() { b; }",
            "a",
        );
        check(
            "namespace n { int D; } namespace m::k { using namespace n; struct S { int run(); }; } int m::k::S::run() { a; } int b;",
            "a",
        );
        check("namespace n { int D; } namespace m { namespace { using namespace n; } int a; } int b;", "a");
        check("namespace n { int D; } namespace m { using namespace n; } using namespace m; int a;", "a");
        check(
            "namespace n { int D; } namespace m::k { using namespace n; } namespace m { using namespace k; int a; }",
            "a",
        );
    }

    #[test]
    fn a_macro_may_open_a_namespace_and_close_it() {
        check("#define B namespace n {\n#define E }\nint a; B int D; int b; E int c; namespace n { int d; }", "bd");
        check(
            "#define B namespace n { namespace m {\n#define E } }\nB int D; int b; E int c; namespace n::m { int d; }",
            "bd",
        );
        check("#define B(x) namespace x {\n#define E }\nB(n) int D; int b; E int c; namespace n { int d; }", "bd");
        check(
            "#define B(x) namespace x { namespace {\n#define E }}\nB(n) int D; int b; E; int c; namespace n { int d; }",
            "bd",
        );
        check("#define B namespace n {\nint c; B int D; int b; }", "b");
    }

    #[test]
    fn a_macro_may_make_a_class() {
        check("#define C(n) struct n\nC(S) { int D; int a; }; int b; int S::g() { return c; }", "ac");
        check("#define C class\nC S { int D; int a; }; int b; int S::g() { return c; }", "ac");
        check("#define C struct __align__(8)\nC S { int D; int a; }; int b;", "a");
    }

    #[test]
    fn a_class_keeps_its_names() {
        check("struct S { int a; union { int D; long b; }; int h() { return b; } }; int c;", "ab");
        check("struct S { int a; struct { int D; int b; } e; }; int c;", "b");
        check("struct S { int D, x; S(int); }; S::S(int y) : x(y), D{y} { h(a); } int b;", "a");
        check("struct S { int D, x; S(int); }; S::S(int y) : x{y}, D{y} { h(a); } int b;", "a");
        check(
            "enum class E { D, a }; void g() { using enum E; b(); } int c; namespace n { using enum E; int d; }",
            "abd",
        );
        check("struct S { int D; int a; }; int b; int S::g() { return c; } int h() { return d; }", "ac");
        check("template <class T> struct S { int D; }; template <class T> int S<T>::g() { return a; }", "a");
        check("template <class T> struct S { int D; }; template <> int S<int>::g() { return a; }", "a");
        check("struct S { int D; }; S::S(int x) : y(x) { a; } S::~S() { b; } S::operator int() { c; }", "abc");
        check(
            "namespace n { struct S { int D; int g(); }; } n::R n::S::g() { return a; } int n::S::h() { return b; }",
            "ab",
        );
        check("namespace n { int D; } int f(n::S s) { return a; } n::S g() { return b; } auto h() -> n::S { c; }", "");
        check("namespace n { int D; } S::S() : n::B(1) { a; } void f() { if (n::g()) { b; } }", "");
        check("struct B { int D; }; struct S : public B { int g() { return a; } }; int b;", "a");
        check("namespace n { struct S { int D; int g(); }; } int n::S::g() { return a; } int b;", "a");
        check(
            "namespace n { struct B { int D; }; struct M : B {}; } struct S : ::n::M { int g(); }; int S::g() { return a; } int b;",
            "a",
        );
        check(
            "template <class T> struct B { int D; }; using A = B<int>; struct S : A { int g() { return a; } }; int b;",
            "a",
        );
        check("struct __align__(8) S { int D; int a; }; struct S f() { return b; }", "a");
        check("struct __align__(8) S { int D; int g(); }, s; int S::g() { return a; } int b;", "a");
    }

    #[test]
    fn other_names_of_a_class_lead_to_it() {
        let class = "namespace n { struct S { int D; int g(); }; }";
        check(&format!("{class} using n::S; int S::g() {{ return a; }} int b;"), "a");
        check(&format!("{class} using X = n::S; int X::g() {{ return a; }} int b;"), "a");
        check(&format!("{class} namespace m = n; int m::S::g() {{ return a; }} int m::h() {{ return b; }}"), "a");
        check(&format!("{class} namespace m = ::n; namespace k = m; struct B : k::S {{ int a; }}; int b;"), "a");
        check(&format!("{class} namespace k {{ struct S {{ int g(); }}; }} int k::S::g() {{ return a; }}"), "");
    }

    #[test]
    fn a_function_keeps_its_names() {
        check("int a; void g(int D) { int b; } int c;", "b");
        check("void g() { int a; { int D = 1; int b; } int c; }", "b");
        check("void g() { for (int D = 0; ; ) { int a; } int b; }", "a");
        check("template <class D, int N> void g() { int a; } int b;", "a");
        check("void g() { for (int D = 0; ; ) if (a) b(); else c(); d(); }", "abc");
        check("void g() { if (int D = 0; a) { b(); } else { c(); } d(); }", "abc");
        check("void g() { struct L { int D; int h() { return a; } }; b(); }", "a");
        check("auto g = []<class D>(D x) { return a; }; int b;", "a");
        check("void g(int D); int a;", "");
        check("void g() { auto h = [=](int D) { return a; }; int b; }", "a");
        check("void g() { h([D = a](int) { return b; }, c); d(); }", "b");
        check("void g() { h([&, D = [](int x) { return a; }] { return b; }); c(); }", "b");
    }

    #[test]
    fn a_directive_within_a_head_does_not_end_it() {
        check("int k(int D)\n#pragma x\n{ return a; } int b;", "a");
        check("int k(int D)\n#if A\nnoexcept\n#endif\n{ return a; } int b;", "a");
        check("int k(int D,\n#ifdef X\nint y,\n#endif\nint z) { return a; } int b;", "a");
        check("#if A\nint k(int D)\n#else\nint k(int z)\n#endif\n{ return a; } int b;", "a");
        check("#if A\nint k(int z)\n#elif B\nint k(int D)\n#else\nint k(int y)\n#endif\n{ return a; } int b;", "a");
        check("#if A\nint k(int D);\n#else\nint k(int z)\n#endif\n{ return a; } int b;", "");
        check("struct S { S(int D) : x(1)\n#if A\n, y(a)\n#endif\n{ b; } }; int c;", "ab");
        check("struct S { S(int D)\n#if A\n: x(a)\n#endif\n{ b; } }; int c;", "ab");
        check("template <int D>\n#if A\n__global__\n#endif\nvoid k() { a; } int b;", "a");
        check("template <int D>\n#if A\nvoid k(int x)\n#else\nvoid k()\n#endif\n{ a; } int b;", "a");
        check("M(x)\n#include <y>\nnamespace n { int D; int a; } int b;", "a");
        check("M(x)\n#pragma y\nstruct S { int D; int a; }; int b;", "a");
        check("void g() { h([&](int D) {\n#if A\nint z;\n#endif\na; }); b; }", "a");
    }

    #[test]
    fn braces_in_a_head_do_not_end_it() {
        check("void g() { for (int i = h([](int D) { return a; }); b; ++i) { c; } d; }", "a");
        check("void g() { if (h([](int D) { return a; })) { b; } else { c; } d; }", "a");
        check("void g() { while (h([](int D) { return a; })) b; c; }", "a");
        check("void g() { for (int D : {1, 2}) { a; } b; }", "a");
        check("void g() { for (auto D = S{1}; a; ) { b; } c; }", "ab");
        check("template <int D> requires requires(int x) { x + 1; } int k() { return a; } int b;", "a");
        check("template <int D> int k() requires requires(int x) { x + 1; } { return a; } int b;", "a");
        check("template <int D> concept C = requires(int x) { a; }; int b;", "a");
        check("S::S(int D) try : x(1) { a; } catch (int y) { b; } int c;", "ab");
        check("S::S(int D) try : x{1} { a; } catch (int y) { b; } int c;", "ab");
        check("template <class... B> struct S : B... { S(int D, B... z) : B{z}... { a; } }; int b;", "a");
        check("auto k(int D) -> A<B{1}> { return a; } int b;", "a");
        check("auto k(int D) -> decltype(B{1}) { return a; } int b;", "a");
        check("void k(int D) noexcept(noexcept(B{})) { a; } int b;", "a");
    }

    #[test]
    fn braces_that_no_compiler_reads_are_no_scopes() {
        check("#if 0\nnamespace n {\n#endif\nint D; int a;\n#if 0\n}\n#endif\nint b;", "::ab");
        check("#if 1\nint D; int a;\n#else\nnamespace n {\n#endif\nint b;\n#if 0\n}\n#endif\nint c;", "::abc");
    }
}
