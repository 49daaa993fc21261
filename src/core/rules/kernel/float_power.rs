//! Calls of `pow` that HIP computes in `float`, and CUDA in `double`.

use std::ops::Range;

use super::device_code::{is_for_nvcc, may_run_on_device};
use super::extremum_type::{has_own, is_of_ours};
use super::number_types::{INT, Number, Numbers, literal};
use crate::analysis::{Function, GUARD, Role, is_global, role};
use crate::diagnostic::{Fix, RuleInfo};
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
    /// Finds calls of `pow` and `std::pow` in device code with a `float`, or what may be one, and an `int`.
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
    /// Safe: it is what CUDA computes. Where the type is not known, a definition of hipshift's makes a `double` of a `float`, and leaves all
    /// others alone. Whoever does not need the digits writes `powf`.
    FloatPower { code: "K062", name: "float-power", severity: Hint, fix: Always, since: "0.2.0" }
}

const POW: &str = "pow";

impl Rule for FloatPower {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        for power in powers(cx) {
            let (name, base) = (cx.document.range_of(power.name.clone()), cx.document.range_of(power.base));
            let around =
                |with: &str| vec![Edit::insert(base.start(), format!("{with}(")), Edit::insert(base.end(), ")")];
            let (message, fix) = match intrinsic().filter(|_| !power.is_known) {
                None => {
                    let edits = around("static_cast<double>");
                    ("HIP computes this in `float`, CUDA in `double`", Fix::safe("compute it in `double`", edits))
                }
                Some(intrinsic) => {
                    let mut edits = around(&intrinsic.helper());
                    edits.extend(definitions(name.start(), cx));
                    let fix = Fix::safe(format!("define and use `{}`", intrinsic.helper()), edits);
                    ("HIP computes this in `float` if the first argument is one, CUDA in `double`", fix)
                }
            };
            cx.report(name, message).fix(fix);
        }
    }
}

/// What takes the place of the calls of the file whose types are not known.
pub(in crate::rules) fn defined_powers(cx: &Context<'_>) -> Vec<(TokenIdx, &'static Intrinsic)> {
    let Some(intrinsic) = intrinsic().filter(|_| cx.settings.rules.is_enabled(&FloatPower::RULE_INFO)) else {
        return Vec::new();
    };
    let is_read = |power: &Power| !cx.skips(cx.document.range_of(power.name.clone()).start());
    let unknown = powers(cx).into_iter().filter(|power| !power.is_known && is_read(power));
    unknown.map(|power| (power.name.start, intrinsic)).collect()
}

fn intrinsic() -> Option<&'static Intrinsic> {
    Intrinsics::builtin().ok().and_then(|table| table.get("pow_base"))
}

/// A call of a `float` and an `int`.
struct Power {
    /// With what stands in front of it: `std::pow`.
    name: Range<TokenIdx>,
    base: Range<TokenIdx>,
    /// Whether the base is known to be a `float`.
    is_known: bool,
}

fn powers(cx: &Context<'_>) -> Vec<Power> {
    let document: &Document = cx.document;
    let is_guarded = || document.text().contains(GUARD);
    if !cx.has_word(POW) || cx.facts.is_hip || !is_for_nvcc(cx) || is_guarded() || has_own(POW, cx) {
        return Vec::new();
    }
    let (certain, likely) = (Numbers::strict(cx), Numbers::of(cx));
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
        let function = cx.facts.functions.around(call.name);
        let kind = |numbers: &Numbers<'_, '_>, tokens: Range<TokenIdx>| {
            let alone = (tokens.len() == 1).then(|| literal(document.token_text(tokens.start))).flatten();
            alone.or_else(|| numbers.value(function?, tokens))
        };
        let is_float = |number: &Number| *number == Number::Real { is_double: false };
        let may_be_float = |number: Option<Number>| number.is_none_or(|number| !number.is_known() || is_float(&number));
        let is_done = document.token_text(base.start).starts_with(HELPER_PREFIX);
        let is_int = is_template_int(cx, function, &exponent) || kind(&likely, exponent) == Some(INT);
        let fits = !is_done && is_int && may_be_float(kind(&likely, base.clone()));
        let is_known = fits && kind(&certain, base.clone()).as_ref().is_some_and(is_float);
        (fits && may_run_on_device(call.name, cx)).then(|| Power { name: start..call.name + 1, base, is_known })
    });
    found.collect()
}

/// Whether an exponent is a parameter of the function's template: `template <int P>`.
fn is_template_int(cx: &Context<'_>, function: Option<&Function>, exponent: &Range<TokenIdx>) -> bool {
    let document = cx.document;
    let Some((function, name)) = function.and_then(|function| Some((function, function.name?))) else { return false };
    let text = document.token_text(exponent.start);
    let mut head = function.head.start..name;
    exponent.len() == 1 && head.any(|idx| document.token_text(idx) == "int" && document.token_text(idx + 1) == text)
}
