//! Shows the checks to people and programs.

use std::io::{self, Write};
use std::time::Instant;

use camino::Utf8PathBuf;
use clap::Args;
use serde::Serialize;

use super::check::Check;
use super::look::look;
use crate::cli::args::PlainFormatWord;
use crate::cli::exit::Exit;
use crate::cli::output::stdout_for;

/// `hipshift self-check`
#[derive(Debug, Args)]
pub(in crate::cli) struct SelfCheck {
    /// Folder of the compiler and of HIP's headers, as for `validate`.
    #[arg(long, value_name = "DIR")]
    toolchain: Option<Utf8PathBuf>,
    /// How the answer is written.
    #[arg(long, value_enum, default_value_t = PlainFormatWord::Text, value_name = "FORMAT")]
    format: PlainFormatWord,
}

/// The answer as JSON.
#[derive(Serialize)]
struct Answer {
    version: &'static str,
    /// Whether a port can be done and validated here.
    works: bool,
    checks: Vec<Check>,
}

pub(in crate::cli) fn run(arguments: &SelfCheck) -> anyhow::Result<Exit> {
    let begun = Instant::now();
    let checks = look(arguments.toolchain.as_deref())?;
    let works = checks.iter().all(|check| check.state.is_well());
    let mut out = stdout_for(arguments.format == PlainFormatWord::Text);
    if arguments.format == PlainFormatWord::Json {
        serde_json::to_writer_pretty(&mut out, &Answer { version: env!("CARGO_PKG_VERSION"), works, checks })?;
        writeln!(out)?;
    } else {
        checks.iter().try_for_each(|check| write_check(&mut out, check))?;
        let end = if works { "a port can be converted and validated here" } else { "not all of it works here" };
        writeln!(out, "hipshift {}: {end} ({:.1} s)", env!("CARGO_PKG_VERSION"), begun.elapsed().as_secs_f32())?;
    }
    out.flush()?;
    Ok(if works { Exit::Clean } else { Exit::Findings })
}

fn write_check(out: &mut dyn Write, check: &Check) -> io::Result<()> {
    writeln!(out, "{:<8} {:<11} {}", check.state.word(), check.name, check.about)?;
    match &check.advice {
        Some(advice) => writeln!(out, "{:<8} {:<11} {advice}", "", ""),
        None => Ok(()),
    }
}
