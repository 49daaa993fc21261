//! Textures and surfaces: objects that kernels read descriptions of images and samplers from.

use std::collections::HashMap;
use std::ffi::{c_int, c_uint};
use std::sync::{LazyLock, Mutex};

use hipshift_emulator::image::{Border, Image, Sampler, Shape};
use hipshift_emulator::memory::Kind;

use crate::abi::{Address, In, Out};
use crate::array::ARRAYS;
use crate::call::api;
use crate::call::inquiry;
use crate::channel::ChannelFormat;
use crate::error::Error;
use crate::lock::lock;
use crate::misuse::misuse;
use crate::runtime::gpu;
use crate::schedule::settle;

/// `hipResourceDesc`: a kind, and the members of the largest of its variants.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Resource {
    pub(crate) kind: c_uint,
    /// An array, or memory.
    pub(crate) address: Address,
    pub(crate) format: ChannelFormat,
    /// Bytes of linear memory; width of memory in rows.
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) pitch: usize,
}

/// Kinds of resources.
pub(crate) const ARRAY: c_uint = 0;
pub(crate) const LINEAR: c_uint = 2;
pub(crate) const ROWS: c_uint = 3;

/// `hipTextureDesc`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Description {
    pub(crate) borders: [c_uint; 3],
    pub(crate) filter: c_uint,
    pub(crate) read: c_uint,
    pub(crate) srgb: c_int,
    pub(crate) colour: [f32; 4],
    pub(crate) normalized: c_int,
    pub(crate) anisotropy: c_uint,
    pub(crate) level_filter: c_uint,
    pub(crate) level_bias: f32,
    pub(crate) level_least: f32,
    pub(crate) level_most: f32,
}

/// Words of an image, of a sampler with what is behind it, and of the colour of the border, in an object.
const IMAGE_WORDS: usize = 12;
const SAMPLER_WORDS: usize = 8;
const COLOUR_WORDS: usize = 4;

struct Texture {
    resource: Resource,
    /// `None` for a surface.
    description: Option<Description>,
}

/// Textures and surfaces by their addresses.
static OBJECTS: LazyLock<Mutex<HashMap<Address, Texture>>> = LazyLock::new(Mutex::default);

/// Fails for targets without images.
fn needs_images() -> Result<(), Error> {
    let generation = gpu().device.target().processor.generation;
    if generation.is_gfx940_or_later() { Err(Error::NotSupported) } else { Ok(()) }
}

/// The words of an image for kernels.
fn image_words(resource: &Resource, normalized: bool) -> Result<[u32; IMAGE_WORDS], Error> {
    if resource.kind == ARRAY {
        let array = ARRAYS.get(resource.address)?;
        let (channel, _) = array.format.channels(normalized)?;
        return Ok(Image { channel, ..array.image }.words());
    }
    let (channel, channels) = resource.format.channels(normalized)?;
    let texel = (channel.bytes() * channels) as usize;
    let narrow = |size: usize| u32::try_from(size).map_err(|_| Error::InvalidValue);
    let base = resource.address.get();
    match resource.kind {
        LINEAR => {
            crate::region::check(resource.address, resource.width, true)?;
            let extent = [narrow(resource.width / texel)?, 1, 1];
            Ok(Image { base, extent, row: 0, slice: 0, shape: Shape::Line, channel, channels }.line_words())
        }
        ROWS => {
            let bytes = resource.pitch.checked_mul(resource.height.saturating_sub(1)).ok_or(Error::InvalidValue)?;
            crate::region::check(resource.address, bytes + resource.width * texel, true)?;
            let (extent, row) = ([narrow(resource.width)?, narrow(resource.height)?, 1], narrow(resource.pitch)?);
            if resource.height == 0 || resource.height > 1 << 14 || resource.width * texel > resource.pitch {
                return Err(Error::InvalidValue);
            }
            Ok(Image { base, extent, row, slice: 0, shape: Shape::Plane, channel, channels }.words())
        }
        _ => Err(Error::NotSupported),
    }
}

fn sampler(description: &Description, colour: u64) -> Sampler {
    let normalized = description.normalized != 0;
    let border = |mode: c_uint| match mode {
        // Repetition needs coordinates from 0 to 1.
        0 if normalized => Border::Wrap,
        2 if normalized => Border::Mirror,
        3 => Border::Colour,
        _ => Border::Clamp,
    };
    Sampler { borders: description.borders.map(border), normalized, linear: description.filter == 1, colour }
}

