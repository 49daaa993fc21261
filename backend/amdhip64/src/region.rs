//! Copies and fills of memory with one to three dimensions.

use crate::abi::Address;
use crate::error::Error;
use crate::misuse::misuse;
use crate::runtime::gpu;

/// Extent of a region: bytes of a row, rows of a slice, slices. `hipExtent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Extent {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) depth: usize,
}

impl Extent {
    /// A run of bytes.
    pub(crate) const fn line(bytes: usize) -> Extent {
        Extent { width: bytes, height: 1, depth: 1 }
    }

    pub(crate) const fn is_empty(self) -> bool {
        self.width == 0 || self.height == 0 || self.depth == 0
    }
}

/// Where a region lies: its first byte, and the distance of rows and slices in bytes.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) address: Address,
    pub(crate) row: usize,
    pub(crate) slice: usize,
}

impl Place {
    /// Consecutive bytes.
    pub(crate) const fn line(address: Address) -> Place {
        Place { address, row: 0, slice: 0 }
    }

    /// Rows at a distance of `row` bytes.
    pub(crate) const fn rows(address: Address, row: usize) -> Place {
        Place { address, row, slice: 0 }
    }

    /// Bytes from the first to behind the last one of a region. Fails where rows overlap or numbers overflow.
    fn span(&self, extent: Extent) -> Result<usize, Error> {
        if extent.height > 1 && self.row < extent.width {
            return Err(Error::InvalidPitchValue);
        }
        let rows = self.row.checked_mul(extent.height - 1);
        let slices = self.slice.checked_mul(extent.depth - 1);
        let sum = rows.zip(slices).and_then(|(rows, slices)| rows.checked_add(slices)?.checked_add(extent.width));
        sum.ok_or(Error::InvalidValue)
    }

    /// The address of a row.
    fn row_at(&self, row: usize, slice: usize) -> *mut u8 {
        let offset = self.row.wrapping_mul(row).wrapping_add(self.slice.wrapping_mul(slice));
        Address::new(self.address.get().wrapping_add(offset as u64)).pointer()
    }
}

/// `hipMemcpyKind`: who owns the two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct Direction(pub(crate) u32);

impl Direction {
    pub(crate) const TO_DEVICE: Direction = Direction(1);
    pub(crate) const TO_HOST: Direction = Direction(2);
    pub(crate) const BETWEEN_DEVICES: Direction = Direction(3);
    pub(crate) const DEFAULT: Direction = Direction(4);

    /// That of a copy between sides whose owners are known: whether each is of a device.
    pub(crate) const fn between(from_device: bool, to_device: bool) -> Direction {
        match (from_device, to_device) {
            (false, false) => Direction(0),
            (false, true) => Direction::TO_DEVICE,
            (true, false) => Direction::TO_HOST,
            (true, true) => Direction::BETWEEN_DEVICES,
        }
    }

    const fn writes_device(self) -> bool {
        self.0 == Self::TO_DEVICE.0 || self.0 == Self::BETWEEN_DEVICES.0
    }

    const fn reads_device(self) -> bool {
        self.0 == Self::TO_HOST.0 || self.0 == Self::BETWEEN_DEVICES.0
    }
}

/// A copy that is ready to be made.
#[derive(Clone, Copy)]
pub(crate) struct Copy {
    pub(crate) to: Place,
    pub(crate) from: Place,
    pub(crate) extent: Extent,
    pub(crate) direction: Direction,
}

impl Copy {
    /// Whether a side is memory of the host that the GPU cannot reach.
    pub(crate) fn is_of_host(&self) -> bool {
        let memory = gpu().device.memory();
        let is_of_host = |place: &Place| memory.find(place.address.get()).is_none();
        !self.extent.is_empty() && (is_of_host(&self.to) || is_of_host(&self.from))
    }

