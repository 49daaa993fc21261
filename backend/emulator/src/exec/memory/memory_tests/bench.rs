//! A wave with memory of all kinds, on which tests run single instructions.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use pulp::Arch;

use crate::bounds::Bounds;
use crate::checks::Checks;
use crate::exec::code::action::Action;
use crate::exec::code::program::Program;
use crate::exec::launch::context::Context;
use crate::exec::launch::failure::Failure;
use crate::exec::launch::listing::Step;
use crate::exec::launch::shared::Shared;
use crate::exec::memory::{global, lds_access, scalar_load};
use crate::exec::schedule::random::Random;
use crate::exec::state::lds::Lds;
use crate::exec::state::wave::{LDS_APERTURE, PRIVATE_APERTURE, Wave};
use crate::fault::Fault;
use crate::isa::{Inst, Operand, Table};
use crate::memory::{Kind, Memory};
use crate::target::Target;

/// Global memory is two pieces of so many bytes, with a gap between them that belongs to nobody.
pub(super) const PIECE: usize = 1280;
const GAP: usize = 1024;
/// Bytes of LDS.
pub(super) const LOCAL_BYTES: usize = 2560;
/// Bytes of LDS that a block has beside them, where hardware gives out granules.
pub(super) const LOCAL_REST: usize = 256;
/// Bytes of private memory of each lane.
pub(super) const PRIVATE_BYTES: usize = 160;
/// Vector registers of each kind that are looked at, and scalar registers.
const ROWS: usize = 32;
const SCALARS: usize = 128;
const LANES: usize = 64;
const EXEC: usize = 126;

/// Where LDS begins among the bytes of a state, and the private memory of the first lane.
pub(super) const LOCAL: usize = 2 * PIECE;
const PRIVATE: usize = LOCAL + LOCAL_BYTES;

/// Where a byte of a lane's private memory lies among the bytes of a state.
pub(super) fn private(lane: usize, at: usize) -> usize {
    PRIVATE + lane * PRIVATE_BYTES + at
}

/// The offset in LDS or in private memory of a byte of a state.
pub(super) fn offset_in_space(place: usize) -> usize {
    if place < PRIVATE { place - LOCAL } else { (place - PRIVATE) % PRIVATE_BYTES }
}

/// All that an instruction can change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct State {
    /// Vector registers, row by row, those for accumulation behind the others.
    vectors: Vec<u32>,
    pub(super) scalars: Vec<u32>,
    /// Both pieces of global memory, LDS, private memory lane by lane.
    pub(super) bytes: Vec<u8>,
    lanes: usize,
}

impl State {
    /// Numbers without order, among them many at which signs and carries change. All lanes are active.
    pub(super) fn new(lanes: usize, seed: u64) -> State {
        let mut random = Random::new(seed);
        let mut byte = || match random.below(8) {
            0 => 0,
            1 => 0x7f,
            2 => 0x80,
            3 => 0xff,
            _ => random.below(256) as u8,
        };
        let bytes = (0..private(lanes, 0)).map(|_| byte()).collect();
        let mut word = || u32::from_le_bytes([byte(), byte(), byte(), byte()]);
        let vectors = (0..2 * ROWS * LANES).map(|_| word()).collect();
        let mut scalars: Vec<u32> = (0..SCALARS).map(|_| word()).collect();
        scalars[usize::from(Operand::NULL.0)] = 0;
        let mut state = State { vectors, scalars, bytes, lanes };
        state.set_exec(u64::MAX);
        state
    }

    fn index(row: usize, lane: usize) -> usize {
        (if row < 256 { row } else { row - 256 + ROWS }) * LANES + lane
    }

    pub(super) fn register(&self, row: usize, lane: usize) -> u32 {
        self.vectors[State::index(row, lane)]
    }

    pub(super) fn set(&mut self, row: usize, lane: usize, value: u32) {
        self.vectors[State::index(row, lane)] = value;
    }

    pub(super) fn set_wide(&mut self, row: usize, lane: usize, value: u64) {
        self.set(row, lane, value as u32);
        self.set(row + 1, lane, (value >> 32) as u32);
    }

    pub(super) fn set_scalar_wide(&mut self, register: usize, value: u64) {
        self.scalars[register] = value as u32;
        self.scalars[register + 1] = (value >> 32) as u32;
    }

    /// Chooses the active lanes.
    pub(super) fn set_exec(&mut self, lanes: u64) {
        self.set_scalar_wide(EXEC, lanes & u64::MAX >> (LANES - self.lanes));
    }

