//! Include guards of CUDA's headers, which programs test to know whether a header was included.

use std::sync::LazyLock;

use super::version::{RocmVersion, VersionRange};

/// The guard of a header of CUDA's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeaderGuard {
    /// The macro that the header defines.
    pub guard: &'static str,
    /// The header.
    pub header: &'static str,
    /// The macro that HIP's header in its place defines; empty where there is none.
    pub hip_guard: &'static str,
    /// What a person should know.
    pub note: &'static str,
    range: VersionRange,
}

static GUARDS: LazyLock<Vec<HeaderGuard>> = LazyLock::new(|| read(include_str!("../../../mappings/guards.csv")));

impl HeaderGuard {
    /// The header that the macro `guard` belongs to, for a release of ROCm.
    pub fn find(guard: &str, release: RocmVersion) -> Option<&'static HeaderGuard> {
        let start = GUARDS.partition_point(|known| known.guard < guard);
        let mut same = GUARDS.get(start..)?.iter().take_while(|known| known.guard == guard);
        same.find(|known| known.range.contains(release))
    }
}

fn read(text: &'static str) -> Vec<HeaderGuard> {
    let row = |line: &'static str| {
        let mut columns = line.splitn(6, ',');
        let mut next = || columns.next().unwrap_or_default();
        let (guard, header, hip_guard) = (next(), next(), next());
        let range = VersionRange { since: next().parse().ok(), until: next().parse().ok() };
        HeaderGuard { guard, header, hip_guard, note: next(), range }
    };
    text.lines().skip(1).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guards_are_sorted_and_told_by_release() {
        assert!(GUARDS.is_sorted_by_key(|known| known.guard));
        let hip = |guard, release| HeaderGuard::find(guard, release).map(|known| known.hip_guard);
        assert_eq!(hip("CUBLAS_API_H_", RocmVersion::NEWEST), Some("HIPBLAS_H"));
        assert_eq!(hip("MY_HEADER_H", RocmVersion::NEWEST), None);
        assert_ne!(hip("_CUFFTW_H_", RocmVersion::new(6, 4)), hip("_CUFFTW_H_", RocmVersion::NEWEST));
    }

    #[test]
    fn bounds_are_releases() {
        for line in include_str!("../../../mappings/guards.csv").lines().skip(1) {
            let columns: Vec<&str> = line.split(',').collect();
            assert_eq!(columns.len(), 6, "{line}");
            assert!(
                columns[3..5].iter().all(|bound| bound.is_empty() || bound.parse::<RocmVersion>().is_ok()),
                "{line}"
            );
        }
    }
}
