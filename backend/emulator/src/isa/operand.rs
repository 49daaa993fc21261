//! Operands as numbers: the codes of the machine, the same for all generations.

/// A register or constant. Codes are those of a 9-bit source field; vector registers for accumulation follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Operand(pub u16);

impl Operand {
    /// Low half of VCC.
    pub const VCC: Operand = Operand(106);
    /// Register M0; code 125 on gfx11.
    pub const M0: Operand = Operand(124);
    /// Nothing: reads zero; code 124 on gfx11.
    pub const NULL: Operand = Operand(125);
    /// Low half of EXEC.
    pub const EXEC: Operand = Operand(126);
    /// The zero among the constants.
    pub const ZERO: Operand = Operand(128);
    /// A literal follows the instruction.
    pub const LITERAL: Operand = Operand(255);
    /// First vector register.
    pub const V0: Operand = Operand(256);
    /// First accumulation register.
    pub const A0: Operand = Operand(512);

    /// Vector register `number`, 0 to 255.
    pub fn vector(number: u32) -> Operand {
        Operand(256 + (number & 255) as u16)
    }

    /// Accumulation register `number`, 0 to 255.
    pub fn accumulator(number: u32) -> Operand {
        Operand(512 + (number & 255) as u16)
    }

    /// Number among the rows of the register file (accumulation registers from 256 on), if it is a vector register.
    #[inline]
    pub fn row(self) -> Option<u16> {
        self.0.checked_sub(256)
    }

    /// Whether it is a register of the scalar file, VCC, M0 and EXEC included.
    pub fn is_scalar_register(self) -> bool {
        self.0 < 128 && self != Operand::NULL
    }

    /// Whether it is a number that the instruction holds.
    pub fn is_constant(self) -> bool {
        matches!(self.0, 128..=208 | 240..=248 | 255)
    }

    /// Value of an integer constant, -16 to 64.
    pub fn integer(self) -> Option<i32> {
        match self.0 {
            128..=192 => Some(i32::from(self.0) - 128),
            193..=208 => Some(192 - i32::from(self.0)),
            _ => None,
        }
    }

    /// Value of a floating-point constant, exact as 64 bits have it.
    pub fn float(self) -> Option<f64> {
        Some(match self.0 {
            240 => 0.5,
            241 => -0.5,
            242 => 1.0,
            243 => -1.0,
            244 => 2.0,
            245 => -2.0,
            246 => 4.0,
            247 => -4.0,
            248 => 0.5 * std::f64::consts::FRAC_1_PI,
            _ => return None,
        })
    }
}
