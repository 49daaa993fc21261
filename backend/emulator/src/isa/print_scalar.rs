//! Text of scalar instructions.

use super::inst::Inst;
use super::operand::Operand;
use super::print_cache;
use super::table::{Encoding, Field};
use super::text::Text;
use crate::target::Generation;

/// Writes a scalar instruction.
pub(super) fn write(text: &mut Text) {
    let inst = text.inst;
    text.out.push_str(inst.entry.mnemonic);
    match inst.entry.encoding {
        Encoding::Sopp => control(text),
        Encoding::Sopk => constant(text),
        Encoding::Smem => load(text),
        _ => operands(text),
    }
}

fn operands(text: &mut Text) {
    let inst = text.inst;
    let mut is_first = true;
    for slot in &inst.entry.slots {
        text.separate(&mut is_first);
        match slot.field {
            Field::ScalarDst => text.operand(inst.dst, slot.registers),
            Field::A if inst.entry.base.starts_with("s_sendmsg_rtn") => returned_message(text, inst.src[0]),
            Field::A => text.operand(inst.src[0], slot.registers),
            Field::B => text.operand(inst.src[1], slot.registers),
            Field::Literal => text.put(format_args!("{:#x}", inst.literal)),
            _ => {}
        }
    }
    if inst.entry.base.starts_with("s_sendmsg_rtn") {
        text.out.push_str(", ");
        returned_message(text, inst.src[0]);
    }
    if inst.entry.base == "s_set_gpr_idx_on" {
        text.out.push_str(", ");
        index_mode(text, inst.imm);
    }
}

/// Which operands are indexed.
fn index_mode(text: &mut Text, bits: i32) {
    let names = ["SRC0", "SRC1", "SRC2", "DST"];
    let used: Vec<&str> = (0..4).filter(|bit| bits >> bit & 1 != 0).map(|bit| names[bit]).collect();
    text.put(format_args!("gpr_idx({})", used.join(",")));
}

fn returned_message(text: &mut Text, operand: Operand) {
    let name = match operand.0 {
        128 => "MSG_RTN_GET_DOORBELL",
        129 => "MSG_RTN_GET_DDID",
        130 => "MSG_RTN_GET_TMA",
        131 => "MSG_RTN_GET_REALTIME",
        132 => "MSG_RTN_SAVE_WAVE",
        133 => "MSG_RTN_GET_TBA",
        _ => return text.put(format_args!("sendmsg({}, 0, 0)", operand.0)),
    };
    // The field holds the number of the message itself.
    text.put(format_args!("sendmsg({name})"));
}

fn load(text: &mut Text) {
    let inst = text.inst;
    let entry = inst.entry;
    if entry.base.contains("_prefetch_") {
        return prefetch(text);
    }
    let mut is_first = true;
    if let Some(slot) = entry.slot(Field::Dst) {
        text.separate(&mut is_first);
        text.operand(inst.dst, slot.registers);
    }
    if let Some(slot) = entry.slot(Field::B) {
        text.separate(&mut is_first);
        text.operand(inst.src[0], slot.registers);
        let (imm, register) = (inst.flags & 1 != 0, inst.flags & 2 != 0);
        text.out.push_str(", ");
        // On gfx10 and gfx11 a load without an offset names the register that is none.
        let nothing = matches!(text.generation, Generation::Gfx10 | Generation::Gfx11) && !register && inst.imm == 0;
        if register || nothing {
            text.operand(inst.src[1], 1);
        }
        if imm && !nothing {
            text.out.push_str(if register { " offset:" } else { "" });
            let sign = if inst.imm < 0 { "-" } else { "" };
            text.put(format_args!("{sign}{:#x}", inst.imm.unsigned_abs()));
        }
    }
    print_cache::write(text);
}

/// What is fetched ahead: where from, and how many lines.
fn prefetch(text: &mut Text) {
    let inst = text.inst;
    let mut is_first = true;
    if let Some(slot) = inst.entry.slot(Field::B) {
        text.separate(&mut is_first);
        text.operand(inst.src[0], slot.registers);
    }
    text.separate(&mut is_first);
    let sign = if inst.imm < 0 { "-" } else { "" };
    text.put(format_args!("{sign}{:#x}, ", inst.imm.unsigned_abs()));
    text.operand(inst.src[1], 1);
    text.put(format_args!(", {}", inst.dst.0 & 31));
}

