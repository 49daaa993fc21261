//! Writes the Boolean function of a truth table as a C++ expression.

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

/// A short expression with the truth table `table`.
pub(super) fn expression(table: u8) -> Bits {
    let mut best: Vec<Option<Bits>> = vec![None; 256];
    let mut found = vec![Bits::Zero, Bits::Ones, Bits::Operand(0), Bits::Operand(1), Bits::Operand(2)];
    for bits in &found {
        keep_shorter(&mut best, bits);
    }
    // Combining what is there with itself reaches all 256 functions in a few rounds.
    while best.get(usize::from(table)).is_none_or(Option::is_none) {
        let known: Vec<Bits> = std::mem::take(&mut found);
        for a in &known {
            keep_shorter(&mut best, &Bits::Not(Box::new(a.clone())));
            for b in &known {
                let pair = || (Box::new(a.clone()), Box::new(b.clone()));
                let (left, right) = pair();
                keep_shorter(&mut best, &Bits::And(left, right));
                let (left, right) = pair();
                keep_shorter(&mut best, &Bits::Or(left, right));
                let (left, right) = pair();
                keep_shorter(&mut best, &Bits::Xor(left, right));
            }
        }
        found = best.iter().flatten().cloned().collect();
    }
    best.get(usize::from(table)).cloned().flatten().unwrap_or(Bits::Zero)
}

fn keep_shorter(best: &mut [Option<Bits>], bits: &Bits) {
    if let Some(slot) = best.get_mut(usize::from(bits.value()))
        && slot.as_ref().is_none_or(|known| known.size() > bits.size())
    {
        *slot = Some(bits.clone());
    }
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
        assert_eq!(expression(0xc0), And(operand(0), operand(1)));
        assert_eq!(expression(0xfc), Or(operand(0), operand(1)));
        assert_eq!(expression(0x3c), Xor(operand(0), operand(1)));
    }
}
