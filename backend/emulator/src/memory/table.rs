//! What is allocated: every access of a kernel to global memory is looked up here.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::block::Block;
use super::heap::Heap;
use super::ranges::Ranges;
use super::shadow::Shadow;

/// Freed memory that is kept, so that late accesses are found: bytes.
const QUARANTINE: u64 = 256 << 20;

/// What memory is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Memory of the device.
    Device,
    /// Host memory that the device can reach.
    Host,
    /// Memory that moves between host and device.
    Managed,
    /// A piece of the heap of device code, which keeps it.
    Heap,
    /// A loaded code object.
    Module,
    /// Memory of the executor: arguments, buffers of services.
    Runtime,
}

/// A piece of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allocation {
    /// First address.
    pub start: u64,
    /// Bytes.
    pub bytes: u64,
    /// What it is for.
    pub kind: Kind,
}

impl Allocation {
    /// First address behind it.
    pub fn end(&self) -> u64 {
        self.start + self.bytes
    }
}

/// Why memory could not be had or given back.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MemoryError {
    /// No bytes were asked for.
    #[error("an allocation needs at least one byte")]
    Empty,
    /// The alignment is not a power of two.
    #[error("{0} is not a power of two")]
    Alignment(u64),
    /// The host has not so much memory.
    #[error("no memory for {0} bytes")]
    OutOfMemory(u64),
    /// Nothing that could be given back starts there.
    #[error("no allocation starts at {0:#x}")]
    Unknown(u64),
    /// The memory was given back before.
    #[error("the allocation at {0:#x} was freed before")]
    Freed(u64),
    /// Memory that is registered or allocated already.
    #[error("memory at {0:#x} is known already")]
    Overlap(u64),
}

#[derive(Debug)]
pub(super) struct Entry {
    pub(super) allocation: Allocation,
    /// `None` for memory of the caller.
    block: Option<Block>,
    /// What was written, where that is asked for.
    shadow: Option<Shadow>,
}

/// What one allocation has of a range of bytes.
struct Part<'e> {
    shadow: &'e Shadow,
    /// Where it begins in the allocation.
    at: u64,
    /// Bytes of the range in front of it.
    skipped: u64,
    bytes: u64,
}

#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) live: BTreeMap<u64, Entry>,
    freed: BTreeMap<u64, Entry>,
    /// Starts of freed memory, oldest first.
    queue: VecDeque<u64>,
    queued_bytes: u64,
}

/// All memory of a device. Addresses stay valid until the memory is freed; freed memory is kept for a while, so that
/// a late access is reported and not answered.
#[derive(Debug, Default)]
pub struct Memory {
    table: RwLock<Table>,
    /// Counts what was taken out of the table: caches of an older state are void.
    pub(super) generation: AtomicU64,
    /// Whether it is known what was written of memory of the device, which only kernels and the runtime can write.
    tracks_writes: bool,
    /// Bytes that blocks of memory take up multiples of; 0 and 1 for no more than what is asked for.
    granule: u64,
    /// What device code has given out of its heap.
    pub(super) heap: Heap,
    /// Segments of code objects.
    pub(super) segments: Ranges,
}

impl Memory {
    /// No memory.
    pub fn new() -> Memory {
        Memory::default()
    }

    /// No memory; of what is allocated of the device it will be known which bytes were written.
    pub fn tracking_writes() -> Memory {
        Memory { tracks_writes: true, ..Memory::default() }
    }

    /// The same, with memory that takes up multiples of `granule` bytes, 1 or more: what lies behind an allocation in its last
    /// granule belongs to it and to nobody else.
    #[must_use]
    pub fn in_granules(self, granule: u64) -> Memory {
        Memory { granule, ..self }
    }

