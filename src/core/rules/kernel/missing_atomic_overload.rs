//! Atomics on types that HIP has no overload for.

use std::ops::Range;
use std::rc::Rc;

use super::places::pointee;
use crate::analysis::{Function, is_number_type};
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::mapping::{Intrinsic, Intrinsics, RocmVersion, vector_size};
use crate::rules::context::Context;
use crate::rules::definitions::definitions;
use crate::rules::meaning::Meaning;
use crate::rules::query::{Files, Name, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::{Edit, TextRange};
use crate::syntax::{Call, Document, TokenIdx, TokenKind, start_of_postfix};

declare_rule! {
    /// ## What it does
    /// Finds `atomicAdd` on half precision and bfloat16 numbers, `float2` and `float4`, and, for releases before ROCm 7.0,
    /// `atomicCAS` on `unsigned short`, where a cast or a declaration in the function tells the type; and `atomicAdd` on
    /// what may be a half precision or bfloat16 number, in files that include the header of these.
    ///
    /// ## Why is this bad?
    /// The headers of HIP have no such overload, so the call does not compile.
    ///
    /// ## Example
    /// ```cuda
    /// #include <cuda_fp16.h>
    /// __global__ void add(__half* sum, __half x) { atomicAdd(sum, x); }
    /// ```
    /// Use instead:
    /// ```hip
    /// #include <hip/hip_fp16.h>
    /// #ifndef HIPSHIFT_ATOMIC_ADD_HALF
    /// #define HIPSHIFT_ATOMIC_ADD_HALF
    /// __device__ __forceinline__ __half2 hipshift_atomic_add_half(__half2* address, __half2 value) {
    ///     unsigned* word = (unsigned*)address;
    ///     unsigned seen, found = *(volatile unsigned*)word;
    ///     do {
    ///         seen = found;
    ///         __half2 sum = __hadd2(__builtin_bit_cast(__half2, seen), value);
    ///         found = atomicCAS(word, seen, __builtin_bit_cast(unsigned, sum));
    ///     } while (found != seen);
    ///     return __builtin_bit_cast(__half2, found);
    /// }
    /// __device__ __forceinline__ __half hipshift_atomic_add_half(__half* address, __half value) {
    ///     unsigned shift = ((size_t)address & 2) * 8;
    ///     unsigned* word = (unsigned*)((size_t)address & ~(size_t)2);
    ///     unsigned seen, found = *(volatile unsigned*)word;
    ///     do {
    ///         seen = found;
    ///         __half sum = __hadd(__builtin_bit_cast(__half, (unsigned short)(seen >> shift)), value);
    ///         unsigned bits = __builtin_bit_cast(unsigned short, sum);
    ///         found = atomicCAS(word, seen, (seen & ~(0xffffu << shift)) | bits << shift);
    ///     } while (found != seen);
    ///     return __builtin_bit_cast(__half, (unsigned short)(found >> shift));
    /// }
    /// #endif
    /// __global__ void add(__half* sum, __half x) { hipshift_atomic_add_half(sum, x); }
    /// ```
    ///
    /// ## Fix safety
    /// Safe: where the text does not show the type, as in templates, overloads for the types whose header the file includes are
    /// defined, and the call stays; overloads of the project come before these. Elsewhere `atomicAdd` becomes a loop with
    /// `atomicCAS` on the 32 bits around the number, and for a vector an atomic addition
    /// for each of its parts, which CUDA does not promise to do at once either. Where a
    /// project brings an overload of its own, the loop does the same. `atomicCAS` has no fix; it
    /// compiles if a header of the project brings an overload, so that is for information where such
    /// headers are included.
    MissingAtomicOverload { code: "K037", name: "missing-atomic-overload", severity: Error, fix: Sometimes, since: "0.1.0" }
}

/// The key of the definition in `overloads.toml` for each type that `atomicAdd` does not take.
const DEFINED: &[(&[&str], &str)] = &[
    (&["half", "__half", "half2", "__half2"], "atomic_add_half"),
    (&["__nv_bfloat16", "__nv_bfloat162", "nv_bfloat16", "nv_bfloat162"], "atomic_add_bf16"),
    (&["float2", "float4"], "atomic_add_vector"),
];

impl Rule for MissingAtomicOverload {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check<'d>(_: WholeFile, cx: &mut Context<'d>) {
        let names = Rc::clone(&cx.names);
        let uses = names.iter().filter_map(|name| missing_type(&name, cx).map(|word| (name, word)));
        let uses: Vec<_> = uses.collect();
        let may_bring_one = cx.document.includes().any(|include| include.quoted);
        let unknown = names.iter().filter(|name| overloads(name, cx).is_some()).map(|name| name.range);
        define_overloads(unknown.collect(), cx);
        for (name, word) in uses {
            let fix = definition(&name, word).map(|intrinsic| {
                let helper = intrinsic.helper();
                let mut edits = vec![Edit::replace(name.range, &*helper)];
                edits.extend(definitions(name.range.start(), cx));
                Fix::safe(format!("define and use `{helper}`"), edits)
            });
            let finding = cx.report(name.range, format!("HIP has no `{}` for `{word}`", name.text));
            match fix {
                Some(fix) => {
                    finding.severity(Severity::Info).fix(fix);
                    if !word.starts_with("float") {
                        finding.note("`unsafeAtomicAdd` is faster, where the memory is coarse-grained and HIP has it");
                    }
                }
                None if may_bring_one => {
                    let note = "the call compiles if a header of the project brings an overload";
                    finding.severity(Severity::Info).note(note);
                }
                None => {}
            }
        }
    }
}

