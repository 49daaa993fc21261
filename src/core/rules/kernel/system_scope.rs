//! Fences and atomics that reach beyond the device.

use crate::diagnostic::RuleInfo;
use crate::mapping::RocmVersion;
use crate::rules::context::Context;
use crate::rules::meaning::Meaning;
use crate::rules::query::{Files, Name, WholeFile};
use crate::rules::rule::{Rule, declare_rule};

declare_rule! {
    /// ## What it does
    /// Notes files that use `__threadfence_system` or atomics whose names end in `_system`. Only the
    /// first place of a file is reported.
    ///
    /// ## Why is this bad?
    /// They reach the host and other GPUs only in fine-grained memory. What `hipMalloc` returns is
    /// coarse-grained: others see it when the kernel has ended.
    ///
    /// ## Example
    /// ```cuda
    /// __global__ void signal(volatile int* flag) { __threadfence_system(); *flag = 1; }
    /// ```
    ///
    /// ## What to do
    /// Allocate what host and device share with `cudaMallocHost`, `cudaHostAlloc` or
    /// `cudaMallocManaged`; for memory of the device HIP has `hipExtMallocWithFlags` with
    /// `hipDeviceMallocFinegrained`.
    SystemScope { code: "K032", name: "system-scope", severity: Info, fix: None, since: "0.1.0" }
}

/// The first release whose documents name `__threadfence_system` among what is supported, without a way around. Source: ROCm's
/// pages "HIP C++ language extensions", "Memory fence instructions", of 6.3 and 6.4.
const FENCES: RocmVersion = RocmVersion::new(6, 4);

impl Rule for SystemScope {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let reaches_out = |name: &Name<'_>| {
            let is_atomic = name.text.starts_with("atomic") && name.text.ends_with("_system");
            matches!(name.meaning, Meaning::Same(_)) && (is_atomic || name.text == "__threadfence_system")
        };
        let Some(first) = cx.names.iter().find(reaches_out) else { return };
        let (range, text) = (first.range, first.text);
        let wants_way_around = text == "__threadfence_system" && cx.settings.rocm < FENCES;
        let finding = cx.report(range, format!("`{text}` reaches the host in fine-grained memory only"));
        finding.note("memory of `hipMalloc` is coarse-grained, memory of `hipHostMalloc` is fine-grained");
        if wants_way_around {
            finding.note(
                "documents of this release ask for memory of `hipHostMalloc` that is not copied with `hipMemcpy`",
            );
        }
    }
}
