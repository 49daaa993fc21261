//! Marks and ranges for profilers (ROCTX, `roctracer/roctx.h`), which nobody reads here: programs that set them link and run.
//!
//! AMD's library with these functions is `libroctx64`; a program that is linked with it calls that one.

use std::cell::Cell;
use std::ffi::{c_char, c_int};
use std::sync::atomic::{AtomicU64, Ordering};

thread_local! {
    /// How many ranges are open in the thread.
    static DEPTH: Cell<c_int> = const { Cell::new(0) };
}

/// The number of the next range that may end in another thread.
static NEXT: AtomicU64 = AtomicU64::new(1);

#[unsafe(no_mangle)]
extern "C" fn roctx_version_major() -> u32 {
    4
}

#[unsafe(no_mangle)]
extern "C" fn roctx_version_minor() -> u32 {
    1
}

#[unsafe(no_mangle)]
extern "C" fn roctxMarkA(_: *const c_char) {}

/// Begins a range; its level, the outermost of which is 0.
#[unsafe(no_mangle)]
extern "C" fn roctxRangePushA(_: *const c_char) -> c_int {
    DEPTH.replace(DEPTH.get().saturating_add(1))
}

/// Ends the range that began last; its level, or a negative number if none is open.
#[unsafe(no_mangle)]
extern "C" fn roctxRangePop() -> c_int {
    let level = DEPTH.get() - 1;
    DEPTH.set(level.max(0));
    level
}

#[unsafe(no_mangle)]
extern "C" fn roctxRangeStartA(_: *const c_char) -> u64 {
    NEXT.fetch_add(1, Ordering::Relaxed)
}

#[unsafe(no_mangle)]
extern "C" fn roctxRangeStop(_: u64) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_a_thread_have_levels() {
        let push = || roctxRangePushA(std::ptr::null());
        assert_eq!([push(), push(), roctxRangePop(), push(), roctxRangePop(), roctxRangePop()], [0, 1, 1, 1, 1, 0]);
        assert_eq!([roctxRangePop(), push()], [-1, 0]);
        std::thread::spawn(|| assert_eq!(roctxRangePushA(std::ptr::null()), 0)).join().unwrap();
    }
}
