//! Functions and operators of the project that HIP's headers have as well.

use super::signature::Signature;
use crate::analysis::{Branch, Function};
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::rules::conditional::is_for_hip;
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::{Edit, TextRange};
use crate::syntax::Document;

declare_rule! {
    /// ## What it does
    /// Finds definitions of `atomicMax`, `atomicMin`, `atomicSub` and their like for `float` and `double`, and of the
    /// operators `+=`, `-=`, `*=`, `/=`, `*` and `/` between two vectors such as `float4`.
    ///
    /// ## Why is this bad?
    /// CUDA lacks them, so projects write their own, and HIP's headers have them: the same function is defined twice, or
    /// two operators fit a use equally well. Neither compiles.
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
    /// Safe. An operator is left to HIP only where its body says that it works component by component, as HIP's does; any
    /// other one has no fix. An atomic function of HIP's does what its name says.
    RepeatedDefinition { code: "K044", name: "repeated-definition", severity: Info, fix: Sometimes, since: "0.2.0" }
}

impl Rule for RepeatedDefinition {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check<'d>(_: WholeFile, cx: &mut Context<'d>) {
        let facts = cx.facts;
        for function in facts.functions.iter() {
            let Some(signature) = Signature::of(cx.document, function).filter(|signature| !signature.is_template)
            else {
                continue;
            };
            match repeated(&signature, function, cx) {
                Some(_) if is_decided(function, cx) => {}
                Some(is_same) => report(&signature, function, is_same, cx),
                None => {}
            }
        }
    }
}

/// Whether HIP's headers have the function, and if so, whether it is known to do the same.
fn repeated(signature: &Signature<'_>, function: &Function, cx: &Context<'_>) -> Option<bool> {
    let [first, second] = signature.parameters.as_slice() else { return None };
    if let Some(operator) = signature.operator {
        let is_compound = operator.len() == 2;
        let fits = matches!(operator, "+=" | "-=" | "*=" | "/=" | "*" | "/")
            && first.base == second.base
            && !first.is_pointer
            && !second.is_pointer
            && first.is_reference >= is_compound
            && !cx.facts.scopes(cx.document).is_in_class(signature.name);
        let lanes = vector_size(&first.base).filter(|_| fits)?;
        return Some(works_by_component(signature, function, lanes, cx.document));
    }
    let is_atomic = matches!(
        cx.document.token_text(signature.name),
        "atomicMax" | "atomicMin" | "atomicSub" | "atomicExch" | "atomicAdd"
    );
    let takes_floats = first.is_pointer && !second.is_pointer && first.base == second.base;
    let is_global = || cx.facts.scopes(cx.document).place_of(cx.document, signature.name).is_global();
    let is_known = matches!(&*first.base, "float" | "double");
    (is_atomic && takes_floats && is_known && function.runs_on_device() && is_global()).then_some(true)
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
    is_for_hip(at, cx)
        || cx.blocks_for_cuda().iter().any(|block| block.contains(&at))
        || around.any(|chain| chain.branches.iter().any(names_arch))
}

fn report(signature: &Signature<'_>, function: &Function, is_same: bool, cx: &mut Context<'_>) {
    let document = cx.document;
    let name = document.range_of(signature.name..signature.name + 1);
    let range = document.range_of(function.head.start..function.body.end);
    let what = match signature.operator {
        Some(operator) => format!("HIP's headers have `operator{operator}` for these types as well"),
        None => format!("HIP's headers have `{}` for this type as well", document.slice(name)),
    };
    let fix = own_lines(document, range).filter(|_| is_same).map(|(start, end)| {
        let newline = document.file().newline.as_str();
        let edits = vec![
            Edit::insert(start.start(), format!("#if !defined(__HIPCC__){newline}")),
            Edit::insert(end.end(), format!("{newline}#endif")),
        ];
        Fix::safe("leave it to HIP's headers", edits)
    });
    let finding = cx.report(name, what);
    if let Some(fix) = fix {
        finding.fix(fix);
    } else {
        let advice = "give it a name of its own, or leave it out under HIP if that computes the same";
        finding.severity(Severity::Error).note(advice);
    }
}

/// The start and the end of the lines of a definition, if nothing else stands on them but a comment.
fn own_lines(document: &Document, range: TextRange) -> Option<(TextRange, TextRange)> {
    let text = document.text();
    let (start, end) = (usize::from(range.start()), usize::from(range.end()));
    let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let rest = text[end..].find(['\r', '\n']).map_or(text.len(), |at| end + at);
    let behind = text[end..rest].trim();
    let is_alone = text[line_start..start].trim().is_empty() && (behind.is_empty() || behind.starts_with("//"));
    let at = |offset: usize| crate::source::range(offset, offset);
    is_alone.then(|| (at(line_start), at(rest)))
}

/// The number of components of `float4` and its like.
fn vector_size(base: &str) -> Option<usize> {
    const SCALARS: &[&str] = &[
        "char",
        "uchar",
        "short",
        "ushort",
        "int",
        "uint",
        "long",
        "ulong",
        "longlong",
        "ulonglong",
        "float",
        "double",
    ];
    let (scalar, size) = base.split_at_checked(base.len().checked_sub(1)?)?;
    let size = size.parse().ok().filter(|size| (1..=4).contains(size))?;
    SCALARS.contains(&scalar).then_some(size)
}

/// Whether the body of an operator does to each component what the operator does to numbers.
fn works_by_component(signature: &Signature<'_>, function: &Function, size: usize, document: &Document) -> bool {
    let ([first, second], Some(operator)) = (signature.parameters.as_slice(), signature.operator) else { return false };
    let (Some(a), Some(b)) = (first.name, second.name) else { return false };
    let sign = &operator[..1];
    let components = ["x", "y", "z", "w"].into_iter().take(size);
    let body: String =
        (function.body.start + 1..function.body.end - 1).map(|idx| document.token_text(idx)).collect::<String>();
    if operator.len() == 2 {
        let body = body.strip_suffix(&format!("return{a};")).unwrap_or(&body);
        let short: Vec<String> = components.clone().map(|c| format!("{a}.{c}{sign}={b}.{c};")).collect();
        let long: Vec<String> = components.map(|c| format!("{a}.{c}={a}.{c}{sign}{b}.{c};")).collect();
        return body == short.concat() || body == long.concat();
    }
    let parts: Vec<String> = components.map(|c| format!("{a}.{c}{sign}{b}.{c}")).collect();
    let (base, parts) = (&first.base, parts.join(","));
    [format!("returnmake_{base}({parts});"), format!("return{{{parts}}};"), format!("return{base}{{{parts}}};")]
        .contains(&body)
}
