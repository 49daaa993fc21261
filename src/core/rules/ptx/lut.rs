//! Writes the Boolean function of a truth table as a C++ expression.

use std::sync::LazyLock;

/// One operation of an expression over the operands 0, 1 and 2.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Bits {
    /// All bits are clear.
    Zero,
    /// All bits are set.
    Ones,
    /// An operand.
    Operand(usize),
    /// The complement.
    Not(Box<Bits>),
    /// `&`
    And(Box<Bits>, Box<Bits>),
    /// `|`
    Or(Box<Bits>, Box<Bits>),
    /// `^`
    Xor(Box<Bits>, Box<Bits>),
}

/// The truth tables of the operands, as `lop3` numbers them.
const OPERANDS: [u8; 3] = [0xf0, 0xcc, 0xaa];

impl Bits {
    fn value(&self) -> u8 {
        match self {
            Bits::Zero => 0,
            Bits::Ones => 0xff,
            Bits::Operand(idx) => OPERANDS.get(*idx).copied().unwrap_or(0),
            Bits::Not(a) => !a.value(),
            Bits::And(a, b) => a.value() & b.value(),
            Bits::Or(a, b) => a.value() | b.value(),
            Bits::Xor(a, b) => a.value() ^ b.value(),
        }
    }

    fn size(&self) -> usize {
        match self {
            Bits::Zero | Bits::Ones | Bits::Operand(_) => 1,
            Bits::Not(a) => 1 + a.size(),
            Bits::And(a, b) | Bits::Or(a, b) | Bits::Xor(a, b) => 1 + a.size() + b.size(),
        }
    }
}

/// A short expression for every truth table.
static EXPRESSIONS: LazyLock<Vec<Bits>> = LazyLock::new(expressions);

/// A short expression with the truth table `table`.
pub(super) fn expression(table: u8) -> &'static Bits {
    EXPRESSIONS.get(usize::from(table)).unwrap_or(&Bits::Zero)
}

/// Combines what is there until nothing gets shorter; that reaches all 256 functions.
fn expressions() -> Vec<Bits> {
    let mut best: Vec<Option<Bits>> = vec![None; 256];
    for bits in [Bits::Zero, Bits::Ones, Bits::Operand(0), Bits::Operand(1), Bits::Operand(2)] {
        let value = bits.value();
        keep_shorter(&mut best, (value, 1), || bits.clone());
    }
    let mut goes_on = true;
    while goes_on {
        goes_on = false;
        let known: Vec<(u8, usize, Bits)> =
            best.iter().rev().flatten().map(|b| (b.value(), b.size(), b.clone())).collect();
        for (a, a_size, a_bits) in &known {
            goes_on |= keep_shorter(&mut best, (!a, a_size + 1), || Bits::Not(Box::new(a_bits.clone())));
            for (b, b_size, b_bits) in &known {
                let size = a_size + b_size + 1;
                let pair = || (Box::new(a_bits.clone()), Box::new(b_bits.clone()));
                goes_on |= keep_shorter(&mut best, (a & b, size), || build(Bits::And, pair()));
                goes_on |= keep_shorter(&mut best, (a | b, size), || build(Bits::Or, pair()));
                goes_on |= keep_shorter(&mut best, (a ^ b, size), || build(Bits::Xor, pair()));
            }
        }
    }
    best.into_iter().flatten().collect()
}

fn build(kind: fn(Box<Bits>, Box<Bits>) -> Bits, (a, b): (Box<Bits>, Box<Bits>)) -> Bits {
    kind(a, b)
}

fn keep_shorter(best: &mut [Option<Bits>], (value, size): (u8, usize), bits: impl FnOnce() -> Bits) -> bool {
    let slot = best.get_mut(usize::from(value)).filter(|slot| slot.as_ref().is_none_or(|known| known.size() > size));
    slot.is_some_and(|slot| {
        *slot = Some(bits());
        true
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_has_an_expression() {
        for table in 0..=255 {
            assert_eq!(expression(table).value(), table);
        }
    }

    #[test]
    fn well_known_tables_are_short() {
        use Bits::{And, Operand, Or, Xor};
        let operand = |idx| Box::new(Operand(idx));
        assert_eq!(expression(0x80).size(), 5);
        assert_eq!(expression(0x96).size(), 5);
        assert_eq!(*expression(0xc0), And(operand(0), operand(1)));
        assert_eq!(*expression(0xfc), Or(operand(0), operand(1)));
        assert_eq!(*expression(0x3c), Xor(operand(0), operand(1)));
    }
}
