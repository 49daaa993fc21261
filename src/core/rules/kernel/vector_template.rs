//! Operators that a project writes as templates for all types, and that HIP's operators for vectors come before.

use super::signature::Signature;
use super::vector_operator::{Clash, text_of_body, works_by_component};
use crate::analysis::{Function, template_head_end};
use crate::rules::context::Context;
use crate::syntax::{Document, TokenIdx, split_arguments};

/// What becomes of the operator that the template `function` defines for all types; `None` if it does not meet HIP's, or does what
/// that does.
///
/// HIP's are for `HIP_vector_type<T, n>`, which is more specialised than a parameter of any type; its operators `*` and `/` between
/// two vectors and those with one operand are no templates at all (`amd_hip_vector_types.h`).
pub(super) fn template_clash(signature: &Signature<'_>, function: &Function, cx: &Context<'_>) -> Option<Clash> {
    let (document, operator) = (cx.document, signature.operator?);
    let parameters = signature.parameters.as_slice();
    let is_of_hip = match parameters {
        [_] => matches!(operator, "-" | "~" | "++" | "--"),
        [_, _] => is_binary_of_hip(operator),
        _ => false,
    };
    let takes_values = parameters.iter().all(|parameter| !parameter.is_pointer);
    if !is_of_hip || !takes_values || cx.facts.scopes(document).is_in_class(signature.name) {
        return None;
    }
    let types = any_types(function, document);
    if types.is_empty() || excludes_vectors(function, document) || takes_enumerators(function, document) {
        return None;
    }
    let is_any = |at: usize| parameters.get(at).is_some_and(|parameter| types.contains(&parameter.base.as_str()));
    let comes_before = if asks_of_types(function, document) { Clash::AskingTemplate } else { Clash::Template };
    match parameters {
        [_] => is_any(0).then_some(comes_before),
        // `stream << value` takes two types.
        [first, second] if matches!(operator, "<<" | ">>") && first.base != second.base => None,
        [_, _] if is_any(0) && is_any(1) => (!does_the_same(signature, function, document)).then_some(comes_before),
        [_, second] if is_any(0) && is_number(&second.base) => Some(Clash::AmbiguousTemplate),
        [first, _] if is_any(1) && is_number(&first.base) => Some(Clash::AmbiguousTemplate),
        _ => None,
    }
}

fn is_binary_of_hip(operator: &str) -> bool {
    let sign = operator.strip_suffix('=').unwrap_or(operator);
    matches!(operator, "==" | "!=") || matches!(sign, "+" | "-" | "*" | "/" | "%" | "&" | "|" | "^" | "<<" | ">>")
}

fn is_number(base: &str) -> bool {
    matches!(base, "float" | "double" | "int" | "unsigned" | "unsigned int")
}

/// The names that stand for any type in a template: `T` of `template <class T, int N>`.
fn any_types<'d>(function: &Function, document: &'d Document) -> Vec<&'d str> {
    let less = function.head.start + 1;
    let close = template_head_end(document, less, function.head.end);
    let parts = split_arguments(document, less + 1..close);
    let of_any = |part: std::ops::Range<TokenIdx>| {
        let starts = matches!(document.token_text(part.start), "class" | "typename");
        starts.then(|| document.token_text(part.start + 1))
    };
    parts.into_iter().filter_map(of_any).collect()
}

/// Whether the head asks for types that are no vectors.
fn excludes_vectors(function: &Function, document: &Document) -> bool {
    let excludes = |idx: TokenIdx| {
        matches!(
            document.token_text(idx).trim_end_matches("_v"),
            "is_enum"
                | "is_scoped_enum"
                | "is_arithmetic"
                | "is_integral"
                | "is_floating_point"
                | "is_scalar"
                | "is_fundamental"
                | "is_pointer"
                | "is_base_of"
                | "integral"
                | "floating_point"
                | "derived_from"
        )
    };
    function.head.clone().any(excludes)
}

/// Whether the head asks something of the types, which may exclude vectors: `enable_if`, `requires`, `-> decltype(T::f(a))`.
fn asks_of_types(function: &Function, document: &Document) -> bool {
    let asks = |idx: TokenIdx| {
        let word = document.token_text(idx);
        word.starts_with("enable_if") || matches!(word, "requires" | "decltype" | "void_t")
    };
    function.head.clone().any(asks)
}

/// Whether the body converts what it is given to integers, as operators of flags do; no vector can be converted so.
fn takes_enumerators(function: &Function, document: &Document) -> bool {
    let converts = |idx: TokenIdx| match document.token_text(idx) {
        "underlying_type" | "underlying_type_t" | "to_underlying" => true,
        "int" | "unsigned" => document.is(idx + 1, b'(') || document.is(idx + 1, b'>') || document.is(idx + 1, b')'),
        _ => false,
    };
    function.body.clone().any(converts)
}

/// Whether the body works component by component, as HIP's does, or leaves that to another operator of the same sign.
fn does_the_same(signature: &Signature<'_>, function: &Function, document: &Document) -> bool {
    // A body for one component would leave the others of a longer vector out.
    let sizes = ["float2", "float3", "float4"];
    if sizes.iter().any(|vector| works_by_component(signature, function, (vector, ""), document)) {
        return true;
    }
    let ([first, second], Some(operator)) = (signature.parameters.as_slice(), signature.operator) else { return false };
    let (Some(a), Some(b)) = (first.name, second.name) else { return false };
    let base = &first.base;
    let same = match (operator, operator.strip_suffix('=')) {
        ("!=", _) => vec![format!("return!({a}=={b});")],
        ("==", _) => Vec::new(),
        (_, Some(sign)) => vec![format!("{a}={a}{sign}{b};return{a};"), format!("return{a}={a}{sign}{b};")],
        (sign, None) => vec![
            format!("{a}{sign}={b};return{a};"),
            format!("return{a}{sign}={b};"),
            format!("return{base}({a}){sign}={b};"),
        ],
    };
    same.contains(&text_of_body(function, document))
}
