//! Instructions on images.

use super::bounds::check_global;
use super::texel::{self, Texel};
use crate::exec::launch::context::Context;
use crate::exec::launch::failure::Failure;
use crate::exec::number::half::F16;
use crate::exec::state::lanes::each;
use crate::exec::state::wave::Wave;
use crate::fault::FaultKind;
use crate::image::{Image, Sampler};
use crate::isa::{ADDRESSES_APART, COORDINATES, Encoding, Inst, LAYERS, Operand, SHORT_ADDRESSES, SHORT_DATA};
use crate::memory::access;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    /// A texel by whole coordinates.
    Load,
    Store,
    /// By coordinates, through a sampler.
    Sample,
    /// A texel of a line by its number.
    Element,
}

/// An instruction on an image, ready to run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ImageAccess {
    what: What,
    /// Rows of the address.
    address: [usize; 4],
    /// The row of bytes behind an element.
    vector_offset: Option<usize>,
    /// Two coordinates in each row, of 16 bits.
    short: bool,
    /// Two values in each row, halves.
    halves: bool,
    /// Whether a level stands behind the coordinates.
    names_level: bool,
    /// The shape and the layers that the coordinates are for, as in the flags of the instruction.
    view: u8,
    /// First row of the values.
    data: usize,
    /// A bit for each channel.
    channels: u32,
    resource: Operand,
    sampler: Operand,
    offset: u32,
    scalar_offset: Operand,
}

impl ImageAccess {
    /// Reads what the instruction does; `None` if it is not known.
    pub(crate) fn new(inst: &Inst) -> Option<ImageAccess> {
        let row = |operand: Operand| operand.row().map(usize::from);
        if inst.entry.encoding == Encoding::Mubuf {
            let channels = match inst.entry.base.strip_prefix("buffer_load_format_")? {
                "x" => 1,
                "xy" => 3,
                "xyz" => 7,
                "xyzw" => 15,
                _ => return None,
            };
            // An index, and perhaps an offset behind it; not to LDS.
            if !matches!(inst.flags, 2 | 3) {
                return None;
            }
            let first = row(inst.src[0])?;
            return Some(ImageAccess {
                what: What::Element,
                address: [first; 4],
                vector_offset: (inst.flags == 3).then_some(first + 1),
                short: false,
                halves: false,
                names_level: false,
                view: 0,
                data: row(inst.src[1])?,
                channels,
                resource: inst.sdst,
                sampler: Operand::NULL,
                offset: inst.imm.cast_unsigned() & 0xfff,
                scalar_offset: inst.src[2],
            });
        }
        let what = match inst.entry.base {
            "image_load" | "image_load_mip" => What::Load,
            "image_store" | "image_store_mip" => What::Store,
            "image_sample" | "image_sample_l" | "image_sample_lz" => What::Sample,
            _ => return None,
        };
        let first = row(inst.src[0])?;
        let others = inst.literal.to_le_bytes().map(usize::from);
        let apart = inst.flags & ADDRESSES_APART != 0;
        let address = if apart { [first, others[0], others[1], others[2]] } else { [0, 1, 2, 3].map(|at| first + at) };
        Some(ImageAccess {
            what,
            address,
            vector_offset: None,
            short: inst.flags & SHORT_ADDRESSES != 0,
            halves: inst.flags & SHORT_DATA != 0,
            names_level: inst.entry.base.ends_with("_mip"),
            view: inst.flags,
            data: row(inst.dst)?,
            channels: inst.imm.cast_unsigned() & 15,
            resource: inst.src[1],
            sampler: inst.src[2],
            offset: 0,
            scalar_offset: Operand::ZERO,
        })
    }
}