    pub(super) fn lanes(&self) -> usize {
        self.lanes
    }

    /// Whether a lane takes part.
    pub(super) fn is_active(&self, lane: usize) -> bool {
        self.scalars[EXEC + lane / 32] >> (lane % 32) & 1 != 0
    }

    pub(super) fn active(&self) -> Vec<usize> {
        (0..self.lanes).filter(|lane| self.is_active(*lane)).collect()
    }

    /// A number of up to eight bytes.
    pub(super) fn number(&self, place: usize, bytes: usize) -> u64 {
        self.bytes[place..place + bytes].iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
    }

    pub(super) fn set_number(&mut self, place: usize, bytes: usize, number: u64) {
        self.bytes[place..place + bytes].copy_from_slice(&number.to_le_bytes()[..bytes]);
    }

    /// Fails with the first difference.
    pub(super) fn expect(&self, expected: &State, what: impl Fn() -> String) {
        if self == expected {
            return;
        }
        let first = |found: &[u32], expected: &[u32]| (0..found.len()).find(|at| found[*at] != expected[*at]);
        if let Some(at) = first(&self.vectors, &expected.vectors) {
            let (row, lane) = (at / LANES, at % LANES);
            panic!("{}: row {row} lane {lane}: {:#x}, not {:#x}", what(), self.vectors[at], expected.vectors[at]);
        }
        if let Some(at) = first(&self.scalars, &expected.scalars) {
            panic!("{}: s{at}: {:#x}, not {:#x}", what(), self.scalars[at], expected.scalars[at]);
        }
        let at = (0..self.bytes.len()).find(|at| self.bytes[*at] != expected.bytes[*at]).unwrap_or(0);
        panic!("{}: byte {at}: {:#x}, not {:#x}", what(), self.bytes[at], expected.bytes[at]);
    }
}

/// A wave of a target, and its memory.
pub(super) struct Bench {
    pub(super) table: &'static Table,
    pub(super) target: &'static str,
    pub(super) lanes: usize,
    shared: Shared,
    program: Program,
    lds: Lds,
    wave: Wave,
    /// Both pieces and the gap.
    words: Vec<AtomicU32>,
}

impl Bench {
    pub(super) fn new(target: &'static str, checks: Checks) -> Bench {
        Bench::with_bounds(target, checks, Bounds::Exact)
    }

    pub(super) fn with_bounds(target: &'static str, checks: Checks, bounds: Bounds) -> Bench {
        let parsed = Target::parse(target).unwrap();
        let table = Table::of(parsed.processor);
        let lanes = parsed.processor.wave_size as usize;
        let words: Vec<AtomicU32> = (0..(2 * PIECE + GAP + 16) / 4).map(|_| AtomicU32::new(0)).collect();
        let memory = Arc::new(Memory::new().in_granules(bounds.memory_granule()));
        let mut lds = Lds::new();
        let rest = if bounds == Bounds::Granule { LOCAL_REST } else { 0 };
        lds.reset([LOCAL_BYTES, LOCAL_BYTES + rest], 1, checks);
        let mut wave = Wave::new(lanes);
        wave.private.resize(PRIVATE_BYTES as u32, lanes);
        let mut shared = Shared::bare(&parsed, checks, Arc::clone(&memory));
        shared.options.bounds = bounds;
        let program = Program::empty(table.generation);
        let bench = Bench { table, target, lanes, shared, program, lds, wave, words };
        for piece in [0, PIECE] {
            memory.register(bench.address(piece), PIECE as u64, Kind::Host).unwrap();
        }
        bench
    }

    /// Memory of the device of so many bytes, with what lies behind it in its last granule.
    pub(super) fn allocate(&self, bytes: u64) -> u64 {
        self.shared.memory.allocate(bytes, 1, Kind::Device).unwrap()
    }

    /// LDS, with what lies behind its end.
    pub(super) fn lds(&mut self) -> &mut Lds {
        &mut self.lds
    }

    /// What was found since the last time; the same may be found again.
    pub(super) fn findings(&mut self) -> Vec<Fault> {
        std::mem::take(&mut self.shared.findings).take()
    }

    /// The index of the first word that is used: it lies at a multiple of 16.
    fn first(&self) -> usize {
        let start = self.words.as_ptr().expose_provenance();
        (start.next_multiple_of(16) - start) / 4
    }

