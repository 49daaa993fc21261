//! `hipMemset` and its relatives.

use std::ffi::c_int;

use crate::abi::Address;
use crate::call::api;
use crate::error::Error;
use crate::memory::PitchedPointer;
use crate::operation::Operation;
use crate::region::{Extent, Fill, Place};
use crate::stream::{run_now, submit};

/// Puts a fill into a stream, or has the caller wait for it where the call names none.
fn put(fill: Fill, stream: Option<Address>) -> Result<(), Error> {
    let work = Operation::Fill(fill);
    match stream {
        Some(stream) => submit(stream, work),
        None => run_now(Address::NULL, &work),
    }
}

/// Fills `count` consecutive elements of `size` bytes.
fn line(to: Address, value: u32, size: usize, count: usize, stream: Option<Address>) -> Result<(), Error> {
    let bytes = count.checked_mul(size).ok_or(Error::InvalidValue)?;
    put(Fill { to: Place::line(to), extent: Extent::line(bytes), value, size }, stream)
}

/// Fills bytes of rows.
fn rows(to: Place, value: c_int, (width, height): (usize, usize), stream: Option<Address>) -> Result<(), Error> {
    let extent = Extent { width, height, depth: 1 };
    put(Fill { to, extent, value: value.cast_unsigned(), size: 1 }, stream)
}

/// Fills rows of elements, each of a value and a number of bytes.
fn elements(
    to: Place,
    (value, size): (u32, usize),
    (width, height): (usize, usize),
    stream: Option<Address>,
) -> Result<(), Error> {
    let width = width.checked_mul(size).ok_or(Error::InvalidValue)?;
    put(Fill { to, extent: Extent { width, height, depth: 1 }, value, size }, stream)
}

/// Fills bytes of slices.
fn slices(memory: PitchedPointer, value: c_int, extent: Extent, stream: Option<Address>) -> Result<(), Error> {
    let slice = memory.pitch.checked_mul(memory.height).ok_or(Error::InvalidValue)?;
    let to = Place { address: memory.address, row: memory.pitch, slice };
    put(Fill { to, extent, value: value.cast_unsigned(), size: 1 }, stream)
}

api! {
    "hip_4.2" fn hipMemset also "hip_5.2" hipMemset_spt(to: Address, value: c_int, bytes: usize) {
        line(to, value.cast_unsigned(), 1, bytes, None)
    }

    "hip_4.2" fn hipMemsetAsync also "hip_5.3" hipMemsetAsync_spt(
        to: Address,
        value: c_int,
        bytes: usize,
        stream: Address,
    ) {
        line(to, value.cast_unsigned(), 1, bytes, Some(stream))
    }

    "hip_4.2" fn hipMemsetD8(to: Address, value: u8, count: usize) { line(to, value.into(), 1, count, None) }

    "hip_4.2" fn hipMemsetD8Async(to: Address, value: u8, count: usize, stream: Address) {
        line(to, value.into(), 1, count, Some(stream))
    }

    "hip_4.2" fn hipMemsetD16(to: Address, value: u16, count: usize) { line(to, value.into(), 2, count, None) }

    "hip_4.2" fn hipMemsetD16Async(to: Address, value: u16, count: usize, stream: Address) {
        line(to, value.into(), 2, count, Some(stream))
    }

    "hip_4.2" fn hipMemsetD32(to: Address, value: c_int, count: usize) {
        line(to, value.cast_unsigned(), 4, count, None)
    }

    "hip_4.2" fn hipMemsetD32Async(to: Address, value: c_int, count: usize, stream: Address) {
        line(to, value.cast_unsigned(), 4, count, Some(stream))
    }

    "hip_4.2" fn hipMemset2D also "hip_5.2" hipMemset2D_spt(
        to: Address,
        pitch: usize,
        value: c_int,
        width: usize,
        height: usize,
    ) {
        rows(Place::rows(to, pitch), value, (width, height), None)
    }

    "hip_4.2" fn hipMemset2DAsync also "hip_5.3" hipMemset2DAsync_spt(
        to: Address,
        pitch: usize,
        value: c_int,
        width: usize,
        height: usize,
        stream: Address,
    ) {
        rows(Place::rows(to, pitch), value, (width, height), Some(stream))
    }

    "hip_4.2" fn hipMemset3D also "hip_5.2" hipMemset3D_spt(memory: PitchedPointer, value: c_int, extent: Extent) {
        slices(memory, value, extent, None)
    }

    "hip_4.2" fn hipMemset3DAsync also "hip_5.3" hipMemset3DAsync_spt(
        memory: PitchedPointer,
        value: c_int,
        extent: Extent,
        stream: Address,
    ) {
        slices(memory, value, extent, Some(stream))
    }

    "hip_7.1" fn hipMemsetD2D8(to: Address, pitch: usize, value: u8, width: usize, height: usize) {
        elements(Place::rows(to, pitch), (value.into(), 1), (width, height), None)
    }

    "hip_7.1" fn hipMemsetD2D8Async(
        to: Address, pitch: usize, value: u8, width: usize, height: usize, stream: Address,
    ) {
        elements(Place::rows(to, pitch), (value.into(), 1), (width, height), Some(stream))
    }

    "hip_7.1" fn hipMemsetD2D16(to: Address, pitch: usize, value: u16, width: usize, height: usize) {
        elements(Place::rows(to, pitch), (value.into(), 2), (width, height), None)
    }

    "hip_7.1" fn hipMemsetD2D16Async(
        to: Address, pitch: usize, value: u16, width: usize, height: usize, stream: Address,
    ) {
        elements(Place::rows(to, pitch), (value.into(), 2), (width, height), Some(stream))
    }

    "hip_7.1" fn hipMemsetD2D32(to: Address, pitch: usize, value: u32, width: usize, height: usize) {
        elements(Place::rows(to, pitch), (value, 4), (width, height), None)
    }

    "hip_7.1" fn hipMemsetD2D32Async(
        to: Address, pitch: usize, value: u32, width: usize, height: usize, stream: Address,
    ) {
        elements(Place::rows(to, pitch), (value, 4), (width, height), Some(stream))
    }
}
