//! Kernels that need more shared memory than a target has.

use rustc_hash::FxHashMap;

use super::shared_memory::{SharedMemory, of_function};
use crate::analysis::Constants;
use crate::diagnostic::RuleInfo;
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::TextRange;
use crate::syntax::{Call, Document, TokenIdx, words};

declare_rule! {
    /// ## What it does
    /// Finds kernels with more shared memory than a target has: declared arrays, the size that a
    /// launch gives, both together, and the size that `cudaFuncSetAttribute` asks for. Only sizes
    /// that are known in the file count.
    ///
    /// ## Why is this bad?
    /// A block has 65,536 bytes on all targets but gfx950, which has 163,840. Declared arrays beyond
    /// that do not compile, and the launch or the request fails.
    ///
    /// ## Example
    /// ```cuda
    /// __global__ void sort(int* x) { extern __shared__ int part[]; part[0] = x[0]; }
    /// void run(int* x) { sort<<<1, 256, 96 * 1024>>>(x); }
    /// ```
    ///
    /// ## What to do
    /// Take smaller tiles, or keep part of the data in registers.
    SharedMemoryLimit { code: "L021", name: "shared-memory-limit", severity: Warning, fix: None, since: "0.1.0" }
}

impl Rule for SharedMemoryLimit {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let document: &Document = cx.document;
        let requests: Vec<TokenIdx> = words(document, "cudaFuncAttributeMaxDynamicSharedMemorySize").collect();
        if document.launches().is_empty() && requests.is_empty() && words(document, "__shared__").next().is_none() {
            return;
        }
        let constants = cx.constants();
        let kernels = kernels(&constants, cx);
        for launch in document.launches() {
            let Some(size) = launch.config.get(2).filter(|_| document.directive_of(launch.callee.start).is_none())
            else {
                continue;
            };
            let declared =
                launch.kernel_name(document).and_then(|name| kernels.get(name)).map_or(0, |memory| memory.known);
            if let Some(bytes) = constants.value(document, size.clone()).filter(|bytes| *bytes > 0) {
                report(cx, document.range_of(size.clone()), bytes.saturating_add(declared));
            }
        }
        for request in requests {
            if let Some((range, bytes)) = requested(document, request, &constants) {
                report(cx, range, bytes);
            }
        }
    }
}

/// What each kernel declares, the least where there are several of a name; reports those that
/// declare too much.
fn kernels<'d>(constants: &Constants, cx: &mut Context<'d>) -> FxHashMap<&'d str, SharedMemory> {
    let document: &'d Document = cx.document;
    let mut kernels: FxHashMap<&str, SharedMemory> = FxHashMap::default();
    for function in cx.facts.functions.iter().filter(|function| function.is_kernel) {
        let Some(name) = function.name else { continue };
        let memory = of_function(function, constants, cx);
        report(cx, document.range_of(name..name + 1), memory.known);
        let least = kernels.entry(document.token_text(name)).or_insert(memory);
        least.known = least.known.min(memory.known);
    }
    kernels
}

fn report(cx: &mut Context<'_>, range: TextRange, bytes: i64) {
    let small = cx.settings.targets.iter().filter(|target| bytes > i64::from(target.lds));
    let (names, limits): (Vec<&str>, Vec<u32>) = small.map(|target| (target.name.as_str(), target.lds)).unzip();
    if let Some(limit) = limits.into_iter().min() {
        let message = format!("a block needs {bytes} bytes of shared memory, and {} has {limit}", names.join(", "));
        cx.report(range, message);
    }
}

/// The bytes of `cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes)`.
fn requested(document: &Document, attribute: TokenIdx, constants: &Constants) -> Option<(TextRange, i64)> {
    let call = (0..attribute).rev().take(128).find_map(|idx| {
        let is_function = document.token_text(idx) == "cudaFuncSetAttribute";
        Call::at(document, idx).filter(|call| is_function && call.close > attribute)
    })?;
    let range = *call.arguments.get(2)?;
    let tokens = document.tokens_in(range);
    Some((range, constants.value(document, tokens)?))
}
