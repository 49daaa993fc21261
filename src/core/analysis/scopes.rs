//! The scopes of a file, from its braces and what stands before them, and where a declaration is visible.
//!
//! Text alone does not tell all scopes: a macro may open one. What is in doubt counts as a block, so that a name is
//! visible in less of the file rather than in more.

use std::ops::Range;

use crate::syntax::{DirectiveKind, Document, TokenIdx, TokenKind, less_of, statement_start, words};

/// What a pair of braces is the scope of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A namespace with a name that qualifies what is in it.
    Namespace,
    /// `extern "C"`, an unnamed or inline namespace: what is in it is visible around it.
    Transparent,
    /// A class, structure or union.
    Class,
    /// `enum class`
    ScopedEnum,
    /// `enum`: its enumerators are visible around it.
    Enum,
    /// The body of a function, a lambda, a loop, or braces of any other sort.
    Block,
}

/// A pair of braces.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Scope {
    kind: Kind,
    /// The name of a namespace or class.
    name: Option<TokenIdx>,
    /// The tokens before the brace that belong to it.
    head: Range<TokenIdx>,
    /// The tokens from brace to brace.
    body: Range<TokenIdx>,
    /// The number of the scope around it.
    parent: Option<usize>,
}

/// The scopes of a file, in the order of their opening braces.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scopes {
    scopes: Vec<Scope>,
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
        let mut scopes: Vec<Scope> = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        let (mut head, mut idx) = (0, 0);
        // The parentheses of a loop hold semicolons and belong to its head.
        let mut loop_end = 0;
        while let Some(kind) = document.kind(idx) {
            while open.last().is_some_and(|&number| scopes[number].body.end <= idx) {
                open.pop();
            }
            match kind {
                TokenKind::Hash => {
                    idx = document.directive_of(idx).map_or(idx + 1, |directive| directive.tokens.end);
                    head = idx;
                    continue;
                }
                TokenKind::Punct(b';') if idx < loop_end => {}
                TokenKind::Punct(b';' | b'}') => head = idx + 1,
                TokenKind::Punct(b'(') if idx > 0 && is_control(document.token_text(idx - 1)) => {
                    loop_end = document.partner(idx).unwrap_or(loop_end);
                }
                TokenKind::Punct(b':') if super::functions::ends_access_specifier(document, idx) => head = idx + 1,
                TokenKind::Punct(b'{') => {
                    let close = document.partner(idx).filter(|&close| close > idx);
                    let body = idx..close.map_or_else(|| end_of_branch(document, idx), |close| close + 1);
                    let (kind, name) = kind_of(document, head..idx);
                    scopes.push(Scope { kind, name, head: head..idx, body, parent: open.last().copied() });
                    open.push(scopes.len() - 1);
                    head = idx + 1;
                }
                _ => {}
            }
            idx += 1;
        }
        Scopes { scopes }
    }

    /// Where the name that is declared at the token `idx` is visible.
    pub fn place_of(&self, document: &Document, idx: TokenIdx) -> Place {
        if let Some(directive) = document.directive_of(idx) {
            return Place::Local(idx..directive.tokens.end);
        }
        // A parameter of a function or template, or a variable of a loop: visible in the body, too.
        let mut heads = self.scopes.iter().rev();
        if let Some(scope) = heads.find(|scope| scope.head.contains(&idx) && is_parameter(document, scope, idx)) {
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
                Kind::Namespace | Kind::Class if scope.name.is_some() => names.push(path_of_name(document, scope)),
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

    /// The paths of the namespaces and classes in which a name at the token `idx` is looked for, the global one last.
    pub fn searched_at(&self, document: &Document, idx: TokenIdx) -> Vec<String> {
        let mut around: Vec<&Scope> = self.outwards(idx).collect();
        around.reverse();
        around.extend(self.scopes.iter().rev().find(|scope| scope.head.contains(&idx)));
        // Paths from the global scope on, and those that may start at each of them.
        let (mut whole, mut relative) = (vec![String::new()], self.used_namespaces(document, idx));
        for scope in around {
            match scope.kind {
                Kind::Namespace | Kind::Class if scope.name.is_some() => {
                    relative.extend(bases(document, scope).map(str::to_owned));
                    if !scope.head.contains(&idx) {
                        let inner = joined(whole.last().map_or("", String::as_str), &path_of_name(document, scope));
                        whole.push(inner);
                    }
                }
                Kind::Block => relative.extend(qualifiers(document, scope)),
                _ => {}
            }
        }
        let more: Vec<String> =
            relative.iter().flat_map(|path| whole.iter().map(move |outer| joined(outer, path))).collect();
        whole.extend(more);
        whole
    }

    /// Whether the innermost scope around a token is a class.
    pub fn is_in_class(&self, idx: TokenIdx) -> bool {
        self.outwards(idx).next().is_some_and(|scope| scope.kind == Kind::Class)
    }

    /// Whether a declaration at `place` is visible at the token `idx`; `searched` are the paths of that token.
    pub fn reaches(place: &Place, idx: TokenIdx, searched: &[String]) -> bool {
        match place {
            Place::Local(range) => range.contains(&idx),
            Place::Named(path) => searched.contains(path),
        }
    }

    /// The scopes around a token, innermost first.
    fn outwards(&self, idx: TokenIdx) -> impl Iterator<Item = &Scope> {
        let after = self.scopes.partition_point(|scope| scope.body.start <= idx);
        let mut next = after.checked_sub(1);
        std::iter::from_fn(move || {
            loop {
                let scope = self.scopes.get(next?)?;
                next = scope.parent;
                if scope.body.contains(&idx) {
                    return Some(scope);
                }
            }
        })
    }

    /// The namespaces that a `using namespace` before the token brings into view.
    pub fn used_namespaces(&self, document: &Document, idx: TokenIdx) -> Vec<String> {
        let mut used = Vec::new();
        for using in words(document, "using").take_while(|&using| using < idx) {
            let is_directive = document.token_text(using + 1) == "namespace";
            let reaches = self.outwards(using).find(|scope| scope.kind != Kind::Transparent);
            if is_directive && reaches.is_none_or(|scope| scope.body.contains(&idx) || scope.kind == Kind::Namespace) {
                let path = (using + 2..document.tokens().len()).take_while(|&at| !document.is(at, b';'));
                used.push(
                    path.map(|at| document.token_text(at)).collect::<String>().trim_start_matches("::").to_owned(),
                );
            }
        }
        used
    }
}

/// Where the branch of the preprocessor ends that holds a brace without a partner: the other branches open one, too, and the
/// brace behind them closes the last of these.
fn end_of_branch(document: &Document, idx: TokenIdx) -> TokenIdx {
    let mut depth = 0;
    let directives = document.directives();
    let after = directives.partition_point(|directive| directive.tokens.start < idx);
    for directive in &directives[after..] {
        match directive.kind {
            DirectiveKind::Else | DirectiveKind::Elif | DirectiveKind::Endif if depth == 0 => {
                return directive.tokens.start;
            }
            DirectiveKind::Endif => depth -= 1,
            kind if kind.opens_condition() => depth += 1,
            _ => {}
        }
    }
    document.tokens().len()
}

fn joined(outer: &str, inner: &str) -> String {
    if outer.is_empty() { inner.to_owned() } else { format!("{outer}::{inner}") }
}

fn is_control(word: &str) -> bool {
    matches!(word, "for" | "if" | "switch" | "while" | "catch")
}

/// The name of a scope as it is written: `b::c` of `namespace b::c`.
fn path_of_name(document: &Document, scope: &Scope) -> String {
    match (scope.kind, scope.name) {
        (Kind::Namespace, _) => {
            let name = document.slice(document.range_of(name_of_namespace(document, scope)));
            name.split_whitespace().collect()
        }
        (_, Some(name)) => document.token_text(name).to_owned(),
        (_, None) => String::new(),
    }
}

/// The names behind the `:` of a class.
fn bases<'d>(document: &'d Document, scope: &Scope) -> impl Iterator<Item = &'d str> {
    let colon = scope.head.clone().find(|&idx| scope.kind == Kind::Class && document.is(idx, b':'));
    let list = colon.map_or(scope.head.end..scope.head.end, |colon| colon + 1..scope.head.end);
    list.map(|idx| document.token_text(idx)).filter(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '_'))
}

