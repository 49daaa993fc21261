//! Names that documents about HIP write, and that no header of HIP's has.

use crate::analysis::{Declaration, Role, role};
use crate::diagnostic::{Fix, RuleInfo};
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;
use crate::syntax::{Document, TokenIdx, TokenKind, words};

declare_rule! {
    /// ## What it does
    /// Finds names that documents about HIP write and no header of HIP's declares: functions with words in another
    /// order, members of `hipDeviceProp_t`, macros without their underscores, `__global` in front of a kernel.
    ///
    /// ## Why is this bad?
    /// Most of them do not compile. `#if HIP_ARCH_HAS_WARP_VOTE` does, and is false on every GPU, as the macro is called
    /// `__HIP_ARCH_HAS_WARP_VOTE__`. The names were looked up in the headers of ROCm 5.7, 6.4 and 7.2 by compiling them
    /// (`tests/data/claims/language.hip`).
    ///
    /// ## Example
    /// ```cuda
    /// #include <hip/hip_runtime.h>
    /// hipError_t ask(hipDeviceProp_t* device) { return hipDeviceGetProperties(device, 0); }
    /// ```
    /// Use instead:
    /// ```hip
    /// #include <hip/hip_runtime.h>
    /// hipError_t ask(hipDeviceProp_t* device) { return hipGetDeviceProperties(device, 0); }
    /// ```
    ///
    /// ## Fix safety
    /// Safe where the text does not compile as it is. Unsafe for the macros in conditions, which become true with it.
    UndeclaredHip { code: "A030", name: "undeclared-hip", severity: Error, fix: Sometimes, since: "0.1.0" }
}

/// How a name is used that is no name of HIP's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    /// A function or type.
    Free,
    /// In front of parentheses, in the head of a function.
    Attribute,
    /// A member of the properties of a device.
    Property,
    /// In front of `void` and the name of a kernel.
    Kernel,
}

/// A name of the documents.
struct Undeclared {
    name: &'static str,
    used: Use,
    /// What HIP's headers call it.
    instead: Option<&'static str>,
    /// What to do where there is no other name.
    advice: &'static str,
}

const fn renamed(name: &'static str, instead: &'static str) -> Undeclared {
    Undeclared { name, used: Use::Free, instead: Some(instead), advice: "" }
}

const fn launch_bounds(name: &'static str) -> Undeclared {
    Undeclared { name, used: Use::Attribute, instead: Some("__launch_bounds__"), advice: "" }
}

/// What ROCm's pages "HIP C++ language extensions" write, and the function reference beside them.
const NAMES: &[Undeclared] = &[
    renamed("hipDeviceGetProperties", "hipGetDeviceProperties"),
    renamed("hipDeviceProps", "hipDeviceProp_t"),
    launch_bounds("__hip_launch_bounds"),
    launch_bounds("hip_launch_bounds"),
    launch_bounds("__launch_bounds"),
    Undeclared {
        name: "__lastbit_u32_u32",
        used: Use::Free,
        instead: None,
        advice: "HIP has `__lastbit_u32_u64`; `__ffs(x) - 1` gives the same",
    },
    Undeclared {
        name: "executionUnitsPerMultiprocessor",
        used: Use::Property,
        instead: None,
        advice: "no property tells it: a compute unit of gfx9 has 4, a work group processor of gfx10 and later has 4",
    },
    Undeclared {
        name: "hipGridLaunch",
        used: Use::Free,
        instead: None,
        advice: "kernels take no parameter for their launch; leave it out",
    },
    Undeclared { name: "__global", used: Use::Kernel, instead: Some("__global__"), advice: "" },
];

/// How the macros of features start in the documents, and in the headers with underscores around.
const FEATURE: &str = "HIP_ARCH_HAS_";

/// Types that have the properties of a device.
const PROPERTIES: &[&str] = &["hipDeviceProp_t", "cudaDeviceProp", "hipDeviceProps"];

impl Rule for UndeclaredHip {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let document: &Document = cx.document;
        let foreign: Vec<&Undeclared> = NAMES.iter().filter(|undeclared| !is_own(undeclared, cx)).collect();
        for undeclared in foreign {
            for idx in words(document, undeclared.name).filter(|&idx| is_used(document, undeclared, idx)) {
                report(undeclared, idx, cx);
            }
        }
        check_features(cx);
    }
}

fn report(undeclared: &Undeclared, idx: TokenIdx, cx: &mut Context<'_>) {
    let range = cx.document.range_of(idx..idx + 1);
    let finding = cx.report(range, format!("no header of HIP's declares `{}`", undeclared.name));
    if let Some(name) = undeclared.instead {
        let fix = Fix::safe(format!("write `{name}`"), vec![Edit::replace(range, name)]);
        finding.note(format!("it is called `{name}`")).fix(fix);
    } else {
        finding.note(undeclared.advice);
    }
}

/// Whether the file declares the name itself.
fn is_own(undeclared: &Undeclared, cx: &Context<'_>) -> bool {
    let declared = cx.facts.declared.get(undeclared.name);
    match undeclared.used {
        // An attribute that is no macro looks like the function that it stands before.
        Use::Attribute => declared == Some(Declaration::Macro),
        Use::Free => declared.is_some() || words(cx.document, undeclared.name).any(|idx| is_variable(cx.document, idx)),
        Use::Property | Use::Kernel => declared.is_some(),
    }
}

fn is_used(document: &Document, undeclared: &Undeclared, idx: TokenIdx) -> bool {
    let is_ident = |idx: TokenIdx| document.kind(idx) == Some(TokenKind::Ident);
    match undeclared.used {
        Use::Free => role(document, idx) == Role::Free,
        Use::Attribute => role(document, idx) == Role::Free && document.is(idx + 1, b'('),
        Use::Property => role(document, idx) == Role::Member && is_of_device(document, undeclared.name),
        Use::Kernel => document.token_text(idx + 1) == "void" && is_ident(idx + 2) && document.is(idx + 3, b'('),
    }
}

/// Whether the name is that of a parameter or variable here: a type stands before it.
fn is_variable(document: &Document, idx: TokenIdx) -> bool {
    let ends = matches!(document.token_text(idx + 1), ";" | "=" | "," | ")" | "[");
    let before = document.before(idx).map_or("", |before| document.token_text(before));
    let is_word = before.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    ends && is_word && before != "return"
}

/// Whether members of this name may be those of HIP's properties: the file names their type, and has no member of its own.
fn is_of_device(document: &Document, member: &str) -> bool {
    let names_type = PROPERTIES.iter().any(|name| words(document, name).next().is_some());
    names_type && words(document, member).all(|idx| role(document, idx) == Role::Member)
}

/// `HIP_ARCH_HAS_WARP_VOTE` in conditions.
fn check_features(cx: &mut Context<'_>) {
    let document = cx.document;
    let conditions = document.directives().iter().filter(|directive| directive.kind.has_condition());
    for idx in conditions.flat_map(|directive| directive.tokens.clone()) {
        let name = document.token_text(idx);
        if !name.starts_with(FEATURE) || cx.facts.declared.get(name).is_some() {
            continue;
        }
        let range = document.range_of(idx..idx + 1);
        let fix = Fix::risky(format!("test `__{name}__`"), vec![Edit::replace(range, format!("__{name}__"))]);
        let finding = cx.report(range, format!("no header of HIP's defines `{name}`, so this is false on every GPU"));
        finding.note(format!("the macro is called `__{name}__`")).fix(fix);
    }
}
