//! Comparisons of halves and bfloat16 by operators that HIP has with another meaning.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::places::declared;
use crate::analysis::{Function, Statement};
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::rules::context::Context;
use crate::rules::meaning::Meaning;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::{Edit, TextRange};
use crate::syntax::{BinaryOperator, Document, Operand, OperandKind, OperatorKind, TokenIdx};

declare_rule! {
    /// ## What it does
    /// Finds comparisons by operators of variables of half precision and of pairs of half precision or bfloat16, where HIP's
    /// operator gives another result than CUDA's.
    ///
    /// ## Why is this bad?
    /// The results are wrong without a word. In CUDA a comparison of pairs is true where it holds for both parts
    /// (`cuda_fp16.h`, `cuda_bf16.h`). HIP's `<=` and `>=` of `__half2` are true where the opposite does not hold for both;
    /// `<`, `<=`, `>` and `>=` of `__hip_bfloat162` compare the first part of one side with both parts of the other; `!=`
    /// is true where one part differs; and `<=` and `>=` of `__half` are true for what is no number (headers of ROCm 5.7, 6.4
    /// and 7.2, compared with an NVIDIA H200).
    ///
    /// ## Example
    /// ```cuda
    /// #include <cuda_fp16.h>
    /// __device__ bool fits(__half2 value, __half2 bound) { return value <= bound; }
    /// ```
    /// Use instead:
    /// ```hip
    /// #include <hip/hip_fp16.h>
    /// __device__ bool fits(__half2 value, __half2 bound) { return __hble2(value, bound); }
    /// ```
    ///
    /// ## Fix safety
    /// Safe: the functions do in HIP what CUDA's operators do. `!=` of pairs has no fix. Only variables and elements whose
    /// declaration stands in the same function are known.
    ShortFloatComparison { code: "K045", name: "short-float-comparison", severity: Hint, fix: Sometimes, since: "0.2.0" }
}

/// A type whose operators differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Short {
    Half,
    HalfPair,
    BrainPair,
}

/// Variables by name, and whether each is a pointer or an array.
type Variables<'d> = FxHashMap<&'d str, (Short, bool)>;

impl Rule for ShortFloatComparison {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check<'d>(_: WholeFile, cx: &mut Context<'d>) {
        if cx.facts.is_hip {
            return;
        }
        let document = cx.document;
        let types = types(cx);
        let mut found = Vec::new();
        for function in cx.facts.functions.iter() {
            let tokens = function.head.start..function.body.end;
            if types.range(tokens).next().is_none() {
                continue;
            }
            let statements = cx.statements(function);
            let variables = variables(document, function, &types, &statements);
            let mut look = |operand: &Operand| found.extend(comparison(document, operand, &variables));
            statements.iter().flat_map(Statement::operands).for_each(|operand| operand.walk(&mut look));
        }
        for comparison in &found {
            report(comparison, cx);
        }
    }
}

/// The places of the file that name a short float of CUDA's.
type Types = BTreeMap<TokenIdx, Short>;

fn types(cx: &Context<'_>) -> Types {
    let types = cx.names.iter().filter(|name| matches!(name.meaning, Meaning::Renamed(..) | Meaning::Same(_)));
    let types = types.filter_map(|name| {
        let short = match &*name.text {
            "half" | "__half" => Short::Half,
            "half2" | "__half2" => Short::HalfPair,
            "nv_bfloat162" | "__nv_bfloat162" => Short::BrainPair,
            _ => return None,
        };
        Some((name.token, short))
    });
    types.collect()
}

