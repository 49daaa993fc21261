//! Runs the rules over one document.

use std::rc::Rc;
use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::assembly::asms;
use super::input::Input;
use crate::analysis::Facts;
use crate::diagnostic::{Findings, Head, Severity};
use crate::rules::{
    Checker, Context, NameList, RULES, TextLiteral, WholeFile, blocks_for_cuda, define_all, find,
    is_about_suppressions, is_about_waves, may_be_names, name_at,
};
use crate::settings::Settings;
use crate::source::{FirstSpans, TextSize};
use crate::syntax::{Document, TokenKind};

static CHECKERS: LazyLock<Vec<Checker>> = LazyLock::new(|| RULES.iter().map(|rule| (rule.checker)()).collect());

/// What the rules find, as the settings want it.
pub(super) fn run(input: Input<'_>, facts: &Facts) -> Findings {
    let mut found = run_and(input, facts, |_| ()).0;
    finish(input.settings, facts, &mut found);
    found
}

/// Takes out what the settings leave out, gives findings the severities that they want, and sorts them by place.
pub(super) fn finish(settings: &Settings, facts: &Facts, found: &mut Findings) {
    if settings.skip_excluded {
        found.retain(|head| !facts.excluded.contains(head.range.start()));
    }
    found.retain(|finding| !facts.left_to_cuda.contains(finding.range.start()));
    apply_severities(settings, found);
    // Stable: findings at one place stay in the order of the registry.
    found.sort_by_place();
}

/// What the rules find, and what `ask` finds in what they know about the file.
pub(super) fn run_and<T: Default>(
    input: Input<'_>,
    facts: &Facts,
    ask: impl FnOnce(&Context<'_>) -> T,
) -> (Findings, T) {
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
    cx.asms = asms(input.document).into();
    for (rule, checker) in enabled {
        cx.enter(rule.info);
        dispatch(*checker, &mut cx);
    }
    let (blocks, asked) = (blocks_for_cuda(&cx), ask(&cx));
    let mut found = cx.into_found();
    let bounds = blocks.iter().map(|(block, _)| block.start()..block.end());
    let around: FirstSpans<TextSize> = bounds.enumerate().collect();
    // What no build for AMD GPUs reads has no waves there.
    if !blocks.is_empty() {
        found.sift(|finding| {
            !is_about_waves(finding.rule) || finding.fix.is_some() || around.at(finding.range.start()).is_none()
        });
    }
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
fn dispatch<'d>(checker: Checker, cx: &mut Context<'d>) {
    let document: &'d Document = cx.document;
    match checker {
        Checker::Name(check) => {
            let names = Rc::clone(&cx.names);
            names.iter().for_each(|name| check(name, cx));
        }
        Checker::Include(check) => document.includes().for_each(|include| check(include, cx)),
        Checker::Launch(check) => document.launches().iter().for_each(|launch| check(launch, cx)),
        Checker::Asm(check) => {
            let asms = Rc::clone(&cx.asms);
            asms.iter().for_each(|asm| check(*asm, cx));
        }
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
    NameList::new(cx.document, may_be_names(cx).into_iter().filter_map(|idx| name_at(idx, cx)))
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

/// Adds what stands in the way of whole waves; what is open for warps of 32 lanes as well is told once.
pub(super) fn add_obstacles(found: &mut Findings, obstacles: &Findings) {
    let mut severities: FxHashMap<_, Option<Severity>> =
        obstacles.heads().map(|head| ((head.rule.code, head.range), None)).collect();
    if severities.is_empty() {
        return;
    }
    found.sift(|finding| {
        let told = severities.get_mut(&(finding.rule.code, finding.range)).filter(|_| finding.fix.is_none());
        told.map(|severity| *severity = (*severity).max(Some(finding.severity))).is_none()
    });
    found.extend(obstacles.iter().map(|mut obstacle| {
        let told = severities.get(&(obstacle.rule.code, obstacle.range)).copied().flatten();
        obstacle.severity = told.map_or(obstacle.severity, |severity| severity.max(obstacle.severity));
        obstacle
    }));
}
