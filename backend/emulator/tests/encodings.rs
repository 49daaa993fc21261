//! The decoder against LLVM's: every opcode of the tables with operands drawn at random has the same text.
#![allow(clippy::cast_possible_truncation, clippy::precedence, reason = "words are cut into fields")]

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::Stdio;

use hipshift_emulator::isa::{Encoding, Entry, Field, Table, decode};
use hipshift_emulator::{Generation, Processor, Target};

use crate::common;

/// Draws of operands for each opcode.
const DRAWS: u32 = 60;

/// Where an encoding has its opcode: bits that are always the same, place, number of words.
fn layout(encoding: Encoding, generation: Generation) -> Option<(u32, u32, usize)> {
    let gfx9 = generation.is_gfx9();
    Some(match encoding {
        Encoding::Sop2 => (0x8000_0000, 23, 1),
        Encoding::Sopk => (0xb000_0000, 23, 1),
        Encoding::Sop1 => (0xbe80_0000, 8, 1),
        Encoding::Sopc => (0xbf00_0000, 16, 1),
        Encoding::Sopp => (0xbf80_0000, 16, 1),
        Encoding::Smem if generation == Generation::Gfx12 => (0xf400_0000, 13, 2),
        Encoding::Smem => (if gfx9 { 0xc000_0000 } else { 0xf400_0000 }, 18, 2),
        Encoding::Vop2 => (0, 25, 1),
        Encoding::Vop1 => (0x7e00_0000, 9, 1),
        Encoding::Vopc => (0x7c00_0000, 17, 1),
        Encoding::Vop3 => (if gfx9 { 0xd000_0000 } else { 0xd400_0000 }, 16, 2),
        Encoding::Vop3p => (if gfx9 { 0xd380_0000 } else { 0xcc00_0000 }, 16, 2),
        Encoding::Ds => (0xd800_0000, if gfx9 { 17 } else { 18 }, 2),
        Encoding::Mubuf if generation == Generation::Gfx12 => (0xc400_0000, 14, 3),
        Encoding::Mubuf => (0xe000_0000, 18, 2),
        // Shapes have as many registers as LLVM prints; here always a plane, but for gfx9, which has no shapes.
        Encoding::Mimg => match generation {
            Generation::Gfx12 => (0xd040_0001, 14, 3),
            Generation::Gfx11 => (0xf000_0104, 18, 2),
            Generation::Gfx10 => (0xf000_0108, 18, 2),
            _ => (0xf000_0100, 18, 2),
        },
        Encoding::Vsample => (0xe440_0001, 14, 3),
        Encoding::VopdX => (0xc800_0000, 22, 2),
        Encoding::VopdY => (0xc800_0000, 17, 2),
        Encoding::ScratchReturn => return None,
        Encoding::Flat | Encoding::FlatReturn => segment(0, generation),
        Encoding::Scratch => segment(1, generation),
        Encoding::Global | Encoding::GlobalReturn => segment(2, generation),
    })
}

fn segment(number: u32, generation: Generation) -> (u32, u32, usize) {
    match generation {
        Generation::Gfx12 => (0xec00_0000 | number << 24, 14, 3),
        Generation::Gfx11 => (0xdc00_0000 | number << 16, 18, 2),
        _ => (0xdc00_0000 | number << 14, 18, 2),
    }
}

