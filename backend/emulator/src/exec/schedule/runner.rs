//! How blocks are spread over threads, and take turns on each.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::block::{Block, Progress};
use super::device::Device;
use super::free_blocks::FreeBlocks;
use super::progress::{Finding, Watch};
use super::random::Random;
use crate::exec::code::program::Program;
use crate::exec::launch::shared::Shared;
use crate::fault::Fault;
use crate::launch::Statistics;

/// Blocks that a thread runs at a time where the order of turns varies; and the most that it begins because those before
/// wait for others.
const VARIED: u64 = 4;
const MOST: usize = 256;
/// Rest of a thread between two looks at memory that others may change.
const REST: Duration = Duration::from_micros(50);

/// Runs all blocks of a launch.
pub(super) fn run(
    device: &Device,
    program: &Program,
    shared: &Shared,
    cooperative: bool,
) -> Result<Statistics, Box<Fault>> {
    let blocks = shared.grid.blocks();
    let next = AtomicU64::new(0);
    let instructions = AtomicU64::new(0);
    let fault: Mutex<Option<Box<Fault>>> = Mutex::new(None);
    let threads = device.pool.current_num_threads();
    let work = |index: usize| {
        let mut runner = Runner::new((shared, program), &next, (index, threads), device.free_blocks, cooperative);
        let outcome = runner.run();
        instructions.fetch_add(runner.instructions, Ordering::Relaxed);
        shared.progress.end(index);
        device.free_blocks.keep(runner.free, threads);
        if let Err(found) = outcome {
            shared.stop();
            let mut first = fault.lock().unwrap_or_else(PoisonError::into_inner);
            first.get_or_insert(found);
        }
    };
    if threads == 1 || (blocks == 1 && !cooperative) {
        (1..threads).for_each(|thread| shared.progress.end(thread));
        work(0);
    } else {
        device.pool.broadcast(|at| work(at.index()));
    }
    if let Some(fault) = fault.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(fault);
    }
    Ok(Statistics {
        waves: blocks * u64::from(shared.waves_per_block),
        instructions: instructions.load(Ordering::Relaxed),
    })
}

/// The blocks of one thread.
struct Runner<'r> {
    shared: &'r Shared,
    program: &'r Program,
    /// Number of the next block that nobody has begun.
    next: &'r AtomicU64,
    resident: Vec<Block>,
    /// Blocks whose memory is used again.
    free: Vec<Block>,
    /// More of them, from launches before.
    kept: &'r FreeBlocks,
    watch: Watch,
    /// Instructions of blocks that have ended.
    instructions: u64,
    random: Random,
}

impl<'r> Runner<'r> {
    fn new(
        (shared, program): (&'r Shared, &'r Program),
        next: &'r AtomicU64,
        (index, threads): (usize, usize),
        kept: &'r FreeBlocks,
        cooperative: bool,
    ) -> Runner<'r> {
        let random = Random::new(shared.options.schedule_seed.unwrap_or(0) ^ index as u64);
        let watch = Watch::new(index);
        let (resident, free) = (Vec::new(), Vec::new());
        let mut runner = Runner { shared, program, next, resident, free, kept, watch, instructions: 0, random };
        if cooperative {
            // All blocks are there from the beginning, so that they can wait for each other.
            (index as u64..shared.grid.blocks()).step_by(threads).for_each(|number| runner.begin(number));
            next.store(shared.grid.blocks(), Ordering::Relaxed);
        }
        runner
    }

    fn begin(&mut self, number: u64) {
        let mut block = self.free.pop().or_else(|| self.kept.take()).unwrap_or_else(Block::new);
        block.start(self.shared, self.shared.grid.coordinates(number));
        self.resident.push(block);
    }

    /// Begins the next block, if there is one.
    fn begin_next(&mut self) -> bool {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let exists = number < self.shared.grid.blocks();
        if exists {
            self.begin(number);
            self.note_event();
        }
        exists
    }

    /// A block has begun or ended, which matters where progress is looked at.
    fn note_event(&mut self) {
        if self.shared.options.checks.are_on() {
            let executed = self.executed();
            self.watch.event(self.shared, executed);
        }
    }

    /// Instructions so far.
    fn executed(&self) -> u64 {
        self.instructions + self.resident.iter().map(Block::steps).sum::<u64>()
    }

    /// A number below `bound` that depends on the seed; 0 without one.
    fn random(&mut self, bound: u64) -> u64 {
        if self.shared.options.schedule_seed.is_some() { self.random.below(bound) } else { 0 }
    }

    /// Runs blocks until there are none.
    fn run(&mut self) -> Result<(), Box<Fault>> {
        let looks = self.shared.options.checks.are_on();
        let mut all_wait = false;
        loop {
            if self.resident.is_empty() {
                // Blocks begin in order, as on hardware: some programs rely on it.
                for _ in 0..=self.random(VARIED) {
                    self.begin_next();
                }
                if self.resident.is_empty() {
                    return Ok(());
                }
            }
            if self.shared.is_stopped() {
                return Ok(());
            }
            let executed = if looks { self.executed() } else { 0 };
            if looks && self.watch.begins(self.shared, executed, all_wait, &self.resident) {
                all_wait = self.watched_round()?;
            } else {
                all_wait = self.round(None)?;
                if all_wait && !looks {
                    std::thread::yield_now();
                }
            }
        }
    }

    /// Gives all blocks a turn. Tells whether no wave can go on by itself.
    fn round(&mut self, mut changed: Option<&mut bool>) -> Result<bool, Box<Fault>> {
        let mut all_wait = true;
        let mut at = 0;
        if changed.is_none() {
            let first = self.random(self.resident.len().max(1) as u64) as usize;
            self.resident.rotate_left(first);
        }
        while at < self.resident.len() {
            let progress = self.resident[at].turn(self.shared, self.program, changed.as_deref_mut())?;
            all_wait &= progress == Progress::Waiting;
            if progress == Progress::Ended {
                let block = self.resident.swap_remove(at);
                self.instructions += block.steps();
                self.free.push(block);
                self.note_event();
            } else {
                at += 1;
            }
        }
        Ok(all_wait)
    }

    /// A round in which changes of memory are looked at.
    fn watched_round(&mut self) -> Result<bool, Box<Fault>> {
        let mut changed = false;
        let all_wait = self.round(Some(&mut changed))?;
        let executed = self.executed();
        match self.watch.round(self.shared, executed, (changed, all_wait), &self.resident) {
            Finding::Nothing => {}
            // Blocks that were not begun yet may be what these wait for.
            _ if self.resident.len() < MOST && self.begin_next() => {}
            Finding::Repeats => std::thread::yield_now(),
            // Others need the processor more.
            Finding::Waits => std::thread::sleep(REST),
            Finding::Stuck => {
                let blocks = self.resident.len();
                if let Some(block) = self.resident.first() {
                    return Err(block.stuck(self.shared, self.program, blocks));
                }
            }
        }
        Ok(all_wait)
    }
}
