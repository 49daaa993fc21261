//! What is known of each word of LDS: which bytes were written, by which waves, and which waves have read them since
//! all waves met. Two accesses of different waves race if one of them writes and nothing orders them.
//!
//! Order comes from barriers, which begin a new epoch, and from atomic operations: each releases what its wave did
//! before, and one that returns a value acquires what others released at the same place. A wave has a clock that its
//! atomic operations advance; what a wave knows of the clocks of others is its view (vector clocks).

use super::summary::{Summaries, Summary};
use super::word_parts::{bits, parts, waves, words_from};

/// Waves of the largest block: 1024 threads in waves of 32.
const WAVES: usize = 32;
/// Places of released clocks; words share them, which can hide a race and never invents one.
const BUCKETS: usize = 64;
/// No wave, for each byte of a word.
const NOBODY: u32 = 0xffff_ffff;
/// Several waves, for one byte.
const SEVERAL: u8 = 0xfe;

/// An access that is to be compared with those before it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Access {
    pub(crate) wave: u32,
    /// Number of the step.
    pub(crate) step: u32,
    /// First byte.
    pub(crate) at: u32,
    pub(crate) bytes: u32,
}

/// The other side of a race.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Earlier {
    pub(crate) wave: u32,
    pub(crate) step: u32,
    pub(crate) write: bool,
}

/// A word since the waves met. Bytes keep one wave each; clocks are the least of those that count, so that what is
/// ordered is never called a race.
#[derive(Debug, Clone, Copy)]
struct Word {
    writers: [u8; 4],
    readers: [u8; 4],
    reader_mask: u32,
    atomic_mask: u32,
    write_clock: u32,
    read_clock: u32,
    atomic_clock: u32,
    write_step: u32,
    read_step: u32,
    atomic_step: u32,
}

const FRESH: Word = Word {
    writers: [0xff; 4],
    readers: [0xff; 4],
    reader_mask: 0,
    atomic_mask: 0,
    write_clock: 0,
    read_clock: 0,
    atomic_clock: 0,
    write_step: 0,
    read_step: 0,
    atomic_step: 0,
};

/// The shadow of the LDS of a block.
#[derive(Debug)]
pub(crate) struct Shadow {
    words: Vec<Word>,
    summaries: Summaries,
    /// A bit for each byte of a word that was written.
    written: Vec<u8>,
    /// Whether there is more than one wave.
    races: bool,
    /// What each wave knows of the clocks of all.
    views: Vec<[u32; WAVES]>,
    released: Vec<[u32; WAVES]>,
    used: u64,
}

impl Shadow {
    pub(crate) fn new() -> Shadow {
        Shadow {
            words: Vec::new(),
            summaries: Summaries::new(),
            written: Vec::new(),
            races: false,
            views: Vec::new(),
            released: vec![[0; WAVES]; BUCKETS],
            used: 0,
        }
    }

    /// Prepares for a block.
    pub(crate) fn reset(&mut self, bytes: usize, waves: usize) {
        let words = bytes.div_ceil(4);
        self.races = waves > 1;
        self.views.resize(waves, [0; WAVES]);
        self.words.resize(words, FRESH);
        self.summaries.resize(words);
        self.written.clear();
        self.written.resize(words, 0);
        self.meet();
    }

    /// All waves have met: what they did before is ordered before what they do now.
    pub(crate) fn meet(&mut self) {
        self.summaries.meet();
        self.used = 0;
        for (wave, view) in self.views.iter_mut().enumerate() {
            *view = [0; WAVES];
            view[wave] = 1;
        }
    }

    /// Notes a read. Gives a write that it races with, and whether nothing that it reads was written.
    #[inline]
    pub(crate) fn read(&mut self, access: Access) -> (Option<Earlier>, bool) {
        if self.is_brief(access) && self.read_briefly(access) || self.is_repeated(access) {
            return (None, false);
        }
        let mut race = None;
        let mut is_bare = true;
        for (word, mask) in parts(access.at, access.bytes) {
            is_bare &= self.written.get(word).is_none_or(|written| written & bits(mask) == 0);
            if self.races {
                race = race.or(self.read_word(access, word, mask));
            }
        }
        (race, is_bare)
    }

