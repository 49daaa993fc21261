//! A compiler for AMD GPUs with headers of HIP: where it is looked for, and how it is started.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::folders::{system_root, user_folder};
use crate::mapping::{RocmVersion, Target};
use crate::private_folder::check_named;

/// The variable that names the folder of a toolchain.
pub(super) const VARIABLE: &str = "HIPSHIFT_TOOLCHAIN";

/// Versions of LLVM whose compiler is known under a name with its number, newest first.
const LLVM_VERSIONS: std::ops::RangeInclusive<u32> = 17..=22;

/// A compiler with the HIP release that it compiles against.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Toolchain {
    /// `clang++` with the AMDGPU target.
    pub compiler: PathBuf,
    /// What `--rocm-path` takes: the folder that holds `include/hip`.
    pub rocm: PathBuf,
    /// What `--rocm-device-lib-path` takes, where the compiler does not find it by itself.
    pub device_libraries: Option<PathBuf>,
    /// The release of the headers.
    pub release: RocmVersion,
    /// How it was found, for people.
    pub origin: String,
}

/// No toolchain was found.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "no compiler with headers of HIP {wanted} was found; looked at {}; `{}` fetches both",
    looked_at.join(", "),
    super::install_command(*wanted)
)]
pub struct NotFound {
    /// The release that was asked for.
    pub wanted: RocmVersion,
    /// The places, as `origin (path)`.
    pub looked_at: Vec<String>,
}

impl Toolchain {
    /// Finds a toolchain for a release: in `given` alone, or else in this order: the folder that
    /// `HIPSHIFT_TOOLCHAIN` names, `ROCM_PATH` and `HIP_PATH`, `/opt/rocm*`, compilers on `PATH`, the folder that
    /// `hipshift toolchain install` fills, and the distribution's packages. Never below the current directory: what is
    /// there may come from anybody.
    pub fn find(given: Option<&Path>, release: RocmVersion) -> Result<Toolchain, NotFound> {
        let places = given.map_or_else(usual_places, |folder| vec![Place::new("--toolchain", folder)]);
        let found = places.iter().enumerate().find_map(|(number, place)| Some((number, place.toolchain(release)?)));
        let refused = |before: usize| places[..before].iter().filter_map(|place| place.refused.clone());
        let tell = |(number, found): (usize, Toolchain)| {
            let origin = std::iter::once(found.origin.clone()).chain(refused(number)).collect::<Vec<_>>().join("; ");
            Toolchain { origin, ..found }
        };
        found
            .map(tell)
            .ok_or_else(|| NotFound { wanted: release, looked_at: places.iter().map(Place::shown).collect() })
    }

    /// A command that compiles HIP for some targets, still without files.
    ///
    /// Headers before 7.0 use macros with the number of lanes that LLVM 22 no longer defines; they are set for each
    /// pass of the compiler.
    pub fn command(&self, targets: &[&Target]) -> Command {
        let mut command = Command::new(&self.compiler);
        // A compiler that crashes would leave its input, some megabytes for each pass, in the folder for temporary files.
        command.args(["-fno-crash-diagnostics", "-x", "hip"]);
        command.args(targets.iter().map(|target| format!("--offload-arch={}", target.name)));
        command.arg(format!("--rocm-path={}", self.rocm.display()));
        if let Some(folder) = &self.device_libraries {
            command.arg(format!("--rocm-device-lib-path={}", folder.display()));
        }
        if self.release < RocmVersion::new(7, 0) {
            let passes = targets.iter().map(|target| (format!("-Xarch_{}", target.name), target.wave_size));
            for (pass, lanes) in passes.chain([("-Xarch_host".to_owned(), 64)]) {
                let names = ["__AMDGCN_WAVEFRONT_SIZE", "__AMDGCN_WAVEFRONT_SIZE__"];
                command.args(names.iter().flat_map(|name| [pass.clone(), format!("-D{name}={lanes}")]));
            }
        }
        command
    }

    /// The same toolchain for processes that run in other folders.
    #[must_use]
    pub fn absolute(&self) -> Toolchain {
        let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
        Toolchain {
            compiler: absolute(&self.compiler),
            rocm: absolute(&self.rocm),
            device_libraries: self.device_libraries.as_ref().map(absolute),
            ..self.clone()
        }
    }

    /// The version of HIP with its patch level, from `hip/hip_version.h`.
    pub fn header_version(&self) -> Option<String> {
        let patch = header_number(&self.rocm, "HIP_VERSION_PATCH")?;
        Some(format!("{}.{patch}", header_release(&self.rocm)?))
    }

