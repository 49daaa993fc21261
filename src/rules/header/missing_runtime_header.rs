//! Files that use HIP without including its runtime header.

use super::helpers::hip_header;
use crate::analysis::regions;
use crate::diagnostic::{Fix, RuleInfo, Scope, suppressions};
use crate::rules::context::Context;
use crate::rules::meaning::Meaning;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::{Edit, TextSize};
use crate::syntax::{Directive, DirectiveKind, Document, TokenIdx};

declare_rule! {
    /// ## What it does
    /// Finds files that use names of CUDA's runtime or device code without including a header
    /// that provides them.
    ///
    /// ## Why is this bad?
    /// nvcc includes its runtime header into every file; HIP compilers include nothing, so the
    /// file does not compile.
    ///
    /// ## Example
    /// ```cuda
    /// __global__ void fill(int* out) { out[threadIdx.x] = 1; }
    /// ```
    /// Use instead:
    /// ```hip
    /// #include <hip/hip_runtime.h>
    /// __global__ void fill(int* out) { out[threadIdx.x] = 1; }
    /// ```
    ///
    /// ## Fix safety
    /// Safe. The include is put before the first other include, else behind the include guard or
    /// `#pragma once`, else behind the comments that open the file.
    MissingRuntimeHeader { code: "H004", name: "missing-runtime-header", severity: Hint, fix: Always, since: "0.1.0" }
}

const RUNTIME: &str = "hip/hip_runtime.h";

/// Specifiers and variables that make a file device code.
const DEVICE_WORDS: &[&str] = &[
    "__global__",
    "__device__",
    "__shared__",
    "__constant__",
    "__managed__",
    "threadIdx",
    "blockIdx",
    "blockDim",
    "gridDim",
];

impl Rule for MissingRuntimeHeader {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check<'d>(_: WholeFile, cx: &mut Context<'d>) {
        let Some(first_use) = first_use(cx) else { return };
        if provides_runtime(cx) {
            return;
        }
        let document = cx.document;
        let at = above_suppressions(document, insertion_point(document));
        let line = format!("#include <{RUNTIME}>{}", document.file().newline.as_str());
        let fix = Fix::safe(format!("include `{RUNTIME}`"), vec![Edit::insert(at, line)]);
        let Some(token) = document.token(first_use) else { return };
        cx.report(token.range(), format!("the file uses HIP but does not include `{RUNTIME}`")).fix(fix);
    }
}

/// The first token that needs the runtime header.
fn first_use(cx: &Context<'_>) -> Option<TokenIdx> {
    let uses = |meaning: &Meaning<'_>| match meaning {
        Meaning::Renamed(_, entry) | Meaning::Same(entry) => matches!(entry.library, "runtime" | "driver" | "device"),
        _ => false,
    };
    let is_read = |idx: &TokenIdx| cx.document.token(*idx).is_some_and(|token| !cx.skips(token.range().start()));
    let mut names = cx.names.iter().filter(|name| uses(&name.meaning)).map(|name| name.token);
    let mut launches = cx.document.launches().iter().map(|launch| launch.callee.start);
    let (name, launch) = (names.find(is_read), launches.find(is_read));
    let is_device_word = |idx: &TokenIdx| DEVICE_WORDS.contains(&cx.document.token_text(*idx));
    let in_code = |idx: &TokenIdx| cx.document.directive_of(*idx).is_none_or(|d| !d.kind.has_condition());
    let word = (0..cx.document.tokens().len()).find(|idx| is_device_word(idx) && in_code(idx) && is_read(idx));
    name.into_iter().chain(launch).chain(word).min()
}

fn provides_runtime(cx: &Context<'_>) -> bool {
    let mut includes = cx.document.includes();
    includes.any(|include| include.path == RUNTIME || hip_header(&include, cx).is_some_and(|(to, _)| to == RUNTIME))
}

/// Where the include goes: the start of a line.
fn insertion_point(document: &Document) -> TextSize {
    let guard = include_guard(document);
    let depth = usize::from(guard.is_some());
    let first_include = document
        .directives()
        .iter()
        .zip(regions(document))
        .find(|(directive, region)| directive.kind == DirectiveKind::Include && region.len() == depth)
        .map(|(directive, _)| line_start(document, directive.range.start()));
    first_include.or_else(|| Some(next_line(document, guard?.range.end()))).unwrap_or_else(|| {
        let pragma = document.directives().iter().find(|directive| is_pragma_once(document, directive));
        pragma.map_or_else(|| after_opening_comments(document), |pragma| next_line(document, pragma.range.end()))
    })
}

/// A comment that switches findings off must stay in front of the line that it speaks for.
fn above_suppressions(document: &Document, at: TextSize) -> TextSize {
    let mut at = at;
    for suppression in suppressions(document.text(), document.comments()).iter().rev() {
        let speaks_for_next = matches!(suppression.scope, Scope::Lines(lines) if at <= lines.start());
        if speaks_for_next && suppression.comment.start() < at {
            at = line_start(document, suppression.comment.start());
        }
    }
    at
}

/// The `#define` of an include guard that opens the file.
fn include_guard(document: &Document) -> Option<&Directive> {
    let [test, define, ..] = document.directives() else { return None };
    let opens_file =
        test.tokens.start == 0 && test.kind == DirectiveKind::Ifndef && define.kind == DirectiveKind::Define;
    let macro_of = |directive: &Directive| document.token_text(directive.tokens.start + 2);
    let same = macro_of(test) == macro_of(define) && define.tokens.len() == 3;
    (opens_file && same && define.tokens.start == test.tokens.end).then_some(define)
}

fn is_pragma_once(document: &Document, directive: &Directive) -> bool {
    directive.kind == DirectiveKind::Pragma && document.token_text(directive.tokens.start + 2) == "once"
}

fn line_start(document: &Document, at: TextSize) -> TextSize {
    let before = &document.text()[..usize::from(at)];
    let start = before.rfind('\n').map_or(bom_len(document), |newline| newline + 1);
    TextSize::try_from(start).unwrap_or(at)
}

fn next_line(document: &Document, at: TextSize) -> TextSize {
    let text = document.text();
    let from = usize::from(at);
    let next = text[from..].find('\n').map_or(text.len(), |newline| from + newline + 1);
    TextSize::try_from(next).unwrap_or(at)
}

fn bom_len(document: &Document) -> usize {
    if document.text().starts_with('\u{feff}') { 3 } else { 0 }
}

/// Behind the comments that open the file, a blank line at the most between them.
fn after_opening_comments(document: &Document) -> TextSize {
    let text = document.text();
    let mut end = bom_len(document);
    let mut last_comment = TextSize::default();
    for comment in document.comments() {
        let gap = &text[end..usize::from(comment.start())];
        if !gap.trim().is_empty() || (end > 0 && gap.matches('\n').count() > 1) {
            break;
        }
        end = usize::from(comment.end());
        last_comment = comment.start();
    }
    if end == bom_len(document) {
        return TextSize::try_from(end).unwrap_or_default();
    }
    let line_end = text[end..].find('\n').map_or(text.len(), |newline| end + newline);
    let shares_line = !text[end..line_end].trim().is_empty();
    if shares_line {
        return line_start(document, last_comment);
    }
    next_line(document, TextSize::try_from(end).unwrap_or_default())
}
