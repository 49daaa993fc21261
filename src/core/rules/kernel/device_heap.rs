//! Memory that device code allocates.

use crate::analysis::{Function, Role, role};
use crate::diagnostic::{RuleInfo, Severity};
use crate::mapping::RocmVersion;
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::syntax::{Document, TokenIdx, words};

declare_rule! {
    /// ## What it does
    /// Notes `malloc`, `free`, `new` and `delete` in device code. Only the first place of a file is
    /// reported.
    ///
    /// ## Why is this bad?
    /// They compile. The documents of HIP up to 6.3 call them preliminary, so for these releases it
    /// is a warning. The heap asks the host for memory while the kernel runs, which is slow, and
    /// `cudaLimitMallocHeapSize` counts otherwise.
    ///
    /// ## Example
    /// ```cuda
    /// __global__ void grow(int** list) { list[threadIdx.x] = new int[16]; }
    /// ```
    ///
    /// ## What to do
    /// Allocate on the host, and hand each thread its part.
    DeviceHeap { code: "K026", name: "device-heap", severity: Info, fix: None, since: "0.1.0" }
}

impl Rule for DeviceHeap {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let document: &Document = cx.document;
        let on_device = |idx: &TokenIdx| {
            document.directive_of(*idx).is_none()
                && cx.facts.functions.around(*idx).is_some_and(Function::is_device_only)
        };
        let calls =
            ["malloc", "free"].into_iter().flat_map(|name| words(document, name).filter(|&idx| is_call(document, idx)));
        let operators = ["new", "delete"]
            .into_iter()
            .flat_map(|name| words(document, name).filter(|&idx| is_operator(document, idx)));
        let Some(first) = calls.chain(operators).filter(on_device).min() else { return };
        let is_preliminary = cx.settings.rocm < RocmVersion { major: 6, minor: 4 };
        let finding = cx.report(document.range_of(first..first + 1), "device code allocates memory");
        finding.note("allocate on the host, and hand each thread its part");
        if is_preliminary {
            finding.severity(Severity::Warning);
        }
    }
}

fn is_call(document: &Document, idx: TokenIdx) -> bool {
    document.is(idx + 1, b'(') && role(document, idx) == Role::Free
}

/// Neither `new (place) T` nor `= delete` nor `operator new`.
fn is_operator(document: &Document, idx: TokenIdx) -> bool {
    let before = idx.checked_sub(1).map_or("", |before| document.token_text(before));
    let deletes_function = before == "=" && document.token_text(idx) == "delete";
    !document.is(idx + 1, b'(') && before != "operator" && !deletes_function
}
