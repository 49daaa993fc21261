//! HIP's error codes, with their names and descriptions.
//!
//! Source: `hipError_t` in `hip/hip_runtime_api.h` of HIP 7.2.

use std::ffi::{CStr, CString};
use std::sync::LazyLock;

macro_rules! errors {
    ($($name:ident = $code:literal,)*) => {
        /// What a call of the HIP API can return beside success.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[expect(dead_code, reason = "programs may ask for the name of any of them")]
        #[repr(i32)]
        pub(crate) enum Error {
            $(
                #[doc = concat!("`hipError", stringify!($name), "`")]
                $name = $code,
            )*
        }

        /// Code, name and description of each result.
        static RESULTS: LazyLock<Vec<(i32, CString, CString)>> = LazyLock::new(|| {
            let mut results = vec![(0, c"hipSuccess".to_owned(), c"no error".to_owned())];
            $(results.push(($code, text(concat!("hipError", stringify!($name))), describe(stringify!($name))));)*
            results
        });
    };
}

errors! {
    InvalidValue = 1,
    OutOfMemory = 2,
    NotInitialized = 3,
    Deinitialized = 4,
    ProfilerDisabled = 5,
    ProfilerNotInitialized = 6,
    ProfilerAlreadyStarted = 7,
    ProfilerAlreadyStopped = 8,
    InvalidConfiguration = 9,
    InvalidPitchValue = 12,
    InvalidSymbol = 13,
    InvalidDevicePointer = 17,
    InvalidMemcpyDirection = 21,
    InsufficientDriver = 35,
    MissingConfiguration = 52,
    PriorLaunchFailure = 53,
    InvalidDeviceFunction = 98,
    NoDevice = 100,
    InvalidDevice = 101,
    InvalidImage = 200,
    InvalidContext = 201,
    ContextAlreadyCurrent = 202,
    MapFailed = 205,
    UnmapFailed = 206,
    ArrayIsMapped = 207,
    AlreadyMapped = 208,
    NoBinaryForGpu = 209,
    AlreadyAcquired = 210,
    NotMapped = 211,
    NotMappedAsArray = 212,
    NotMappedAsPointer = 213,
    ECCNotCorrectable = 214,
    UnsupportedLimit = 215,
    ContextAlreadyInUse = 216,
    PeerAccessUnsupported = 217,
    InvalidKernelFile = 218,
    InvalidGraphicsContext = 219,
    InvalidSource = 300,
    FileNotFound = 301,
    SharedObjectSymbolNotFound = 302,
    SharedObjectInitFailed = 303,
    OperatingSystem = 304,
    InvalidHandle = 400,
    IllegalState = 401,
    NotFound = 500,
    NotReady = 600,
    IllegalAddress = 700,
    LaunchOutOfResources = 701,
    LaunchTimeOut = 702,
    PeerAccessAlreadyEnabled = 704,
    PeerAccessNotEnabled = 705,
    SetOnActiveProcess = 708,
    ContextIsDestroyed = 709,
    Assert = 710,
    HostMemoryAlreadyRegistered = 712,
    HostMemoryNotRegistered = 713,
    LaunchFailure = 719,
    CooperativeLaunchTooLarge = 720,
    NotSupported = 801,
    StreamCaptureUnsupported = 900,
    StreamCaptureInvalidated = 901,
    StreamCaptureMerge = 902,
    StreamCaptureUnmatched = 903,
    StreamCaptureUnjoined = 904,
    StreamCaptureIsolation = 905,
    StreamCaptureImplicit = 906,
    CapturedEvent = 907,
    StreamCaptureWrongThread = 908,
    GraphExecUpdateFailure = 910,
    InvalidChannelDescriptor = 911,
    InvalidTexture = 912,
    Unknown = 999,
    RuntimeMemory = 1052,
    RuntimeOther = 1053,
}

/// The name of a result code; that of `hipErrorUnknown` for a number that is none.
pub(crate) fn name(code: i32) -> &'static CStr {
    &entry(code).1
}

/// What a result code says, in a few words.
pub(crate) fn description(code: i32) -> &'static CStr {
    &entry(code).2
}

fn entry(code: i32) -> &'static (i32, CString, CString) {
    let known = |wanted: i32| RESULTS.iter().find(|entry| entry.0 == wanted);
    known(code).or_else(|| known(Error::Unknown as i32)).unwrap_or(&RESULTS[0])
}

fn text(text: &str) -> CString {
    CString::new(text).unwrap_or_default()
}

/// The words of a name: `InvalidValue` is "invalid value".
fn describe(name: &str) -> CString {
    let mut words = String::new();
    let mut before_is_upper = true;
    for character in name.chars() {
        if character.is_uppercase() && !before_is_upper {
            words.push(' ');
        }
        before_is_upper = character.is_uppercase();
        words.extend(character.to_lowercase());
    }
    text(&words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_have_names_and_words() {
        assert_eq!(name(0), c"hipSuccess");
        assert_eq!(name(2), c"hipErrorOutOfMemory");
        assert_eq!(description(719), c"launch failure");
        assert_eq!(name(31_337), c"hipErrorUnknown");
    }
}