    /// The version of the compiler, as it says itself.
    pub fn compiler_version(&self) -> Option<String> {
        let output = Command::new(&self.compiler).arg("--version").output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        text.lines().next().map(|line| line.trim().to_owned())
    }
}

/// A folder that may hold a toolchain.
struct Place {
    origin: String,
    folder: PathBuf,
    /// Why nothing of it is used.
    refused: Option<String>,
}

impl Place {
    fn new(origin: impl Into<String>, folder: impl Into<PathBuf>) -> Place {
        Place { origin: origin.into(), folder: folder.into(), refused: None }
    }

    /// The folder that `hipshift toolchain install` fills, which it does only where nobody else can write.
    fn installed(folder: PathBuf) -> Place {
        let refused = check_named(&folder).err().map(|error| error.to_string());
        Place { refused, ..Place::new("installed", folder) }
    }

    fn shown(&self) -> String {
        let why = self.refused.as_ref().map(|why| format!(", not used: {why}")).unwrap_or_default();
        format!("{} ({}{why})", self.origin, self.folder.display())
    }

    fn toolchain(&self, release: RocmVersion) -> Option<Toolchain> {
        if self.refused.is_some() {
            return None;
        }
        let own = self.own_layout(release);
        own.or_else(|| self.rocm_layout(release))
    }

    /// The layout of hipshift's own folder: `bin/clang++-22`, and `hip-7.2/usr` for each release. The device
    /// libraries of the newest release serve all, as they belong to the compiler.
    fn own_layout(&self, release: RocmVersion) -> Option<Toolchain> {
        let rocm = self.folder.join(format!("hip-{release}/usr"));
        let compiler = numbered_compiler(&self.folder.join("bin")).or_else(compiler_on_path)?;
        if !rocm.join("include/hip/hip_runtime.h").is_file() {
            return None;
        }
        let newest = self.folder.join(format!("hip-{}/usr", RocmVersion::NEWEST));
        let device_libraries = device_libraries(&newest).or_else(|| device_libraries(&rocm));
        Some(Toolchain { compiler, rocm, device_libraries, release, origin: self.origin.clone() })
    }

    /// The layout of ROCm, and of `/usr` where a distribution packages it.
    fn rocm_layout(&self, release: RocmVersion) -> Option<Toolchain> {
        if !self.folder.join("include/hip/hip_runtime.h").is_file() {
            return None;
        }
        // The last is Fedora's.
        let names = ["bin/amdclang++", "llvm/bin/clang++", "lib/llvm/bin/clang++", "lib64/rocm/llvm/bin/clang++"];
        let own = names.iter().map(|name| self.folder.join(name)).find(|path| path.is_file());
        let compiler = own.or_else(|| numbered_compiler(&self.folder.join("bin"))).or_else(compiler_on_path)?;
        let found = header_release(&self.folder)?;
        (found == release).then(|| Toolchain {
            compiler,
            rocm: self.folder.clone(),
            device_libraries: device_libraries(&self.folder),
            release,
            origin: self.origin.clone(),
        })
    }
}

/// Where toolchains usually are, in the order in which they are tried.
fn usual_places() -> Vec<Place> {
    let variables = [VARIABLE, "ROCM_PATH", "HIP_PATH"];
    let named = variables.iter().filter_map(|name| Some(Place::new(*name, PathBuf::from(env::var_os(name)?))));
    let mut places: Vec<Place> = named.collect();
    places.extend(rocm_folders().into_iter().map(|folder| Place::new("/opt", folder)));
    for program in ["hipcc", "amdclang++"] {
        let folder =
            find_program(program).and_then(|path| Some(fs::canonicalize(path).ok()?.parent()?.parent()?.to_owned()));
        places.extend(folder.map(|folder| Place::new(format!("{program} on PATH"), folder)));
    }
    places.extend(default_folder().map(Place::installed));
    places.push(Place::new("distribution", system_root().join("usr")));
    places
}

/// The folder that `hipshift toolchain install` fills if none is named: `hipshift/toolchain` in `XDG_DATA_HOME`, or else in
/// `~/.local/share`. None without a home.
pub fn default_folder() -> Option<PathBuf> {
    Some(user_folder("XDG_DATA_HOME", ".local/share")?.join("hipshift/toolchain"))
}

