//! Who a series of patches is from.

use std::process::Command;

use camino::Utf8Path;

/// `Name <address>` as git would note it for a commit in `directory`, or hipshift where git knows nobody.
pub fn author(directory: &Utf8Path) -> String {
    let asked = Command::new("git").arg("-C").arg(directory).args(["var", "GIT_AUTHOR_IDENT"]).output();
    let told = asked.ok().filter(|output| output.status.success());
    let told = told.and_then(|output| String::from_utf8(output.stdout).ok());
    // Seconds and time zone follow the address.
    let known = told.as_deref().and_then(|line| line.split_once('>')).map(|(person, _)| format!("{person}>"));
    known.unwrap_or_else(|| "hipshift <hipshift@localhost>".to_owned())
}
