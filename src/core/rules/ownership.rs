//! Whose a name is: CUDA's, or one that the project declares where the name stands.

use std::cell::OnceCell;
use std::rc::Rc;

use super::alternatives::{is_shim, passes_parameters, stub};
use super::by_argument::{may_be_found, takes_class, takes_own};
use super::conditional::{is_for_hip, is_left_to_headers};
use super::context::Context;
use super::declared_shape::{argument_count, is_member_defined_outside, is_template, names_type_beside};
use super::name::{AllAnew, Anew, Owner};
use super::redirects::{end_of_macro, is_in_macro, is_replaced, is_surely_defined, redirect, redirected};
use super::stubs::Stub;
use super::taken_over::{from_cuda, scope_of, scopes_taking};
use crate::analysis::{
    Declaration, Own, OwnName, Parameters, Place, Role, Scopes, Searched, Site, TokenRanges, WAVE_SIZE, is_global,
    is_source, is_warp_function, role,
};
use crate::mapping::{Entry, Kind};
use crate::syntax::{Call, Document, MacroDefinition, TokenIdx, TokenKind, statement_start, words, words_in};

/// Whose a name is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ownership {
    /// CUDA's, for all that the file declares.
    Cuda,
    /// The project's own.
    Own(Owner),
    /// A function of the project has the same name and takes as many arguments: the types decide, which text does not tell.
    Undecided,
}

/// Whose the name at the token `idx` is.
pub(super) fn ownership(idx: TokenIdx, text: &str, cx: &Context<'_>) -> Ownership {
    if !cx.table.contains(text) {
        // Nothing would be written in any case, so it is enough that the file has the name.
        return match cx.facts.declared.get(text) {
            Some(kind) => Ownership::Own(Owner::File(kind)),
            None => Ownership::Cuda,
        };
    }
    if let Some(shim) = cx.facts.declared.at(idx).filter(|own| is_shim(own, text, cx)) {
        return Ownership::Own(Owner::File(shim.kind));
    }
    let use_of = Use { idx, searched: OnceCell::new() };
    let mut found = Ownership::Cuda;
    let all = declared_places(text, cx);
    // Where blocks within blocks declare it, each of them reaches the innermost.
    if let Some(&number) = all.by_token.get(&idx) {
        return Ownership::Own(Owner::File(all.list[number].own.kind));
    }
    for number in candidates(&all, &use_of, cx) {
        let anew = &all.list[number];
        let own = &anew.own;
        match reaches(anew, &use_of, cx) {
            Reach::No => {}
            Reach::Yes if stub(own, text, cx).is_some() => found = Ownership::Undecided,
            Reach::Yes => return Ownership::Own(Owner::File(own.kind)),
            Reach::Perhaps => found = Ownership::Undecided,
        }
    }
    if found == Ownership::Cuda {
        found = declared_elsewhere(text, &use_of, cx);
    }
    let is_doubtful = || cx.facts.declared.is_unread(text) || may_be_found(idx, text, cx);
    if found == Ownership::Cuda && is_doubtful() { Ownership::Undecided } else { found }
}

