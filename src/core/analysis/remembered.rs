//! Answers that are found once.

use std::cell::RefCell;
use std::hash::Hash;

use rustc_hash::FxHashMap;

/// The answer for `key`, found on the first call with it. Answers that are looked for meanwhile are found as well.
pub(super) fn remembered<K: Hash + Eq, V: Clone>(
    known: &RefCell<FxHashMap<K, V>>,
    key: K,
    find: impl FnOnce() -> V,
) -> V {
    if let Some(found) = known.borrow().get(&key) {
        return found.clone();
    }
    let found = find();
    known.borrow_mut().insert(key, found.clone());
    found
}
