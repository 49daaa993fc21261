//! Macros that tell compiler or pass, and that HIP calls otherwise.

use super::helpers::outside_conditions;
use super::judgement::{Case, uses_arch_number};
use super::macros::{DEVICE_PASS, Macro, Reading, classify};
use super::parts::Place;
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::mapping::Support;
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;
use crate::syntax::TokenIdx;

declare_rule! {
    /// ## What it does
    /// Finds the macros by which CUDA code tells the compiler (`__CUDACC__`, `__NVCC__`), the
    /// device pass (`defined(__CUDA_ARCH__)`) and run-time compilation, and those that switch
    /// parts of CUDA's headers off.
    ///
    /// ## Why is this bad?
    /// HIP compilers define none of them, so that the code for other compilers, or for the host,
    /// would be compiled.
    ///
    /// ## Example
    /// ```cuda
    /// #if defined(__CUDACC__) && defined(__CUDA_ARCH__)
    /// #endif
    /// ```
    /// Use instead:
    /// ```hip
    /// #if defined(__HIPCC__) && defined(__HIP_DEVICE_COMPILE__)
    /// #endif
    /// ```
    ///
    /// ## Fix safety
    /// Safe: clang defines `__HIPCC__` for HIP before any header is read, in both passes, and
    /// `__HIP_DEVICE_COMPILE__` in the device pass only. `__CUDA_ARCH__` is renamed only where a
    /// condition asks nothing but whether it is defined. Conditions that name HIP already, and
    /// chains with a branch for HIP, are left alone.
    ToolchainMacro { code: "C001", name: "toolchain-macro", severity: Hint, fix: Sometimes, since: "0.1.0" }
}

impl Rule for ToolchainMacro {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        for case in Case::all(cx).iter().filter(|case| !case.names_hip) {
            let uses_number = uses_arch_number(case.expression, cx.document);
            for name in case.names_of(cx, |_| true).collect::<Vec<_>>() {
                let text = cx.document.name(name);
                match classify(&text, cx) {
                    // Where the condition uses the number, the rule about such tests speaks.
                    Macro::Arch if uses_number => {}
                    Macro::Arch if case.reading != Reading::RenamedWithArch => kept(name, cx),
                    Macro::Arch => rename(name, DEVICE_PASS, None, cx),
                    Macro::Compiler(to) => rename(name, to, None, cx),
                    Macro::Renamed(to, entry) => rename(name, to, Some((entry.support, entry.note)), cx),
                    Macro::Version(_) | Macro::Lost(_) | Macro::Hip | Macro::Foreign => {}
                }
            }
        }
        for (name, place) in outside_conditions(cx) {
            match (classify(&name.text, cx), place) {
                (Macro::Arch | Macro::Compiler(_), Place::Defined | Place::Undefined) => imitates(name.token, cx),
                (Macro::Arch, Place::Presence) => rename(name.token, DEVICE_PASS, None, cx),
                (Macro::Compiler(to), _) => rename(name.token, to, None, cx),
                (Macro::Renamed(to, entry), _) => rename(name.token, to, Some((entry.support, entry.note)), cx),
                _ => {}
            }
        }
    }
}

/// The guarded code uses the number, which HIP does not define; the other branch compiles.
fn kept(name: TokenIdx, cx: &mut Context<'_>) {
    let Some(token) = cx.document.token(name) else { return };
    let message = "the code guarded by `__CUDA_ARCH__` uses its number, so the condition was left as it is";
    let finding = cx.report(token.range(), message).severity(Severity::Warning);
    finding.note("the macro is undefined in HIP: the other branch is compiled, on the device as well");
}

fn rename(name: TokenIdx, to: &str, known: Option<(Support, &str)>, cx: &mut Context<'_>) {
    let Some(token) = cx.document.token(name) else { return };
    let (support, note) = known.unwrap_or((Support::Full, ""));
    let (title, edits) = (format!("rename to `{to}`"), vec![Edit::replace(token.range(), to)]);
    let (severity, fix) = match support {
        Support::Full => (Severity::Hint, Fix::safe(title, edits)),
        Support::Differs => (Severity::Info, Fix::safe(title, edits)),
        Support::Partial | Support::None => (Severity::Warning, Fix::risky(title, edits)),
    };
    let message = format!("`{}` is `{to}` in HIP", cx.document.name(name));
    cx.report(token.range(), message).severity(severity).note(note).fix(fix);
}

/// A file that defines a compiler's macro wants to look as if another compiler read it.
fn imitates(name: TokenIdx, cx: &mut Context<'_>) {
    let Some(token) = cx.document.token(name) else { return };
    let message = format!("the file sets `{}` itself; HIP compilers do not look at it", cx.document.name(name));
    let is_hip = cx.facts.is_hip;
    let finding = cx.report(token.range(), message);
    if is_hip {
        finding.severity(Severity::Info).note("a header for HIP may do so on purpose");
    } else {
        finding
            .severity(Severity::Warning)
            .note("conditions that test it are converted as if the compiler had defined it");
    }
}
