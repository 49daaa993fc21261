//! Kernels whose signature HIP does not allow.

use std::ops::Range;

use super::own_types::{Layout, OwnTypes};
use crate::analysis::{Declaration, Function};
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;
use crate::syntax::{Document, TokenIdx, TokenKind, split_arguments};

declare_rule! {
    /// ## What it does
    /// Finds kernels that return a value or name no type of their result, are `__host__` as well, or take a
    /// `long double`, a `va_list`, an `std::initializer_list` or C-style variable arguments; also behind a `typedef`
    /// of the file, or as a member of a structure of the file. Structures whose members
    /// an `#if` on the pass of the compiler decides are found as well. References are listed for information.
    ///
    /// ## Why is this bad?
    /// HIP does not allow them (HIP C++ language extensions, "`__global__`"). clang refuses the first
    /// three. It compiles the others, but the kernel reads its arguments wrongly: a `long double` has 16
    /// bytes on the host and 8 on the device, and a structure with members for one pass only has two sizes. A reference becomes the address of the argument, as in
    /// CUDA, so it works where the argument is in memory of the device.
    ///
    /// ## Example
    /// ```cuda
    /// __global__ void scale(long double factor, double* data) { data[threadIdx.x] *= factor; }
    /// ```
    ///
    /// ## What to do
    /// Pass values and pointers to device memory; store results through a pointer.
    ///
    /// ## Fix safety
    /// Safe: a kernel without a type of its result does not compile, and only `void` is allowed.
    KernelSignature { code: "K007", name: "kernel-signature", severity: Error, fix: Sometimes, since: "0.1.0" }
}

/// Types that may stand before a kernel's name by mistake.
const VALUE_TYPES: &[&str] = &["int", "float", "double", "bool", "char", "unsigned", "long", "short", "size_t"];

/// Forbidden by the documents, and the same in CUDA and HIP.
const REFERENCE: &str = "a reference";

impl Rule for KernelSignature {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let mut types = None;
        for kernel in cx.facts.functions.iter().filter(|function| function.is_kernel) {
            let Some(name) = kernel.name else { continue };
            check_head(kernel, name, cx);
            // Most kernels take numbers and pointers, so that no other type is looked for.
            let types = types.get_or_insert_with(|| OwnTypes::of(cx.document));
            check_parameters(kernel, name, types, cx);
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
    // The type may stand in front of the qualifiers: `void __launch_bounds__(64) __global__ f()`.
    let belongs = |idx: &TokenIdx| {
        matches!(document.kind(*idx), Some(TokenKind::Ident | TokenKind::Number)) || is_bracket(document, *idx)
    };
    let front = (0..kernel.head.start).rev().take_while(belongs);
    let is_void = (kernel.head.start..name).chain(front).any(|idx| document.token_text(idx) == "void");
    if VALUE_TYPES.contains(&returns) && !is_void {
        cx.report(document.range_of(name - 1..name), "a kernel must return `void`");
    } else if returns == "__global__" && !is_void && names_kernel(name, cx) {
        let range = document.range_of(name - 1..name);
        let fix = Fix::safe("return `void`", vec![Edit::insert(range.end(), " void")]);
        cx.report(range, "a kernel must return `void`, and this one names no type").fix(fix);
    }
}

fn is_bracket(document: &Document, idx: TokenIdx) -> bool {
    document.is(idx, b'(') || document.is(idx, b')')
}

/// Whether the word before the parameters is the name of the kernel, and no macro that brings name and type.
fn names_kernel(name: TokenIdx, cx: &Context<'_>) -> bool {
    let document = cx.document;
    let word = document.token_text(name);
    let is_shouted = !word.contains(|c: char| c.is_ascii_lowercase());
    let has_body = document.partner(name + 1).is_some_and(|close| document.is(close + 1, b'{'));
    has_body && !is_shouted && cx.facts.declared.get(word) != Some(Declaration::Macro)
}

fn check_parameters(kernel: &Function, name: TokenIdx, types: &OwnTypes<'_>, cx: &mut Context<'_>) {
    let document: &Document = cx.document;
    let is_parameter = |declared: TokenIdx| {
        let names = |idx: TokenIdx| matches!(document.token_text(idx), "class" | "typename");
        let of_template = kernel.head.start..name;
        let same = |idx: &TokenIdx| document.token_text(*idx) == document.token_text(declared);
        of_template.clone().filter(same).any(|idx| idx > of_template.start && names(idx - 1))
    };
    let open = name + 1;
    let Some(close) = document.partner(open).filter(|_| document.is(open, b'(')) else { return };
    for parameter in split_arguments(document, open + 1..close) {
        let of_file = types.problem(document, &own_tokens(document, &parameter));
        if let Some((why, declared)) = of_file.filter(|(_, declared)| !is_parameter(*declared)) {
            let finding = cx.report(document.range_of(parameter), why.message());
            finding.label(document.range_of(declared..declared + 1), "declared here");
            if why == Layout::Reference {
                finding.severity(Severity::Info).note("clang passes the address: it must be memory of the device");
            }
        } else if let Some(problem) = problem(document, &parameter) {
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