/// The parameters and variables of a function that hold short floats.
fn variables<'d>(
    document: &'d Document,
    function: &Function,
    types: &Types,
    statements: &[Statement],
) -> Variables<'d> {
    let mut variables = Variables::default();
    for (name, short) in types.range(function.head.clone()) {
        for variable in declared(document, *name) {
            let is_pointer = document.is(variable - 1, b'*') || document.is(variable + 1, b'[');
            variables.insert(document.token_text(variable), (*short, is_pointer));
        }
    }
    for statement in statements {
        let Statement::Declaration(declaration) = statement else { continue };
        let Some((_, short)) = types.range(declaration.kind.clone()).next() else { continue };
        for declarator in &declaration.declarators {
            let is_pointer = document.is(declarator.name - 1, b'*') || document.is(declarator.name + 1, b'[');
            variables.insert(document.token_text(declarator.name), (*short, is_pointer));
        }
    }
    variables
}

/// A comparison that HIP answers in another way.
struct Comparison {
    left: Operand,
    right: Operand,
    operator: BinaryOperator,
    short: Short,
    /// The function that does what CUDA's operator does.
    function: Option<&'static str>,
}

fn comparison(document: &Document, operand: &Operand, variables: &Variables<'_>) -> Option<Comparison> {
    let OperandKind::Binary(operator, sides) = &operand.kind else { return None };
    if operator.kind != OperatorKind::Logic {
        return None;
    }
    let [left, right] = &**sides;
    let short = kind_of(document, left, variables).or_else(|| kind_of(document, right, variables))?;
    let sign = operator.text(document);
    let function = match (short, sign) {
        (Short::Half, "<=") => Some("__hle"),
        (Short::Half, ">=") => Some("__hge"),
        (Short::HalfPair | Short::BrainPair, "<=") => Some("__hble2"),
        (Short::HalfPair | Short::BrainPair, ">=") => Some("__hbge2"),
        (Short::BrainPair, "<") => Some("__hblt2"),
        (Short::BrainPair, ">") => Some("__hbgt2"),
        (Short::HalfPair | Short::BrainPair, "!=") => None,
        _ => return None,
    };
    Some(Comparison { left: left.clone(), right: right.clone(), operator: operator.clone(), short, function })
}

/// What a variable, an element of one or what one points to is.
fn kind_of(document: &Document, operand: &Operand, variables: &Variables<'_>) -> Option<Short> {
    let (name, is_element) = match &operand.kind {
        OperandKind::Name(name) => (*name, false),
        OperandKind::Index(parts) => (name_of(&parts[0])?, true),
        OperandKind::Unary(sign, inner) if document.is(*sign, b'*') => (name_of(inner)?, true),
        _ => return None,
    };
    let (short, is_pointer) = variables.get(document.token_text(name))?;
    (*is_pointer == is_element).then_some(*short)
}

fn name_of(operand: &Operand) -> Option<TokenIdx> {
    if let OperandKind::Name(name) = operand.kind { Some(name) } else { None }
}

fn report(comparison: &Comparison, cx: &mut Context<'_>) {
    let document = cx.document;
    let Comparison { left, right, operator, short, function } = comparison;
    let operator = document.range_of(operator.tokens.clone());
    let sign = document.slice(operator);
    let what = match short {
        Short::Half => "true of what is no number",
        Short::HalfPair | Short::BrainPair => "another comparison of the parts",
    };
    let message = format!("`{sign}` of `{}` is {what} in HIP", type_of(*short));
    let [left, right] = [left, right].map(|side| document.range_of(side.tokens.clone()));
    let between = TextRange::new(left.end(), right.start());
    let finding = cx.report(operator, message);
    match function {
        Some(function) => {
            let edits = vec![
                Edit::insert(left.start(), format!("{function}(")),
                Edit::replace(between, ", "),
                Edit::insert(right.end(), ")"),
            ];
            finding.fix(Fix::safe(format!("call `{function}`"), edits));
        }
        None => {
            finding
                .severity(Severity::Warning)
                .note("in CUDA it is true where both parts differ: compare them one by one");
        }
    }
}

fn type_of(short: Short) -> &'static str {
    match short {
        Short::Half => "__half",
        Short::HalfPair => "__half2",
        Short::BrainPair => "__hip_bfloat162",
    }
}
