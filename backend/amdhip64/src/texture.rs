//! Textures: their formats can be described. Nothing can be bound to them; the calls for that say so.

use std::ffi::{c_int, c_uint};

use crate::call::inquiry;

/// `hipChannelFormatDesc`: bits of each channel, and what they hold.
#[repr(C)]
struct ChannelFormat {
    bits: [c_int; 4],
    kind: c_uint,
}

inquiry! {
    "hip_4.2" fn hipCreateChannelDesc(x: c_int, y: c_int, z: c_int, w: c_int, kind: c_uint) -> ChannelFormat {
        ChannelFormat { bits: [x, y, z, w], kind }
    }
}
