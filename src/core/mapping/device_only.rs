//! Functions that CUDA has on both sides, and HIP in device code only.

use std::sync::LazyLock;

use super::RocmVersion;

/// Names with the first release whose headers have the function on the host, too; sorted by name.
static NAMES: LazyLock<Vec<(&'static str, Option<RocmVersion>)>> = LazyLock::new(|| {
    let rows = include_str!("../../../mappings/device_only.csv").lines().skip(1);
    rows.filter_map(|row| row.split_once(',')).map(|(name, since)| (name, since.parse().ok())).collect()
});

/// Whether HIP's headers of a release, or hipshift's definition in their place, have a function for the device only.
/// `tests/compiler.rs` has the host call those of the headers.
pub fn is_device_only(name: &str, release: RocmVersion) -> bool {
    let found = NAMES.binary_search_by_key(&name, |(name, _)| name);
    found.is_ok_and(|at| NAMES[at].1.is_none_or(|since| release < since))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_dated() {
        assert!(NAMES.is_sorted_by_key(|(name, _)| *name));
        let old = RocmVersion::new(5, 7);
        assert!(is_device_only("__hadd", old) && !is_device_only("__hadd", RocmVersion::NEWEST));
        assert!(is_device_only("__popc", RocmVersion::NEWEST) && !is_device_only("popc", old));
    }
}