    /// Whether a wave reads words again that nobody has written since all waves met: then nothing is new.
    #[inline]
    fn is_repeated(&self, access: Access) -> bool {
        if !(access.at | access.bytes).is_multiple_of(4) {
            return false;
        }
        let words = (access.at / 4) as usize..((access.at + access.bytes) / 4) as usize;
        let (Some(found), Some(written)) = (self.words.get(words.clone()), self.written.get(words)) else {
            return false;
        };
        let mine = [access.wave as u8; 4];
        let is_known = |word: &Word| {
            word.reader_mask >> access.wave & 1 != 0
                && word.writers == FRESH.writers
                && word.atomic_mask == 0
                && (word.readers == [SEVERAL; 4]
                    || (word.readers == mine && word.read_clock == self.clock(access.wave)))
        };
        if !self.races {
            return written.iter().all(|written| *written == 15);
        }
        let first = (access.at / 4) as usize;
        let is_long = (first..first + found.len()).all(|word| self.summaries.get(word) == Summary::Long);
        is_long && found.iter().all(is_known) && written.iter().all(|written| *written == 15)
    }

    /// Whether the short form may note an access: whole words, by a wave that has met nobody since all met.
    #[inline]
    fn is_brief(&self, access: Access) -> bool {
        self.races && (access.at | access.bytes).is_multiple_of(4) && self.clock(access.wave) == 1
    }

    /// Notes a read of whole words; false if one of them needs the long form.
    #[inline]
    fn read_briefly(&mut self, access: Access) -> bool {
        let mut words = (access.at / 4) as usize..((access.at + access.bytes) / 4) as usize;
        words.all(|word| self.read_word_briefly(access, word))
    }

    #[inline]
    fn read_word_briefly(&mut self, access: Access, word: usize) -> bool {
        self.written.get(word) == Some(&15) && self.summaries.read(word, access.wave, access.step)
    }

    /// Notes reads of the words that have a bit, from that of the access on; false if one of them needs the long form.
    pub(crate) fn read_words(&mut self, access: Access, words: u128) -> bool {
        self.is_brief(access) && words_from(access.at, words).all(|word| self.read_word_briefly(access, word))
    }

    /// Notes writes of the words that have a bit, from that of the access on; false if one of them needs the long form.
    pub(crate) fn write_words(&mut self, access: Access, words: u128) -> bool {
        if !self.is_brief(access) {
            return false;
        }
        words_from(access.at, words).all(|word| {
            let is_noted = self.summaries.write(word, access.wave, access.step);
            if let Some(written) = self.written.get_mut(word).filter(|_| is_noted) {
                *written = 15;
            }
            is_noted
        })
    }

    /// Notes a write. Gives an access that it races with.
    #[inline]
    pub(crate) fn write(&mut self, access: Access) -> Option<Earlier> {
        let mut race = None;
        let is_brief = self.is_brief(access);
        for (word, mask) in parts(access.at, access.bytes) {
            if let Some(written) = self.written.get_mut(word) {
                *written |= bits(mask);
            }
            let is_noted = is_brief && self.summaries.write(word, access.wave, access.step);
            if self.races && !is_noted {
                race = race.or(self.write_word(access, word, mask));
            }
        }
        race
    }

    /// Notes an atomic operation. Gives a plain access that it races with, and whether the place was never written.
    pub(crate) fn update(&mut self, access: Access) -> (Option<Earlier>, bool) {
        let mut race = None;
        let mut is_bare = true;
        for (word, mask) in parts(access.at, access.bytes) {
            if let Some(written) = self.written.get_mut(word) {
                is_bare &= *written & bits(mask) == 0;
                *written |= bits(mask);
            }
            if self.races {
                race = race.or(self.update_word(access, word, mask));
            }
        }
        (race, is_bare)
    }