/// The definition that stands in for a call, if HIP's function does not take its type.
pub(in crate::rules) fn overload(name: &Name<'_>, cx: &Context<'_>) -> Option<&'static Intrinsic> {
    if !cx.settings.rules.is_enabled(&MissingAtomicOverload::RULE_INFO) {
        return None;
    }
    match missing_type(name, cx) {
        Some(word) => definition(name, word),
        None => overloads(name, cx),
    }
}

fn definition(name: &Name<'_>, word: &str) -> Option<&'static Intrinsic> {
    let (_, key) = DEFINED.iter().find(|(words, _)| name.text == "atomicAdd" && words.contains(&word))?;
    Intrinsics::builtin().ok()?.get(key)
}

/// Reports the calls that may need an overload, which stay as they are.
fn define_overloads(uses: Vec<TextRange>, cx: &mut Context<'_>) {
    for range in uses {
        let edits: Vec<Edit> = definitions(range.start(), cx).into_iter().collect();
        let finding =
            cx.report(range, "HIP has no `atomicAdd` for half precision and bfloat16 numbers, which this may be");
        finding.severity(Severity::Hint).fix(Fix::safe("define overloads for them", edits));
    }
}

/// The overloads for types whose header the file includes, if the type of the number that a call adds to is not known.
fn overloads(name: &Name<'_>, cx: &Context<'_>) -> Option<&'static Intrinsic> {
    if name.text != "atomicAdd" || !matches!(name.meaning, Meaning::Same(_)) || missing_type(name, cx).is_some() {
        return None;
    }
    let includes = |part: &str| cx.document.includes().any(|include| include.path.contains(part));
    let key = match (includes("_fp16.h"), includes("_bf16.h")) {
        (true, true) => "atomic_add_short_overload",
        (true, false) => "atomic_add_half_overload",
        (false, true) => "atomic_add_bf16_overload",
        (false, false) => return None,
    };
    let function = cx.facts.functions.around(name.token)?;
    let call = Call::at(cx.document, name.token)?;
    let [address, value] = *call.arguments.as_slice() else { return None };
    let (address, value) = (cx.document.tokens_in(address), cx.document.tokens_in(value));
    // A component of a vector such as `float4` is a number that HIP has the function for.
    let is_known = pointee(cx.document, function, address.clone()).is_some_and(|word| {
        if names_member(cx.document, address) { vector_size(word).is_some() } else { is_number_type(word) }
    });
    let overloads = Intrinsics::builtin().ok()?.get(key)?;
    // The call stays as it is, and may have them already.
    let has_them = cx.facts.is_hip || cx.facts.declared.get(&overloads.guard()).is_some();
    (!is_known && !has_them && !adds_number(function, value, cx)).then_some(overloads)
}

/// Whether what is added is a number in the text, or declared as one, as what is added to a short float rarely is.
fn adds_number(function: &Function, value: Range<TokenIdx>, cx: &Context<'_>) -> bool {
    let is_literal = value.len() == 1 && cx.document.kind(value.start) == Some(TokenKind::Number);
    let kind = || cx.variable_types().of_argument(function, value);
    is_literal || kind().is_some_and(|kind| is_number_type(&kind))
}

/// Whether an address is that of a member of what its first name is declared as: `&a->b`, `a.b`, and not `a + b.c`.
fn names_member(document: &Document, tokens: Range<TokenIdx>) -> bool {
    let first = tokens.start + usize::from(document.is(tokens.start, b'&'));
    let Some(last) = tokens.end.checked_sub(1).filter(|last| last - first > 1) else { return false };
    let is_member = |idx: TokenIdx| document.is(idx, b'.') || document.kind(idx) == Some(TokenKind::Arrow);
    (first..last).find(|&idx| is_member(idx)).is_some_and(|sign| start_of_postfix(document, sign - 1) == Some(first))
}

/// The type of the number that an atomic function is called for, if HIP has no overload for it.
fn missing_type<'d>(name: &Name<'_>, cx: &Context<'d>) -> Option<&'d str> {
    let lacks: fn(&str) -> bool = match &*name.text {
        "atomicAdd" => |word| DEFINED.iter().any(|(words, _)| words.contains(&word)),
        "atomicCAS" if cx.settings.rocm < RocmVersion::new(7, 0) => {
            |word| matches!(word, "short" | "uint16_t" | "ushort")
        }
        _ => return None,
    };
    let document = cx.document;
    let function = cx.facts.functions.around(name.token).filter(|_| matches!(name.meaning, Meaning::Same(_)))?;
    let call = Call::at(document, name.token)?;
    let first = call.arguments.first()?;
    let tokens = document.tokens_in(*first);
    // What is declared is the whole, of which a member has another type.
    pointee(document, function, tokens.clone()).filter(|word| !names_member(document, tokens) && lacks(word))
}
