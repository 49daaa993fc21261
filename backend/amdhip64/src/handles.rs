//! Objects that programs hold by an opaque pointer: streams, events, modules, graphs.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex};

use crate::abi::Address;
use crate::error::Error;
use crate::lock::lock;
use crate::misuse::misuse;

/// The objects of one kind that are alive. A handle is a number that is never used twice, so that a
/// destroyed object is told from a live one.
pub(crate) struct Handles<T> {
    /// What the objects are, for messages.
    what: &'static str,
    live: LazyLock<Mutex<HashMap<Address, Arc<T>>>>,
}

/// Handles of all kinds are drawn from one sequence: an event is never taken for a stream. They lie below
/// every address that a program can own, and above the small numbers that HIP gives a meaning as streams.
static NEXT: AtomicU64 = AtomicU64::new(FIRST);
const FIRST: u64 = 0x1000;

impl<T> Handles<T> {
    pub(crate) const fn new(what: &'static str) -> Handles<T> {
        Handles { what, live: LazyLock::new(|| Mutex::new(HashMap::new())) }
    }

    /// Takes an object in.
    pub(crate) fn insert(&self, object: T) -> Address {
        let handle = Address::new(NEXT.fetch_add(8, Ordering::Relaxed));
        lock(&self.live).insert(handle, Arc::new(object));
        handle
    }

    /// The object of a handle. Fails with `hipErrorInvalidHandle`.
    pub(crate) fn get(&self, handle: Address) -> Result<Arc<T>, Error> {
        lock(&self.live).get(&handle).cloned().ok_or_else(|| self.unknown(handle))
    }

    /// A handle that was given out, and is none of a live object, is told of.
    fn unknown(&self, handle: Address) -> Error {
        if (FIRST..NEXT.load(Ordering::Relaxed)).contains(&handle.get()) {
            misuse(&format!(
                "{:#x} is used as {}, and was destroyed before or is something else",
                handle.get(),
                self.what
            ));
        }
        Error::InvalidHandle
    }

    /// All objects that are alive.
    pub(crate) fn all(&self) -> Vec<Arc<T>> {
        lock(&self.live).values().cloned().collect()
    }

    /// The handle of an object.
    pub(crate) fn handle_of(&self, is_wanted: impl Fn(&T) -> bool) -> Option<Address> {
        lock(&self.live).iter().find(|(_, object)| is_wanted(object)).map(|(handle, _)| *handle)
    }

    /// How many objects are alive.
    pub(crate) fn count(&self) -> usize {
        lock(&self.live).len()
    }

    /// Forgets a handle, and gives its object. Fails with `hipErrorInvalidHandle`.
    pub(crate) fn remove(&self, handle: Address) -> Result<Arc<T>, Error> {
        lock(&self.live).remove(&handle).ok_or_else(|| self.unknown(handle))
    }
}
