//! Atomics on floating point numbers that may lie in memory of the host.

use super::places::pointee;
use crate::diagnostic::{RuleInfo, Severity};
use crate::rules::context::Context;
use crate::rules::meaning::Meaning;
use crate::rules::query::{Files, Name, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::TextRange;
use crate::syntax::Call;

declare_rule! {
    /// ## What it does
    /// Notes `atomicAdd` on `float` and `double` in files that allocate managed or pinned memory.
    /// Only the first place of a file is reported. It is a warning where a build file of the project sets `-munsafe-fp-atomics`.
    ///
    /// ## Why is this bad?
    /// Such memory is fine-grained, and the fast instructions of some GPUs give wrong results there.
    /// The compiler avoids them by default, so this matters where the build sets
    /// `-munsafe-fp-atomics`, or where `unsafeAtomicAdd` is called.
    ///
    /// ## Example
    /// ```cuda
    /// __global__ void add(float* sum) { atomicAdd(sum, 1.0f); }
    /// void run(float* sum) { cudaMallocManaged(&sum, 4); add<<<1, 32>>>(sum); }
    /// ```
    ///
    /// ## What to do
    /// Leave the flag out, or call `safeAtomicAdd` for this memory.
    FloatAtomicMemory { code: "K034", name: "float-atomic-memory", severity: Info, fix: None, since: "0.1.0" }
}

/// Functions and specifiers whose memory host and device share.
const SHARED: &[&str] = &["cudaMallocManaged", "cudaHostAlloc", "cudaMallocHost", "cuMemAllocManaged", "__managed__"];

impl Rule for FloatAtomicMemory {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        if !cx.names.iter().any(|name| SHARED.contains(&&*name.text)) {
            return;
        }
        let Some(range) = cx.names.iter().find(|name| adds_floats(name, cx)).map(|name| name.range) else { return };
        let build = cx.project.builds.unsafe_atomics.clone();
        let finding = cx.report(range, "the file has memory in which fast floating point atomics are not safe");
        match build {
            Some(build) => finding
                .severity(Severity::Warning)
                .note(format!("{build} sets `-munsafe-fp-atomics`; take it out, or call `safeAtomicAdd` here")),
            None => finding.note("do not compile with `-munsafe-fp-atomics`, or call `safeAtomicAdd` here"),
        };
    }
}

fn adds_floats(name: &Name<'_>, cx: &Context<'_>) -> bool {
    let document = cx.document;
    let adds = matches!(&*name.text, "atomicAdd" | "atomicAdd_system") && matches!(name.meaning, Meaning::Same(_));
    let function = cx.facts.functions.around(name.token).filter(|_| adds);
    let first = || Some(*Call::at(document, name.token)?.arguments.first()?);
    let tokens = |range: TextRange| document.tokens_in(range);
    let word = function.and_then(|function| pointee(document, function, tokens(first()?)));
    matches!(word, Some("float" | "double"))
}
