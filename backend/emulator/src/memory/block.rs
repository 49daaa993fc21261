//! Memory taken from the host's allocator, with red zones around what the guest sees.

#![allow(unsafe_code, reason = "memory of the guest outlives every borrow: its life is what the guest makes of it")]

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr;

/// Bytes before and behind an allocation that belong to nobody.
const RED_ZONE: u64 = 256;

/// Owned memory, given back when dropped.
#[derive(Debug)]
pub(super) struct Block {
    base: usize,
    layout: Layout,
}

impl Block {
    /// Zeroed memory for `bytes` bytes at a multiple of `align`, and its guest address.
    pub(super) fn new(bytes: u64, align: u64) -> Option<(u64, Block)> {
        let align = align.max(RED_ZONE);
        let size = bytes.checked_add(align)?.checked_add(RED_ZONE)?;
        let layout = Layout::from_size_align(usize::try_from(size).ok()?, usize::try_from(align).ok()?).ok()?;
        // SAFETY: the layout is not empty, it holds the red zones at least.
        let base = unsafe { alloc_zeroed(layout) };
        if base.is_null() {
            return None;
        }
        let base = base.expose_provenance();
        Some((base as u64 + align, Block { base, layout }))
    }

    /// Bytes taken from the host.
    pub(super) fn footprint(&self) -> u64 {
        self.layout.size() as u64
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: `base` came from `alloc_zeroed` with this layout and is given back once.
        unsafe { dealloc(ptr::with_exposed_provenance_mut(self.base), self.layout) }
    }
}
