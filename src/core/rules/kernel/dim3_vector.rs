//! `dim3` made of `uint3`, and the other way round.

use std::ops::Range;

use super::coordinate_argument::COORDINATES;
use crate::diagnostic::{Fix, RuleInfo};
use crate::rules::conditional::is_for_hip;
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;
use crate::syntax::{Call, Document, TokenIdx, TokenKind, end_of_value, words};

declare_rule! {
    /// ## What it does
    /// Finds a `uint3` where a `dim3` is made, the grid and block of a launch among them, and a `dim3` where a `uint3` is.
    ///
    /// ## Why is this bad?
    /// In CUDA they convert to each other (`vector_types.h`); in HIP neither does.
    ///
    /// ## Example
    /// ```cuda
    /// #include <cuda_runtime.h>
    /// dim3 grid_of(uint3 shape) {
    ///     dim3 grid = shape;
    ///     return grid;
    /// }
    /// ```
    /// Use instead:
    /// ```hip
    /// #include <hip/hip_runtime.h>
    /// dim3 grid_of(uint3 shape) {
    ///     dim3 grid = dim3(shape.x, shape.y, shape.z);
    ///     return grid;
    /// }
    /// ```
    ///
    /// ## Fix safety
    /// Safe: the three members are all there is.
    Dim3Vector { code: "K057", name: "dim3-vector", severity: Hint, fix: Always, since: "0.2.0" }
}

/// A type, what makes an object of it from three numbers, and the type that it is made of in CUDA.
struct Kind {
    name: &'static str,
    maker: &'static str,
    of: &'static str,
    maker_of: &'static str,
}

const DIM3: Kind = Kind { name: "dim3", maker: "dim3", of: "uint3", maker_of: "make_uint3" };
const UINT3: Kind = Kind { name: "uint3", maker: "make_uint3", of: "dim3", maker_of: "dim3" };

impl Rule for Dim3Vector {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        if cx.facts.is_hip {
            return;
        }
        let document: &Document = cx.document;
        let launches = document.launches().iter().flat_map(|launch| launch.config.iter().take(2).cloned());
        let mut values: Vec<(Range<TokenIdx>, &Kind)> = launches.map(|value| (value, &DIM3)).collect();
        for kind in [&DIM3, &UINT3] {
            values.extend(words(document, kind.name).filter_map(|idx| Some((first_value(document, idx)?, kind))));
        }
        values.sort_by_key(|(value, _)| value.start);
        for (value, kind) in values {
            if !is_for_hip(value.start, cx) && !cx.is_for_cuda_alone(value.start) {
                report(value, kind, cx);
            }
        }
    }
}

/// The one value that a variable of the type at `kind` begins with: `dim3 a = value;`, `dim3 a(value);`, `dim3 a{value};`.
fn first_value(document: &Document, kind: TokenIdx) -> Option<Range<TokenIdx>> {
    let name = kind + 1 + usize::from(document.is(kind + 1, b'&'));
    let start = name + 1;
    if document.kind(name) != Some(TokenKind::Ident) {
        return None;
    }
    if document.is(start, b'=') {
        return Some(start + 1..end_of_value(document, start + 1));
    }
    let opens = document.is(start, b'(') || document.is(start, b'{');
    let close = document.partner(start).filter(|_| opens)?;
    document.is(close + 1, b';').then_some(start + 1..close)
}

/// Tells a value that is of the other type as a whole.
fn report(value: Range<TokenIdx>, kind: &Kind, cx: &mut Context<'_>) {
    let document: &Document = cx.document;
    let (first, last) = (value.start, value.end.saturating_sub(1));
    let range = document.range_of(value.clone());
    let (edit, what) = if value.len() == 1 && is_of(first, kind, cx) {
        let name = document.token_text(first);
        (Edit::replace(range, format!("{}({name}.x, {name}.y, {name}.z)", kind.maker)), kind.of)
    } else if document.token_text(first) == kind.maker_of
        && Call::at(document, first).is_some_and(|call| call.close == last && call.arguments.len() == 3)
    {
        (Edit::replace(document.range_of(first..first + 1), kind.maker), kind.of)
    } else {
        return;
    };
    let message = format!("`{what}` does not convert to `{}` in HIP", kind.name);
    cx.report(range, message).fix(Fix::safe("hand over the three members", vec![edit]));
}

/// Whether a name is a variable of the other type, by its declaration in the function.
fn is_of(name: TokenIdx, kind: &Kind, cx: &Context<'_>) -> bool {
    let text = cx.document.token_text(name);
    if kind.of == "dim3" && COORDINATES[2..].contains(&text) {
        return true;
    }
    // Types of variables take memory, and few files name this one.
    if !cx.has_word(kind.of) {
        return false;
    }
    let function = cx.facts.functions.around(name);
    let found = function.and_then(|function| cx.variable_types().of_argument(function, name..name + 1));
    found.as_deref() == Some(kind.of)
}