/// Whose a name is that this file does not declare: that of another file of the project that declares it where the use looks
/// for it. What a source defines is seen by those with a prototype; without any it may take the place of CUDA's when the
/// program is linked, or belong to another program.
fn declared_elsewhere<'c>(text: &str, used: &Use<'c>, cx: &'c Context<'_>) -> Ownership {
    let Some(names) = cx.project.own_names.get(text) else { return Ownership::Cuda };
    let file = &cx.document.file().path;
    match redirected(used.idx, text, names, cx) {
        Some(true) => return Ownership::Own(Owner::Project),
        None => return Ownership::Undecided,
        Some(false) => {}
    }
    let is_cudas = |own: &OwnName| own.using.is_some() && scopes_taking(text, cx).contains(&own.path);
    let is_other = |own: &OwnName| matches!(own.site, Site::TakenOver | Site::Macro { .. }) || is_cudas(own);
    let is_new = |own: &&OwnName| !is_other(own) && own.is_seen_by(file) != Some(false);
    let found: Vec<&OwnName> = names.iter().filter(|own| is_new(own) && is_found(own, used, cx)).collect();
    if found.is_empty() {
        // Which files include a header whose `using namespace` counts everywhere is not known.
        let wide = if is_global(cx.document, used.idx) { &[] } else { cx.project.shared_by_all() };
        let may_be_meant = |own: &OwnName| wide.contains(&own.path) && fits(own, used, cx);
        return if names.iter().filter(is_new).any(may_be_meant) { Ownership::Undecided } else { Ownership::Cuda };
    }
    let is_elsewhere = |own: &OwnName| own.file != cx.document.file().path;
    let sites: Vec<Site> = found.iter().filter(|own| is_elsewhere(own)).map(|own| own.site).collect();
    let is_in_header = sites.contains(&Site::Prototype);
    let has_prototype =
        is_in_header || cx.facts.declared.all(text).iter().any(|own| own.kind == Declaration::Prototype);
    // What this file defines behind the use is what the prototype of a header declares.
    let is_defined_here = || found.iter().any(|own| own.site == Site::Source && !is_elsewhere(own));
    let is_defined = sites.contains(&Site::Source) || is_in_header && is_defined_here();
    if found.iter().any(|own| own.site == Site::Alternative && is_elsewhere(own)) {
        return Ownership::Undecided;
    }
    let is_seen = || found.iter().any(|own| own.site == Site::Header && own.is_seen_by(file) == Some(true));
    match (sites.contains(&Site::Header), is_defined) {
        (true, _) if is_seen() => Ownership::Own(Owner::Project),
        (false, true) if has_prototype => Ownership::Own(Owner::Project),
        (true, _) | (false, true) => Ownership::Undecided,
        (false, false) => Ownership::Cuda,
    }
}

/// Whether a use looks for a name where another file declares it, with as many arguments.
fn is_found<'c>(own: &OwnName, used: &Use<'c>, cx: &'c Context<'_>) -> bool {
    let (document, idx) = (cx.document, used.idx);
    let is_reached = if is_global(document, idx) {
        own.path.is_empty()
    } else {
        used.searched(cx).contains(&own.path) || used.shares(&own.path, cx)
    };
    is_reached && fits(own, used, cx)
}

/// Whether a use has as many arguments as a declaration of another file takes.
fn fits(own: &OwnName, used: &Use<'_>, cx: &Context<'_>) -> bool {
    let count = argument_count(cx.document, used.idx);
    own.parameters.zip(count).is_none_or(|(takes, count)| takes.take(count))
}

/// The names of CUDA's that the file declares as its own, where other files see it. A file name that is no header's keeps
/// what is `static` to itself.
pub(crate) fn own_names(cx: &Context<'_>) -> Vec<(String, OwnName)> {
    let document = cx.document;
    let is_source = is_source(&document.file().path);
    let mut found = Vec::new();
    // Where HIP has the same name, there is nothing to settle, unless a number is written in its place.
    let is_renamed = |text: &&str| {
        let mut entries = cx.table.get(text).iter().filter(|entry| entry.kind != Kind::Header);
        entries.any(|entry| !entry.hip.is_empty() && entry.hip != entry.cuda) || *text == WAVE_SIZE
    };
    for text in cx.facts.declared.iter().filter(is_renamed) {
        for own in cx.facts.declared.all(text) {
            let site = match (declares_anew(own, text, cx), is_source) {
                (true, true) => Site::Source,
                (true, false) if stub(own, text, cx).is_some() => Site::Alternative,
                (true, false) => Site::Header,
                (false, false) if own.kind == Declaration::Prototype => Site::Prototype,
                (false, _) if own.kind == Declaration::Using => Site::TakenOver,
                (false, _) => continue,
            };
            let is_left_out = is_for_hip(own.token, cx)
                || cx.is_for_cuda_alone(own.token)
                || is_source && is_static(document, own.token)
                || is_member_defined_outside(document, own);
            let path = match place(own, cx) {
                Place::Named(path) => path,
                // Macros are for those who include their file.
                Place::Local(_) if own.kind == Declaration::Macro && !is_left_out => {
                    found.extend(redirect(own, text, cx).map(|own| (text.to_owned(), own)));
                    continue;
                }
                Place::Local(_) => continue,
            };
            if !is_left_out {
                let is_function = matches!(own.kind, Declaration::Definition | Declaration::Prototype);
                let parameters = if is_function { Parameters::of(document, own.token) } else { None };
                let file = document.file().path.clone();
                let using = (own.kind == Declaration::Using).then(|| scope_of(document, own.token));
                let takes_own = takes_own(own, cx);
                let own = OwnName { path, parameters, file, site, includers: None, using, takes_own };
                found.push((text.to_owned(), own));
            }
        }
    }
    found
}

