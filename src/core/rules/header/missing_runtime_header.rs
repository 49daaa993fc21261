//! Files that use HIP without including its runtime header.

use camino::Utf8Path;
use rustc_hash::FxHashSet;

use super::early_macro::early_macro;
use super::gpu_branches::{WITH_HEADERS, expanded_by_gpu_compilers_alone, read_by_gpu_compilers_alone};
use super::helpers::hip_header;
use super::place::for_first_include;
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::rules::context::Context;
use crate::rules::kernel::emulated;
use crate::rules::meaning::Meaning;
use crate::rules::query::{Files, Name, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;
use crate::syntax::{Document, Include, TokenIdx, TokenKind, words, words_among};

declare_rule! {
    /// ## What it does
    /// Finds files that use names of CUDA's runtime or device code without including a header
    /// that provides them.
    ///
    /// ## Why is this bad?
    /// nvcc includes its runtime header into every file; HIP compilers include nothing, so the
    /// file does not compile.
    ///
    /// ## Example
    /// ```cuda
    /// __global__ void fill(int* out) { out[threadIdx.x] = 1; }
    /// ```
    /// Use instead:
    /// ```hip
    /// #include <hip/hip_runtime.h>
    /// __global__ void fill(int* out) { out[threadIdx.x] = 1; }
    /// ```
    ///
    /// ## Fix safety
    /// Safe. The include is put before the first other include, else behind the include guard or
    /// `#pragma once`, else behind the comments that open the file. There is none for a file that another one includes within
    /// brackets: the include belongs into that one. A finding says so where that one does not get it.
    ///
    /// In a header whose device code stands in `#ifdef __CUDACC__` and the like, or in macros alone, the include does so, too: other
    /// compilers, which may not know where HIP's headers are, go on reading the header without them. Nor does a file need it for
    /// handles that it declares itself, as `typedef struct CUstream_st* cudaStream_t;` does.
    MissingRuntimeHeader { code: "H004", name: "missing-runtime-header", severity: Hint, fix: Sometimes, since: "0.1.0" }
}

pub(super) const RUNTIME: &str = "hip/hip_runtime.h";

/// Specifiers and variables that make a file device code.
const DEVICE_WORDS: &[&str] = &[
    "__global__",
    "__device__",
    "__shared__",
    "__constant__",
    "__managed__",
    "threadIdx",
    "blockIdx",
    "blockDim",
    "gridDim",
];

impl Rule for MissingRuntimeHeader {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check<'d>(_: WholeFile, cx: &mut Context<'d>) {
        let Some(first_use) = first_use(cx).filter(|_| !provides_runtime(cx)) else { return };
        let document = cx.document;
        if let Some(includer) = cx.project.fragments.get(&document.file().path) {
            tell_includer(first_use, includer.as_deref(), cx);
            return;
        }
        let at = for_first_include(document, first_use);
        let early = early_macro(document, first_use).filter(|found| found.place < at);
        let at = early.map_or(at, |found| found.place);
        let fix = Fix::safe(format!("include `{RUNTIME}`"), vec![Edit::insert(at, lines(cx))]);
        let Some(token) = document.token(first_use) else { return };
        cx.report(token.range(), format!("the file uses HIP but does not include `{RUNTIME}`")).fix(fix);
    }
}

/// The include, for compilers of HIP alone where no other one reads a use, and for those that have HIP's headers where macros alone use
/// them.
fn lines(cx: &Context<'_>) -> String {
    let document = cx.document;
    let all = || uses(cx).into_iter().flatten();
    let guard = match (read_by_gpu_compilers_alone(all(), cx), expanded_by_gpu_compilers_alone(all(), cx)) {
        (true, _) => Some("#ifdef __HIPCC__"),
        (_, true) => Some(WITH_HEADERS),
        _ => None,
    };
    let include = format!("#include <{RUNTIME}>");
    let lines = guard.map_or_else(|| vec![&*include], |guard| vec![guard, &include, "#endif"]);
    lines.iter().flat_map(|line| [line, document.file().newline.as_str()]).collect()
}

/// Reports a file that is included where no include can stand.
fn tell_includer(first_use: TokenIdx, includer: Option<&Utf8Path>, cx: &mut Context<'_>) {
    let Some((includer, token)) = includer.zip(cx.document.token(first_use)) else { return };
    let message = format!("the file uses HIP, and `{includer}` includes it within brackets without `{RUNTIME}`");
    let finding = cx.report(token.range(), message).severity(Severity::Warning);
    finding.note(format!("include `{RUNTIME}` at the start of `{includer}`"));
}

/// Whether other files include this one within brackets, where no include can stand.
pub(super) fn is_fragment(cx: &Context<'_>) -> bool {
    cx.project.fragments.contains_key(&cx.document.file().path)
}

