//! Formats of the channels of images.

use std::ffi::{c_int, c_uint};

use hipshift_emulator::image::Channel;

use crate::error::Error;

/// `hipChannelFormatDesc`: bits of each channel, and what they hold.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct ChannelFormat {
    pub(crate) bits: [c_int; 4],
    pub(crate) kind: c_uint,
}

impl ChannelFormat {
    /// The format of a channel, and how many there are. `normalized` if integers are read as fractions.
    pub(crate) fn channels(&self, normalized: bool) -> Result<(Channel, u32), Error> {
        let [first, ..] = self.bits;
        let count = self.bits.iter().take_while(|bits| **bits == first).count();
        let rest = self.bits.iter().skip(count).all(|bits| *bits == 0);
        if first == 0 || !rest {
            return Err(Error::InvalidChannelDescriptor);
        }
        let count = match count {
            1 => 1,
            2 => 2,
            4 => 4,
            _ => return Err(Error::InvalidChannelDescriptor),
        };
        let channel = match (self.kind, first, normalized) {
            (0, 8, true) => Channel::Snorm8,
            (0, 16, true) => Channel::Snorm16,
            (1, 8, true) => Channel::Unorm8,
            (1, 16, true) => Channel::Unorm16,
            (0, 8, false) => Channel::Sint8,
            (0, 16, false) => Channel::Sint16,
            (0, 32, false) => Channel::Sint32,
            (1, 8, false) => Channel::Uint8,
            (1, 16, false) => Channel::Uint16,
            (1, 32, false) => Channel::Uint32,
            (2, 16, _) => Channel::Half,
            (2, 32, _) => Channel::Float,
            _ => return Err(Error::InvalidChannelDescriptor),
        };
        Ok((channel, count))
    }
}