    /// Fails where a side is null, is not of the owner that the direction names, or leaves its allocation.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.direction.0 > Direction::DEFAULT.0 {
            return Err(Error::InvalidMemcpyDirection);
        }
        if self.extent.is_empty() {
            return Ok(());
        }
        let [to, from] = [self.to.span(self.extent)?, self.from.span(self.extent)?];
        told(["copy", "to"], self.to.address, to, self.direction.writes_device())?;
        told(["copy", "from"], self.from.address, from, self.direction.reads_device())
    }

    /// Makes the copy. Fails as [`Copy::check`] does.
    pub(crate) fn run(&self) -> Result<(), Error> {
        self.check()?;
        if self.extent.is_empty() {
            return Ok(());
        }
        for slice in 0..self.extent.depth {
            for row in 0..self.extent.height {
                let (to, from) = (self.to.row_at(row, slice), self.from.row_at(row, slice));
                // SAFETY: ranges of devices were checked against their allocations; for host memory the
                // program vouches, as with every `memcpy`. Both sides may overlap.
                unsafe { std::ptr::copy(from.cast_const(), to, self.extent.width) };
                self.note(to, from);
            }
        }
        Ok(())
    }

    /// Remembers which bytes of a row were written, and tells of a row that goes to the host though nobody wrote it.
    fn note(&self, to: *mut u8, from: *mut u8) {
        let memory = gpu().device.memory();
        let (to, from) = (to.expose_provenance() as u64, from.expose_provenance() as u64);
        let bytes = self.extent.width as u64;
        // A part that nobody wrote may be one that nobody uses.
        if self.direction == Direction::TO_HOST && memory.is_bare(from, bytes) {
            misuse(&format!("copy of {bytes} bytes from {from:#x} to the host, of which nobody wrote any"));
        }
        memory.note_copied(from, to, bytes);
    }
}

/// A fill with a value of 1, 2 or 4 bytes.
#[derive(Clone, Copy)]
pub(crate) struct Fill {
    pub(crate) to: Place,
    /// The width is a number of bytes, a multiple of `size`.
    pub(crate) extent: Extent,
    pub(crate) value: u32,
    pub(crate) size: usize,
}

impl Fill {
    /// Fails as [`Copy::check`] does.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if !matches!(self.size, 1 | 2 | 4) || !self.extent.width.is_multiple_of(self.size) {
            return Err(Error::InvalidValue);
        }
        if self.extent.is_empty() {
            return Ok(());
        }
        told(["fill", "at"], self.to.address, self.to.span(self.extent)?, true)
    }

    /// Writes the value. Fails as [`Copy::check`] does.
    pub(crate) fn run(&self) -> Result<(), Error> {
        self.check()?;
        if self.extent.is_empty() {
            return Ok(());
        }
        let pattern = &self.value.to_le_bytes()[..self.size];
        for slice in 0..self.extent.depth {
            for row in 0..self.extent.height {
                // SAFETY: the range was checked against the allocation that it lies in.
                let row = unsafe { std::slice::from_raw_parts_mut(self.to.row_at(row, slice), self.extent.width) };
                row.chunks_exact_mut(pattern.len()).for_each(|element| element.copy_from_slice(pattern));
                gpu().device.memory().note_written(row.as_ptr().expose_provenance() as u64, row.len() as u64);
            }
        }
        Ok(())
    }
}

/// As [`check`], and tells the user of what is wrong: programs often do not look at what a call returns.
fn told([what, side]: [&str; 2], address: Address, bytes: usize, must_be_known: bool) -> Result<(), Error> {
    let result = check(address, bytes, must_be_known);
    if result.is_err() {
        let memory = gpu().device.memory();
        let place = match memory.find(address.get()) {
            Some(allocation) => {
                let offset = address.get() - allocation.start;
                format!("{offset} bytes from the start of an allocation of {} bytes", allocation.bytes)
            }
            None => memory.describe(address.get(), bytes as u64),
        };
        misuse(&format!("{what} of {bytes} bytes {side} {:#x}, {place}", address.get()));
    }
    result
}

/// Checks a range of memory: it must lie in one allocation if it starts in one, and must do so if it is
/// said to be of a device.
pub(crate) fn check(address: Address, bytes: usize, must_be_known: bool) -> Result<(), Error> {
    if address.is_null() {
        return Err(Error::InvalidValue);
    }
    match gpu().device.memory().find(address.get()) {
        Some(allocation) => {
            let end = address.get().checked_add(bytes as u64).ok_or(Error::InvalidValue)?;
            if end <= allocation.start + allocation.bytes { Ok(()) } else { Err(Error::InvalidValue) }
        }
        None if must_be_known || gpu().device.memory().is_freed(address.get()) => Err(Error::InvalidValue),
        None => Ok(()),
    }
}
