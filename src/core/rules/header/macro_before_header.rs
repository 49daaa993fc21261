//! Macros with names that HIP's headers use, in front of these headers.

use super::early_macro::early_macro;
use super::helpers::hip_header;
use super::missing_runtime_header::{RUNTIME, is_fragment, lacks_runtime};
use crate::analysis::{include_guard, regions};
use crate::diagnostic::{Fix, RuleInfo};
use crate::rules::conditional::is_for_hip;
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;
use crate::syntax::{Include, TokenIdx};

declare_rule! {
    /// ## What it does
    /// Finds macros in front of the first header of HIP's whose names the runtime header uses for things of its own, such as `T`, `n` or
    /// `size`.
    ///
    /// ## Why is this bad?
    /// nvcc reads its runtime header before the first line of a file, and CUDA's headers call their parameters `__n`. Those of HIP call
    /// them `n`, so the header does not compile, with errors at lines that the project does not have.
    ///
    /// ## Example
    /// ```cuda
    /// #define T float
    /// #define n 1024
    /// #include <cuda_runtime.h>
    /// __global__ void fill(T* out) { if (threadIdx.x < n) out[threadIdx.x] = 1; }
    /// ```
    /// Use instead:
    /// ```hip
    /// #include <hip/hip_runtime.h>
    /// #define T float
    /// #define n 1024
    /// #include <hip/hip_runtime.h>
    /// __global__ void fill(T* out) { if (threadIdx.x < n) out[threadIdx.x] = 1; }
    /// ```
    ///
    /// ## Fix safety
    /// Safe: includes the runtime header in front of the first such macro, where nvcc has read its own already. Nothing is done where a
    /// condition decides whether the header is read, as other compilers may not know where HIP's headers are.
    MacroBeforeHeader { code: "H008", name: "macro-before-header", severity: Hint, fix: Always, since: "0.2.0" }
}

impl Rule for MacroBeforeHeader {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check<'d>(_: WholeFile, cx: &mut Context<'d>) {
        // A file without the header gets it in front of such macros.
        if lacks_runtime(cx) || is_fragment(cx) {
            return;
        }
        let document = cx.document;
        let Some(first) = first_header(cx) else { return };
        let Some(found) = early_macro(document, first) else { return };
        if is_for_hip(found.name, cx) || cx.is_for_cuda_alone(found.name) || is_for_hip(first, cx) {
            return;
        }
        let name = document.token_text(found.name);
        let message = format!("`{RUNTIME}` uses the name `{name}`, which is a macro where the header is read");
        let line = format!("#include <{RUNTIME}>{}", document.file().newline.as_str());
        let fix = Fix::safe(format!("include `{RUNTIME}` in front"), vec![Edit::insert(found.place, line)]);
        cx.report(document.range_of(found.name..found.name + 1), message).fix(fix);
    }
}

/// The first include of the runtime header, or of another header of HIP's that reads it, if all compilers read it that read the file.
fn first_header(cx: &Context<'_>) -> Option<TokenIdx> {
    let document = cx.document;
    let reads = |path: &str| READING.iter().any(|folder| path.starts_with(folder));
    let becomes = |include: &Include<'_>| hip_header(include, cx).is_some_and(|(to, _)| reads(to));
    let mut includes = document.includes();
    let first = includes.find(|include| reads(include.path) || becomes(include))?.directive.tokens.start;
    let guard = usize::from(include_guard(document).is_some());
    let mut places = document.directives().iter().zip(regions(document));
    let region = places.find(|(directive, _)| directive.tokens.start == first).map(|(_, region)| region);
    region.filter(|region| region.depth <= guard).map(|_| first)
}

/// Folders of HIP's headers that read the runtime header.
const READING: &[&str] = &["hip/", "hipblas/", "hipcub/", "hipfft/", "hiprand/", "hipsolver/", "hipsparse/"];
