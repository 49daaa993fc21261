//! Operators of the project on CUDA's vectors, which are plain structures in CUDA and have operators in HIP.

use std::ops::Range;

use super::signature::Signature;
use super::vector_types::VectorTypes;
use crate::analysis::Function;
use crate::mapping::vector_size;
use crate::rules::context::Context;
use crate::syntax::{Document, TokenIdx, split_arguments, words};

/// What becomes of an operator beside HIP's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Clash {
    /// Both fit, and do the same.
    Same,
    /// Both fit, and do not the same.
    Different,
    /// Both fit, they do not the same, and the file declares this one without a body, too.
    DifferentDeclared,
    /// HIP's fits better for scalars of other types, and does not the same.
    OtherScalars,
    /// This one is a template, and HIP's comes before it.
    Template,
    /// The same, unless what the template asks of its types excludes vectors.
    AskingTemplate,
    /// This one is a template, and fits as well as HIP's.
    AmbiguousTemplate,
}

/// What becomes of the operator that `function` defines; `None` if it does not meet HIP's.
pub(super) fn clash(
    signature: &Signature<'_>,
    function: &Function,
    types: &VectorTypes<'_>,
    cx: &Context<'_>,
) -> Option<Clash> {
    if let Some("++" | "--") = signature.operator {
        return step_clash(signature, function, types, cx);
    }
    let ([first, second], Some(operator)) = (signature.parameters.as_slice(), signature.operator) else { return None };
    let is_compound = operator.len() == 2;
    let is_arithmetic = matches!(operator, "+" | "-" | "*" | "/" | "+=" | "-=" | "*=" | "/=");
    let takes_values = !first.is_pointer && !second.is_pointer && first.is_reference >= is_compound;
    if !is_arithmetic || !takes_values || cx.facts.scopes(cx.document).is_in_class(signature.name) {
        return None;
    }
    let vectors = [first, second].map(|parameter| types.vector(&parameter.base));
    match vectors {
        // For sums HIP has templates, which a function of the project comes before.
        [Some(one), Some(other)] if one == other && !matches!(operator, "+" | "-") => match () {
            () if works_by_component(signature, function, (one, one), cx.document) => Some(Clash::Same),
            // A function for one side comes before HIP's, which are for both.
            () if !(function.is_host && function.is_device) => None,
            // An earlier run, or somebody, has made it the one that is taken.
            () if function.head.clone().any(|idx| cx.document.token_text(idx) == "enable_if") => None,
            () if declares(operator, cx.document) => Some(Clash::DifferentDeclared),
            () => Some(Clash::Different),
        },
        [Some(vector), None] if types.is_number(&second.base) => gives_another(signature, vector, types, cx.document)
            .or_else(|| other_scalars(function, vector, cx.document)),
        [None, Some(vector)] if types.is_number(&first.base) && !is_compound => {
            gives_another(signature, vector, types, cx.document)
                .or_else(|| other_scalars(function, vector, cx.document))
        }
        _ => None,
    }
}

/// What becomes of `operator++` and `operator--`, which are members of HIP's vectors.
fn step_clash(
    signature: &Signature<'_>,
    function: &Function,
    types: &VectorTypes<'_>,
    cx: &Context<'_>,
) -> Option<Clash> {
    let first = signature.parameters.first()?;
    let is_of_vector = first.is_reference && types.vector(&first.base).is_some();
    let is_for_both = function.is_host && function.is_device;
    let is_decided = function.head.clone().any(|idx| cx.document.token_text(idx) == "enable_if");
    let is_free = !cx.facts.scopes(cx.document).is_in_class(signature.name);
    (is_of_vector && is_for_both && !is_decided && is_free).then_some(Clash::Different)
}

/// Whether an operator with a scalar gives another vector than the one that it takes, which HIP's does not: `float2 operator*(int2, float)`.
fn gives_another(
    signature: &Signature<'_>,
    vector: &str,
    types: &VectorTypes<'_>,
    document: &Document,
) -> Option<Clash> {
    // In front of the keyword.
    let given = signature.name.checked_sub(2).and_then(|before| types.vector(document.token_text(before)))?;
    (given != vector).then_some(Clash::OtherScalars)
}

