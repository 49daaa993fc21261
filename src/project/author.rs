//! Who a series of patches is from.

use camino::Utf8Path;

use super::git::Git;

/// `Name <address>` as git would note it for a commit in `directory`, or hipshift where git knows nobody.
pub fn author(directory: &Utf8Path) -> String {
    let told = Git::at(directory).run(&["var", "GIT_AUTHOR_IDENT"]).ok();
    let told = told.and_then(|output| String::from_utf8(output).ok());
    // Seconds and time zone follow the address.
    let known = told.as_deref().and_then(|line| line.split_once('>')).map(|(person, _)| format!("{person}>"));
    known.unwrap_or_else(|| "hipshift <hipshift@localhost>".to_owned())
}