fn is_static(document: &Document, name: TokenIdx) -> bool {
    (statement_start(document, name)..name).any(|idx| document.token_text(idx) == "static")
}

/// How the file declares a name anew, if it does.
pub(super) fn declared_anew(text: &str, cx: &Context<'_>) -> Option<Declaration> {
    let mut declared = cx.facts.declared.all(text).iter();
    declared.find(|own| !cx.table.contains(text) || declares_anew(own, text, cx)).map(|own| own.kind)
}

/// A declaration of the file that makes the name the project's own wherever it is visible. A prototype, an alias or a
/// specialisation may repeat what CUDA's headers say; what HIP compilers alone read is for the HIP build that somebody
/// wrote by hand.
fn declares_anew(own: &Own, text: &str, cx: &Context<'_>) -> bool {
    let document = cx.document;
    let is_shim = !is_for_hip(own.token, cx) && is_shim(own, text, cx);
    if is_shim || stub(own, text, cx) == Some(Stub::Renamed) {
        return false;
    }
    let names_type = || cx.table.get(text).iter().any(|entry| entry.kind == Kind::Type);
    match own.kind {
        Declaration::Prototype => match place(own, cx) {
            Place::Named(path) => !path.is_empty(),
            Place::Local(_) => !repeats_in_block(own.token, text, cx),
        },
        Declaration::Alias => is_for_hip(own.token, cx) || !names_type() || !place(own, cx).is_global(),
        Declaration::Definition => {
            // A function about lanes is written anew where it is called, so that no overload of it gets HIP's name.
            let is_renamed = || !is_warp_function(text);
            let overloads = || overloads(document, own.token) || passes_on(own.token, cx);
            let is_beside = specialises(document, own.token) || is_renamed() && overloads();
            !is_beside || !place(own, cx).is_global()
        }
        Declaration::Using => !from_cuda(document, own.token, cx),
        // `extern const int warpSize;` is CUDA's own once more, for editors.
        Declaration::Variable => text != WAVE_SIZE || !is_extern(document, own.token),
        Declaration::Macro => true,
    }
}

fn is_extern(document: &Document, name: TokenIdx) -> bool {
    document.token_text(statement_start(document, name)) == "extern" && !document.is(name + 1, b'=')
}

/// Whether what declares a function within a body says what CUDA's headers say, with one of their types, or is a call behind a
/// macro of the file.
fn repeats_in_block(name: TokenIdx, text: &str, cx: &Context<'_>) -> bool {
    let document = cx.document;
    let is_macro = |word: &str| cx.facts.declared.get(word) == Some(Declaration::Macro);
    if document.before(name).is_some_and(|before| is_macro(document.token_text(before))) {
        return true;
    }
    let has_kind = |word: &str, kind: Kind| cx.table.get(word).iter().any(|entry| entry.kind == kind);
    has_kind(text, Kind::Function)
        && (statement_start(document, name)..name).any(|idx| has_kind(document.token_text(idx), Kind::Type))
}

/// `template <> T name<…>(…) { … }`
fn specialises(document: &Document, name: TokenIdx) -> bool {
    let start = statement_start(document, name);
    is_template(document, name) && document.is(start + 1, b'<') && document.is(start + 2, b'>')
}