/// Puts an object of some words into memory of the device.
fn place(words: usize, fill: impl FnOnce(u64) -> Vec<u32>) -> Result<Address, Error> {
    let address = gpu().device.memory().allocate(4 * words as u64, 256, Kind::Runtime);
    let address = address.map_err(|_| Error::OutOfMemory)?;
    let content = fill(address);
    let target: *mut u32 = Address::new(address).pointer().cast();
    for (at, word) in content.into_iter().take(words).enumerate() {
        // SAFETY: the memory was just allocated for so many words, at a multiple of 256.
        unsafe { target.add(at).write(word) };
    }
    Ok(Address::new(address))
}

/// Fails where a texture is to show an array in another format.
pub(crate) fn without_view(view: Address) -> Result<(), Error> {
    if view.is_null() { Ok(()) } else { Err(Error::NotSupported) }
}

/// Makes an object that kernels read an image by.
pub(crate) fn create_texture(resource: Resource, description: Description) -> Result<Address, Error> {
    needs_images()?;
    // Levels of detail and conversion of colours are not emulated.
    if description.srgb != 0 || description.filter > 1 || description.read > 1 {
        return Err(Error::NotSupported);
    }
    let image = image_words(&resource, description.read == 1)?;
    let address = place(IMAGE_WORDS + SAMPLER_WORDS + COLOUR_WORDS, |address| {
        let colour = address + 4 * (IMAGE_WORDS + SAMPLER_WORDS) as u64;
        let mut words = image.to_vec();
        words.extend(sampler(&description, colour).words());
        words.resize(IMAGE_WORDS + SAMPLER_WORDS, 0);
        words.extend(description.colour.map(f32::to_bits));
        words
    })?;
    lock(&OBJECTS).insert(address, Texture { resource, description: Some(description) });
    Ok(address)
}

fn create_surface(resource: Resource) -> Result<Address, Error> {
    needs_images()?;
    if resource.kind != ARRAY {
        return Err(Error::InvalidValue);
    }
    let image = image_words(&resource, false)?;
    let address = place(IMAGE_WORDS, |_| image.to_vec())?;
    lock(&OBJECTS).insert(address, Texture { resource, description: None });
    Ok(address)
}

pub(crate) fn destroy(object: Address) -> Result<(), Error> {
    if object.is_null() {
        return Ok(());
    }
    if lock(&OBJECTS).remove(&object).is_none() {
        misuse(&format!("{:#x} is destroyed as a texture or surface and is none", object.get()));
        return Err(Error::InvalidValue);
    }
    settle();
    gpu().device.memory().free(object.get()).map_err(|_| Error::InvalidValue)
}

/// A part of an object that is alive.
fn of<T>(object: Address, part: impl FnOnce(&Texture) -> Option<T>) -> Result<T, Error> {
    lock(&OBJECTS).get(&object).and_then(part).ok_or(Error::InvalidValue)
}

/// What a texture or surface shows.
pub(crate) fn resource_of(object: Address) -> Result<Resource, Error> {
    of(object, |texture| Some(texture.resource))
}

/// How a texture is read.
pub(crate) fn description_of(object: Address) -> Result<Description, Error> {
    of(object, |texture| texture.description)
}

inquiry! {
    "hip_4.2" fn hipCreateChannelDesc(x: c_int, y: c_int, z: c_int, w: c_int, kind: c_uint) -> ChannelFormat {
        ChannelFormat { bits: [x, y, z, w], kind }
    }
}

api! {
    "hip_4.2" fn hipCreateTextureObject(
        object: Out<Address>, resource: In<Resource>, description: In<Description>, view: Address,
    ) {
        object.check()?;
        without_view(view)?;
        object.set(create_texture(resource.get()?, description.get()?)?)
    }

    "hip_4.2" fn hipDestroyTextureObject(object: Address) { destroy(object) }

    "hip_4.2" fn hipGetTextureObjectResourceDesc(resource: Out<Resource>, object: Address) {
        resource.set(resource_of(object)?)
    }

    "hip_4.2" fn hipGetTextureObjectTextureDesc(description: Out<Description>, object: Address) {
        description.set(description_of(object)?)
    }

    "hip_4.2" fn hipCreateSurfaceObject(object: Out<Address>, resource: In<Resource>) {
        object.check()?;
        object.set(create_surface(resource.get()?)?)
    }

    "hip_4.2" fn hipDestroySurfaceObject(object: Address) { destroy(object) }
}
