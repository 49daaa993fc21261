//! Misuse of the API by the program: told beside the status that a call returns, which programs often do not look at.

use hipshift_emulator::Checks;

use crate::error::{self, Error};
use crate::messages::{found, is_wanted};
use crate::runtime::gpu;

/// Tells of a call that makes no sense, unless checks are off.
pub(crate) fn misuse(message: &str) {
    if gpu().checks > Checks::None {
        found(message);
    }
}

/// The variable that has each call told that ends with an error.
const API_ERRORS: &str = "HIPSHIFT_API_ERRORS";

/// Tells of a call that ended with an error, if that is wanted.
pub(crate) fn failed(name: &str, error: Error) {
    if is_wanted(API_ERRORS) {
        let (code, text) = (error::name(error as i32).to_string_lossy(), error::description(error as i32));
        found(&format!("{name} returned {code}: {}", text.to_string_lossy()));
    }
}
