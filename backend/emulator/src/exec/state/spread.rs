//! Lanes that read from places of their own, for whole waves at once.
//!
//! Loops have no branches, and tables have sizes that are powers of two, so that they become gathers of vectors.

use pulp::Arch;

use super::registers::{CHUNK, LANES, Row};

/// Addresses of the lanes of a wave, and what is to be checked of those that are active.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reach {
    pub(crate) places: [u32; LANES],
    /// The highest address.
    pub(crate) most: u32,
    /// All addresses, one or another: the bits that are set in any.
    pub(crate) any: u32,
}

impl Reach {
    /// Nothing yet.
    pub(crate) fn new() -> Reach {
        Reach { places: [0; LANES], most: 0, any: 0 }
    }
}

/// All ones where a lane is active.
#[inline(always)]
fn active(lanes: u64, lane: usize) -> u32 {
    ((lanes >> (lane & CHUNK) >> (lane % CHUNK)) as u32 & 1).wrapping_neg()
}

/// Adds an offset to the addresses in a row. What it finds is put where the caller keeps it, as it is large.
#[inline]
pub(crate) fn reach(arch: Arch, row: &Row, offset: u32, lanes: u64, found: &mut Reach) {
    arch.dispatch(|| {
        let (places, mut most, mut any) = (&mut found.places, 0, 0);
        for (half, part) in row.iter().enumerate() {
            let lanes = (lanes >> (half * CHUNK)) as u32;
            let places = &mut places[half * CHUNK..(half + 1) * CHUNK];
            for lane in 0..CHUNK {
                let place = part[lane].wrapping_add(offset);
                let seen = place & (lanes >> lane & 1).wrapping_neg();
                places[lane] = place;
                most = seen.max(most);
                any |= seen;
            }
        }
        (found.most, found.any) = (most, any);
    });
}

/// Whether two rows hold the same.
#[inline]
pub(crate) fn are_equal(arch: Arch, row: &Row, other: &Row) -> bool {
    arch.dispatch(|| {
        let pairs = row.as_flattened().iter().zip(other.as_flattened());
        pairs.fold(0, |differences, (a, b)| differences | a ^ b) == 0
    })
}

/// The words that active lanes read or write, each once: the first byte, and a bit for each word from there on. Nothing
/// where an address is no multiple of a word, or words lie too far apart.
pub(crate) fn distinct(arch: Arch, places: &[u32; LANES], lanes: u64, bytes: u32) -> Option<(u32, u128)> {
    if lanes == 0 || !bytes.is_multiple_of(4) {
        return None;
    }
    let (least, most, any) = arch.dispatch(|| {
        let (mut least, mut most, mut any) = (u32::MAX, 0, 0);
        for (lane, place) in places.iter().enumerate() {
            let active = active(lanes, lane);
            least = (place | !active).min(least);
            most = (place & active).max(most);
            any |= place & active;
        }
        (least, most, any)
    });
    if any % 4 != 0 || most - least > 4 * u128::BITS - bytes {
        return None;
    }
    let [low, high] = arch.dispatch(|| {
        let mut firsts = [0_u64; 2];
        for (lane, place) in places.iter().enumerate() {
            let word = place.wrapping_sub(least) / 4;
            let bit = (lanes >> lane & 1) << (word & 63);
            let is_low = u64::from(word < 64).wrapping_neg();
            firsts[0] |= bit & is_low;
            firsts[1] |= bit & !is_low;
        }
        firsts
    });
    let firsts = u128::from(high) << 64 | u128::from(low);
    Some((least, (0..bytes / 4).fold(0_u128, |all, word| all | firsts << word)))
}

/// The active lanes, if these lie side by side and each value is the one before plus `step`, without wrapping.
pub(crate) fn sequence(arch: Arch, row: &Row, step: u32, lanes: u64) -> Option<std::ops::Range<usize>> {
    let start = lanes.trailing_zeros() as usize;
    let count = (!(lanes >> (start % LANES))).trailing_zeros() as usize;
    if lanes == 0 || lanes.count_ones() as usize != count {
        return None;
    }
    let first = row.as_flattened()[start];
    first.checked_add(step.checked_mul(count as u32)?)?;
    let zeroth = first.wrapping_sub(step.wrapping_mul(start as u32));
    let others = arch.dispatch(|| {
        let mut others = 0;
        for (lane, value) in row.as_flattened().iter().enumerate() {
            others |= (value ^ zeroth.wrapping_add(step.wrapping_mul(lane as u32))) & active(lanes, lane);
        }
        others
    });
    (others == 0).then_some(start..start + count)
}

/// Loads the word number `from(lane)` of a table into the active lanes of a row; numbers wrap.
#[inline(always)]
fn load<const N: usize>(table: &[u32; N], from: impl Fn(usize) -> usize, row: &mut Row, lanes: u64) {
    let mut found = [0; LANES];
    for (lane, found) in found.iter_mut().enumerate() {
        *found = table[from(lane) % N];
    }
    for (lane, (value, found)) in row.as_flattened_mut().iter_mut().zip(found).enumerate() {
        let written = active(lanes, lane);
        *value = *value & !written | found & written;
    }
}

