//! Launches in chevron syntax.

use std::ops::Range;

use super::helpers::keeps_chevrons;
use crate::analysis::Function;
use crate::diagnostic::{Fix, RuleInfo};
use crate::rules::context::Context;
use crate::rules::query::Launches;
use crate::rules::rule::{Rule, declare_rule};
use crate::settings::LaunchStyle;
use crate::source::{Edit, TextRange, range};
use crate::syntax::{Document, LAUNCH_MACRO, Launch, TokenIdx, has_bare_comma, split_arguments};

declare_rule! {
    /// ## What it does
    /// Finds kernel launches `kernel<<<grid, block, shared, stream>>>(arguments)`.
    ///
    /// ## Why is this bad?
    /// It is not: HIP compilers accept the syntax. `hipLaunchKernelGGL` is what AMD's guides use,
    /// and what compilers without the extension can read. `--launch chevron` keeps the chevrons.
    ///
    /// ## Example
    /// ```cuda
    /// void f(float* x) { scale<<<grid, 256>>>(x, n); }
    /// ```
    /// Use instead:
    /// ```hip
    /// void f(float* x) { hipLaunchKernelGGL(scale, dim3(grid), dim3(256), 0, 0, x, n); }
    /// ```
    ///
    /// ## Fix safety
    /// Safe. Missing shared memory size and stream become `0`. Launches that are part of an
    /// expression or hold a directive keep their chevrons, see `kept-launch`.
    ChevronLaunch { code: "L001", name: "chevron-launch", severity: Hint, fix: Always, since: "0.1.0" }
}

impl Rule for ChevronLaunch {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Launches;

    fn check<'d>(launch: &'d Launch, cx: &mut Context<'d>) {
        if !launch.has_chevrons() {
            return;
        }
        if keeps_chevrons(launch, cx).is_some() || cx.settings.launch == LaunchStyle::Chevron {
            join_chevrons(launch, cx);
            return;
        }
        let fix = Fix::safe("launch with `hipLaunchKernelGGL`", edits(launch, cx));
        let name = launch.kernel_name(cx.document).unwrap_or("kernel");
        cx.report(launch.range(cx.document), format!("`{name}` is launched with chevrons")).fix(fix);
    }
}

/// nvcc reads `<< <` and `>> >`, clang does not.
fn join_chevrons(launch: &Launch, cx: &mut Context<'_>) {
    for (tokens, joined) in [(&launch.open, "<<<"), (&launch.close, ">>>")] {
        let chevrons = cx.document.range_of(tokens.clone());
        if cx.document.slice(chevrons) != joined {
            let fix = Fix::safe("join the chevrons", vec![Edit::replace(chevrons, joined)]);
            cx.report(chevrons, "HIP compilers do not read chevrons with spaces in them").fix(fix);
        }
    }
}

fn edits(launch: &Launch, cx: &Context<'_>) -> Vec<Edit> {
    let document = cx.document;
    let as_hipify = cx.settings.launch == LaunchStyle::Hipify;
    let mut edits = Vec::new();
    let callee = document.range_of(launch.callee.clone());
    let (mut head, mut tail) = (format!("{LAUNCH_MACRO}("), "");
    if has_bare_comma(document, launch.callee.clone()) || (as_hipify && is_template(launch, cx)) {
        head.push_str("HIP_KERNEL_NAME(");
        tail = ")";
    }
    edits.push(Edit::insert(callee.start(), head));
    let first = document.range_of(launch.config[0].clone());
    edits.push(between(document, callee, launch.open.clone(), first, &format!("{tail}, ")));
    for tokens in &launch.config[..2] {
        wrap_dim3(document, tokens.clone(), &mut edits);
    }
    for tokens in &launch.config[2..] {
        if has_bare_comma(document, tokens.clone()) {
            wrap(document.range_of(tokens.clone()), "(", ")", &mut edits);
        }
    }
    edits.extend(argument_edits(document, launch));
    if as_hipify {
        let (open, close) = launch.arguments;
        edits.extend(spacing(document, &launch.config));
        edits.extend(spacing(document, &split_arguments(document, open + 1..close)));
    }
    edits
}

