//! Copies from and to arrays.

use crate::abi::Address;
use crate::array::ARRAYS;
use crate::call::api;
use crate::error::Error;
use crate::operation::Operation;
use crate::region::{Copy, Direction, Extent, Place};
use crate::stream::submit;

/// Where a copy of rows begins in an array: bytes within the row, and the row.
#[derive(Clone, core::marker::Copy)]
struct Corner {
    array: Address,
    x: usize,
    y: usize,
}

impl Corner {
    fn place(self, extent: Extent) -> Result<Place, Error> {
        ARRAYS.get(self.array)?.place([self.x, self.y, 0], extent)
    }
}

fn plane(width: usize, height: usize) -> Extent {
    Extent { width, height, depth: 1 }
}

/// Rows from memory to an array.
fn to_array(corner: Corner, from: Place, extent: Extent, direction: Direction) -> Result<Copy, Error> {
    if extent.height > 1 && from.row < extent.width {
        return Err(Error::InvalidPitchValue);
    }
    Ok(Copy { to: corner.place(extent)?, from, extent, direction })
}

/// Rows from an array to memory.
fn from_array(to: Place, corner: Corner, extent: Extent, direction: Direction) -> Result<Copy, Error> {
    if extent.height > 1 && to.row < extent.width {
        return Err(Error::InvalidPitchValue);
    }
    Ok(Copy { to, from: corner.place(extent)?, extent, direction })
}

/// A run of bytes that begins in a row of an array and goes on in those below, as rows of the array's width: each with its
/// place in the array, its offset in the run, and its length.
fn lines(corner: Corner, bytes: usize) -> Result<Vec<(Place, usize, usize)>, Error> {
    let array = ARRAYS.get(corner.array)?;
    let width = array.texel() * array.image.extent[0] as usize;
    let mut found = Vec::new();
    let (mut x, mut y, mut done) = (corner.x, corner.y, 0);
    while done < bytes {
        let length = width.saturating_sub(x).min(bytes - done);
        if length == 0 {
            return Err(Error::InvalidValue);
        }
        found.push((array.place([x, y, 0], Extent::line(length))?, done, length));
        (x, y, done) = (0, y + 1, done + length);
    }
    Ok(found)
}

fn offset(address: Address, bytes: usize) -> Place {
    Place::line(Address::new(address.get().wrapping_add(bytes as u64)))
}

fn run_to(corner: Corner, from: Address, bytes: usize, direction: Direction) -> Result<(), Error> {
    lines(corner, bytes)?.into_iter().try_for_each(|(to, at, length)| {
        Copy { to, from: offset(from, at), extent: Extent::line(length), direction }.run_now()
    })
}

fn run_from(to: Address, corner: Corner, bytes: usize, direction: Direction) -> Result<(), Error> {
    lines(corner, bytes)?.into_iter().try_for_each(|(from, at, length)| {
        Copy { to: offset(to, at), from, extent: Extent::line(length), direction }.run_now()
    })
}

