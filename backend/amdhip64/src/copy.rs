//! `hipMemcpy` and its relatives: addresses and sizes become copies of regions.

use std::ffi::c_int;
use std::sync::Arc;

use crate::abi::{Address, In};
use crate::array::{ARRAYS, Array};
use crate::call::api;
use crate::error::Error;
use crate::memory::PitchedPointer;
use crate::operation::Operation;
use crate::region::{Copy, Direction, Extent, Place};
use crate::runtime::check;
use crate::stream::{run_now, submit};

/// A copy of consecutive bytes.
pub(crate) const fn line(to: Address, from: Address, bytes: usize, direction: Direction) -> Copy {
    Copy { to: Place::line(to), from: Place::line(from), extent: Extent::line(bytes), direction }
}

/// A copy of rows.
fn rows(to: Place, from: Place, width: usize, height: usize, direction: Direction) -> Result<Copy, Error> {
    if width > to.row || width > from.row {
        return Err(Error::InvalidPitchValue);
    }
    Ok(Copy { to, from, extent: Extent { width, height, depth: 1 }, direction })
}

/// `hipPos`: bytes within a row, row, slice.
#[derive(Clone, core::marker::Copy)]
#[repr(C)]
struct Position {
    x: usize,
    y: usize,
    z: usize,
}

/// `hipMemcpy3DParms`.
#[derive(Clone, core::marker::Copy)]
#[repr(C)]
pub(crate) struct Parameters3D {
    from_array: Address,
    from_position: Position,
    from: PitchedPointer,
    to_array: Address,
    to_position: Position,
    to: PitchedPointer,
    extent: Extent,
    direction: Direction,
}

/// Where a position in pitched memory lies.
fn place(memory: &PitchedPointer, position: Position) -> Result<Place, Error> {
    let slice = memory.pitch.checked_mul(memory.height).ok_or(Error::InvalidValue)?;
    let offset = position.z.wrapping_mul(slice).wrapping_add(position.y.wrapping_mul(memory.pitch));
    let address = memory.address.get().wrapping_add(offset.wrapping_add(position.x) as u64);
    Ok(Place { address: Address::new(address), row: memory.pitch, slice })
}

impl Parameters3D {
    /// The copy that is described. Widths and positions are counted in texels where an array takes part.
    pub(crate) fn copy(&self) -> Result<Copy, Error> {
        let array = |handle: Address| if handle.is_null() { Ok(None) } else { ARRAYS.get(handle).map(Some) };
        let (from_array, to_array) = (array(self.from_array)?, array(self.to_array)?);
        let texel = from_array.as_ref().or(to_array.as_ref()).map_or(1, |array| array.texel());
        let extent = Extent { width: self.extent.width.checked_mul(texel).ok_or(Error::InvalidValue)?, ..self.extent };
        let side = |array: Option<Arc<Array>>, memory: &PitchedPointer, at: Position| match array {
            Some(array) => array.place([at.x.wrapping_mul(texel), at.y, at.z], extent),
            None => place(memory, at),
        };
        Ok(Copy {
            to: side(to_array, &self.to, self.to_position)?,
            from: side(from_array, &self.from, self.from_position)?,
            extent,
            direction: self.direction,
        })
    }
}

api! {
    "hip_4.2" fn hipMemcpy also "hip_5.2" hipMemcpy_spt(to: Address, from: Address, bytes: usize, direction: Direction) {
        line(to, from, bytes, direction).run_now()
    }

    "hip_4.2" fn hipMemcpyAsync also "hip_5.2" hipMemcpyAsync_spt(
        to: Address,
        from: Address,
        bytes: usize,
        direction: Direction,
        stream: Address,
    ) {
        submit(stream, Operation::Copy(line(to, from, bytes, direction)))
    }

    "hip_4.2" fn hipMemcpyWithStream(
        to: Address,
        from: Address,
        bytes: usize,
        direction: Direction,
        stream: Address,
    ) {
        run_now(stream, &Operation::Copy(line(to, from, bytes, direction)))
    }

    "hip_4.2" fn hipMemcpyHtoD(to: Address, from: Address, bytes: usize) {
        line(to, from, bytes, Direction::TO_DEVICE).run_now()
    }

    "hip_4.2" fn hipMemcpyDtoH(to: Address, from: Address, bytes: usize) {
        line(to, from, bytes, Direction::TO_HOST).run_now()
    }

    "hip_4.2" fn hipMemcpyDtoD(to: Address, from: Address, bytes: usize) {
        line(to, from, bytes, Direction::BETWEEN_DEVICES).run_now()
    }

    "hip_4.2" fn hipMemcpyHtoDAsync(to: Address, from: Address, bytes: usize, stream: Address) {
        submit(stream, Operation::Copy(line(to, from, bytes, Direction::TO_DEVICE)))
    }

    "hip_4.2" fn hipMemcpyDtoHAsync(to: Address, from: Address, bytes: usize, stream: Address) {
        submit(stream, Operation::Copy(line(to, from, bytes, Direction::TO_HOST)))
    }

    "hip_4.2" fn hipMemcpyDtoDAsync(to: Address, from: Address, bytes: usize, stream: Address) {
        submit(stream, Operation::Copy(line(to, from, bytes, Direction::BETWEEN_DEVICES)))
    }

    "hip_4.2" fn hipMemcpyPeer(to: Address, to_device: c_int, from: Address, from_device: c_int, bytes: usize) {
        check(to_device)?;
        check(from_device)?;
        line(to, from, bytes, Direction::BETWEEN_DEVICES).run_now()
    }

    "hip_4.2" fn hipMemcpyPeerAsync(
        to: Address,
        to_device: c_int,
        from: Address,
        from_device: c_int,
        bytes: usize,
        stream: Address,
    ) {
        check(to_device)?;
        check(from_device)?;
        submit(stream, Operation::Copy(line(to, from, bytes, Direction::BETWEEN_DEVICES)))
    }

    "hip_4.2" fn hipMemcpy2D also "hip_5.2" hipMemcpy2D_spt(
        to: Address,
        to_pitch: usize,
        from: Address,
        from_pitch: usize,
        width: usize,
        height: usize,
        direction: Direction,
    ) {
        rows(Place::rows(to, to_pitch), Place::rows(from, from_pitch), width, height, direction)?.run_now()
    }

    "hip_4.2" fn hipMemcpy2DAsync also "hip_5.3" hipMemcpy2DAsync_spt(
        to: Address,
        to_pitch: usize,
        from: Address,
        from_pitch: usize,
        width: usize,
        height: usize,
        direction: Direction,
        stream: Address,
    ) {
        let copy = rows(Place::rows(to, to_pitch), Place::rows(from, from_pitch), width, height, direction)?;
        submit(stream, Operation::Copy(copy))
    }

    "hip_4.2" fn hipMemcpy3D also "hip_5.2" hipMemcpy3D_spt(parameters: In<Parameters3D>) {
        parameters.get()?.copy()?.run_now()
    }

    "hip_4.2" fn hipMemcpy3DAsync also "hip_5.3" hipMemcpy3DAsync_spt(parameters: In<Parameters3D>, stream: Address) {
        submit(stream, Operation::Copy(parameters.get()?.copy()?))
    }
}

impl Copy {
    /// Makes a copy that the caller waits for, in the default stream.
    pub(crate) fn run_now(self) -> Result<(), Error> {
        run_now(Address::NULL, &Operation::Copy(self))
    }
}
