//! Shows what was found to people and programs.

use std::io::Write;
use std::path::Path;

use super::look::{Findings, Hip, look};
use crate::cli::args::{Doctor, PlainFormatWord};
use crate::cli::exit::Exit;
use crate::cli::output::stdout_for;
use crate::report::one_line;

pub(in crate::cli) fn run(arguments: &Doctor) -> anyhow::Result<Exit> {
    let mut out = stdout_for(arguments.format == PlainFormatWord::Text);
    let found = look()?;
    if arguments.format == PlainFormatWord::Json {
        serde_json::to_writer_pretty(&mut out, &found)?;
        writeln!(out)?;
    } else {
        write_text(&mut out, &found)?;
    }
    out.flush()?;
    Ok(Exit::Clean)
}

fn write_text(out: &mut dyn Write, found: &Findings) -> std::io::Result<()> {
    writeln!(out, "hipshift       {}", found.version)?;
    writeln!(out, "tables         {} lines, {} call rules", found.table_lines, found.call_rules)?;
    writeln!(out, "releases       ROCm {} to {}", found.oldest_rocm, found.newest_rocm)?;
    writeln!(out, "targets        {}", found.targets)?;
    let config = found.configuration.as_ref();
    writeln!(out, "configuration  {}", one_line(config.map_or("none (defaults)", |path| path.as_str())))?;
    writeln!(out, "last run       {}", one_line(&found.last_run))?;
    for hip in &found.hip {
        write_hip(out, hip)?;
    }
    for gpu in &found.gpus {
        writeln!(out, "GPU            {} ({})", gpu.name, gpu.vendor)?;
    }
    if found.gpus.is_empty() {
        writeln!(out, "GPU            none")?;
    }
    for executor in &found.executors {
        let path = executor.path.as_ref().map_or_else(|| "not found".to_owned(), |path| shown(path));
        writeln!(out, "{:<14} {path} (executor: {})", executor.name, executor.about)?;
    }
    for library in &found.libraries {
        let path = library.path.as_ref().map(|path| shown(path));
        let path = path.unwrap_or_else(|| format!("not fetched (`{}`)", library.command));
        writeln!(out, "library {:<6} {path}", library.name)?;
    }
    for program in &found.programs {
        let path = program.path.as_ref().map_or_else(|| "not found".to_owned(), |path| shown(path));
        writeln!(out, "{:<14} {path} ({})", program.name, program.purpose)?;
    }
    write_missing(out, found)?;
    writeln!(out, "Conversion needs none of these; compiling the result needs a compiler and headers of HIP.")
}

fn write_hip(out: &mut dyn Write, hip: &Hip) -> std::io::Result<()> {
    let version = hip.version.as_deref().unwrap_or("version unknown");
    writeln!(out, "HIP {:<10} {} ({version}; {})", hip.release, shown(&hip.path), hip.origin)?;
    let version = hip.compiler_version.as_deref().unwrap_or("does not start");
    writeln!(out, "  compiler     {} ({version})", shown(&hip.compiler))?;
    let libraries = hip.device_libraries.as_ref().map(|path| shown(path));
    writeln!(out, "  device code  {}", libraries.unwrap_or_else(|| "libraries of the compiler's own choice".to_owned()))
}

fn write_missing(out: &mut dyn Write, found: &Findings) -> std::io::Result<()> {
    if !found.missing.is_empty() {
        writeln!(out, "missing:")?;
    }
    for missing in &found.missing {
        writeln!(out, "  {}", one_line(&missing.what))?;
        writeln!(out, "      {}", one_line(&missing.command))?;
    }
    Ok(())
}

/// A path in one line.
fn shown(path: &Path) -> String {
    one_line(&path.to_string_lossy()).into_owned()
}
