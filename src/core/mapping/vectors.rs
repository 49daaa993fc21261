//! CUDA's vectors, and types of its libraries that are other names of vectors, in CUDA (`cuComplex.h`, `cufft.h`) and in HIP (`hip_complex.h`,
//! `hipfft.h`).

use std::sync::LazyLock;

/// Names with their vectors, sorted by name.
static NAMES: LazyLock<Vec<(&'static str, &'static str)>> = LazyLock::new(|| {
    let rows = include_str!("../../../mappings/vectors.csv").lines().skip(1);
    rows.filter_map(|row| row.split_once(',')).collect()
});

/// The vector that a type of a library is: `float2` for `cuComplex`.
pub fn vector_of(name: &str) -> Option<&'static str> {
    NAMES.binary_search_by_key(&name, |(name, _)| name).ok().map(|at| NAMES[at].1)
}

/// The number of components of `float4` and its like.
pub fn vector_size(base: &str) -> Option<usize> {
    const SCALARS: &[&str] = &[
        "char",
        "uchar",
        "short",
        "ushort",
        "int",
        "uint",
        "long",
        "ulong",
        "longlong",
        "ulonglong",
        "float",
        "double",
    ];
    let (scalar, size) = base.split_at_checked(base.len().checked_sub(1)?)?;
    let size = size.parse().ok().filter(|size| (1..=4).contains(size))?;
    SCALARS.contains(&scalar).then_some(size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted() {
        assert!(NAMES.is_sorted_by_key(|(name, _)| *name));
        assert_eq!((vector_of("cufftDoubleComplex"), vector_of("float2")), (Some("double2"), None));
    }
}
