//! What a name in the text means: decided once, for all rules about names.

use std::borrow::Cow;
use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::alternatives::stub;
use super::conditional::{is_for_hip, is_reserved, is_version};
use super::context::Context;
pub(super) use super::name::{Meaning, Owner};
use super::name::{Name, UsedNames};
use super::ownership::{Ownership, ownership};
use super::spelt_names::{is_spelt_like_cudas, may_start_name, starts_intrinsic, starts_synchronised};
use super::stubs::Stub;
use super::taken_over::is_taken_over;
use crate::analysis::{ArgumentUse, Declaration, Place, Role, is_global, looks_like_cuda, role, used_names};
use crate::mapping::{Entry, Family, HELPER_PREFIX, Intrinsics, Kind, Resolution, Support};
use crate::syntax::{
    Directive, DirectiveKind, Document, TokenIdx, TokenKind, is_keyword, is_specifier, statement_start, words,
};

impl Context<'_> {
    /// The namespaces of CUDA's that a `using namespace` of the file names, found on the first call.
    pub(super) fn used_namespaces(&self) -> &[String] {
        self.used_namespaces.get_or_init(|| {
            let used = self.facts.aliases.used().iter().map(|used| resolved_alias(used, self));
            let known: BTreeSet<&str> =
                used.filter(|used| self.table.contains(used) || *used == LIBCU && includes_libcu(self)).collect();
            known.into_iter().map(str::to_owned).collect()
        })
    }

    /// The names of CUDA's that a `using` of the file brings into view without their scope, found on the first call.
    pub(super) fn used_names(&self) -> &UsedNames {
        self.used_names.get_or_init(|| {
            let mut found = UsedNames::default();
            for (using, path) in used_names(self.document) {
                let Some((scope, name)) = path.rsplit_once("::") else { continue };
                let path = format!("{}::{name}", resolved_alias(scope, self));
                if self.table.contains(&path) && !self.table.contains(name) {
                    let declared =
                        || words(self.document, name).filter(|&at| is_declared_at(self.document, at)).collect();
                    let used = found.entry(name.to_owned()).or_insert_with(|| (declared(), Vec::new()));
                    used.1.push((using, path));
                }
            }
            found
        })
    }
}

/// Whether a name is being declared, as far as the tokens before it tell: `int plus`, `bool *reduce(`, `int const n`.
fn is_declared_at(document: &Document, at: TokenIdx) -> bool {
    let Some(before) = at.checked_sub(1) else { return false };
    match document.kind(before) {
        Some(TokenKind::Ident) => match document.token_text(before) {
            "const" | "volatile" => is_declared_at(document, before),
            // A parameter of a template, or the type that a template names.
            "typename" => !document.is(at + 1, b'<') && document.kind(at + 1) != Some(TokenKind::PathSep),
            word => !is_specifier(word) && (!is_keyword(word) || DECLARING.contains(&word)),
        },
        Some(TokenKind::Punct(b'*' | b'&')) => {
            before.checked_sub(1).is_some_and(|kind| statement_start(document, at) == kind)
        }
        _ => false,
    }
}

/// Keywords behind which the name of something new stands; behind the others, such as `typedef`, stands the type.
const DECLARING: &[&str] = &[
    "auto",
    "bool",
    "char",
    "class",
    "concept",
    "double",
    "enum",
    "float",
    "int",
    "long",
    "namespace",
    "short",
    "signed",
    "struct",
    "union",
    "unsigned",
    "void",
];

