//! apt with a private state: the machine's own Debian sources, another suite, nothing installed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::stamp::Package;
use crate::process::run;

/// A private apt state for one suite or for the machine's own suites.
pub(super) struct Apt {
    home: PathBuf,
    /// Whether packages of the system count as installed.
    knows_system: bool,
}

impl Apt {
    /// A state that sees one suite only, through the machine's Debian entry.
    pub(super) fn for_suite(dir: &Path, suite: &str) -> Result<Self> {
        let codename = os_codename()?;
        let entry = debian_entries(&codename)?
            .into_iter()
            .find(|entry| entry.suites.contains(&codename))
            .with_context(|| format!("apt's sources have no entry for Debian `{codename}`"))?;
        let source = entry.stanza(suite);
        Self::create(dir.join("apt").join(suite), &source, false)
    }

    /// A state that sees the suites of the machine's own release, and what is installed.
    pub(super) fn for_own_suites(dir: &Path) -> Result<Self> {
        let codename = os_codename()?;
        let entries = debian_entries(&codename)?;
        ensure!(!entries.is_empty(), "apt's sources have no entry for Debian `{codename}`");
        let stanzas: Vec<_> = entries.iter().map(|entry| entry.stanza(&entry.suites.join(" "))).collect();
        Self::create(dir.join("apt").join(codename), &stanzas.join("\n"), true)
    }

    fn create(home: PathBuf, source: &str, knows_system: bool) -> Result<Self> {
        for folder in ["lists/partial", "cache/archives/partial", "parts"] {
            let folder = home.join(folder);
            fs::create_dir_all(&folder).with_context(|| format!("creating `{}`", folder.display()))?;
        }
        let file = home.join("source.sources");
        fs::write(&file, source).with_context(|| format!("writing `{}`", file.display()))?;
        fs::write(home.join("status"), "").context("writing an empty package status")?;
        let apt = Self { home, knows_system };
        apt.update()?;
        Ok(apt)
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env("LC_ALL", "C");
        let places = [
            ("Dir::State::Lists", "lists"),
            ("Dir::Cache", "cache"),
            ("Dir::Etc::SourceParts", "parts"),
            ("Dir::Etc::PreferencesParts", "parts"),
            ("Dir::Etc::SourceList", "source.sources"),
        ];
        for (option, place) in places {
            command.arg("-o").arg(format!("{option}={}", self.home.join(place).display()));
        }
        if !self.knows_system {
            command.arg("-o").arg(format!("Dir::State::Status={}", self.home.join("status").display()));
        }
        // A mirror may serve a Release file past its date; without a sandbox user apt need not
        // be able to enter our folder as someone else.
        for option in [
            "Acquire::Check-Valid-Until=false",
            "APT::Sandbox::User=root",
            "APT::Update::Error-Mode=any",
            "Acquire::Languages=none",
            "Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false",
        ] {
            command.args(["-o", option]);
        }
        command
    }

    fn update(&self) -> Result<()> {
        run(self.command("apt-get").args(["-qq", "update"]))
            .map(drop)
            .context("fetching package lists (this needs the network; parts fetched before stay usable)")
    }

    /// The version each of `names` has here; names that do not exist are left out.
    pub(super) fn versions(&self, names: &[&str]) -> Result<BTreeMap<String, String>> {
        let output = run(self.command("apt-cache").arg("policy").args(names))?;
        let mut versions = BTreeMap::new();
        let mut name = "";
        for line in output.lines() {
            if let Some(header) = line.strip_suffix(':').filter(|line| !line.starts_with(' ')) {
                name = header;
            } else if let Some(version) = line.strip_prefix("  Candidate: ").filter(|version| *version != "(none)") {
                versions.insert(name.to_owned(), version.to_owned());
            }
        }
        Ok(versions)
    }

    /// `names` and all they depend on, less what the system has.
    pub(super) fn closure(&self, names: &[&str]) -> Result<Vec<Package>> {
        let mut command = self.command("apt-get");
        let output = run(command.args(["--simulate", "--no-install-recommends", "install"]).args(names))?;
        let packages = output.lines().filter_map(simulated_install).collect();
        Ok(packages)
    }

    /// Downloads `packages` into `folder`; a file that is there and whole is not fetched again.
    pub(super) fn download(&self, packages: &[Package], folder: &Path) -> Result<()> {
        fs::create_dir_all(folder).with_context(|| format!("creating `{}`", folder.display()))?;
        let mut command = self.command("apt-get");
        command.current_dir(folder).args(["-qq", "download"]);
        command.args(packages.iter().map(|package| format!("{}={}", package.name, package.version)));
        run(&mut command).map(drop).context("downloading packages (run again to resume)")
    }
}

/// Reads `Inst NAME (VERSION …` of a simulated installation.
fn simulated_install(line: &str) -> Option<Package> {
    let (name, rest) = line.strip_prefix("Inst ")?.split_once(' ')?;
    // `Inst NAME [OLD] (NEW …` is an upgrade of a package the system has.
    let version = rest.strip_prefix('(')?.split(' ').next()?;
    Some(Package { name: name.to_owned(), version: version.to_owned() })
}

