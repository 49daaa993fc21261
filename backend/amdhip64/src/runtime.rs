//! The emulated GPU of the process, and the settings that come from the environment.

use std::env;
use std::str::FromStr;
use std::sync::{Arc, LazyLock, Mutex};

use hipshift_emulator::{Device, Options, Target};

use crate::error::Error;
use crate::handles::lock;
use crate::messages::{CStreams, warn};

/// The one GPU that programs see.
pub(crate) struct Gpu {
    pub(crate) device: Device,
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

/// The GPU of the process, made when it is asked for first.
pub(crate) fn gpu() -> &'static Gpu {
    static GPU: LazyLock<Gpu> = LazyLock::new(|| Gpu {
        device: Device::new(target(), options(), Arc::new(CStreams)),
        failure: Mutex::new(None),
    });
    &GPU
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
    let default = Options::default();
    Options {
        threads: number("HIPSHIFT_THREADS").unwrap_or(default.threads),
        schedule_seed: number("HIPSHIFT_SCHEDULE_SEED").or(default.schedule_seed),
        step_limit: number("HIPSHIFT_STEP_LIMIT").or(default.step_limit),
        ..default
    }
}

/// A number from the environment. One that cannot be read is reported, and counts as not given.
fn number<T: FromStr>(variable: &str) -> Option<T> {
    let text = env::var(variable).ok()?;
    let number = text.parse().ok();
    if number.is_none() {
        warn(&format!("{variable}: '{text}' is no number"));
    }
    number
}
