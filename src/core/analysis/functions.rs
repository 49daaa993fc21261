//! Function definitions with their execution space, from brace blocks and the tokens before them.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::function_name::{Candidate, goes_before, is_function_name, name_before, operator_before, pass_template};
use super::heads::{Head, behind_directive, end_of_branch, template_head_end};
use crate::syntax::{DirectiveKind, Document, TokenIdx, TokenKind, among};

/// What the names of all definitions of conversion start with, as the mappings have them.
const WRITTEN: &str = "hipshift_";

/// A function with a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// The tokens before the body: specifiers, result, name, parameters.
    pub head: Range<TokenIdx>,
    /// Its name.
    pub name: Option<TokenIdx>,
    /// The tokens of the body, braces included.
    pub body: Range<TokenIdx>,
    /// `__global__`
    pub is_kernel: bool,
    /// `__device__`
    pub is_device: bool,
    /// `__host__`
    pub is_host: bool,
}

impl Function {
    /// Whether the body is compiled for the GPU only.
    pub fn is_device_only(&self) -> bool {
        self.is_kernel || (self.is_device && !self.is_host)
    }

    /// Whether the body is compiled for the GPU.
    pub fn runs_on_device(&self) -> bool {
        self.is_kernel || self.is_device
    }

    /// Whether conversion has written it: an overload of a function of HIP's, which says before its name which types it is for.
    pub fn is_written_overload(&self, document: &Document) -> bool {
        let before = self.head.start..self.name.unwrap_or(self.head.start);
        before.into_iter().any(|idx| document.token_text(idx).starts_with(WRITTEN))
    }
}

/// The functions of a file in the order of the text; none lies within another.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Functions {
    functions: Vec<Function>,
}

impl Functions {
    /// The functions of a file.
    pub fn of(document: &Document) -> Functions {
        let mut functions = Vec::new();
        let spaces = SpaceMacros::of(document);
        let mut head = Head::default();
        let mut idx = 0;
        // The parentheses that were opened last outside of others.
        let (mut opening, mut closing) = (0, 0);
        // The next end of a statement.
        let mut semicolon = 0;
        while let Some(token) = document.token(idx) {
            match token.kind {
                TokenKind::Punct(b'(') if idx >= closing => {
                    (opening, closing) = (idx, document.partner(idx).unwrap_or_default());
                }
                TokenKind::Hash => {
                    idx = head.pass_directive(document, idx, head.start <= opening && idx < closing);
                    continue;
                }
                TokenKind::Punct(b';' | b'}') => head.start_at(idx + 1),
                TokenKind::Punct(b':') if ends_access_specifier(document, idx) => head.start_at(idx + 1),
                TokenKind::Punct(b'{') => {
                    // `Op op = {}` among parameters, `: member{1}, other{2}` behind them.
                    let values = value_list(document, idx, closing).filter(|_| head.start < closing);
                    if let Some(close) = values.filter(|close| *close < next_semicolon(document, idx, &mut semicolon)) {
                        idx = close + 1;
                        continue;
                    }
                    if let Some(function) = function_at(document, head.start, idx, &spaces) {
                        idx = function.body.end;
                        functions.push(function);
                        head.start_at(idx);
                        continue;
                    }
                    head.start_at(idx + 1);
                }
                _ => {}
            }
            idx += 1;
        }
        Functions { functions }
    }

    /// All functions.
    pub fn iter(&self) -> impl Iterator<Item = &Function> {
        self.functions.iter()
    }

    /// The functions whose body starts among some tokens.
    pub fn within(&self, tokens: Range<TokenIdx>) -> &[Function] {
        among(&self.functions, tokens, |function| function.body.start)
    }

    /// The function whose head starts at a token.
    pub fn starting_at(&self, idx: TokenIdx) -> Option<&Function> {
        let at = self.functions.partition_point(|function| function.head.start < idx);
        self.functions.get(at).filter(|function| function.head.start == idx)
    }

    /// The function whose head or body holds the token at `idx`.
    pub fn holding(&self, idx: TokenIdx) -> Option<&Function> {
        let after = self.functions.partition_point(|function| function.head.start <= idx);
        self.functions.get(after.checked_sub(1)?).filter(|function| idx < function.body.end)
    }

    /// The function whose body holds the token at `idx`.
    pub fn around(&self, idx: TokenIdx) -> Option<&Function> {
        let after = self.functions.partition_point(|function| function.body.start <= idx);
        let function = self.functions.get(after.checked_sub(1)?)?;
        function.body.contains(&idx).then_some(function)
    }
}

