//! How instructions come to their addresses: forms of addressing, and registers that make lanes meet places.

use super::bench::{Bench, State, offset_in_space};
use super::words::{ADDRESS, DESCRIPTOR, Form, SCALAR_ADDRESS, SCALAR_OFFSET};
use crate::isa::Encoding;
use crate::target::Generation;

/// A private offset in all lanes, where no vector register can tell them apart.
const COMMON: usize = 100;

/// The greatest offset in LDS that tests have, not to need much of it.
pub(super) const LOCAL_OFFSET: i32 = 1023;

/// The address in scalar registers lies so far below the place that the vector register needs all its bits.
const FAR: u64 = 0x9000_0000;

/// The space that an encoding's addresses are in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Space {
    Flat,
    Global,
    Private,
    /// Private memory by descriptor.
    Buffer,
    /// LDS.
    Local,
}

/// The space of an encoding; `None` for those without addresses in vector registers.
pub(super) fn space(encoding: Encoding) -> Option<Space> {
    match encoding {
        Encoding::Flat | Encoding::FlatReturn => Some(Space::Flat),
        Encoding::Global | Encoding::GlobalReturn => Some(Space::Global),
        Encoding::Scratch | Encoding::ScratchReturn => Some(Space::Private),
        Encoding::Mubuf => Some(Space::Buffer),
        Encoding::Ds => Some(Space::Local),
        _ => None,
    }
}

/// The least and the greatest offset that fit into an instruction.
fn limits(space: Space, generation: Generation) -> [i32; 2] {
    match (space, generation) {
        (Space::Local, _) => [0, LOCAL_OFFSET],
        (_, Generation::Gfx12) => [-0x80_0000, 0x7f_ffff],
        (Space::Buffer, _)
        | (Space::Flat, Generation::Gfx9 | Generation::Gfx940 | Generation::Gfx950 | Generation::Gfx11) => [0, 4095],
        (Space::Flat, Generation::Gfx10) => [0, 2047],
        (_, Generation::Gfx10) => [-2048, 2047],
        _ => [-4096, 4095],
    }
}

/// Which registers have the address: vector, scalar.
fn registers(space: Space, generation: Generation) -> &'static [(bool, bool)] {
    match (space, generation) {
        (Space::Flat | Space::Local, _) => &[(true, false)],
        (Space::Global, _) => &[(true, false), (true, true)],
        (Space::Private, Generation::Gfx9) => &[(true, false), (false, true)],
        (Space::Private, Generation::Gfx10) => &[(true, false), (false, true), (false, false)],
        _ => &[(true, false), (true, true), (false, true), (false, false)],
    }
}

/// All forms of an instruction.
pub(super) fn forms(space: Space, generation: Generation) -> Vec<Form> {
    let [least, most] = limits(space, generation);
    let mut forms = Vec::new();
    for (vector, scalar) in registers(space, generation) {
        let offsets: &[i32] = match (space, vector | scalar) {
            (Space::Flat | Space::Global | Space::Local, _) => &[0, 20, most, least],
            (_, true) => &[0, 36, least],
            // The offset is all there is.
            (_, false) => &[0, 36, COMMON as i32],
        };
        for (at, offset) in offsets.iter().enumerate().filter(|(at, offset)| *at == 0 || **offset != 0) {
            let (accumulates, overlaps) = (generation.is_gfx9() && at == 1, at == 2);
            forms.push(Form { offset: *offset, vector: *vector, scalar: *scalar, accumulates, overlaps });
        }
    }
    forms
}

/// The offset in private memory that all lanes have if no vector register has one.
pub(super) fn common(form: Form) -> usize {
    if form.scalar { COMMON } else { form.offset as usize }
}

/// Sets registers so that each lane's address is that of its place.
pub(super) fn aim(state: &mut State, bench: &Bench, space: Space, form: Form, places: &[usize]) {
    let offset = i64::from(form.offset);
    if matches!(space, Space::Flat | Space::Global) {
        let base = if form.scalar { bench.address(0).wrapping_sub(FAR) } else { 0 };
        if form.scalar {
            state.set_scalar_wide(SCALAR_ADDRESS, base);
        }
        for (lane, place) in places.iter().enumerate() {
            let rest = bench.address(*place).wrapping_sub(base).wrapping_add_signed(-offset);
            if form.scalar {
                state.set(ADDRESS, lane, u32::try_from(rest).unwrap());
            } else {
                state.set_wide(ADDRESS, lane, rest);
            }
        }
        return;
    }
    let rest = |place: usize| offset_in_space(place) as i64 - offset;
    let scalar = match (form.scalar, form.vector) {
        (false, _) => 0,
        (true, true) => 4,
        (true, false) => rest(places[0]),
    };
    if space == Space::Buffer {
        // Swizzled by the number of the lane, as kernels find the descriptor of private memory.
        state.scalars[DESCRIPTOR + 1] = 1 << 31;
        state.scalars[DESCRIPTOR + 3] = 1 << 23;
    }
    if form.scalar {
        // A buffer's scalar offset counts the bytes of all lanes.
        let (register, factor) =
            if space == Space::Buffer { (SCALAR_OFFSET, bench.lanes) } else { (SCALAR_ADDRESS, 1) };
        state.scalars[register] = u32::try_from(scalar * factor as i64).unwrap();
    }
    if form.vector {
        for (lane, place) in places.iter().enumerate() {
            state.set(ADDRESS, lane, u32::try_from(rest(*place) - scalar).unwrap());
        }
    }
}
