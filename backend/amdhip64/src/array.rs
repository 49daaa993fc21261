//! Arrays: memory for textures and surfaces, in rows that start at multiples of 256 bytes.

use std::ffi::c_uint;

use hipshift_emulator::image::{Channel, Image, Shape};
use hipshift_emulator::memory::Kind;

use crate::abi::{Address, In, Out};
use crate::allocation::{allocate, free};
use crate::call::api;
use crate::channel::ChannelFormat;
use crate::error::Error;
use crate::handles::Handles;
use crate::region::{Extent, Place};
use crate::runtime::gpu;
use crate::schedule::settle;

/// Rows start at multiples of this many bytes.
const PITCH: usize = 256;
/// `hipArrayLayered`.
const LAYERED: c_uint = 1;
/// Flags that change nothing here: surfaces can be made of every array (2), gather (8).
const HARMLESS: c_uint = 2 | 8;
/// The largest extents that descriptions of images can hold.
const LARGEST: [usize; 3] = [1 << 16, 1 << 14, 1 << 13];

/// An array.
pub(crate) struct Array {
    pub(crate) format: ChannelFormat,
    /// In texels; 0 for dimensions that it does not have.
    pub(crate) extent: Extent,
    flags: c_uint,
    pub(crate) image: Image,
}

pub(crate) static ARRAYS: Handles<Array> = Handles::new("an array");

impl Array {
    fn new(format: ChannelFormat, extent: Extent, flags: c_uint) -> Result<Array, Error> {
        let (channel, channels) = format.channels(false)?;
        let size = [extent.width, extent.height.max(1), extent.depth.max(1)];
        let fits = size.iter().zip(LARGEST).all(|(size, largest)| *size <= largest);
        if extent.width == 0 || !fits || flags & !(LAYERED | HARMLESS) != 0 {
            return Err(Error::InvalidValue);
        }
        let shape = match (flags & LAYERED != 0, extent.height, extent.depth) {
            (true, 0, 1..) => Shape::Lines,
            (true, _, 1..) => Shape::Planes,
            (false, 0, 0) => Shape::Line,
            (false, _, 0) => Shape::Plane,
            (false, 1.., _) => Shape::Volume,
            _ => return Err(Error::InvalidValue),
        };
        let texel = channel.bytes() as usize * channels as usize;
        let row = (size[0] * texel).next_multiple_of(PITCH);
        let slice = row * size[1];
        let narrow = |size: usize| u32::try_from(size).map_err(|_| Error::InvalidValue);
        let (row_bytes, slice_bytes) = (narrow(row)?, narrow(slice)?);
        let base = allocate(slice * size[2], Kind::Device)?;
        // What surfaces write is not followed.
        gpu().device.memory().note_written(base.get(), (slice * size[2]) as u64);
        let extents = [narrow(size[0])?, narrow(size[1])?, narrow(size[2])?];
        let image =
            Image { base: base.get(), extent: extents, row: row_bytes, slice: slice_bytes, shape, channel, channels };
        Ok(Array { format, extent, flags, image })
    }

    /// Bytes of a texel.
    pub(crate) fn texel(&self) -> usize {
        self.image.texel() as usize
    }

    /// A place in the array: bytes from the start of a row, row, slice. Fails if `width` bytes, and so many rows and slices,
    /// do not fit behind it.
    pub(crate) fn place(&self, at: [usize; 3], extent: Extent) -> Result<Place, Error> {
        let [width, rows, slices] = self.image.extent.map(|size| size as usize);
        let sizes = [(extent.width, width * self.texel()), (extent.height, rows), (extent.depth, slices)];
        let fits = at.iter().zip(sizes).all(|(at, (size, most))| at.checked_add(size).is_some_and(|end| end <= most));
        if !fits {
            return Err(Error::InvalidValue);
        }
        let (row, slice) = (self.image.row as usize, self.image.slice as usize);
        let offset = at[0] + at[1] * row + at[2] * slice;
        Ok(Place { address: Address::new(self.image.base + offset as u64), row, slice })
    }
}

/// Makes an array and hands its handle over.
fn create(out: Out<Address>, format: ChannelFormat, extent: Extent, flags: c_uint) -> Result<(), Error> {
    out.check()?;
    out.set(ARRAYS.insert(Array::new(format, extent, flags)?))
}

