//! Types of HIP's that are plain pointers, where CUDA's are types of their own or numbers.

use std::sync::LazyLock;

use super::version::{RocmVersion, VersionRange};

/// A type that HIP's headers declare as a pointer to anything.
struct Opaque {
    hip: &'static str,
    /// What it is another name of: `void *` or `const void *`.
    pointer: &'static str,
    range: VersionRange,
}

/// Sorted by name.
static TYPES: LazyLock<Vec<Opaque>> = LazyLock::new(|| {
    let row = |line: &'static str| {
        let mut columns = line.splitn(4, ',');
        let mut next = || columns.next().unwrap_or_default();
        let (hip, pointer) = (next(), next());
        Opaque { hip, pointer, range: VersionRange { since: next().parse().ok(), until: next().parse().ok() } }
    };
    include_str!("../../../mappings/opaque.csv").lines().skip(1).map(row).collect()
});

/// The plain pointer that a type of HIP's is in a release: `void *` or `const void *`. `tests/compiler.rs` asks the headers.
pub fn plain_pointer(hip: &str, release: RocmVersion) -> Option<&'static str> {
    let at = TYPES.binary_search_by_key(&hip, |known| known.hip).ok()?;
    TYPES[at].range.contains(release).then_some(TYPES[at].pointer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_sorted_and_dated() {
        assert!(TYPES.is_sorted_by_key(|known| known.hip));
        let (old, new) = (RocmVersion::new(6, 4), RocmVersion::NEWEST);
        assert_eq!(plain_pointer("hipsparseSpMatDescr_t", old), Some("void *"));
        assert_eq!(plain_pointer("hipsparseSpMatDescr_t", new), None);
        assert_eq!(plain_pointer("hipsparseConstDnMatDescr_t", new), Some("const void *"));
        assert_eq!(plain_pointer("hipStream_t", new), None);
    }
}
