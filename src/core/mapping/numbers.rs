//! Numbers of CUDA's constants that are others in HIP.

use std::sync::LazyLock;

use super::version::{RocmVersion, VersionRange};

/// A type whose numbers are others in HIP, or one of its constants.
struct Row {
    kind: &'static str,
    /// The number in CUDA; that of no constant in the row that says most numbers of the type to be others.
    number: Option<i64>,
    constant: &'static str,
    /// The releases in which it is another one; none where it is the same in all.
    range: Option<VersionRange>,
}

/// Sorted by type.
static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let row = |line: &'static str| {
        let mut columns = line.splitn(5, ',');
        let mut next = || columns.next().unwrap_or_default();
        let (kind, number, constant) = (next(), next().parse().ok(), next());
        let (since, until) = (next(), next());
        let range = VersionRange { since: since.parse().ok(), until: until.parse().ok() };
        Row { kind, number, constant, range: (since != "same").then_some(range) }
    };
    include_str!("../../../mappings/numbers.csv").lines().skip(1).map(row).collect()
});

/// The type of CUDA's that some of HIP's numbers are others of, by any of its names: `curandRngType` of `curandRngType_t`.
/// `tests/compiler.rs` compares what nvcc and HIP's headers say.
pub fn renumbered_type(name: &str) -> Option<&'static str> {
    let find = |name: &str| ROWS.binary_search_by_key(&name, |row| row.kind).ok().map(|at| ROWS[at].kind);
    // `cudaError_enum` is the tag of the driver's `CUresult`.
    let ends = if name.starts_with("CU") { ["", "_t", "_enum"].as_slice() } else { ["", "_t"].as_slice() };
    ends.iter().find_map(|end| find(name.strip_suffix(end)?))
}

/// Whether most numbers of a type are others in a release, so that one that the text does not tell may be.
pub fn has_other_numbers(kind: &str, release: RocmVersion) -> bool {
    rows(kind).any(|row| row.number.is_none() && row.is_other(release))
}

/// CUDA's constants of a number that is another one in a release.
pub fn renumbered(kind: &str, number: i64, release: RocmVersion) -> impl Iterator<Item = &'static str> {
    rows(kind).filter(move |row| row.number == Some(number) && row.is_other(release)).map(|row| row.constant)
}

/// Whether CUDA has a constant of a number.
pub fn has_constant(kind: &str, number: i64) -> bool {
    rows(kind).any(|row| row.number == Some(number))
}

impl Row {
    fn is_other(&self, release: RocmVersion) -> bool {
        self.range.is_some_and(|range| range.contains(release))
    }
}

fn rows(kind: &str) -> impl Iterator<Item = &'static Row> {
    let start = ROWS.partition_point(|row| row.kind < kind);
    ROWS[start..].iter().take_while(move |row| row.kind == kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_by_the_names_of_their_type() {
        assert!(ROWS.is_sorted_by_key(|row| row.kind));
        assert_eq!(renumbered_type("curandRngType_t"), Some("curandRngType"));
        assert_eq!(renumbered_type("CUdevice_attribute_enum"), Some("CUdevice_attribute"));
        assert_eq!((renumbered_type("cudaStream_t"), renumbered_type("cudaError_enum")), (None, None));
        let of = |number| renumbered("cudaDeviceAttr", number, RocmVersion::NEWEST).collect::<Vec<_>>();
        assert_eq!(of(16), ["cudaDevAttrMultiProcessorCount"]);
        assert!(of(-7).is_empty());
    }

    #[test]
    fn types_and_numbers_are_dated() {
        let (old, new) = (RocmVersion::new(5, 7), RocmVersion::NEWEST);
        assert!(has_other_numbers("cudaMemoryType", old) && !has_other_numbers("cudaMemoryType", new));
        assert!(has_other_numbers("cublasOperation_t", new) && !has_other_numbers("cudaError", new));
        assert_eq!(renumbered("cudaError", 20, new).count(), 1);
        let success = renumbered("cublasStatus_t", 0, new).count();
        assert!(success == 0 && has_constant("cublasStatus_t", 0) && !has_constant("cublasStatus_t", 99));
    }
}
