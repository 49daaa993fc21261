//! Constant objects with host functions, of which HIP's compiler makes a copy for the device.

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::analysis::Function;
use crate::diagnostic::{Fix, RuleInfo};
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::{Edit, TextRange};
use crate::syntax::{Document, TokenIdx, TokenKind};

declare_rule! {
    /// ## What it does
    /// Finds constant objects that other files see and that hold addresses of host functions, in files with device code.
    ///
    /// ## Why is this bad?
    /// HIP's compiler makes a copy of a constant object for the device, so that device code can read it, unless nobody else sees the object.
    /// The copy names functions that are not there: `lld: error: undefined symbol`. CUDA's compiler makes none (CUDA C++ Programming
    /// Guide, "Const-qualified Variables").
    ///
    /// ## Example
    /// ```cuda
    /// #include <cuda_runtime.h>
    /// struct backend { const char* name; int (*run)(int); };
    /// __global__ void k(int* p) { *p = 1; }
    /// static int run(int n) { return n; }
    /// extern "C" const backend gpu = {"gpu", run};
    /// ```
    /// Use instead:
    /// ```hip
    /// #include <hip/hip_runtime.h>
    /// struct backend { const char* name; int (*run)(int); };
    /// __global__ void k(int* p) { *p = 1; }
    /// static int run(int n) { return n; }
    /// #if !defined(__HIP_DEVICE_COMPILE__)
    /// extern "C" const backend gpu = {"gpu", run};
    /// #endif
    /// ```
    ///
    /// ## Fix safety
    /// Safe: device code can do nothing with the address of a host function.
    HostFunctionTable { code: "K050", name: "host-function-table", severity: Hint, fix: Always, since: "0.2.0" }
}

impl Rule for HostFunctionTable {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        if !cx.facts.functions.iter().any(Function::runs_on_device) {
            return;
        }
        for table in tables(cx) {
            let range = cx.document.range_of(table.clone());
            let name = cx.document.range_of(table.start..table.start + 1);
            let fix = Fix::safe("keep it from the device", around(range, cx.document));
            cx.report(
                name,
                "HIP's compiler makes a copy of this constant for the device, where its functions are missing",
            )
            .fix(fix);
        }
    }
}

/// The statements that define such objects.
fn tables(cx: &Context<'_>) -> Vec<Range<TokenIdx>> {
    let document = cx.document;
    let mut on_host: FxHashMap<&str, bool> = FxHashMap::default();
    for function in cx.facts.functions.iter() {
        let Some(name) = function.name else { continue };
        *on_host.entry(document.token_text(name)).or_insert(true) &= !function.runs_on_device();
    }
    // A header of the project may say that the object is for others.
    let has_header = document.includes().any(|include| include.quoted);
    let is_host = |idx: TokenIdx| {
        on_host.get(document.token_text(idx)) == Some(&true)
            && !document.is(idx + 1, b'(')
            && !document.is(idx + 1, b'<')
    };
    let assigned = (1..document.tokens().len()).filter(|&idx| document.is(idx, b'=') && document.is(idx + 1, b'{'));
    let statements = assigned.filter_map(|sign| {
        let close = document.partner(sign + 1)?;
        let start = (0..sign).rev().take_while(|&at| !ends(document, at)).last()?;
        let words: Vec<&str> = (start..sign).map(|at| document.token_text(at)).collect();
        let has = |word: &str| words.contains(&word);
        let is_seen = has("extern") || has_header && !has("static") && !has("constexpr");
        let is_outside = cx.facts.functions.around(sign).is_none() && !cx.facts.blocks(document).is_in_class(start);
        let fits = has("const") && is_seen && is_outside && document.directive_of(sign).is_none();
        (fits && document.is(close + 1, b';') && (sign + 2..close).any(is_host)).then_some(start..close + 2)
    });
    statements.collect()
}

/// Whether a statement cannot reach over a token.
fn ends(document: &Document, at: TokenIdx) -> bool {
    document.directive_of(at).is_some() || matches!(document.kind(at), Some(TokenKind::Punct(b';' | b'{' | b'}')))
}

/// Lines around a statement that only the compilation for the host reads.
fn around(statement: TextRange, document: &Document) -> Vec<Edit> {
    let newline = document.file().newline.as_str();
    vec![
        Edit::insert(statement.start(), format!("#if !defined(__HIP_DEVICE_COMPILE__){newline}")),
        Edit::insert(statement.end(), format!("{newline}#endif")),
    ]
}
