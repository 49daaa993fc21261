//! The `hipshift` command: parses arguments, calls [`hipshift::cli::run`], maps to an exit code.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    hipshift::cli::run().into()
}
