//! Constant objects with host functions, of which HIP's compiler makes a copy for the device.

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::analysis::{Definition, Function, Value, evaluate};
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::rules::context::Context;
use crate::rules::own_lines::{enclosed, whole_lines};
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::{Edit, Spans, TextRange};
use crate::syntax::{Document, TokenIdx, TokenKind, spellings, words};

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
    /// Safe: device code can do nothing with the address of a host function. An object that shares its lines has no fix.
    HostFunctionTable { code: "K050", name: "host-function-table", severity: Hint, fix: Sometimes, since: "0.2.0" }
}

impl Rule for HostFunctionTable {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        if !cx.facts.functions.iter().any(Function::runs_on_device) {
            return;
        }
        let on_host = for_host(cx);
        let tables: Vec<_> = tables(cx).into_iter().filter(|table| !on_host.contains(table.start)).collect();
        if tables.is_empty() {
            return;
        }
        let last_uses = last_uses(cx.document);
        let mut groups: Vec<Group> = Vec::new();
        for table in tables {
            let name = cx.document.range_of(table.start..table.start + 1);
            let lines = whole_lines(cx.document, cx.document.range_of(table.clone()));
            let declared = declaration(cx.document, &table, &last_uses);
            match groups.last_mut() {
                // Two edits at one place would contradict each other.
                Some(Group { lines: Some(before), declared: others, .. })
                    if lines.is_some_and(|lines| lines.start() == before.end()) =>
                {
                    *before = before.cover(lines.unwrap_or(*before));
                    others.extend(declared);
                }
                _ => groups.push(Group { first: name, lines, declared: declared.into_iter().collect() }),
            }
        }
        for Group { first, lines, declared } in groups {
            let message =
                "HIP's compiler makes a copy of this constant for the device, where its functions are missing";
            let edits = lines.map(|lines| around(lines, &declared, cx.document));
            let finding = cx.report(first, message);
            match edits {
                Some(edits) => finding.fix(Fix::safe("keep it from the device", edits)),
                None => finding.severity(Severity::Error).note("put `#if !defined(__HIP_DEVICE_COMPILE__)` around it"),
            };
        }
    }
}

/// Objects on lines that follow each other.
struct Group {
    /// The first word.
    first: TextRange,
    /// Whole lines, if nothing else stands on them.
    lines: Option<TextRange>,
    /// Declarations of those that the rest of the file names.
    declared: Vec<String>,
}

/// What no compilation for a device reads.
fn for_host(cx: &Context<'_>) -> Spans<TokenIdx> {
    let on_device = |token: TokenIdx| match &*cx.document.name(token) {
        "__HIP_DEVICE_COMPILE__" | "__CUDA_ARCH__" => Definition::Defined(Value::Unknown),
        _ => Definition::Unknown,
    };
    let chains = cx.facts.conditions.chains().iter();
    chains.flat_map(|chain| chain.skipped(|condition| evaluate(condition, &on_device).truth())).collect()
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
        let blocks = cx.facts.blocks(document);
        let is_outside = cx.facts.functions.around(sign).is_none()
            && !blocks.is_in_class(start)
            && !blocks.is_in_unnamed_namespace(document, start);
        let fits = has("const") && is_seen && is_outside && document.directive_of(sign).is_none();
        (fits && document.is(close + 1, b';') && (sign + 2..close).any(is_host)).then_some(start..close + 2)
    });
    statements.collect()
}

/// Where each name of a file stands last.
fn last_uses(document: &Document) -> FxHashMap<&str, TokenIdx> {
    spellings(document).filter_map(|name| Some((name, words(document, name).next_back()?))).collect()
}

/// What declares an object without its value, if the rest of the file names it: the bodies of host functions are read for the device
/// as well.
fn declaration(document: &Document, table: &Range<TokenIdx>, last_uses: &FxHashMap<&str, TokenIdx>) -> Option<String> {
    let sign = table.clone().find(|&at| document.is(at, b'='))?;
    let end = table.clone().find(|&at| document.is(at, b'[')).map_or(sign, |bracket| bracket.min(sign));
    let name = (table.start..end).rev().find(|&at| document.kind(at) == Some(TokenKind::Ident))?;
    last_uses.get(document.token_text(name)).filter(|last| **last >= table.end)?;
    let words = document.slice(document.range_of(table.start..sign));
    let is_extern = (table.start..sign).any(|at| document.token_text(at) == "extern");
    Some(format!("{}{};", if is_extern { "" } else { "extern " }, words.trim_end()))
}

/// Whether a statement cannot reach over a token.
fn ends(document: &Document, at: TokenIdx) -> bool {
    document.directive_of(at).is_some() || matches!(document.kind(at), Some(TokenKind::Punct(b';' | b'{' | b'}')))
}

/// Puts lines around others that only the compilation for the host reads; for the device there are declarations.
fn around(lines: TextRange, declared: &[String], document: &Document) -> Vec<Edit> {
    let newline = document.file().newline.as_str();
    let otherwise = match declared {
        [] => String::new(),
        _ => format!("#else{newline}{}{newline}", declared.join(newline)),
    };
    enclosed(document, lines, "#if !defined(__HIP_DEVICE_COMPILE__)", &format!("{otherwise}#endif"))
}