/// The name at the token `token`, if a rule about names has to look at it.
pub(crate) fn name_at<'d>(token: TokenIdx, cx: &Context<'d>) -> Option<Name<'d>> {
    let text = cx.document.name(token);
    let may_matter = is_spelt_like_cudas(&text, cx) || is_pasted_prefix(token, &text, cx);
    let follows_scope = is_scope_operator(token.checked_sub(1), cx);
    if !may_matter && !follows_scope && cx.used_namespaces().is_empty() && cx.used_names().is_empty() {
        return None;
    }
    if is_ours(token, cx) {
        return None;
    }
    let range = cx.document.token(token)?.range();
    if cx.settings.ignored_names.contains(&*text) {
        return Some(Name { token, range, text, meaning: Meaning::Own(Owner::Listed) });
    }
    let role = role(cx.document, token);
    if let Role::Qualified(outer) = role {
        return qualified(token, outer, text, cx);
    }
    if role == Role::Free
        && let Some(path) = path_through_using(token, &text, cx)
    {
        return known_path(token, path, text, cx);
    }
    if !may_matter {
        return None;
    }
    let meaning = meaning_of(token, &text, role, cx)?;
    if matches!(meaning, Meaning::Same(entry) if entry.kind == Kind::Builtin) && is_meant_for_hip(token, cx) {
        return None;
    }
    let worth_telling = !matches!(meaning, Meaning::Own(_)) || is_spelt_otherwise(&text, cx);
    worth_telling.then_some(Name { token, range, text, meaning })
}

/// Whether `##` makes a name of CUDA's of this and what follows: `cuda##f`, `__shfl_##f`, and `CAT(cuda, f)` for a macro that pastes.
fn is_pasted_prefix(token: TokenIdx, text: &str, cx: &Context<'_>) -> bool {
    let document = cx.document;
    let is_pasted_here =
        || document.is(token + 1, b'#') && document.is(token + 2, b'#') && document.directive_of(token).is_some();
    // Which macros paste is read only where a name may start so.
    let may_start = text.starts_with(['c', 'C', 'n', 'N', '_']) && text.len() < 16;
    (is_pasted_here() || may_start && may_be_part(token, cx))
        && (may_start_name(text) || starts_intrinsic(text, cx) || starts_synchronised(token, cx))
        && (is_pasted_here() || made_of_argument(token, cx) == Some(ArgumentUse::Part))
}

/// Whether HIP compilers alone read the code, so that HIP's function of the name is meant: a ballot of 64 lanes, say. A
/// macro may stand in for one of CUDA's in code that both read, so it has to do what CUDA's does.
fn is_meant_for_hip(token: TokenIdx, cx: &Context<'_>) -> bool {
    cx.document.directive_of(token).is_none() && is_for_hip(token, cx)
}

/// Whether a name stands in a definition that an earlier conversion put into the file.
pub(in crate::rules) fn is_ours(token: TokenIdx, cx: &Context<'_>) -> bool {
    let function = cx.facts.functions.around(token).and_then(|function| function.name);
    function.is_some_and(|name| cx.document.token_text(name).starts_with(HELPER_PREFIX))
}

/// Whether HIP spells a name otherwise, so that leaving it alone makes a difference.
fn is_spelt_otherwise(text: &str, cx: &Context<'_>) -> bool {
    looks_like_cuda(text)
        || cx.table.get(text).iter().any(|entry| entry.kind != Kind::Header && entry.hip != entry.cuda)
}

fn meaning_of<'d>(token: TokenIdx, text: &str, role: Role, cx: &Context<'d>) -> Option<Meaning<'d>> {
    if matches!(role, Role::Free | Role::Defined) && is_reserved(text) {
        return Some(Meaning::Toolchain);
    }
    match role {
        Role::Tested => Some(Meaning::Tested),
        Role::Defined => match ownership(token, text, cx) {
            Ownership::Cuda if is_renamed_stub(token, text, cx) => from_table(token, text, cx),
            _ => Some(Meaning::Own(Owner::File(Declaration::Macro))),
        },
        Role::Pasted => Some(Meaning::Pasted),
        Role::Free if made_of_argument(token, cx) == Some(ArgumentUse::Part) => Some(Meaning::Pasted),
        Role::Free if made_of_argument(token, cx) == Some(ArgumentUse::Member) => Some(Meaning::Own(Owner::Class)),
        // `this->cudaDeviceProp::major`
        Role::Member if names_base(token, text, cx) => from_table(token, text, cx),
        Role::Member => Some(match made_by_list(text, cx) {
            Some(entry) => Meaning::Undecided(entry),
            None => Meaning::Own(Owner::Class),
        }),
        Role::Label => Some(Meaning::Own(Owner::File(Declaration::Variable))),
        Role::Free | Role::Qualified(_) => match ownership(token, text, cx) {
            Ownership::Own(owner) => Some(Meaning::Own(owner)),
            Ownership::Undecided => Some(match cx.resolve(text)? {
                // Nothing would be written in either case.
                Resolution::Name(to, entry) if to == text && entry.support == Support::Full => {
                    Meaning::Own(Owner::File(Declaration::Definition))
                }
                resolution => Meaning::Undecided(entry_of(resolution)),
            }),
            Ownership::Cuda if is_version(text) => Some(Meaning::Toolchain),
            Ownership::Cuda => from_table(token, text, cx),
        },
    }
}

