//! The short form of what is known of a word of LDS, for what happens most: since all waves met, whole words were only
//! read, by any waves, or only used by one wave that wrote them, and none of these waves had met others in atomic
//! operations before. Everything else takes the long form of the shadow.

/// What was done with a word since the waves met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Summary {
    /// Nothing.
    Fresh,
    /// Read by these waves, a bit for each.
    Read { waves: u32, step: u32 },
    /// Written by one wave, which may have read it, too.
    Written { wave: u32, step: u32 },
    /// The long form knows.
    Long,
}

/// What a tag says beside its epoch: epoch (30 bits), kind (2 bits), waves (32 bits).
const READ: u64 = 0;
const WRITTEN: u64 = 1 << 32;
const LONG: u64 = 2 << 32;
const KIND: u64 = 3 << 32;
const EPOCHS: u64 = 1 << 30;

/// The short form of all words.
#[derive(Debug)]
pub(super) struct Summaries {
    tags: Vec<u64>,
    /// The step of the newest access.
    steps: Vec<u32>,
    epoch: u64,
}

impl Summaries {
    pub(super) fn new() -> Summaries {
        Summaries { tags: Vec::new(), steps: Vec::new(), epoch: 0 }
    }

    /// Room for so many words.
    pub(super) fn resize(&mut self, words: usize) {
        self.tags.resize(words, 0);
        self.steps.resize(words, 0);
    }

    /// All waves have met: nothing was done since.
    pub(super) fn meet(&mut self) {
        self.epoch = (self.epoch + 1) % EPOCHS;
        if self.epoch == 0 {
            self.tags.fill(0);
            self.epoch = 1;
        }
    }

    pub(super) fn get(&self, word: usize) -> Summary {
        let (Some(tag), Some(step)) = (self.tags.get(word), self.steps.get(word)) else { return Summary::Long };
        if tag >> 34 != self.epoch {
            return Summary::Fresh;
        }
        let waves = *tag as u32;
        match tag & KIND {
            READ => Summary::Read { waves, step: *step },
            WRITTEN => Summary::Written { wave: waves.trailing_zeros(), step: *step },
            _ => Summary::Long,
        }
    }

    /// From now on the long form is looked at, until the waves meet.
    pub(super) fn lengthen(&mut self, word: usize) {
        if let Some(tag) = self.tags.get_mut(word) {
            *tag = self.epoch << 34 | LONG;
        }
    }

    /// Notes that a wave reads a word; false if the short form cannot.
    #[inline(always)]
    pub(super) fn read(&mut self, word: usize, wave: u32, step: u32) -> bool {
        let (Some(tag), Some(newest)) = (self.tags.get_mut(word), self.steps.get_mut(word)) else { return false };
        let bit = 1 << (wave & 31);
        if *tag >> 34 != self.epoch {
            *tag = self.epoch << 34 | READ | bit;
        } else if *tag & KIND == READ {
            *tag |= bit;
        } else {
            return *tag & !(self.epoch << 34) == WRITTEN | bit;
        }
        *newest = step;
        true
    }

    /// Notes that a wave writes a word; false if the short form cannot.
    #[inline(always)]
    pub(super) fn write(&mut self, word: usize, wave: u32, step: u32) -> bool {
        let (Some(tag), Some(newest)) = (self.tags.get_mut(word), self.steps.get_mut(word)) else { return false };
        let bit = 1 << (wave & 31);
        let is_own = *tag & !(self.epoch << 34) & !WRITTEN == bit;
        if *tag >> 34 == self.epoch && !is_own {
            return false;
        }
        (*tag, *newest) = (self.epoch << 34 | WRITTEN | bit, step);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_short_form_knows_who_reads_and_the_only_one_who_writes() {
        let mut summaries = Summaries::new();
        summaries.resize(2);
        summaries.meet();
        assert_eq!(summaries.get(0), Summary::Fresh);
        assert!(summaries.read(0, 3, 7) && summaries.read(0, 31, 8));
        assert_eq!(summaries.get(0), Summary::Read { waves: 1 << 31 | 8, step: 8 });
        assert!(!summaries.write(0, 3, 9), "others have read it");
        assert!(
            summaries.read(1, 2, 1) && summaries.write(1, 2, 2) && summaries.read(1, 2, 3) && summaries.write(1, 2, 4)
        );
        assert_eq!(summaries.get(1), Summary::Written { wave: 2, step: 4 });
        assert!(!summaries.read(1, 0, 5) && !summaries.write(1, 0, 5));
        summaries.lengthen(1);
        assert!(summaries.get(1) == Summary::Long && !summaries.read(1, 2, 6) && !summaries.write(1, 2, 6));
        summaries.meet();
        assert_eq!([summaries.get(0), summaries.get(1)], [Summary::Fresh; 2]);
        assert!(!summaries.read(2, 0, 1), "there is no such word");
    }

    #[test]
    fn epochs_begin_anew_without_taking_old_tags_for_new_ones() {
        let mut summaries = Summaries::new();
        summaries.resize(1);
        summaries.meet();
        assert!(summaries.write(0, 1, 1));
        summaries.epoch = EPOCHS - 1;
        summaries.meet();
        assert_eq!((summaries.epoch, summaries.get(0)), (1, Summary::Fresh));
    }
}
