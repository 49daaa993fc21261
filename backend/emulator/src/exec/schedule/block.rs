//! A block: its waves take turns until all have ended.

use std::hash::{Hash, Hasher};

use pulp::Arch;

use super::random::Random;
use super::setup;
use crate::exec::alu::{scalar, special, vector};
use crate::exec::checks::barrier_checks;
use crate::exec::checks::report;
use crate::exec::code::action::{Action, Condition};
use crate::exec::code::program::Program;
use crate::exec::code::{exec_comparison, trap};
use crate::exec::launch::context::Context;
use crate::exec::launch::failure::Failure;
use crate::exec::launch::listing::Listing;
use crate::exec::launch::shared::Shared;
use crate::exec::matrix::product;
use crate::exec::memory::global;
use crate::exec::memory::lds_access;
use crate::exec::memory::{image, scalar_load};
use crate::exec::state::lds::Lds;
use crate::exec::state::wave::{State, Wave};
use crate::fault::{Fault, FaultKind};
use crate::isa::Operand;

/// Waves and LDS of a block; kept from one block and one launch to the next.
pub(super) struct Block {
    waves: Vec<Wave>,
    /// Waves that a smaller block has no use for.
    idle: Vec<Wave>,
    lds: Lds,
    /// Coordinates in the grid.
    pub(super) at: [u32; 3],
    arch: Arch,
    /// Instructions since the block began.
    steps: u64,
    random: Random,
}

/// What a turn of all waves came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Progress {
    /// Some waves go on.
    Running,
    /// All wait for other blocks.
    Waiting,
    Ended,
}

impl Block {
    pub(super) fn new() -> Block {
        let (waves, idle, random) = (Vec::new(), Vec::new(), Random::new(0));
        Block { waves, idle, lds: Lds::new(), at: [0; 3], arch: Arch::new(), steps: 0, random }
    }

    /// Instructions since the block began.
    pub(super) fn steps(&self) -> u64 {
        self.steps
    }

    /// Prepares all waves of the block at `at`.
    pub(super) fn start(&mut self, shared: &Shared, at: [u32; 3]) {
        self.at = at;
        self.steps = 0;
        let seed = shared.options.schedule_seed.unwrap_or(0);
        self.random = Random::new(seed ^ u64::from(at[0]) << 20 ^ u64::from(at[1]) << 40);
        let waves = shared.waves_per_block as usize;
        let sizes = [shared.lds_bytes, shared.lds_granted].map(|bytes| bytes as usize);
        self.lds.reset(sizes, waves, shared.options.checks);
        while self.waves.len() < waves {
            self.waves.push(self.idle.pop().unwrap_or_else(|| Wave::new(shared.lanes)));
        }
        self.idle.extend(self.waves.drain(waves..));
        for (wave, number) in self.waves.iter_mut().zip(0..) {
            setup::wave(wave, shared, at, number);
        }
    }

    /// Gives every wave a turn. `changed` is set where memory changes; without it, that is not looked at.
    pub(super) fn turn(
        &mut self,
        shared: &Shared,
        program: &Program,
        mut changed: Option<&mut bool>,
    ) -> Result<Progress, Box<Fault>> {
        let count = self.waves.len();
        // While changes are looked at, turns are all alike, so that what repeats is seen to repeat.
        let seed = shared.options.schedule_seed.filter(|_| changed.is_none());
        let first = if seed.is_some() { self.random.below(count.max(1) as u64) as usize } else { 0 };
        for offset in 0..count {
            let number = (first + offset) % count;
            let turn = if seed.is_some() { self.random_turn(shared.turn) } else { shared.turn };
            let wave = &mut self.waves[number];
            if let State::AtGrid(meetings) = wave.state
                && shared.grid.meetings() != meetings
            {
                wave.state = State::Running;
            }
            if wave.state != State::Running {
                continue;
            }
            let (lds, at, changed) = (&mut self.lds, self.at, changed.as_deref_mut());
            let listing = &program.listing;
            let mut context = Context { shared, listing, lds, arch: self.arch, at, changed };
            let mut budget = turn;
            let result = run_wave(wave, program, &mut context, &mut budget);
            self.steps += u64::from(turn - budget);
            if let Err(failure) = result {
                return Err(self.fault(shared, program, number, failure));
            }
        }
        if let Some(limit) = shared.options.step_limit
            && self.steps > limit
        {
            let number = self.waves.iter().position(|wave| wave.state == State::Running).unwrap_or(0);
            return Err(self.fault(shared, program, number, FaultKind::StepLimit(limit).into()));
        }
        Ok(self.meet(shared, program))
    }

