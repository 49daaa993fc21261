//! Kernels whose signature HIP does not allow.

use std::ops::Range;

use crate::analysis::Function;
use crate::diagnostic::{RuleInfo, Severity};
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::syntax::{Document, TokenIdx, split_arguments};

declare_rule! {
    /// ## What it does
    /// Finds kernels that return a value, are `__host__` as well, or take a `long double`, a
    /// `va_list`, an `std::initializer_list` or C-style variable arguments. References are listed for
    /// information.
    ///
    /// ## Why is this bad?
    /// HIP does not allow them (HIP C++ language extensions, "`__global__`"). clang refuses the first
    /// two. It compiles the others, but the kernel reads its arguments wrongly: a `long double` has 16
    /// bytes on the host and 8 on the device. A reference becomes the address of the argument, as in
    /// CUDA, so it works where the argument is in memory of the device.
    ///
    /// ## Example
    /// ```cuda
    /// __global__ void scale(long double factor, double* data) { data[threadIdx.x] *= factor; }
    /// ```
    ///
    /// ## What to do
    /// Pass values and pointers to device memory; store results through a pointer.
    KernelSignature { code: "K007", name: "kernel-signature", severity: Error, fix: None, since: "0.1.0" }
}

/// Types that may stand before a kernel's name by mistake.
const VALUE_TYPES: &[&str] = &["int", "float", "double", "bool", "char", "unsigned", "long", "short", "size_t"];

/// Forbidden by the documents, and the same in CUDA and HIP.
const REFERENCE: &str = "a reference";

impl Rule for KernelSignature {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        for kernel in cx.facts.functions.iter().filter(|function| function.is_kernel) {
            let Some(name) = kernel.name else { continue };
            check_head(kernel, name, cx);
            check_parameters(name, cx);
        }
    }
}

fn check_head(kernel: &Function, name: TokenIdx, cx: &mut Context<'_>) {
    let document = cx.document;
    if kernel.is_host {
        let host = kernel.head.clone().find(|&idx| document.token_text(idx) == "__host__").unwrap_or(name);
        cx.report(document.range_of(host..host + 1), "a kernel cannot be a function of the host as well");
    }
    let returns =
        name.checked_sub(1).filter(|idx| kernel.head.contains(idx)).map_or("", |idx| document.token_text(idx));
    let is_void = (kernel.head.start..name).any(|idx| document.token_text(idx) == "void");
    if VALUE_TYPES.contains(&returns) && !is_void {
        cx.report(document.range_of(name - 1..name), "a kernel must return `void`");
    }
}

fn check_parameters(name: TokenIdx, cx: &mut Context<'_>) {
    let document = cx.document;
    let open = name + 1;
    let Some(close) = document.partner(open).filter(|_| document.is(open, b'(')) else { return };
    for parameter in split_arguments(document, open + 1..close) {
        if let Some(problem) = problem(document, &parameter) {
            let finding = cx.report(document.range_of(parameter), format!("a kernel cannot take {problem}"));
            if problem == REFERENCE {
                finding.severity(Severity::Info).note("clang passes the address: it must be memory of the device");
            }
        }
    }
}

fn problem(document: &Document, parameter: &Range<TokenIdx>) -> Option<&'static str> {
    let declared = own_tokens(document, parameter);
    let words: Vec<&str> = declared.iter().map(|&idx| document.token_text(idx)).collect();
    let has = |word: &str| words.contains(&word);
    if words == [".", ".", "."] {
        Some("variable arguments")
    } else if has("&") {
        Some(REFERENCE)
    } else if words.windows(2).any(|pair| pair == ["long", "double"]) && !has("*") {
        Some("a `long double`, whose size differs between host and device")
    } else if has("va_list") {
        Some("a `va_list`")
    } else if has("initializer_list") {
        Some("an `std::initializer_list`")
    } else {
        None
    }
}

/// The tokens of a parameter without template arguments, brackets and default value.
fn own_tokens(document: &Document, parameter: &Range<TokenIdx>) -> Vec<TokenIdx> {
    let mut own = Vec::new();
    let mut depth = 0_usize;
    let mut idx = parameter.start;
    while idx < parameter.end {
        match document.token_text(idx) {
            "<" => depth += 1,
            ">" => depth = depth.saturating_sub(1),
            "=" if depth == 0 => break,
            "(" | "[" | "{" => idx = document.partner(idx).filter(|&close| close > idx).unwrap_or(idx),
            _ if depth == 0 => own.push(idx),
            _ => {}
        }
        idx += 1;
    }
    own
}
