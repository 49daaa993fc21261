//! Brings the crates of the manifest into one folder, through cargo and its cache.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context, Result, bail};

use super::files::{self, Digest};
use super::manifest::{Crate, Manifest};
use crate::process;

/// Fetches what is not there yet and checks all of it.
#[expect(clippy::print_stdout, reason = "says what is there")]
pub(super) fn all(manifest: &Manifest, dir: &Path) -> Result<()> {
    for wanted in &manifest.crates {
        let home = dir.join(&wanted.name);
        let state = one(wanted, &home).with_context(|| format!("fetching `{}` {}", wanted.name, wanted.version))?;
        println!("{:22} {:9} {:4} files {:8} bytes  {state}", wanted.name, wanted.version, wanted.files, wanted.bytes);
    }
    let (files, bytes) =
        manifest.crates.iter().fold((0, 0), |(files, bytes), one| (files + one.files, bytes + one.bytes));
    println!("{:32} {files:4} files {bytes:8} bytes", "together");
    Ok(())
}

fn one(wanted: &Crate, home: &Path) -> Result<&'static str> {
    if home.is_dir() && is_wanted(wanted, &Digest::of(home)?) {
        return Ok("there");
    }
    let source = unpacked(wanted)?;
    let found = Digest::of(&source)?;
    if !is_wanted(wanted, &found) {
        bail!(
            "the manifest does not describe it: it has files = {}, bytes = {}, digest = \"{}\"",
            found.files,
            found.bytes,
            found.hash
        );
    }
    let staging = home.with_extension("part");
    remove_folder(&staging)?;
    remove_folder(home)?;
    copy_folder(&source, &staging)?;
    fs::rename(&staging, home).with_context(|| format!("renaming `{}`", staging.display()))?;
    Ok("fetched")
}

fn is_wanted(wanted: &Crate, found: &Digest) -> bool {
    (found.files, found.bytes) == (wanted.files, wanted.bytes) && found.hash == wanted.digest
}

/// The crate in cargo's own cache. `cargo info` is the one command that downloads and unpacks a
/// crate without its dependencies, which for these are several hundred others.
fn unpacked(wanted: &Crate) -> Result<PathBuf> {
    if let Some(source) = cached(wanted)? {
        return Ok(source);
    }
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let package = format!("{}@{}", wanted.name, wanted.version);
    process::run(Command::new(cargo).args(["info", "--quiet", &package]).current_dir(env::temp_dir()))
        .context("asking cargo for it (this needs the network)")?;
    cached(wanted)?.context("cargo did not unpack it into its cache")
}

fn cached(wanted: &Crate) -> Result<Option<PathBuf>> {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| env::home_dir().map(|home| home.join(".cargo"))).context("cargo has no home folder")?;
    let registries = home.join("registry/src");
    if !registries.is_dir() {
        return Ok(None);
    }
    let folder = format!("{}-{}", wanted.name, wanted.version);
    let entries = fs::read_dir(&registries).with_context(|| format!("reading `{}`", registries.display()))?;
    // Cargo writes `.cargo-ok` when a crate is unpacked completely.
    let candidates = entries.filter_map(|entry| Some(entry.ok()?.path().join(&folder)));
    Ok(candidates.into_iter().find(|candidate| candidate.join(".cargo-ok").is_file()))
}

fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    for file in files::below(from)? {
        let (source, target) = (from.join(&file), to.join(&file));
        let folder = target.parent().unwrap_or(to);
        fs::create_dir_all(folder).with_context(|| format!("creating `{}`", folder.display()))?;
        fs::copy(&source, &target).with_context(|| format!("copying `{}`", source.display()))?;
    }
    Ok(())
}

fn remove_folder(folder: &Path) -> Result<()> {
    if !folder.exists() {
        return Ok(());
    }
    fs::remove_dir_all(folder).with_context(|| format!("removing `{}`", folder.display()))
}
