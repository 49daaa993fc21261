//! Calls of `pow` that HIP computes in `float`, and CUDA in `double`.

use std::ops::Range;

use super::device_code::{is_for_nvcc, may_run_on_device};
use super::extremum_type::{has_own, is_of_ours};
use super::number_types::{INT, Number, Numbers, literal, operands};
use crate::analysis::{Function, GUARD, Role, is_global, role};
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::mapping::{HELPER_PREFIX, Intrinsic, Intrinsics};
use crate::rules::api::is_declaration;
use crate::rules::context::Context;
use crate::rules::definitions::definitions;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;
use crate::syntax::{Call, Document, TokenIdx, path_start, words};

declare_rule! {
    /// ## What it does
    /// Finds calls of `pow` and `std::pow` in device code with a `float` and an `int`, or what may be these.
    ///
    /// ## Why is this bad?
    /// The result is a `double` in CUDA, as in C++ since 2011 (`crt/math_functions.h`; CUDA 13.0 on an H200). HIP's compiler has an
    /// overload of its own for the device (`__clang_hip_cmath.h`), which gives a `float`: `pow(10.f, 40)` is infinite there, and a sum of such
    /// terms has half the digits.
    ///
    /// ## Example
    /// ```cuda
    /// __global__ void cube(double* out, float x) { *out = pow(x, 3); }
    /// ```
    /// Use instead:
    /// ```hip
    /// __global__ void cube(double* out, float x) { *out = pow(static_cast<double>(x), 3); }
    /// ```
    ///
    /// ## Fix safety
    /// Safe: it is what CUDA computes. Where the types are not known, a definition of hipshift's makes a `double` of a `float` if the exponent is
    /// an `int`, and leaves all others alone. Whoever does not need the digits writes `powf`.
    FloatPower { code: "K062", name: "float-power", severity: Hint, fix: Always, since: "0.2.0" }
}

const POW: &str = "pow";

impl Rule for FloatPower {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        for power in powers(cx) {
            if power.types == Types::Untold {
                let name = cx.document.range_of(power.name.clone());
                cx.report(name, power.types.message())
                    .severity(Severity::Info)
                    .note("if they are, write `static_cast<double>` in front of the first");
                continue;
            }
            let (name, base) = (cx.document.range_of(power.name.clone()), cx.document.range_of(power.base.clone()));
            let around =
                |with: &str| vec![Edit::insert(base.start(), format!("{with}(")), Edit::insert(base.end(), ")")];
            let (message, fix) = match power.intrinsic() {
                None => {
                    let edits = around("static_cast<double>");
                    ("HIP computes this in `float`, CUDA in `double`", Fix::safe("compute it in `double`", edits))
                }
                Some(intrinsic) => {
                    let mut edits = around(&power.helper(intrinsic, cx.document));
                    edits.extend(definitions(name.start(), cx));
                    let fix = Fix::safe(format!("define and use `{}`", intrinsic.helper()), edits);
                    (power.types.message(), fix)
                }
            };
            cx.report(name, message).fix(fix);
        }
    }
}

/// What takes the place of the calls of the file whose types are not known.
pub(in crate::rules) fn defined_powers(cx: &Context<'_>) -> Vec<(TokenIdx, &'static Intrinsic)> {
    if !cx.settings.rules.is_enabled(&FloatPower::RULE_INFO) {
        return Vec::new();
    }
    let is_read = |power: &Power| !cx.skips(cx.document.range_of(power.name.clone()).start());
    let all = powers(cx).into_iter().filter(is_read);
    all.filter_map(|power| Some((power.name.start, power.intrinsic()?))).collect()
}

/// A call of a `float` and an `int`.
struct Power {
    /// With what stands in front of it: `std::pow`.
    name: Range<TokenIdx>,
    base: Range<TokenIdx>,
    exponent: Range<TokenIdx>,
    types: Types,
}

/// What is known of the types of a power.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Types {
    /// A `float` and an `int`.
    Known,
    /// The exponent is an `int`.
    OpenBase,
    /// The exponent may be one.
    OpenExponent,
    /// It may be one, and its type cannot be asked for where it stands.
    Untold,
}

impl Types {
    fn message(self) -> &'static str {
        match self {
            Types::Known | Types::OpenBase => {
                "HIP computes this in `float` if the first argument is one, CUDA in `double`"
            }
            Types::OpenExponent | Types::Untold => {
                "HIP computes this in `float` if the arguments are a `float` and an `int`, CUDA in `double`"
            }
        }
    }
}

impl Power {
    /// The definition that decides by the types.
    fn intrinsic(&self) -> Option<&'static Intrinsic> {
        let name = match self.types {
            Types::Known | Types::Untold => return None,
            Types::OpenBase => "pow_base",
            Types::OpenExponent => "pow_base_for",
        };
        Intrinsics::builtin().ok().and_then(|table| table.get(name))
    }

    /// As it is called: with the type of the exponent, if that decides.
    fn helper(&self, intrinsic: &Intrinsic, document: &Document) -> String {
        let name = intrinsic.helper();
        match self.types {
            Types::Known | Types::OpenBase | Types::Untold => name,
            Types::OpenExponent => {
                format!("{name}<decltype({})>", document.slice(document.range_of(self.exponent.clone())))
            }
        }
    }
}

