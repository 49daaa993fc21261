//! Reads of LDS by addresses that a wave has used before: what was found out about these is kept, as loops read by the same
//! register again and again, with other offsets.

use pulp::Arch;

use super::registers::{GROUP, LANES, Row, Rows, blend};
use super::spread::{self, Reach};

/// Registers whose addresses are kept.
const KEPT: usize = 8;

/// How the active lanes of a group lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Group {
    /// No lane is active.
    Off,
    /// All at the place of the first lane.
    Same,
    /// Each a word behind the one before.
    Row,
    /// In any other way.
    Any,
}

/// What is known of addresses that are multiples of a word.
#[derive(Debug, Clone, Copy)]
struct Facts {
    /// The highest address of active lanes.
    most: u32,
    /// The lowest, and a bit for each word from there on at which an active lane is; nothing if they are too far apart.
    words: Option<(u32, u128)>,
    groups: [Group; LANES / GROUP],
}

impl Facts {
    /// Nothing if an address is no multiple of a word.
    fn new(arch: Arch, row: &Row, lanes: u64) -> Option<Facts> {
        let mut reach = Reach::new();
        spread::reach(arch, row, 0, lanes, &mut reach);
        if lanes == 0 || !reach.any.is_multiple_of(4) {
            return None;
        }
        let addresses = &reach.places;
        let group = |number: usize| {
            let first = addresses[number * GROUP];
            let group = number * GROUP..(number + 1) * GROUP;
            let mut lanes = group.filter(|lane| lanes >> lane & 1 != 0).peekable();
            if lanes.peek().is_none() {
                Group::Off
            } else if lanes.clone().all(|lane| addresses[lane] == first) {
                Group::Same
            } else if lanes.all(|lane| addresses[lane] == first.wrapping_add(4 * (lane % GROUP) as u32)) {
                Group::Row
            } else {
                Group::Any
            }
        };
        let words = spread::distinct(arch, addresses, lanes, 4);
        Some(Facts { most: reach.most, words, groups: std::array::from_fn(group) })
    }
}

/// Addresses in a register that a wave has used before.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pattern<'k> {
    row: &'k Row,
    lanes: u64,
    facts: &'k Facts,
}

impl Pattern<'_> {
    /// Whether all lanes are inside of so many bytes and at words, with an offset.
    pub(crate) fn fits(&self, offset: u32, bytes: u32, size: usize) -> bool {
        offset.is_multiple_of(4) && u64::from(self.facts.most) + u64::from(offset) + u64::from(bytes) <= size as u64
    }

    /// The first byte of what is read with an offset, and a bit for each word from there on; nothing if they are too far
    /// apart.
    pub(crate) fn words(&self, offset: u32, bytes: u32) -> Option<(u32, u128)> {
        let ((least, first), more) = (self.facts.words?, bytes / 4 - 1);
        let words = (0..=more).fold(0, |words, word| words | first << word);
        (first.leading_zeros() >= more).then_some((least + offset, words))
    }

    /// Loads words into the active lanes of rows from `dst` on.
    pub(crate) fn load<const N: usize>(
        &self,
        arch: Arch,
        table: &[u32; N],
        offset: u32,
        (rows, dst, count): (&mut Rows, usize, u32),
    ) {
        for register in 0..count {
            let row = rows.row_mut(dst + register as usize);
            arch.dispatch(|| self.load_row(table, (offset / 4 + register) as usize, row));
        }
    }

    #[inline(always)]
    fn load_row<const N: usize>(&self, table: &[u32; N], further: usize, row: &mut Row) {
        let rows = row.as_flattened_mut().as_chunks_mut::<GROUP>().0;
        let addresses = self.row.as_flattened().as_chunks::<GROUP>().0;
        for number in 0..LANES / GROUP {
            let (target, places) = (&mut rows[number], &addresses[number]);
            let first = (places[0] / 4) as usize + further;
            let mut found = [0; GROUP];
            match self.facts.groups[number] {
                Group::Off => continue,
                Group::Same => found = [table[first % N]; GROUP],
                Group::Row if first + GROUP <= N => found.copy_from_slice(&table[first..first + GROUP]),
                _ => {
                    for lane in 0..GROUP {
                        found[lane] = table[((places[lane] / 4) as usize + further) % N];
                    }
                }
            }
            let lanes = (self.lanes >> (number * GROUP)) as u32 & 0xffff;
            if lanes == 0xffff {
                *target = found;
            } else {
                blend(target, &found, lanes);
            }
        }
    }
}

/// Addresses in a register when LDS was read by them last.
#[derive(Debug, Clone)]
struct Kept {
    row: Row,
    lanes: u64,
    seen: Seen,
}

