//! How far memory can be read, as the system knows it: an image that a program names tells its own length, and may be damaged.

use std::fs;

use crate::abi::Address;

/// The number of bytes from an address on that can be read; all there could be where the system does not tell.
pub(crate) fn readable_from(address: Address) -> usize {
    let Ok(maps) = fs::read_to_string("/proc/self/maps") else { return usize::MAX };
    usize::try_from(end_of_run(&maps, address.get()).saturating_sub(address.get())).unwrap_or(usize::MAX)
}

/// Where the readable memory that an address lies in ends, by lines such as `7f00-7f80 r--p …`, in order; the address itself if
/// it lies in none.
fn end_of_run(maps: &str, address: u64) -> u64 {
    let mut end = address;
    for line in maps.lines() {
        let Some((from, to)) = line.split_once(' ').and_then(|(range, rights)| readable(range, rights)) else {
            continue;
        };
        if from <= end && end < to {
            end = to;
        }
    }
    end
}

fn readable(range: &str, rights: &str) -> Option<(u64, u64)> {
    let (from, to) = range.split_once('-')?;
    let number = |text: &str| u64::from_str_radix(text, 16).ok();
    rights.starts_with('r').then_some((number(from)?, number(to)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_go_on_through_mappings_without_a_gap() {
        let maps = "1000-2000 r--p 0 x\n2000-3000 rw-p 0 x\n3000-4000 ---p 0\n4000-5000 r-xp 0\n6000-7000 r--p 0\n";
        let ends = [0x1000, 0x1fff, 0x2800, 0x3000, 0x4fff, 0x5000, 0x6001, 0x7000].map(|at| end_of_run(maps, at));
        assert_eq!(ends, [0x3000, 0x3000, 0x3000, 0x3000, 0x5000, 0x5000, 0x7000, 0x7000]);
    }

    #[test]
    fn memory_of_this_process_can_be_read_and_nothing_else() {
        let bytes = [7_u8; 64];
        assert!(readable_from(Address::new(bytes.as_ptr() as u64)) >= bytes.len());
        assert_eq!(readable_from(Address::new(16)), 0);
    }
}