    /// Orders by the atomic operations of one instruction. `acquires` if they return values.
    pub(crate) fn synchronise(&mut self, wave: u32, places: impl Iterator<Item = u32>, acquires: bool) {
        if !self.races {
            return;
        }
        let mut buckets = places.fold(0_u64, |buckets, at| buckets | 1 << (at / 4 % BUCKETS as u32));
        let Some(view) = self.views.get_mut(wave as usize) else { return };
        while buckets != 0 {
            let bucket = buckets.trailing_zeros() as usize;
            buckets &= buckets - 1;
            let released = &mut self.released[bucket];
            if self.used >> bucket & 1 == 0 {
                *released = [0; WAVES];
                self.used |= 1 << bucket;
            }
            for (known, clock) in view.iter_mut().zip(released) {
                if acquires {
                    *known = (*known).max(*clock);
                }
                *clock = (*clock).max(*known);
            }
        }
        view[wave as usize % WAVES] += 1;
    }

    /// A wave waits for what it reads, and has seen what others wrote there: it knows what they did so far.
    pub(crate) fn acquire(&mut self, access: Access) {
        for (number, mask) in parts(access.at, access.bytes) {
            let Some(word) = self.words.get(number).filter(|_| self.summaries.get(number) == Summary::Long) else {
                continue;
            };
            let writers = word.writers.iter().zip(mask.to_le_bytes());
            let writers = writers.filter(|(writer, mask)| *mask != 0 && usize::from(**writer) < WAVES);
            let others = writers.fold(word.atomic_mask, |others, (writer, _)| others | 1 << writer);
            for other in waves(others & !(1 << access.wave)) {
                let Some(theirs) = self.views.get(usize::from(other)).copied() else { continue };
                let Some(view) = self.views.get_mut(access.wave as usize) else { continue };
                view.iter_mut().zip(theirs).for_each(|(known, clock)| *known = clock.max(*known));
            }
        }
    }

    /// Whether `wave` knows what another one did at a clock.
    fn knows(&self, wave: u32, other: u8, clock: u32) -> bool {
        self.views.get(wave as usize).is_some_and(|view| clock <= view[usize::from(other) % WAVES])
    }

    fn clock(&self, wave: u32) -> u32 {
        self.views.get(wave as usize).map_or(0, |view| view[wave as usize % WAVES])
    }

    /// The long form of a word, made from the short one where it was not used yet.
    #[inline]
    fn long(&mut self, word: usize) -> Option<Word> {
        let made = match self.summaries.get(word) {
            Summary::Long => return self.words.get(word).copied(),
            Summary::Fresh => FRESH,
            Summary::Read { waves, step } => {
                let reader = if waves.is_power_of_two() { waves.trailing_zeros() as u8 } else { SEVERAL };
                Word { readers: [reader; 4], reader_mask: waves, read_clock: 1, read_step: step, ..FRESH }
            }
            Summary::Written { wave, step } => {
                Word { writers: [wave as u8; 4], write_clock: 1, write_step: step, ..FRESH }
            }
        };
        self.summaries.lengthen(word);
        Some(made)
    }

    #[inline]
    fn read_word(&mut self, access: Access, number: usize, mask: u32) -> Option<Earlier> {
        let mut word = self.long(number)?;
        let mine = access.wave * 0x0101_0101;
        let mut race = None;
        let writers = u32::from_le_bytes(word.writers);
        if (writers ^ NOBODY) & mask != 0 && (writers ^ mine) & mask != 0 {
            race = self.writer(&word, access, mask);
        }
        if word.atomic_mask != 0 {
            race = race.or_else(|| self.atomic(&word, access));
        }
        let clock = self.clock(access.wave);
        let readers = u32::from_le_bytes(word.readers);
        if (readers ^ NOBODY) & mask == 0 {
            word.readers = (readers & !mask | mine & mask).to_le_bytes();
        } else if (readers ^ mine) & mask != 0 {
            let touched = word.readers.iter_mut().enumerate().filter(|(byte, _)| mask >> (8 * byte) & 1 != 0);
            for (_, reader) in touched {
                let is_first = *reader == 0xff || u32::from(*reader) == access.wave;
                *reader = if is_first { access.wave as u8 } else { SEVERAL };
            }
        }
        let is_alone = word.reader_mask & !(1 << access.wave) == 0;
        word.read_clock = if is_alone { clock } else { clock.min(word.read_clock) };
        word.reader_mask |= 1 << access.wave;
        word.read_step = access.step;
        self.words[number] = word;
        race
    }

