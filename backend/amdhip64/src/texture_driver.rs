//! Textures by the descriptions of the driver's interface: `HIP_RESOURCE_DESC` and `HIP_TEXTURE_DESC`.
//!
//! Source of the layouts: HIP 7.2, `hip/driver_types.h`. What the flags mean: NVIDIA, "CUDA Driver API", `cuTexObjectCreate`,
//! whose names HIP took over.

use std::ffi::{c_int, c_uint};

use crate::abi::{Address, In, Out};
use crate::array::ARRAYS;
use crate::call::api;
use crate::channel::ChannelFormat;
use crate::error::Error;
use crate::texture::{
    ARRAY, Description, Resource, create_texture, description_of, destroy, resource_of, without_view,
};

/// `HIP_RESOURCE_DESC`: a kind, and the members of the largest of its variants.
#[derive(Clone, Copy)]
#[repr(C)]
struct DriverResource {
    kind: c_uint,
    padding: c_uint,
    /// An array, or memory.
    address: Address,
    format: c_uint,
    channels: c_uint,
    /// Bytes of linear memory; width of memory in rows.
    width: usize,
    height: usize,
    pitch: usize,
    reserved: [u64; 11],
    flags: c_uint,
    padding_behind: c_uint,
}

/// `HIP_TEXTURE_DESC`
#[derive(Clone, Copy)]
#[repr(C)]
struct DriverDescription {
    borders: [c_uint; 3],
    filter: c_uint,
    flags: c_uint,
    anisotropy: c_uint,
    level_filter: c_uint,
    level_bias: f32,
    level_least: f32,
    level_most: f32,
    colour: [f32; 4],
    reserved: [c_int; 12],
}

/// Flags: integers are read as such and not as fractions, coordinates go from 0 to 1, colours are converted.
const AS_INTEGER: c_uint = 1;
const NORMALIZED: c_uint = 2;
const SRGB: c_uint = 16;

/// `hipArray_Format` with bits and kind of a channel: 0 signed, 1 unsigned, 2 floating point.
const FORMATS: [(c_uint, c_int, c_uint); 8] =
    [(1, 8, 1), (2, 16, 1), (3, 32, 1), (8, 8, 0), (9, 16, 0), (10, 32, 0), (16, 16, 2), (32, 32, 2)];

impl DriverResource {
    fn resource(&self) -> Result<Resource, Error> {
        if self.flags != 0 {
            return Err(Error::InvalidValue);
        }
        let format = if self.kind == ARRAY {
            ARRAYS.get(self.address)?.format
        } else {
            let known = FORMATS.iter().find(|(format, ..)| *format == self.format);
            let (_, bits, kind) = known.ok_or(Error::InvalidValue)?;
            let count = usize::try_from(self.channels).map_err(|_| Error::InvalidValue)?;
            ChannelFormat { bits: std::array::from_fn(|at| if at < count { *bits } else { 0 }), kind: *kind }
        };
        let (kind, address) = (self.kind, self.address);
        Ok(Resource { kind, address, format, width: self.width, height: self.height, pitch: self.pitch })
    }

    fn of(resource: &Resource) -> DriverResource {
        let ChannelFormat { bits, kind } = resource.format;
        let known = FORMATS.iter().find(|(_, width, what)| *width == bits[0] && *what == kind);
        let is_array = resource.kind == ARRAY;
        let channels = bits.iter().map(|bits| c_uint::from(*bits > 0)).sum();
        DriverResource {
            kind: resource.kind,
            padding: 0,
            address: resource.address,
            format: if is_array { 0 } else { known.map_or(0, |(format, ..)| *format) },
            channels: if is_array { 0 } else { channels },
            width: resource.width,
            height: resource.height,
            pitch: resource.pitch,
            reserved: [0; 11],
            flags: 0,
            padding_behind: 0,
        }
    }
}

impl DriverDescription {
    fn description(&self, format: ChannelFormat) -> Description {
        // Integers of 32 bits are none, whatever the flag says.
        let are_fractions = format.kind != 2 && format.bits[0] < 32 && self.flags & AS_INTEGER == 0;
        Description {
            borders: self.borders,
            filter: self.filter,
            read: c_uint::from(are_fractions),
            srgb: c_int::from(self.flags & SRGB != 0),
            colour: self.colour,
            normalized: c_int::from(self.flags & NORMALIZED != 0),
            anisotropy: self.anisotropy,
            level_filter: self.level_filter,
            level_bias: self.level_bias,
            level_least: self.level_least,
            level_most: self.level_most,
        }
    }

    fn of(description: &Description, format: ChannelFormat) -> DriverDescription {
        let flag = |is_set: bool, flag: c_uint| if is_set { flag } else { 0 };
        let flags = flag(format.kind != 2 && description.read == 0, AS_INTEGER)
            | flag(description.normalized != 0, NORMALIZED)
            | flag(description.srgb != 0, SRGB);
        DriverDescription {
            borders: description.borders,
            filter: description.filter,
            flags,
            anisotropy: description.anisotropy,
            level_filter: description.level_filter,
            level_bias: description.level_bias,
            level_least: description.level_least,
            level_most: description.level_most,
            colour: description.colour,
            reserved: [0; 12],
        }
    }
}

api! {
    "hip_4.2" fn hipTexObjectCreate(
        object: Out<Address>, resource: In<DriverResource>, description: In<DriverDescription>, view: Address,
    ) {
        object.check()?;
        without_view(view)?;
        let resource = resource.get()?.resource()?;
        object.set(create_texture(resource, description.get()?.description(resource.format))?)
    }

    "hip_4.2" fn hipTexObjectDestroy(object: Address) { destroy(object) }

    "hip_4.2" fn hipTexObjectGetResourceDesc(resource: Out<DriverResource>, object: Address) {
        resource.set(DriverResource::of(&resource_of(object)?))
    }

    "hip_4.2" fn hipTexObjectGetTextureDesc(description: Out<DriverDescription>, object: Address) {
        let format = resource_of(object)?.format;
        description.set(DriverDescription::of(&description_of(object)?, format))
    }
}

#[cfg(test)]
mod tests {
    use std::mem::{offset_of, size_of};

    use super::*;

    #[test]
    fn the_layouts_are_those_of_hip() {
        assert_eq!((size_of::<DriverResource>(), size_of::<DriverDescription>()), (144, 104));
        assert_eq!((offset_of!(DriverResource, pitch), offset_of!(DriverResource, flags)), (40, 136));
        assert_eq!(offset_of!(DriverDescription, colour), 40);
    }
}
