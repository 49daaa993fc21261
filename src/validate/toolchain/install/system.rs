//! The machine that packages are fetched for.

use std::fs;
use std::path::PathBuf;

use super::error::InstallError;
use super::process::run;
use crate::toolchain::find_program;

/// Where a machine says what it is and where its packages come from.
#[derive(Debug, Clone)]
pub struct System {
    /// What `/etc/os-release` is.
    pub os_release: PathBuf,
    /// What `/etc/apt` is.
    pub apt: PathBuf,
    /// The list of installed packages, `/var/lib/dpkg/status`.
    pub status: PathBuf,
    /// Whether compilers on `PATH` are taken in place of fetched ones.
    pub use_installed: bool,
}

impl Default for System {
    fn default() -> System {
        System {
            os_release: "/etc/os-release".into(),
            apt: "/etc/apt".into(),
            status: "/var/lib/dpkg/status".into(),
            use_installed: true,
        }
    }
}

/// The release that a machine runs.
pub(super) struct Distribution {
    /// Its short name, such as `bookworm`.
    pub(super) codename: String,
    /// Whether it is Debian itself, whose other suites lie beside its own.
    pub(super) is_debian: bool,
}

impl System {
    /// Reads what the machine runs. Fails where apt is not its package manager.
    pub(super) fn distribution(&self) -> Result<Distribution, InstallError> {
        for program in ["apt-get", "apt-cache", "dpkg"] {
            if find_program(program).is_none() {
                return Err(InstallError::NotDebianLike(format!("there is no `{program}`")));
            }
        }
        let text = fs::read_to_string(&self.os_release).map_err(InstallError::io(&self.os_release))?;
        let field = |name: &str| {
            let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
            value.map(|value| value.trim_matches('"').to_owned())
        };
        let no_name = || InstallError::NotDebianLike(format!("{} names no release", self.os_release.display()));
        let codename = field("VERSION_CODENAME").ok_or_else(no_name)?;
        Ok(Distribution { codename, is_debian: field("ID").is_some_and(|id| id == "debian") })
    }

    /// What Debian calls the machine's architecture, such as `amd64`.
    pub(super) fn architecture() -> Result<String, InstallError> {
        Ok(run(std::process::Command::new("dpkg").arg("--print-architecture"))?.trim().to_owned())
    }
}
