//! The size of a wave in code whose warps keep 32 lanes.

use std::rc::Rc;

use super::lane_function::{is_wave_size, keeps_32_lanes};
use super::property_reads::{PropertyRead, property_reads};
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::rules::context::Context;
use crate::rules::meaning::Meaning;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;
use crate::syntax::path_start;

declare_rule! {
    /// ## What it does
    /// Finds `warpSize`, in device code and in `cudaDeviceProp`, in a project whose warps keep 32
    /// lanes (`--wave-policy logical32`).
    ///
    /// ## Why is this bad?
    /// On CDNA GPUs it is 64. Code that counts on 32 lanes in one place and on `warpSize` in
    /// another computes wrongly there. From ROCm 7.0 on `warpSize` is no constant either, and
    /// cannot be the size of an array.
    ///
    /// ## Example
    /// With `--wave-policy logical32`:
    /// ```cuda
    /// #include <cuda_runtime.h>
    /// __device__ int lane() { return threadIdx.x % warpSize; }
    /// ```
    /// Use instead:
    /// ```hip
    /// #include <hip/hip_runtime.h>
    /// __device__ int lane() { return threadIdx.x % 32; }
    /// ```
    ///
    /// ## Fix safety
    /// Safe: it is 32 on every GPU that CUDA runs on, and the converted kernels count on that. A
    /// query for the attribute has no fix.
    WaveSize { code: "W003", name: "wave-size", severity: Hint, fix: Sometimes, since: "0.1.0" }
}

impl Rule for WaveSize {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check<'d>(_: WholeFile, cx: &mut Context<'d>) {
        check_names(cx);
        for read in property_reads(cx) {
            if keeps_32_lanes(cx.document.range_of(read.tokens.clone()).start(), cx) {
                check_property(&read, cx);
            }
        }
    }
}

/// `warpSize` in device code, and the attribute in host code.
fn check_names(cx: &mut Context<'_>) {
    let names = Rc::clone(&cx.names);
    for name in names.iter() {
        if !keeps_32_lanes(name.range.start(), cx) {
            continue;
        }
        if is_wave_size(&name, cx) {
            // `::warpSize` is the same.
            let from = path_start(cx.document, name.token);
            let fix = Fix::safe("write 32", vec![Edit::replace(cx.document.range_of(from..name.token + 1), "32")]);
            cx.report(name.range, "`warpSize` is 64 on some targets, but warps keep 32 lanes here").fix(fix);
        } else if matches!(&*name.text, "cudaDevAttrWarpSize" | "CU_DEVICE_ATTRIBUTE_WARP_SIZE")
            && matches!(name.meaning, Meaning::Renamed(..))
        {
            let finding = cx.report(name.range, "the query gives 64 on some targets, but warps keep 32 lanes here");
            finding.severity(Severity::Warning).note("use 32 in place of the result");
        }
    }
}

/// `properties.warpSize`
fn check_property(read: &PropertyRead, cx: &mut Context<'_>) {
    let range = cx.document.range_of(read.tokens.clone());
    let text = cx.document.slice(range);
    let message = if read.is_certain {
        format!("`{text}` is 64 on some targets, but warps keep 32 lanes here")
    } else {
        format!("`{text}` may be a property of the device, which is 64 on some targets, but warps keep 32 lanes here")
    };
    let finding = cx.report(range, message);
    if read.is_certain && read.is_plain {
        finding.severity(Severity::Info).fix(Fix::safe("write 32", vec![Edit::replace(range, "32")]));
    } else {
        finding.severity(Severity::Warning).note("use 32 where the kernels count on it");
    }
}