/// `/opt/rocm` and its like, the plain name first, then the newest.
fn rocm_folders() -> Vec<PathBuf> {
    let entries = system_root().join("opt").read_dir().into_iter().flatten().flatten().map(|entry| entry.path());
    let is_rocm = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("rocm"));
    let mut folders: Vec<PathBuf> = entries.filter(is_rocm).collect();
    folders.sort_by_key(|path| (path.file_name() != Some(OsStr::new("rocm")), std::cmp::Reverse(path.clone())));
    folders
}

/// A program on `PATH`, but for what that has of the current directory.
pub fn find_program(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    // An empty entry stands for the current directory.
    let mut folders = env::split_paths(&path).filter(|folder| folder.is_absolute());
    folders.find_map(|folder| Some(folder.join(name)).filter(|file| file.is_file()))
}

fn numbered_compiler(folder: &Path) -> Option<PathBuf> {
    LLVM_VERSIONS.rev().map(|version| folder.join(format!("clang++-{version}"))).find(|path| path.is_file())
}

fn compiler_on_path() -> Option<PathBuf> {
    LLVM_VERSIONS.rev().find_map(|version| find_program(&format!("clang++-{version}")))
}

/// The device libraries below a root: in ROCm's own layout the compiler finds them by itself.
fn device_libraries(root: &Path) -> Option<PathBuf> {
    // Debian's folders, then Fedora's.
    let packaged = LLVM_VERSIONS.rev().flat_map(|version| {
        let folders = [format!("lib/llvm-{version}/lib"), "lib64/rocm/llvm/lib".to_owned(), "lib".to_owned()];
        folders.map(|folder| root.join(format!("{folder}/clang/{version}/amdgcn/bitcode")))
    });
    packaged.chain([root.join("amdgcn/bitcode")]).find(|folder| folder.is_dir())
}

/// The release of the headers below a root.
fn header_release(root: &Path) -> Option<RocmVersion> {
    let number = |name: &str| u16::try_from(header_number(root, name)?).ok();
    Some(RocmVersion::new(number("HIP_VERSION_MAJOR")?, number("HIP_VERSION_MINOR")?))
}

/// The value of a macro in `hip/hip_version.h`.
fn header_number(root: &Path, name: &str) -> Option<u32> {
    let text = fs::read_to_string(root.join("include/hip/hip_version.h")).ok()?;
    let line = text.lines().find(|line| line.split_whitespace().nth(1) == Some(name))?;
    line.split_whitespace().nth(2)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn rocm_is_found_with_its_own_compiler_and_release() {
        let root = tempfile::tempdir().unwrap();
        touch(&root.path().join("include/hip/hip_runtime.h"), "");
        touch(
            &root.path().join("include/hip/hip_version.h"),
            "#define HIP_VERSION_MAJOR 6\n#define HIP_VERSION_MINOR 4\n",
        );
        touch(&root.path().join("bin/amdclang++"), "");
        let found = Toolchain::find(Some(root.path()), RocmVersion::new(6, 4)).unwrap();
        assert_eq!(found.compiler, root.path().join("bin/amdclang++"));
        assert_eq!(found.rocm, root.path());
        let error = Toolchain::find(Some(root.path()), RocmVersion::new(7, 2)).unwrap_err();
        assert!(error.to_string().contains("headers of HIP 7.2"), "{error}");
    }

    #[test]
    fn the_own_folder_holds_several_releases() {
        let root = tempfile::tempdir().unwrap();
        touch(&root.path().join("bin/clang++-22"), "");
        for release in ["5.7", "7.2"] {
            touch(&root.path().join(format!("hip-{release}/usr/include/hip/hip_runtime.h")), "");
        }
        let bitcode = root.path().join("hip-7.2/usr/lib/llvm-22/lib/clang/22/amdgcn/bitcode");
        fs::create_dir_all(&bitcode).unwrap();
        let found = Toolchain::find(Some(root.path()), RocmVersion::new(5, 7)).unwrap();
        assert_eq!(found.rocm, root.path().join("hip-5.7/usr"));
        assert_eq!(found.device_libraries.as_deref(), Some(bitcode.as_path()));
        let command = format!("{:?}", found.command(&[Target::find("gfx1100").unwrap()]));
        assert!(command.contains("-D__AMDGCN_WAVEFRONT_SIZE=32"), "{command}");
        assert!(Toolchain::find(Some(root.path()), RocmVersion::new(6, 4)).is_err());
    }
}