pub(super) fn ends_access_specifier(document: &Document, colon: TokenIdx) -> bool {
    colon > 0 && matches!(document.token_text(colon - 1), "public" | "private" | "protected")
}

/// The end of braces that stand where values do: within the parentheses that end at `closing`, or behind the name of a member.
fn value_list(document: &Document, open: TokenIdx, closing: TokenIdx) -> Option<TokenIdx> {
    let before = open.checked_sub(1)?;
    let is_named = || document.kind(before) == Some(TokenKind::Ident) || document.is(before, b'>');
    let goes_on = |close: TokenIdx| document.is(close + 1, b',') || document.is(close + 1, b'{');
    document.partner(open).filter(|&close| open < closing || is_named() && goes_on(close))
}

/// The first `;` from `idx` on, or the end; `known` is the one that was found last, so that all searches read the file once.
fn next_semicolon(document: &Document, idx: TokenIdx, known: &mut TokenIdx) -> TokenIdx {
    if *known < idx {
        let end = document.tokens().len();
        *known = (idx..end).find(|&idx| document.is(idx, b';')).unwrap_or(end);
    }
    *known
}

/// The function whose body starts at the brace `open`, unless it is some other block.
fn function_at(document: &Document, head: TokenIdx, open: TokenIdx, spaces: &SpaceMacros) -> Option<Function> {
    let mut function = Function {
        head: head..open,
        name: None,
        body: open..document.partner(open).map_or_else(|| end_of_branch(document, open), |close| close + 1),
        is_kernel: false,
        is_device: false,
        is_host: false,
    };
    // `T (*table[])(int) = {` is a variable.
    let mut is_pointer = false;
    let (mut found, mut block): (Option<Candidate>, bool) = (None, false);
    let (mut idx, mut start) = (head, head);
    while idx < open {
        if let Some(next) = behind_directive(document, idx) {
            idx = next;
            continue;
        }
        match document.token_text(idx) {
            "template" if document.is(idx + 1, b'<') => {
                idx = template_head_end(document, idx + 1, open);
                pass_template(&mut found, &mut start, idx + 1);
            }
            "namespace" | "class" | "struct" | "union" | "enum" => match found {
                None => return None,
                // `MARK(x) struct S {`
                Some(found) => block |= found.is_first && found.end == idx,
            },
            // `MARK(x) extern "C" {`
            "extern" if found.is_some_and(|found| found.is_first && found.end == idx) => {
                block |= document.kind(idx + 1) == Some(TokenKind::Str) && idx + 2 == open;
            }
            "__global__" => function.is_kernel = true,
            "__device__" => function.is_device = true,
            "__host__" => function.is_host = true,
            // A variable with an initialiser.
            "=" if (found.is_none() || is_pointer) && !operator_before(document, idx, head) => return None,
            "(" => {
                let named = name_before(document, idx, head).filter(|&name| is_function_name(document, name, head));
                is_pointer |= found.is_none() && document.is(idx + 1, b'*');
                let close = document.partner(idx).filter(|&close| close > idx && close < open)?;
                if let Some(name) = named.filter(|&named| found.is_none_or(|found| goes_before(document, found, named)))
                {
                    (found, block) = (Some(Candidate { name, end: close + 1, is_first: name == start }), false);
                }
                idx = close;
            }
            word => {
                let space = spaces.get(word);
                function.is_kernel |= space.is_kernel;
                function.is_device |= space.is_device;
                function.is_host |= space.is_host;
            }
        }
        idx += 1;
    }
    function.name = found.filter(|_| !block).map(|found| found.name);
    function.name.is_some().then_some(function)
}

/// What a macro of the file says about the execution space of a function.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Space {
    is_kernel: bool,
    is_device: bool,
    is_host: bool,
}

/// The macros of a file that stand for specifiers: `#define DEVI static __device__ __forceinline__`.
#[derive(Debug, Default)]
struct SpaceMacros {
    spaces: FxHashMap<String, Space>,
}

impl SpaceMacros {
    fn of(document: &Document) -> SpaceMacros {
        let mut macros = SpaceMacros::default();
        for directive in document.directives().iter().filter(|directive| directive.kind == DirectiveKind::Define) {
            let name = directive.tokens.start + 2;
            let is_alone = !document.is(name + 1, b'(')
                || document.token(name).map(|t| t.end) != document.token(name + 1).map(|t| t.start);
            if is_alone {
                macros.add(document, name, name + 1..directive.tokens.end);
            }
        }
        macros
    }

