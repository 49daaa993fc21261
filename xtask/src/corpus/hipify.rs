//! Runs hipify-perl over fetched crates, to compare with.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::files;
use super::manifest::Crate;
use crate::process;

/// What hipify-perl is given: the files that a script of its distribution looks for.
const EXTENSIONS: &[&str] = &["cu", "cuh", "c", "cc", "cpp", "cxx", "h", "hh", "hpp", "hxx", "inl", "inc"];

/// Takes each crate to a folder of its name below `output`: the sources that are compiled, and what lies in the folders that they
/// include from, through the program, all else as it is.
pub(super) fn all(program: &Path, crates: &[&Crate], (sources, output): (&Path, &Path)) -> Result<()> {
    ensure!(program.is_file(), "`{}` is no hipify-perl", program.display());
    for one in crates {
        let (from, to) = (sources.join(&one.name), output.join(&one.name));
        let folders = one.compile.iter().flat_map(|compile| compile.include.iter().chain([&compile.sources]));
        let folders: Vec<&Path> = folders.map(Path::new).collect();
        for file in files::below(&from)? {
            let target = to.join(&file);
            fs::create_dir_all(target.parent().unwrap_or(&to))?;
            let is_compiled = folders.iter().any(|folder| file.starts_with(folder));
            if !is_compiled || files::with_extension(vec![file.clone()], EXTENSIONS).is_empty() {
                fs::copy(from.join(&file), &target)?;
            } else {
                let mut command = Command::new("perl");
                command.arg(program).arg("-quiet-warnings").arg(format!("-o={}", target.display()));
                process::run(command.arg(from.join(&file))).with_context(|| format!("on `{}`", file.display()))?;
            }
        }
    }
    Ok(())
}
