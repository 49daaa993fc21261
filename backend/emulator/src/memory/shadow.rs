//! Which bytes of an allocation were ever written.

use std::sync::atomic::{AtomicU64, Ordering};

/// One bit for each byte of an allocation.
#[derive(Debug)]
pub(super) struct Shadow {
    words: Vec<AtomicU64>,
}

impl Shadow {
    /// A shadow of bytes that nobody wrote.
    pub(super) fn new(bytes: u64) -> Shadow {
        let words = usize::try_from(bytes.div_ceil(64)).unwrap_or(0);
        Shadow { words: std::iter::repeat_with(AtomicU64::default).take(words).collect() }
    }

    /// The words of a range of bytes, each with the bits of that range in it.
    fn parts(&self, start: u64, bytes: u64) -> impl Iterator<Item = (u64, &AtomicU64, u64)> {
        let end = start + bytes;
        let words = if bytes == 0 { 0..0 } else { start / 64..end.div_ceil(64) };
        words.filter_map(move |number| {
            let first = number * 64;
            let (low, high) = (start.saturating_sub(first), (end - first).min(64));
            let bits = (u64::MAX >> (64 - (high - low))) << low;
            Some((first, self.words.get(usize::try_from(number).ok()?)?, bits))
        })
    }

    /// Notes that bytes were written.
    pub(super) fn mark(&self, start: u64, bytes: u64) {
        for (_, word, bits) in self.parts(start, bytes) {
            word.fetch_or(bits, Ordering::Relaxed);
        }
    }

    /// Which of so many bytes were written: a bit for each, from the first on.
    pub(super) fn written(&self, start: u64, bytes: u64) -> Vec<u64> {
        let word = |number: u64| {
            let word = usize::try_from(number).ok().and_then(|number| self.words.get(number));
            word.map_or(0, |word| word.load(Ordering::Relaxed))
        };
        let from = |at: u64| match at % 64 {
            0 => word(at / 64),
            shift => word(at / 64) >> shift | word(at / 64 + 1) << (64 - shift),
        };
        (0..bytes.div_ceil(64)).map(|number| from(start + 64 * number)).collect()
    }

    /// Makes so many bytes written or not, as bits say.
    pub(super) fn assign(&self, start: u64, bytes: u64, written: &[u64]) {
        for (number, value) in (0..).zip(written) {
            let at = start + 64 * number;
            for (first, word, bits) in self.parts(at, 64.min(bytes - 64 * number)) {
                let value = if first < at { value << (at - first) } else { value >> (first - at) };
                word.fetch_and(value | !bits, Ordering::Relaxed);
                word.fetch_or(value & bits, Ordering::Relaxed);
            }
        }
    }

    /// Whether nobody wrote any of so many bytes.
    pub(super) fn is_bare(&self, start: u64, bytes: u64) -> bool {
        self.parts(start, bytes).all(|(_, word, bits)| bits & word.load(Ordering::Relaxed) == 0)
    }

    /// The first of so many bytes that nobody wrote.
    pub(super) fn unwritten(&self, start: u64, bytes: u64) -> Option<u64> {
        let bare = |(first, word, bits): (u64, &AtomicU64, u64)| {
            let bare = bits & !word.load(Ordering::Relaxed);
            (bare != 0).then(|| first + u64::from(bare.trailing_zeros()))
        };
        self.parts(start, bytes).find_map(bare)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_is_known() {
        let shadow = Shadow::new(200);
        assert_eq!(shadow.unwritten(0, 200), Some(0));
        shadow.mark(3, 130);
        assert_eq!(shadow.unwritten(3, 130), None);
        assert_eq!((shadow.unwritten(2, 4), shadow.unwritten(100, 34)), (Some(2), Some(133)));
        shadow.mark(0, 200);
        assert_eq!(shadow.unwritten(0, 200), None);
        shadow.assign(64, 64, &[0]);
        assert_eq!(
            (shadow.unwritten(0, 64), shadow.unwritten(0, 65), shadow.unwritten(128, 72)),
            (None, Some(64), None)
        );
        assert_eq!(shadow.unwritten(10, 0), None);
        // From one place within a word to another.
        let (other, wanted) = (Shadow::new(300), [3, 4, 70, 99, 130]);
        for at in wanted {
            other.mark(at, 1);
        }
        let copy = Shadow::new(300);
        copy.mark(0, 300);
        copy.assign(29, 140, &other.written(2, 140));
        let is_written = |at: u64| !(29..169).contains(&at) || wanted.contains(&(at - 27));
        assert!((0..300).all(|at| copy.unwritten(at, 1).is_none() == is_written(at)));
        assert!(shadow.is_bare(64, 64) && !shadow.is_bare(64, 65) && !shadow.is_bare(63, 64));
    }
}
