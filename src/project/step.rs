//! Places where a run may be stopped or made to fail, so that tests can show what is left behind.
//!
//! `HIPSHIFT_TEST_FAULT=stop:N` halts before the Nth change of the disk until the process is killed;
//! `fail:N` has that change fail as on a full disk; `wait:N` waits there for a signal and goes on. Nothing else reads or sets the variable.

use std::io::{self, Write as _};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::interrupt;

/// The variable's name.
const VARIABLE: &str = "HIPSHIFT_TEST_FAULT";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    Stop(usize),
    Fail(usize),
    Wait(usize),
}

static FAULT: LazyLock<Option<Fault>> = LazyLock::new(|| std::env::var(VARIABLE).ok().and_then(|text| parse(&text)));
static STEPS: AtomicUsize = AtomicUsize::new(0);

/// Stands before every change of the disk that belongs to a run.
pub(super) fn step() -> io::Result<()> {
    interrupt::check()?;
    let Some(fault) = *FAULT else { return Ok(()) };
    let number = STEPS.fetch_add(1, Ordering::Relaxed) + 1;
    match fault {
        Fault::Stop(at) if at == number => halt(),
        Fault::Fail(at) if at == number => Err(io::Error::from(io::ErrorKind::StorageFull)),
        Fault::Wait(at) if at == number => {
            let _ = writeln!(io::stderr(), "waiting");
            std::thread::sleep(std::time::Duration::from_secs(1));
            interrupt::check()
        }
        Fault::Stop(_) | Fault::Fail(_) | Fault::Wait(_) => Ok(()),
    }
}

/// Says so and waits for the end.
fn halt() -> ! {
    // Who does not read it kills later.
    let _ = writeln!(io::stderr(), "stopped");
    loop {
        std::thread::park();
    }
}

fn parse(text: &str) -> Option<Fault> {
    let (kind, number) = text.split_once(':')?;
    let number = number.parse().ok()?;
    match kind {
        "stop" => Some(Fault::Stop(number)),
        "fail" => Some(Fault::Fail(number)),
        "wait" => Some(Fault::Wait(number)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_faults_are_read() {
        assert_eq!(parse("stop:3"), Some(Fault::Stop(3)));
        assert_eq!(parse("fail:12"), Some(Fault::Fail(12)));
        assert_eq!((parse("3"), parse("stop:x"), parse("burn:1")), (None, None, None));
    }
}
