//! Programs: the instructions of a code object, decoded once and made ready to run.

use super::action::{Action, Condition};
use super::exec_comparison;
use crate::exec::alu::scalar::Scalar;
use crate::exec::alu::special::Special;
use crate::exec::alu::vector::Vector;
use crate::exec::launch::listing::{Listing, Step};
use crate::exec::matrix::product::Matrix;
use crate::exec::memory::address::Global;
use crate::exec::memory::image::ImageAccess;
use crate::exec::memory::lds_access::LdsAccess;
use crate::exec::memory::scalar_load::ScalarLoad;
use crate::isa::{Encoding, Inst};
use crate::object::CodeObject;
#[cfg(test)]
use crate::target::Generation;
use crate::target::Processor;

/// A program: the instructions of a code object, and what each of them does.
pub(crate) struct Program {
    pub(crate) listing: Listing,
    /// What each step does. A list of its own, as nothing else is looked at while a program runs.
    pub(crate) actions: Vec<Action>,
}

impl Program {
    /// Decodes all that is executable.
    pub(crate) fn new(object: &CodeObject, processor: &Processor) -> Program {
        let mut program = Program { listing: Listing::new(object, processor), actions: Vec::new() };
        program.actions = program.listing.steps.iter().map(|step| program.action(step)).collect();
        program
    }

    /// A program without instructions.
    #[cfg(test)]
    pub(crate) fn empty(generation: Generation) -> Program {
        Program { listing: Listing::empty(generation), actions: Vec::new() }
    }

    /// Address and text of each instruction that nothing is done for; what was decoded between functions counts, too.
    pub(crate) fn unimplemented(&self) -> impl Iterator<Item = (u64, String)> {
        let all = self.listing.steps.iter().zip(&self.actions);
        let missing = all.filter(|(_, action)| matches!(action, Action::Unimplemented));
        missing.filter_map(|(step, _)| Some((step.address, step.inst?.text(self.listing.generation))))
    }

    /// What a step does.
    pub(crate) fn action(&self, step: &Step) -> Action {
        let Some(inst) = &step.inst else { return Action::Illegal };
        // Sources of graphics: nothing here could give them.
        if inst.src.iter().any(|source| matches!(source.0, 239 | 254)) {
            return Action::Unimplemented;
        }
        let known = match inst.entry.encoding {
            Encoding::Sopp => return self.control(step, inst),
            Encoding::Smem => ScalarLoad::new(inst).map(Action::Load),
            Encoding::Ds => LdsAccess::new(inst, self.listing.generation).map(|access| Action::Lds(Box::new(access))),
            // Caches have nothing to write back and nothing that is old.
            Encoding::Mubuf | Encoding::Global if inst.entry.slots.is_empty() => Some(Action::Nothing),
            Encoding::Mimg | Encoding::Vsample => ImageAccess::new(inst).map(|access| Action::Image(Box::new(access))),
            Encoding::Mubuf if inst.entry.base.starts_with("buffer_load_format_") => {
                ImageAccess::new(inst).map(|access| Action::Image(Box::new(access)))
            }
            Encoding::Flat
            | Encoding::FlatReturn
            | Encoding::Global
            | Encoding::GlobalReturn
            | Encoding::Scratch
            | Encoding::ScratchReturn
            | Encoding::Mubuf => {
                Global::new(inst, self.listing.generation).map(|access| Action::Global(Box::new(access)))
            }
            Encoding::Sop1 | Encoding::Sop2 | Encoding::Sopc | Encoding::Sopk => Scalar::new(inst).map(Action::Scalar),
            Encoding::VopdX | Encoding::VopdY => {
                Vector::pair(inst, self.listing.generation).map(|pair| Action::Pair(Box::new(pair)))
            }
            Encoding::Vop1 | Encoding::Vop2 | Encoding::Vop3 | Encoding::Vop3p | Encoding::Vopc => {
                let vector = Vector::new(inst, self.listing.generation).map(|vector| Action::Vector(Box::new(vector)));
                vector.or_else(|| {
                    Matrix::new(inst, self.listing.generation).map(|product| Action::Matrix(Box::new(product)))
                })
            }
        };
        let known = known
            .or_else(|| Special::new(inst, self.listing.generation).map(|special| Action::Special(Box::new(special))));
        match known {
            Some(action) if exec_comparison::compares_exec(inst) => Action::ExecComparison(Box::new(action)),
            known => known.unwrap_or(Action::Unimplemented),
        }
    }