/// Whether a function without a template takes a reference, as none of CUDA's C functions does: it stands beside CUDA's, and has to
/// be called as that is.
fn overloads(document: &Document, name: TokenIdx) -> bool {
    let Some(call) = Call::at(document, name).filter(|_| !is_template(document, name)) else { return false };
    (call.open + 1..call.close).any(|idx| {
        let names =
            document.kind(idx + 1) == Some(TokenKind::Ident) || document.is(idx + 1, b',') || idx + 1 == call.close;
        document.is(idx, b'&') && names && !document.is(idx - 1, b'=')
    })
}

/// Whether the use at `idx` is a call of its namesake within the function at `name`, with other arguments than the function got.
fn calls_other(name: TokenIdx, idx: TokenIdx, cx: &Context<'_>) -> bool {
    let document = cx.document;
    // Heads of the same function in several branches call nothing.
    if cx.facts.declared.at(idx).is_some() {
        return false;
    }
    let body = cx.facts.functions.holding(name).filter(|found| found.name == Some(name)).map(|found| &found.body);
    let is_within = body.is_some_and(|body| body.contains(&idx));
    let calls = if is_within { Call::at(document, name).zip(Call::at(document, idx)) } else { None };
    calls.is_some_and(|(head, call)| {
        head.arguments.len() == call.arguments.len() && !passes_parameters(document, &head, &call)
    })
}

/// Whether a function calls a namesake with other arguments: an overload beside CUDA's function, which both get HIP's name.
fn passes_on(name: TokenIdx, cx: &Context<'_>) -> bool {
    let document = cx.document;
    if is_template(document, name) {
        return false;
    }
    if let Some(&known) = cx.passing_on.borrow().get(&name) {
        return known;
    }
    let body =
        cx.facts.functions.holding(name).filter(|found| found.name == Some(name)).map(|found| found.body.clone());
    let found = body.is_some_and(|body| {
        let is_free = |idx: TokenIdx| matches!(role(document, idx), Role::Free);
        words_in(document, &document.name(name), body).any(|idx| is_free(idx) && calls_other(name, idx, cx))
    });
    cx.passing_on.borrow_mut().insert(name, found);
    found
}

/// Whether a declaration is what a use means.
enum Reach {
    Yes,
    No,
    Perhaps,
}

/// A use of a name, and the paths of the scopes in which it is looked for, once they were asked for.
struct Use<'c> {
    idx: TokenIdx,
    searched: OnceCell<Searched<'c>>,
}

impl<'c> Use<'c> {
    fn searched(&self, cx: &'c Context<'_>) -> &Searched<'c> {
        self.searched.get_or_init(|| cx.facts.scopes(cx.document).searched_at(cx.document, self.idx))
    }

    /// Whether headers bring a namespace into view in those where the use looks.
    fn shares(&self, path: &str, cx: &'c Context<'_>) -> bool {
        let searched = self.searched(cx);
        let is_shared = |inner: &str| {
            let scopes = cx.sharing_scopes().get(inner);
            scopes.is_some_and(|scopes| scopes.iter().any(|scope| searched.contains(scope)))
        };
        let mut parts = path.match_indices("::").map(|(at, sign)| (&path[..at], &path[at + sign.len()..]));
        is_shared(path) || parts.any(|(outer, inner)| is_shared(inner) && searched.contains(outer))
    }
}

/// The declarations that make a name the project's own, found once for each name.
fn declared_places(text: &str, cx: &Context<'_>) -> Rc<AllAnew> {
    if let Some(known) = cx.declared_places.borrow().get(text) {
        return Rc::clone(known);
    }
    let (mut all, mut parts) = (AllAnew::default(), Vec::new());
    for own in cx.facts.declared.all(text).iter().filter(|own| declares_anew(own, text, cx)) {
        let (number, place) = (all.list.len(), place(own, cx));
        let is_in_macro = cx.document.directive_of(own.token).is_some();
        all.by_token.insert(own.token, number);
        match &place {
            Place::Named(path) if !is_in_macro => all.by_path.entry(path.clone()).or_default().push(number),
            Place::Local(part) if !is_in_macro => {
                all.locals.push(number);
                parts.push(part.clone());
            }
            _ => all.others.push(number),
        }
        all.list.push(Anew { own: *own, place, is_in_macro });
    }
    all.parts = TokenRanges::of(parts.into_iter());
    let all = Rc::new(all);
    cx.declared_places.borrow_mut().insert(text.to_owned(), Rc::clone(&all));
    all
}

