//! Attributes and calling conventions of CUDA that HIP compilers do not know.

use super::blanks::with_blanks;
use crate::analysis::{Declaration, Role, role};
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::rules::context::Context;
use crate::rules::header::{is_read_by_others, read_by_gpu_compilers_alone};
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::{Edit, TextRange};
use crate::syntax::{Document, TokenIdx, words_that};

declare_rule! {
    /// ## What it does
    /// Finds attributes that only CUDA's compiler knows, `__grid_constant__` and `__maxnreg__`, and
    /// the macros for calling conventions in CUDA's headers, such as `CUDART_CB` and `CUDAAPI`. In headers and in sources for
    /// the host's compiler it finds `__align__`, too.
    ///
    /// ## Why is this bad?
    /// The declaration does not compile. HIP's headers define `__align__` where clang compiles HIP, and not for other
    /// compilers (HIP 5.7 to 7.2, `hip/amd_detail/amd_hip_runtime.h`), which read the headers of a project as well.
    ///
    /// ## Example
    /// ```cuda
    /// __global__ void step(const __grid_constant__ Parameters p);
    /// ```
    /// Use instead:
    /// ```hip
    /// __global__ void step(const Parameters p);
    /// ```
    ///
    /// ## Fix safety
    /// Safe: parameters of kernels are constant memory on AMD GPUs anyway, and the number of
    /// registers changes speed only. Where `__maxnreg__` goes, the compiler chooses the number.
    /// HIP's functions and callbacks have the calling convention that is the default. `__attribute__((aligned(16)))` is what
    /// HIP's headers make of `__align__(16)`.
    ForeignAttribute { code: "K001", name: "foreign-attribute", severity: Hint, fix: Always, since: "0.1.0" }
}

/// Macros that CUDA's headers put before the names of functions: empty, or `__stdcall` on Windows.
const CALLING_CONVENTIONS: &[&str] = &[
    "CUBLASWINAPI",
    "CUDAAPI",
    "CUDART_CB",
    "CUDARTAPI",
    "CUDARTAPI_CDECL",
    "CUDA_CB",
    "CUDNNWINAPI",
    "CUFFTAPI",
    "CURANDAPI",
    "CUSOLVERAPI",
    "CUSPARSEAPI",
];

/// Whether the rule reports this attribute.
pub(super) fn is_foreign(name: &str) -> bool {
    matches!(name, "__grid_constant__" | "__maxnreg__") || CALLING_CONVENTIONS.contains(&name)
}

/// Whether leaving this attribute out changes nothing, so that an empty macro may take its place.
pub(in crate::rules) fn may_be_empty(name: &str) -> bool {
    is_foreign(name) && name != "__maxnreg__"
}

impl Rule for ForeignAttribute {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check<'d>(_: WholeFile, cx: &mut Context<'d>) {
        let document: &'d Document = cx.document;
        for idx in words_that(document, |name| is_foreign(name) || ALIGNMENTS.contains(&name)) {
            let name = document.token_text(idx);
            // A project may define the attribute away itself.
            let own = || cx.facts.declared.get(name) == Some(Declaration::Macro);
            if is_foreign(name) && role(document, idx) == Role::Free && !own() {
                report(name, idx, cx);
            } else if is_alignment_for_all(idx, cx) {
                report_alignment(idx, cx);
            }
        }
    }
}

/// CUDA's words for an alignment.
const ALIGNMENTS: &[&str] = &["__align__", "__builtin_align__"];

/// Whether a name is a word for an alignment that other compilers than those for GPUs read.
pub(in crate::rules) fn is_alignment_for_all(idx: TokenIdx, cx: &Context<'_>) -> bool {
    let document = cx.document;
    let name = document.token_text(idx);
    ALIGNMENTS.contains(&name)
        && document.is(idx + 1, b'(')
        && document.partner(idx + 1).is_some()
        && cx.facts.declared.get(name).is_none()
        && is_read_by_others(document)
        && !read_by_gpu_compilers_alone(std::iter::once(idx), cx)
}

fn report_alignment(idx: TokenIdx, cx: &mut Context<'_>) {
    let document = cx.document;
    let Some(close) = document.partner(idx + 1) else { return };
    let name = document.token_text(idx);
    let edits = vec![
        Edit::replace(document.range_of(idx..idx + 1), "__attribute__((aligned"),
        Edit::insert(document.range_of(close..close + 1).end(), "))"),
    ];
    let fix = Fix::safe("write it for all compilers", edits);
    let finding =
        cx.report(document.range_of(idx..close + 1), format!("HIP has `{name}` where clang compiles HIP only"));
    finding.fix(fix);
}

fn report(name: &str, idx: TokenIdx, cx: &mut Context<'_>) {
    let document = cx.document;
    let Some(token) = document.token(idx) else { return };
    let end = match document.partner(idx + 1) {
        // `CUDAAPI (*f)(int)` declares a pointer.
        Some(close) if name == "__maxnreg__" && document.is(idx + 1, b'(') => document.range_of(close..close + 1).end(),
        _ => token.range().end(),
    };
    let unwanted = TextRange::new(token.range().start(), end);
    let fix = Fix::safe(format!("remove `{name}`"), vec![Edit::delete(with_blanks(document, unwanted))]);
    let finding = cx.report(unwanted, format!("HIP has no `{name}`"));
    finding.fix(fix);
    if name == "__maxnreg__" {
        finding.severity(Severity::Warning);
        finding.note("without it the compiler chooses the number of registers; bound it with `__launch_bounds__`");
    }
}