/// Runs one instruction.
pub(crate) fn run(wave: &mut Wave, op: &ImageAccess, context: &mut Context) -> Result<(), Failure> {
    let words: [u32; 8] = std::array::from_fn(|at| wave.scalars.get(Operand(op.resource.0 + at as u16)));
    let image = if op.what == What::Element {
        Image::read_line([words[0], words[1], words[2], words[3]])
    } else {
        Image::read(words)
    };
    let Some(image) = image else {
        return Err(FaultKind::Service("an image whose description was not made by this runtime".to_owned()).into());
    };
    if op.halves && image.channel.is_integer() {
        return Err(FaultKind::Service("integers of 16 bits in an instruction on an image".to_owned()).into());
    }
    let sampler = Sampler::read(std::array::from_fn(|at| wave.scalars.get(Operand(op.sampler.0 + at as u16))));
    for lane in each(wave.scalars.exec()) {
        if op.names_level {
            check_level(wave, op, &image, lane)?;
        }
        match op.what {
            What::Store => store(wave, op, &image, lane, context)?,
            What::Load => {
                let texel = match whole(wave, op, &image, lane) {
                    Some(at) => load(wave, &image, at, lane, context)?,
                    None => [0; 4],
                };
                give(wave, op, lane, texel);
            }
            What::Sample => {
                let texel = sample(wave, op, (&image, &sampler), lane, context)?;
                give(wave, op, lane, texel);
            }
            What::Element => {
                let texel = element(wave, op, &image, lane, context)?;
                give(wave, op, lane, texel);
            }
        }
    }
    Ok(())
}

/// Puts the wanted channels into registers.
fn give(wave: &mut Wave, op: &ImageAccess, lane: usize, texel: Texel) {
    let wanted = (0..4).filter(|channel| op.channels >> channel & 1 != 0).map(|channel| texel[channel]);
    if !op.halves {
        for (row, value) in (op.data..).zip(wanted) {
            wave.rows.set_lane(row, lane, value);
        }
        return;
    }
    let mut rows = [0; 2];
    for (number, value) in wanted.enumerate() {
        rows[number / 2] |= u32::from(F16::nearest(f32::from_bits(value)).0) << (16 * (number % 2));
    }
    for (at, row) in rows.into_iter().enumerate().take(op.channels.count_ones().div_ceil(2) as usize) {
        wave.rows.set_lane(op.data + at, lane, row);
    }
}

/// The channels that are to be stored, out of registers.
fn taken(wave: &Wave, op: &ImageAccess, lane: usize) -> Texel {
    let mut texel = [0; 4];
    let wanted = (0..4_usize).filter(|channel| op.channels >> channel & 1 != 0);
    for (number, channel) in wanted.enumerate() {
        texel[channel] = if op.halves {
            let pair = wave.rows.lane(op.data + number / 2, lane);
            F16((pair >> (16 * (number % 2))) as u16).single().to_bits()
        } else {
            wave.rows.lane(op.data + number, lane)
        };
    }
    texel
}

/// A component of a lane's address: a whole number.
fn coordinate(wave: &Wave, op: &ImageAccess, number: usize, lane: usize) -> u32 {
    if op.short {
        let pair = wave.rows.lane(op.address[number / 2], lane);
        return pair >> (16 * (number % 2)) & 0xffff;
    }
    wave.rows.lane(op.address[number], lane)
}

/// The same as a float.
fn float_coordinate(wave: &Wave, op: &ImageAccess, number: usize, lane: usize) -> f32 {
    let bits = coordinate(wave, op, number, lane);
    if op.short { F16(bits as u16).single() } else { f32::from_bits(bits) }
}

/// Stops at a level that is not there: images have one. The level stands behind the coordinates, of which gfx10 and later tell the
/// number, and a layer.
fn check_level(wave: &Wave, op: &ImageAccess, image: &Image, lane: usize) -> Result<(), Failure> {
    let of_view = COORDINATES[usize::from(op.view >> 1 & 7)];
    let of_image = image.shape.dimensions() + usize::from(op.view & LAYERS != 0);
    match coordinate(wave, op, of_view.max(of_image), lane) {
        0 => Ok(()),
        level => Err(FaultKind::Service(format!("level {level} of an image that has one")).into()),
    }
}

/// Whole coordinates, if they are those of a texel.
fn whole(wave: &Wave, op: &ImageAccess, image: &Image, lane: usize) -> Option<[u32; 3]> {
    let mut at = [0; 3];
    let dimensions = image.shape.dimensions();
    for (dimension, place) in at.iter_mut().enumerate().take(dimensions) {
        *place = coordinate(wave, op, dimension, lane);
    }
    if image.shape.has_layers() {
        at[2] = coordinate(wave, op, dimensions, lane);
    }
    at.iter().zip(image.extent).all(|(place, size)| *place < size).then_some(at)
}