    /// Instructions of a turn, at most `most`: all orders of magnitude are equally likely.
    fn random_turn(&mut self, most: u32) -> u32 {
        let longest = most >> self.random.below(u64::from(most.ilog2()));
        1 + self.random.below(u64::from(longest)) as u32
    }

    /// Lets waves go on when all that are left have come to the barrier.
    fn meet(&mut self, shared: &Shared, program: &Program) -> Progress {
        let count = |is: fn(&State) -> bool| self.waves.iter().filter(|wave| is(&wave.state)).count();
        let ended = count(|state| *state == State::Ended);
        let waiting = count(|state| *state == State::AtBarrier);
        if ended == self.waves.len() {
            return Progress::Ended;
        }
        if waiting > 0 && waiting + ended == self.waves.len() {
            if shared.options.checks.are_all() {
                self.check_meeting(shared, program, waiting as u32);
            }
            self.lds.meet();
            for wave in self.waves.iter_mut().filter(|wave| wave.state == State::AtBarrier) {
                wave.state = State::Running;
            }
        }
        let runs = self.waves.iter().any(|wave| wave.state == State::Running);
        if runs { Progress::Running } else { Progress::Waiting }
    }

    /// Reports a barrier that waves went past and have ended, and waves that meet at different ones.
    fn check_meeting(&mut self, shared: &Shared, program: &Program, waiting: u32) {
        let mut there = self.waves.iter().filter(|wave| wave.state == State::AtBarrier);
        let Some(first) = there.next() else { return };
        let other = there.find(|wave| wave.pc != first.pc);
        let ended = self.waves.iter().filter(|wave| wave.state == State::Ended);
        let is_past = |wave: &&Wave| barrier_checks::went_past(wave, &program.listing, first.pc.saturating_sub(1));
        let left = ended.filter(is_past).count() as u32;
        let (lds, arch, at) = (&mut self.lds, self.arch, self.at);
        let context = Context { shared, listing: &program.listing, lds, arch, at, changed: None };
        if left > 0 {
            context.report(first, FaultKind::Barrier { waiting, left }, first.scalars.exec());
        }
        if let Some(wave) = other {
            let other = report::other(&program.listing, "a barrier", wave.number, wave.pc.saturating_sub(1));
            context.report(first, FaultKind::DifferentBarriers { other }, first.scalars.exec());
        }
    }

    /// A number for all that decides what the block does next, beside global memory.
    pub(super) fn digest(&self, shared: &Shared, hasher: &mut impl Hasher) {
        for wave in &self.waves {
            wave.digest(hasher, [shared.vector_registers, shared.accumulation_registers]);
        }
        self.lds.content().hash(hasher);
    }

    /// A fault that says that nothing happens any more, and what the waves of the block do.
    pub(super) fn stuck(&self, shared: &Shared, program: &Program, resident: usize) -> Box<Fault> {
        let count = |is: fn(&State) -> bool| self.waves.iter().filter(|wave| is(&wave.state)).count();
        let sums = [
            (count(|state| *state == State::Running), "repeat the same instructions"),
            (count(|state| *state == State::AtBarrier), "wait at a barrier"),
            (count(|state| matches!(state, State::AtGrid(_))), "wait for all blocks of the grid"),
            (count(|state| *state == State::Ended), "have ended"),
        ];
        let parts = sums.into_iter().filter(|(waves, _)| *waves > 0).map(|(waves, what)| format!("{waves} {what}"));
        let text =
            format!("of the block's waves, {}; blocks that run: {resident}", parts.collect::<Vec<_>>().join(", "));
        // The place that is of most use: a barrier that others do not come to, or else any wave that has not ended.
        let find = |is: fn(&State) -> bool| self.waves.iter().position(|wave| is(&wave.state));
        let number = find(|state| *state == State::AtBarrier).or_else(|| find(|state| *state != State::Ended));
        self.fault(shared, program, number.unwrap_or(0), FaultKind::NoProgress(text).into())
    }

    fn fault(&self, shared: &Shared, program: &Program, number: usize, failure: Failure) -> Box<Fault> {
        let wave = &self.waves[number];
        let lanes = failure.lanes.unwrap_or(wave.scalars.exec());
        let place = (self.at, wave.number);
        Box::new(report::describe(shared, &program.listing, place, wave.pc.saturating_sub(1), (failure.kind, lanes)))
    }
}