/// Whether a `#define` of the name stands in for CUDA's and gets HIP's name.
fn is_renamed_stub(token: TokenIdx, text: &str, cx: &Context<'_>) -> bool {
    cx.facts.declared.at(token).is_some_and(|own| stub(&own, text, cx) == Some(Stub::Renamed))
}

/// Whether a name after `.` or `->` is a type of CUDA's that says in which base a member is.
fn names_base(token: TokenIdx, text: &str, cx: &Context<'_>) -> bool {
    cx.document.kind(token + 1) == Some(TokenKind::PathSep)
        && cx.table.get(text).iter().any(|entry| entry.kind == Kind::Type)
        && cx.facts.declared.get(text).is_none()
}

/// What CUDA has of the name of a member that nobody declares, where a list for macros has the name: `#define ALL(X) X(cuInit)`. What
/// macros make of the list gets HIP's names.
fn made_by_list<'d>(text: &str, cx: &Context<'d>) -> Option<&'d Entry> {
    let Some(Resolution::Name(to, entry)) = cx.resolve(text) else { return None };
    let is_declared = || cx.facts.declared.get(text).is_some() || cx.project.own_names.contains_key(text);
    let is_listed = |idx: TokenIdx| {
        let define = cx.document.directive_of(idx).is_some_and(|found| found.kind == DirectiveKind::Define);
        define && is_argument(idx, cx)
    };
    let search = || words(cx.document, text).any(is_listed);
    let known = || *cx.listed.borrow_mut().entry(text.to_owned()).or_insert_with(search);
    (to != text && !is_declared() && known()).then_some(entry)
}

/// What a macro makes of a name that is an argument of it.
fn made_of_argument(token: TokenIdx, cx: &Context<'_>) -> Option<ArgumentUse> {
    if may_be_part(token, cx) { cx.facts.pasted(cx.document, cx.project).get(token) } else { None }
}

/// Whether macros may make a name of this and others: an argument, or what a macro without parameters stands for.
fn may_be_part(token: TokenIdx, cx: &Context<'_>) -> bool {
    let is_defined = |directive: &Directive| directive.tokens.start + 3 == token && directive.tokens.end == token + 1;
    is_argument(token, cx) || cx.document.directive_of(token).is_some_and(is_defined)
}

/// Whether a name may be all of an argument, or what is called there.
fn is_argument(token: TokenIdx, cx: &Context<'_>) -> bool {
    let document = cx.document;
    let opens = token > 0 && (document.is(token - 1, b'(') || document.is(token - 1, b','));
    opens && (document.is(token + 1, b')') || document.is(token + 1, b',') || document.is(token + 1, b'('))
}

fn from_table<'d>(token: TokenIdx, text: &str, cx: &Context<'d>) -> Option<Meaning<'d>> {
    let Some(resolution) = cx.resolve(text) else {
        // A name such as `cub` may be known as a header only.
        let library = Family::find(text).filter(|_| !cx.table.contains(text));
        return library.map(Meaning::OfLibrary).or_else(|| looks_like_cuda(text).then_some(Meaning::Unknown));
    };
    let entry = entry_of(resolution);
    if entry.kind == Kind::Namespace && is_for_hip(token, cx) && names_alias(token, cx) {
        return Some(Meaning::Own(Owner::File(Declaration::Alias)));
    }
    let is_other_thing = match entry.kind {
        Kind::Namespace => !names_namespace(token, cx) || is_nested_own(token, text, cx),
        // What HIP calls otherwise is nobody else's: `curand` is no function of the C library.
        Kind::Builtin if entry.hip == entry.cuda || entry.hip.is_empty() => {
            is_host_function(token, text, cx) && !cx.table.calls_of(text).iter().any(|rule| rule.host)
        }
        _ => false,
    };
    if is_other_thing {
        return None;
    }
    Some(match resolution {
        Resolution::Name(to, entry) if to == text => Meaning::Same(entry),
        Resolution::Name(to, entry) => Meaning::Renamed(to, entry),
        Resolution::OtherRelease(entry) => Meaning::OtherRelease(entry),
        Resolution::Missing(entry) => Meaning::Missing(entry),
    })
}

