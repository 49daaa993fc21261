//! Lines in the editor of the person.

use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::process::Command;

use anyhow::{Context as _, bail};

use crate::source::Encoding;

/// Lets `$VISUAL` or `$EDITOR`, else `vi`, change `lines`, which keep the encoding of their file. The terminal must be
/// as other programs expect it.
pub(super) fn edit(lines: &str, extension: &str, encoding: Encoding) -> anyhow::Result<String> {
    let suffix = format!(".{extension}");
    let mut file =
        tempfile::Builder::new().prefix("hipshift-").suffix(&suffix).tempfile().context("making a temporary file")?;
    file.write_all(&encoding.encode(lines)).context("writing a temporary file")?;
    let editor =
        ["VISUAL", "EDITOR"].iter().find_map(|name| std::env::var(name).ok().filter(|value| !value.trim().is_empty()));
    let editor = editor.unwrap_or_else(|| "vi".to_owned());
    // `$EDITOR` is a line for the shell.
    let status = Command::new("sh").args(["-c", &format!("{editor} \"$0\"")]).arg(file.path()).status();
    let status = status.with_context(|| format!("starting `{editor}`"))?;
    if !status.success() {
        bail!("`{editor}` failed ({status}); nothing is decided");
    }
    read_back(file.path(), encoding)
}

/// Editors may write a new file in place of the old one, so it is opened again.
fn read_back(path: &std::path::Path, encoding: Encoding) -> anyhow::Result<String> {
    let mut file = std::fs::File::open(path).context("reading what was edited")?;
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0)).and_then(|_| file.read_to_end(&mut bytes)).context("reading what was edited")?;
    match (encoding, String::from_utf8(bytes)) {
        (Encoding::Latin1, Err(error)) => Ok(error.as_bytes().iter().map(|&byte| char::from(byte)).collect()),
        (Encoding::Latin1, Ok(text)) => Ok(text),
        (Encoding::Utf8, text) => text.context("the text is not UTF-8; nothing is decided"),
    }
}
