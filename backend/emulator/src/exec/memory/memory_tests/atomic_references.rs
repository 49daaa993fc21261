//! What atomic instructions compute, by name: integers as numbers of any size, floats in software.

use std::collections::HashMap;

use rustc_apfloat::Float;
use rustc_apfloat::ieee::{BFloat, Double, Half, Single};

use super::references::name;

/// What is known before: the value in memory, the data, and what it is compared with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Input {
    pub(super) old: u64,
    pub(super) data: u64,
    pub(super) compare: u64,
}

/// Where an instruction has its operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operands {
    /// Data only.
    One,
    /// Data, and in the registers behind it what is compared.
    Joined,
    /// Data, and in a second operand what is compared.
    Apart,
    /// What is compared, and in a second operand the data.
    CompareFirst,
}

/// How results are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Format {
    /// Bits of the value.
    bits: u32,
    /// Bits of each of its parts.
    part: u32,
    /// Infinity, for floats: what is beyond is no number, and all of that is alike.
    infinity: Option<u64>,
}

impl Format {
    fn integer(bits: u32) -> Format {
        Format { bits, part: bits, infinity: None }
    }

    fn float<F: Float>(bits: u32, part: u32) -> Format {
        Format { bits, part, infinity: Some(F::INFINITY.to_bits() as u64) }
    }

    pub(super) fn part(self) -> u32 {
        self.part
    }

    /// Whether its parts are floats of 16 bits with the exponent of single precision.
    pub(super) fn is_bfloat(self) -> bool {
        self.infinity == Some(0x7f80)
    }

    pub(super) fn bytes(self) -> usize {
        self.bits as usize / 8
    }

    /// Whether a result is the one that is expected.
    pub(super) fn agrees(self, found: u64, expected: u64) -> bool {
        let sign = 1 << (self.part - 1);
        let is_none = |bits: u64| self.infinity.is_some_and(|infinity| bits & (sign - 1) > infinity);
        let part = |bits: u64, at: u32| bits >> at & (sign - 1 | sign);
        (0..self.bits).step_by(self.part as usize).all(|at| {
            let (found, expected) = (part(found, at), part(expected, at));
            found == expected || is_none(found) && is_none(expected)
        })
    }
}

/// An operation on memory.
pub(super) struct Rule {
    pub(super) format: Format,
    pub(super) operands: Operands,
    pub(super) function: Box<dyn Fn(Input) -> u64>,
}

/// All operations by their names without a space.
pub(super) struct Rules(HashMap<String, Rule>);

impl Rules {
    pub(super) fn new() -> Rules {
        let mut rules = Rules(HashMap::new());
        for width in [32, 64] {
            rules.add_integers(width);
            rules.add_exchanges(width);
        }
        rules.add_differences();
        rules.add_floats::<Single>(32);
        rules.add_floats::<Double>(64);
        rules.add_halves::<Half>("f16");
        rules.add_halves::<BFloat>("bf16");
        rules
    }

    pub(super) fn of(&self, base: &str) -> Option<&Rule> {
        self.0.get(name(base))
    }

    fn add(
        &mut self,
        names: &str,
        format: Format,
        operands: Operands,
        function: impl Fn(Input) -> u64 + Copy + 'static,
    ) {
        for name in names.split_whitespace() {
            let known = self.0.insert(name.to_owned(), Rule { format, operands, function: Box::new(function) });
            assert!(known.is_none(), "{name} twice");
        }
    }

    /// An operation by its name on gfx9 and gfx10, and by its later name with a type, which LDS has always had.
    fn add_typed(
        &mut self,
        [early, later, kind]: [&str; 3],
        width: u32,
        function: impl Fn(Input) -> u64 + Copy + 'static,
    ) {
        let suffix = if width == 64 { "_x2" } else { "" };
        let of_addresses = format!("atomic_{early}{suffix} atomic_{later}_{kind}{width}");
        let of_lds = format!("{later}_{kind}{width} {later}_rtn_{kind}{width}");
        let names = format!("{of_addresses} {of_lds}");
        self.add(&names, Format::integer(width), Operands::One, function);
    }

