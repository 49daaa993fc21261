//! Includes of CUDA headers that HIP has a counterpart for.

use rustc_hash::FxHashMap;

use super::helpers::{hip_header, removable_range};
use crate::analysis::regions;
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::mapping::Support;
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;
use crate::syntax::{Directive, Include, TokenIdx};

declare_rule! {
    /// ## What it does
    /// Finds includes of CUDA headers whose content a HIP header provides.
    ///
    /// ## Why is this bad?
    /// The header does not exist in a HIP installation.
    ///
    /// ## Example
    /// ```cuda
    /// #include <cuda_runtime.h>
    /// #include <cuda.h>
    /// #include <cublas_v2.h>
    /// ```
    /// Use instead:
    /// ```hip
    /// #include <hip/hip_runtime.h>
    /// #include <hipblas/hipblas.h>
    /// ```
    ///
    /// ## Fix safety
    /// Safe. Quotes or brackets stay as written. Several CUDA headers may become one HIP header;
    /// the repetition is removed where the first include is certain to be active too.
    CudaHeader { code: "H001", name: "cuda-header", severity: Hint, fix: Always, since: "0.1.0" }
}

impl Rule for CudaHeader {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check<'d>(_: WholeFile, cx: &mut Context<'d>) {
        let document = cx.document;
        // How far the includes of a header before this one are certain to be active too.
        let mut seen: FxHashMap<&str, TokenIdx> = FxHashMap::default();
        for (directive, region) in document.directives().iter().zip(regions(document)) {
            let Some(include) = document.include(directive) else { continue };
            let header = hip_header(&include, cx);
            let until = seen.entry(header.map_or(include.path, |(to, _)| to)).or_default();
            let repeated = directive.tokens.start < *until;
            *until = region.end.max(*until);
            let Some((to, entry)) = header else { continue };
            let severity = if entry.support == Support::Full { Severity::Hint } else { Severity::Info };
            if to == include.path {
                continue;
            }
            let fix = if repeated { remove(directive, cx) } else { replace(&include, to) };
            let message = format!("`{}` is `{to}` in HIP", include.path);
            cx.report(include.path_range, message).severity(severity).note(entry.note).fix(fix);
        }
    }
}

fn replace(include: &Include<'_>, to: &str) -> Fix {
    Fix::safe(format!("include `{to}`"), vec![Edit::replace(include.path_range, to)])
}

fn remove(directive: &Directive, cx: &Context<'_>) -> Fix {
    Fix::safe("remove the repeated include", vec![Edit::delete(removable_range(cx.document, directive))])
}
