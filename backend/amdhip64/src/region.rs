//! Copies and fills of memory with one to three dimensions.

use crate::abi::Address;
use crate::error::Error;
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
    /// Makes the copy. Fails where a side is null, is not of the owner that the direction names, or leaves its allocation.
    pub(crate) fn run(&self) -> Result<(), Error> {
        if self.direction.0 > Direction::DEFAULT.0 {
            return Err(Error::InvalidMemcpyDirection);
        }
        if self.extent.is_empty() {
            return Ok(());
        }
        check(self.to.address, self.to.span(self.extent)?, self.direction.writes_device())?;
        check(self.from.address, self.from.span(self.extent)?, self.direction.reads_device())?;
        for slice in 0..self.extent.depth {
            for row in 0..self.extent.height {
                let (to, from) = (self.to.row_at(row, slice), self.from.row_at(row, slice));
                // SAFETY: ranges of devices were checked against their allocations; for host memory the
                // program vouches, as with every `memcpy`. Both sides may overlap.
                unsafe { std::ptr::copy(from.cast_const(), to, self.extent.width) };
            }
        }
        Ok(())
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
    /// Writes the value. Fails as [`Copy::run`] does.
    pub(crate) fn run(&self) -> Result<(), Error> {
        if !matches!(self.size, 1 | 2 | 4) || !self.extent.width.is_multiple_of(self.size) {
            return Err(Error::InvalidValue);
        }
        if self.extent.is_empty() {
            return Ok(());
        }
        check(self.to.address, self.to.span(self.extent)?, true)?;
        let pattern = &self.value.to_le_bytes()[..self.size];
        for slice in 0..self.extent.depth {
            for row in 0..self.extent.height {
                // SAFETY: the range was checked against the allocation that it lies in.
                let row = unsafe { std::slice::from_raw_parts_mut(self.to.row_at(row, slice), self.extent.width) };
                row.chunks_exact_mut(pattern.len()).for_each(|element| element.copy_from_slice(pattern));
            }
        }
        Ok(())
    }
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
        None if must_be_known => Err(Error::InvalidValue),
        None => Ok(()),
    }
}
