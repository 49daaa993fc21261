//! Includes of CUDA headers without counterpart.

use super::helpers::is_of_project;
use crate::diagnostic::{RuleInfo, Severity};
use crate::mapping::Resolution;
use crate::rules::api::{is_limits_header, standard_serves};
use crate::rules::conditional::is_for_hip;
use crate::rules::context::Context;
use crate::rules::query::Includes;
use crate::rules::rule::{Rule, declare_rule};
use crate::syntax::Include;

declare_rule! {
    /// ## What it does
    /// Finds includes of CUDA headers that HIP has no counterpart for, or has one in other
    /// releases only, and the second of two whose counterparts cannot stand in one file. Headers that are in no table and
    /// not in the project, but have names or folders as CUDA's have, are warnings.
    ///
    /// ## Why is this bad?
    /// The header does not exist in a HIP installation, so the file does not compile. Those for numbers of four and six bits
    /// both define `internal::half_to_f16` in ROCm 7.2.
    ///
    /// ## Example
    /// ```cuda
    /// #include <mma.h>
    /// ```
    ///
    /// ## What to do
    /// Follow the advice of the finding; guard the include and the code that needs it.
    UnsupportedHeader { code: "H002", name: "unsupported-header", severity: Error, fix: None, since: "0.1.0" }
}

impl Rule for UnsupportedHeader {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Includes;

    fn check<'d>(include: Include<'d>, cx: &mut Context<'d>) {
        if let Some(other) = clashing(&include, cx) {
            let message =
                format!("the counterparts of `{other}` and `{}` cannot be included by one file", include.path);
            cx.report(include.path_range, message).note("put what needs one of them into a file of its own");
            return;
        }
        if is_limits_header(&include) && standard_serves(cx) || is_of_project(&include, cx) {
            return;
        }
        let (entry, message) = match cx.resolve_header(include.path) {
            Some(Resolution::Missing(entry)) => (entry, format!("`{}` has no counterpart in HIP", include.path)),
            Some(Resolution::OtherRelease(entry)) => {
                let since = entry.range.since.map(|since| format!(" from ROCm {since} on")).unwrap_or_default();
                (
                    entry,
                    format!(
                        "`{}`, the counterpart of `{}`, exists{since}; not in ROCm {}",
                        entry.hip, include.path, cx.settings.rocm
                    ),
                )
            }
            Some(Resolution::Name(..)) => return,
            None => return report_unknown(&include, cx),
        };
        cx.report(include.path_range, message).note(entry.note);
    }
}

/// Tells of a header that no table knows.
fn report_unknown(include: &Include<'_>, cx: &mut Context<'_>) {
    if !looks_like_cuda_header(include) || is_for_hip(include.directive.tokens.start, cx) {
        return;
    }
    let message = format!("`{}` is named like a header of CUDA, but no table knows it", include.path);
    cx.report(include.path_range, message).severity(Severity::Warning).note("the include was left as it is");
}

/// Folders of CUDA's headers. Those of Thrust are the same in rocThrust, but for this one.
const FOLDERS: [&str; 5] = ["cooperative_groups/", "crt/", "cub/", "nvtx3/", "thrust/system/cuda/"];

/// Folders of libcu++, whose headers have no extensions; projects have a folder `cuda`, too.
const FOLDERS_OF_LIBCU: [&str; 2] = ["cuda/", "nv/"];

/// Starts of CUDA's headers that stand in no folder. A project may have such names, too, but hardly in angle brackets.
const STARTS: [&str; 11] =
    ["cublas", "cuda", "cudnn", "cufft", "curand", "cusolver", "cusparse", "nccl", "nppi", "nvjpeg", "nvrtc"];

fn looks_like_cuda_header(include: &Include<'_>) -> bool {
    let path = include.path;
    let starts = |starts: &[&str]| starts.iter().any(|start| path.starts_with(start));
    starts(&FOLDERS)
        || starts(&FOLDERS_OF_LIBCU) && !path.contains('.')
        || !include.quoted && !path.contains('/') && starts(&STARTS)
}

/// Headers of CUDA whose counterparts define a function twice.
const CLASHING: [&str; 2] = ["cuda_fp4.h", "cuda_fp6.h"];

/// A header before this one that its counterpart clashes with.
fn clashing(include: &Include<'_>, cx: &Context<'_>) -> Option<&'static str> {
    let [other, this] = if include.path == CLASHING[0] { [CLASHING[1], CLASHING[0]] } else { CLASHING };
    let mut before = cx.document.includes().take_while(|other| other.path_range.start() < include.path_range.start());
    let is_second = include.path == this && before.any(|include| include.path == other);
    (is_second && matches!(cx.resolve_header(this), Some(Resolution::Name(..)))).then_some(other)
}