/// Whether an operator with a scalar treats components unlike each other, or computes more with integers than the one operation, which HIP's
/// does not. One that names none hands all on.
fn other_scalars(function: &Function, vector: &str, document: &Document) -> Option<Clash> {
    let body = function.body.start + 1..function.body.end.saturating_sub(1);
    let names_component = |tokens: &Range<TokenIdx>| tokens.clone().any(|idx| component(idx, document).is_some());
    if !names_component(&body) {
        return None;
    }
    let mut statements: Vec<Range<TokenIdx>> = Vec::new();
    let mut start = body.start;
    for end in body.filter(|&idx| document.is(idx, b';')) {
        statements.push(start..end);
        start = end + 1;
    }
    statements.retain(names_component);
    let made = match statements.as_slice() {
        [made] => made.clone().find(|&idx| document.is(idx, b'(') || document.is(idx, b'{')),
        _ => None,
    };
    let made = made.and_then(|open| Some(split_arguments(document, open + 1..document.partner(open)?)));
    let size = vector_size(vector).unwrap_or_default();
    let parts = made.unwrap_or(statements);
    let is_real = vector.starts_with("float") || vector.starts_with("double");
    let does_more = !is_real && parts.first().is_some_and(|part| operations(part.clone(), document) > 1);
    (does_more || !are_alike(&parts, size, document)).then_some(Clash::OtherScalars)
}

/// How many operations some tokens name; `+=` is one.
fn operations(tokens: Range<TokenIdx>, document: &Document) -> usize {
    tokens.filter(|&idx| [b'+', b'-', b'*', b'/', b'%'].iter().any(|&sign| document.is(idx, sign))).count()
}

/// `x`, as 0, for the member of a vector at a token.
fn component(idx: TokenIdx, document: &Document) -> Option<usize> {
    let follows = idx.checked_sub(1).is_some_and(|dot| document.is(dot, b'.'));
    COMPONENTS.iter().position(|component| follows && document.token_text(idx) == *component)
}

/// Whether parts, one for each component in their order, say the same of it.
fn are_alike(parts: &[Range<TokenIdx>], size: usize, document: &Document) -> bool {
    let told = |(place, part): (usize, &Range<TokenIdx>)| {
        let words = part.clone().map(|idx| match component(idx, document) {
            Some(of) if of == place => "component",
            Some(_) => "another",
            None => document.token_text(idx),
        });
        words.collect::<Vec<_>>()
    };
    let mut told = parts.iter().enumerate().map(told);
    let first = told.next().unwrap_or_default();
    parts.len() == size && first.contains(&"component") && told.all(|other| other == first)
}

/// The components of a vector, in order.
pub(super) const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];

/// Whether the file declares some operator of this sign without a body.
fn declares(operator: &str, document: &Document) -> bool {
    let is_declared = |keyword: TokenIdx| {
        let open = keyword + 1 + operator.len();
        let sign = document.slice(document.range_of(keyword + 1..open));
        sign == operator
            && document.is(open, b'(')
            && document.partner(open).is_some_and(|close| document.is(close + 1, b';'))
    };
    words(document, "operator").any(is_declared)
}

/// Whether the body of an operator between vectors does to each component what the operator does to numbers; of vectors as
/// long as `vector`, whose type is called `made`.
pub(super) fn works_by_component(
    signature: &Signature<'_>,
    function: &Function,
    (vector, made): (&str, &str),
    document: &Document,
) -> bool {
    let ([first, second], Some(operator)) = (signature.parameters.as_slice(), signature.operator) else { return false };
    let (Some(a), Some(b)) = (first.name, second.name) else { return false };
    let components = COMPONENTS.into_iter().take(vector_size(vector).unwrap_or_default());
    let body = text_of_body(function, document);
    let parts = |sign: &str| components.clone().map(|c| format!("{a}.{c}{sign}{b}.{c}")).collect::<Vec<_>>();
    let joined = match operator {
        "==" => return body == format!("return{};", parts("==").join("&&")),
        "!=" => return body == format!("return{};", parts("!=").join("||")),
        _ => parts(operator.strip_suffix('=').unwrap_or(operator)).join(","),
    };
    if let Some(sign) = operator.strip_suffix('=') {
        let body = body.strip_suffix(&format!("return{a};")).unwrap_or(&body);
        let short: Vec<String> = components.clone().map(|c| format!("{a}.{c}{sign}={b}.{c};")).collect();
        let long: Vec<String> = components.map(|c| format!("{a}.{c}={a}.{c}{sign}{b}.{c};")).collect();
        return body == short.concat() || body == long.concat();
    }
    let base = &first.base;
    [
        format!("returnmake_{made}({joined});"),
        format!("return{{{joined}}};"),
        format!("return{base}{{{joined}}};"),
        format!("return{base}({joined});"),
    ]
    .contains(&body)
}

/// What stands between the braces of a function, without blanks and comments.
pub(super) fn text_of_body(function: &Function, document: &Document) -> String {
    (function.body.start + 1..function.body.end.saturating_sub(1)).map(|idx| document.token_text(idx)).collect()
}
