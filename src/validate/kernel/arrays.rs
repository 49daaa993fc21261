//! Compares arrays element by element.

use super::element::{Element, Value};

/// What counts as equal.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ArrayTolerance {
    /// Share of the expected value.
    pub relative: f64,
    /// Amount.
    pub absolute: f64,
    /// Steps from one value of the element's type to the next; nothing for integers.
    pub ulp: u64,
    /// What becomes of NaN.
    pub nan: NanRule,
}

/// How elements that are no number are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NanRule {
    /// NaN is expected where NaN was expected, whatever its bits.
    #[default]
    Equal,
    /// NaN is always wrong.
    Differ,
    /// Elements with NaN on either side are not compared.
    Ignore,
}

/// How an array is not as expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArrayDifference {
    /// The name of the array.
    pub array: String,
    /// Number of elements that are wrong.
    pub wrong: usize,
    /// Number of elements that were compared.
    pub count: usize,
    /// The first wrong element, from 0.
    pub index: usize,
    /// Its expected value.
    pub expected: String,
    /// What it was.
    pub actual: String,
}

/// Compares two arrays of equal length; nothing if they are equal. Bytes that make no whole element are not looked at.
pub(crate) fn compare_arrays(
    array: &str,
    element: Element,
    expected: &[u8],
    actual: &[u8],
    tolerance: &ArrayTolerance,
) -> Option<ArrayDifference> {
    let pairs = expected.chunks_exact(element.size()).zip(actual.chunks_exact(element.size()));
    let wrong = pairs.enumerate().filter(|(_, (wanted, found))| !is_equal(element, wanted, found, tolerance));
    let wrong: Vec<_> = wrong.collect();
    let &(index, (wanted, found)) = wrong.first()?;
    Some(ArrayDifference {
        array: array.to_owned(),
        wrong: wrong.len(),
        count: expected.len() / element.size(),
        index,
        expected: shown(element.read(wanted)),
        actual: shown(element.read(found)),
    })
}

fn is_equal(element: Element, expected: &[u8], actual: &[u8], tolerance: &ArrayTolerance) -> bool {
    match (element.read(expected), element.read(actual)) {
        (Value::Integer(wanted), Value::Integer(found)) => {
            wanted == found || is_near(real(wanted), real(wanted.abs_diff(found).cast_signed()), tolerance)
        }
        (Value::Real(wanted), Value::Real(found)) if wanted.is_nan() || found.is_nan() => match tolerance.nan {
            NanRule::Equal => wanted.is_nan() && found.is_nan(),
            NanRule::Differ => false,
            NanRule::Ignore => true,
        },
        (Value::Real(wanted), Value::Real(found)) => {
            let finite = wanted.is_finite() && found.is_finite();
            let steps = || element.steps(expected, actual).is_some_and(|steps| steps <= tolerance.ulp);
            #[allow(clippy::float_cmp, reason = "equal is equal; what is near comes behind")]
            let same = wanted == found;
            same || finite && (is_near(wanted, (wanted - found).abs(), tolerance) || steps())
        }
        _ => false,
    }
}

fn is_near(expected: f64, difference: f64, tolerance: &ArrayTolerance) -> bool {
    difference <= tolerance.absolute.max(tolerance.relative * expected.abs())
}

/// Rounded where a binary64 has too few digits: a tolerance is no exact number either.
#[allow(clippy::cast_precision_loss, reason = "see above")]
fn real(value: i128) -> f64 {
    value as f64
}

fn shown(value: Value) -> String {
    match value {
        Value::Integer(value) => value.to_string(),
        Value::Real(value) => format!("{value:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floats(expected: &[f32], actual: &[f32], tolerance: ArrayTolerance) -> Option<ArrayDifference> {
        let bytes = |values: &[f32]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>();
        compare_arrays("y", Element::Float, &bytes(expected), &bytes(actual), &tolerance)
    }

    const EXACT: ArrayTolerance = ArrayTolerance { relative: 0.0, absolute: 0.0, ulp: 0, nan: NanRule::Equal };

    #[test]
    fn the_first_wrong_element_is_told_and_all_are_counted() {
        let found = floats(&[1.0, 2.0, 3.0, 4.0], &[1.0, 2.5, 3.0, 5.0], EXACT).unwrap();
        assert_eq!((found.wrong, found.count, found.index), (2, 4, 1));
        assert_eq!((found.expected.as_str(), found.actual.as_str()), ("2.0", "2.5"));
        assert_eq!(floats(&[1.0, -0.0], &[1.0, 0.0], EXACT), None);
    }

    #[test]
    fn each_tolerance_is_of_its_own_kind() {
        let off = |tolerance| floats(&[1000.0, 0.001], &[1001.0, 0.001], tolerance).is_some();
        assert!(off(EXACT));
        assert!(!off(ArrayTolerance { relative: 1e-3, ..EXACT }));
        assert!(off(ArrayTolerance { relative: 0.9e-3, ..EXACT }));
        assert!(!off(ArrayTolerance { absolute: 1.0, ..EXACT }));
        assert!(off(ArrayTolerance { absolute: 0.9, ..EXACT }));
        let next = 1.0_f32.next_up().next_up();
        assert!(floats(&[1.0], &[next], ArrayTolerance { ulp: 1, ..EXACT }).is_some());
        assert!(floats(&[1.0], &[next], ArrayTolerance { ulp: 2, ..EXACT }).is_none());
        let integers = |tolerance| compare_arrays("n", Element::Signed(1), &[10], &[12], &tolerance).is_some();
        assert!(integers(ArrayTolerance { ulp: 5, ..EXACT }) && integers(ArrayTolerance { absolute: 1.0, ..EXACT }));
        assert!(!integers(ArrayTolerance { absolute: 2.0, ..EXACT }));
    }

    #[test]
    fn what_is_no_number_has_rules_of_its_own() {
        let nan = f32::NAN;
        let off = |a, b, rule| floats(&[a], &[b], ArrayTolerance { relative: 1.0, nan: rule, ..EXACT }).is_some();
        assert!(!off(nan, -nan, NanRule::Equal) && off(nan, 1.0, NanRule::Equal) && off(1.0, nan, NanRule::Equal));
        assert!(off(nan, nan, NanRule::Differ));
        assert!(!off(nan, 1.0, NanRule::Ignore) && !off(1.0, nan, NanRule::Ignore));
        assert!(off(f32::INFINITY, 1.0, NanRule::Equal) && !off(f32::INFINITY, f32::INFINITY, NanRule::Equal));
        assert!(floats(&[f32::MAX], &[f32::INFINITY], ArrayTolerance { ulp: 9, ..EXACT }).is_some());
    }
}