/// Bits that operands may take.
fn free_bits(encoding: Encoding, generation: Generation) -> [u32; 3] {
    let gfx9 = generation.is_gfx9();
    // Registers of pairs are even where the processor wants it: the lowest bits of register fields stay clear.
    match (encoding, generation) {
        (Encoding::Sop2, _) => [0x003e_fefe, 0, 0],
        (Encoding::Sopk | Encoding::Sopc, _) => [0x003e_fffe, 0, 0],
        (Encoding::Sop1, _) => [0x003e_00fe, 0, 0],
        (Encoding::Sopp, _) => [0xffff, 0, 0],
        (Encoding::Smem, Generation::Gfx12) => [0x01e0_0fbe, 0xf8ff_ffff, 0],
        (Encoding::Smem, Generation::Gfx10) => [0x0001_4fbe, 0xf80f_ffff, 0],
        (Encoding::Smem, _) if gfx9 => [0x0003_4fbe, 0x0000_ffff, 0],
        (Encoding::Smem, _) => [0x0000_6fbe, 0xf80f_ffff, 0],
        (Encoding::Vop2, _) => [0x01fd_fdfe, 0, 0],
        (Encoding::Vop1, _) => [0x01fc_01fe, 0, 0],
        (Encoding::Vopc, _) => [0x0001_fdfe, 0, 0],
        (Encoding::Vop3 | Encoding::Vop3p, _) => [0x0000_fffe, 0xfbfd_fbfe, 0],
        (Encoding::Ds, _) => [0x0000_ffff, 0xfefe_fefe, 0],
        (Encoding::Mubuf, Generation::Gfx12) => [0x7f, 0xc07c_00fe | 0xf800, 0xffff_fffe],
        (Encoding::Mubuf, Generation::Gfx11) => [0x0000_7fff, 0x7fdf_fefe, 0],
        (Encoding::Mubuf, Generation::Gfx10) => [0x0000_ffff, 0x7f5f_fefe, 0],
        (Encoding::Mubuf, _) => [0x0003_ffff, 0x7f1f_fefe, 0],
        (Encoding::Mimg, _) if gfx9 => [0x0200_f000, 0x0376_7e7e, 0],
        (Encoding::Mimg, Generation::Gfx10) => [0x0200_3080, 0x4376_7e7e, 0],
        (Encoding::Mimg, Generation::Gfx12) => [0x0000_0040, 0x007c_707e, 0x7e7e_7e7e],
        (Encoding::Mimg, _) => [0x0001_7080, 0x6c16_7e7e, 0],
        (Encoding::Vsample, _) => [0x0000_2040, 0x187c_707e, 0x7e7e_7e7e],
        (Encoding::VopdX | Encoding::VopdY, _) => [0x0001_ffff, 0xffff_ffff, 0],
        (_, Generation::Gfx12) => [0, 0x7f7e_00fe, 0xffff_fffe],
        (_, Generation::Gfx11) => [0x0000_7fff, 0xfeff_fefe, 0],
        (_, Generation::Gfx10) => [0x0003_1fff, 0xfe7f_fefe, 0],
        (Encoding::Scratch, Generation::Gfx940 | Generation::Gfx950) => [0x0203_3fff, 0xfe00_fefe, 0],
        _ => [0x0203_1fff, 0xfe00_fefe, 0],
    }
}

/// Whether an operation computes with floats.
fn takes_modifiers(base: &str) -> bool {
    ["v_add_f", "v_sub_f", "v_mul_f", "v_fma_f", "v_min_f", "v_max_f", "v_rcp_f", "v_sqrt_f"]
        .iter()
        .any(|start| base.starts_with(start))
        && !base.contains("ldexp")
        && (base.ends_with("32") || base.ends_with("64"))
}

/// Takes away what the instruction cannot have.
fn restrict(entry: &Entry, words: usize, drawn: &mut [u32; 4]) {
    // Fields that the instruction does not have stay zero.
    let has = |field| entry.slots.iter().any(|slot| slot.field == field);
    let is_memory = matches!(
        entry.encoding,
        Encoding::Ds
            | Encoding::Flat
            | Encoding::FlatReturn
            | Encoding::Global
            | Encoding::GlobalReturn
            | Encoding::Scratch
    );
    let bytes = [(Field::A, 0), (Field::X, 8), (Field::Y, 16), (Field::Dst, 24)];
    for (field, at) in bytes {
        let is_address = field == Field::Y && entry.encoding != Encoding::Ds;
        if is_memory && !has(field) && !is_address {
            drawn[1] &= !(0xff << at);
        }
    }
    for (field, at) in [(Field::B, 9), (Field::C, 18)] {
        if matches!(entry.encoding, Encoding::Vop3 | Encoding::Vop3p) && !has(field) && !has(Field::Y) {
            drawn[1] &= !(0x1ff << at);
        }
    }
    // Masks go to the lower scalar registers; comparisons of gfx11 that set EXEC name it.
    if entry.encoding == Encoding::Vop3 && has(Field::ScalarDst) {
        drawn[0] &= !0xc1;
    } else if entry.encoding == Encoding::Vop3 && entry.base.starts_with("v_cmpx") {
        drawn[0] = drawn[0] & !0xff | 0x7e;
    }
    // Signs, magnitudes and what is done to results are drawn for floats only: others do not take them.
    if entry.encoding == Encoding::Vop3 && !takes_modifiers(entry.base) {
        let carries = has(Field::CarryOut);
        drawn[0] &= if carries { 0xffff_7fff } else { 0xffff_00ff };
        drawn[1] &= 0x07ff_ffff;
    }
    if !takes_modifiers(entry.base) && words == 1 && matches!(drawn[0] & 0x1ff, 0xfa) {
        drawn[1] &= !(0xf << 20);
    }
}

