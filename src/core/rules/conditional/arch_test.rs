//! Conditions on the number of NVIDIA's GPU generation.

use super::helpers::{is_guarded, only_fails, outcome, outside_conditions};
use super::judgement::{Case, Truth, names, uses_arch_number};
use super::left_out::why_right;
use super::macros::{DEVICE_PASS, Macro, Reading, classify};
use super::parts::Place;
use super::polyfill::without_repetition;
use crate::analysis::{Expression, Node};
use crate::diagnostic::{Applicability, Fix, RuleInfo, Severity};
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;
use crate::syntax::TokenIdx;

declare_rule! {
    /// ## What it does
    /// Finds conditions that compare `__CUDA_ARCH__` with a number, and says which branch AMD
    /// GPUs get.
    ///
    /// ## Why is this bad?
    /// The macro is undefined in HIP, on the device too, and counts as 0 in a condition. So the
    /// code for the oldest GPUs is compiled, mostly without any message. The finding is of severity
    /// info where the branch that AMD GPUs get can be seen to be the right one: only hints to the
    /// GPU, a failure, inline PTX with C++ beside it or code for one generation is left out.
    ///
    /// ## Example
    /// ```cuda
    /// #if __CUDA_ARCH__ >= 530
    /// __device__ int halves = 1;
    /// #endif
    /// ```
    /// Use instead:
    /// ```hip
    /// #if defined(__HIP_DEVICE_COMPILE__)
    /// __device__ int halves = 1;
    /// #endif
    /// ```
    ///
    /// ## Fix safety
    /// Unsafe. There is a fix only for numbers up to 600: all AMD GPUs from gfx9 on have what
    /// `sm_60` has, such as atomic addition of doubles and arithmetic on halves. What came later
    /// is partly there, so a person has to decide; testing `__gfx90a__` and the like tells the
    /// GPUs apart. The fix is safe where the branch taken defines a function that HIP's headers
    /// define as well, such as `atomicAdd` for doubles: it would not compile otherwise. Then the
    /// condition gets `!defined(__HIPCC__) &&` or `defined(__HIPCC__) ||` in front. In all other
    /// cases the condition stays as written, its `defined(__CUDA_ARCH__)` included: renaming
    /// that alone would make AMD GPUs the oldest of all GPUs.
    ArchTest { code: "C002", name: "arch-test", severity: Warning, fix: Sometimes, since: "0.1.0" }
}

impl Rule for ArchTest {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        for case in &Case::all(cx) {
            let is_number = uses_arch_number(case.expression, cx.document);
            let first = case.names_of(cx, |found| *found == Macro::Arch).next();
            let Some(name) = first.filter(|_| is_number && !case.is_settled(cx)) else { continue };
            report(case, name, cx);
        }
        for (name, place) in outside_conditions(cx) {
            if classify(&name.text, cx) != Macro::Arch {
                continue;
            }
            match place {
                Place::MacroBody => {
                    let message = format!("`{}` is undefined in HIP and counts as 0 in conditions", name.text);
                    let is_guarded = is_guarded(name.token, cx);
                    let finding = cx.report(name.range, message);
                    if is_guarded {
                        finding.severity(Severity::Info).note("the `#if` around it leaves it out");
                    } else {
                        finding.note("check the conditions that use this macro");
                    }
                }
                Place::Code => {
                    let message = format!("`{}` is undefined in HIP, so this does not compile", name.text);
                    let finding = cx.report(name.range, message).severity(Severity::Error);
                    finding.note(format!("`{DEVICE_PASS}` tells the device pass, `__gfx90a__` and the like the GPU"));
                }
                Place::Defined | Place::Undefined | Place::Presence => {}
            }
        }
    }
}