/// How often addresses were seen in a register, without others in between.
#[derive(Debug, Clone)]
enum Seen {
    Once,
    /// What was found out the second time.
    Again(Option<Facts>),
}

/// The patterns of the registers that a wave reads LDS by.
#[derive(Debug, Clone, Default)]
pub(crate) struct Patterns {
    kept: Vec<Option<Kept>>,
}

impl Patterns {
    /// The pattern of the addresses in a register, if it had the same ones the last two times.
    #[inline]
    pub(crate) fn find(&mut self, arch: Arch, number: usize, row: &Row, lanes: u64) -> Option<Pattern<'_>> {
        if self.kept.is_empty() {
            self.kept.resize(KEPT, None);
        }
        let kept = self.kept.get_mut(number % KEPT)?;
        let is_again = kept.as_ref().is_some_and(|kept| kept.lanes == lanes && spread::are_equal(arch, &kept.row, row));
        if !is_again {
            *kept = Some(Kept { row: *row, lanes, seen: Seen::Once });
            return None;
        }
        let Kept { row, lanes, seen } = kept.as_mut()?;
        if let Seen::Once = seen {
            *seen = Seen::Again(Facts::new(arch, row, *lanes));
        }
        let Seen::Again(Some(facts)) = seen else { return None };
        Some(Pattern { row, lanes: *lanes, facts })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::state::registers::CHUNK;

    fn row(value: impl Fn(usize) -> u32) -> Row {
        let mut row = [[0; CHUNK]; LANES / CHUNK];
        row.as_flattened_mut().iter_mut().enumerate().for_each(|(lane, place)| *place = value(lane));
        row
    }

    /// The pattern of addresses that are used for the second time.
    fn known<'p>(patterns: &'p mut Patterns, row: &Row, lanes: u64) -> Pattern<'p> {
        assert!(patterns.find(Arch::new(), 0, row, lanes).is_none());
        patterns.find(Arch::new(), 0, row, lanes).unwrap()
    }

    /// Groups of lanes at one place, side by side, apart, and off.
    fn address(lane: usize) -> u32 {
        match lane / 16 {
            0 => 40,
            1 => 64 + 4 * (lane as u32 % 16),
            _ => 12 * (lane as u32 % 7),
        }
    }

    #[test]
    fn a_pattern_is_known_from_the_second_time_on() {
        let (arch, mut patterns) = (Arch::new(), Patterns::default());
        let addresses = row(address);
        let mut find = |row: &Row, lanes| patterns.find(arch, 3, row, lanes).map(|pattern| pattern.facts.groups);
        assert_eq!(find(&addresses, u64::MAX >> 16), None);
        let expected = [Group::Same, Group::Row, Group::Any, Group::Off];
        assert_eq!(find(&addresses, u64::MAX >> 16), Some(expected));
        assert_eq!(find(&addresses, u64::MAX >> 17), None, "other lanes");
        assert_eq!(find(&row(|lane| address(lane) + 4), u64::MAX >> 17), None, "other addresses");
        let odd = row(|lane| address(lane) + 1);
        assert_eq!([find(&odd, 1), find(&odd, 1), find(&odd, 1)], [None; 3], "no multiples of a word");
    }

    #[test]
    fn words_are_loaded_as_lane_by_lane() {
        let table: [u32; 64] = std::array::from_fn(|at| 100 + at as u32);
        for lanes in [u64::MAX, 0x0fff_f0ff_7fff_fffe, 0x0001_0000_8000_0000] {
            let mut patterns = Patterns::default();
            let pattern = known(&mut patterns, &row(address), lanes);
            let mut rows = Rows::new();
            rows.fill(5, 7);
            rows.fill(6, 7);
            pattern.load(Arch::new(), &table, 8, (&mut rows, 5, 2));
            for lane in 0..LANES {
                let word = |further: u32| if lanes >> lane & 1 != 0 { 100 + address(lane) / 4 + further } else { 7 };
                assert_eq!((rows.lane(5, lane), rows.lane(6, lane)), (word(2), word(3)), "lane {lane} of {lanes:#x}");
            }
        }
    }

    #[test]
    fn words_that_are_read_have_a_bit_each() {
        let mut patterns = Patterns::default();
        let pattern = known(&mut patterns, &row(address), 0b11 << 15);
        assert_eq!(pattern.words(8, 4), Some((48, 0b100_0001)));
        assert_eq!(pattern.words(0, 16), Some((40, 0b11_1100_1111)));
        assert!(pattern.fits(4, 16, 84) && !pattern.fits(4, 16, 83) && !pattern.fits(2, 4, 1000));
        assert!(!pattern.fits(u32::MAX - 3, 4, 1000), "an address that wraps");
        let apart = known(&mut patterns, &row(|lane| 1000 * lane as u32), 3);
        assert_eq!(apart.words(0, 4), None);
    }
}
