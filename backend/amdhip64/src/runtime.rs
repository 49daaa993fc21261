//! The emulated GPU of the process, and the settings that come from the environment.

use std::env;
use std::io::Write as _;
use std::sync::{LazyLock, Mutex};

use hipshift_emulator::{Device, HostServices, Options, Stream as Output, Target};

use crate::error::Error;
use crate::handles::lock;
use crate::messages::warn;

/// The one GPU that programs see.
pub(crate) struct Gpu {
    pub(crate) target: Target,
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
    static GPU: LazyLock<Gpu> = LazyLock::new(|| {
        let target = target();
        let options = options();
        Gpu { device: Device::new(target.clone(), options), target, failure: Mutex::new(None) }
    });
    &GPU
}

/// The variable that names the GPU to emulate, as `--offload-arch` does.
const ARCH: &str = "HIPSHIFT_ARCH";

fn target() -> Target {
    let Ok(wanted) = env::var(ARCH) else { return Target::default() };
    Target::parse(&wanted).unwrap_or_else(|error| {
        warn(&format!("{ARCH}: {error}; emulating {}", Target::default()));
        Target::default()
    })
}

fn options() -> Options {
    let mut options = Options::default();
    number("HIPSHIFT_THREADS", &mut options.threads);
    number("HIPSHIFT_SCHEDULE_SEED", &mut options.schedule_seed);
    number("HIPSHIFT_STEP_LIMIT", &mut options.step_limit);
    options.services = Some(Box::new(Terminal));
    options
}

/// Reads a number from the environment. One that cannot be read is reported and changes nothing.
fn number<T: std::str::FromStr>(variable: &str, value: &mut T) {
    let Ok(text) = env::var(variable) else { return };
    match text.parse() {
        Ok(number) => *value = number,
        Err(_) => warn(&format!("{variable}: '{text}' is no number")),
    }
}

/// Where output of kernels goes: the streams of the program.
struct Terminal;

impl HostServices for Terminal {
    fn print(&self, stream: Output, text: &[u8]) {
        // As with `printf`, nobody is told of a closed stream.
        let _ = match stream {
            Output::Out => std::io::stdout().lock().write_all(text),
            Output::Error => std::io::stderr().lock().write_all(text),
        };
    }
}