/// Fields of memory instructions of gfx12: scalar addresses of any pair, or none.
fn gfx12_memory(entry: &Entry, mut drawn: [u32; 4]) -> [u32; 4] {
    let has = |field| entry.slots.iter().any(|slot| slot.field == field);
    match entry.encoding {
        Encoding::Mubuf => return drawn,
        // Registers that a plane's address does not need are zero: two coordinates and a level, or half as many registers.
        Encoding::Mimg | Encoding::Vsample => {
            let components = 2 + u32::from(entry.base.ends_with("_l") || entry.base.ends_with("_mip"));
            let registers = if drawn[0] & 0x40 != 0 { components.div_ceil(2) } else { components };
            drawn[2] &= (1 << (8 * registers)) - 1;
            return drawn;
        }
        _ => {}
    }
    let is_flat = matches!(entry.encoding, Encoding::Flat | Encoding::FlatReturn);
    let scalar = if is_flat || drawn[3] & 1 == 0 { 0x7c } else { drawn[3] >> 8 & 0x3e };
    drawn[0] |= scalar;
    let is_scratch = entry.encoding == Encoding::Scratch;
    drawn[1] &= if is_scratch { u32::MAX } else { !0x2_0000 };
    for (field, word, bits) in [(Field::Dst, 1, 0xff), (Field::X, 1, 0xff << 23), (Field::A, 2, 0xff)] {
        let has_none = !has(field) || (field == Field::A && is_scratch && drawn[1] & 0x2_0000 == 0);
        drawn[word] &= if has_none { !bits } else { u32::MAX };
    }
    drawn
}

fn draws(entry: &Entry, processor: &Processor, state: &mut u64) -> Vec<[u32; 4]> {
    let generation = processor.generation;
    let Some((base, place, words)) = layout(entry.encoding, generation) else { return Vec::new() };
    let mut next = || {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        (*state >> 16) as u32
    };
    let [mut first, second, third] = free_bits(entry.encoding, generation);
    let has_no_accumulation = generation == Generation::Gfx9 && !processor.unified_registers;
    match entry.encoding {
        // The last cache bit came with gfx90a.
        Encoding::Mubuf if has_no_accumulation => first &= !0x8000,
        _ if has_no_accumulation && words == 2 && place == 18 => first &= !0x0200_0000,
        _ => {}
    }
    let one = |draw: u32| {
        let fixed = base | u32::from(entry.opcode) << place;
        let low = next() & first & !(0x3f << 26 & fixed);
        let keeps = u32::from(entry.encoding == Encoding::VopdY) << 22 | low;
        let mut drawn = [fixed | keeps, next(), next(), next()];
        if words >= 2 {
            drawn[1] &= second;
        }
        if words == 3 {
            drawn[2] &= third;
            return gfx12_memory(entry, drawn);
        }
        restrict(entry, words, &mut drawn);
        // Scalar addresses: none at first, then any.
        let by_address = matches!(
            entry.encoding,
            Encoding::Flat | Encoding::FlatReturn | Encoding::Global | Encoding::GlobalReturn | Encoding::Scratch
        );
        if by_address {
            let nothing = match generation {
                Generation::Gfx10 => 0x7d,
                Generation::Gfx11 => 0x7c,
                _ => 0x7f,
            };
            let gfx9 = generation.is_gfx9();
            let is_flat = matches!(entry.encoding, Encoding::Flat | Encoding::FlatReturn);
            let none = if is_flat && gfx9 { 0 } else { nothing };
            let scalar = if draw.is_multiple_of(2) || is_flat { none } else { next() % 48 * 2 };
            drawn[1] = drawn[1] & !0x007f_0000 | scalar << 16;
            if is_flat {
                drawn[0] &= !0x1000;
            }
        }
        drawn
    };
    (0..DRAWS).map(one).collect()
}

/// What the disassembler makes of words, by their bytes.
fn oracle(processor: &str, all: &[Vec<[u32; 4]>]) -> Option<HashMap<Vec<u8>, String>> {
    let mut known = HashMap::new();
    for chunk in all.chunks(16) {
        if !ask(processor, &chunk.concat(), &mut known)? {
            // It fell over one of them: the others are asked for alone.
            for words in chunk {
                ask(processor, words, &mut known)?;
            }
        }
    }
    Some(known)
}

