//! Texture references: variables of type `texture<…>` that a program binds to memory.
//!
//! HIP keeps a `textureReference` on both sides. Binding makes a texture object as the reference's fields say, notes it in the
//! reference, and copies the reference to the device, where kernels read the object from it.
//! Source of the layout: HIP 7.2, `hip/texture_types.h` and `hip/driver_types.h`; of the functions' contracts:
//! HIP 7.2, "Texture Reference Management", and NVIDIA, "CUDA Runtime API" 11.8, `cudaBindTexture`.

use std::ffi::{c_int, c_uint};
use std::mem::offset_of;

use crate::abi::{Address, In, Out};
use crate::array::ARRAYS;
use crate::call::api;
use crate::channel::ChannelFormat;
use crate::error::Error;
use crate::registry::variable;
use crate::runtime::gpu;
use crate::schedule::settle;
use crate::texture::{ARRAY, Description, LINEAR, ROWS, Resource, create_texture, destroy};

/// What addresses of images are multiples of, as the properties of devices say (`textureAlignment`).
const ALIGNMENT: u64 = 256;

/// The size that callers pass who leave it out, `UINT_MAX`.
const LEFT_OUT: usize = 0xffff_ffff;

/// `textureReference`
#[derive(Clone, Copy)]
#[repr(C)]
struct Reference {
    normalized: c_int,
    read: c_uint,
    filter: c_uint,
    borders: [c_uint; 3],
    format: ChannelFormat,
    srgb: c_int,
    anisotropy: c_uint,
    level_filter: c_uint,
    level_bias: f32,
    level_least: f32,
    level_most: f32,
    object: Address,
    channels: c_int,
    array_format: c_uint,
}

impl Reference {
    fn description(&self) -> Description {
        Description {
            borders: self.borders,
            filter: self.filter,
            read: self.read,
            srgb: self.srgb,
            colour: [0.0; 4],
            normalized: self.normalized,
            anisotropy: self.anisotropy,
            level_filter: self.level_filter,
            level_bias: self.level_bias,
            level_least: self.level_least,
            level_most: self.level_most,
        }
    }
}

/// Notes an object in a reference, on both sides.
fn note(given: &In<Reference>, mut reference: Reference, object: Address) -> Result<(), Error> {
    let (on_device, bytes) = variable(given.address())?;
    if bytes < size_of::<Reference>() as u64 {
        return Err(Error::InvalidSymbol);
    }
    reference.object = object;
    let of_host = given.address().get() + offset_of!(Reference, object) as u64;
    Out::at(Address::new(of_host)).set(object)?;
    Out::at(on_device).set(reference)
}

/// Takes the object away that a reference has from before, once no kernel uses it.
fn release(given: &In<Reference>) -> Result<(), Error> {
    settle();
    let reference = given.get()?;
    note(given, reference, Address::NULL)?;
    destroy(reference.object)
}

fn bind(given: &In<Reference>, resource: Resource) -> Result<(), Error> {
    release(given)?;
    let reference = given.get()?;
    let object = create_texture(resource, reference.description())?;
    note(given, reference, object)
}

/// Where an image starts that shows memory from `address` on, and how many bytes before it, which are handed to the caller.
/// Without a place for them there must be none.
fn aligned(address: Address, rest: Out<usize>) -> Result<(Address, usize), Error> {
    if address.is_null() {
        return Err(Error::InvalidValue);
    }
    let before = address.get() % ALIGNMENT;
    let told = rest.set_if_wanted(before as usize);
    if before != 0 && !told {
        return Err(Error::InvalidValue);
    }
    Ok((Address::new(address.get() - before), before as usize))
}

/// Bytes from an address to the end of the allocation that it lies in.
fn rest_of_allocation(address: Address) -> Result<usize, Error> {
    let allocation = gpu().device.memory().find(address.get()).ok_or(Error::InvalidValue)?;
    usize::try_from(allocation.end() - address.get()).map_err(|_| Error::InvalidValue)
}

api! {
    "hip_4.2" fn hipBindTexture(
        rest: Out<usize>, texture: In<Reference>, address: Address, format: In<ChannelFormat>, bytes: usize,
    ) {
        let (address, before) = aligned(address, rest)?;
        let width = if bytes == LEFT_OUT { rest_of_allocation(address)? } else { bytes.saturating_add(before) };
        bind(&texture, Resource { kind: LINEAR, address, format: format.get()?, width, height: 0, pitch: 0 })
    }

    "hip_4.2" fn hipBindTexture2D(
        rest: Out<usize>, texture: In<Reference>, address: Address, format: In<ChannelFormat>, width: usize,
        height: usize, pitch: usize,
    ) {
        let (address, _) = aligned(address, rest)?;
        bind(&texture, Resource { kind: ROWS, address, format: format.get()?, width, height, pitch })
    }

    "hip_4.2" fn hipBindTextureToArray(texture: In<Reference>, array: Address, _format: In<ChannelFormat>) {
        let format = ARRAYS.get(array)?.format;
        bind(&texture, Resource { kind: ARRAY, address: array, format, width: 0, height: 0, pitch: 0 })
    }

    "hip_4.2" fn hipUnbindTexture(texture: In<Reference>) { release(&texture) }

    "hip_4.2" fn hipGetTextureReference(texture: Out<Address>, symbol: Address) {
        variable(symbol)?;
        texture.set(symbol)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_layout_is_that_of_hip() {
        assert_eq!(
            (size_of::<Reference>(), offset_of!(Reference, format), offset_of!(Reference, object)),
            (88, 24, 72)
        );
    }
}
