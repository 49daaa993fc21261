//! The `hipshift` command: parses arguments, calls [`hipshift::cli::run`], maps to an exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    hipshift::cli::run().into()
}
