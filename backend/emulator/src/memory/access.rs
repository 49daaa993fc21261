//! Loads, stores and atomic operations on memory of the guest. Whoever calls has looked the address up.

#![allow(unsafe_code, reason = "guest addresses are host addresses")]

use std::ptr::{with_exposed_provenance as at, with_exposed_provenance_mut as at_mut};
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

/// Addresses come from kernels: only [`super::Memory`] knows whether they are valid.
fn place(address: u64) -> usize {
    usize::try_from(address).unwrap_or(usize::MAX)
}

macro_rules! plain_access {
    ($load:ident, $store:ident, $number:ty, $atomic:ty) => {
        /// Reads a number; other threads may write it at the same time.
        #[inline]
        pub(crate) fn $load(address: u64) -> $number {
            let address = place(address);
            if address % size_of::<$number>() == 0 {
                // SAFETY: the address lies in live memory and is aligned.
                return unsafe { <$atomic>::from_ptr(at_mut(address)) }.load(Ordering::Relaxed);
            }
            // SAFETY: the address lies in live memory; unaligned accesses are not atomic on the device either.
            unsafe { at::<$number>(address).read_unaligned() }
        }

        /// Writes a number; other threads may read it at the same time.
        #[inline]
        pub(crate) fn $store(address: u64, value: $number) {
            let address = place(address);
            if address % size_of::<$number>() == 0 {
                // SAFETY: the address lies in live memory and is aligned.
                return unsafe { <$atomic>::from_ptr(at_mut(address)) }.store(value, Ordering::Relaxed);
            }
            // SAFETY: the address lies in live memory; unaligned accesses are not atomic on the device either.
            unsafe { at_mut::<$number>(address).write_unaligned(value) }
        }
    };
}

plain_access!(load_u8, store_u8, u8, AtomicU8);
plain_access!(load_u16, store_u16, u16, AtomicU16);
plain_access!(load_u32, store_u32, u32, AtomicU32);
plain_access!(load_u64, store_u64, u64, AtomicU64);

/// Reads words that lie side by side, from a multiple of four on; other threads may write them at the same time.
pub(crate) fn load_words(address: u64, into: &mut [u32]) {
    for (value, at) in into.iter_mut().zip((place(address)..).step_by(4)) {
        // SAFETY: the caller checked that all addresses lie in live memory and are aligned.
        *value = unsafe { AtomicU32::from_ptr(at_mut(at)) }.load(Ordering::Relaxed);
    }
}

/// Writes words side by side, from a multiple of four on; other threads may read them at the same time.
pub(crate) fn store_words(address: u64, values: &[u32]) {
    for (value, at) in values.iter().zip((place(address)..).step_by(4)) {
        // SAFETY: the caller checked that all addresses lie in live memory and are aligned.
        unsafe { AtomicU32::from_ptr(at_mut(at)) }.store(*value, Ordering::Relaxed);
    }
}

/// Changes a number at an aligned address in one step and returns the old one.
pub(crate) fn update_u32(address: u64, change: impl Fn(u32) -> u32) -> u32 {
    // SAFETY: the caller checked that the address lies in live memory and is aligned.
    let atomic = unsafe { AtomicU32::from_ptr(at_mut(place(address))) };
    let result = atomic.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |old| Some(change(old)));
    result.unwrap_or_else(|old| old)
}

/// Changes a number at an aligned address in one step and returns the old one.
pub(crate) fn update_u64(address: u64, change: impl Fn(u64) -> u64) -> u64 {
    // SAFETY: the caller checked that the address lies in live memory and is aligned.
    let atomic = unsafe { AtomicU64::from_ptr(at_mut(place(address))) };
    let result = atomic.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |old| Some(change(old)));
    result.unwrap_or_else(|old| old)
}

/// Copies bytes out of live memory.
pub(crate) fn read_bytes(address: u64, into: &mut [u8]) {
    for (byte, place) in into.iter_mut().zip(address..) {
        *byte = load_u8(place);
    }
}

/// Copies bytes into live memory.
pub(crate) fn write_bytes(address: u64, bytes: &[u8]) {
    for (byte, place) in bytes.iter().zip(address..) {
        store_u8(place, *byte);
    }
}
