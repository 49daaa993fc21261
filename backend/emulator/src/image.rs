//! Images in memory, and the words that describe them to kernels.
//!
//! Kernels get an image as eight words and a sampler as four. Device libraries read some of their fields; those lie where
//! they read them: height and depth, the format of surfaces, the width, whether coordinates are normalised and whether
//! there is a filter. The other fields are read by the executor only, and have a layout of its own.

/// How the values of a channel are stored, numbered as in the runtime interface of HSA.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Channel {
    /// Signed bytes that are read as -1 to 1.
    Snorm8 = 0,
    /// Signed 16 bits that are read as -1 to 1.
    Snorm16 = 1,
    /// Bytes that are read as 0 to 1.
    Unorm8 = 2,
    /// 16 bits that are read as 0 to 1.
    Unorm16 = 3,
    /// Signed bytes.
    Sint8 = 8,
    /// Signed 16 bits.
    Sint16 = 9,
    /// Signed 32 bits.
    Sint32 = 10,
    /// Bytes.
    Uint8 = 11,
    /// 16 bits.
    Uint16 = 12,
    /// 32 bits.
    Uint32 = 13,
    /// Floats of 16 bits.
    Half = 14,
    /// Floats of 32 bits.
    Float = 15,
}

impl Channel {
    const ALL: [Channel; 12] = [
        Channel::Snorm8,
        Channel::Snorm16,
        Channel::Unorm8,
        Channel::Unorm16,
        Channel::Sint8,
        Channel::Sint16,
        Channel::Sint32,
        Channel::Uint8,
        Channel::Uint16,
        Channel::Uint32,
        Channel::Half,
        Channel::Float,
    ];

    /// Bytes of a value.
    pub fn bytes(self) -> u32 {
        match self {
            Channel::Snorm8 | Channel::Unorm8 | Channel::Sint8 | Channel::Uint8 => 1,
            Channel::Sint32 | Channel::Uint32 | Channel::Float => 4,
            _ => 2,
        }
    }

    /// Whether values are read as integers.
    pub fn is_integer(self) -> bool {
        (8..14).contains(&(self as u32))
    }
}

/// How many coordinates an image has, and what they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Shape {
    /// One coordinate.
    Line = 0,
    /// Two coordinates.
    Plane = 1,
    /// Three coordinates.
    Volume = 2,
    /// A coordinate and the number of a layer.
    Lines = 4,
    /// Two coordinates and the number of a layer.
    Planes = 5,
}

impl Shape {
    const ALL: [Shape; 5] = [Shape::Line, Shape::Plane, Shape::Volume, Shape::Lines, Shape::Planes];

    /// Coordinates beside the number of a layer.
    pub fn dimensions(self) -> usize {
        match self {
            Shape::Line | Shape::Lines => 1,
            Shape::Plane | Shape::Planes => 2,
            Shape::Volume => 3,
        }
    }

    /// Whether there are layers.
    pub fn has_layers(self) -> bool {
        matches!(self, Shape::Lines | Shape::Planes)
    }
}

/// An image in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Image {
    /// Address of the first texel.
    pub base: u64,
    /// Width, at most 2^32 - 1; height, 1 to 16384; depth or layers, 1 to 8192. In texels.
    pub extent: [u32; 3],
    /// Bytes from a row to the next.
    pub row: u32,
    /// Bytes from a slice or layer to the next.
    pub slice: u32,
    /// What coordinates mean.
    pub shape: Shape,
    /// Values.
    pub channel: Channel,
    /// Values of a texel: 1, 2 or 4.
    pub channels: u32,
}

impl Image {
    /// Bytes of a texel.
    pub fn texel(&self) -> u32 {
        self.channel.bytes() * self.channels
    }

    /// The words for kernels: eight that instructions take, and four that only device libraries read.
    pub fn words(&self) -> [u32; 12] {
        let [width, height, depth] = self.extent;
        let format = (self.channel as u32) << 16 | self.channels << 20 | (self.shape as u32) << 24;
        // Orders of channels: R, RG, RGBA.
        let order = match self.channels {
            1 => 1,
            2 => 3,
            _ => 8,
        };
        [
            self.base as u32,
            (self.base >> 32) as u32 & 0xffff | format,
            (height.wrapping_sub(1) & 0x3fff) << 14,
            width,
            depth.wrapping_sub(1) & 0x1fff,
            self.row,
            self.slice,
            0,
            self.channel as u32,
            order,
            width,
            0,
        ]
    }