/// The machine's release, such as `bookworm`.
fn os_codename() -> Result<String> {
    let text = fs::read_to_string("/etc/os-release").context("reading `/etc/os-release`")?;
    let codename = text.lines().find_map(|line| line.strip_prefix("VERSION_CODENAME="));
    let codename = codename.context("`/etc/os-release` names no release; a Debian machine is needed")?;
    Ok(codename.trim_matches('"').to_owned())
}

/// One entry of apt's sources.
struct Entry {
    address: String,
    suites: Vec<String>,
    signed_by: Option<String>,
}

impl Entry {
    fn stanza(&self, suites: &str) -> String {
        let signed_by = self.signed_by.iter().map(|key| format!("Signed-By: {key}\n"));
        let head = format!("Types: deb\nURIs: {}\nSuites: {suites}\nComponents: main\n", self.address);
        head + &signed_by.collect::<String>()
    }

    /// The entry reduced to suites of this release, if it has some.
    fn of_release(mut self, codename: &str) -> Option<Self> {
        let derived = format!("{codename}-");
        self.suites.retain(|suite| suite == codename || suite.starts_with(&derived));
        (!self.suites.is_empty()).then_some(self)
    }
}

/// The machine's Debian entries, each with its suites of this release.
fn debian_entries(codename: &str) -> Result<Vec<Entry>> {
    let mut entries = Vec::new();
    for file in source_files(Path::new("/etc/apt"))? {
        let text = fs::read_to_string(&file).with_context(|| format!("reading `{}`", file.display()))?;
        if file.extension().is_some_and(|extension| extension == "sources") {
            entries.extend(text.split("\n\n").filter_map(read_stanza));
        } else {
            entries.extend(text.lines().filter_map(read_one_line));
        }
    }
    Ok(entries.into_iter().filter_map(|entry| entry.of_release(codename)).collect())
}

fn source_files(base: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let parts = base.join("sources.list.d");
    if parts.is_dir() {
        for entry in fs::read_dir(&parts).with_context(|| format!("reading `{}`", parts.display()))? {
            files.push(entry?.path());
        }
    }
    files.push(base.join("sources.list"));
    files.retain(|file| {
        file.is_file() && file.extension().is_some_and(|extension| extension == "sources" || extension == "list")
    });
    files.sort();
    Ok(files)
}

/// Reads one paragraph of a `.sources` file.
fn read_stanza(text: &str) -> Option<Entry> {
    let field = |name: &str| {
        let mut lines = text.lines().filter(|line| !line.starts_with('#'));
        lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(':').map(|value| value.trim().to_owned()))
    };
    let is_main = field("Components")?.split_whitespace().any(|component| component == "main");
    let is_binary = field("Types")?.split_whitespace().any(|kind| kind == "deb");
    (is_main && is_binary).then_some(Entry {
        address: field("URIs")?,
        suites: field("Suites")?.split_whitespace().map(str::to_owned).collect(),
        signed_by: field("Signed-By"),
    })
}

/// Reads `deb [options] address suite component…`.
fn read_one_line(line: &str) -> Option<Entry> {
    let rest = line.trim().strip_prefix("deb ")?.trim_start();
    let (options, rest) = match rest.strip_prefix('[') {
        Some(inner) => inner.split_once(']')?,
        None => ("", rest),
    };
    let mut words = rest.split_whitespace();
    let (address, suite) = (words.next()?, words.next()?);
    let signed_by = options.split_whitespace().find_map(|option| option.strip_prefix("signed-by="));
    words.any(|component| component == "main").then(|| Entry {
        address: address.to_owned(),
        suites: vec![suite.to_owned()],
        signed_by: signed_by.map(str::to_owned),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stanza_is_reduced_to_its_release() {
        let text = "Types: deb\n# a comment\nURIs: http://mirror/debian\nSuites: trixie trixie-updates other\nComponents: main\nSigned-By: /key";
        let entry = read_stanza(text).and_then(|entry| entry.of_release("trixie")).unwrap();
        assert_eq!(entry.suites, ["trixie", "trixie-updates"]);
        assert_eq!(
            entry.stanza("sid"),
            "Types: deb\nURIs: http://mirror/debian\nSuites: sid\nComponents: main\nSigned-By: /key\n"
        );
    }

    #[test]
    fn one_line_entries_are_read() {
        let entry = read_one_line("deb [arch=amd64 signed-by=/key] http://mirror/debian trixie main contrib").unwrap();
        assert_eq!(entry.address, "http://mirror/debian");
        assert_eq!(entry.signed_by.as_deref(), Some("/key"));
        assert!(read_one_line("deb http://elsewhere/tools stable extra").is_none());
        assert!(read_one_line("# deb http://mirror/debian trixie main").is_none());
    }

    #[test]
    fn upgrades_of_the_system_are_left_alone() {
        let package = simulated_install("Inst libllvm22 (1:22.1.8-1 Debian:12 [amd64])").unwrap();
        assert_eq!((package.name.as_str(), package.version.as_str()), ("libllvm22", "1:22.1.8-1"));
        assert!(simulated_install("Inst libc6 [2.36-9] (2.36-10 Debian:12 [amd64])").is_none());
    }
}