    fn control(&self, step: &Step, inst: &Inst) -> Action {
        if let Some(offset) = inst.branch_offset() {
            let condition = match inst.entry.base {
                "s_branch" => Condition::Always,
                "s_cbranch_scc0" => Condition::Scc(false),
                "s_cbranch_scc1" => Condition::Scc(true),
                "s_cbranch_vccz" => Condition::VccZero(true),
                "s_cbranch_vccnz" => Condition::VccZero(false),
                "s_cbranch_execz" => Condition::ExecZero(true),
                "s_cbranch_execnz" => Condition::ExecZero(false),
                _ => return Action::Unimplemented,
            };
            let target = self.listing.find(step.address.wrapping_add_signed(offset));
            return target.map_or(Action::Illegal, |target| Action::Branch(condition, target));
        }
        if let Some(special) = Special::new(inst, self.listing.generation) {
            return Action::Special(Box::new(special));
        }
        match inst.entry.base {
            "s_endpgm" | "s_endpgm_saved" => Action::End,
            "s_barrier" => Action::Barrier,
            // The barrier of the block; others have to be set up first.
            "s_barrier_wait" if inst.imm as i16 == -1 => Action::Barrier,
            "s_sleep" => Action::Sleep,
            "s_trap" => Action::Trap(inst.imm as u8),
            // Waves that do not run cannot clear the bit.
            "s_sethalt" if inst.imm & 1 != 0 => Action::Halt,
            "s_sethalt" => Action::Nothing,
            // Fills up what lies behind the code.
            "s_code_end" => Action::Illegal,
            "s_sendmsg" => Action::Message(inst.imm as u8),
            base if base.starts_with("s_wait_") => Action::Nothing,
            "s_nop"
            | "s_waitcnt"
            | "s_clause"
            | "s_delay_alu"
            | "s_waitcnt_depctr"
            | "s_setprio"
            | "s_icache_inv"
            | "s_set_inst_prefetch_distance"
            | "s_inst_prefetch"
            | "s_incperflevel"
            | "s_decperflevel"
            | "s_ttracedata"
            | "s_ttracedata_imm"
            | "s_wakeup" => Action::Nothing,
            _ => Action::Unimplemented,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::{Cache, Field, Form, Modifiers, Operand, Table};
    use crate::target::Target;

    /// An instruction with plain operands.
    fn plain(entry: &'static crate::isa::Entry) -> Inst {
        let is_scalar = matches!(
            entry.encoding,
            Encoding::Sop1 | Encoding::Sop2 | Encoding::Sopc | Encoding::Sopk | Encoding::Smem
        );
        let register = if is_scalar { Operand(4) } else { Operand::V0 };
        let dual =
            matches!(entry.encoding, Encoding::VopdX | Encoding::VopdY).then_some((entry, register, [register; 2]));
        let is_barrier = entry.base.starts_with("s_barrier");
        Inst {
            entry,
            dual,
            words: 1,
            dst: if entry.slot(Field::ScalarDst).is_some() { Operand(4) } else { register },
            sdst: Operand(4),
            src: [if is_barrier { Operand(193) } else { register }; 3],
            literal: 0,
            imm: if is_barrier { -1 } else { 0 },
            modifiers: Modifiers::default(),
            cache: Cache::default(),
            flags: u8::from(entry.base.starts_with("ds_gws_")),
            form: Form::Plain,
        }
    }

    #[test]
    #[expect(clippy::print_stdout, reason = "the README has these numbers")]
    fn most_of_what_is_decoded_is_executed() {
        for (name, least) in [
            ("gfx906", 81),
            ("gfx908", 80),
            ("gfx90a", 80),
            ("gfx942", 77),
            ("gfx950", 73),
            ("gfx1030", 87),
            ("gfx1100", 88),
            ("gfx1201", 85),
        ] {
            let target = Target::parse(name).unwrap();
            let table = Table::of(target.processor);
            let program = Program::empty(table.generation);
            let is_known = |entry: &&'static crate::isa::Entry| {
                let step = Step { address: 0, inst: Some(plain(entry)) };
                !matches!(program.action(&step), Action::Unimplemented)
            };
            let (all, known) = (table.entries().count(), table.entries().filter(is_known).count());
            println!("{name}: {known} of {all} instructions are executed");
            let missing: Vec<_> =
                table.entries().filter(|entry| !is_known(entry)).map(|entry| entry.mnemonic).collect();
            assert!(known * 100 >= all * least, "{name}: {known} of {all}, not {missing:?}");
        }
    }
}
