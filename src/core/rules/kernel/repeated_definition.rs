//! Functions and operators of the project that HIP's headers have as well.

use super::signature::Signature;
use super::vector_operator::{Clash, clash};
use super::vector_template::template_clash;
use super::vector_types::VectorTypes;
use crate::analysis::{Branch, Function};
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::rules::conditional::is_for_hip;
use crate::rules::context::Context;
use crate::rules::header::is_read_by_others;
use crate::rules::own_lines::own_lines;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;
use crate::syntax::Document;

declare_rule! {
    /// ## What it does
    /// Finds definitions of `atomicMax`, `atomicMin`, `atomicSub` and their like for `float` and `double`, and of the
    /// operators `+=`, `-=`, `*=`, `/=`, `*` and `/` between two vectors such as `float4`, by whatever name (`typedef float2
    /// Complex`, `cuComplex`); operators between a vector and a scalar that do something else than HIP's; and templates of
    /// operators for all types.
    ///
    /// ## Why is this bad?
    /// CUDA lacks them, so projects write their own, and HIP's headers have them: the same function is defined twice, or
    /// two operators fit a use equally well. Neither compiles. HIP's operators for a scalar take those of all types: with an
    /// `operator+(Complex, float)` of the project, `z + 1.0` goes to HIP's, without a word, and adds to both components. So does
    /// each use of vectors with a `template <class T> T operator*(T, T)`: HIP's is more specialised.
    ///
    /// ## Example
    /// ```cuda
    /// #include <cuda_runtime.h>
    /// __device__ void operator+=(float2& a, float2 b) { a.x += b.x; a.y += b.y; }
    /// ```
    /// Use instead:
    /// ```hip
    /// #include <hip/hip_runtime.h>
    /// #if !defined(__HIPCC__)
    /// __device__ void operator+=(float2& a, float2 b) { a.x += b.x; a.y += b.y; }
    /// #endif
    /// ```
    ///
    /// ## Fix safety
    /// Safe. In a header, which other compilers may read with HIP's headers, the condition asks for the platform
    /// (`__HIP_PLATFORM_AMD__`) as well. An operator is left to HIP only where its body says that it works component by component, as HIP's does; any
    /// other one gets the attribute `enable_if(true, "")`, for which Clang prefers it. An atomic function of HIP's does what its
    /// name says. Operators with scalars and templates have no fix.
    RepeatedDefinition { code: "K044", name: "repeated-definition", severity: Info, fix: Sometimes, since: "0.2.0" }
}

impl Rule for RepeatedDefinition {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check<'d>(_: WholeFile, cx: &mut Context<'d>) {
        let facts = cx.facts;
        let types = VectorTypes::of(cx.document);
        for function in facts.functions.iter() {
            let signature = Signature::of(cx.document, function);
            let Some(signature) = signature.filter(|_| !is_decided(function, cx)) else { continue };
            let found = match signature.operator {
                _ if signature.is_template => template_clash(&signature, function, cx),
                Some(_) => clash(&signature, function, &types, cx),
                None => is_atomic_of_hip(&signature, function, cx).then_some(Clash::Same),
            };
            if let Some(found) = found {
                report(&signature, function, found, cx);
            }
        }
    }
}

/// Whether HIP's headers have an atomic function of this name for its type.
fn is_atomic_of_hip(signature: &Signature<'_>, function: &Function, cx: &Context<'_>) -> bool {
    let [first, second] = signature.parameters.as_slice() else { return false };
    let is_atomic = matches!(
        cx.document.token_text(signature.name),
        "atomicMax" | "atomicMin" | "atomicSub" | "atomicExch" | "atomicAdd"
    );
    let takes_floats = first.is_pointer && !second.is_pointer && first.base == second.base;
    let is_global = || cx.facts.scopes(cx.document).place_of(cx.document, signature.name).is_global();
    let is_known = matches!(&*first.base, "float" | "double");
    is_atomic && takes_floats && is_known && function.runs_on_device() && is_global()
}

