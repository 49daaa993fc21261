//! Memory of the process that the device does not know, for messages.

use std::fs;

/// Whether the system has memory at an address.
pub(super) fn is_mapped(address: u64) -> bool {
    fs::read_to_string("/proc/self/maps").is_ok_and(|maps| maps.lines().any(|line| holds(line, address)))
}

/// Whether a line such as `7f00-7f80 r--p …` holds an address that can be read.
fn holds(line: &str, address: u64) -> bool {
    let number = |text: &str| u64::from_str_radix(text, 16).ok();
    let Some((range, rights)) = line.split_once(' ') else { return false };
    let range = range.split_once('-').and_then(|(from, to)| number(from).zip(number(to)));
    rights.starts_with('r') && range.is_some_and(|(from, to)| (from..to).contains(&address))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_of_the_process_is_known() {
        let value = 7_u8;
        assert!(is_mapped((&raw const value).expose_provenance() as u64));
        assert!(!is_mapped(8));
        assert!(holds("1000-2000 r--p 0 x", 0x1fff) && !holds("1000-2000 r--p 0 x", 0x2000));
        assert!(!holds("1000-2000 ---p 0 x", 0x1800));
    }
}