fn destroy(handle: Address) -> Result<(), Error> {
    if handle.is_null() {
        return Err(Error::InvalidValue);
    }
    let array = ARRAYS.remove(handle)?;
    settle();
    free(Address::new(array.image.base))
}

/// `HIP_ARRAY_DESCRIPTOR`.
#[derive(Clone, Copy)]
#[repr(C)]
struct Description {
    width: usize,
    height: usize,
    format: c_uint,
    channels: c_uint,
}

/// `HIP_ARRAY3D_DESCRIPTOR`.
#[derive(Clone, Copy)]
#[repr(C)]
struct Description3D {
    width: usize,
    height: usize,
    depth: usize,
    format: c_uint,
    channels: c_uint,
    flags: c_uint,
}

/// The format of so many channels of an `hipArray_Format`.
fn format(format: c_uint, channels: c_uint) -> Result<ChannelFormat, Error> {
    // hipChannelFormatKindSigned 0, Unsigned 1, Float 2.
    let (bits, kind) = match format {
        0x01 => (8, 1),
        0x02 => (16, 1),
        0x03 => (32, 1),
        0x08 => (8, 0),
        0x09 => (16, 0),
        0x0a => (32, 0),
        0x10 => (16, 2),
        0x20 => (32, 2),
        _ => return Err(Error::InvalidValue),
    };
    if !matches!(channels, 1 | 2 | 4) {
        return Err(Error::InvalidValue);
    }
    Ok(ChannelFormat { bits: [0, 1, 2, 3].map(|number| if number < channels { bits } else { 0 }), kind })
}

/// The `hipArray_Format` of an array.
fn word(channel: Channel) -> c_uint {
    match channel {
        Channel::Uint8 | Channel::Unorm8 => 0x01,
        Channel::Uint16 | Channel::Unorm16 => 0x02,
        Channel::Uint32 => 0x03,
        Channel::Sint8 | Channel::Snorm8 => 0x08,
        Channel::Sint16 | Channel::Snorm16 => 0x09,
        Channel::Sint32 => 0x0a,
        Channel::Half => 0x10,
        Channel::Float => 0x20,
    }
}

api! {
    "hip_4.2" fn hipMallocArray(array: Out<Address>, format: In<ChannelFormat>, width: usize, height: usize, flags: c_uint) {
        create(array, format.get()?, Extent { width, height, depth: 0 }, flags)
    }

    "hip_4.2" fn hipMalloc3DArray(array: Out<Address>, format: In<ChannelFormat>, extent: Extent, flags: c_uint) {
        create(array, format.get()?, extent, flags)
    }

    "hip_4.2" fn hipArrayCreate(array: Out<Address>, description: In<Description>) {
        let Description { width, height, format: word, channels } = description.get()?;
        create(array, format(word, channels)?, Extent { width, height, depth: 0 }, 0)
    }

    "hip_4.2" fn hipArray3DCreate(array: Out<Address>, description: In<Description3D>) {
        let Description3D { width, height, depth, format: word, channels, flags } = description.get()?;
        create(array, format(word, channels)?, Extent { width, height, depth }, flags)
    }

    "hip_4.2" fn hipFreeArray(array: Address) { destroy(array) }

    "hip_4.3" fn hipArrayDestroy(array: Address) { destroy(array) }

    "hip_4.2" fn hipGetChannelDesc(format: Out<ChannelFormat>, array: Address) { format.set(ARRAYS.get(array)?.format) }

    "hip_5.6" fn hipArrayGetInfo(format: Out<ChannelFormat>, extent: Out<Extent>, flags: Out<c_uint>, array: Address) {
        let array = ARRAYS.get(array)?;
        format.set_if_wanted(array.format);
        extent.set_if_wanted(array.extent);
        flags.set_if_wanted(array.flags);
        Ok(())
    }

    "hip_5.6" fn hipArrayGetDescriptor(description: Out<Description>, array: Address) {
        let array = ARRAYS.get(array)?;
        let Extent { width, height, .. } = array.extent;
        let (format, channels) = (word(array.image.channel), array.image.channels);
        description.set(Description { width, height, format, channels })
    }

    "hip_5.6" fn hipArray3DGetDescriptor(description: Out<Description3D>, array: Address) {
        let array = ARRAYS.get(array)?;
        let Extent { width, height, depth } = array.extent;
        let (format, channels) = (word(array.image.channel), array.image.channels);
        description.set(Description3D { width, height, depth, format, channels, flags: array.flags })
    }
}
