//! Headers of HIP that need another, or a macro, before them.

use super::helpers::hip_header;
use super::missing_runtime_header::{RUNTIME, lacks_runtime};
use super::place::line_start;
use crate::diagnostic::{Fix, RuleInfo};
use crate::mapping::RocmVersion;
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;
use crate::syntax::Include;

declare_rule! {
    /// ## What it does
    /// Finds includes of headers that need another, or a macro, before them: `hip_gl_interop.h`, and more for releases before ROCm 6.0.
    ///
    /// ## Why is this bad?
    /// In HIP 5.7 the header of cooperative groups and some of hipCUB's do not include what they
    /// use, so a file that includes them first does not compile. hipBLAS 5.7 has complex types of its own, which calls with
    /// `hipFloatComplex` do not fit, unless `ROCM_MATHLIBS_API_USE_HIP_COMPLEX` is defined before its header, and hipSOLVER
    /// enumerations, unless `HIPSOLVER_USE_HIPBLAS_ENUMS` is.
    ///
    /// ## Example
    /// With `--rocm 5.7`:
    /// ```cuda
    /// #include <cooperative_groups.h>
    /// #include <cuda_runtime.h>
    /// ```
    ///
    /// ## Fix safety
    /// Safe: includes the other header, or defines the macro, in front.
    HeaderOrder { code: "H006", name: "header-order", severity: Hint, fix: Always, since: "0.1.0" }
}

/// Headers that do not compile as the first of a file, and what they need; found by compiling each header
/// of HIP 5.7 and hipCUB 5.7 by itself.
const NEEDS: &[(&str, &str)] = &[
    ("hip/hip_cooperative_groups.h", RUNTIME),
    ("hipcub/block/block_reduce.hpp", HIPCUB),
    ("hipcub/block/radix_rank_sort_operations.hpp", HIPCUB),
    ("hipcub/thread/thread_search.hpp", HIPCUB),
];

/// How CUDA's and HIP's headers for OpenGL are called both.
const INTEROP: &str = "gl_interop.h";

/// Those of every release.
const NEVER_ALONE: &[(&str, &str)] = &[("hip/hip_gl_interop.h", RUNTIME)];

/// The first release whose other headers stand by themselves.
const SELF_CONTAINED: RocmVersion = RocmVersion::new(6, 0);

const HIPCUB: &str = "hipcub/config.hpp";

impl Rule for HeaderOrder {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check<'d>(_: WholeFile, cx: &mut Context<'d>) {
        let is_old = cx.settings.rocm < SELF_CONTAINED;
        // Nearly no file has one of those, and some have many includes.
        if !is_old && !cx.document.text().contains(INTEROP) {
            return;
        }
        // A file without it gets the runtime header in front of all includes.
        let mut before: Vec<&str> = lacks_runtime(cx).then_some(RUNTIME).into_iter().collect();
        let includes: Vec<Include<'d>> = cx.document.includes().collect();
        for include in includes {
            let path = hip_header(&include, cx).map_or(include.path, |(to, _)| to);
            let needs = NEVER_ALONE.iter().chain(if is_old { NEEDS } else { &[] });
            let need = needs.into_iter().find(|(header, _)| *header == path).map(|(_, needed)| *needed);
            if let Some(needed) = need.filter(|needed| !is_there(needed, &before)) {
                report(&include, path, needed, cx);
                before.push(needed);
            }
            let switches = if is_old { SWITCHES } else { &[] };
            let switch = switches.iter().find(|(header, ..)| *header == path && !before.contains(header));
            if let Some((_, name, what)) = switch.filter(|(_, name, _)| cx.facts.declared.get(name).is_none()) {
                let message = format!("`{path}` has {what} of its own in HIP 5.7, unless {name} is defined");
                put_before(&include, &format!("#define {name}"), format!("define `{name}`"), message, cx);
            }
            before.push(path);
        }
    }
}

/// Headers with types of their own, and the macros that give them those that are shared. Source: `hipblas.h` and
/// `hipsolver-types.h` of ROCm 5.5.
const SWITCHES: &[(&str, &str, &str)] = &[
    ("hipblas/hipblas.h", "ROCM_MATHLIBS_API_USE_HIP_COMPLEX", "complex types"),
    ("hipsolver/hipsolver.h", "HIPSOLVER_USE_HIPBLAS_ENUMS", "enumerations"),
];

/// Whether one of the headers before is the one that is needed or brings it.
fn is_there(needed: &str, before: &[&str]) -> bool {
    let brings = |path: &&str| {
        let is_alone = NEEDS.iter().all(|(header, _)| header != path);
        match needed {
            HIPCUB => path.starts_with("hipcub/") && is_alone,
            _ => *path == needed,
        }
    };
    before.iter().any(brings)
}

fn report(include: &Include<'_>, path: &str, needed: &str, cx: &mut Context<'_>) {
    let release = if NEVER_ALONE.iter().any(|(header, _)| *header == path) { "" } else { " in HIP 5.7" };
    let message = format!("`{path}` needs `{needed}` before it{release}");
    put_before(include, &format!("#include <{needed}>"), format!("include `{needed}`"), message, cx);
}

fn put_before(include: &Include<'_>, line: &str, title: String, message: String, cx: &mut Context<'_>) {
    let document = cx.document;
    let at = line_start(document, include.directive.range.start());
    let line = format!("{line}{}", document.file().newline.as_str());
    cx.report(include.directive.range, message).fix(Fix::safe(title, vec![Edit::insert(at, line)]));
}