/// Asks for the text of words; false if the disassembler ended before it had read all.
fn ask(processor: &str, all: &[[u32; 4]], known: &mut HashMap<Vec<u8>, String>) -> Option<bool> {
    let mut child = common::llvm("llvm-mc")?
        .args(["-arch=amdgcn", &format!("-mcpu={processor}"), "-disassemble", "--show-encoding"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut text = String::new();
    // Nothing but what does nothing follows, so that the next draw is read from its start.
    let nothing = "0x00 0x00 0x80 0xbf\n".repeat(4);
    for words in all {
        for byte in words.iter().flat_map(|word| word.to_le_bytes()) {
            write!(text, "{byte:#04x} ").unwrap();
        }
        text.push('\n');
        text.push_str(&nothing);
    }
    let mut input = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output().unwrap();
    let was_read = writer.join().unwrap().is_ok() && output.status.code().is_some();
    for line in String::from_utf8(output.stdout).unwrap().lines() {
        let Some((text, rest)) = line.split_once("; encoding: [").or_else(|| line.split_once("// encoding: [")) else {
            continue;
        };
        let Some(rest) = rest.strip_suffix(']') else { continue };
        let bytes = rest.split(',').map(|byte| u8::from_str_radix(byte.trim_start_matches("0x"), 16));
        if let Ok(bytes) = bytes.collect() {
            known.insert(bytes, text.trim().to_owned());
        }
    }
    Some(was_read)
}

fn compare(processor: &str) {
    let target = Target::parse(processor).unwrap();
    let table = Table::of(target.processor);
    let generation = target.processor.generation;
    let mut state = 0x1234_5678_9abc_def1;
    let mut entries: Vec<&Entry> = table.entries().collect();
    entries.sort_by_key(|entry| (format!("{:?}", entry.encoding), entry.opcode));
    let all: Vec<Vec<[u32; 4]>> = entries.iter().map(|entry| draws(entry, target.processor, &mut state)).collect();
    let Some(known) = oracle(processor, &all) else { return };
    let (mut wrong, mut seen, mut count) = (BTreeMap::<String, (u32, String)>::new(), BTreeSet::new(), 0);
    for words in all.iter().flatten() {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let Some((length, expected)) = (1..=4).rev().find_map(|n| Some((n, known.get(&bytes[..4 * n])?))) else {
            continue;
        };
        // Names of what no kernel uses, and numbers that LLVM shows in another way if bits have no meaning.
        let is_foreign = [
            "/*",
            "src_flat_scratch_base",
            "HW_REG_",
            "sendmsg",
            "s_waitcnt_depctr",
            "UC_VERSION",
            "v_alignbyte",
            "ds_swizzle",
            "s_set_gpr_idx_",
            " lds",
        ]
        .iter()
        .any(|part| expected.contains(part));
        // Literals have no place in long vector instructions of gfx9.
        let is_long = matches!(words[0] >> 26, 0x34) && generation.is_gfx9() && expected.contains("0x") && length == 2;
        if is_foreign || is_long {
            continue;
        }
        let decoded = decode(table, words);
        let text = decoded.map_or_else(|| "nothing".to_owned(), |inst| inst.text(generation));
        count += 1;
        let same = text.split_whitespace().eq(expected.split_whitespace());
        if same && decoded.is_some_and(|inst| usize::from(inst.words) == length) {
            seen.insert(decoded.map(|inst| (format!("{:?}", inst.entry.encoding), inst.entry.opcode)));
            continue;
        }
        let name = expected.split(' ').next().unwrap().to_owned();
        let entry = wrong.entry(name).or_default();
        entry.0 += 1;
        entry.1 = format!("{:08x?}\n    expected {expected}\n    found    {text}", &words[..length]);
    }
    let report: Vec<String> =
        wrong.iter().map(|(name, (count, example))| format!("{count} x {name}: {example}")).collect();
    let missing = entries.iter().filter(|entry| !seen.contains(&Some((format!("{:?}", entry.encoding), entry.opcode))));
    let missing: Vec<&str> = missing.map(|entry| entry.mnemonic).collect();
    eprintln!("{processor}: never drawn: {}", missing.join(" "));
    eprintln!("{processor}: {count} texts of {} of {} instructions", seen.len(), entries.len());
    assert!(wrong.is_empty(), "{processor}: {} mnemonics of {count} differ\n{}", wrong.len(), report.join("\n"));
    assert!(seen.len() * 100 > entries.len() * 90, "only {} of {} instructions were drawn", seen.len(), entries.len());
}

#[test]
fn gfx906_reads_any_operands_as_llvm_does() {
    compare("gfx906");
}

#[test]
fn gfx908_reads_any_operands_as_llvm_does() {
    compare("gfx908");
}

#[test]
fn gfx90a_reads_any_operands_as_llvm_does() {
    compare("gfx90a");
}

#[test]
fn gfx942_reads_any_operands_as_llvm_does() {
    compare("gfx942");
}

#[test]
fn gfx950_reads_any_operands_as_llvm_does() {
    compare("gfx950");
}

#[test]
fn gfx1030_reads_any_operands_as_llvm_does() {
    compare("gfx1030");
}

#[test]
fn gfx1100_reads_any_operands_as_llvm_does() {
    compare("gfx1100");
}

#[test]
fn gfx1201_reads_any_operands_as_llvm_does() {
    compare("gfx1201");
}
