//! A block: its waves take turns until all have ended.

use pulp::Arch;

use super::action::{Action, Condition, Context, Failure};
use super::global;
use super::launch::Shared;
use super::lds::{self, Lds};
use super::program::Program;
use super::wave::{State, Wave};
use super::{matrix, scalar, scalar_load, setup, special, vector};
use crate::fault::{Fault, FaultKind};
use crate::isa::Operand;

/// Instructions of a wave before another one has its turn.
const TURN: u32 = 4096;

/// Waves and LDS of a block; kept from one block to the next.
pub(super) struct Block {
    waves: Vec<Wave>,
    lds: Lds,
    /// Coordinates in the grid.
    pub(super) at: [u32; 3],
    arch: Arch,
    /// Instructions since the block began.
    steps: u64,
    random: u64,
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
        Block { waves: Vec::new(), lds: Lds::default(), at: [0; 3], arch: Arch::new(), steps: 0, random: 0 }
    }

    /// Instructions since the block began.
    pub(super) fn steps(&self) -> u64 {
        self.steps
    }

    /// Prepares all waves of the block at `at`.
    pub(super) fn start(&mut self, shared: &Shared, at: [u32; 3]) {
        self.at = at;
        self.steps = 0;
        self.random = shared.options.schedule_seed.unwrap_or(0) ^ u64::from(at[0]) << 20 ^ u64::from(at[1]) << 40;
        self.lds.reset(shared.lds_bytes as usize, shared.options.checks.fill_lds);
        let waves = shared.waves_per_block as usize;
        while self.waves.len() < waves {
            self.waves.push(Wave::new(shared.lanes));
        }
        self.waves.truncate(waves);
        for (wave, number) in self.waves.iter_mut().zip(0..) {
            setup::wave(wave, shared, at, number);
        }
    }

    /// Runs the block to its end.
    pub(super) fn run(&mut self, shared: &Shared, program: &Program) -> Result<(), Box<Fault>> {
        loop {
            match self.turn(shared, program)? {
                Progress::Ended => return Ok(()),
                _ if shared.is_stopped() => return Ok(()),
                _ => {}
            }
        }
    }

    /// Gives every wave a turn.
    pub(super) fn turn(&mut self, shared: &Shared, program: &Program) -> Result<Progress, Box<Fault>> {
        let count = self.waves.len();
        let first = self.first_wave(shared, count);
        for offset in 0..count {
            let number = (first + offset) % count;
            let wave = &mut self.waves[number];
            if let State::AtGrid(meetings) = wave.state
                && shared.grid.meetings() != meetings
            {
                wave.state = State::Running;
            }
            if wave.state != State::Running {
                continue;
            }
            let mut context = Context { shared, program, lds: &mut self.lds, arch: self.arch };
            let mut budget = TURN;
            let result = run_wave(wave, &mut context, &mut budget);
            self.steps += u64::from(TURN - budget);
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
        self.meet(shared, program)
    }

    /// The wave that begins a turn: another one each time where a seed is given.
    fn first_wave(&mut self, shared: &Shared, count: usize) -> usize {
        if shared.options.schedule_seed.is_none() || count == 0 {
            return 0;
        }
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 33) as usize % count
    }

    /// Lets waves go on when all that are left have come to the barrier.
    fn meet(&mut self, shared: &Shared, program: &Program) -> Result<Progress, Box<Fault>> {
        let count = |is: fn(&State) -> bool| self.waves.iter().filter(|wave| is(&wave.state)).count();
        let ended = count(|state| *state == State::Ended);
        let waiting = count(|state| *state == State::AtBarrier);
        if ended == self.waves.len() {
            return Ok(Progress::Ended);
        }
        if waiting > 0 && waiting + ended == self.waves.len() {
            if ended > 0 && shared.options.checks.barrier_after_exit {
                let number = self.waves.iter().position(|wave| wave.state == State::AtBarrier).unwrap_or(0);
                let kind = FaultKind::Barrier { waiting: waiting as u32, left: ended as u32 };
                return Err(self.fault(shared, program, number, kind.into()));
            }
            for wave in self.waves.iter_mut().filter(|wave| wave.state == State::AtBarrier) {
                wave.state = State::Running;
            }
        }
        let all_wait = self.waves.iter().all(|wave| matches!(wave.state, State::AtGrid(_) | State::Ended));
        Ok(if all_wait { Progress::Waiting } else { Progress::Running })
    }

    fn fault(&self, shared: &Shared, program: &Program, number: usize, failure: Failure) -> Box<Fault> {
        let wave = &self.waves[number];
        let step = program.steps.get(wave.pc.saturating_sub(1));
        let address = step.map_or(0, |step| step.address);
        let instruction = step.and_then(|step| step.inst).map(|inst| inst.text(program.generation));
        Box::new(Fault {
            kind: failure.kind,
            kernel: shared.kernel.name.clone(),
            block: self.at,
            wave: wave.number,
            lanes: failure.lanes.unwrap_or(wave.scalars.exec()),
            pc: address,
            instruction: instruction.unwrap_or_default(),
            source: None,
        })
    }
}

/// Runs a wave until it ends, waits, or has used up its budget.
fn run_wave(wave: &mut Wave, context: &mut Context, budget: &mut u32) -> Result<(), Failure> {
    let program = context.program;
    while *budget > 0 {
        let Some(step) = program.steps.get(wave.pc) else {
            return Err(FaultKind::IllegalInstruction(0).into());
        };
        wave.pc += 1;
        *budget -= 1;
        match &step.action {
            Action::Vector(instruction) => vector::run(wave, instruction, context.arch),
            Action::Scalar(instruction) => scalar::run(wave, instruction),
            Action::Nothing => {}
            Action::Branch(condition, target) => {
                if is_taken(wave, *condition) {
                    wave.pc = *target;
                }
            }
            Action::Global(instruction) => global::run(wave, instruction, context)?,
            Action::Lds(instruction) => {
                lds::run(wave, instruction, context)?;
                if wave.state != State::Running {
                    return Ok(());
                }
            }
            Action::Load(instruction) => scalar_load::run(wave, instruction, context)?,
            Action::Pair(pair) => vector::run_pair(wave, pair, context.arch),
            Action::Special(instruction) => special::run(wave, instruction, context)?,
            Action::Matrix(product) if product.lanes == wave.lanes => matrix::run(wave, product),
            Action::Barrier => {
                wave.state = State::AtBarrier;
                return Ok(());
            }
            Action::Sleep => {
                context.shared.serve_host()?;
                return Ok(());
            }
            Action::End => {
                wave.state = State::Ended;
                return Ok(());
            }
            Action::Trap(number) => return Err(context.shared.trap(*number).into()),
            Action::Message(1) => context.shared.serve_host()?,
            Action::Message(3) if program.generation.is_gfx11_or_later() => {}
            Action::Matrix(_) | Action::Message(_) | Action::Unimplemented => {
                let text = step.inst.map(|inst| inst.text(program.generation)).unwrap_or_default();
                return Err(FaultKind::Unimplemented(text).into());
            }
            Action::Illegal => return Err(FaultKind::IllegalInstruction(step.address).into()),
        }
    }
    Ok(())
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
