//! The list of all operations.

use std::sync::{Arc, OnceLock};

use super::registry::Registry;
use super::{compare, convert, division, dot, float, half, integer, packed, short};
use crate::exec::alu::lane::Valu;

/// All operations.
fn all() -> &'static Registry {
    static REGISTRY: OnceLock<Registry> = OnceLock::new();
    REGISTRY.get_or_init(|| {
        let mut registry = Registry::default();
        integer::add(&mut registry);
        short::add(&mut registry);
        float::add(&mut registry);
        half::add(&mut registry);
        division::add(&mut registry);
        convert::add(&mut registry);
        compare::add(&mut registry);
        packed::add(&mut registry);
        dot::add(&mut registry);
        registry
    })
}

/// The operation of a mnemonic; with `clamp` that which does not wrap, for integers.
pub(in crate::exec::alu) fn find(name: &str, clamps_integers: bool) -> Option<Arc<Valu>> {
    let registry = all();
    let found = registry.get(name)?;
    if clamps_integers {
        return registry.get(&format!("{name}/clamp")).cloned();
    }
    Some(Arc::clone(found))
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use pulp::Arch;
    use pulp::x86::{V3, V4};

    use super::*;
    use crate::exec::alu::lane::{Places, UNCHANGED};
    use crate::exec::number::element::Kind;
    use crate::exec::state::registers::Rows;

    /// Floats of all kinds and any bits, in as many lanes as there are.
    fn fill(rows: &mut Rows, seed: u64) {
        const EDGES: [u32; 16] = [
            0,
            1,
            0x8000_0000,
            0x3f80_0000,
            0xbf80_0000,
            0x7f80_0000,
            0xff80_0000,
            0x7fff_ffff,
            0xffff_ffff,
            0x0000_3c00,
            0x7c00_0400,
            0x4f00_0000,
            0x0080_0000,
            0x007f_ffff,
            0x3ff0_0000,
            0x4340_0000,
        ];
        let mut state = seed;
        for row in 0..8 {
            for lane in 0..64 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let random = (state >> 32) as u32;
                let value = if state >> 60 < 6 { EDGES[(state >> 40 & 15) as usize] } else { random };
                rows.set_lane(row, lane, value);
            }
        }
    }

    /// What is no number has many forms, and the processor chooses one of its operands'.
    fn plain(kind: Kind, low: u32, high: u32) -> [u32; 2] {
        let single = |bits: u32| if f32::from_bits(bits).is_nan() { 0x7fc0_0000 } else { bits };
        let half = |bits: u32| if bits & 0x7fff > 0x7c00 { 0x7e00 } else { bits & 0xffff };
        match kind {
            Kind::Float(64) if f64::from_bits(u64::from(high) << 32 | u64::from(low)).is_nan() => [0, 0x7ff8_0000],
            Kind::Float(32) => [single(low), high],
            Kind::PackedSingle => [single(low), single(high)],
            Kind::Float(16) => [half(low), high],
            Kind::PackedHalf => [half(low) | half(low >> 16) << 16, high],
            _ => [low, high],
        }
    }

    /// Bits of lanes, and the result of each lane.
    fn results(valu: &Valu, seed: u64, lanes: u64, arch: Arch) -> (u64, Vec<[u32; 2]>) {
        let mut rows = Rows::new();
        fill(&mut rows, seed);
        let places = Places { dst: 0, src: [2, 4, 6], changes: UNCHANGED };
        let bits = (valu.loops)(arch)(&mut rows, &places, lanes, seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        (bits, (0..64).map(|lane| plain(valu.dst, rows.lane(0, lane), rows.lane(1, lane))).collect())
    }

    #[test]
    fn all_instruction_sets_of_the_host_give_the_same_bits() {
        let wider = [V3::try_new().map(Arch::V3), V4::try_new().map(Arch::V4)];
        for (name, valu) in all().iter() {
            for (seed, lanes) in [(1, u64::MAX), (2, 0xffff_0f0f_1234_5678), (3, u64::MAX), (4, 0xffff_ffff)] {
                let expected = results(valu, seed, lanes, Arch::Scalar);
                for arch in wider.into_iter().flatten() {
                    assert_eq!(results(valu, seed, lanes, arch), expected, "{name}, {arch:?}");
                }
            }
        }
    }
}
