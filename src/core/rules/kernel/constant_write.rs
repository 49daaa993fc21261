//! Kernels that write to constant memory.

use super::places::{OwnWords, writes};
use crate::analysis::{DeviceVariable, Function, Role, Space, role};
use crate::diagnostic::RuleInfo;
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::syntax::{Document, TokenIdx, TokenKind, words};

declare_rule! {
    /// ## What it does
    /// Finds device code that assigns to a `__constant__` variable of the same file.
    ///
    /// ## Why is this bad?
    /// Constant memory is filled by the host and read by kernels. clang compiles the write without
    /// a word, and what it does is not defined.
    ///
    /// ## Example
    /// ```cuda
    /// __constant__ int table[4];
    /// __global__ void fill() { table[threadIdx.x] = 1; }
    /// ```
    ///
    /// ## What to do
    /// Make it a `__device__` variable, or fill it with `cudaMemcpyToSymbol`.
    ConstantWrite { code: "K029", name: "constant-write", severity: Error, fix: None, since: "0.1.0" }
}

impl Rule for ConstantWrite {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let document: &Document = cx.document;
        let is_own = |variable: &&DeviceVariable| variable.space == Space::Constant && !variable.is_conditional;
        let mut own_words = OwnWords::default();
        for (idx, variable) in
            DeviceVariable::named(document, cx.facts.device_variables(document).iter().filter(is_own))
        {
            let function = cx.facts.functions.around(idx).filter(|function| Function::is_device_only(function));
            let is_written = |_: &&Function| writes(document, idx) && !leads_elsewhere(document, idx, variable);
            let Some(function) = function.filter(is_written) else { continue };
            let name = document.token_text(idx);
            if role(document, idx) == Role::Free && !own_words.declares(document, function, name) {
                let message = format!("device code writes to `{name}`, which is constant memory");
                cx.report(document.range_of(idx..idx + 1), message);
            }
        }
    }
}

/// Whether a pointer may lead to other memory: what it points to (`*p`), its elements (`p[i]`), or those of a member that
/// the file does not declare as an array (`state.key[i]`).
fn leads_elsewhere(document: &Document, idx: TokenIdx, variable: &DeviceVariable) -> bool {
    let is_subscript = |at: TokenIdx| document.is(at, b'[');
    let behind = |at: TokenIdx| document.partner(at).map_or(at + 1, |close| close + 1);
    if idx.checked_sub(1).is_some_and(|before| document.is(before, b'*')) {
        return true;
    }
    let mut declared = variable.name + 1;
    let mut at = idx + 1;
    while is_subscript(at) {
        // Each bracket of the declaration is a dimension.
        if !is_subscript(declared) {
            return true;
        }
        (declared, at) = (behind(declared), behind(at));
    }
    while document.is(at, b'.') {
        let member = at + 1;
        at = member + 1;
        let is_array = || words(document, document.token_text(member)).any(|name| is_array_member(document, name));
        if is_subscript(at) && !is_array() {
            return true;
        }
        while is_subscript(at) {
            at = behind(at);
        }
    }
    false
}

/// Whether a name is declared as an array of values: `float a[4];`
fn is_array_member(document: &Document, name: TokenIdx) -> bool {
    let follows_type = name.checked_sub(1).is_some_and(|before| document.kind(before) == Some(TokenKind::Ident));
    let close = document.partner(name + 1).filter(|_| document.is(name + 1, b'['));
    follows_type && close.is_some_and(|close| matches!(document.token_text(close + 1), ";" | "," | "=" | "["))
}