/// The scopes that the name of a function names: `a` and `a::S` of `int a::S::f() {`.
fn qualifiers(document: &Document, scope: &Scope) -> Vec<String> {
    let mut found = Vec::new();
    for separator in scope.head.clone().filter(|&idx| document.kind(idx) == Some(TokenKind::PathSep)) {
        let outer = separator.checked_sub(1).filter(|&outer| outer >= scope.head.start);
        let outer = outer.and_then(|outer| {
            if document.is(outer, b'>') { less_of(document, outer)?.checked_sub(1) } else { Some(outer) }
        });
        let Some(outer) = outer.filter(|&outer| document.kind(outer) == Some(TokenKind::Ident)) else { continue };
        let mut first = outer;
        while first > scope.head.start + 1 && document.kind(first - 1) == Some(TokenKind::PathSep) {
            first -= 2;
        }
        found.push((first..=outer).map(|idx| document.token_text(idx)).collect());
    }
    found
}

/// The token after the statement that starts at `start`, `else` and all.
fn end_of_statement(document: &Document, start: TokenIdx) -> TokenIdx {
    let end = document.tokens().len();
    let mut idx = start;
    while idx < end {
        match document.kind(idx) {
            Some(TokenKind::Punct(b'(' | b'[')) => {
                idx = document.partner(idx).filter(|&close| close > idx).unwrap_or(idx);
            }
            Some(TokenKind::Punct(b'{')) => {
                idx = document.partner(idx).filter(|&close| close > idx).unwrap_or(end);
                if document.token_text(idx + 1) != "else" {
                    return (idx + 1).min(end);
                }
            }
            Some(TokenKind::Punct(b';')) if document.token_text(idx + 1) != "else" => return idx + 1,
            Some(TokenKind::Punct(b'}')) => return idx,
            _ => {}
        }
        idx += 1;
    }
    end
}

