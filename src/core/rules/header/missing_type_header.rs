//! Types that CUDA's library headers bring, and those of HIP's libraries do not.

use super::place::insert_behind;
use crate::diagnostic::{Fix, RuleInfo};
use crate::mapping::RocmVersion;
use crate::rules::context::Context;
use crate::rules::meaning::Meaning;
use crate::rules::query::{Files, Name, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::TextRange;
use crate::syntax::{Document, Include};

declare_rule! {
    /// ## What it does
    /// Finds files that use `__half`, `__nv_bfloat16` or `cuComplex` with their functions, types of cuBLAS, or vectors of cuRAND, and
    /// get them from a header of another library, and those that get `cudaRoundMode` from the runtime's.
    ///
    /// ## Why is this bad?
    /// `cublas_v2.h` includes `cuda_fp16.h`, `cuda_bf16.h` and `cuComplex.h`. `hipblas.h` includes neither of the first two,
    /// and headers of HIP's libraries before ROCm 6.4 not the third, so the types are unknown. `hipsolver.h` does not include
    /// `hipblas.h` then either, `hiprand.h` before 6.0 has no direction vectors, and only the headers of narrow floats have
    /// `hipRoundMode`.
    ///
    /// ## Example
    /// ```cuda
    /// #include <cublas_v2.h>
    /// void scale(cublasHandle_t handle, const __half* factor);
    /// ```
    /// Use instead:
    /// ```hip
    /// #include <hipblas/hipblas.h>
    /// #include <hip/hip_fp16.h>
    /// void scale(hipblasHandle_t handle, const __half* factor);
    /// ```
    ///
    /// ## Fix safety
    /// Safe: it is what the header of CUDA does.
    MissingTypeHeader { code: "H007", name: "missing-type-header", severity: Hint, fix: Always, since: "0.1.0" }
}

/// A header with types that headers of libraries bring.
struct Brought {
    /// CUDA's header and HIP's.
    headers: [&'static str; 2],
    /// Whether a name of CUDA's is declared there.
    declares: fn(&Name<'_>) -> bool,
    /// Headers of libraries that bring it.
    by: &'static [&'static str],
    /// The release from which on HIP's libraries bring it, too.
    until: Option<RocmVersion>,
}

const BLAS: &[&str] = &["cublas_v2.h", "cublas_api.h", "cublas.h", "cublasLt.h"];

const BROUGHT: &[Brought] = &[
    Brought {
        headers: ["cuda_fp16.h", "hip/hip_fp16.h"],
        declares: |name| library(name) == Some("fp16") && !is_bfloat16(name),
        by: BLAS,
        until: None,
    },
    Brought {
        headers: ["cuda_bf16.h", "hip/hip_bf16.h"],
        declares: |name| library(name) == Some("fp16") && is_bfloat16(name),
        by: BLAS,
        until: None,
    },
    Brought {
        headers: ["cuComplex.h", "hip/hip_complex.h"],
        declares: |name| library(name) == Some("complex"),
        by: &[
            "cublas_v2.h",
            "cublas_api.h",
            "cublas.h",
            "cublasLt.h",
            "cusparse.h",
            "cusparse_v2.h",
            "cusolverDn.h",
            "cusolverSp.h",
            "cufft.h",
        ],
        until: Some(RocmVersion::new(6, 4)),
    },
    Brought {
        headers: ["cublas_v2.h", "hipblas/hipblas.h"],
        declares: |name| library(name) == Some("cublas"),
        by: &["cusolverDn.h", "cusolverRf.h", "cusolver_common.h"],
        until: Some(RocmVersion::new(6, 4)),
    },
    Brought {
        headers: ["curand_kernel.h", "hiprand/hiprand_kernel.h"],
        declares: |name| name.text.starts_with("curandDirectionVectors"),
        by: &["curand.h"],
        until: Some(RocmVersion::new(6, 0)),
    },
    Brought {
        headers: ["cuda_fp4.h", "hip/hip_fp4.h"],
        declares: |name| name.text.starts_with("cudaRound") && library(name).is_some(),
        by: &["cuda_runtime.h", "cuda_runtime_api.h", "cuda_fp16.h", "cuda_bf16.h", "cuda_fp8.h"],
        until: None,
    },
];

impl Brought {
    /// Whether an include of the file has what the header has.
    fn is_there_with(&self, path: &str) -> bool {
        let [cuda, _] = self.headers;
        self.headers.contains(&path) || cuda == "cuda_fp4.h" && matches!(path, "cuda_fp6.h" | "hip/hip_fp6.h")
    }
}

impl Rule for MissingTypeHeader {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check<'d>(_: WholeFile, cx: &mut Context<'d>) {
        let document: &'d Document = cx.document;
        let missing: Vec<_> = BROUGHT.iter().filter_map(|brought| missing(brought, cx)).collect();
        let Some(first) = missing.iter().map(|missing| missing.range).min_by_key(|range| range.start()) else { return };
        let Some(last) = missing.iter().map(|missing| missing.include).max_by_key(|include| include.path_range.start())
        else {
            return;
        };
        let listed = missing.iter().map(|missing| missing.header).collect::<Vec<_>>().join("`, `");
        let lines: String = missing.iter().flat_map(|missing| ["#include <", missing.header, ">\n"]).collect();
        let fix = Fix::safe(format!("include `{listed}`"), vec![insert_behind(document, &last, &lines)]);
        cx.report(first, format!("the file needs `{listed}`, which `{}` includes for CUDA", last.path)).fix(fix);
    }
}

/// A header of HIP's that a file needs.
struct Missing<'d> {
    header: &'static str,
    /// The first name that it declares.
    range: TextRange,
    /// The library that brings CUDA's.
    include: Include<'d>,
}

/// What a file needs of a header that only a library brings.
fn missing<'d>(brought: &Brought, cx: &Context<'d>) -> Option<Missing<'d>> {
    let document: &'d Document = cx.document;
    let is_brought_by_hip = brought.until.is_some_and(|until| cx.settings.rocm >= until);
    let is_included = document.includes().any(|include| brought.is_there_with(include.path));
    if is_brought_by_hip || is_included {
        return None;
    }
    let include = document.includes().find(|include| brought.by.contains(&include.path))?;
    let first = cx.names.iter().find(|name| (brought.declares)(name) && !cx.skips(name.range.start()))?;
    let [_, header] = brought.headers;
    Some(Missing { header, range: first.range, include })
}

/// The table that a name of CUDA's is converted by.
fn library(name: &Name<'_>) -> Option<&'static str> {
    match name.meaning {
        Meaning::Renamed(_, entry) | Meaning::Same(entry) => Some(entry.library),
        _ => None,
    }
}

fn is_bfloat16(name: &Name<'_>) -> bool {
    name.text.contains("bfloat16") || name.text.contains("bf16")
}