fn constant(text: &mut Text) {
    let inst = text.inst;
    let base = inst.entry.base;
    let imm = inst.imm as u16;
    match base {
        "s_setreg_b32" | "s_setreg_imm32_b32" => {
            text.put(format_args!(" {}, ", hardware_register(inst, text.generation)));
            if base == "s_setreg_b32" {
                text.operand(inst.dst, 1);
            } else {
                text.put(format_args!("{:#x}", inst.literal));
            }
        }
        "s_version" => text.put(format_args!(" {imm:#x}")),
        _ => {
            text.out.push(' ');
            text.operand(inst.dst, inst.entry.registers(Field::ScalarDst));
            text.out.push_str(", ");
            if base == "s_getreg_b32" {
                text.out.push_str(&hardware_register(inst, text.generation));
            } else if inst.branch_offset().is_some() || base.starts_with("s_subvector_loop") {
                text.put(format_args!("{imm}"));
            } else {
                text.put(format_args!("{imm:#x}"));
            }
        }
    }
}

fn hardware_register(inst: &Inst, generation: Generation) -> String {
    let (id, offset, size) = (inst.imm & 63, inst.imm >> 6 & 31, (inst.imm >> 11 & 31) + 1);
    let name = match (id, generation) {
        (1, _) => "HW_REG_MODE",
        (2, _) => "HW_REG_STATUS",
        (3, _) => "HW_REG_TRAPSTS",
        (4, Generation::Gfx9 | Generation::Gfx940 | Generation::Gfx950) => "HW_REG_HW_ID",
        (5, _) => "HW_REG_GPR_ALLOC",
        (6, _) => "HW_REG_LDS_ALLOC",
        (7, _) => "HW_REG_IB_STS",
        (15, _) => "HW_REG_SH_MEM_BASES",
        (20, Generation::Gfx10 | Generation::Gfx11) => "HW_REG_FLAT_SCR_LO",
        (21, Generation::Gfx10 | Generation::Gfx11) => "HW_REG_FLAT_SCR_HI",
        (23, Generation::Gfx10 | Generation::Gfx11) => "HW_REG_HW_ID1",
        (24, Generation::Gfx10 | Generation::Gfx11) => "HW_REG_HW_ID2",
        (29, Generation::Gfx10 | Generation::Gfx11) => "HW_REG_SHADER_CYCLES",
        (29, Generation::Gfx12) => "HW_REG_SHADER_CYCLES_LO",
        (30, Generation::Gfx12) => "HW_REG_SHADER_CYCLES_HI",
        _ => return format!("hwreg({id}, {offset}, {size})"),
    };
    if (offset, size) == (0, 32) { format!("hwreg({name})") } else { format!("hwreg({name}, {offset}, {size})") }
}

fn control(text: &mut Text) {
    let inst = text.inst;
    let imm = inst.imm;
    match inst.entry.base {
        "s_waitcnt" => waits(text),
        "s_sendmsg" | "s_sendmsghalt" => message(text),
        "s_delay_alu" => delay(text),
        _ if inst.entry.base.starts_with("s_wait_") && inst.entry.base.contains("cnt") => {
            text.put(format_args!(" {imm:#x}"));
        }
        "s_barrier_wait"
        | "s_set_inst_prefetch_distance"
        | "s_inst_prefetch"
        | "s_clause"
        | "s_wait_event"
        | "s_round_mode"
        | "s_ttracedata_imm" => {
            text.put(format_args!(" {imm:#x}"));
        }
        "s_waitcnt_depctr" if !matches!(imm & 0x60, 0 | 0x60) => text.put(format_args!(" {imm:#x}")),
        "s_wait_alu" if imm & 0x60 != 0 => text.put(format_args!(" {imm:#x}")),
        "s_sleep" | "s_nop" | "s_sethalt" | "s_setkill" | "s_setprio" | "s_trap" | "s_incperflevel"
        | "s_decperflevel" | "s_denorm_mode"
            if imm > 64 =>
        {
            text.put(format_args!(" {imm:#x}"));
        }
        "s_waitcnt_depctr" | "s_wait_alu" => dependencies(text),
        "s_set_gpr_idx_mode" => {
            text.out.push(' ');
            index_mode(text, imm);
        }
        "s_endpgm" if imm == 0 => {}
        "s_barrier"
        | "s_wakeup"
        | "s_icache_inv"
        | "s_ttracedata"
        | "s_endpgm_saved"
        | "s_endpgm_ordered_ps_done"
        | "s_set_gpr_idx_off"
        | "s_code_end"
        | "s_wait_idle" => {}
        _ => text.put(format_args!(" {imm}")),
    }
}