/// `b::c` of `namespace b::c`.
fn name_of_namespace(document: &Document, scope: &Scope) -> Range<TokenIdx> {
    let keyword = scope.head.clone().rfind(|&idx| document.token_text(idx) == "namespace");
    keyword.map_or(scope.head.end..scope.head.end, |keyword| keyword + 1..scope.head.end)
}

/// What braces are for, by the tokens before them, and their name.
fn kind_of(document: &Document, head: Range<TokenIdx>) -> (Kind, Option<TokenIdx>) {
    let mut idx = head.start;
    while idx < head.end {
        match document.token_text(idx) {
            "template" if document.is(idx + 1, b'<') => {
                idx = super::functions::template_head_end(document, idx + 1, head.end);
            }
            "namespace" => return namespace(document, idx, &head),
            "extern" if idx + 2 == head.end => return (Kind::Transparent, None),
            "class" | "struct" | "union" => return class(document, idx + 1..head.end),
            "enum" => {
                let is_scoped = matches!(document.token_text(idx + 1), "class" | "struct");
                return (if is_scoped { Kind::ScopedEnum } else { Kind::Enum }, None);
            }
            "(" | "=" | "return" => return (Kind::Block, None),
            _ => {}
        }
        idx += 1;
    }
    (Kind::Block, None)
}

fn namespace(document: &Document, keyword: TokenIdx, head: &Range<TokenIdx>) -> (Kind, Option<TokenIdx>) {
    let is_inline = keyword > head.start && document.token_text(keyword - 1) == "inline";
    let is_named = keyword + 1 < head.end;
    if is_inline || !is_named { (Kind::Transparent, None) } else { (Kind::Namespace, Some(head.end - 1)) }
}

/// A class whose head goes on in `rest`, or a function whose result is a class.
fn class(document: &Document, rest: Range<TokenIdx>) -> (Kind, Option<TokenIdx>) {
    let mut name = None;
    let mut idx = rest.start;
    while idx < rest.end {
        match document.kind(idx) {
            Some(TokenKind::Ident) if document.is(idx + 1, b'(') => {
                // `alignas(16)`, `__align__(8)`, or `struct S f(…)`.
                let is_attribute = document.token_text(idx).starts_with("__") || document.token_text(idx) == "alignas";
                if !is_attribute {
                    return (Kind::Block, None);
                }
                idx = document.partner(idx + 1).filter(|&close| close > idx).unwrap_or(idx);
            }
            Some(TokenKind::Ident) if document.token_text(idx) != "final" => name = Some(idx),
            Some(TokenKind::Punct(b':' | b'<')) => break,
            _ => {}
        }
        idx += 1;
    }
    (Kind::Class, name)
}

/// Whether the declaration at `idx` in the head of a scope is a parameter: in parentheses, or in those of a template.
fn is_parameter(document: &Document, scope: &Scope, idx: TokenIdx) -> bool {
    if enclosing_parentheses(document, idx).is_some_and(|group| group.start >= scope.head.start) {
        return true;
    }
    let template = scope.head.clone().find(|&at| document.token_text(at) == "template" && document.is(at + 1, b'<'));
    template.is_some_and(|template| {
        let end = super::functions::template_head_end(document, template + 1, scope.head.end);
        (template..end).contains(&idx)
    })
}

/// Whether the token stands in `template <…>` of a declaration without a body, or in `[]<…>` of a lambda.
fn is_of_template(document: &Document, idx: TokenIdx) -> bool {
    if idx >= 2
        && matches!(document.token_text(idx - 1), "class" | "typename")
        && matches!(document.token_text(idx - 2), "<" | ",")
    {
        return true;
    }
    let start = statement_start(document, idx);
    document.token_text(start) == "template"
        && document.is(start + 1, b'<')
        && super::functions::template_head_end(document, start + 1, document.tokens().len()) > idx
}

/// The parentheses around a token within its statement.
fn enclosing_parentheses(document: &Document, idx: TokenIdx) -> Option<Range<TokenIdx>> {
    let mut at = idx;
    loop {
        at = document.before(at)?;
        match document.kind(at)? {
            TokenKind::Punct(b')' | b']' | b'}') => at = document.partner(at).filter(|&open| open < at)?,
            TokenKind::Punct(b'(') => {
                let close = document.partner(at).filter(|&close| close > at)?;
                return Some(at..close + 1);
            }
            TokenKind::Punct(b';' | b'{') => return None,
            _ => {}
        }
    }
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
    }

    #[test]
    fn a_class_keeps_its_names() {
        check("struct S { int D; int a; }; int b; int S::g() { return c; } int h() { return d; }", "ac");
        check("template <class T> struct S { int D; }; template <class T> int S<T>::g() { return a; }", "a");
        check("struct B { int D; }; struct S : public B { int g() { return a; } }; int b;", "a");
        check("namespace n { struct S { int D; int g(); }; } int n::S::g() { return a; } int b;", "a");
        check("struct __align__(8) S { int D; int a; }; struct S f() { return b; }", "a");
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
    }
}
