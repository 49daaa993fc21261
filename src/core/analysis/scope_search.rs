//! Where a name is looked for that stands without a qualifier. A file may bring thousands of namespaces into view and look for
//! thousands of names, so that each question takes no time for all of them.

use rustc_hash::FxHashMap;

use crate::syntax::TokenIdx;

/// The namespaces and classes in which a name is looked for at a token.
#[derive(Debug)]
pub struct Searched<'s> {
    used: &'s UsedScopes,
    idx: TokenIdx,
    /// The numbers of the scopes that hold the token.
    holding: Vec<usize>,
    /// The paths of the scopes around, from the global one on.
    around: Vec<String>,
    /// Paths of classes, each of which may start at any of the scopes around.
    classes: Vec<String>,
    /// Those of `classes` that the names of functions name.
    qualifiers: Vec<String>,
}

impl<'s> Searched<'s> {
    /// At the token `idx`, which the scopes of the numbers `holding` hold.
    pub(super) fn new(
        used: &'s UsedScopes,
        (idx, holding): (TokenIdx, Vec<usize>),
        around: Vec<String>,
        (classes, qualifiers): (Vec<String>, Vec<String>),
    ) -> Searched<'s> {
        Searched { used, idx, holding, around, classes, qualifiers }
    }

    /// Whether the scope with this path is among them.
    pub fn contains(&self, path: &str) -> bool {
        let is_behind = |outer: &String| within(outer, path).is_some_and(|inner| self.is_used(inner));
        self.around.iter().any(|outer| outer == path || is_behind(outer))
    }

    /// The paths of all of them; some may come twice.
    pub fn paths(&self) -> impl Iterator<Item = String> {
        let used = self.used.paths().filter(|path| self.is_used(path));
        let inner: Vec<&str> = self.classes.iter().map(String::as_str).chain(used).collect();
        let behind = move |outer: &String| inner.iter().map(|path| joined(outer, path)).collect::<Vec<_>>();
        self.around.iter().cloned().chain(self.around.iter().flat_map(behind))
    }

    /// No more paths than this are among them.
    pub fn most(&self) -> usize {
        self.around.len() * (1 + self.classes.len() + self.used.by_path.len())
    }

    /// Whether a scope is brought into view by its path from one of those around.
    fn is_used(&self, path: &str) -> bool {
        self.classes.iter().any(|class| class == path) || self.is_used_at(path)
    }

    /// Whether a `using namespace` or `using enum` of this path is seen.
    pub(super) fn is_used_at(&self, path: &str) -> bool {
        let Some(first) = self.used.by_path.get(path) else { return false };
        let is_before = |using: &TokenIdx| *using < self.idx;
        let is_seen_in = |namespace: &str| first.namespaces.get(namespace).is_some_and(is_before);
        first.everywhere.as_ref().is_some_and(is_before)
            || self.holding.iter().any(|scope| first.within.get(scope).is_some_and(is_before))
            || !first.namespaces.is_empty() && self.namespaces().any(|namespace| is_seen_in(&namespace))
    }

    /// The paths of the namespaces around, and of those that the name of the function has which is defined.
    fn namespaces(&self) -> impl Iterator<Item = String> {
        let qualified = self.qualifiers.iter().flat_map(|inner| self.around.iter().map(|outer| joined(outer, inner)));
        self.around.iter().cloned().chain(qualified)
    }
}

/// A path that goes on in another one.
pub fn joined(outer: &str, inner: &str) -> String {
    if outer.is_empty() { inner.to_owned() } else { format!("{outer}::{inner}") }
}

/// What follows in `path` on that of a scope around.
fn within<'p>(outer: &str, path: &'p str) -> Option<&'p str> {
    if outer.is_empty() { Some(path) } else { path.strip_prefix(outer)?.strip_prefix("::") }
}

/// The first `using namespace` or `using enum` of one path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct FirstUse {
    /// Of those that count for all of the file behind them.
    everywhere: Option<TokenIdx>,
    /// Of those within namespaces, by their paths.
    namespaces: FxHashMap<String, TokenIdx>,
    /// Of those within classes and blocks, by their numbers.
    within: FxHashMap<usize, TokenIdx>,
}

/// For which code a `using namespace` or `using enum` counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum UsedIn {
    /// All of the file behind it.
    File,
    /// What is behind it in the namespace of this path, wherever that is opened.
    Namespace(String),
    /// What is behind it in the class or block of this number.
    Scope(usize),
}

/// What a file brings into view by `using namespace` and `using enum`, by the paths.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct UsedScopes {
    by_path: FxHashMap<String, FirstUse>,
}

impl UsedScopes {
    /// Adds one that stands at `using`. They come in the order of the text.
    pub(super) fn add(&mut self, path: String, using: TokenIdx, used_in: UsedIn) {
        let first = self.by_path.entry(path).or_default();
        match used_in {
            UsedIn::File => _ = first.everywhere.get_or_insert(using),
            UsedIn::Namespace(namespace) => _ = first.namespaces.entry(namespace).or_insert(using),
            UsedIn::Scope(scope) => _ = first.within.entry(scope).or_insert(using),
        }
    }

    /// What a namespace brings into view counts for all of the file if a directive anywhere brings that namespace into view: more
    /// than C++ says where that directive stands in a function, which no code is known to depend on.
    pub(super) fn settle(&mut self) {
        let is_suffix_used = |namespace: &String| {
            let inner = std::iter::successors(Some(namespace.as_str()), |path| Some(path.split_once("::")?.1));
            inner.into_iter().any(|path| self.by_path.contains_key(path))
        };
        let passed_on = |first: &FirstUse| {
            first.namespaces.iter().filter(|(path, _)| is_suffix_used(path)).map(|(_, &at)| at).min()
        };
        let found: Vec<_> =
            self.by_path.iter().filter_map(|(path, first)| Some((path.clone(), passed_on(first)?))).collect();
        for (path, using) in found {
            let Some(first) = self.by_path.get_mut(&path) else { continue };
            first.everywhere = Some(first.everywhere.map_or(using, |before| before.min(using)));
        }
    }

    /// The paths, in no order.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.by_path.keys().map(String::as_str)
    }
}