    /// Zeroed memory of `bytes` bytes at a multiple of `align` (a power of two; 256 at least is given).
    pub fn allocate(&self, bytes: u64, align: u64, kind: Kind) -> Result<u64, MemoryError> {
        if bytes == 0 {
            return Err(MemoryError::Empty);
        }
        if !align.is_power_of_two() {
            return Err(MemoryError::Alignment(align));
        }
        let taken = bytes.checked_next_multiple_of(self.granule.max(1)).ok_or(MemoryError::OutOfMemory(bytes))?;
        let (start, block) = Block::new(taken, align).ok_or(MemoryError::OutOfMemory(bytes))?;
        let shadow = (self.tracks_writes && matches!(kind, Kind::Device | Kind::Heap)).then(|| Shadow::new(bytes));
        let entry = Entry { allocation: Allocation { start, bytes, kind }, block: Some(block), shadow };
        self.write().live.insert(start, entry);
        Ok(start)
    }

    /// Gives memory back that [`Memory::allocate`] made. No kernel that uses it may be running.
    pub fn free(&self, address: u64) -> Result<(), MemoryError> {
        let mut table = self.write();
        match table.live.get(&address) {
            Some(entry) if entry.block.is_some() => {}
            None if table.freed.contains_key(&address) => return Err(MemoryError::Freed(address)),
            _ => return Err(MemoryError::Unknown(address)),
        }
        let Some(entry) = table.live.remove(&address) else { return Err(MemoryError::Unknown(address)) };
        self.generation.fetch_add(1, Ordering::Release);
        // Memory of the executor is named by no pointer that a kernel could keep.
        if entry.allocation.kind != Kind::Runtime {
            table.quarantine(entry);
        }
        Ok(())
    }

    /// Lets kernels use `bytes` bytes of the caller's memory. The memory has to stay valid until
    /// [`Memory::unregister`].
    pub fn register(&self, address: u64, bytes: u64, kind: Kind) -> Result<(), MemoryError> {
        if bytes == 0 {
            return Err(MemoryError::Empty);
        }
        let end = address.checked_add(bytes).ok_or(MemoryError::OutOfMemory(bytes))?;
        let mut table = self.write();
        let before = table.live.range(..end).next_back();
        if before.is_some_and(|(_, entry)| entry.allocation.end() > address) {
            return Err(MemoryError::Overlap(address));
        }
        let entry = Entry { allocation: Allocation { start: address, bytes, kind }, block: None, shadow: None };
        table.live.insert(address, entry);
        Ok(())
    }

    /// Ends what [`Memory::register`] began.
    pub fn unregister(&self, address: u64) -> Result<(), MemoryError> {
        let mut table = self.write();
        if table.live.get(&address).is_none_or(|entry| entry.block.is_some()) {
            return Err(MemoryError::Unknown(address));
        }
        table.live.remove(&address);
        self.generation.fetch_add(1, Ordering::Release);
        Ok(())
    }

    /// The memory that holds `address`.
    pub fn find(&self, address: u64) -> Option<Allocation> {
        self.read().holding(address)
    }

    /// Whether all of `address..address + bytes` lies in an allocation and the rest of its last granule. Memory of the caller has
    /// no such rest: what lies behind it may be another's.
    pub(crate) fn is_in_granules(&self, address: u64, bytes: u64) -> bool {
        let table = self.read();
        let Some((start, entry)) = table.live.range(..=address).next_back() else { return false };
        let granule = if entry.block.is_some() { self.granule.max(1) } else { 1 };
        // The sum was possible for the block, which has room behind it.
        let end = start.saturating_add(entry.allocation.bytes.next_multiple_of(granule));
        address.checked_add(bytes).is_some_and(|wanted| wanted <= end)
    }

    /// How many bytes an allocation has of the word at an address, of four bytes, that it begins in; the rest belongs to nobody else.
    pub(crate) fn bytes_of_word(&self, address: u64) -> Option<u32> {
        let table = self.read();
        let (start, entry) = table.live.range(..=address).next_back().filter(|_| address.is_multiple_of(4))?;
        let left =
            entry.allocation.bytes.checked_sub(address - start).filter(|left| *left > 0 && entry.block.is_some())?;
        Some(left.min(4) as u32)
    }

    /// Bytes of all memory of a kind.
    pub fn in_use(&self, kind: Kind) -> u64 {
        self.usage(kind).1
    }