/// Whether a template is launched, with arguments or without.
fn is_template(launch: &Launch, cx: &Context<'_>) -> bool {
    let document = cx.document;
    let name = launch.kernel_name(document);
    let is_known = |function: &Function| {
        let own = function.name.map(|name| document.token_text(name));
        own == name && document.token_text(function.head.start) == "template"
    };
    launch.callee.clone().any(|idx| document.is(idx, b'<'))
        || (name.is_some() && cx.facts.functions.iter().any(is_known))
}

/// One blank between parts of which a comma and blanks stand between.
fn spacing(document: &Document, parts: &[Range<TokenIdx>]) -> Vec<Edit> {
    let pairs = parts.windows(2).filter_map(|pair| {
        let (before, after) = (document.range_of(pair[0].clone()), document.range_of(pair[1].clone()));
        let gap = TextRange::new(before.end(), after.start());
        let text = document.slice(gap);
        let is_plain = text.trim_matches(' ') == "," && text != ", ";
        (is_plain && !pair[0].is_empty() && !pair[1].is_empty()).then(|| Edit::replace(gap, ", "))
    });
    pairs.collect()
}

/// Replaces the chevrons from `before` to `after`, with the blanks around them if there are only blanks.
fn between(document: &Document, before: TextRange, chevrons: Range<TokenIdx>, after: TextRange, text: &str) -> Edit {
    let own = document.range_of(chevrons);
    let blank = |from, to| document.slice(range(usize::from(from), usize::from(to))).bytes().all(|b| b == b' ');
    let start = if blank(before.end(), own.start()) { before.end() } else { own.start() };
    let end = if blank(own.end(), after.start()) { after.start() } else { own.end() };
    // A line end or comment follows: no blank before it.
    let text = if end == after.start() { text } else { text.trim_end() };
    Edit::replace(TextRange::new(start, end), text)
}

/// Grid and block become `dim3(…)`, unless they are written so.
fn wrap_dim3(document: &Document, tokens: Range<TokenIdx>, edits: &mut Vec<Edit>) {
    let is_dim3 =
        document.token_text(tokens.start) == "dim3" && document.partner(tokens.start + 1) == Some(tokens.end - 1);
    let own = document.range_of(tokens.clone());
    match (is_dim3, has_bare_comma(document, tokens)) {
        (true, false) => {}
        (true, true) => wrap(own, "(", ")", edits),
        (false, _) => wrap(own, "dim3(", ")", edits),
    }
}

fn wrap(own: TextRange, open: &str, close: &str, edits: &mut Vec<Edit>) {
    edits.push(Edit::insert(own.start(), open));
    edits.push(Edit::insert(own.end(), close));
}

/// The missing configuration, and a comma or nothing for the parenthesis of the arguments.
fn argument_edits(document: &Document, launch: &Launch) -> Vec<Edit> {
    let defaults = [", 0, 0", ", 0", ""][launch.config.len() - 2];
    let (open, close) = launch.arguments;
    let blank_follows =
        document.text()[usize::from(document.range_of(open..open + 1).end())..].starts_with([' ', '\t', '\r', '\n']);
    let separator = match (close == open + 1, blank_follows) {
        (true, _) => "",
        (false, true) => ",",
        (false, false) => ", ",
    };
    let chevrons = document.range_of(launch.close.clone());
    let parenthesis = document.range_of(open..open + 1);
    let last = document.range_of(launch.config[launch.config.len() - 1].clone());
    let gap = document.slice(TextRange::new(chevrons.end(), parenthesis.start()));
    let before = document.slice(TextRange::new(last.end(), chevrons.start()));
    let start = if before.bytes().all(|b| b == b' ') { last.end() } else { chevrons.start() };
    if gap.trim().is_empty() {
        return vec![Edit::replace(TextRange::new(start, parenthesis.end()), format!("{defaults}{separator}"))];
    }
    vec![
        Edit::replace(TextRange::new(start, chevrons.end()), format!("{defaults}{}", separator.trim_end())),
        Edit::delete(parenthesis),
    ]
}
