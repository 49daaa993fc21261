//! Functions that hardware approximates, with the error that AMD's manuals allow for results of full precision: one unit
//! in the last place, for sines of single precision a part of the whole range.

use rustc_apfloat::ieee::{Double, Half, Single};
use rustc_apfloat::{Float, FloatConvert, Round};

use super::*;

type Function = fn(f64) -> f64;

/// Names without unit and type, and the exact function.
const FUNCTIONS: [(&str, Function); 8] = [
    ("rcp", |x| 1.0 / x),
    ("rcp_iflag", |x| 1.0 / x),
    ("rsq", |x| 1.0 / x.sqrt()),
    ("sqrt", f64::sqrt),
    ("exp", f64::exp2),
    ("log", f64::log2),
    ("sin", |turns| (turns.rem_euclid(1.0) * std::f64::consts::TAU).sin()),
    ("cos", |turns| (turns.rem_euclid(1.0) * std::f64::consts::TAU).cos()),
];

/// The function of an instruction, and its width.
fn function(entry: &Entry) -> Option<(Function, u32)> {
    let name = entry.base.strip_prefix("v_s_").or_else(|| entry.base.strip_prefix("v_"))?;
    let (name, kind) = name.rsplit_once("_f")?;
    let (_, function) = FUNCTIONS.iter().find(|(known, _)| *known == name)?;
    Some((*function, kind.parse().ok()?))
}

/// Whether an instruction is one of these.
pub(super) fn is_one(entry: &Entry) -> bool {
    function(entry).is_some()
}

fn double_of(bits: u64, width: u32) -> f64 {
    let value: Double = match width {
        16 => Half::from_bits(bits.into()).convert(&mut false).value,
        32 => Single::from_bits(bits.into()).convert(&mut false).value,
        _ => Double::from_bits(bits.into()),
    };
    f64::from_bits(value.to_bits() as u64)
}

fn rounded(value: f64, width: u32) -> u64 {
    fn to<F: Float>(value: Double) -> u64
    where
        Double: FloatConvert<F>,
    {
        let rounded: F = value.convert_r(Round::NearestTiesToEven, &mut false).value;
        rounded.to_bits() as u64
    }
    let value = Double::from_bits(value.to_bits().into());
    match width {
        16 => to::<Half>(value),
        32 => to::<Single>(value),
        _ => value.to_bits() as u64,
    }
}

/// Edges, and numbers of all sizes between them.
fn operands(width: u32) -> Vec<Operands> {
    let many = (0..3000_u64).map(|at| at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - width));
    edges(width).into_iter().chain(many).map(|bits| [bits, 0, 0]).collect()
}

fn is_near(name: &str, width: u32, found: u64, exact: f64) -> bool {
    let limit = u64::MAX >> (64 - width);
    let (value, near) = (double_of(found & limit, width), rounded(exact, width));
    if exact.is_nan() || value.is_nan() {
        return exact.is_nan() && value.is_nan();
    }
    let is_periodic = name.contains("sin") || name.contains("cos");
    let bound = if width == 16 { 2_f64.powi(-11) } else { 2_f64.powi(-20) };
    (found & limit).abs_diff(near) <= 1 || (is_periodic && (value - exact).abs() <= bound)
}

#[test]
fn approximations_are_near_the_exact_function() {
    let (mut checked, mut forms) = (BTreeSet::new(), 0);
    for table in tables() {
        for entry in table.entries() {
            let Some((function, width)) = function(entry) else { continue };
            let is_scalar = entry.slot(Field::ScalarDst).is_some();
            let Some(inst) = encoded(table, entry, 0).filter(|_| !is_scalar) else { continue };
            let vector = Vector::new(&inst, table.generation).unwrap();
            for chunk in operands(width).chunks(32) {
                for ([bits, ..], found) in chunk.iter().zip(results(&vector, table.generation, entry, chunk)) {
                    let x = double_of(*bits, width);
                    let is_right = is_near(entry.base, width, found, function(x));
                    assert!(is_right, "{} of {x:e}: {:e}", entry.mnemonic, double_of(found, width));
                }
            }
            checked.insert(entry.base);
            forms += 1;
        }
    }
    assert!(checked.len() >= 18 && forms >= 180, "{checked:?} in {forms} forms");
}

/// The same functions on scalars.
#[test]
fn scalars_have_the_same_approximations() {
    let table = Table::of(Target::parse("gfx1201").unwrap().processor);
    let mut checked = 0;
    for entry in table.entries().filter(|entry| entry.base.starts_with("v_s_")) {
        let (function, width) = function(entry).unwrap();
        let words = [0xd400_0000 | u32::from(entry.opcode) << 16 | 5, 2];
        let vector = Vector::new(&decode(table, &words).unwrap(), table.generation).unwrap();
        let mut wave = Wave::new(32);
        for [bits, ..] in operands(width).into_iter().take(200) {
            wave.scalars.set(Operand(2), bits as u32);
            vector::run(&mut wave, &vector);
            let found = u64::from(wave.scalars.get(Operand(5)));
            assert!(is_near(entry.base, width, found, function(double_of(bits, width))), "{} {bits:#x}", entry.base);
        }
        checked += 1;
    }
    assert_eq!(checked, 10);
}
