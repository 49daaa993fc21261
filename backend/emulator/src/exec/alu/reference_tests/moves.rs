//! Moves between the two kinds of vector registers.

use super::*;

#[test]
fn accumulators_are_moved_to_and_from() {
    for name in ["gfx908", "gfx90a", "gfx942", "gfx950"] {
        let table = Table::of(Target::parse(name).unwrap().processor);
        for (name, from, to) in
            [("v_accvgpr_read_b32", 256 + A, 0), ("v_accvgpr_write_b32", A, 256), ("v_accvgpr_mov_b32", 256 + A, 256)]
        {
            let Some(entry) = table.entries().find(|entry| entry.base == name) else { continue };
            let opcode = u32::from(entry.opcode);
            let words = match entry.encoding {
                Encoding::Vop1 => [0x7e00_0000 | opcode << 9 | 0x100 | A as u32, 0],
                _ => [
                    0xd380_0000 | 1 << 14 | opcode << 16,
                    0x100 | A as u32 | u32::from(from >= 256) << 27 | 3 << 27 & 0x1000_0000,
                ],
            };
            let vector = Vector::new(&decode(table, &words).unwrap(), table.generation).unwrap();
            let mut wave = Wave::new(64);
            wave.scalars.set64(Operand::EXEC, u64::MAX - 4);
            (0..64).for_each(|lane| wave.rows.set_lane(from, lane, 1000 + lane as u32));
            vector::run(&mut wave, &vector);
            for lane in 0..64 {
                let expected = if lane == 2 { 0 } else { 1000 + lane as u32 };
                assert_eq!(wave.rows.lane(to, lane), expected, "{name}, lane {lane}");
            }
        }
    }
}