    /// The address that flat instructions name a byte of a state with.
    pub(super) fn address(&self, place: usize) -> u64 {
        let in_space = |aperture: u32| u64::from(aperture) << 32 | offset_in_space(place) as u64;
        match place {
            ..LOCAL => {
                let gap = if place < PIECE { 0 } else { GAP };
                let start = self.words.as_ptr().expose_provenance() + 4 * self.first();
                (start + place + gap) as u64
            }
            LOCAL..PRIVATE => in_space(LDS_APERTURE),
            _ => in_space(PRIVATE_APERTURE),
        }
    }

    /// What the executor does for an instruction.
    pub(super) fn action(&self, inst: &Inst) -> Action {
        self.program.action(&Step { address: 0, inst: Some(*inst) })
    }

    /// The word of global memory at a byte of a state.
    fn word(&self, place: usize) -> &AtomicU32 {
        let gap = if place < PIECE { 0 } else { GAP };
        &self.words[self.first() + (place + gap) / 4]
    }

    fn load(&mut self, state: &State) {
        for (row, values) in state.vectors.chunks(LANES).enumerate() {
            let row = if row < ROWS { row } else { row - ROWS + 256 };
            self.wave.rows.row_mut(row).as_flattened_mut().copy_from_slice(values);
        }
        for (register, value) in (0..).zip(&state.scalars) {
            self.wave.scalars.set(Operand(register), *value);
        }
        for (at, bytes) in state.bytes.as_chunks().0.iter().enumerate() {
            let (place, value) = (4 * at, u32::from_le_bytes(*bytes));
            match place {
                ..LOCAL => self.word(place).store(value, Ordering::Relaxed),
                LOCAL..PRIVATE => self.lds.store((place - LOCAL) as u32, 4, value),
                _ => {
                    let lane = (place - PRIVATE) / PRIVATE_BYTES;
                    self.wave.private.store(lane, offset_in_space(place) as u32, 4, value);
                }
            }
        }
    }

    fn state(&mut self) -> State {
        let rows = (0..ROWS).chain(256..256 + ROWS);
        let vectors = rows.flat_map(|row| self.wave.rows.row(row).as_flattened().to_vec()).collect();
        let scalars = (0..SCALARS as u16).map(|register| self.wave.scalars.get(Operand(register))).collect();
        let mut bytes = Vec::with_capacity(private(self.lanes, 0));
        for place in (0..LOCAL).step_by(4) {
            bytes.extend(self.word(place).load(Ordering::Relaxed).to_le_bytes());
        }
        bytes.extend(self.lds.content()[..LOCAL_BYTES / 4].iter().flat_map(|word| word.to_le_bytes()));
        for lane in 0..self.lanes {
            for at in (0..PRIVATE_BYTES as u32).step_by(4) {
                bytes.extend(self.wave.private.load(lane, at, 4).to_le_bytes());
            }
        }
        State { vectors, scalars, bytes, lanes: self.lanes }
    }

    /// Runs an instruction on a state and gives what it leaves.
    pub(super) fn run(&mut self, inst: &Inst, state: &State) -> State {
        let (result, after, has_changed) = self.attempt(inst, state);
        assert_eq!(result, Ok(()), "{}", self.text(inst));
        let differs = state.bytes[..LOCAL] != after.bytes[..LOCAL];
        let is_watched = self.shared.options.checks == Checks::All;
        assert_eq!(has_changed, differs && is_watched, "{}: changes of memory", self.text(inst));
        after
    }

    /// Runs an instruction on a state. Gives how it ended, what it leaves, and whether a change of memory was noted, which is
    /// looked for with all checks.
    pub(super) fn attempt(&mut self, inst: &Inst, state: &State) -> (Result<(), Failure>, State, bool) {
        self.load(state);
        let action = self.action(inst);
        let (shared, program, lds, wave) = (&self.shared, &self.program, &mut self.lds, &mut self.wave);
        let is_watched = shared.options.checks == Checks::All;
        let mut has_changed = false;
        let changed = is_watched.then_some(&mut has_changed);
        let mut context = Context { shared, listing: &program.listing, lds, arch: Arch::new(), at: [0; 3], changed };
        let result = match &action {
            Action::Global(access) => global::run(wave, access, &mut context),
            Action::Lds(access) => lds_access::run(wave, access, &mut context),
            Action::Load(load) => scalar_load::run(wave, load, &context),
            _ => panic!("{} is no access of memory", self.text(inst)),
        };
        (result, self.state(), has_changed)
    }

    /// Target and text of an instruction.
    pub(super) fn text(&self, inst: &Inst) -> String {
        format!("{} {}", self.target, inst.text(self.table.generation))
    }
}
