//! The machine's own sources of packages, as far as they are for its release.

use std::fs;
use std::path::{Path, PathBuf};

use super::error::InstallError;

/// One entry of apt's sources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    address: String,
    pub(super) suites: Vec<String>,
    components: Vec<String>,
    /// Options that say how the entry is trusted, as fields of a stanza.
    trust: Vec<String>,
}

impl Entry {
    /// The entry for other suites, as apt reads it.
    pub(super) fn stanza(&self, suites: &str) -> String {
        let head = format!("Types: deb\nURIs: {}\nSuites: {suites}\n", self.address);
        let trust: String = self.trust.iter().flat_map(|line| [line, "\n"]).collect();
        format!("{head}Components: {}\n{trust}", self.components.join(" "))
    }

    /// The entry reduced to suites of a release, if it has some.
    fn of_release(mut self, codename: &str) -> Option<Entry> {
        let derived = format!("{codename}-");
        self.suites.retain(|suite| suite == codename || suite.starts_with(&derived));
        (!self.suites.is_empty()).then_some(self)
    }
}

/// The entries for a release below apt's folder, each with its suites of this release.
pub(super) fn entries(apt: &Path, codename: &str) -> Result<Vec<Entry>, InstallError> {
    let mut entries = Vec::new();
    for file in source_files(apt) {
        let text = fs::read_to_string(&file).map_err(InstallError::io(&file))?;
        if file.extension().is_some_and(|extension| extension == "sources") {
            entries.extend(text.split("\n\n").filter_map(read_stanza));
        } else {
            entries.extend(text.lines().filter_map(read_one_line));
        }
    }
    let entries: Vec<Entry> = entries.into_iter().filter_map(|entry| entry.of_release(codename)).collect();
    if entries.is_empty() {
        let reason = format!("the sources in {} have no entry for `{codename}`", apt.display());
        return Err(InstallError::NotDebianLike(reason));
    }
    Ok(entries)
}

fn source_files(apt: &Path) -> Vec<PathBuf> {
    let parts = apt.join("sources.list.d").read_dir().into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = parts.chain([apt.join("sources.list")]).collect();
    files.retain(|file| {
        file.is_file() && file.extension().is_some_and(|extension| extension == "sources" || extension == "list")
    });
    files.sort();
    files
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// Reads one paragraph of a `.sources` file.
fn read_stanza(text: &str) -> Option<Entry> {
    let field = |name: &str| {
        let mut lines = text.lines().filter(|line| !line.starts_with('#'));
        lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(':').map(|value| value.trim().to_owned()))
    };
    let components = words(&field("Components")?);
    let is_binary = field("Types")?.split_whitespace().any(|kind| kind == "deb");
    let is_off = field("Enabled").is_some_and(|value| value == "no");
    let trust = ["Signed-By", "Trusted"].iter().filter_map(|name| Some(format!("{name}: {}", field(name)?)));
    (has_main(&components) && is_binary && !is_off).then_some(Entry {
        address: field("URIs")?,
        suites: words(&field("Suites")?),
        components,
        trust: trust.collect(),
    })
}

/// Reads `deb [options] address suite component…`.
fn read_one_line(line: &str) -> Option<Entry> {
    let rest = line.trim().strip_prefix("deb ")?.trim_start();
    let (options, rest) = match rest.strip_prefix('[') {
        Some(inner) => inner.split_once(']')?,
        None => ("", rest),
    };
    let mut parts = rest.split_whitespace();
    let (address, suite) = (parts.next()?, parts.next()?);
    let components: Vec<String> = parts.map(str::to_owned).collect();
    let option =
        |name: &str| options.split_whitespace().find_map(|option| option.strip_prefix(name)?.strip_prefix('='));
    let trust = [("signed-by", "Signed-By"), ("trusted", "Trusted")];
    let trust = trust.iter().filter_map(|(name, field)| Some(format!("{field}: {}", option(name)?)));
    has_main(&components).then(|| Entry {
        address: address.to_owned(),
        suites: vec![suite.to_owned()],
        components: components.clone(),
        trust: trust.collect(),
    })
}

/// Sources without `main` belong to a vendor and hold no part of the distribution.
fn has_main(components: &[String]) -> bool {
    components.iter().any(|component| component == "main")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stanza_is_reduced_to_its_release() {
        let text = "Types: deb\n# a comment\nURIs: http://mirror/debian\nSuites: trixie trixie-updates other\n\
                    Components: main\nSigned-By: /key";
        let entry = read_stanza(text).and_then(|entry| entry.of_release("trixie")).unwrap();
        assert_eq!(entry.suites, ["trixie", "trixie-updates"]);
        assert_eq!(
            entry.stanza("sid"),
            "Types: deb\nURIs: http://mirror/debian\nSuites: sid\nComponents: main\nSigned-By: /key\n"
        );
        assert_eq!(read_stanza(&format!("{text}\nEnabled: no")), None);
    }

    #[test]
    fn one_line_entries_are_read() {
        let entry = read_one_line("deb [arch=amd64 signed-by=/key] http://mirror/debian trixie main contrib").unwrap();
        assert_eq!(
            entry.stanza("sid"),
            "Types: deb\nURIs: http://mirror/debian\nSuites: sid\nComponents: main contrib\nSigned-By: /key\n"
        );
        assert!(read_one_line("deb http://elsewhere/tools stable extra").is_none());
        assert!(read_one_line("# deb http://mirror/debian trixie main").is_none());
    }

    #[test]
    fn a_machine_with_other_sources_is_told_so() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("sources.list"), "deb http://mirror/debian sid main\n").unwrap();
        let error = entries(folder.path(), "bookworm").unwrap_err().to_string();
        assert!(error.contains("no entry for `bookworm`: packages can only be fetched on Debian"), "{error}");
    }
}
