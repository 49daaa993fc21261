//! Texels: how they are stored, which ones coordinates mean, and how they are mixed.

use crate::exec::number::half::F16;
use crate::image::{Border, Channel, Image, Sampler};

/// Bits behind the point of a coordinate, and of the weight of a neighbour.
const FRACTION: u32 = 8;

/// Four values of a texel, as bits: of floats, or of integers where the format has those.
pub(super) type Texel = [u32; 4];

/// A texel out of its bytes. Missing channels are 0, a missing last one is 1.
pub(super) fn decode(image: &Image, bytes: &[u8]) -> Texel {
    let one = if image.channel.is_integer() { 1 } else { 1_f32.to_bits() };
    let mut texel = [0, 0, 0, one];
    let size = image.channel.bytes() as usize;
    for (value, bytes) in texel.iter_mut().zip(bytes.chunks_exact(size)).take(image.channels as usize) {
        let mut word = [0; 4];
        word[..size].copy_from_slice(bytes);
        *value = value_of(image.channel, u32::from_le_bytes(word));
    }
    texel
}

fn value_of(channel: Channel, bits: u32) -> u32 {
    let signed = |width: u32| (bits << (32 - width)).cast_signed() >> (32 - width);
    let norm = |width: u32| (signed(width) as f32 / ((1 << (width - 1)) - 1) as f32).max(-1.0).to_bits();
    match channel {
        Channel::Snorm8 => norm(8),
        Channel::Snorm16 => norm(16),
        Channel::Unorm8 => (bits as f32 / 255.0).to_bits(),
        Channel::Unorm16 => (bits as f32 / 65535.0).to_bits(),
        Channel::Sint8 => signed(8).cast_unsigned(),
        Channel::Sint16 => signed(16).cast_unsigned(),
        Channel::Half => F16(bits as u16).single().to_bits(),
        _ => bits,
    }
}

/// The bytes of a texel.
pub(super) fn encode(image: &Image, texel: Texel) -> ([u8; 16], usize) {
    let size = image.channel.bytes() as usize;
    let mut bytes = [0; 16];
    for (value, place) in texel.into_iter().zip(bytes.chunks_exact_mut(size)).take(image.channels as usize) {
        place.copy_from_slice(&bits_of(image.channel, value).to_le_bytes()[..size]);
    }
    (bytes, size * image.channels as usize)
}

fn bits_of(channel: Channel, value: u32) -> u32 {
    let float = f32::from_bits(value);
    let scaled = |low: f32, most: f32| (float.clamp(low, 1.0) * most).round_ties_even();
    match channel {
        Channel::Snorm8 => (scaled(-1.0, 127.0) as i32).cast_unsigned(),
        Channel::Snorm16 => (scaled(-1.0, 32767.0) as i32).cast_unsigned(),
        Channel::Unorm8 => scaled(0.0, 255.0) as u32,
        Channel::Unorm16 => scaled(0.0, 65535.0) as u32,
        Channel::Half => u32::from(F16::nearest(float).0),
        _ => value,
    }
}

/// A coordinate as a number of texels with [`FRACTION`] bits behind the point.
fn fixed(coordinate: f32, size: u32, normalized: bool) -> i64 {
    let texels = f64::from(coordinate) * if normalized { f64::from(size) } else { 1.0 };
    (texels * f64::from(1 << FRACTION)).round() as i64
}

/// The texel of a number that may lie beyond the border; `None` for the border's colour.
fn place(number: i64, size: u32, border: Border) -> Option<u32> {
    let size = i64::from(size.max(1));
    let inside = match border {
        Border::Clamp => number.clamp(0, size - 1),
        Border::Wrap => number.rem_euclid(size),
        Border::Mirror => {
            let at = number.rem_euclid(2 * size);
            at.min(2 * size - 1 - at)
        }
        Border::Colour => number,
    };
    (0..size).contains(&inside).then_some(inside as u32)
}

/// The texels along one dimension that a coordinate means, each with its weight in parts of 256.
pub(super) fn along(coordinate: f32, size: u32, sampler: &Sampler, dimension: usize) -> [(Option<u32>, u32); 2] {
    let fixed = fixed(coordinate, size, sampler.normalized);
    let border = sampler.borders[dimension];
    if !sampler.linear {
        return [(place(fixed >> FRACTION, size, border), 1 << FRACTION), (None, 0)];
    }
    // The centre of a texel is half a texel behind its start.
    let from = fixed - (1 << (FRACTION - 1));
    let weight = (from & ((1 << FRACTION) - 1)) as u32;
    let first = from >> FRACTION;
    [(place(first, size, border), (1 << FRACTION) - weight), (place(first + 1, size, border), weight)]
}

/// The layer of a coordinate: the nearest there is.
pub(super) fn layer(coordinate: f32, layers: u32) -> u32 {
    coordinate.round_ties_even().clamp(0.0, layers.saturating_sub(1) as f32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sampler(border: Border, normalized: bool, linear: bool) -> Sampler {
        Sampler { borders: [border; 3], normalized, linear, colour: 0 }
    }

    #[test]
    fn borders_are_as_their_names_say() {
        let at = |number, border| place(number, 4, border);
        assert_eq!([-1, 0, 3, 4].map(|n| at(n, Border::Clamp)), [Some(0), Some(0), Some(3), Some(3)]);
        assert_eq!([-1, 0, 3, 5].map(|n| at(n, Border::Wrap)), [Some(3), Some(0), Some(3), Some(1)]);
        assert_eq!([-1, -2, 4, 7, 8].map(|n| at(n, Border::Mirror)), [Some(0), Some(1), Some(3), Some(0), Some(0)]);
        assert_eq!([-1, 0, 3, 4].map(|n| at(n, Border::Colour)), [None, Some(0), Some(3), None]);
    }

    #[test]
    fn neighbours_are_weighted_by_distance() {
        let linear = sampler(Border::Clamp, false, true);
        assert_eq!(along(1.5, 4, &linear, 0), [(Some(1), 256), (Some(2), 0)]);
        assert_eq!(along(2.0, 4, &linear, 0), [(Some(1), 128), (Some(2), 128)]);
        assert_eq!(along(0.25, 4, &linear, 0), [(Some(0), 64), (Some(0), 192)]);
        let normalized = sampler(Border::Wrap, true, false);
        assert_eq!(along(0.8, 5, &normalized, 0)[0], (Some(4), 256));
        assert_eq!(along(1.25, 4, &normalized, 0)[0], (Some(1), 256));
    }

    #[test]
    fn values_come_back_from_memory() {
        let image = |channel| Image {
            base: 0,
            extent: [1; 3],
            row: 0,
            slice: 0,
            shape: crate::image::Shape::Line,
            channel,
            channels: 2,
        };
        for (channel, values) in [
            (Channel::Unorm8, [1.0_f32, 51.0 / 255.0].map(f32::to_bits)),
            (Channel::Snorm16, [-1.0_f32, 1.0].map(f32::to_bits)),
            (Channel::Half, [0.5_f32, -2.25].map(f32::to_bits)),
            (Channel::Sint8, [(-7_i32).cast_unsigned(), 100]),
            (Channel::Uint32, [u32::MAX, 3]),
        ] {
            let image = image(channel);
            let (bytes, size) = encode(&image, [values[0], values[1], 9, 9]);
            assert_eq!(size, image.texel() as usize);
            assert_eq!(decode(&image, &bytes[..size])[..2], values, "{channel:?}");
        }
        assert_eq!(decode(&image(Channel::Float), &[0; 8])[2..], [0, 1_f32.to_bits()]);
    }
}