fn powers(cx: &Context<'_>) -> Vec<Power> {
    let document: &Document = cx.document;
    let is_guarded = || document.text().contains(GUARD);
    if !cx.has_word(POW) || cx.facts.is_hip || !is_for_nvcc(cx) || is_guarded() || has_own(POW, cx) {
        return Vec::new();
    }
    let types = PowerTypes { cx, certain: Numbers::strict(cx), likely: Numbers::of(cx) };
    let calls = words(document, POW).filter_map(|idx| Call::at(document, idx));
    let found = calls.filter_map(|call| {
        let start = path_start(document, call.name);
        let is_standard = start + 2 == call.name && document.token_text(start) == "std";
        let is_free = role(document, call.name) == Role::Free || is_global(document, call.name);
        let [base, exponent] = call.arguments.as_slice() else { return None };
        let is_named = document.is(call.name + 1, b'(');
        if !(is_free || is_standard) || !is_named || is_declaration(&call, cx) || is_of_ours(call.name, cx) {
            return None;
        }
        let (base, exponent) = (document.tokens_in(*base), document.tokens_in(*exponent));
        if document.token_text(base.start).starts_with(HELPER_PREFIX) || !may_run_on_device(call.name, cx) {
            return None;
        }
        let types = types.of(call.name, &base, &exponent)?;
        Some(Power { name: start..call.name + 1, base, exponent, types })
    });
    found.collect()
}

/// Asks for the types of powers.
struct PowerTypes<'c, 'd> {
    cx: &'c Context<'d>,
    certain: Numbers<'c, 'd>,
    likely: Numbers<'c, 'd>,
}

impl PowerTypes<'_, '_> {
    /// What is known of a power at `call` if it may be one of a `float` and an `int`.
    fn of(&self, call: TokenIdx, base: &Range<TokenIdx>, exponent: &Range<TokenIdx>) -> Option<Types> {
        let function = self.cx.facts.functions.around(call);
        let is_float = |number: &Number| *number == Number::Real { is_double: false };
        let of_base = self.kind(&self.likely, function, base);
        if of_base.as_ref().is_some_and(|number| number.is_known() && !is_float(number)) {
            return None;
        }
        if is_template_int(self.cx, function, exponent) {
            return Some(self.with_int(function, base));
        }
        match self.kind(&self.likely, function, exponent).or_else(|| self.likely.member(exponent)) {
            Some(INT) => Some(self.with_int(function, base)),
            Some(known) if known.is_known() => None,
            // `T pow(T, T)` has the same result in both, whatever `T` is.
            Some(named) if of_base.as_ref() == Some(&named) => None,
            _ if self.is_real(function, exponent) => None,
            // A macro of a header may be one for C, or for the host alone.
            _ if function.is_none() && !is_for_nvcc_alone(self.cx) => Some(Types::Untold),
            _ if self.becomes_another(exponent) => Some(Types::Untold),
            _ => Some(Types::OpenExponent),
        }
    }

    /// Whether an exponent has names that become others, or what has no type: a lambda.
    fn becomes_another(&self, exponent: &Range<TokenIdx>) -> bool {
        let document = self.cx.document;
        let is_lambda = |idx: TokenIdx| {
            document.is(idx, b'[')
                && (document.is(idx + 1, b']') || document.is(idx + 1, b'=') || document.is(idx + 1, b'&'))
        };
        self.cx.names.within(exponent.clone()).next().is_some()
            || exponent.clone().any(|idx| document.token_text(idx) == POW || is_lambda(idx))
    }

    fn with_int(&self, function: Option<&Function>, base: &Range<TokenIdx>) -> Types {
        let is_known = self.kind(&self.certain, function, base) == Some(Number::Real { is_double: false });
        if is_known { Types::Known } else { Types::OpenBase }
    }

    /// The type of an argument, as far as it or its function tells.
    fn kind(&self, numbers: &Numbers<'_, '_>, function: Option<&Function>, tokens: &Range<TokenIdx>) -> Option<Number> {
        let document = self.cx.document;
        let alone = (tokens.len() == 1).then(|| literal(document.token_text(tokens.start))).flatten();
        alone.or_else(|| numbers.value(function?, tokens.clone()))
    }

    /// Whether an exponent is arithmetic with a number that is no integer: `1.f / n`.
    fn is_real(&self, function: Option<&Function>, exponent: &Range<TokenIdx>) -> bool {
        let document = self.cx.document;
        let is_real =
            |part: Range<TokenIdx>| matches!(self.kind(&self.likely, function, &part), Some(Number::Real { .. }));
        operands(document, exponent.clone()).is_some_and(|parts| parts.into_iter().any(is_real))
    }
}

/// Whether only nvcc compiles the file, by its name.
fn is_for_nvcc_alone(cx: &Context<'_>) -> bool {
    matches!(cx.document.file().path.extension(), Some("cu" | "cuh"))
}

/// Whether an exponent is a parameter of the function's template: `template <int P>`.
fn is_template_int(cx: &Context<'_>, function: Option<&Function>, exponent: &Range<TokenIdx>) -> bool {
    let document = cx.document;
    let Some((function, name)) = function.and_then(|function| Some((function, function.name?))) else { return false };
    let text = document.token_text(exponent.start);
    let mut head = function.head.start..name;
    exponent.len() == 1 && head.any(|idx| document.token_text(idx) == "int" && document.token_text(idx + 1) == text)
}
