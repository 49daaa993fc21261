//! How large textures and surfaces of the emulated GPU may be.

use std::ffi::{c_int, c_uint};

use hipshift_emulator::Target;

/// Width and height of an image have 14 bits, its depth 13 (AMD, "RDNA3 Instruction Set Architecture", "Image Resource Descriptor").
const SIDE: c_int = 1 << 14;
const DEPTH: c_int = 1 << 13;

/// What AMD's library tells of layered images, for all GPUs (ROCm/rocm-systems on GitHub, issue 11874).
const LAYERED: c_int = 2048;

/// Texels of linear memory that a texture shows, and bytes of a row.
const LINE: c_int = 1 << 27;
const PITCH: c_int = SIDE * 16;

/// Members of `hipDeviceProp_t` from `maxTexture1D` to `maxSurfaceCubemapLayered`.
pub(super) const MEMBERS: usize = 40;

/// All limits, in the order of `hipDeviceProp_t`; 0 for what the target has not, and for what is not emulated.
pub(super) fn limits(target: &Target) -> [c_int; MEMBERS] {
    let mut limits = [0; MEMBERS];
    let mut set = |at: usize, values: &[c_int]| limits[at..at + values.len()].copy_from_slice(values);
    if target.processor.generation.is_gfx940_or_later() {
        return limits;
    }
    // 1D, 1D of linear memory, 2D, 2D of rows; then surfaces of one and two dimensions.
    set(0, &[SIDE]);
    set(2, &[LINE, SIDE, SIDE]);
    set(7, &[SIDE, SIDE, PITCH]);
    set(26, &[SIDE, SIDE, SIDE]);
    if target.processor.name != "gfx90a" {
        // 3D, layers of one and two dimensions; then such surfaces.
        set(12, &[SIDE, SIDE, DEPTH]);
        set(19, &[LAYERED; 5]);
        set(29, &[SIDE, SIDE, DEPTH]);
        set(32, &[LAYERED; 5]);
    }
    limits
}

/// The limit that a `hipDeviceAttribute_t` from `hipDeviceAttributeMaxSurface1D` (32) to
/// `hipDeviceAttributeMaxTextureCubemapLayered` (54) asks for: the first one where there are several.
pub(super) fn attribute(target: &Target, number: c_uint) -> Option<c_int> {
    const PLACES: [usize; 23] = [26, 32, 27, 34, 29, 37, 38, 0, 19, 2, 1, 3, 4, 10, 21, 7, 5, 12, 13, 14, 15, 18, 24];
    let place = PLACES.get(number.checked_sub(32)? as usize)?;
    limits(target).get(*place).copied()
}