/// The address of a texel, which has been found to lie in memory.
fn address(
    wave: &mut Wave,
    image: &Image,
    [x, y, z]: [u32; 3],
    lane: usize,
    (context, write): (&Context, bool),
) -> Result<u64, Failure> {
    let offset = u64::from(x) * u64::from(image.texel())
        + u64::from(y) * u64::from(image.row)
        + u64::from(z) * u64::from(image.slice);
    let address = image.base.wrapping_add(offset);
    check_global(wave, context, Some(1 << lane), (address, image.texel()), write)?;
    Ok(address)
}

fn load(wave: &mut Wave, image: &Image, at: [u32; 3], lane: usize, context: &Context) -> Result<Texel, Failure> {
    let address = address(wave, image, at, lane, (context, false))?;
    let mut bytes = [0; 16];
    let bytes = &mut bytes[..image.texel() as usize];
    access::read_bytes(address, bytes);
    Ok(texel::decode(image, bytes))
}

fn store(wave: &mut Wave, op: &ImageAccess, image: &Image, lane: usize, context: &mut Context) -> Result<(), Failure> {
    // Beyond the border nothing is written.
    let Some(at) = whole(wave, op, image, lane) else { return Ok(()) };
    let address = address(wave, image, at, lane, (context, true))?;
    let (bytes, size) = texel::encode(image, taken(wave, op, lane));
    let mut before = [0; 16];
    access::read_bytes(address, &mut before[..size]);
    access::write_bytes(address, &bytes[..size]);
    context.note_change(before[..size] != bytes[..size]);
    Ok(())
}

/// A texel of a line; zero beyond its end.
fn element(wave: &mut Wave, op: &ImageAccess, image: &Image, lane: usize, context: &Context) -> Result<Texel, Failure> {
    let number = coordinate(wave, op, 0, lane);
    if number >= image.extent[0] {
        return Ok([0; 4]);
    }
    let own = op.vector_offset.map_or(0, |row| wave.rows.lane(row, lane));
    let offset = op.offset.wrapping_add(own).wrapping_add(wave.scalar32(op.scalar_offset, 0));
    let image = Image { base: image.base.wrapping_add(u64::from(offset)), ..*image };
    load(wave, &image, [number, 0, 0], lane, context)
}

fn sample(
    wave: &mut Wave,
    op: &ImageAccess,
    (image, sampler): (&Image, &Sampler),
    lane: usize,
    context: &Context,
) -> Result<Texel, Failure> {
    // Integers are not mixed.
    let sampler = &Sampler { linear: sampler.linear && !image.channel.is_integer(), ..*sampler };
    let dimensions = image.shape.dimensions();
    let float = |wave: &Wave, number| float_coordinate(wave, op, number, lane);
    let mut places = [[(Some(0), 256), (None, 0)]; 3];
    for (dimension, place) in places.iter_mut().enumerate().take(dimensions) {
        *place = texel::along(float(wave, dimension), image.extent[dimension], sampler, dimension);
    }
    if image.shape.has_layers() {
        places[2][0].0 = Some(texel::layer(float(wave, dimensions), image.extent[2]));
    }
    let mut sum = [0_f32; 4];
    for number in 0..8_usize {
        let picked: [(Option<u32>, u32); 3] =
            std::array::from_fn(|dimension| places[dimension][number >> dimension & 1]);
        let weight: u32 = picked.iter().map(|(_, weight)| weight).product();
        if weight == 0 {
            continue;
        }
        let found = match picked.map(|(place, _)| place) {
            [Some(x), Some(y), Some(z)] => load(wave, image, [x, y, z], lane, context)?,
            _ => colour(wave, image, sampler, context)?,
        };
        if weight == 1 << 24 {
            return Ok(found);
        }
        for (sum, value) in sum.iter_mut().zip(found) {
            *sum += f32::from_bits(value) * (weight as f32 / (1 << 24) as f32);
        }
    }
    Ok(sum.map(f32::to_bits))
}

/// The colour of the border.
fn colour(wave: &mut Wave, image: &Image, sampler: &Sampler, context: &Context) -> Result<Texel, Failure> {
    let address = sampler.colour;
    check_global(wave, context, None, (address, 16), false)?;
    let value = |at: u32| access::load_u32(address + 4 * u64::from(at));
    let as_format = |bits: u32| if image.channel.is_integer() { f32::from_bits(bits) as i32 as u32 } else { bits };
    Ok([0, 1, 2, 3].map(|at| as_format(value(at))))
}
