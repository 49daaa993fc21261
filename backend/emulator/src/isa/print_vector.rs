//! Vector instructions as text.

use super::inst::{Dpp, Form, Select};
use super::operand::Operand;
use super::print_small::{byte_sel, in_format, reads_small_floats};
use super::table::{Encoding, Entry, Field, Slot};
use super::text::Text;
use crate::target::Generation;

impl Text<'_> {
    fn mnemonic(&mut self) {
        let entry = self.inst.entry;
        let is_short = matches!(entry.encoding, Encoding::Vop1 | Encoding::Vop2 | Encoding::Vopc);
        let name = match self.inst.form {
            Form::Plain => entry.mnemonic.to_owned(),
            Form::Sdwa(_) => format!("{}_sdwa", entry.base),
            // A quirk of LLVM: comparisons have no suffix.
            _ if entry.encoding == Encoding::Vopc => entry.base.to_owned(),
            _ if is_short => format!("{}_dpp", entry.base),
            _ => format!("{}_e64_dpp", entry.base),
        };
        self.out.push_str(&name);
    }

    pub(super) fn vector(&mut self) {
        self.mnemonic();
        let mut is_first = true;
        let inst = self.inst;
        if let (Form::Sdwa(_), Encoding::Vopc) = (inst.form, inst.entry.encoding) {
            self.separate(&mut is_first);
            self.operand(inst.sdst, 2);
        }
        for slot in &inst.entry.slots {
            let is_written_already = !is_first && inst.entry.encoding == Encoding::Vopc && slot.field == Field::Vcc;
            let sdwa_compare = matches!(inst.form, Form::Sdwa(_)) && inst.entry.encoding == Encoding::Vopc;
            if is_written_already || (sdwa_compare && slot.field == Field::Vcc) {
                continue;
            }
            self.separate(&mut is_first);
            self.vector_operand(inst.entry, *slot);
        }
        self.vector_modifiers();
    }

    fn vector_operand(&mut self, entry: &Entry, slot: Slot) {
        let inst = self.inst;
        match slot.field {
            Field::Dst | Field::ScalarDst => self.part(inst.dst, slot, 3),
            Field::CarryOut => self.operand(inst.sdst, slot.registers),
            Field::A => self.source(0, in_format(entry, slot, inst.modifiers.abs)),
            Field::B => self.source(1, in_format(entry, slot, inst.modifiers.neg)),
            Field::C if entry.base == "v_cndmask_b32" || entry.base == "v_cndmask_b16" => {
                let registers = if self.generation.is_gfx9() { 2 } else { 1 };
                self.operand(inst.src[2], registers);
            }
            Field::C => self.source(2, slot),
            Field::Literal => self.put(format_args!("{:#x}", inst.literal)),
            Field::Vcc => self.out.push_str(self.vcc()),
            _ => {}
        }
    }

    /// A register, or the half of one that `op_sel` tells.
    fn part(&mut self, operand: Operand, slot: Slot, bit: u8) {
        self.operand(operand, slot.registers);
        if slot.registers == 0 && operand.row().is_some() {
            let high = self.inst.modifiers.op_sel >> bit & 1 != 0;
            self.out.push_str(if high { ".h" } else { ".l" });
        }
    }

    fn source(&mut self, index: u8, slot: Slot) {
        let (inst, modifiers) = (self.inst, self.inst.modifiers);
        let operand = inst.src[usize::from(index)];
        let takes_signs = inst.entry.encoding != Encoding::Vop3p || is_mix(inst.entry);
        let negative = takes_signs && modifiers.neg >> index & 1 != 0;
        let absolute = takes_signs && modifiers.abs >> index & 1 != 0;
        let extended = matches!(inst.form, Form::Sdwa(sdwa) if index < 2 && sdwa.sext[usize::from(index)]);
        let is_register = operand.row().is_some() || matches!(operand.0, 0..128 | 235..=239 | 251..=254);
        let wraps_constant = negative && !absolute && !is_register;
        self.out.push_str(match (negative, wraps_constant) {
            (true, true) => "neg(",
            (true, false) => "-",
            _ => "",
        });
        self.out.push_str(if absolute { "|" } else { "" });
        self.out.push_str(if extended { "sext(" } else { "" });
        self.part(operand, slot, index);
        self.out.push_str(if extended { ")" } else { "" });
        self.out.push_str(if absolute { "|" } else { "" });
        self.out.push_str(if wraps_constant { ")" } else { "" });
    }

    fn vector_modifiers(&mut self) {
        let inst = self.inst;
        if inst.entry.encoding == Encoding::Vop3p {
            return self.packed_modifiers();
        }
        let sources = [Field::A, Field::B, Field::C].iter().filter(|field| inst.entry.slot(**field).is_some()).count();
        let modifiers = inst.modifiers;
        let byte = byte_sel(inst).filter(|_| self.generation == Generation::Gfx12);
        if let Some(byte) = byte {
            self.put(format_args!(" byte_sel:{byte}"));
        } else if inst.entry.encoding == Encoding::Vop3 && modifiers.op_sel != 0 && inst.entry.base != "v_cndmask_b16" {
            // The destination is a source too.
            let sources = if inst.entry.base.starts_with("v_fmac_") { 3 } else { sources };
            let bits: Vec<u8> =
                (0..sources).map(|bit| modifiers.op_sel >> bit & 1).chain([modifiers.op_sel >> 3]).collect();
            self.list("op_sel", &bits);
        }
        if inst.entry.base.starts_with("v_bitop3_") && inst.imm != 0 {
            self.put(format_args!(" bitop3:{:#x}", inst.imm));
        }
        if modifiers.clamp {
            self.out.push_str(" clamp");
        }
        self.out.push_str(["", " mul:2", " mul:4", " div:2"][usize::from(modifiers.omod & 3)]);
        self.form_modifiers(sources);
    }

    fn form_modifiers(&mut self, sources: usize) {
        let inst = self.inst;
        match inst.form {
            Form::Plain => {}
            Form::Sdwa(sdwa) => {
                if inst.entry.encoding != Encoding::Vopc && !reads_small_floats(inst.entry) {
                    let unused = ["UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE", "?"][usize::from(sdwa.unused & 3)];
                    self.put(format_args!(" dst_sel:{} dst_unused:{unused}", select(sdwa.dst)));
                }
                self.put(format_args!(" src0_sel:{}", select(sdwa.src[0])));
                if sources > 1 {
                    self.put(format_args!(" src1_sel:{}", select(sdwa.src[1])));
                }
            }
            Form::Dpp(dpp) => self.dpp(dpp),
            Form::Dpp8(lanes, any) => {
                let lanes: Vec<u8> = (0..8).map(|lane| (lanes >> (3 * lane) & 7) as u8).collect();
                self.list("dpp8", &lanes);
                self.out.push_str(if any { " fi:1" } else { "" });
            }
        }
    }

    fn dpp(&mut self, dpp: Dpp) {
        let low = dpp.control & 15;
        match dpp.control {
            0..=0xff => {
                let lanes: Vec<u8> = (0..4).map(|lane| (dpp.control >> (2 * lane) & 3) as u8).collect();
                self.list("quad_perm", &lanes);
            }
            0x101..=0x10f => self.put(format_args!(" row_shl:{low}")),
            0x111..=0x11f => self.put(format_args!(" row_shr:{low}")),
            0x121..=0x12f => self.put(format_args!(" row_ror:{low}")),
            0x130 => self.out.push_str(" wave_shl:1"),
            0x134 => self.out.push_str(" wave_rol:1"),
            0x138 => self.out.push_str(" wave_shr:1"),
            0x13c => self.out.push_str(" wave_ror:1"),
            0x140 => self.out.push_str(" row_mirror"),
            0x141 => self.out.push_str(" row_half_mirror"),
            0x142 => self.out.push_str(" row_bcast:15"),
            0x143 => self.out.push_str(" row_bcast:31"),
            0x150..=0x15f if self.generation.is_gfx9() => self.put(format_args!(" row_newbcast:{low}")),
            0x150..=0x15f => self.put(format_args!(" row_share:{low}")),
            0x160..=0x16f => self.put(format_args!(" row_xmask:{low}")),
            _ => self.out.push_str(" /* invalid dpp_ctrl */"),
        }
        self.put(format_args!(" row_mask:{:#x} bank_mask:{:#x}", dpp.row_mask, dpp.bank_mask));
        self.out.push_str(if dpp.bound_control { " bound_ctrl:1" } else { "" });
        self.out.push_str(if dpp.fetch_inactive { " fi:1" } else { "" });
    }

    fn packed_modifiers(&mut self) {
        let (inst, modifiers) = (self.inst, self.inst.modifiers);
        if inst.entry.names_accumulators() {
            for (name, value) in [("cbsz", modifiers.abs), ("abid", modifiers.op_sel), ("blgp", modifiers.neg)] {
                if value != 0 && inst.entry.slot(Field::C).is_some() {
                    self.put(format_args!(" {name}:{value}"));
                }
            }
            return;
        }
        let sources = [Field::A, Field::B, Field::C].iter().filter(|field| inst.entry.slot(**field).is_some()).count();
        let bits = |value: u8| -> Vec<u8> { (0..sources).map(|bit| value >> bit & 1).collect() };
        let (op_sel, op_sel_hi) = (bits(modifiers.op_sel), bits(modifiers.op_sel_hi));
        let mixes = is_mix(inst.entry);
        if inst.entry.base.starts_with("v_swmmac_") && modifiers.op_sel != 0 {
            self.put(format_args!(" index_key:{}", modifiers.op_sel));
        } else if op_sel.contains(&1) {
            self.list("op_sel", &op_sel);
        }
        if op_sel_hi.contains(&u8::from(mixes)) {
            self.list("op_sel_hi", &op_sel_hi);
        }
        if !mixes {
            for (name, value) in [("neg_lo", bits(modifiers.neg)), ("neg_hi", bits(modifiers.abs))] {
                if value.contains(&1) {
                    self.list(name, &value);
                }
            }
        }
        self.out.push_str(if modifiers.clamp { " clamp" } else { "" });
        self.form_modifiers(sources);
    }

    fn list(&mut self, name: &str, values: &[u8]) {
        let values: Vec<String> = values.iter().map(u8::to_string).collect();
        self.put(format_args!(" {name}:[{}]", values.join(",")));
    }

    pub(super) fn dual(&mut self) {
        let inst = self.inst;
        self.half_of_dual(inst.entry, inst.dst, [inst.src[0], inst.src[1]]);
        if let Some((entry, dst, sources)) = inst.dual {
            self.out.push_str(" :: ");
            self.half_of_dual(entry, dst, sources);
        }
    }

    fn half_of_dual(&mut self, entry: &Entry, dst: Operand, sources: [Operand; 2]) {
        self.out.push_str(entry.mnemonic);
        let mut is_first = true;
        for slot in &entry.slots {
            self.separate(&mut is_first);
            match slot.field {
                Field::Dst => self.operand(dst, 1),
                Field::A => self.operand(sources[0], 1),
                Field::B => self.operand(sources[1], 1),
                _ => self.put(format_args!("{:#x}", self.inst.literal)),
            }
        }
    }
}

/// Mixed precision: each source is a half or a whole register.
pub(super) fn is_mix(entry: &Entry) -> bool {
    entry.base.starts_with("v_fma_mix") || entry.base.starts_with("v_mad_mix")
}

fn select(part: Select) -> String {
    match part {
        Select::Byte(byte) => format!("BYTE_{byte}"),
        Select::Word(word) => format!("WORD_{word}"),
        Select::Dword => "DWORD".to_owned(),
    }
}
