//! Two operations in one instruction: each by the reference of the single one, in both places.

use super::*;

/// The registers of the other half: a move between registers that nothing else uses.
const MOVED_FROM: u32 = 10;
const MOVED_TO: u32 = 13;

/// The name of the operation alone.
fn single(entry: &Entry) -> String {
    entry.base.replacen("v_dual_", "v_", 1)
}

/// An instruction with an operation in one of its places and a move in the other. The results must lie in registers of
/// which one is even and one is odd: those of the move in an odd one.
fn encoded_pair(table: &'static Table, entry: &Entry) -> Inst {
    let is_first = entry.encoding == Encoding::VopdX;
    let other = if is_first { Encoding::VopdY } else { Encoding::VopdX };
    let moves = table.entries().find(|it| it.base == "v_dual_mov_b32" && it.encoding == other).unwrap();
    let (own, opcode, sources) = (u32::from(entry.opcode), u32::from(moves.opcode), 0x100 | A as u32);
    let (b, copied) = (B as u32, 0x100 | MOVED_FROM);
    let words = if is_first {
        [0xc800_0000 | own << 22 | opcode << 17 | b << 9 | sources, (MOVED_TO >> 1) << 17 | copied]
    } else {
        [0xc800_0000 | opcode << 22 | own << 17 | copied, MOVED_TO << 24 | b << 9 | sources]
    };
    decode(table, &[words[0], words[1], LITERAL]).unwrap()
}

fn check_dual(
    table: &'static Table,
    entry: &Entry,
    reference: impl Fn(Operands, bool) -> u64,
    widths: [u32; 3],
    kind: Kind,
) {
    const BITS: u64 = 0x3c5a_a5c3;
    let inst = encoded_pair(table, entry);
    let pair = Vector::pair(&inst, table.generation).unwrap_or_else(|| panic!("{}", entry.mnemonic));
    let accumulates = ["fmac", "dot2acc"].iter().any(|name| entry.base.contains(name));
    let all = triples(entry, widths);
    let olds = if accumulates { edges(widths[2]) } else { vec![0] };
    for (chunk, old) in all.chunks(32).flat_map(|chunk| olds.iter().map(move |old| (chunk, *old))) {
        let mut wave = loaded(table.generation, entry, chunk);
        wave.scalars.set64(Operand::VCC, BITS);
        wave.rows.fill(0, old as u32);
        wave.rows.fill(MOVED_FROM as usize, 77);
        vector::run_pair(&mut wave, &pair);
        for (lane, operands) in chunk.iter().enumerate() {
            let third = if accumulates { old } else { operands[2] };
            let expected = reference([operands[0], operands[1], third], BITS >> lane & 1 != 0);
            let found = u64::from(wave.rows.lane(0, lane));
            let text = inst.text(table.generation);
            assert!(agrees(kind, found, expected), "{text} {operands:x?}: {found:#x}, not {expected:#x}");
            assert_eq!(wave.rows.lane(MOVED_TO as usize, lane), 77, "{text}");
        }
    }
}

#[test]
fn each_half_of_a_dual_instruction_is_the_single_one() {
    let cases = cases();
    let mut checked = BTreeSet::new();
    for table in tables().filter(|table| table.generation.is_gfx11_or_later()) {
        let is_dual = |entry: &&Entry| matches!(entry.encoding, Encoding::VopdX | Encoding::VopdY);
        for entry in table.entries().filter(is_dual) {
            let name = single(entry);
            let (widths, kind) = ([32; 3], Kind::Bits(32));
            if name == "v_cndmask_b32" {
                check_dual(table, entry, |[a, b, _], bit| if bit { b } else { a }, widths, kind);
            } else {
                let case = cases.iter().find(|case| case.is_of(&name)).unwrap_or_else(|| panic!("{name}"));
                check_dual(table, entry, |operands, _| (case.reference)(operands), case.sources, case.result);
            }
            checked.insert((entry.base, entry.encoding == Encoding::VopdX));
        }
    }
    assert!(checked.len() >= 30, "{checked:?}");
}
