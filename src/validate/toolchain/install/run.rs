//! Fetching all parts of a toolchain in order.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::OFlags;
use walkdir::{DirEntry, WalkDir};

use super::error::InstallError;
use super::hip::{PACKAGED, Release};
use super::llvm;
use super::stamp::Stamp;
use super::system::System;
use crate::mapping::{RocmVersion, Target};
use crate::private_folder::check_named;
use crate::toolchain::Toolchain;

/// The releases that packages are known of, newest first.
pub const RELEASES: [RocmVersion; 3] = [PACKAGED[0].version, PACKAGED[1].version, PACKAGED[2].version];

/// What is to be fetched.
#[derive(Debug, Clone)]
pub struct Options<'o> {
    /// The folder that everything is unpacked into, as an absolute path; it is made if need be.
    pub folder: &'o Path,
    /// Releases of HIP. The newest is always fetched: its device libraries serve all.
    pub releases: &'o [RocmVersion],
    /// Fetch again what is there.
    pub refresh: bool,
    /// Compile a kernel in the end.
    pub check: bool,
}

/// One part of a toolchain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// What it is.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Where it is.
    pub path: PathBuf,
}

/// Fetches what is missing. `tell` is called with each step that takes time.
///
/// Runs of the same folder exclude each other; one that was stopped goes on where it was.
pub fn install(system: &System, options: &Options<'_>, tell: &dyn Fn(&str)) -> Result<Vec<Part>, InstallError> {
    let folder = options.folder;
    let _alone = prepare(folder)?;
    let mut wanted = vec![RocmVersion::NEWEST];
    wanted.extend(options.releases.iter().filter(|release| **release != RocmVersion::NEWEST));
    let mut parts = Vec::new();
    for version in wanted {
        let release = Release::find(version)?;
        tell(&format!("headers of HIP {version}"));
        let fetched = release.fetch(system, folder, options.refresh)?;
        parts.push(Part { name: format!("HIP {version}"), version: fetched.version, path: fetched.folder.clone() });
        parts.extend(fetched.device_libraries.map(|version| Part {
            name: "device libraries".to_owned(),
            version,
            path: fetched.folder,
        }));
    }
    tell("compiler");
    let compiler = llvm::fetch(system, folder, options.refresh)?;
    parts.push(Part { name: "clang".to_owned(), version: llvm::version(&compiler)?, path: compiler });
    if options.check {
        tell("a kernel, to see that the parts work together");
        check(folder)?;
    }
    Ok(parts)
}

/// The command that fetches a release, for messages.
pub fn install_command(release: RocmVersion) -> String {
    let option = if release == RocmVersion::NEWEST { String::new() } else { format!(" --hip {release}") };
    format!("hipshift toolchain install{option}")
}

/// Makes a folder ready to be filled by nobody else, as long as the result lives.
pub(super) fn prepare(folder: &Path) -> Result<File, InstallError> {
    make_own(folder).map_err(InstallError::io(folder))?;
    refuse_links(folder)?;
    work_alone(folder)
}

/// Makes the folder. Compilers are started from it, so that nobody else may write there.
fn make_own(folder: &Path) -> io::Result<()> {
    check_named(folder)?;
    DirBuilder::new().recursive(true).mode(0o755).create(folder)?;
    check_named(folder)
}

/// What an install writes itself lies behind no link: the folder may be part of a project that somebody sent.
fn refuse_links(folder: &Path) -> Result<(), InstallError> {
    let entries = WalkDir::new(folder).min_depth(1).into_iter().filter_entry(|entry| !is_replaced_whole(entry));
    for entry in entries {
        let entry = entry.map_err(|error| {
            let failed = InstallError::io(error.path().unwrap_or(folder));
            failed(error.into())
        })?;
        if entry.path_is_symlink() && !is_list(folder, &entry) {
            return Err(InstallError::Link(entry.into_path()));
        }
    }
    Ok(())
}

/// Whether nothing is written into a folder: packages, which hold links, and a part that was not completed are only read, renamed
/// or removed.
fn is_replaced_whole(entry: &DirEntry) -> bool {
    if entry.depth() != 1 || !entry.file_type().is_dir() {
        return false;
    }
    let has_end = |end: &str| entry.path().extension().is_some_and(|extension| extension == end);
    let is_filled_here = entry.file_name() == "apt" || entry.file_name() == "bin" || has_end("debs");
    has_end("part") || (!is_filled_here && Stamp::read(entry.path()).is_some())
}

/// Whether an entry lies where apt makes links to lists of sources on this machine; [`super::apt`] removes them before apt writes.
fn is_list(folder: &Path, entry: &DirEntry) -> bool {
    let above = entry.path().parent();
    // apt makes files in `partial`, which is none of its links.
    entry.depth() == 4
        && entry.file_name() != "partial"
        && entry.path().starts_with(folder.join("apt"))
        && above.is_some_and(|it| it.ends_with("lists"))
}

/// Holds off other runs as long as the file is open. What a file of this name has in it stays.
fn work_alone(folder: &Path) -> Result<File, InstallError> {
    let path = folder.join("lock");
    let flags = (OFlags::NONBLOCK | OFlags::NOFOLLOW).bits().cast_signed();
    let open = OpenOptions::new().read(true).write(true).create(true).truncate(false).custom_flags(flags).open(&path);
    let lock = open.map_err(InstallError::io(&path))?;
    if !lock.metadata().is_ok_and(|about| about.is_file()) {
        return Err(InstallError::io(&path)(io::Error::other("it is no regular file")));
    }
    let end = Instant::now() + LONGEST_WAIT;
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(lock),
            Err(TryLockError::WouldBlock) if Instant::now() < end => thread::sleep(LONGEST_WAIT / 20),
            Err(TryLockError::WouldBlock) => return Err(InstallError::Busy(folder.to_owned())),
            Err(TryLockError::Error(error)) => return Err(InstallError::io(&path)(error)),
        }
    }
}

/// A program that another thread starts holds the lock of a run that has ended until it is another program.
const LONGEST_WAIT: Duration = Duration::from_secs(1);

/// Compiles one kernel, so that a part that is missing shows here and not in a long run.
fn check(folder: &Path) -> Result<(), InstallError> {
    let kernel = "#include <hip/hip_runtime.h>\n#include <vector>\n__global__ void k(float *x) { *x = rsqrtf(*x); }\n";
    let failed = |error: &dyn std::fmt::Display| InstallError::Check(error.to_string());
    let toolchain = Toolchain::find(Some(folder), RocmVersion::NEWEST).map_err(|error| failed(&error))?;
    let target = Target::find("gfx90a").map_err(|error| failed(&error))?;
    let mut command = toolchain.command(&[target]);
    command.args(["-std=c++17", "--cuda-device-only", "-fsyntax-only", "-"]);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| failed(&error))?;
    // Dropping the pipe ends the input; a compiler that does not read it says why.
    if let Some(mut pipe) = child.stdin.take() {
        let _ = pipe.write_all(kernel.as_bytes());
    }
    let output = child.wait_with_output().map_err(|error| failed(&error))?;
    if output.status.success() { Ok(()) } else { Err(failed(&String::from_utf8_lossy(&output.stderr).trim())) }
}
