//! Arrays of a launch. Two threads that meet in shared memory without a barrier between them are an error.

use crate::value::{Result, Value};

/// Barriers that threads of a block have passed.
pub(crate) struct Barriers {
    clock: u32,
    /// When all threads last met.
    all: u32,
    /// When lanes of a warp met since, and which.
    warps: Vec<Vec<(u32, u32)>>,
}

impl Barriers {
    pub(crate) fn new(warps: usize) -> Self {
        Self { clock: 1, all: 0, warps: vec![Vec::new(); warps] }
    }

    pub(crate) fn all_meet(&mut self) {
        self.clock += 1;
        self.all = self.clock;
        self.warps.iter_mut().for_each(Vec::clear);
    }

    pub(crate) fn lanes_meet(&mut self, warp: usize, lanes: u32) {
        self.clock += 1;
        self.warps[warp].push((self.clock, lanes));
    }

    /// Time goes on.
    pub(crate) fn step(&mut self) {
        self.clock += 1;
    }

    /// Whether what `first` did at `time` is over for `second`.
    fn parted(&self, first: usize, time: u32, second: usize) -> bool {
        let lanes = 1 << (first % 32) | 1 << (second % 32);
        let met = |(when, who): &(u32, u32)| *when > time && who & lanes == lanes;
        first == second || self.all > time || (first / 32 == second / 32 && self.warps[first / 32].iter().any(met))
    }
}

/// One element of shared memory.
#[derive(Clone, Default)]
pub(crate) struct Cell {
    value: Option<Value>,
    written: Option<(usize, u32)>,
    read: Vec<(usize, u32)>,
}

impl Cell {
    pub(crate) fn load(&mut self, thread: usize, barriers: &Barriers) -> Result<Value> {
        if let Some((writer, time)) = self.written
            && !barriers.parted(writer, time, thread)
        {
            return Err(format!("thread {thread} reads what thread {writer} wrote just now"));
        }
        self.read.push((thread, barriers.clock));
        self.value.ok_or_else(|| "shared memory is read before it is written".to_owned())
    }

    pub(crate) fn store(&mut self, value: Value, thread: usize, barriers: &Barriers) -> Result<()> {
        let mut before = self.read.iter().chain(&self.written);
        if let Some((other, _)) = before.find(|(other, time)| !barriers.parted(*other, *time, thread)) {
            return Err(format!("thread {thread} writes where thread {other} just was"));
        }
        *self = Self { value: Some(value), written: Some((thread, barriers.clock)), read: Vec::new() };
        Ok(())
    }
}

/// An element of `in`.
pub(crate) fn input(index: usize) -> i32 {
    let mixed = u32::try_from(index).unwrap().wrapping_mul(2_654_435_761) >> 20;
    i32::try_from(mixed % 97).unwrap()
}

/// The same for the host of a CUDA program.
pub(crate) const INPUT: &str = "(int)(((unsigned)k * 2654435761u >> 20) % 97u)";
