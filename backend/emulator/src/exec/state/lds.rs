//! LDS, the memory of a block.

use crate::checks::Checks;
use crate::exec::race::shadow::Shadow;

/// What LDS holds before anything is written.
const PATTERN: u32 = 0xcdcd_cdcd;

/// Words of the largest memory of a block, as a power of two.
pub(crate) const WORDS: usize = 1 << 16;

/// The memory of a block.
#[derive(Debug)]
pub(crate) struct Lds {
    /// All that a block can have; what it does not use is never touched.
    words: Box<[u32; WORDS]>,
    /// Bytes that the block uses.
    bytes: usize,
    /// Bytes that the block has: hardware gives out whole granules.
    granted: usize,
    /// What is known of each word, where accesses are checked.
    shadow: Option<Box<Shadow>>,
}

impl Lds {
    #[expect(clippy::large_stack_arrays, reason = "the length is right, so the words made on the heap are taken")]
    pub(crate) fn new() -> Lds {
        let words = vec![0; WORDS].into_boxed_slice();
        Lds { words: words.try_into().unwrap_or_else(|_| Box::new([0; WORDS])), bytes: 0, granted: 0, shadow: None }
    }

    /// Prepares for a block of so many waves that uses so many bytes, and has so many, which may be more.
    pub(crate) fn reset(&mut self, [bytes, granted]: [usize; 2], waves: usize, checks: Checks) {
        self.bytes = bytes.min(4 * WORDS);
        self.granted = granted.clamp(self.bytes, 4 * WORDS);
        self.words[..self.granted.div_ceil(4)].fill(PATTERN);
        if checks.are_on() && bytes != 0 {
            self.shadow.get_or_insert_with(|| Box::new(Shadow::new())).reset(bytes, waves);
        }
    }

    /// All waves of the block have met.
    pub(crate) fn meet(&mut self) {
        if let Some(shadow) = &mut self.shadow {
            shadow.meet();
        }
    }

    /// What is known of each word, where accesses are checked.
    #[inline]
    pub(crate) fn shadow(&mut self) -> Option<&mut Shadow> {
        self.shadow.as_deref_mut()
    }

    /// Takes the shadow for a check; it has to be given back.
    pub(crate) fn take_shadow(&mut self) -> Option<Box<Shadow>> {
        self.shadow.take()
    }

    pub(crate) fn give_shadow(&mut self, shadow: Box<Shadow>) {
        self.shadow = Some(shadow);
    }

    /// What is there.
    pub(crate) fn content(&self) -> &[u32] {
        &self.words[..self.granted.div_ceil(4)]
    }

    /// All words that a block can have, whatever it uses.
    #[inline]
    pub(crate) fn words(&self) -> &[u32; WORDS] {
        &self.words
    }

    /// All words that a block can have, whatever it uses.
    #[inline]
    pub(crate) fn words_mut(&mut self) -> &mut [u32; WORDS] {
        &mut self.words
    }

    #[inline]
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Reads up to four bytes; the caller has checked that they are there.
    #[inline]
    pub(crate) fn load(&self, offset: u32, bytes: u32) -> u32 {
        let [low, high] = [0, 1].map(|next| u64::from(self.words[(offset as usize / 4 + next) % WORDS]));
        let found = ((high << 32 | low) >> (8 * (offset % 4))) as u32;
        if bytes >= 4 { found } else { found & !(u32::MAX << (8 * bytes)) }
    }

    /// Whether the block has so many bytes at a place.
    pub(crate) fn grants(&self, offset: u32, bytes: u32) -> bool {
        u64::from(offset) + u64::from(bytes) <= self.granted as u64
    }

    /// Reads up to four bytes at any place: zero, unless the block has them all.
    pub(crate) fn load_granted(&self, offset: u64, bytes: u32) -> u32 {
        match u32::try_from(offset) {
            Ok(at) if offset + u64::from(bytes) <= self.granted as u64 => self.load(at, bytes),
            _ => 0,
        }
    }

    /// Writes those of up to four bytes that the block has.
    pub(crate) fn store_granted(&mut self, offset: u64, bytes: u32, value: u32) {
        let here = (self.granted as u64).saturating_sub(offset).min(bytes.into()) as u32;
        if let (Ok(at), 1..) = (u32::try_from(offset), here) {
            self.store(at, here, value);
        }
    }

    /// Writes up to four bytes.
    #[inline]
    pub(crate) fn store(&mut self, offset: u32, bytes: u32, value: u32) {
        let at = offset as usize / 4;
        let shift = 8 * (offset % 4);
        if bytes >= 4 && shift == 0 {
            self.words[at % WORDS] = value;
            return;
        }
        let mask = (u64::MAX >> (64 - 8 * bytes.clamp(1, 4))) << shift;
        let moved = u64::from(value) << shift & mask;
        for (word, shift) in [(at, 0), (at + 1, 32)] {
            let word = &mut self.words[word % WORDS];
            *word = *word & !((mask >> shift) as u32) | (moved >> shift) as u32;
        }
    }
}
