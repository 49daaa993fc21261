//! The smallest, the largest and the middle of two or three floats.

use rustc_apfloat::Float;
use rustc_apfloat::ieee::{Double, Half, Single};

use super::{Case, Kind, Operands, case};

/// An extreme of two numbers.
type Pick<F> = fn(F, F) -> F;

/// Instructions of a width: with names, and what is picked first and second.
fn of_three<F: Float + 'static>(width: u32, names: [&'static str; 9]) -> Vec<Case> {
    // A number wins over what is none, or what is none wins.
    let picks: [[Pick<F>; 2]; 9] = [
        [F::min, F::min],
        [F::max, F::max],
        [F::min, F::max],
        [F::max, F::min],
        [F::minimum, F::minimum],
        [F::maximum, F::maximum],
        [F::minimum, F::maximum],
        [F::maximum, F::minimum],
        [F::min, F::min],
    ];
    let number = |bits: u64| F::from_bits(bits.into());
    let mut cases = Vec::new();
    for (name, [first, second]) in names.into_iter().zip(picks).take(8) {
        let reference = move |[a, b, c]: Operands| second(first(number(a), number(b)), number(c)).to_bits() as u64;
        cases.push(case(name, [width; 3], Kind::Float(width, true), reference));
    }
    cases.push(case(names[8], [width; 3], Kind::Float(width, true), move |operands| {
        let mut numbers = operands.map(number);
        if numbers.iter().any(|number| number.is_nan()) {
            return numbers[0].min(numbers[1]).min(numbers[2]).to_bits() as u64;
        }
        numbers.sort_by(|a, b| a.partial_cmp(b).expect("numbers have an order"));
        numbers[1].to_bits() as u64
    }));
    cases
}

/// What is none wins over a number.
fn of_two<F: Float + 'static>(width: u32, minimum: &'static str, maximum: &'static str) -> Vec<Case> {
    let number = |bits: u64| F::from_bits(bits.into());
    vec![
        case(minimum, [width; 3], Kind::Float(width, true), move |[a, b, _]| {
            number(a).minimum(number(b)).to_bits() as u64
        }),
        case(maximum, [width; 3], Kind::Float(width, true), move |[a, b, _]| {
            number(a).maximum(number(b)).to_bits() as u64
        }),
    ]
}

pub(super) fn cases() -> Vec<Case> {
    let of_half = [
        "v_min3_f16 v_min3_num_f16",
        "v_max3_f16 v_max3_num_f16",
        "v_minmax_f16 v_minmax_num_f16",
        "v_maxmin_f16 v_maxmin_num_f16",
        "v_minimum3_f16",
        "v_maximum3_f16",
        "v_minimummaximum_f16",
        "v_maximumminimum_f16",
        "v_med3_f16 v_med3_num_f16",
    ];
    let of_single = [
        "v_min3_f32 v_min3_num_f32",
        "v_max3_f32 v_max3_num_f32",
        "v_minmax_f32 v_minmax_num_f32",
        "v_maxmin_f32 v_maxmin_num_f32",
        "v_minimum3_f32",
        "v_maximum3_f32",
        "v_minimummaximum_f32",
        "v_maximumminimum_f32",
        "v_med3_f32 v_med3_num_f32",
    ];
    [
        of_three::<Half>(16, of_half),
        of_three::<Single>(32, of_single),
        of_two::<Half>(16, "v_minimum_f16", "v_maximum_f16"),
        of_two::<Single>(32, "v_minimum_f32", "v_maximum_f32"),
        of_two::<Double>(64, "v_minimum_f64", "v_maximum_f64"),
    ]
    .into_iter()
    .flatten()
    .collect()
}
