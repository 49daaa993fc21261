//! Little-endian numbers at checked places.

/// The bytes `at..at + N`, where there are as many.
fn array<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at.checked_add(N)?)?.try_into().ok()
}

pub(super) fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    array(bytes, at).map(u16::from_le_bytes)
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    array(bytes, at).map(u32::from_le_bytes)
}

pub(super) fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    array(bytes, at).map(u64::from_le_bytes)
}

/// A 64-bit number as a size in memory.
pub(super) fn size_at(bytes: &[u8], at: usize) -> Option<usize> {
    u64_at(bytes, at).and_then(|value| usize::try_from(value).ok())
}

/// `length` bytes from `at` on, where there are as many.
pub(super) fn slice(bytes: &[u8], at: usize, length: usize) -> Option<&[u8]> {
    bytes.get(at..at.checked_add(length)?)
}