/// The counters that are waited for; a counter at its largest value is not.
fn waits(text: &mut Text) {
    let imm = text.inst.imm;
    let counters = match text.generation {
        Generation::Gfx9 | Generation::Gfx940 | Generation::Gfx950 | Generation::Gfx10 => {
            let most = if text.generation.is_gfx9() { 15 } else { 63 };
            let vector = imm & 15 | (imm >> 14 & 3) << 4;
            [("vmcnt", vector, 63), ("expcnt", imm >> 4 & 7, 7), ("lgkmcnt", imm >> 8 & most, most)]
        }
        Generation::Gfx11 | Generation::Gfx12 => {
            [("vmcnt", imm >> 10 & 63, 63), ("expcnt", imm & 7, 7), ("lgkmcnt", imm >> 4 & 63, 63)]
        }
    };
    let all = counters.iter().all(|(_, value, most)| value == most);
    for (name, value, most) in counters {
        if all || value != most {
            text.put(format_args!(" {name}({value})"));
        }
    }
}

fn message(text: &mut Text) {
    let imm = text.inst.imm;
    let id = if text.generation.is_gfx11_or_later() { imm & 255 } else { imm & 15 };
    let early = !text.generation.is_gfx11_or_later();
    let name = match (id, text.generation) {
        (1, _) => "MSG_INTERRUPT",
        (3, Generation::Gfx11 | Generation::Gfx12) => "MSG_DEALLOC_VGPRS",
        (4, _) if early => "MSG_SAVEWAVE",
        (6, _) if early => "MSG_HALT_WAVES",
        (7, _) if early => "MSG_ORDERED_PS_DONE",
        (10, _) if early => "MSG_GET_DOORBELL",
        _ => return text.put(format_args!(" sendmsg({id}, {}, {})", imm >> 4 & 7, imm >> 8 & 3)),
    };
    text.put(format_args!(" sendmsg({name})"));
}

fn delay(text: &mut Text) {
    let imm = text.inst.imm;
    let dependency = |code: i32| match code {
        1..=4 => format!("VALU_DEP_{code}"),
        5..=7 => format!("TRANS32_DEP_{}", code - 4),
        8 => "FMA_ACCUM_CYCLE_1".to_owned(),
        9..=11 => format!("SALU_CYCLE_{}", code - 8),
        _ => "INVALID_VALUE".to_owned(),
    };
    let skips = ["SAME", "NEXT", "SKIP_1", "SKIP_2", "SKIP_3", "SKIP_4", "INVALID_VALUE", "INVALID_VALUE"];
    let (first, skip, second) = (imm & 15, imm >> 4 & 7, imm >> 7 & 15);
    let mut parts = Vec::new();
    if first != 0 {
        parts.push(format!("instid0({})", dependency(first)));
    }
    if skip != 0 {
        parts.push(format!("instskip({})", skips[usize::try_from(skip).unwrap_or(0)]));
    }
    if second != 0 {
        parts.push(format!("instid1({})", dependency(second)));
    }
    if parts.is_empty() {
        text.out.push_str(" 0");
    } else {
        text.put(format_args!(" {}", parts.join(" | ")));
    }
}

fn dependencies(text: &mut Text) {
    let imm = text.inst.imm;
    let counters = [
        ("depctr_hold_cnt", imm >> 7 & 1, 1),
        ("depctr_sa_sdst", imm & 1, 1),
        ("depctr_va_vdst", imm >> 12 & 15, 15),
        ("depctr_va_sdst", imm >> 9 & 7, 7),
        ("depctr_va_ssrc", imm >> 8 & 1, 1),
        ("depctr_va_vcc", imm >> 1 & 1, 1),
        ("depctr_vm_vsrc", imm >> 2 & 7, 7),
    ];
    let waits = counters.iter().any(|(_, value, most)| value != most);
    for (name, value, most) in counters {
        if value != most || !waits {
            text.put(format_args!(" {name}({value})"));
        }
    }
}
