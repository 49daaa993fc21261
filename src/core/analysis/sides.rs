//! Which side a place in the code is compiled for: host, device, or both.

use std::ops::Range;

use rustc_hash::FxHashSet;

use super::conditions::{Branch, Chain};
use super::declaring::Declaration;
use super::facts::Facts;
use super::functions::Function;
use super::heads::template_head_end;
use crate::source::Spans;
use crate::syntax::{Document, TokenIdx, TokenKind, words};

/// The side that code is compiled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The host only.
    Host,
    /// The device only.
    Device,
    /// Host and device.
    Both,
}

/// Macros that tell the passes of a compiler apart.
const PASS_MACROS: &[&str] =
    &["__CUDA_ARCH__", "__CUDACC__", "__CUDABE__", "__HIP_DEVICE_COMPILE__", "__HIPCC__", "__NVCC__", "__clang__"];

/// The function around the token `idx` and the side that the place is compiled for. `None` where
/// that cannot be said: in macros, behind an `#if`, in a lambda or class with an execution space of
/// its own, or where a macro may hide the specifiers.
pub fn side_of<'f>(document: &Document, facts: &'f Facts, idx: TokenIdx) -> Option<(&'f Function, Side)> {
    let function = facts.functions.around(idx)?;
    if document.directive_of(idx).is_some()
        || depends_on_pass(document, facts, function, idx)
        // A lambda or a member of a local class has specifiers of its own.
        || facts.blocks(document).specified_around(idx).is_some_and(|open| open > function.body.start)
    {
        return None;
    }
    let side = match (function.is_kernel, function.is_device, function.is_host) {
        (true, ..) | (_, true, false) => Side::Device,
        (_, true, true) => Side::Both,
        _ if is_surely_host(document, facts, function) => Side::Host,
        _ => return None,
    };
    Some((function, side))
}

/// Whether the compiler emits a function whether or not anything calls it: it is no template, not
/// `inline` or `static`, and no member defined in its class.
pub fn is_always_emitted(document: &Document, facts: &Facts, function: &Function) -> bool {
    const ON_DEMAND: &[&str] = &["template", "inline", "static", "constexpr", "__forceinline__", "__inline__"];
    let on_demand = function.head.clone().any(|idx| ON_DEMAND.contains(&document.token_text(idx)));
    !on_demand && !facts.blocks(document).is_in_class(function.head.start)
}

/// Whether code of the file that is compiled for the host calls the function, or calls what calls it.
pub fn is_called_on_host(document: &Document, facts: &Facts, function: &Function) -> bool {
    let mut waiting: Vec<TokenIdx> = function.name.into_iter().collect();
    let mut seen: FxHashSet<&str> = waiting.iter().map(|&name| document.token_text(name)).collect();
    while let Some(name) = waiting.pop() {
        let calls = words(document, document.token_text(name)).filter(|&idx| idx != name);
        for caller in calls.filter_map(|idx| facts.functions.around(idx)) {
            let is_host = !caller.runs_on_device() || caller.is_host && is_always_emitted(document, facts, caller);
            if is_host {
                return true;
            }
            let Some(outer) = caller.name.filter(|_| caller.is_host) else { continue };
            if seen.insert(document.token_text(outer)) {
                waiting.push(outer);
            }
        }
    }
    false
}

/// Whether a branch that starts within the function, or whose condition names a macro of the
/// passes, holds the place.
fn depends_on_pass(document: &Document, facts: &Facts, function: &Function, idx: TokenIdx) -> bool {
    let starts_within = || facts.conditions.opener_around(idx).is_some_and(|opener| opener > function.head.start);
    facts.of_passes.get_or_init(|| of_passes(document, facts)).contains(idx) || starts_within()
}

/// The branches whose condition, or that of the `#if` before them, names a macro of the passes.
fn of_passes(document: &Document, facts: &Facts) -> Spans<TokenIdx> {
    let names_pass = |branch: &Branch| {
        let mut words = branch.condition.iter().flat_map(|condition| condition.tokens.clone());
        words.any(|token| PASS_MACROS.contains(&document.token_text(token)))
    };
    let of_chain = |chain: &Chain| -> Vec<Range<TokenIdx>> {
        let all = chain.branches.first().is_some_and(names_pass);
        let branches = chain.branches.iter().filter(|branch| all || names_pass(branch));
        branches.map(|branch| branch.body.clone()).collect()
    };
    facts.conditions.chains().iter().flat_map(of_chain).collect()
}

