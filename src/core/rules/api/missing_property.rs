//! Properties of a device that older releases do not tell.

use crate::analysis::{Role, role};
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::mapping::RocmVersion;
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;
use crate::syntax::words;

declare_rule! {
    /// ## What it does
    /// Finds members of `cudaDeviceProp` that `hipDeviceProp_t` has from ROCm 6.0 on, for releases
    /// before that.
    ///
    /// ## Why is this bad?
    /// The structure of ROCm 5 is smaller, so the member does not exist.
    ///
    /// ## Example
    /// With `--rocm 5.7`:
    /// ```cuda
    /// size_t largest(const cudaDeviceProp& device) { return device.sharedMemPerBlockOptin; }
    /// ```
    /// Use instead:
    /// ```hip
    /// size_t largest(const hipDeviceProp_t& device) { return device.sharedMemPerBlock; }
    /// ```
    ///
    /// ## What to do
    /// Where there is no fix, `hipDeviceGetAttribute` tells some of them; decide what the others are
    /// for the GPUs that the program is for.
    ///
    /// ## Fix safety
    /// Safe: shared memory needs no opt-in on AMD GPUs, and the size of a multiprocessor's has
    /// another name.
    MissingProperty { code: "A024", name: "missing-property", severity: Error, fix: Sometimes, since: "0.1.0" }
}

/// The first release with the whole structure.
const WHOLE: RocmVersion = RocmVersion::new(6, 0);

const TYPES: [&str; 2] = ["cudaDeviceProp", "hipDeviceProp_t"];

/// Members that ROCm 5 lacks, and those that say the same. Source: `hip/hip_runtime_api.h` of HIP 5.7 and 7.2.
const MEMBERS: &[(&str, Option<&str>)] = &[
    ("accessPolicyMaxWindowSize", None),
    ("asyncEngineCount", None),
    ("canUseHostPointerForRegisteredMem", None),
    ("computePreemptionSupported", None),
    ("deviceOverlap", None),
    ("globalL1CacheSupported", None),
    ("gpuDirectRDMAFlushWritesOptions", None),
    ("gpuDirectRDMASupported", None),
    ("gpuDirectRDMAWritesOrdering", None),
    ("hostNativeAtomicSupported", None),
    ("hostRegisterReadOnlySupported", None),
    ("hostRegisterSupported", None),
    ("localL1CacheSupported", None),
    ("luidDeviceNodeMask", None),
    ("maxBlocksPerMultiProcessor", None),
    ("maxSurface1D", None),
    ("maxSurface1DLayered", None),
    ("maxSurface2D", None),
    ("maxSurface2DLayered", None),
    ("maxSurface3D", None),
    ("maxSurfaceCubemap", None),
    ("maxSurfaceCubemapLayered", None),
    ("maxTexture1DLayered", None),
    ("maxTexture1DMipmap", None),
    ("maxTexture2DGather", None),
    ("maxTexture2DLayered", None),
    ("maxTexture2DLinear", None),
    ("maxTexture2DMipmap", None),
    ("maxTexture3DAlt", None),
    ("maxTextureCubemap", None),
    ("maxTextureCubemapLayered", None),
    ("memoryPoolSupportedHandleTypes", None),
    ("memoryPoolsSupported", None),
    ("multiGpuBoardGroupID", None),
    ("persistingL2CacheMaxSize", None),
    ("regsPerMultiprocessor", None),
    ("reservedSharedMemPerBlock", None),
    ("sharedMemPerBlockOptin", Some("sharedMemPerBlock")),
    ("sharedMemPerMultiprocessor", Some("maxSharedMemoryPerMultiProcessor")),
    ("singleToDoublePrecisionPerfRatio", None),
    ("streamPrioritiesSupported", None),
    ("surfaceAlignment", None),
    ("timelineSemaphoreInteropSupported", None),
    ("unifiedAddressing", None),
];

impl Rule for MissingProperty {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let document = cx.document;
        let has_properties = || TYPES.iter().any(|name| words(document, name).next().is_some());
        if cx.settings.rocm >= WHOLE || !has_properties() {
            return;
        }
        for &(member, same) in MEMBERS {
            for idx in words(document, member).filter(|&idx| role(document, idx) == Role::Member) {
                let range = document.range_of(idx..idx + 1);
                let finding = cx.report(range, format!("`hipDeviceProp_t` has no `{member}` before ROCm 6.0"));
                if let Some(name) = same {
                    let fix = Fix::safe(format!("use `{name}`"), vec![Edit::replace(range, name)]);
                    finding.severity(Severity::Hint).fix(fix);
                } else {
                    finding.note("`hipDeviceGetAttribute` tells some of what the structure does not");
                }
            }
        }
    }
}
