//! What is compiled: each file of the corpus for each target.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use hipshift::mapping::Target;
use hipshift::toolchain::Toolchain;

use super::manifest::{Compile, Crate, Manifest};
use super::{files, sources_dir};

/// One file to compile for one target.
pub(super) struct Unit<'m> {
    pub(super) of: &'m Crate,
    compile: &'m Compile,
    pub(super) arch: &'m Target,
    /// Relative to the folder of the crate, as it was before conversion.
    pub(super) source: PathBuf,
}

impl Unit<'_> {
    /// The compiler with the words that its crate needs, for device code only. It runs in the folder of the crate.
    pub(super) fn compiler(&self, toolchain: &Toolchain) -> Command {
        let mut command = toolchain.command(&[self.arch]);
        command.args(["-std=c++17", "--cuda-device-only"]);
        // Warnings are hipshift's business only where they are errors.
        command.args(["-w", "-fno-caret-diagnostics", "-fno-color-diagnostics", "-fno-crash-diagnostics"]);
        command.args(&self.compile.flags);
        command.args(self.compile.include.iter().flat_map(|folder| ["-I", folder]));
        command
    }
}

/// The crates of the manifest, or the one that is asked for.
pub(super) fn selected<'m>(manifest: &'m Manifest, only: Option<&str>) -> Result<Vec<&'m Crate>> {
    let crates: Vec<_> = manifest.crates.iter().filter(|one| only.is_none_or(|only| one.name == only)).collect();
    ensure!(!crates.is_empty(), "the manifest has no crate `{}`", only.unwrap_or_default());
    Ok(crates)
}

/// The first `limit` files of each crate, each for all targets.
pub(super) fn units<'m>(crates: &[&'m Crate], archs: &[String], limit: Option<usize>) -> Result<Vec<Unit<'m>>> {
    let targets = archs.iter().map(|name| Target::find(name)).collect::<Result<Vec<_>, _>>()?;
    let mut units = Vec::new();
    for &of in crates {
        let Some(compile) = &of.compile else { continue };
        let folder = Path::new(&compile.sources);
        let here = files::below(&sources_dir().join(&of.name).join(folder));
        let here =
            here.with_context(|| format!("listing `{}`; run `cargo run -p xtask -- corpus fetch` first", of.name))?;
        for file in files::with_extension(here, &["cu"]).into_iter().take(limit.unwrap_or(usize::MAX)) {
            let source = folder.join(file);
            units.extend(targets.iter().map(|arch| Unit { of, compile, arch, source: source.clone() }));
        }
    }
    Ok(units)
}

/// A unit of each crate and target.
pub(super) fn one_of_each<'u>(units: &'u [Unit<'u>]) -> impl Iterator<Item = &'u Unit<'u>> {
    let mut seen = HashSet::new();
    units.iter().filter(move |unit| seen.insert((&unit.of.name, &unit.arch.name)))
}

/// The file that a source became.
pub(super) fn converted(source: &Path, home: &Path) -> Option<PathBuf> {
    let names = ["hip", "cu.hip", "hip.cpp", "cpp", "cu"];
    let mut candidates = names.iter().map(|extension| source.with_extension(extension));
    candidates.find(|candidate| home.join(candidate).is_file())
}