    /// A macro that stands for a block of code is no specifier; one of several branches may be the one that counts.
    fn add(&mut self, document: &Document, name: TokenIdx, body: Range<TokenIdx>) {
        let known = self.get(document.token_text(name));
        let mut space = known;
        for idx in body {
            match document.token_text(idx) {
                "__global__" => space.is_kernel = true,
                "__device__" => space.is_device = true,
                "__host__" => space.is_host = true,
                "{" | ";" => return,
                word => {
                    let inner = self.get(word);
                    space.is_kernel |= inner.is_kernel;
                    space.is_device |= inner.is_device;
                    space.is_host |= inner.is_host;
                }
            }
        }
        if space != known {
            self.spaces.insert(document.name(name).into_owned(), space);
        }
    }

    fn get(&self, word: &str) -> Space {
        if self.spaces.is_empty() { Space::default() } else { self.spaces.get(word).copied().unwrap_or_default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceFile;

    #[track_caller]
    fn check_functions(text: &str, expected: &[(&str, &str)]) {
        let document = Document::new(SourceFile::from_text("a.cu", text));
        let functions = Functions::of(&document);
        let seen: Vec<_> = functions
            .iter()
            .map(|f| {
                let space = if f.is_kernel {
                    "kernel"
                } else if f.is_device_only() {
                    "device"
                } else {
                    "host"
                };
                (document.token_text(f.name.unwrap()), space)
            })
            .collect();
        assert_eq!(seen, expected);
    }

    #[test]
    fn directives_within_heads_do_not_end_them() {
        check_functions("__global__ void k(int *p,\n#ifdef X\nint n,\n#endif\nint m) { }", &[("k", "kernel")]);
        check_functions(
            "#if A\n__global__ void k(int n)\n#else\n__global__ void k()\n#endif\n{ } int f() { }",
            &[("k", "kernel"), ("f", "host")],
        );
        check_functions("template <int N>\n#if defined(A)\n__global__\n#endif\nvoid k() { }", &[("k", "kernel")]);
        check_functions("__device__ int f(int n)\n#pragma x\n{ } int g() { }", &[("f", "device"), ("g", "host")]);
        check_functions("__device__ int f(int n)\n#if A\nnoexcept\n#endif\n{ }", &[("f", "device")]);
        check_functions(
            "#if A\n__global__ void k(int n) {\n#else\n__device__ void f() {\n#endif\n} __device__ int g() { }",
            &[("k", "kernel"), ("g", "device")],
        );
        check_functions("DEFINE(x)\n#include <y>\nint f() { }", &[("f", "host")]);
    }

    #[test]
    fn macros_in_front_of_a_declaration_are_no_names() {
        check_functions("DEFINE(a, v = 1)\nDEFINE(b, v = 2)\nint main() { return 0; }", &[("main", "host")]);
        check_functions("MARK(x) template <class T> __global__ void k(T* p) { }", &[("k", "kernel")]);
        check_functions("__global__ void BOUNDS(256) k(int* p) { }", &[("k", "kernel")]);
        check_functions("BOUNDS(256, 2) std::vector<int> f(int* p) { }", &[("f", "host")]);
        check_functions("MARK(x) extern \"C\" { int f() { return 1; } }", &[("f", "host")]);
        check_functions("MARK(x) struct S { int f() { return 1; } };", &[("f", "host")]);
        check_functions(
            "MARK(x) struct S f(S s) { return s; } namespace n { int g() { } }",
            &[("f", "host"), ("g", "host")],
        );
        for text in [
            "void f(int n) REQUIRES(lock) { }",
            "void f() const GUARDED(lock) { }",
            "void f() noexcept(g(1)) { }",
            "auto f(int n) -> struct S { }",
            "auto f(int n) -> decltype(g(n)) { }",
            "f(int n) NOTHROW : a(1), b(2) { }",
            "f(int n) : a(1), b(2) { }",
            "int f() REQUIRES(a) EXCLUDES(b) { }",
            "int f() NOTHROW REQUIRES(a) { }",
            "f(int n) NOTHROW REQUIRES(a) { }",
            "auto f() -> const struct S { }",
            "auto f() -> std::vector<struct S> { }",
            "f(int n) : std::vector<struct X>(n) { }",
        ] {
            check_functions(text, &[("f", "host")]);
        }
        for text in [
            "__global__ void __launch_bounds__(256) k(int* p) ATTR(a) ATTR(b) {}",
            "__global__ void k(int* p) NOEXC ATTR(b) {}",
            "MARK(x) template <class T, int N> __global__ void k(T* p) {}",
            "__global__ BOUNDS(256, 2) void k(int* p) {}",
        ] {
            check_functions(text, &[("k", "kernel")]);
        }
        check_functions("__global__ void K6(int* p) ATTR(b) {}", &[("K6", "kernel")]);
    }

    #[test]
    fn braces_with_values_are_no_bodies() {
        for text in [
            "__device__ float f(float v, Op op = {}) { return g(v, op); }",
            "template <class Op> __device__ float f(float v, Op op = Op{1, {2}}, int (&a)[2] = {}) { return v; }",
        ] {
            check_functions(text, &[("f", "device")]);
            let document = Document::new(SourceFile::from_text("a.cu", text));
            let functions = Functions::of(&document);
            let body = functions.iter().next().unwrap().body.clone();
            assert!(document.slice(document.range_of(body)).starts_with("{ return"), "{text}");
        }
        let members =
            "struct N { __device__ N(float v) : a{v}, B<int>{2} { set(v); } __device__ int g() { return 1; } };";
        check_functions(members, &[("N", "device"), ("g", "device")]);
        let lambdas = "auto x = wrap([](int x) { return x; }, {1, 2}); __global__ void k() { }";
        check_functions(lambdas, &[("k", "kernel")]);
    }

    #[test]
    fn qualifiers_and_names_are_found() {
        check_functions("__global__ void __launch_bounds__(256, 2) k(int* p) { p[0] = f(1); }", &[("k", "kernel")]);
        check_functions("template <class T, int N = (3 > 2)> __device__ T f(T x) { return x; }", &[("f", "device")]);
        check_functions(
            "__host__ __device__ int f() { return 1; } int g() { return 2; }",
            &[("f", "host"), ("g", "host")],
        );
        check_functions(
            "namespace a { struct S { S() : x(1) {} __device__ int operator()(int i) const { return i; } }; }",
            &[("S", "host"), ("operator", "device")],
        );
    }

    #[test]
    fn macros_of_the_file_are_read_as_the_specifiers_they_stand_for() {
        check_functions(
            "#define DEVI static __device__ __forceinline__\n#define D DEVI\nDEVI int f() { return 1; }\nD int g() { return 1; }",
            &[("f", "device"), ("g", "device")],
        );
        check_functions("#define HDI inline __host__ __device__\nHDI int f() { return 1; }", &[("f", "host")]);
        check_functions("#define K(n) __global__ void n()\nint K = 1; int f() { return K; }", &[("f", "host")]);
    }

    #[test]
    fn the_type_of_a_conversion_is_no_name() {
        check_functions(
            "struct S { operator cudaStream_t() const { return s; } int f() { return 1; } };",
            &[("operator", "host"), ("f", "host")],
        );
        check_functions("S::operator const float&() const { return x; }", &[("operator", "host")]);
        check_functions("void* operator new(size_t n) { return malloc(n); }", &[("new", "host")]);
        check_functions("S& operator,(const S& other) { return *this; }", &[(",", "host")]);
    }

    #[test]
    fn specialisations_have_the_name_of_their_template() {
        check_functions("template <> __device__ int f<int, S<2>>(S<2> x) { return 1; }", &[("f", "device")]);
        check_functions("template <> __global__ void n::k<float>(float* p) {}", &[("k", "kernel")]);
        check_functions("bool operator>(S a, S b) { return true; }", &[(">", "host")]);
        check_functions("bool operator==(S a, S b) { return true; }", &[("=", "host")]);
        check_functions("__device__ void operator+=(S& a, S b) { }", &[("=", "device")]);
        check_functions(
            "S& operator<<=(S& a, S b) { return a; } S& operator=(S b) { }",
            &[("=", "host"), ("=", "host")],
        );
        check_functions("int x = f() { }", &[]);
    }

    #[test]
    fn other_blocks_are_no_functions() {
        check_functions("int a[] = { f(1) }; enum E { A }; struct S { int x; }; extern \"C\" { int f(int); }", &[]);
    }
}