/// The numbers of the declarations that a use may mean, in their order. Where thousands of functions or classes declare a name, only
/// those are asked in which the use looks.
fn candidates<'a, 'c: 'a>(
    all: &'a AllAnew,
    used: &Use<'c>,
    cx: &'c Context<'_>,
) -> Box<dyn Iterator<Item = usize> + 'a> {
    let is_few = all.list.len() < 16;
    let asks_all = is_few || used.searched(cx).most() >= all.by_path.len();
    if is_few || asks_all && all.locals.is_empty() {
        return Box::new(0..all.list.len());
    }
    let named: Vec<usize> = if asks_all {
        all.by_path.values().flatten().copied().collect()
    } else {
        let paths = used.searched(cx).paths();
        paths.filter_map(|path| all.by_path.get(&path)).flatten().copied().collect()
    };
    let held = all.parts.holding(used.idx).into_iter().map(|part| all.locals[part]);
    let mut numbers: Vec<usize> = named.into_iter().chain(held).chain(all.others.iter().copied()).collect();
    numbers.sort_unstable();
    numbers.dedup();
    Box::new(numbers.into_iter())
}

/// The scope in which a declaration stands; a macro is visible up to its `#undef`.
fn place(own: &Own, cx: &Context<'_>) -> Place {
    let document = cx.document;
    if own.kind == Declaration::Macro {
        return Place::Local(own.token..end_of_macro(own.token, document).unwrap_or(document.tokens().len()));
    }
    cx.facts.scopes(document).place_of(document, own.token)
}

fn reaches<'c>(anew: &Anew, used: &Use<'c>, cx: &'c Context<'_>) -> Reach {
    let (document, idx) = (cx.document, used.idx);
    let Anew { own, place, is_in_macro } = anew;
    let is_macro = own.kind == Declaration::Macro;
    let is_found = if is_global(document, idx) && !is_macro {
        place.is_global()
    } else {
        Scopes::reaches(place, idx, used.searched(cx))
    };
    // Most of what thousands of scopes declare is not found: no more is asked about it.
    let may_be_used = || *is_in_macro && own.kind == Declaration::Variable;
    if !is_found && !may_be_used() {
        return Reach::No;
    }
    let is_not_replaced =
        is_macro && (self::is_in_macro(&document.name(idx), idx, document) || !is_replaced(own, idx, document));
    if is_not_replaced || is_hidden(own, idx, cx) || names_type_beside(own, idx, document) {
        return Reach::No;
    }
    if is_member_defined_outside(document, own) {
        return Reach::No;
    }
    if !is_found && declares_where_it_is_used(own, idx, cx) {
        return Reach::Perhaps;
    }
    if !is_found || !is_declared_before(own, place, idx, cx) {
        return Reach::No;
    }
    if is_macro {
        return match is_surely_defined(own, idx, cx) {
            Some(true) => Reach::Yes,
            Some(false) => Reach::No,
            None => Reach::Perhaps,
        };
    }
    // A branch that nvcc may not read: for editors, or for other compilers.
    if own.kind == Declaration::Variable && document.token_text(own.token) == WAVE_SIZE {
        return is_surely_defined(own, idx, cx)
            .map_or(Reach::Perhaps, |is_there| if is_there { Reach::Yes } else { Reach::No });
    }
    // What a block declares hides all that is around it.
    let may_overload = matches!((own.kind, place), (Declaration::Definition | Declaration::Prototype, Place::Named(_)));
    if !may_overload {
        return Reach::Yes;
    }
    // An overload hides nothing of another signature, if it stands beside CUDA's in the global scope.
    let (parameters, count) = (Parameters::of(document, own.token), argument_count(document, idx));
    let takes = parameters.zip(count).map(|(parameters, count)| parameters.take(count));
    let takes_class = if takes == Some(true) && place.is_global() { takes_class(own, idx, cx) } else { None };
    match (parameters, count) {
        _ if takes == Some(false) || takes_class == Some(false) => Reach::No,
        _ if takes_class == Some(true) => Reach::Yes,
        (Some(_), Some(_)) if place.is_global() && (is_template(document, own.token) || is_overloaded(own, cx)) => {
            Reach::Perhaps
        }
        // Look-up by the types of the arguments finds CUDA's as well.
        (Some(_), Some(_)) if calls_other(own.token, idx, cx) && !cx.facts.scopes(document).is_in_class(own.token) => {
            Reach::Perhaps
        }
        _ => Reach::Yes,
    }
}

