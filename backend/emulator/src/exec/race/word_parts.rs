//! Words and waves that an access to LDS touches.

/// The waves of a mask.
pub(super) fn waves(mask: u32) -> impl Iterator<Item = u8> {
    (0..32).filter(move |wave| mask >> wave & 1 != 0)
}

/// The words of a range of bytes, each with a mask of all bits of the bytes in it.
#[inline]
pub(super) fn parts(at: u32, bytes: u32) -> impl Iterator<Item = (usize, u32)> {
    let end = at + bytes;
    (at / 4..end.div_ceil(4)).map(move |word| {
        let first = at.max(4 * word) - 4 * word;
        let last = end.min(4 * word + 4) - 4 * word;
        let mask = u32::MAX >> (32 - 8 * (last - first)) << (8 * first);
        (word as usize, mask)
    })
}

/// The words that have a bit, of which the first stands for the word at byte `at`.
#[inline]
pub(super) fn words_from(at: u32, mut bits: u128) -> impl Iterator<Item = usize> {
    let first = (at / 4) as usize;
    std::iter::from_fn(move || {
        let next = (bits != 0).then(|| first + bits.trailing_zeros() as usize);
        bits &= bits.wrapping_sub(1);
        next
    })
}

/// A bit for each byte of a mask.
#[inline]
pub(super) fn bits(mask: u32) -> u8 {
    if mask == u32::MAX {
        return 15;
    }
    (0..4).filter(|byte| mask >> (8 * byte) & 1 != 0).fold(0, |bits, byte| bits | 1 << byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_access_touches_parts_of_words() {
        assert_eq!(parts(6, 4).collect::<Vec<_>>(), [(1, 0xffff_0000), (2, 0xffff)]);
        assert_eq!(parts(8, 4).collect::<Vec<_>>(), [(2, u32::MAX)]);
        assert_eq!([bits(u32::MAX), bits(0xffff_0000), bits(0xff00)], [15, 12, 2]);
        assert_eq!(words_from(8, 1 << 127 | 5).collect::<Vec<_>>(), [2, 4, 129]);
        assert_eq!(waves(1 << 31 | 5).collect::<Vec<_>>(), [0, 2, 31]);
    }
}