/// Runs a wave until it ends, waits, or has used up its budget.
fn run_wave(wave: &mut Wave, program: &Program, context: &mut Context, budget: &mut u32) -> Result<(), Failure> {
    let actions = &program.actions;
    let mut left = *budget;
    let result = loop {
        if left == 0 {
            break Ok(());
        }
        let Some(action) = actions.get(wave.pc) else {
            break Err(FaultKind::IllegalInstruction(0).into());
        };
        wave.pc += 1;
        left -= 1;
        let done = match action {
            Action::Vector(instruction) => {
                if !wave.is_plain() && instruction.is_refused(wave) {
                    break Err(unimplemented(wave, &program.listing));
                }
                vector::run(wave, instruction);
                continue;
            }
            Action::Scalar(instruction) => {
                scalar::run(wave, instruction);
                continue;
            }
            Action::Nothing => continue,
            Action::Branch(condition, target) => {
                if is_taken(wave, *condition) {
                    wave.pc = *target;
                }
                continue;
            }
            Action::Global(instruction) => global::run(wave, instruction, context),
            Action::Lds(instruction) => lds_access::run(wave, instruction, context),
            Action::Load(instruction) => scalar_load::run(wave, instruction, context),
            rare => match run_rare(wave, rare, program, context) {
                Ok(true) => continue,
                Ok(false) => break Ok(()),
                Err(failure) => break Err(failure),
            },
        };
        if done.is_err() || wave.state != State::Running {
            break done;
        }
    };
    *budget = left;
    result
}

/// Runs what the loop need not know. Gives whether the wave goes on at once.
#[inline(never)]
fn run_rare(wave: &mut Wave, action: &Action, program: &Program, context: &mut Context) -> Result<bool, Failure> {
    let step = program.listing.steps.get(wave.pc.saturating_sub(1));
    match action {
        Action::Pair(pair) if !pair.iter().any(|half| half.is_refused(wave)) => vector::run_pair(wave, pair),
        Action::Special(instruction) => special::run(wave, instruction, context)?,
        Action::Matrix(product) if product.lanes == wave.lanes => product::run(wave, product),
        Action::Image(instruction) => image::run(wave, instruction, context)?,
        Action::ExecComparison(inner) => {
            if let Some(inst) = step.and_then(|step| step.inst.as_ref()) {
                exec_comparison::run(wave, inner, inst);
            }
        }
        Action::Barrier => {
            barrier_checks::arrive(wave, context);
            wave.state = State::AtBarrier;
            return Ok(false);
        }
        Action::Sleep => {
            context.shared.serve_host()?;
            return Ok(false);
        }
        Action::End => {
            wave.state = State::Ended;
            return Ok(false);
        }
        Action::Trap(number) => return Err(trapped(wave, program, context.shared, *number).into()),
        Action::Halt => return Err(FaultKind::Halted.into()),
        Action::Message(1) => context.shared.serve_host()?,
        Action::Message(3) if program.listing.generation.is_gfx11_or_later() => {}
        Action::Illegal => {
            return Err(FaultKind::IllegalInstruction(step.map_or(0, |step| step.address)).into());
        }
        _ => return Err(unimplemented(wave, &program.listing)),
    }
    Ok(true)
}

/// Nothing is done for the instruction that the wave has come to, or nothing in the mode of its floats.
#[cold]
fn unimplemented(wave: &Wave, listing: &Listing) -> Failure {
    let inst = listing.steps.get(wave.pc.saturating_sub(1)).and_then(|step| step.inst);
    let text = inst.map(|inst| inst.text(listing.generation)).unwrap_or_default();
    let how = if wave.mode().is_to_nearest() { "" } else { ", rounded in another direction than to the nearest" };
    FaultKind::Unimplemented(format!("{text}{how}")).into()
}

/// What a trap means.
#[cold]
fn trapped(wave: &Wave, program: &Program, shared: &Shared, number: u8) -> FaultKind {
    trap::explain(wave, program).unwrap_or_else(|| shared.trap(number))
}

#[inline]
fn is_taken(wave: &Wave, condition: Condition) -> bool {
    match condition {
        Condition::Always => true,
        Condition::Scc(wanted) => wave.scalars.scc == wanted,
        Condition::VccZero(wanted) => (wave.scalars.get64(Operand::VCC) & wave.all_lanes() == 0) == wanted,
        Condition::ExecZero(wanted) => (wave.scalars.exec() == 0) == wanted,
    }
}
