//! Takes any bytes for a bundle, as a program's memory holds it: what is asked for grows, and what is chosen lies in the image.
#![no_main]

use hipshift_emulator::Target;
use hipshift_emulator::object::bundle::{self, Extent};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut known = 32.min(bytes.len());
    // Nobody reads more than there is.
    while let Ok(Extent::Needs(more)) = bundle::extent(&bytes[..known]) {
        assert!(more > known, "the same is asked for again");
        if more > bytes.len() {
            break;
        }
        known = more;
    }
    for target in [Target::GFX90A, Target::GFX1100] {
        let _ = bundle::select(bytes, &target);
    }
});
