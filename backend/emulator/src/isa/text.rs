//! Text of an instruction in the making: operands as LLVM writes them.

use std::fmt::Write as _;

use super::inst::Inst;
use super::operand::Operand;
use super::table::Encoding;
use crate::target::Generation;

/// Text in the making.
pub(super) struct Text<'i> {
    pub(super) generation: Generation,
    pub(super) inst: &'i Inst,
    pub(super) out: String,
}

/// How a constant is to be read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Width {
    Half,
    Single,
    Double,
}

impl Text<'_> {
    /// Writes to the text, which cannot fail.
    pub(super) fn put(&mut self, arguments: std::fmt::Arguments) {
        let _ = self.out.write_fmt(arguments);
    }

    /// Starts an operand: a blank before the first, a comma before others.
    pub(super) fn separate(&mut self, is_first: &mut bool) {
        self.out.push_str(if *is_first { " " } else { ", " });
        *is_first = false;
    }

    /// A register or constant of so many registers.
    pub(super) fn operand(&mut self, operand: Operand, registers: u8) {
        let count = u16::from(registers.max(1));
        match operand.0 {
            256.. => {
                let (letter, number) = if operand.0 < 512 { ('v', operand.0 - 256) } else { ('a', operand.0 - 512) };
                self.range(&letter.to_string(), number, count);
            }
            255 => {
                let literal = if self.is_short(registers) { self.inst.literal & 0xffff } else { self.inst.literal };
                if is_inline(literal, registers) {
                    self.put(format_args!("lit({literal:#x})"));
                } else {
                    self.put(format_args!("{literal:#x}"));
                }
            }
            0..=127 => self.scalar(operand.0, count),
            _ => self.constant(operand, registers),
        }
    }

    /// Whether sources have 16 bits.
    fn is_short(&self, registers: u8) -> bool {
        let entry = self.inst.entry;
        if self.generation == Generation::Gfx11 {
            return registers == 0;
        }
        // The third source of these has 32 bits, the differences of the last are of both halves.
        let is_mixed = ["v_mad_i32_i16", "v_mad_u32_u16"].contains(&entry.base) && self.inst.src[2] == Operand::LITERAL;
        entry.encoding != Encoding::Vop3p
            && !is_mixed
            && entry.base != "v_sad_u16"
            && ["_u16", "_i16", "_f16", "_b16"].iter().any(|end| entry.base.ends_with(end))
    }

    fn range(&mut self, letters: &str, number: u16, count: u16) {
        if count == 1 {
            self.put(format_args!("{letters}{number}"));
        } else {
            self.put(format_args!("{letters}[{number}:{}]", number + count - 1));
        }
    }

    fn scalar(&mut self, code: u16, count: u16) {
        let named = |name: &str, high: bool| match (count, high) {
            (2.., _) => name.to_owned(),
            (_, false) => format!("{name}_lo"),
            (_, true) => format!("{name}_hi"),
        };
        let has_special = self.generation.is_gfx9();
        let text = match code {
            102 | 103 if has_special => named("flat_scratch", code == 103),
            104 | 105 if has_special => named("xnack_mask", code == 105),
            106 | 107 => named("vcc", code == 107),
            126 | 127 => named("exec", code == 127),
            124 => "m0".to_owned(),
            125 => "null".to_owned(),
            108..=123 => return self.range("ttmp", code - 108, count),
            _ => return self.range("s", code, count),
        };
        self.out.push_str(&text);
    }

    fn constant(&mut self, operand: Operand, registers: u8) {
        if let Some(integer) = operand.integer() {
            return self.put(format_args!("{integer}"));
        }
        if let Some(float) = operand.float() {
            let is_packed = self.inst.entry.base.starts_with("v_pk_");
            let width = match registers {
                0 => Width::Half,
                2 if !is_packed => Width::Double,
                _ => Width::Single,
            };
            let text = match (operand.0, width) {
                (248, Width::Double) => "0.15915494309189532".to_owned(),
                (248, Width::Half | Width::Single) => "0.15915494".to_owned(),
                _ => format!("{float:?}"),
            };
            return self.out.push_str(&text);
        }
        self.out.push_str(match operand.0 {
            233 | 234 => "dpp8",
            235 => "src_shared_base",
            236 => "src_shared_limit",
            237 => "src_private_base",
            238 => "src_private_limit",
            239 => "src_pops_exiting_wave_id",
            251 => "src_vccz",
            252 => "src_execz",
            253 => "src_scc",
            254 => "src_lds_direct",
            _ => "?",
        });
    }

    /// VCC as masks of this generation have it.
    pub(super) fn vcc(&self) -> &'static str {
        if self.generation.is_gfx9() { "vcc" } else { "vcc_lo" }
    }
}

/// Whether a literal could have been a constant of the instruction: LLVM marks those.
fn is_inline(literal: u32, registers: u8) -> bool {
    let integer = (-16..=64).contains(&literal.cast_signed());
    let floats = [0.5_f32, 1.0, 2.0, 4.0];
    let is_float = match registers {
        1 => floats.iter().any(|f| f.to_bits() == literal & 0x7fff_ffff) || literal == 0x3e22_f983,
        _ => false,
    };
    integer || is_float
}