    /// Number and bytes of all allocations of a kind.
    pub fn usage(&self, kind: Kind) -> (usize, u64) {
        let table = self.read();
        let of_kind = table.live.values().map(|entry| entry.allocation).filter(|allocation| allocation.kind == kind);
        of_kind.fold((0, 0), |(count, bytes), allocation| (count + 1, bytes + allocation.bytes))
    }

    /// Whether an address lies in memory that was freed not long ago.
    pub fn is_freed(&self, address: u64) -> bool {
        self.read().freed_at(address).is_some()
    }

    /// Notes that bytes were written. Those that no allocation has, as in the rest of a granule, are passed over.
    pub fn note_written(&self, address: u64, bytes: u64) {
        if self.tracks_writes {
            self.with_shadows(address, bytes, |part| part.shadow.mark(part.at, part.bytes));
        }
    }

    /// Notes that bytes were copied: what nobody wrote stays so.
    pub fn note_copied(&self, from: u64, to: u64, bytes: u64) {
        if !self.tracks_writes {
            return;
        }
        // What has no shadow counts as written.
        let mut written: Option<Shadow> = None;
        self.with_shadows(from, bytes, |part| {
            let written = written.get_or_insert_with(|| {
                let all = Shadow::new(bytes);
                all.mark(0, bytes);
                all
            });
            written.assign(part.skipped, part.bytes, &part.shadow.written(part.at, part.bytes));
        });
        self.with_shadows(to, bytes, |part| match &written {
            Some(written) => part.shadow.assign(part.at, part.bytes, &written.written(part.skipped, part.bytes)),
            None => part.shadow.mark(part.at, part.bytes),
        });
    }

    /// How far the first byte that an allocation has and that nobody wrote is behind the address.
    pub fn unwritten(&self, address: u64, bytes: u64) -> Option<u64> {
        let mut found = None;
        if self.tracks_writes {
            self.with_shadows(address, bytes, |part| {
                let first = part.shadow.unwritten(part.at, part.bytes);
                found = first.map(|first| first - part.at + part.skipped).or(found);
            });
        }
        found
    }

    /// Whether bytes of allocations are such that nobody wrote any of them.
    pub fn is_bare(&self, address: u64, bytes: u64) -> bool {
        let mut bare = 0;
        if self.tracks_writes {
            self.with_shadows(address, bytes, |part| {
                bare += if part.shadow.is_bare(part.at, part.bytes) { part.bytes } else { 0 };
            });
        }
        bytes != 0 && bare == bytes
    }

    /// Gives the parts of a range of bytes that have a shadow, the last one first.
    fn with_shadows(&self, address: u64, bytes: u64, mut with: impl FnMut(Part)) {
        let table = self.read();
        let end = address.saturating_add(bytes);
        let entries = table.live.range(..end).rev().map(|(_, entry)| entry);
        for entry in entries.take_while(|entry| entry.allocation.end() > address) {
            let Some(shadow) = &entry.shadow else { continue };
            let Allocation { start, .. } = entry.allocation;
            let first = start.max(address);
            let bytes = entry.allocation.end().min(end) - first;
            with(Part { shadow, at: first - start, skipped: first - address, bytes });
        }
    }