/// Whether a macro declares the name outside of its own braces, and is used before `idx` in a scope that is visible there.
fn declares_where_it_is_used(own: &Own, idx: TokenIdx, cx: &Context<'_>) -> bool {
    let document = cx.document;
    let define = document.directive_of(own.token).and_then(|directive| MacroDefinition::of(document, directive));
    let Some(define) = define.filter(|define| own.kind == Declaration::Variable && define.body.contains(&own.token))
    else {
        return false;
    };
    let is_within = |at: TokenIdx| document.partner(at).is_some_and(|close| (at..close).contains(&own.token));
    if document.directive_of(idx).is_some() || define.body.clone().any(is_within) {
        return false;
    }
    let scopes = cx.facts.scopes(document);
    let mut uses = words(document, document.token_text(define.name)).filter(|&at| define.body.end <= at && at < idx);
    uses.any(|at| Scopes::reaches(&scopes.place_of(document, at), idx, &scopes.searched_at(document, idx)))
}

/// Whether the name is declared before a use, by this declaration or another of the same scope; in a class, the order
/// does not matter.
fn is_declared_before(own: &Own, place: &Place, idx: TokenIdx, cx: &Context<'_>) -> bool {
    let document = cx.document;
    if own.token <= idx || cx.facts.scopes(document).is_in_class(own.token) {
        return true;
    }
    let all = cx.facts.declared.all(&document.name(own.token)).iter();
    let mut earlier = all.filter(|other| other.token <= idx && other.kind != Declaration::Macro);
    earlier.any(|other| self::place(other, cx) == *place)
}

/// Whether a declaration is in code that the compiler of a use never reads: a branch for HIP compilers alone, whose
/// names CUDA's code never sees, or one that a build for HIP leaves out.
fn is_hidden(own: &Own, used: TokenIdx, cx: &Context<'_>) -> bool {
    // HIP's headers have it, and CUDA's meaning is what code behind it counts on.
    if is_left_to_headers(own.token, cx) {
        return true;
    }
    let is_one_sided = |idx: TokenIdx| is_for_hip(idx, cx) || cx.is_for_cuda_alone(idx);
    if !is_one_sided(own.token) {
        return false;
    }
    // Each of two branches may declare the name, so that code behind them finds it on either side.
    let name = cx.document.name(own.token);
    let mut others = cx.facts.declared.all(&name).iter();
    if others.any(|other| is_for_hip(other.token, cx) != is_for_hip(own.token, cx)) {
        return false;
    }
    if is_for_hip(own.token, cx) {
        return !is_for_hip(used, cx);
    }
    cx.blocks_for_cuda().iter().any(|block| block.contains(&own.token) && !block.contains(&used))
}

/// Whether CUDA has a set of overloads of the name, one for each type, to which a function of the project adds another.
fn is_overloaded(own: &Own, cx: &Context<'_>) -> bool {
    cx.table.get(&cx.document.name(own.token)).iter().any(Entry::has_overloads)
}
