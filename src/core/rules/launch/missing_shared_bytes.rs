//! Launches that give no shared memory to a kernel that wants some.

use rustc_hash::FxHashMap;

use super::shared_memory::of_function;
use crate::analysis::Constants;
use crate::diagnostic::RuleInfo;
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::TextRange;
use crate::syntax::{Document, words};

declare_rule! {
    /// ## What it does
    /// Finds launches without, or with 0 bytes of, dynamic shared memory where the kernel is in the
    /// same file, is no template and has an `extern __shared__` array.
    ///
    /// ## Why is this bad?
    /// The array has no elements then. CUDA does not stop an access either, but what lies there
    /// differs. Where the kernel does not touch the array in this case, all is well.
    ///
    /// ## Example
    /// ```cuda
    /// __global__ void sum(int* x) { extern __shared__ int part[]; part[0] = x[0]; }
    /// void run(int* x) { sum<<<1, 256>>>(x); }
    /// ```
    ///
    /// ## What to do
    /// Give the size as the third argument of the launch.
    MissingSharedBytes { code: "L022", name: "missing-shared-bytes", severity: Info, fix: None, since: "0.1.0" }
}

impl Rule for MissingSharedBytes {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let document: &Document = cx.document;
        if document.launches().is_empty() || words(document, "__shared__").next().is_none() {
            return;
        }
        let wanting = wanting_kernels(cx);
        for launch in document.launches() {
            // Instances of a template may do without the array, and a macro may give the size.
            let is_plain = launch.config.len() >= 2 && !launch.callee.clone().any(|idx| document.is(idx, b'<'));
            let gives_none = is_plain
                && launch.config.get(2).is_none_or(|size| document.slice(document.range_of(size.clone())) == "0");
            let array = launch.kernel_name(document).and_then(|name| wanting.get(name).copied().flatten());
            if let Some(array) = array.filter(|_| gives_none) {
                let message = "the launch gives no shared memory, and the kernel has an array for it";
                cx.report(launch.range(document), message).label(array, "this kernel");
            }
        }
    }
}

/// Where the kernels with an `extern __shared__` array are, by name; `None` where another function of
/// the name has no such array.
fn wanting_kernels<'d>(cx: &Context<'d>) -> FxHashMap<&'d str, Option<TextRange>> {
    let document = cx.document;
    let nothing = Constants::default();
    let mut wanting: FxHashMap<&str, Option<TextRange>> = FxHashMap::default();
    for function in cx.facts.functions.iter().filter(|function| function.is_kernel) {
        let Some(name) = function.name else { continue };
        let range = of_function(function, &nothing, cx).dynamic.then(|| document.range_of(name..name + 1));
        let known = wanting.entry(document.token_text(name)).or_insert(range);
        *known = known.and(range);
    }
    wanting
}