    pub(super) fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    pub(super) fn read(&self) -> RwLockReadGuard<'_, Table> {
        self.table.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Table> {
        self.table.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    pub(super) fn holding(&self, address: u64) -> Option<Allocation> {
        let (_, entry) = self.live.range(..=address).next_back()?;
        Some(entry.allocation).filter(|allocation| address < allocation.end())
    }

    /// Freed memory that holds `address`.
    pub(super) fn freed_at(&self, address: u64) -> Option<Allocation> {
        let (_, entry) = self.freed.range(..=address).next_back()?;
        Some(entry.allocation).filter(|allocation| address < allocation.end())
    }

    /// Keeps freed memory as long as there is room for it.
    fn quarantine(&mut self, entry: Entry) {
        self.queued_bytes += footprint(&entry);
        self.queue.push_back(entry.allocation.start);
        self.freed.insert(entry.allocation.start, entry);
        while self.queued_bytes > QUARANTINE
            && let Some(oldest) = self.queue.pop_front()
        {
            let entry = self.freed.remove(&oldest);
            self.queued_bytes -= entry.as_ref().map_or(0, footprint);
        }
    }
}

fn footprint(entry: &Entry) -> u64 {
    entry.block.as_ref().map_or(0, Block::footprint)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::access;

    #[test]
    fn addresses_inside_are_found_and_others_are_not() {
        let memory = Memory::new();
        let start = memory.allocate(100, 4096, Kind::Device).unwrap();
        assert_eq!(start % 4096, 0);
        assert_eq!(memory.find(start + 99), Some(Allocation { start, bytes: 100, kind: Kind::Device }));
        assert_eq!(memory.find(start + 100), None);
        assert_eq!(memory.find(start - 1), None);
        assert_eq!(memory.describe(start + 108, 4), "8 bytes behind the end of an allocation of 100 bytes");
        let across = "whose last 3 bytes lie behind the end of an allocation of 100 bytes";
        assert_eq!(memory.describe(start + 99, 4), across);
    }

    #[test]
    fn memory_in_granules_has_room_behind_its_end() {
        let memory = Memory::new().in_granules(4096);
        let start = memory.allocate(100, 1, Kind::Device).unwrap();
        assert_eq!(memory.find(start + 100), None);
        assert!(memory.is_in_granules(start + 100, 4) && memory.is_in_granules(start + 4092, 4));
        assert!(!memory.is_in_granules(start + 4093, 4) && !memory.is_in_granules(start + 4096, 1));
        assert!(!memory.is_in_granules(start - 4, 4) && !memory.is_in_granules(u64::MAX, 4));
        access::store_u32(start + 4092, 7);
        assert_eq!(access::load_u32(start + 4092), 7);
        let plain = Memory::new();
        let start = plain.allocate(100, 1, Kind::Device).unwrap();
        assert!(plain.is_in_granules(start + 96, 4) && !plain.is_in_granules(start + 97, 4));
    }

    #[test]
    fn the_last_word_of_an_allocation_begins_in_it() {
        let memory = Memory::new();
        let (start, whole) =
            (memory.allocate(6, 4, Kind::Device).unwrap(), memory.allocate(8, 4, Kind::Device).unwrap());
        assert_eq!([0, 4, 6, 8].map(|at| memory.bytes_of_word(start + at)), [Some(4), Some(2), None, None]);
        assert_eq!([4, 8].map(|at| memory.bytes_of_word(whole + at)), [Some(4), None]);
        assert_eq!(memory.bytes_of_word(0), None);
    }

    #[test]
    fn memory_of_the_caller_has_no_granules() {
        let memory = Memory::new().in_granules(4096);
        memory.register(0x1000, 0x100, Kind::Host).unwrap();
        assert!(memory.is_in_granules(0x10fc, 4) && !memory.is_in_granules(0x10fd, 4));
    }

    #[test]
    fn freed_memory_is_remembered() {
        let memory = Memory::new();
        let start = memory.allocate(64, 1, Kind::Device).unwrap();
        memory.free(start).unwrap();
        assert_eq!(memory.find(start), None);
        assert_eq!(memory.free(start), Err(MemoryError::Freed(start)));
        assert_eq!(memory.free(start + 8), Err(MemoryError::Unknown(start + 8)));
        assert!(memory.describe(start + 4, 4).contains("was freed, 4 bytes from its start"));
    }

    #[test]
    fn null_and_pointers_of_the_host_are_called_so() {
        let memory = Memory::new();
        assert_eq!(memory.describe(0, 4), "which is a null pointer");
        assert_eq!(memory.describe(24, 4), "24 bytes from a null pointer");
        let value = 7_u8;
        let address = (&raw const value).expose_provenance() as u64;
        assert_eq!(memory.describe(address, 4), "in memory of the host that the device does not know");
        assert_eq!(memory.describe(1 << 60, 4), "where nothing is allocated");
    }

    #[test]
    fn what_was_written_is_known_where_that_is_asked_for() {
        let memory = Memory::tracking_writes();
        let [from, to] = [100, 100].map(|bytes| memory.allocate(bytes, 1, Kind::Device).unwrap());
        assert_eq!(memory.unwritten(from, 100), Some(0));
        memory.note_written(from, 40);
        assert_eq!((memory.unwritten(from, 40), memory.unwritten(from + 36, 8)), (None, Some(4)));
        memory.note_written(to, 100);
        memory.note_copied(from + 30, to + 50, 20);
        assert_eq!((memory.unwritten(to, 60), memory.unwritten(to + 50, 20)), (None, Some(10)));
        assert!(memory.is_bare(to + 60, 10) && !memory.is_bare(to + 59, 11) && !memory.is_bare(to, 100));
        let host = memory.allocate(100, 1, Kind::Managed).unwrap();
        assert_eq!(memory.unwritten(host, 100), None);
        let plain = Memory::new();
        let start = plain.allocate(100, 1, Kind::Device).unwrap();
        assert_eq!(plain.unwritten(start, 100), None);
    }

    /// As hardware lets accesses go on past the end of an allocation, and into one that lies beside it.
    #[test]
    fn what_an_access_leaves_behind_an_end_hides_nothing_before_it() {
        let memory = Memory::tracking_writes().in_granules(4096);
        let start = memory.allocate(100, 1, Kind::Device).unwrap();
        memory.note_written(start + 96, 16);
        assert_eq!((memory.unwritten(start + 96, 16), memory.unwritten(start + 94, 16)), (None, Some(0)));
        assert_eq!((memory.unwritten(start, 100), memory.unwritten(start + 96, 4)), (Some(0), None));
        let other = memory.allocate(100, 1, Kind::Device).unwrap();
        memory.note_written(other, 100);
        // Bytes 90 to 95 were not written, those behind them were, and what is behind the end is taken for it.
        memory.note_copied(start + 90, other + 80, 30);
        assert_eq!((memory.unwritten(other, 100), memory.unwritten(other + 86, 40)), (Some(80), None));
        assert!(memory.is_bare(start + 90, 6) && !memory.is_bare(start + 90, 200) && !memory.is_bare(start + 50, 0));
    }

    #[test]
    fn parts_of_a_range_are_told_apart() {
        let memory = Memory::tracking_writes();
        let mut starts = [64, 64].map(|bytes| memory.allocate(bytes, 1, Kind::Device).unwrap());
        starts.sort_unstable();
        let [first, second] = starts;
        let all = second + 64 - first;
        memory.note_written(first, 64);
        assert_eq!(memory.unwritten(first, all), Some(second - first));
        memory.note_written(second - 8, 72);
        assert_eq!(memory.unwritten(first, all), None);
    }

    #[test]
    fn memory_of_the_caller_is_registered_once() {
        let memory = Memory::new();
        memory.register(0x1000, 0x100, Kind::Host).unwrap();
        assert_eq!(memory.register(0x10ff, 8, Kind::Host), Err(MemoryError::Overlap(0x10ff)));
        assert_eq!(memory.free(0x1000), Err(MemoryError::Unknown(0x1000)));
        assert_eq!(memory.in_use(Kind::Host), 0x100);
        memory.unregister(0x1000).unwrap();
        assert_eq!(memory.find(0x1000), None);
        assert_eq!(memory.unregister(0x1000), Err(MemoryError::Unknown(0x1000)));
    }

    #[test]
    fn nothing_and_odd_alignments_are_refused() {
        let memory = Memory::new();
        assert_eq!(memory.allocate(0, 1, Kind::Device), Err(MemoryError::Empty));
        assert_eq!(memory.allocate(8, 3, Kind::Device), Err(MemoryError::Alignment(3)));
        assert_eq!(memory.allocate(u64::MAX, 8, Kind::Device), Err(MemoryError::OutOfMemory(u64::MAX)));
    }
}