/// Whether no word before the name of a function may be a macro with `__device__` in it.
pub fn is_surely_host(document: &Document, facts: &Facts, function: &Function) -> bool {
    const HARMLESS: &[&str] =
        &["__inline__", "__inline", "__attribute__", "__restrict__", "__host__", "__forceinline__"];
    let Some(name) = function.name else { return false };
    // The last word before the name of a function is its type, `__half` say; constructors have none.
    let has_type = !facts.blocks(document).is_in_class(function.head.start);
    // Parameters of a template are often spelt like macros.
    let is_template = document.token_text(function.head.start) == "template";
    let start =
        if is_template { template_head_end(document, function.head.start + 1, name) } else { function.head.start };
    (start..name).all(|idx| {
        let word = document.token_text(idx);
        let is_shouted =
            word.len() > 2 && word.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_');
        let is_type = has_type && (idx + 1..name).all(|after| document.is(after, b'*') || document.is(after, b'&'));
        let is_reserved = word.starts_with("__") && !HARMLESS.contains(&word) && !is_type;
        let is_both = matches!(word, "constexpr" | "consteval");
        // `CLASS::function` is a name.
        let is_shouted = is_shouted && document.token(idx + 1).is_some_and(|next| next.kind != TokenKind::PathSep);
        !(is_shouted || is_reserved || is_both || facts.declared.get(word) == Some(Declaration::Macro))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceFile;

    #[track_caller]
    fn check(text: &str, expected: Option<Side>) {
        let document = Document::new(SourceFile::from_text("a.cu", text));
        let facts = Facts::of(&document);
        let mark = document.token_at(u32::try_from(text.find("mark").unwrap()).unwrap().into());
        assert_eq!(side_of(&document, &facts, mark).map(|(_, side)| side), expected, "{text}");
    }

    #[test]
    fn specifiers_tell_the_side() {
        check("__global__ void k() { mark; }", Some(Side::Device));
        check("static __device__ float f() { if (x) { mark; } }", Some(Side::Device));
        check("__host__ __device__ float f() { mark; }", Some(Side::Both));
        check("#define both __host__ __device__\nboth float f() { mark; }", Some(Side::Both));
        check("float f() { mark; }", Some(Side::Host));
        check("static __half f() { mark; }", Some(Side::Host));
        check("__half2 *f() { mark; }", Some(Side::Host));
        check("float CLASS::f() { mark; }", Some(Side::Host));
    }

    #[test]
    fn what_may_hide_the_side_is_left_open() {
        check("HOST_DEVICE float f() { mark; }", None);
        check("__both__ float f() { mark; }", None);
        check("struct S { __both__ S() { mark; } };", None);
        check("constexpr float f() { mark; }", None);
        check("void f() { g([=] __device__ (int i) { mark; }); }", None);
        check("void f() { struct S { __device__ void g() { mark; } }; }", None);
        check("__host__ __device__ void f() {\n#ifdef __CUDA_ARCH__\nmark;\n#endif\n}", None);
        check("#ifdef __CUDA_ARCH__\nvoid f() { mark; }\n#endif\n", None);
        check("#ifndef GUARD_H\n#define GUARD_H\nvoid f() { mark; }\n#endif\n", Some(Side::Host));
    }

    #[test]
    fn inline_functions_are_emitted_on_demand() {
        let emitted = |text: &str| {
            let document = Document::new(SourceFile::from_text("a.cu", text));
            let facts = Facts::of(&document);
            facts.functions.iter().map(|function| is_always_emitted(&document, &facts, function)).collect::<Vec<_>>()
        };
        assert_eq!(emitted("int f() {} namespace n { int g() {} }"), [true, true]);
        assert_eq!(emitted("inline int f() {} template <class T> int g() {} struct S { int h() {} };"), [false; 3]);
    }
}