/// The first include of a file with CUDA within brackets; nvcc alone gives it the runtime header.
fn first_fragment(cx: &Context<'_>) -> Option<TokenIdx> {
    let is_for_nvcc = matches!(cx.document.file().path.extension(), Some("cu" | "cuh"));
    if !is_for_nvcc || cx.project.fragments.is_empty() || is_fragment(cx) {
        return None;
    }
    let is_it =
        |path: &str| cx.project.fragments.keys().any(|fragment| fragment.ends_with(path.trim_start_matches("../")));
    let mut includes = cx.document.includes().filter(|include| include.quoted && is_it(include.path));
    includes.next().map(|include| include.directive.tokens.start)
}

/// Whether the file needs the runtime header and does not include it.
pub(in crate::rules) fn lacks_runtime(cx: &Context<'_>) -> bool {
    !is_fragment(cx) && first_use(cx).is_some() && !provides_runtime(cx)
}

/// The first token that needs the runtime header.
fn first_use(cx: &Context<'_>) -> Option<TokenIdx> {
    uses(cx).iter_mut().filter_map(Iterator::next).min()
}

/// The tokens that need the runtime header by their kinds, each in the order of the text and looked for when it is asked for.
fn uses<'a>(cx: &'a Context<'_>) -> [Box<dyn Iterator<Item = TokenIdx> + 'a>; 4] {
    let needs = |name: &Name<'_>| match name.meaning {
        Meaning::Renamed(_, entry) | Meaning::Same(entry) => matches!(entry.library, "runtime" | "driver" | "device"),
        _ => emulated(name, cx).is_some(),
    };
    let own = forward_declared(cx.document);
    let is_own = move |name: &Name<'_>| own.contains(cx.document.token_text(name.token));
    let names = cx.names.iter().filter(move |name| needs(name) && !is_own(name)).map(|name| name.token);
    let launches = cx.document.launches().iter().map(|launch| launch.callee.start);
    let in_code = |idx: &TokenIdx| cx.document.directive_of(*idx).is_none_or(|d| !d.kind.has_condition());
    let words = words_among(cx.document, DEVICE_WORDS).into_iter().filter(in_code);
    let is_read = move |idx: &TokenIdx| cx.document.token(*idx).is_some_and(|token| !cx.skips(token.range().start()));
    [
        Box::new(names.filter(is_read)),
        Box::new(launches.filter(is_read)),
        Box::new(words.filter(is_read)),
        Box::new(first_fragment(cx).into_iter()),
    ]
}

/// The handles and their opaque structures that the file declares itself, to do without the header: `typedef struct CUstream_st*
/// cudaStream_t;`, `using cudaStream_t = struct CUstream_st*;`, `struct CUstream_st;`.
fn forward_declared(document: &Document) -> FxHashSet<&str> {
    let mut found = FxHashSet::default();
    let is_opaque = |name: &str| name.starts_with("CU") && name.ends_with("_st");
    for keyword in words(document, "struct").filter(|keyword| is_opaque(document.token_text(keyword + 1))) {
        let (name, behind) = (keyword + 1, keyword + 2);
        let is_pointer = document.is(behind, b'*');
        let before = |count: usize| keyword.checked_sub(count).map_or("", |idx| document.token_text(idx));
        let handle = match (before(1), before(3)) {
            ("typedef", _) if is_pointer && document.is(behind + 2, b';') => Some(behind + 1),
            ("=", "using") if is_pointer && document.is(behind + 1, b';') => Some(keyword - 2),
            _ => None,
        };
        if handle.is_some() || document.is(behind, b';') {
            found.extend(handle.into_iter().chain([name]).map(|idx| document.token_text(idx)));
        }
    }
    found
}

/// Whether an include of the file becomes HIP's runtime header, or is it already.
pub(super) fn provides_runtime(cx: &Context<'_>) -> bool {
    let is_runtime =
        |include: &Include<'_>| include.path == RUNTIME || hip_header(include, cx).is_some_and(|(to, _)| to == RUNTIME);
    cx.document.includes().any(|include| is_runtime(&include) && !is_in_linkage(&include, cx))
}

/// Whether an include stands in `extern "C" { … }`, where HIP's headers have templates, and what is defined in front of it lacks them.
fn is_in_linkage(include: &Include<'_>, cx: &Context<'_>) -> bool {
    let document = cx.document;
    let open = cx.facts.blocks(document).around(include.directive.tokens.start);
    open.and_then(|open| open.checked_sub(2)).is_some_and(|keyword| {
        document.token_text(keyword) == "extern" && document.kind(keyword + 1) == Some(TokenKind::Str)
    })
}