    /// The words for kernels that read the texels of one line by their numbers.
    pub fn line_words(&self) -> [u32; 12] {
        let mut words = self.words();
        words[1] = (self.base >> 32) as u32 & 0xffff | self.texel() << 16;
        words[2] = self.extent[0];
        words[3] = self.channel as u32 | self.channels << 4;
        words
    }

    /// Reads what [`Image::words`] made; `None` if the words are something else.
    pub(crate) fn read(words: [u32; 8]) -> Option<Image> {
        Some(Image {
            base: u64::from(words[0]) | u64::from(words[1] & 0xffff) << 32,
            extent: [words[3], (words[2] >> 14 & 0x3fff) + 1, (words[4] & 0x1fff) + 1],
            row: words[5],
            slice: words[6],
            shape: Shape::ALL.into_iter().find(|shape| *shape as u32 == words[1] >> 24)?,
            channel: Channel::ALL.into_iter().find(|channel| *channel as u32 == words[1] >> 16 & 15)?,
            channels: Some(words[1] >> 20 & 15).filter(|channels| matches!(channels, 1 | 2 | 4))?,
        })
    }

    /// Reads the first four of [`Image::line_words`].
    pub(crate) fn read_line(words: [u32; 4]) -> Option<Image> {
        let channel = Channel::ALL.into_iter().find(|channel| *channel as u32 == words[3] & 15)?;
        let channels = Some(words[3] >> 4).filter(|channels| matches!(channels, 1 | 2 | 4))?;
        let base = u64::from(words[0]) | u64::from(words[1] & 0xffff) << 32;
        let image = Image { base, extent: [words[2], 1, 1], row: 0, slice: 0, shape: Shape::Line, channel, channels };
        (image.texel() == words[1] >> 16).then_some(image)
    }
}

/// What lies beyond the border of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Border {
    /// The image again.
    Wrap = 0,
    /// The nearest texel.
    Clamp = 1,
    /// The image, mirrored each time.
    Mirror = 2,
    /// One colour.
    Colour = 3,
}

/// How an image is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sampler {
    /// What lies beyond, for each dimension.
    pub borders: [Border; 3],
    /// Coordinates are 0 to 1, not 0 to the size.
    pub normalized: bool,
    /// Neighbours are mixed.
    pub linear: bool,
    /// Address of the four floats of the border's colour.
    pub colour: u64,
}

impl Sampler {
    /// The words for kernels.
    pub fn words(&self) -> [u32; 4] {
        let [x, y, z] = self.borders.map(|border| border as u32);
        let modes = x | y << 3 | z << 6 | u32::from(!self.normalized) << 15;
        [modes, self.colour as u32, u32::from(self.linear) << 20, (self.colour >> 32) as u32]
    }

    pub(crate) fn read(words: [u32; 4]) -> Sampler {
        let border = |at: u32| match words[0] >> at & 7 {
            0 => Border::Wrap,
            2 => Border::Mirror,
            3 => Border::Colour,
            _ => Border::Clamp,
        };
        Sampler {
            borders: [border(0), border(3), border(6)],
            normalized: words[0] >> 15 & 1 == 0,
            linear: words[2] >> 20 & 1 != 0,
            colour: u64::from(words[1]) | u64::from(words[3]) << 32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_as_they_were_made() {
        let image = Image {
            base: 0x7fff_1234_5600,
            extent: [4096, 16384, 8192],
            row: 1 << 16,
            slice: 1 << 30,
            shape: Shape::Planes,
            channel: Channel::Half,
            channels: 4,
        };
        let words = image.words();
        assert_eq!(Image::read(*words.first_chunk().unwrap()), Some(image));
        let line = Image { extent: [77, 1, 1], row: 0, slice: 0, shape: Shape::Line, ..image };
        assert_eq!(Image::read_line(*line.line_words().first_chunk().unwrap()), Some(line));
        let sampler = Sampler {
            borders: [Border::Mirror, Border::Wrap, Border::Colour],
            normalized: true,
            linear: true,
            colour: 0x7fff_0000_1000,
        };
        assert_eq!(Sampler::read(sampler.words()), sampler);
    }
}
