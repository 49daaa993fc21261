//! Runs the rules over one document.

use std::rc::Rc;
use std::sync::LazyLock;

use super::embedded::check_embedded;
use super::input::Input;
use super::suppress::{Suppressed, suppress};
use crate::analysis::Facts;
use crate::diagnostic::{Findings, Head, Severity};
use crate::rules::{
    Asm, Checker, Context, NameList, RULES, TextLiteral, WholeFile, blocks_for_cuda, define_all, find,
    is_about_suppressions, name_at,
};
use crate::settings::Settings;
use crate::source::{FirstSpans, TextSize};
use crate::syntax::{Document, TokenKind};

/// What the rules found, sorted by place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Checked {
    /// Findings that stand.
    pub found: Findings,
    /// Findings that comments switch off.
    pub suppressed: Vec<Suppressed>,
    /// Names that the file declares; see [`reconcile`](super::reconcile).
    pub declared: Vec<String>,
}

/// All findings.
pub fn check(input: Input<'_>) -> Checked {
    check_with(input, &Facts::of(input.document), |_| ()).0
}

/// All findings, and what `ask` finds in what the rules know about the file.
pub(super) fn check_and<T: Default>(input: Input<'_>, ask: impl FnOnce(&Context<'_>) -> T) -> (Checked, T) {
    check_with(input, &Facts::of(input.document), ask)
}

/// All findings in a file that is HIP, whether or not the file says so itself.
pub(super) fn check_as_hip(input: Input<'_>) -> Checked {
    let mut facts = Facts::of(input.document);
    facts.is_hip = true;
    check_with(input, &facts, |_| ()).0
}

fn check_with<T: Default>(input: Input<'_>, facts: &Facts, ask: impl FnOnce(&Context<'_>) -> T) -> (Checked, T) {
    let (mut found, asked) = run_and(input, facts, ask);
    if input.settings.strings {
        found.extend(check_embedded(input, run));
    }
    let suppressed = suppress(input, &mut found);
    if input.settings.skip_excluded {
        found.retain(|head| !facts.excluded.contains(head.range.start()));
    }
    found.retain(|finding| !facts.left_to_cuda.contains(finding.range.start()));
    apply_severities(input.settings, &mut found);
    // Stable: findings at one place stay in the order of the registry.
    found.sort_by_place();
    (Checked { found, suppressed, declared: facts.declared.iter().map(str::to_owned).collect() }, asked)
}

static CHECKERS: LazyLock<Vec<Checker>> = LazyLock::new(|| RULES.iter().map(|rule| (rule.checker)()).collect());

fn run(input: Input<'_>, facts: &Facts) -> Findings {
    run_and(input, facts, |_| ()).0
}

fn run_and<T: Default>(input: Input<'_>, facts: &Facts, ask: impl FnOnce(&Context<'_>) -> T) -> (Findings, T) {
    // A build file has its own rules.
    let is_build = input.document.build().is_some();
    let is_meant = |checker: &Checker| matches!(checker, Checker::Build(_)) == is_build;
    let enabled: Vec<_> = RULES
        .iter()
        .zip(&*CHECKERS)
        .filter(|(rule, checker)| {
            input.settings.rules.is_enabled(rule.info) && (is_meant(checker) || is_about_suppressions(rule.info))
        })
        .collect();
    let Some((first, _)) = enabled.first() else { return (Findings::default(), T::default()) };
    let mut cx = Context::new(input.document, facts, input.project, (input.table, input.settings), first.info);
    cx.names = Rc::new(names(&cx));
    cx.define = define_all;
    cx.is_rule = |name| find(name).is_some();
    let asms = asms(input.document);
    for (rule, checker) in enabled {
        cx.enter(rule.info);
        dispatch(*checker, &asms, &mut cx);
    }
    let (blocks, asked) = (blocks_for_cuda(&cx), ask(&cx));
    let mut found = cx.into_found();
    let bounds = blocks.iter().map(|(block, _)| block.start()..block.end());
    let around: FirstSpans<TextSize> = bounds.enumerate().collect();
    found.change(
        |head| head.severity > Severity::Info && around.at(head.range.start()).is_some(),
        |finding| {
            let why = around.at(finding.range.start()).and_then(|at| blocks.get(at)).map_or("", |(_, why)| *why);
            finding.severity(Severity::Info).note(why);
        },
    );
    (found, asked)
}

/// Calls one rule for everything that it looks at.
fn dispatch<'d>(checker: Checker, asms: &[Asm], cx: &mut Context<'d>) {
    let document: &'d Document = cx.document;
    match checker {
        Checker::Name(check) => {
            let names = Rc::clone(&cx.names);
            names.iter().for_each(|name| check(name, cx));
        }
        Checker::Include(check) => document.includes().for_each(|include| check(include, cx)),
        Checker::Launch(check) => document.launches().iter().for_each(|launch| check(launch, cx)),
        Checker::Asm(check) => asms.iter().for_each(|asm| check(*asm, cx)),
        Checker::Text(check) => {
            for (token, text) in document.tokens().iter().enumerate() {
                if matches!(text.kind, TokenKind::Str | TokenKind::RawStr) {
                    check(TextLiteral { token }, cx);
                }
            }
        }
        Checker::File(check) | Checker::Build(check) => check(WholeFile, cx),
    }
}

fn names<'d>(cx: &Context<'d>) -> NameList<'d> {
    let tokens = cx.document.tokens().iter().enumerate();
    let names = tokens.filter(|(_, token)| token.kind == TokenKind::Ident).filter_map(|(idx, _)| name_at(idx, cx));
    NameList::new(cx.document, names)
}

fn asms(document: &Document) -> Vec<Asm> {
    let mut asms = Vec::new();
    for keyword in 0..document.tokens().len() {
        if !matches!(document.token_text(keyword), "asm" | "__asm__" | "__asm") {
            continue;
        }
        let mut open = keyword + 1;
        while matches!(document.token_text(open), "volatile" | "__volatile__" | "__volatile" | "goto" | "inline") {
            open += 1;
        }
        if let Some(close) = document.partner(open).filter(|_| document.is(open, b'(')) {
            asms.push(Asm { keyword, open, close });
        }
    }
    asms
}

fn apply_severities(settings: &Settings, found: &mut Findings) {
    // A hint without a fix is advice, which is shown to those who ask for it.
    let is_asked_for = |head: Head| head.severity == Severity::Hint && settings.rules.asks_for(head.rule);
    found.change(is_asked_for, |finding| {
        if finding.fix.is_none() {
            finding.severity = Severity::Info;
        }
    });
    if settings.rules.severities.is_empty() {
        return;
    }
    let wanted = |rule| settings.rules.severity_of(rule);
    found.change(
        |head| wanted(head.rule).is_some_and(|severity| severity != head.severity),
        |finding| finding.severity = wanted(finding.rule).unwrap_or(finding.severity),
    );
}