    #[inline]
    fn write_word(&mut self, access: Access, number: usize, mask: u32) -> Option<Earlier> {
        let mut word = self.long(number)?;
        let mine = access.wave * 0x0101_0101;
        let race = self.plain(&word, access, mask, mine).or_else(|| self.atomic(&word, access));
        let clock = self.clock(access.wave);
        let writers = u32::from_le_bytes(word.writers);
        let others = (writers ^ NOBODY) & !mask != 0 && (writers ^ mine) & !mask != 0;
        word.write_clock = if others { clock.min(word.write_clock) } else { clock };
        word.writers = (writers & !mask | mine & mask).to_le_bytes();
        word.write_step = access.step;
        word.readers = (u32::from_le_bytes(word.readers) | mask).to_le_bytes();
        if u32::from_le_bytes(word.readers) == NOBODY {
            word.reader_mask = 0;
        }
        word.atomic_mask = 0;
        self.words[number] = word;
        race
    }

    fn update_word(&mut self, access: Access, number: usize, mask: u32) -> Option<Earlier> {
        let mut word = self.long(number)?;
        let race = self.plain(&word, access, mask, access.wave * 0x0101_0101);
        let clock = self.clock(access.wave);
        let is_alone = word.atomic_mask & !(1 << access.wave) == 0;
        word.atomic_clock = if is_alone { clock } else { clock.min(word.atomic_clock) };
        word.atomic_mask |= 1 << access.wave;
        word.atomic_step = access.step;
        self.words[number] = word;
        race
    }

    /// A plain access of another wave that is not ordered before a write.
    #[inline]
    fn plain(&self, word: &Word, access: Access, mask: u32, mine: u32) -> Option<Earlier> {
        let is_others = |waves: [u8; 4]| {
            let waves = u32::from_le_bytes(waves);
            (waves ^ NOBODY) & mask != 0 && (waves ^ mine) & mask != 0
        };
        if is_others(word.writers)
            && let Some(race) = self.writer(word, access, mask)
        {
            return Some(race);
        }
        if is_others(word.readers) { self.reader(word, access, mask) } else { None }
    }

    fn writer(&self, word: &Word, access: Access, mask: u32) -> Option<Earlier> {
        let found = word.writers.iter().enumerate().find(|(byte, writer)| {
            let is_other = mask >> (8 * byte) & 1 != 0 && **writer != 0xff && u32::from(**writer) != access.wave;
            is_other && !self.knows(access.wave, **writer, word.write_clock)
        });
        found.map(|(_, writer)| Earlier { wave: u32::from(*writer), step: word.write_step, write: true })
    }

    fn reader(&self, word: &Word, access: Access, mask: u32) -> Option<Earlier> {
        let unknown =
            |reader: u8| u32::from(reader) != access.wave && !self.knows(access.wave, reader, word.read_clock);
        let found = word.readers.iter().enumerate().find_map(|(byte, reader)| match *reader {
            _ if mask >> (8 * byte) & 1 == 0 => None,
            0xff => None,
            SEVERAL => waves(word.reader_mask).find(|reader| unknown(*reader)),
            reader => Some(reader).filter(|reader| unknown(*reader)),
        });
        found.map(|reader| Earlier { wave: u32::from(reader), step: word.read_step, write: false })
    }

    /// An atomic operation of another wave that is not ordered before a plain access.
    fn atomic(&self, word: &Word, access: Access) -> Option<Earlier> {
        let mut others = waves(word.atomic_mask & !(1 << access.wave));
        let found = others.find(|other| !self.knows(access.wave, *other, word.atomic_clock))?;
        Some(Earlier { wave: u32::from(found), step: word.atomic_step, write: true })
    }
}
