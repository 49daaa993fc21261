//! The emulated GPU of the process, and the settings that come from the environment.

use std::env;
use std::ffi::c_int;
use std::fmt::Display;
use std::str::FromStr;
use std::sync::{Arc, Mutex, OnceLock};

use hipshift_emulator::{Bounds, Checks, Device, Options, Target};

use crate::error::Error;
use crate::lock::lock;
use crate::messages::{CStreams, refuse, warn};

/// The one GPU that programs see.
pub(crate) struct Gpu {
    pub(crate) device: Device,
    pub(crate) checks: Checks,
    /// What stopped a kernel: later work on the device fails with it, as on hardware.
    failure: Mutex<Option<Error>>,
}

impl Gpu {
    /// Fails with what stopped an earlier kernel, if one was stopped.
    pub(crate) fn check(&self) -> Result<(), Error> {
        lock(&self.failure).map_or(Ok(()), Err)
    }

    /// Remembers that a kernel was stopped.
    pub(crate) fn fail(&self, error: Error) {
        lock(&self.failure).get_or_insert(error);
    }

    /// Forgets a failure, as `hipDeviceReset` does.
    pub(crate) fn recover(&self) {
        *lock(&self.failure) = None;
    }
}

static GPU: OnceLock<Gpu> = OnceLock::new();

/// The GPU of the process, made when it is asked for first.
pub(crate) fn gpu() -> &'static Gpu {
    GPU.get_or_init(|| {
        let options = options();
        let checks = options.checks;
        Gpu { device: Device::new(target(), options, Arc::new(CStreams)), checks, failure: Mutex::new(None) }
    })
}

/// The GPU, if it was ever asked for.
pub(crate) fn made() -> Option<&'static Gpu> {
    GPU.get()
}

/// Fails unless the number is that of the GPU.
pub(crate) fn check(device: c_int) -> Result<(), Error> {
    if device == 0 { Ok(()) } else { Err(Error::InvalidDevice) }
}

/// The variable that names the GPU to emulate, as `--offload-arch` does.
const ARCH: &str = "HIPSHIFT_ARCH";

fn target() -> Target {
    let Ok(wanted) = env::var(ARCH) else { return Target::GFX90A };
    Target::parse(&wanted).unwrap_or_else(|error| {
        warn(&format!("{ARCH}: {error}; emulating {}", Target::GFX90A));
        Target::GFX90A
    })
}

fn options() -> Options {
    let schedule_seed = parsed("HIPSHIFT_SCHEDULE_SEED");
    // Several threads would bring an order of their own into what a seed is to fix.
    let threads = usize::from(schedule_seed.is_some());
    Options {
        threads: parsed("HIPSHIFT_THREADS").unwrap_or(threads),
        schedule_seed,
        step_limit: parsed("HIPSHIFT_STEP_LIMIT"),
        checks: parsed("HIPSHIFT_CHECKS").unwrap_or_default(),
        bounds: bounds(),
    }
}

/// The variable that says what becomes of accesses past the end of memory.
const BOUNDS: &str = "HIPSHIFT_BOUNDS";

/// Another word ends the process: what a kernel computes hangs on this.
fn bounds() -> Bounds {
    let Some(text) = env::var_os(BOUNDS) else { return Bounds::default() };
    let text = text.to_string_lossy();
    text.parse().unwrap_or_else(|error| refuse(&format!("{BOUNDS}: {error}")))
}

/// A value from the environment. One that cannot be read is reported, and counts as not given.
fn parsed<T: FromStr<Err: Display>>(variable: &str) -> Option<T> {
    let text = env::var(variable).ok()?;
    text.parse().map_err(|error| warn(&format!("{variable}: '{text}': {error}"))).ok()
}