/// Whether somebody has decided about the code already, or another rule does: it stands behind a test of the GPU's
/// generation, or in a branch that HIP compilers alone read or never.
fn is_decided(function: &Function, cx: &Context<'_>) -> bool {
    let at = function.head.start;
    let names_arch = |branch: &Branch| {
        let mut tokens = branch.condition.iter().flat_map(|condition| condition.tokens.clone());
        tokens.any(|idx| matches!(cx.document.token_text(idx), "__CUDA_ARCH__" | "__HIPCC__" | "__CUDACC_VER_MAJOR__"))
    };
    let chains = cx.facts.conditions.chains();
    let mut around = chains.iter().filter(|chain| chain.branches.iter().any(|branch| branch.body.contains(&at)));
    is_for_hip(at, cx) || cx.is_for_cuda_alone(at) || around.any(|chain| chain.branches.iter().any(names_arch))
}

fn report(signature: &Signature<'_>, function: &Function, found: Clash, cx: &mut Context<'_>) {
    let document = cx.document;
    let name = document.range_of(signature.name..signature.name + 1);
    let what = match (signature.operator, found) {
        (Some(operator), Clash::OtherScalars) => {
            format!("HIP's headers have `operator{operator}` for scalars of all types, component by component")
        }
        (Some(operator), Clash::Template | Clash::AskingTemplate) => {
            format!("HIP's headers have `operator{operator}` for vectors, which comes before this template")
        }
        (Some(operator), Clash::AmbiguousTemplate) => {
            format!("HIP's headers have `operator{operator}` for vectors, which fits as well as this template")
        }
        (Some(operator), _) => format!("HIP's headers have `operator{operator}` for these types as well"),
        (None, _) => format!("HIP's headers have `{}` for this type as well", document.slice(name)),
    };
    let fix = match found {
        Clash::Same => leave_to_hip(signature, function, document),
        Clash::Different => Some(prefer(function, document)),
        _ => None,
    };
    let (severity, note) = match found {
        Clash::OtherScalars => (
            Severity::Warning,
            "a scalar of another type than this one's goes to HIP's: convert it where it is used, or overload this one",
        ),
        Clash::Template | Clash::AmbiguousTemplate => (
            Severity::Warning,
            "where vectors such as `float2` are used with it, give it a name of its own, or write it for their types",
        ),
        Clash::AskingTemplate => (
            Severity::Info,
            "what it asks of its types may exclude vectors such as `float2`; else give it a name of its own",
        ),
        _ => (Severity::Error, "give it a name of its own, or leave it out under HIP if that computes the same"),
    };
    let finding = cx.report(name, what);
    match fix {
        Some(fix) => finding.fix(fix),
        None => finding.severity(severity).note(note),
    };
}

fn leave_to_hip(signature: &Signature<'_>, function: &Function, document: &Document) -> Option<Fix> {
    let (start, end) = own_lines(document, document.range_of(function.head.start..function.body.end))?;
    let newline = document.file().newline.as_str();
    // Other compilers, too, find the operators in HIP's headers, which have to be told the platform then.
    let is_for_others = signature.operator.is_some() && is_read_by_others(document);
    let condition =
        if is_for_others { "!defined(__HIPCC__) && !defined(__HIP_PLATFORM_AMD__)" } else { "!defined(__HIPCC__)" };
    let edits = vec![
        Edit::insert(start.start(), format!("#if {condition}{newline}")),
        Edit::insert(end.end(), format!("{newline}#endif")),
    ];
    Some(Fix::safe("leave it to HIP's headers", edits))
}

/// Of functions that fit equally well, Clang takes the one with the attribute (Attributes in Clang, `enable_if`).
fn prefer(function: &Function, document: &Document) -> Fix {
    let start = document.range_of(function.head.start..function.head.start + 1).start();
    Fix::safe("prefer it to HIP's", vec![Edit::insert(start, "__attribute__((enable_if(true, \"\"))) ")])
}