/// Loads words of a table by their addresses in bytes, which are multiples of four.
pub(crate) fn load_words<const N: usize>(
    arch: Arch,
    table: &[u32; N],
    (places, word): (&[u32; LANES], u32),
    row: &mut Row,
    lanes: u64,
) {
    arch.dispatch(|| load(table, |lane| (places[lane] / 4 + word) as usize, row, lanes));
}

/// Lanes of `row` get what the lanes in `from` hold; lanes that are off give zero.
pub(crate) fn exchange(arch: Arch, data: &Row, from: &[u32; LANES], row: &mut Row, lanes: u64) {
    arch.dispatch(|| {
        let mut given = [0; LANES];
        for (lane, (given, value)) in given.iter_mut().zip(data.as_flattened()).enumerate() {
            *given = value & active(lanes, lane);
        }
        load(&given, |lane| from[lane] as usize, row, lanes);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(value: impl Fn(usize) -> u32) -> Row {
        let mut row = [[0; CHUNK]; LANES / CHUNK];
        row.as_flattened_mut().iter_mut().enumerate().for_each(|(lane, place)| *place = value(lane));
        row
    }

    #[test]
    fn only_active_lanes_are_looked_at_and_written() {
        let addresses = row(|lane| 4 * lane as u32);
        let mut found = Reach::new();
        reach(Arch::new(), &addresses, 8, 0b1011 << 30, &mut found);
        assert_eq!((found.places[33], found.most, found.any), (140, 140, 0x8c));
        let table: [u32; 64] = std::array::from_fn(|at| 100 + at as u32);
        let mut target = row(|_| 7);
        load_words(Arch::new(), &table, (&found.places, 1), &mut target, 0b1011 << 30);
        let expected = |lane: usize| if [30, 31, 33].contains(&lane) { 103 + lane as u32 } else { 7 };
        assert_eq!(target, row(expected));
    }

    #[test]
    fn a_sequence_has_no_gaps_and_does_not_wrap() {
        let find = |row: &Row, lanes| sequence(Arch::new(), row, 4, lanes);
        let mut addresses = row(|lane| 100 + 4 * lane as u32);
        assert_eq!(find(&addresses, u64::MAX), Some(0..64));
        assert_eq!(find(&addresses, 0b111 << 40), Some(40..43));
        assert_eq!(find(&addresses, 1 << 63), Some(63..64));
        assert_eq!((find(&addresses, 0b101), find(&addresses, 0)), (None, None));
        addresses[1][10] += 4;
        assert_eq!((find(&addresses, u64::MAX), find(&addresses, u64::MAX >> 32)), (None, Some(0..32)));
        let wraps = row(|lane| 0_u32.wrapping_sub(128).wrapping_add(4 * lane as u32));
        assert_eq!((find(&wraps, u64::MAX), find(&wraps, u64::MAX >> 34)), (None, Some(0..30)));
        assert_eq!(sequence(Arch::new(), &row(|_| 7), 0, u64::MAX), Some(0..64));
    }

    #[test]
    fn words_count_once_however_many_lanes_name_them() {
        let places: [u32; 64] = std::array::from_fn(|lane| 40 + 4 * (lane as u32 % 3));
        assert_eq!(distinct(Arch::new(), &places, u64::MAX, 4), Some((40, 0b111)));
        assert_eq!(distinct(Arch::new(), &places, 0b110, 8), Some((44, 0b111)));
        assert_eq!(distinct(Arch::new(), &places, 0, 4), None);
        assert_eq!(distinct(Arch::new(), &places, 1, 2), None);
        assert_eq!(distinct(Arch::new(), &places.map(|at| at + 2), 1, 4), None);
        let apart: [u32; 64] = std::array::from_fn(|lane| 12 * lane as u32);
        assert_eq!(distinct(Arch::new(), &apart, u64::MAX, 4), None);
        let apart: [u32; 64] = std::array::from_fn(|lane| 8 * lane as u32);
        assert_eq!(distinct(Arch::new(), &apart, u64::MAX, 8), Some((0, u128::MAX)));
        assert_eq!(distinct(Arch::new(), &apart, u64::MAX >> 32, 4), Some((0, 0x5555_5555_5555_5555)));
    }

    #[test]
    fn lanes_that_are_off_give_zero() {
        let (data, mut target) = (row(|lane| lane as u32 + 1), row(|_| 99));
        let from: [u32; 64] = std::array::from_fn(|lane| (lane as u32 + 1) % 64);
        exchange(Arch::new(), &data, &from, &mut target, !(1 << 5));
        assert_eq!(target.as_flattened()[3..7], [5, 0, 99, 8]);
        assert_eq!(target.as_flattened()[63], 1);
    }
}
