//! Functions that HIP's headers mark as deprecated, in sources written for HIP.

use crate::analysis::{Role, role};
use crate::diagnostic::{Fix, RuleInfo};
use crate::mapping::RocmVersion;
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;
use crate::syntax::{Call, Document, TokenIdx, words};

declare_rule! {
    /// ## What it does
    /// Finds functions in sources written for HIP that the headers of the release asked for (`--rocm`) mark as deprecated and
    /// have another function for: `hipMallocHost`, `hipMemAllocHost`, `hipMemcpyToArray`, `hipMemcpyFromArray`, and before 6.3
    /// `hipHostAlloc` and `hipFreeHost`.
    ///
    /// ## Why is this bad?
    /// The compiler warns, and a later release may not have them.
    ///
    /// ## Example
    /// ```cuda
    /// #include <hip/hip_runtime.h>
    /// hipError_t get(void** memory) { return hipMallocHost(memory, 64); }
    /// ```
    /// Use instead:
    /// ```hip
    /// #include <hip/hip_runtime.h>
    /// hipError_t get(void** memory) { return hipHostMalloc(memory, 64, hipHostMallocDefault); }
    /// ```
    ///
    /// ## What to do
    /// `hipMemcpy2DToArray` and `hipMemcpy2DFromArray` take the copies of arrays; they count rows in place of bytes.
    ///
    /// ## Fix safety
    /// Safe: what is written does the same.
    DeprecatedHip { code: "A032", name: "deprecated-hip", severity: Info, fix: Sometimes, since: "0.1.0" }
}

/// A deprecated function.
struct Deprecated {
    name: &'static str,
    instead: &'static str,
    /// The first release that does not mark it any more.
    until: Option<RocmVersion>,
    form: Form,
}

/// How the other function is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// With the same arguments.
    Same,
    /// With flags behind them.
    Flags,
    /// With other arguments.
    Other,
}

/// Source: `hip/hip_runtime_api.h` of HIP 5.7, 6.4 and 7.2, and the table of `cudaHostAlloc` for the release between.
const FUNCTIONS: &[Deprecated] = &[
    Deprecated { name: "hipMallocHost", instead: "hipHostMalloc", until: None, form: Form::Flags },
    Deprecated { name: "hipMemAllocHost", instead: "hipHostMalloc", until: None, form: Form::Flags },
    Deprecated {
        name: "hipHostAlloc",
        instead: "hipHostMalloc",
        until: Some(RocmVersion::new(6, 3)),
        form: Form::Same,
    },
    Deprecated { name: "hipFreeHost", instead: "hipHostFree", until: Some(RocmVersion::new(6, 3)), form: Form::Same },
    Deprecated { name: "hipMemcpyToArray", instead: "hipMemcpy2DToArray", until: None, form: Form::Other },
    Deprecated { name: "hipMemcpyFromArray", instead: "hipMemcpy2DFromArray", until: None, form: Form::Other },
];

impl Rule for DeprecatedHip {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        if !cx.facts.is_hip {
            return;
        }
        let (document, rocm): (&Document, _) = (cx.document, cx.settings.rocm);
        for function in FUNCTIONS.iter().filter(|function| function.until.is_none_or(|until| rocm < until)) {
            if cx.facts.declared.get(function.name).is_some() {
                continue;
            }
            for idx in words(document, function.name).filter(|&idx| role(document, idx) == Role::Free) {
                if let Some(call) = Call::at(document, idx) {
                    report(function, idx, &call, cx);
                }
            }
        }
    }
}

fn report(function: &Deprecated, idx: TokenIdx, call: &Call, cx: &mut Context<'_>) {
    let document: &Document = cx.document;
    let range = document.range_of(idx..idx + 1);
    let mut edits = vec![Edit::replace(range, function.instead)];
    if function.form == Form::Flags {
        let close = document.range_of(call.close..call.close + 1).start();
        edits.push(Edit::insert(close, ", hipHostMallocDefault"));
    }
    let finding = cx.report(range, format!("HIP's header marks `{}` as deprecated", function.name));
    finding.note(format!("use `{}`", function.instead));
    if function.form != Form::Other {
        finding.fix(Fix::safe(format!("call `{}`", function.instead), edits));
    }
}