api! {
    "hip_4.2" fn hipMemcpy2DToArray also "hip_5.2" hipMemcpy2DToArray_spt(
        array: Address, x: usize, y: usize, from: Address, pitch: usize, width: usize, height: usize, direction: Direction,
    ) {
        to_array(Corner { array, x, y }, Place::rows(from, pitch), plane(width, height), direction)?.run_now()
    }

    "hip_4.3" fn hipMemcpy2DToArrayAsync also "hip_5.3" hipMemcpy2DToArrayAsync_spt(
        array: Address, x: usize, y: usize, from: Address, pitch: usize, width: usize, height: usize, direction: Direction,
        stream: Address,
    ) {
        let copy = to_array(Corner { array, x, y }, Place::rows(from, pitch), plane(width, height), direction)?;
        submit(stream, Operation::Copy(copy))
    }

    "hip_4.2" fn hipMemcpy2DFromArray also "hip_5.2" hipMemcpy2DFromArray_spt(
        to: Address, pitch: usize, array: Address, x: usize, y: usize, width: usize, height: usize, direction: Direction,
    ) {
        from_array(Place::rows(to, pitch), Corner { array, x, y }, plane(width, height), direction)?.run_now()
    }

    "hip_4.2" fn hipMemcpy2DFromArrayAsync also "hip_5.3" hipMemcpy2DFromArrayAsync_spt(
        to: Address, pitch: usize, array: Address, x: usize, y: usize, width: usize, height: usize, direction: Direction,
        stream: Address,
    ) {
        let copy = from_array(Place::rows(to, pitch), Corner { array, x, y }, plane(width, height), direction)?;
        submit(stream, Operation::Copy(copy))
    }

    "hip_6.2" fn hipMemcpy2DArrayToArray(
        to: Address, to_x: usize, to_y: usize, from: Address, from_x: usize, from_y: usize, width: usize, height: usize,
        direction: Direction,
    ) {
        let (to, from) = (Corner { array: to, x: to_x, y: to_y }, Corner { array: from, x: from_x, y: from_y });
        let extent = plane(width, height);
        Copy { to: to.place(extent)?, from: from.place(extent)?, extent, direction }.run_now()
    }

    "hip_4.2" fn hipMemcpyToArray(
        array: Address, x: usize, y: usize, from: Address, bytes: usize, direction: Direction,
    ) {
        run_to(Corner { array, x, y }, from, bytes, direction)
    }

    "hip_4.2" fn hipMemcpyFromArray also "hip_5.3" hipMemcpyFromArray_spt(
        to: Address, array: Address, x: usize, y: usize, bytes: usize, direction: Direction,
    ) {
        run_from(to, Corner { array, x, y }, bytes, direction)
    }

    "hip_4.2" fn hipMemcpyHtoA(array: Address, x: usize, from: Address, bytes: usize) {
        run_to(Corner { array, x, y: 0 }, from, bytes, Direction::TO_DEVICE)
    }

    "hip_4.2" fn hipMemcpyAtoH(to: Address, array: Address, x: usize, bytes: usize) {
        run_from(to, Corner { array, x, y: 0 }, bytes, Direction::TO_HOST)
    }

    "hip_6.2" fn hipMemcpyHtoAAsync(array: Address, x: usize, from: Address, bytes: usize, stream: Address) {
        lines(Corner { array, x, y: 0 }, bytes)?.into_iter().try_for_each(|(to, at, length)| {
            let (from, extent) = (offset(from, at), Extent::line(length));
            submit(stream, Operation::Copy(Copy { to, from, extent, direction: Direction::TO_DEVICE }))
        })
    }

    "hip_6.2" fn hipMemcpyAtoHAsync(to: Address, array: Address, x: usize, bytes: usize, stream: Address) {
        lines(Corner { array, x, y: 0 }, bytes)?.into_iter().try_for_each(|(from, at, length)| {
            let (to, extent) = (offset(to, at), Extent::line(length));
            submit(stream, Operation::Copy(Copy { to, from, extent, direction: Direction::TO_HOST }))
        })
    }

    "hip_6.2" fn hipMemcpyDtoA(array: Address, x: usize, from: Address, bytes: usize) {
        run_to(Corner { array, x, y: 0 }, from, bytes, Direction::BETWEEN_DEVICES)
    }

    "hip_6.2" fn hipMemcpyAtoD(to: Address, array: Address, x: usize, bytes: usize) {
        run_from(to, Corner { array, x, y: 0 }, bytes, Direction::BETWEEN_DEVICES)
    }

    "hip_6.2" fn hipMemcpyAtoA(to: Address, to_x: usize, from: Address, from_x: usize, bytes: usize) {
        // Whether there are so many bytes is known before room is made for them.
        lines(Corner { array: from, x: from_x, y: 0 }, bytes)?;
        lines(Corner { array: to, x: to_x, y: 0 }, bytes)?;
        // Rows of the two may have other lengths, so the bytes are put into one line in between.
        let mut line = vec![0_u8; bytes];
        let between = Address::new(line.as_mut_ptr().expose_provenance() as u64);
        run_from(between, Corner { array: from, x: from_x, y: 0 }, bytes, Direction::TO_HOST)?;
        run_to(Corner { array: to, x: to_x, y: 0 }, between, bytes, Direction::TO_DEVICE)
    }
}
