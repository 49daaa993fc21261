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

/// Reads up to four words of 32 bits. Two and four words at a multiple of their size come in one step, as the machine reads
/// them: libraries keep flags beside values and take both with one access.
#[inline]
pub(crate) fn load_words(address: u64, words: u32) -> [u32; 4] {
    if words == 2 && address.is_multiple_of(8) {
        let both = load_u64(address);
        return [both as u32, (both >> 32) as u32, 0, 0];
    }
    if words == 4 && address.is_multiple_of(16) {
        return load_four(place(address));
    }
    let mut found = [0; 4];
    for (value, place) in found.iter_mut().take(words as usize).zip((address..).step_by(4)) {
        *value = load_u32(place);
    }
    found
}

/// Writes up to four words of 32 bits, two and four at a multiple of their size in one step.
#[inline]
pub(crate) fn store_words(address: u64, values: [u32; 4], words: u32) {
    if words == 2 && address.is_multiple_of(8) {
        return store_u64(address, u64::from(values[0]) | u64::from(values[1]) << 32);
    }
    if words == 4 && address.is_multiple_of(16) {
        return store_four(place(address), values);
    }
    for (value, place) in values.into_iter().take(words as usize).zip((address..).step_by(4)) {
        store_u32(place, value);
    }
}

/// One step on processors with AVX: *Intel 64 and IA-32 Architectures Software Developer's Manual*, volume 3A, section 9.1.1;
/// *AMD64 Architecture Programmer's Manual*, volume 2, section 7.3.2.
#[cfg(target_arch = "x86_64")]
#[inline]
fn load_four(address: usize) -> [u32; 4] {
    let all: std::arch::x86_64::__m128i;
    // SAFETY: the caller checked that the 16 bytes lie in live memory and that the address is a multiple of 16.
    unsafe {
        std::arch::asm!("movdqa {}, [{}]", out(xmm_reg) all, in(reg) address, options(nostack, preserves_flags, readonly));
        std::mem::transmute(all)
    }
}

#[cfg(target_arch = "x86_64")]
#[inline]
fn store_four(address: usize, values: [u32; 4]) {
    // SAFETY: the caller checked that the 16 bytes lie in live memory and that the address is a multiple of 16.
    unsafe {
        let all: std::arch::x86_64::__m128i = std::mem::transmute(values);
        std::arch::asm!("movdqa [{}], {}", in(reg) address, in(xmm_reg) all, options(nostack, preserves_flags));
    }
}

/// Two steps: other processors have no access of 16 bytes that is known to be one.
#[cfg(not(target_arch = "x86_64"))]
fn load_four(address: usize) -> [u32; 4] {
    let [low, high] = [0, 8].map(|at| load_u64((address + at) as u64));
    [low as u32, (low >> 32) as u32, high as u32, (high >> 32) as u32]
}

#[cfg(not(target_arch = "x86_64"))]
fn store_four(address: usize, [a, b, c, d]: [u32; 4]) {
    store_u64(address as u64, u64::from(a) | u64::from(b) << 32);
    store_u64(address as u64 + 8, u64::from(c) | u64::from(d) << 32);
}

/// Reads words that lie side by side, from a multiple of four on; other threads may write them at the same time.
pub(crate) fn load_row(address: u64, into: &mut [u32]) {
    for (value, at) in into.iter_mut().zip((place(address)..).step_by(4)) {
        // SAFETY: the caller checked that all addresses lie in live memory and are aligned.
        *value = unsafe { AtomicU32::from_ptr(at_mut(at)) }.load(Ordering::Relaxed);
    }
}

/// Writes words side by side, from a multiple of four on; other threads may read them at the same time.
pub(crate) fn store_row(address: u64, values: &[u32]) {
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;

    #[repr(align(16))]
    struct Words([AtomicU32; 16]);

    impl Words {
        fn new() -> Words {
            Words(std::array::from_fn(|_| AtomicU32::new(0)))
        }

        fn address(&self) -> u64 {
            self.0.as_ptr().expose_provenance() as u64
        }
    }

    /// A reader that sees halves of two writes would find words that differ.
    #[test]
    fn words_of_one_access_are_never_torn() {
        for count in [2, 4] {
            let words = Words::new();
            let address = words.address();
            let is_done = AtomicBool::new(false);
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    for value in (0..u32::MAX).take_while(|_| !is_done.load(Ordering::Relaxed)) {
                        store_words(address, [value; 4], count);
                    }
                });
                let seen = (0..3_000_000).map(|_| load_words(address, count));
                let torn = { seen }.find(|seen| seen[1..count as usize].iter().any(|word| *word != seen[0]));
                is_done.store(true, Ordering::Relaxed);
                assert_eq!(torn, None);
            });
        }
    }

    #[test]
    fn words_lie_where_they_are_put() {
        let words = Words::new();
        let start = words.address();
        for (offset, count) in [(0, 2), (4, 2), (0, 3), (0, 4), (8, 4), (12, 4)] {
            store_words(start + offset, [1, 2, 3, 4], count);
            let found = load_words(start + offset, count);
            assert_eq!(found[..count as usize], [1, 2, 3, 4][..count as usize]);
            assert_eq!(load_u32(start + offset + 4), 2);
        }
    }
}