fn report(case: &Case<'_>, name: TokenIdx, cx: &mut Context<'_>) {
    let Some(token) = cx.document.token(name) else { return };
    let (converted, meant) = (case.as_converted(cx), case.as_meant(cx));
    let outcome = outcome(case, name, |number, _| sm(number), cx);
    let is_right = converted.is_known() && converted == meant;
    let (severity, note, fix) = match meant.device {
        _ if is_right => (Severity::Info, "that is right: AMD GPUs have what sm_60 has", None),
        _ => match without_repetition(case, (converted.device, meant.device), cx) {
            Some(fix) => (Severity::Warning, "HIP's headers define this function as well", Some(fix)),
            None => match why_right(case, converted, cx) {
                Some(why) => (Severity::Info, why, None),
                None if meant.device == Some(false) && only_fails(case, cx.document) => {
                    let note = "the check would stop the compiler, and AMD GPUs pass it: they have what sm_60 has";
                    let fix = by_presence(case, (converted, meant), cx);
                    (Severity::Info, note, fix.map(|fix| Fix { applicability: Applicability::Safe, ..fix }))
                }
                None => (Severity::Warning, advice(case, cx), by_presence(case, (converted, meant), cx)),
            },
        },
    };
    let message = format!("`{}` is undefined in HIP, {outcome}", cx.document.slice(token.range()));
    let finding = cx.report(token.range(), message).severity(severity);
    finding.note(note);
    if let Some(fix) = fix {
        finding.fix(fix);
    }
}

/// `sm_70`
fn sm(number: i64) -> Option<String> {
    (number >= 100 && number % 10 == 0).then(|| format!("sm_{}", number / 10))
}

fn advice(case: &Case<'_>, cx: &Context<'_>) -> &'static str {
    let tests_presence = {
        let mut found = false;
        case.expression.walk(&mut |part| found |= matches!(part.node, Node::Defined(name) if is_arch(name, cx)));
        found
    };
    if tests_presence {
        "decide which branch AMD GPUs are to take; with `__HIP_DEVICE_COMPILE__` in place of \
         `defined(__CUDA_ARCH__)` they count as the oldest GPU"
    } else {
        "decide which branch AMD GPUs are to take; `__HIP_DEVICE_COMPILE__` tells the device pass, `__gfx90a__` \
         and the like the GPU"
    }
}

fn is_arch(name: TokenIdx, cx: &Context<'_>) -> bool {
    classify(&cx.document.name(name), cx) == Macro::Arch
}

/// A fix that asks for the device pass in place of the GPU's number.
fn by_presence(case: &Case<'_>, (converted, meant): (Truth, Truth), cx: &Context<'_>) -> Option<Fix> {
    if converted.is_known() && converted == meant {
        return None;
    }
    let document = cx.document;
    let only_arch = names(document, case.expression).all(|name| is_arch(name, cx));
    let mut edits = Vec::new();
    if only_arch && meant.is_known() {
        edits.push(Edit::replace(document.range_of(case.expression.tokens.clone()), presence(meant)?));
    } else {
        collect(case.expression, &mut edits, cx)?;
    }
    let title = format!("test `{DEVICE_PASS}`: all AMD GPUs have what sm_60 has");
    (!edits.is_empty()).then(|| Fix::risky(title, edits))
}

/// The test of the device pass that is true in the passes in which `truth` is.
fn presence(truth: Truth) -> Option<&'static str> {
    match (truth.host?, truth.device?) {
        (false, true) => Some("defined(__HIP_DEVICE_COMPILE__)"),
        (true, false) => Some("!defined(__HIP_DEVICE_COMPILE__)"),
        _ => None,
    }
}

/// The edits for each part about the GPU's number; `None` if one of them cannot be decided.
fn collect(part: &Expression, edits: &mut Vec<Edit>, cx: &Context<'_>) -> Option<()> {
    let names_arch = names(cx.document, part).any(|name| is_arch(name, cx));
    if !names_arch {
        return Some(());
    }
    let (now, meant) = (Truth::of(part, Reading::Renamed, cx), Truth::of(part, Reading::Meant, cx));
    if matches!(part.node, Node::Binary(..)) && now == meant && now.is_known() {
        return Some(());
    }
    let range = cx.document.range_of(part.tokens.clone());
    match &part.node {
        Node::Defined(name) => edits.push(Edit::replace(cx.document.token(*name)?.range(), DEVICE_PASS)),
        Node::Binary(operator, _) if operator.compares() => {
            edits.push(Edit::replace(range, presence(meant)?));
        }
        Node::Name(_) => edits.push(Edit::replace(range, DEVICE_PASS)),
        Node::Unary(..) | Node::Binary(..) | Node::Choice(_) => {
            for part in part.parts() {
                collect(part, edits, cx)?;
            }
        }
        Node::Number(_) | Node::Other => return None,
    }
    Some(())
}
