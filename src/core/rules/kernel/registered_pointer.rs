//! Memory of the host that was registered, and is passed to a kernel by the host's pointer.

use crate::analysis::Function;
use crate::diagnostic::RuleInfo;
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::syntax::{Call, Document, TokenIdx, TokenKind, split_arguments, words, words_in};

declare_rule! {
    /// ## What it does
    /// Finds launches that pass a pointer to a kernel which the same function has given to `cudaHostRegister` before.
    ///
    /// ## Why is this bad?
    /// In CUDA host and device have the same pointer on most systems. HIP's documents say that the device's may differ, and has to be
    /// asked for (function reference of ROCm 6.2, "hipHostRegister").
    ///
    /// ## Example
    /// ```cuda
    /// #include <cuda_runtime.h>
    /// __global__ void k(float* x) { x[0] = 1; }
    /// void run(float* data, size_t size) {
    ///     cudaHostRegister(data, size, cudaHostRegisterMapped);
    ///     k<<<1, 1>>>(data);
    /// }
    /// ```
    ///
    /// ## What to do
    /// Ask `hipHostGetDevicePointer` for the pointer, and pass that.
    RegisteredPointer { code: "K047", name: "registered-pointer", severity: Info, fix: None, since: "0.1.0" }
}

impl Rule for RegisteredPointer {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let document: &Document = cx.document;
        for register in ["cudaHostRegister", "hipHostRegister"].into_iter().flat_map(|name| words(document, name)) {
            let Some(pointer) = registered(document, register) else { continue };
            let Some(function) = cx.facts.functions.around(register) else { continue };
            for argument in passed(document, function, pointer) {
                let name = document.token_text(pointer);
                let message = format!("`{name}` is the host's pointer to this memory; the device's may differ in HIP");
                let finding = cx.report(document.range_of(argument..argument + 1), message);
                finding.label(document.range_of(register..register + 1), "registered here");
                finding.note("ask `hipHostGetDevicePointer` for the device's");
            }
        }
    }
}

/// The variable whose memory a call registers: `p` in `(p, …)` and `((void*)p, …)`.
fn registered(document: &Document, call: TokenIdx) -> Option<TokenIdx> {
    let call = Call::at(document, call)?;
    let first = call.arguments.first()?;
    let (start, end) = (document.token_at(first.start()), document.token_at(first.end()));
    let last = end.checked_sub(1)?;
    let is_alone = last == start || document.is(last - 1, b')') && document.is(start, b'(');
    (is_alone && document.kind(last) == Some(TokenKind::Ident)).then_some(last)
}

/// The arguments of launches behind the token `pointer` that are the variable itself, as long as it holds the same pointer to
/// registered memory.
fn passed(document: &Document, function: &Function, pointer: TokenIdx) -> Vec<TokenIdx> {
    let name = document.token_text(pointer);
    let behind = pointer + 1..function.body.end;
    let is_changed =
        |idx: &TokenIdx| document.is(idx + 1, b'=') && !document.is(idx + 2, b'=') || document.is(idx - 1, b'&');
    let ends = words_in(document, name, behind.clone()).find(is_changed);
    let unregister = ["cudaHostUnregister", "hipHostUnregister"].into_iter();
    let ends = unregister.flat_map(|name| words_in(document, name, behind.clone())).chain(ends).min();
    let last = ends.unwrap_or(function.body.end);
    let launches =
        document.launches().iter().filter(|launch| behind.contains(&launch.open.start) && launch.open.start < last);
    let arguments = launches.flat_map(|launch| split_arguments(document, launch.arguments.0 + 1..launch.arguments.1));
    arguments
        .filter(|argument| argument.len() == 1 && document.token_text(argument.start) == name)
        .map(|a| a.start)
        .collect()
}