    fn add_integers(&mut self, width: u32) {
        let wraps = 1_i128 << width;
        let wrapped = move |number: i128| number.rem_euclid(wraps) as u64;
        let signed = move |bits: u64| {
            let number = i128::from(bits);
            if number >= wraps / 2 { number - wraps } else { number }
        };
        let number = |bits: u64| i128::from(bits);
        self.add_typed(["add", "add", "u"], width, move |it| wrapped(number(it.old) + number(it.data)));
        self.add_typed(["sub", "sub", "u"], width, move |it| wrapped(number(it.old) - number(it.data)));
        self.add_typed(["rsub", "rsub", "u"], width, move |it| wrapped(number(it.data) - number(it.old)));
        self.add_typed(["smin", "min", "i"], width, move |it| wrapped(signed(it.old).min(signed(it.data))));
        self.add_typed(["smax", "max", "i"], width, move |it| wrapped(signed(it.old).max(signed(it.data))));
        self.add_typed(["umin", "min", "u"], width, |it| if it.old < it.data { it.old } else { it.data });
        self.add_typed(["umax", "max", "u"], width, |it| if it.old < it.data { it.data } else { it.old });
        self.add_typed(["and", "and", "b"], width, |it| it.old & it.data);
        self.add_typed(["or", "or", "b"], width, |it| it.old | it.data);
        self.add_typed(["xor", "xor", "b"], width, |it| it.old ^ it.data);
        // Counts up from zero to the data, and begins again.
        self.add_typed(["inc", "inc", "u"], width, |it| if it.old < it.data { it.old + 1 } else { 0 });
        // Counts down from the data to zero, and begins again.
        self.add_typed(
            ["dec", "dec", "u"],
            width,
            |it| {
                if (1..=it.data).contains(&it.old) { it.old - 1 } else { it.data }
            },
        );
    }

    fn add_exchanges(&mut self, width: u32) {
        let format = Format::integer(width);
        let suffix = if width == 64 { "_x2" } else { "" };
        let swaps = format!("atomic_swap{suffix} atomic_swap_b{width} wrxchg_rtn_b{width} storexchg_rtn_b{width}");
        self.add(&swaps, format, Operands::One, |it| it.data);
        let compared = |it: Input| if it.old == it.compare { it.data } else { it.old };
        let joined = format!("atomic_cmpswap{suffix} atomic_cmpswap_b{width}");
        self.add(&joined, format, Operands::Joined, compared);
        let reversed = format!("cmpst_b{width} cmpst_rtn_b{width}");
        self.add(&reversed, format, Operands::CompareFirst, compared);
        let apart = format!("cmpstore_b{width} cmpstore_rtn_b{width}");
        self.add(&apart, format, Operands::Apart, compared);
    }

    /// Differences that do not become negative: they stop at zero, or nothing is taken.
    fn add_differences(&mut self) {
        let format = Format::integer(32);
        self.add("atomic_sub_clamp_u32 sub_clamp_u32 sub_clamp_rtn_u32", format, Operands::One, |it| {
            (i128::from(it.old) - i128::from(it.data)).max(0) as u64
        });
        self.add("atomic_cond_sub_u32 cond_sub_u32 cond_sub_rtn_u32", format, Operands::One, |it| {
            if it.old < it.data { it.old } else { it.old - it.data }
        });
    }

    fn add_floats<F: Float + 'static>(&mut self, width: u32) {
        let format = Format::float::<F>(width, width);
        let names = format!("atomic_add_f{width} add_f{width} add_rtn_f{width}");
        self.add(&names, format, Operands::One, sum::<F>);
        let suffix = if width == 64 { "_x2" } else { "" };
        for (early, is_max) in [("min", false), ("max", true)] {
            let typed = |name: &str| format!("atomic_{name}_f{width} {name}_f{width} {name}_rtn_f{width}");
            let later = typed(&format!("{early}_num"));
            let names = format!("atomic_f{early}{suffix} {} {later}", typed(early));
            self.add(&names, format, Operands::One, move |it| extreme::<F>(it, is_max));
        }
    }

    /// Sums of both halves.
    fn add_halves<F: Float + 'static>(&mut self, kind: &str) {
        let names = format!("atomic_pk_add_{kind} pk_add_{kind} pk_add_rtn_{kind}");
        let half = |it: Input, at: u32| {
            let part = |bits: u64| bits >> at & 0xffff;
            sum::<F>(Input { old: part(it.old), data: part(it.data), compare: 0 }) << at
        };
        self.add(&names, Format::float::<F>(32, 16), Operands::One, move |it| half(it, 0) | half(it, 16));
    }
}

fn sum<F: Float>(it: Input) -> u64 {
    (F::from_bits(it.old.into()) + F::from_bits(it.data.into())).value.to_bits() as u64
}

/// The smaller or larger number. What is no number counts only if there is nothing else; -0 is less than +0.
fn extreme<F: Float>(it: Input, is_max: bool) -> u64 {
    let [old, data] = [it.old, it.data].map(|bits| F::from_bits(bits.into()));
    let is_less = if old.is_zero() && data.is_zero() { old.is_negative() } else { old < data };
    let takes_old = match (old.is_nan(), data.is_nan()) {
        (_, true) => true,
        (true, false) => false,
        _ => is_less != is_max,
    };
    if takes_old { it.old } else { it.data }
}
