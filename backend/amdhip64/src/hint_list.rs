//! What was said of ranges of memory, for as long as the memory is there.

use std::ffi::{c_int, c_uint};
use std::sync::Mutex;

use crate::lock::lock;

/// One hint, of which later ones win.
struct Hint {
    start: u64,
    end: u64,
    attribute: c_uint,
    value: c_int,
}

static HINTS: Mutex<Vec<Hint>> = Mutex::new(Vec::new());

/// Says something of the addresses from `start` to before `end`.
pub(crate) fn say([start, end]: [u64; 2], attribute: c_uint, value: c_int) {
    let mut hints = lock(&HINTS);
    hints.retain(|hint| hint.attribute != attribute || hint.start < start || hint.end > end);
    hints.push(Hint { start, end, attribute, value });
}

/// What was said last of all of a range. A part that was told something else makes that of the whole unknown.
pub(crate) fn ask([start, end]: [u64; 2], attribute: c_uint) -> Option<c_int> {
    let hints = lock(&HINTS);
    let last = hints.iter().rev().find(|hint| hint.attribute == attribute && hint.start < end && start < hint.end);
    last.filter(|hint| hint.start <= start && end <= hint.end).map(|hint| hint.value)
}

/// Forgets what was said of memory that is gone: other memory may come to lie there.
pub(crate) fn forget([start, end]: [u64; 2]) {
    lock(&HINTS).retain(|hint| hint.end <= start || end <= hint.start);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_end_with_their_memory() {
        say([0x1000, 0x2000], 1, 1);
        say([0x2000, 0x3000], 1, 1);
        assert_eq!(ask([0x1000, 0x1800], 1), Some(1));
        forget([0x1000, 0x2000]);
        assert_eq!((ask([0x1000, 0x1800], 1), ask([0x2000, 0x2800], 1)), (None, Some(1)));
    }
}