fn entry_of(resolution: Resolution<'_>) -> &Entry {
    match resolution {
        Resolution::Name(_, entry) | Resolution::OtherRelease(entry) | Resolution::Missing(entry) => entry,
    }
}

/// `clock` and the like are functions of the C library in host code.
pub(super) fn is_host_function(token: TokenIdx, text: &str, cx: &Context<'_>) -> bool {
    let reserved = text.starts_with("__");
    !reserved && cx.facts.functions.around(token).is_some_and(|function| !function.runs_on_device())
}

/// `cub::`, `using namespace cub`, `namespace x = cub`
fn names_namespace(token: TokenIdx, cx: &Context<'_>) -> bool {
    let document = cx.document;
    let qualifies = document.token(token + 1).is_some_and(|next| next.kind == TokenKind::PathSep);
    let text_before = |back: usize| token.checked_sub(back).map_or("", |idx| document.token_text(idx));
    // `namespace x = ::cub`
    let path = usize::from(text_before(1) == "::");
    qualifies || text_before(1) == "namespace" || (text_before(1 + path) == "=" && text_before(3 + path) == "namespace")
}

/// Whether the file opens a namespace of this name within another one, where the use looks: `namespace at { namespace cub {`.
fn is_nested_own(token: TokenIdx, text: &str, cx: &Context<'_>) -> bool {
    let nested = cx.nested_namespaces.get_or_init(|| nested_namespaces(cx));
    let Some(own) = nested.get(text) else { return false };
    let is_found = || {
        let searched = cx.facts.scopes(cx.document).searched_at(cx.document, token);
        own.iter().any(|(_, path)| searched.contains(path))
    };
    own.iter().any(|(at, _)| *at == token) || !is_global(cx.document, token) && is_found()
}

/// The namespaces that the file opens within others, by their names: where, and the path of those around.
fn nested_namespaces(cx: &Context<'_>) -> FxHashMap<String, Vec<(TokenIdx, String)>> {
    let document = cx.document;
    let mut found: FxHashMap<String, Vec<(TokenIdx, String)>> = FxHashMap::default();
    for name in words(document, "namespace").map(|keyword| keyword + 1).filter(|&name| document.is(name + 1, b'{')) {
        if let Place::Named(path) = cx.facts.scopes(document).place_of(document, name)
            && !path.is_empty()
        {
            found.entry(document.name(name).into_owned()).or_default().push((name, path));
        }
    }
    found
}

/// `namespace cub = hipcub;`
fn names_alias(token: TokenIdx, cx: &Context<'_>) -> bool {
    let document = cx.document;
    document.is(token + 1, b'=')
        && token.checked_sub(1).is_some_and(|before| document.token_text(before) == "namespace")
}

