//! What `--help`, `--version` and `--versions` print.

use std::io::{self, Write};

use super::options::{Effect, OPTIONS, OptionInfo, Tool};
use crate::mapping::{RocmVersion, Table};

const NOTES: &str = "\
Different from HIPIFY, on purpose:
  Comments stay. Strings stay, but for names of functions that are looked up with dlsym and the like.
  Names that a file declares itself, members, and names in other namespaces stay.
  hip/hip_runtime.h is included where it is needed only.
  Headers get the paths that exist, such as hipblas/hipblas.h.
  Names that did not come with the chosen ROCm release stay and are listed.

`hipshift convert` finds more: lane masks, inline PTX, conditions. It takes whole directories.
";

/// The help of `tool`.
pub(super) fn write_help(out: &mut dyn Write, tool: Tool) -> io::Result<()> {
    let name = tool.name();
    writeln!(out, "Converts CUDA sources to HIP with the options of {name}.\n")?;
    match tool {
        Tool::Clang => writeln!(out, "Usage: {name} [OPTION]… SOURCE… [-- COMPILER_OPTION…]")?,
        Tool::Perl => writeln!(out, "Usage: {name} [OPTION]… SOURCE…")?,
    }
    writeln!(out, "       hipshift hipify --as {} …\n", if tool == Tool::Clang { "clang" } else { "perl" })?;
    match tool {
        Tool::Clang => writeln!(out, "The result of SOURCE is written to SOURCE.hip.\n")?,
        Tool::Perl => writeln!(out, "The result is written to standard output.\n")?,
    }
    let acts = |option: &&OptionInfo| matches!(option.effect, Effect::Set(_) | Effect::Give(_));
    write_options(out, "Options:", tool, acts)?;
    write_options(out, "Accepted without effect:", tool, |option| option.effect == Effect::Nothing)?;
    out.write_all(NOTES.as_bytes())?;
    match tool {
        Tool::Clang => writeln!(out, "Exit codes: 0 converted, 1 wrong usage or a file that cannot be read."),
        Tool::Perl => {
            writeln!(out, "Unknown options are reported and passed over.")?;
            writeln!(out, "Exit codes: 0 converted, 1 contradictory usage or a file that cannot be read.")
        }
    }
}

fn write_options(
    out: &mut dyn Write,
    title: &str,
    tool: Tool,
    wanted: impl Fn(&&OptionInfo) -> bool,
) -> io::Result<()> {
    writeln!(out, "{title}")?;
    let shown = |option: &&OptionInfo| option.known_to.includes(tool) && !option.help.is_empty();
    for option in OPTIONS.iter().filter(shown).filter(wanted) {
        let dashes = if tool == Tool::Clang && option.name.len() > 1 { "--" } else { "-" };
        let spelling = format!("{dashes}{} {}", option.name, option.value);
        let spelling = spelling.trim_end();
        // A long name gets a line of its own.
        if spelling.len() > 30 {
            writeln!(out, "  {spelling}\n{:35}{}", "", option.help)?;
        } else {
            writeln!(out, "  {spelling:<33}{}", option.help)?;
        }
    }
    writeln!(out)
}

/// The version.
pub(super) fn write_version(out: &mut dyn Write, tool: Tool) -> io::Result<()> {
    writeln!(out, "hipshift {} in place of {}", env!("CARGO_PKG_VERSION"), tool.name())
}

/// The releases that the tables know.
pub(super) fn write_versions(out: &mut dyn Write, table: &Table) -> io::Result<()> {
    writeln!(out, "hipshift {}", env!("CARGO_PKG_VERSION"))?;
    writeln!(out, "ROCm     {} to {}", RocmVersion::OLDEST, RocmVersion::NEWEST)?;
    writeln!(out, "tables   {} lines", table.entries().len())
}
