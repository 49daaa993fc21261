//! HIP's error codes, with their names and what AMD's library says of each.
//!
//! Source: `hipError_t` in `hip/hip_runtime_api.h` of HIP 7.2, and the answers of `hipGetErrorString` of AMD's library 7.2.4,
//! which tells them where there is no GPU, too. Programs print them, and outputs are compared.

use std::ffi::{CStr, CString};
use std::sync::LazyLock;

macro_rules! errors {
    ($($name:ident = $code:literal, $text:literal;)*) => {
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
            $(results.push(($code, text(concat!("hipError", stringify!($name))), text($text)));)*
            results
        });
    };
}

errors! {
    InvalidValue = 1, "invalid argument";
    OutOfMemory = 2, "out of memory";
    NotInitialized = 3, "initialization error";
    Deinitialized = 4, "driver shutting down";
    ProfilerDisabled = 5, "profiler disabled while using external profiling tool";
    ProfilerNotInitialized = 6, "profiler is not initialized";
    ProfilerAlreadyStarted = 7, "profiler already started";
    ProfilerAlreadyStopped = 8, "profiler already stopped";
    InvalidConfiguration = 9, "invalid configuration argument";
    InvalidPitchValue = 12, "invalid pitch argument";
    InvalidSymbol = 13, "invalid device symbol";
    InvalidDevicePointer = 17, "invalid device pointer";
    InvalidMemcpyDirection = 21, "invalid copy direction for memcpy";
    InsufficientDriver = 35, "driver version is insufficient for runtime version";
    MissingConfiguration = 52, "__global__ function call is not configured";
    PriorLaunchFailure = 53, "unspecified launch failure in prior launch";
    InvalidDeviceFunction = 98, "invalid device function";
    NoDevice = 100, "no ROCm-capable device is detected";
    InvalidDevice = 101, "invalid device ordinal";
    InvalidImage = 200, "device kernel image is invalid";
    InvalidContext = 201, "invalid device context";
    ContextAlreadyCurrent = 202, "context is already current context";
    MapFailed = 205, "mapping of buffer object failed";
    UnmapFailed = 206, "unmapping of buffer object failed";
    ArrayIsMapped = 207, "array is mapped";
    AlreadyMapped = 208, "resource already mapped";
    NoBinaryForGpu = 209, "no kernel image is available for execution on the device";
    AlreadyAcquired = 210, "resource already acquired";
    NotMapped = 211, "resource not mapped";
    NotMappedAsArray = 212, "resource not mapped as array";
    NotMappedAsPointer = 213, "resource not mapped as pointer";
    ECCNotCorrectable = 214, "uncorrectable ECC error encountered";
    UnsupportedLimit = 215, "limit is not supported on this architecture";
    ContextAlreadyInUse = 216, "exclusive-thread device already in use by a different thread";
    PeerAccessUnsupported = 217, "peer access is not supported between these two devices";
    InvalidKernelFile = 218, "invalid kernel file";
    InvalidGraphicsContext = 219, "invalid OpenGL or DirectX context";
    InvalidSource = 300, "device kernel image is invalid";
    FileNotFound = 301, "file not found";
    SharedObjectSymbolNotFound = 302, "shared object symbol not found";
    SharedObjectInitFailed = 303, "shared object initialization failed";
    OperatingSystem = 304, "OS call failed or operation not supported on this OS";
    InvalidHandle = 400, "invalid resource handle";
    IllegalState = 401, "the operation cannot be performed in the present state";
    NotFound = 500, "named symbol not found";
    NotReady = 600, "device not ready";
    IllegalAddress = 700, "an illegal memory access was encountered";
    LaunchOutOfResources = 701, "too many resources requested for launch";
    LaunchTimeOut = 702, "the launch timed out and was terminated";
    PeerAccessAlreadyEnabled = 704, "peer access is already enabled";
    PeerAccessNotEnabled = 705, "peer access has not been enabled";
    SetOnActiveProcess = 708, "cannot set while device is active in this process";
    ContextIsDestroyed = 709, "context is destroyed";
    Assert = 710, "device-side assert triggered";
    HostMemoryAlreadyRegistered = 712, "part or all of the requested memory range is already mapped";
    HostMemoryNotRegistered = 713, "pointer does not correspond to a registered memory region";
    LaunchFailure = 719, "unspecified launch failure";
    CooperativeLaunchTooLarge = 720, "too many blocks in cooperative launch";
    NotSupported = 801, "operation not supported";
    StreamCaptureUnsupported = 900, "operation not permitted when stream is capturing";
    StreamCaptureInvalidated = 901, "operation failed due to a previous error during capture";
    StreamCaptureMerge = 902, "operation would result in a merge of separate capture sequences";
    StreamCaptureUnmatched = 903, "capture was not ended in the same stream as it began";
    StreamCaptureUnjoined = 904, "capturing stream has unjoined work";
    StreamCaptureIsolation = 905, "dependency created on uncaptured work in another stream";
    StreamCaptureImplicit = 906, "operation would make the legacy stream depend on a capturing blocking stream";
    CapturedEvent = 907, "operation not permitted on an event last recorded in a capturing stream";
    StreamCaptureWrongThread = 908, "attempt to terminate a thread-local capture sequence from another thread";
    GraphExecUpdateFailure = 910, "the graph update was not performed because it included changes which violated constraints specific to instantiated graph update";
    InvalidChannelDescriptor = 911, "invalid resource description of texture passed to the api";
    InvalidTexture = 912, "invalid texture object passed to the api";
    Unknown = 999, "unknown error";
    RuntimeMemory = 1052, "runtime memory call returned error";
    RuntimeOther = 1053, "runtime call other than memory returned error";
    Tbd = 1054, "unknown error";
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_have_names_and_texts() {
        assert_eq!(name(0), c"hipSuccess");
        assert_eq!(name(2), c"hipErrorOutOfMemory");
        assert_eq!(description(719), c"unspecified launch failure");
        assert_eq!(description(1), c"invalid argument");
        assert_eq!(name(31_337), c"hipErrorUnknown");
    }
}