/// A name after `outer::`. `cub::Sum` may be in the tables as such; `cudaMemcpyKind::…` is an
/// enumerator of CUDA's; anything else belongs to `outer`.
fn qualified<'d>(token: TokenIdx, outer: TokenIdx, text: Cow<'d, str>, cx: &Context<'d>) -> Option<Name<'d>> {
    let range = cx.document.token(token)?.range();
    let scope = scope_path(outer, cx);
    if let Some(scope) = &scope
        && let path = format!("{scope}::{text}")
        && cx.table.contains(&path)
    {
        let is_missing = |scope: &str| matches!(cx.resolve(scope), Some(Resolution::Missing(_)));
        // One finding about the namespace is enough, unless the file can define what it has; and then none about the namespace.
        let is_told = is_missing(scope) && !is_defined(&path) || has_defined(&path, token, cx);
        return if is_told { None } else { known_path(token, path, text, cx) };
    }
    if scope.as_deref() == Some(LIBCU) && cx.facts.declared.get(LIBCU).is_none() && includes_libcu(cx) {
        return Some(Name { token, range, text: Cow::Owned(format!("{LIBCU}::{text}")), meaning: Meaning::Unknown });
    }
    let is_own_scope = cx.facts.declared.get(cx.document.token_text(outer)).is_some()
        && matches!(ownership(outer, cx.document.token_text(outer), cx), Ownership::Own(_));
    if !is_own_scope
        && scope.as_deref().is_some_and(|scope| is_listed(scope, cx))
        && cx.facts.declared.get(&text).is_none()
    {
        let path = scope.map_or_else(String::new, |scope| format!("{scope}::{text}"));
        return Some(Name { token, range, text: Cow::Owned(path), meaning: Meaning::Unknown });
    }
    let is_of_cuda = |scope: &String| cx.table.get(scope).iter().any(|entry| entry.kind != Kind::Header);
    let scopes_cuda = !is_own_scope && scope.as_ref().is_some_and(is_of_cuda)
        || scope.is_some_and(|scope| is_taken_over(&text, &scope, cx));
    if !scopes_cuda && !is_spelt_otherwise(&text, cx) {
        return None;
    }
    let meaning = if scopes_cuda { from_table(token, &text, cx)? } else { Meaning::Own(Owner::Scope(outer)) };
    Some(Name { token, range, text, meaning })
}

/// Whether a definition takes the place of what a path names.
fn is_defined(path: &str) -> bool {
    Intrinsics::builtin().is_ok_and(|table| table.replacing(path).is_some())
}

/// Whether the namespace at `token` leads to what a definition takes the place of: `cuda::std` of `cuda::std::atomic`.
fn has_defined(path: &str, token: TokenIdx, cx: &Context<'_>) -> bool {
    let leads = cx.document.kind(token + 1) == Some(TokenKind::PathSep);
    leads && is_defined(&format!("{path}::{}", cx.document.token_text(token + 2)))
}

/// Whether the tables list all that a namespace has: HIP's namesake has a part of it, and the file adds nothing to it.
fn is_listed(scope: &str, cx: &Context<'_>) -> bool {
    let document = cx.document;
    let opens = |at: TokenIdx| at > 0 && document.token_text(at - 1) == "namespace" && document.is(at + 1, b'{');
    let extended = || LISTED.into_iter().filter(|listed| words(document, listed).any(opens)).collect();
    LISTED.contains(&scope)
        && matches!(cx.resolve(scope), Some(Resolution::Name(..)))
        && !cx.extends_listed.get_or_init(extended).contains(&scope)
}

/// The namespaces that HIP has by the same name, or by another one, with a part of what is in them.
const LISTED: [&str; 2] = ["cooperative_groups", "cub"];

/// `nvcuda::wmma` for the `wmma` behind `using namespace nvcuda;` or `using nvcuda::wmma;`, where the tables know it by no
/// shorter name and the file does not declare it.
fn path_through_using(token: TokenIdx, text: &str, cx: &Context<'_>) -> Option<String> {
    let scopes = || cx.facts.scopes(cx.document);
    if let Some((declared, used)) = cx.used_names().get(text) {
        let is_seen = |using: TokenIdx| using < token && scopes().is_seen(using, token);
        let found = used.iter().find(|(using, _)| is_seen(*using)).filter(|_| !is_hidden_there(declared, token, cx));
        return found.map(|(_, path)| path.clone());
    }
    let mut paths = cx.used_namespaces().iter().map(|used| format!("{used}::{text}"));
    let path = paths.find(|path| cx.table.contains(path))?;
    if cx.table.contains(text) || cx.facts.declared.get(text).is_some() {
        return None;
    }
    let names_something_else = |entry: &Entry| entry.kind == Kind::Namespace && !names_namespace(token, cx);
    if cx.table.get(&path).iter().any(names_something_else) {
        return None;
    }
    let (scope, _) = path.rsplit_once("::")?;
    let mut used = scopes().used_namespaces().filter(|used| resolved_alias(used, cx) == scope);
    used.any(|used| scopes().uses_namespace(cx.document, used, token)).then_some(path)
}

/// Whether the function around a name, or the file outside of all functions, declares something else by it.
fn is_hidden_there(declared: &[TokenIdx], token: TokenIdx, cx: &Context<'_>) -> bool {
    let functions = &cx.facts.functions;
    let around = functions.around(token);
    let first = around.map_or(0, |function| declared.partition_point(|&at| at < function.head.start));
    let ends = |at: TokenIdx| around.is_some_and(|function| at >= function.body.end);
    let mut near = declared[first..].iter().copied().take_while(|&at| !ends(at));
    near.any(|at| at == token || around.is_some() || functions.around(at).is_none())
        || cx.facts.declared.all(cx.document.token_text(token)).iter().any(|own| own.kind != Declaration::Using)
}

/// A namespace by its own name, where an alias names it.
pub(super) fn resolved_alias<'n>(path: &'n str, cx: &'n Context<'_>) -> &'n str {
    alias_of(path, cx).unwrap_or(path)
}

/// The namespace of libcu++, and of much else.
const LIBCU: &str = "cuda";

/// Whether a header of libcu++ is included, so that `cuda::` is not some project's own.
fn includes_libcu(cx: &Context<'_>) -> bool {
    let is_listed = |path: &str| cx.table.get(path).iter().any(|entry| entry.kind == Kind::Header);
    cx.document
        .includes()
        .any(|include| include.path.starts_with("cuda/") && (!include.quoted || is_listed(include.path)))
}

/// A name that the tables know with its scope. The scope is renamed by itself, so this name
/// stands for its last part only.
fn known_path<'d>(token: TokenIdx, path: String, text: Cow<'d, str>, cx: &Context<'d>) -> Option<Name<'d>> {
    let range = cx.document.token(token)?.range();
    let (text, meaning) = match cx.resolve(&path)? {
        Resolution::Name(to, entry) => {
            let last = to.rsplit("::").next().unwrap_or(to);
            let meaning = if last == text { Meaning::Same(entry) } else { Meaning::Renamed(last, entry) };
            (text, meaning)
        }
        Resolution::OtherRelease(entry) => (Cow::Owned(path), Meaning::OtherRelease(entry)),
        Resolution::Missing(entry) => (Cow::Owned(path), Meaning::Missing(entry)),
    };
    Some(Name { token, range, text, meaning })
}

/// Scopes of CUDA's own names nest less deeply than this.
const DEEPEST_SCOPE: usize = 8;

/// The scope whose last name is at `last`, aliases resolved; `None` if template arguments or
/// expressions are part of it, or if it is too deep for any name of CUDA's.
fn scope_path(last: TokenIdx, cx: &Context<'_>) -> Option<String> {
    let document = cx.document;
    let mut first = last;
    while is_scope_operator(first.checked_sub(1), cx)
        && let Role::Qualified(outer) = role(document, first)
    {
        first = outer;
        if last - first > 2 * DEEPEST_SCOPE {
            return None;
        }
    }
    let mut path = String::new();
    for idx in (first..=last).step_by(2) {
        if document.token(idx)?.kind != TokenKind::Ident {
            return None;
        }
        let name = document.name(idx);
        let alias = if idx == first { alias_of(&name, cx) } else { None };
        path.push_str(alias.unwrap_or(&name));
        path.push_str(if idx == last { "" } else { "::" });
    }
    Some(path)
}

/// The namespace that `name` stands for by an alias of this file, or else of a header.
fn alias_of<'n>(name: &str, cx: &'n Context<'_>) -> Option<&'n str> {
    match cx.facts.aliases.get(name) {
        Some((target, token)) => Some(target).filter(|_| !is_for_hip(token, cx)),
        None => cx.project.aliases.get(name)?.as_deref(),
    }
}

fn is_scope_operator(token: Option<TokenIdx>, cx: &Context<'_>) -> bool {
    token.and_then(|idx| cx.document.token(idx)).is_some_and(|token| token.kind == TokenKind::PathSep)
}
