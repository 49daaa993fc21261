//! What files are called in a patch.

use camino::{Utf8Path, Utf8PathBuf};

use super::convert::Source;
use super::home::work_tree_of;

/// The directory that the names in a patch start from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Base {
    top: Utf8PathBuf,
}

/// A file that a patch cannot name.
#[derive(Debug, thiserror::Error)]
pub enum NameError {
    /// The disk or the permissions.
    #[error("{path}: {source}")]
    Io {
        /// The file or directory.
        path: Utf8PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// Its name would have to start with `..` or `/`.
    #[error("`{path}` lies outside of `{base}`, which the names in a patch start from; run hipshift in its directory")]
    Outside {
        /// The file.
        path: Utf8PathBuf,
        /// The directory.
        base: Utf8PathBuf,
    },
    /// A patch changes links, or what they lead to, but not both.
    #[error("`{0}` is a symbolic link, which a patch cannot give another name; name the file that it leads to")]
    Link(Utf8PathBuf),
    /// The new name belongs to another file.
    #[error("`{path}` would get the name `{new}`, and there is such a file")]
    Taken {
        /// The file.
        path: Utf8PathBuf,
        /// Its new name.
        new: Utf8PathBuf,
    },
}

impl Base {
    /// The top of the git work tree that holds `path`, else the current directory.
    pub fn of(path: &Utf8Path) -> Result<Base, NameError> {
        let absolute = canonical(path)?;
        match work_tree_of(&absolute) {
            Some(top) => Ok(Base { top: top.to_owned() }),
            None => Ok(Base { top: canonical(Utf8Path::new("."))? }),
        }
    }

    /// The directory.
    pub fn path(&self) -> &Utf8Path {
        &self.top
    }

    /// The names of a file as people are shown them: those for a patch, or full paths outside of the base.
    pub fn shown_names(&self, source: &Source) -> Result<Names, NameError> {
        match self.names(source) {
            Err(NameError::Outside { .. }) => Base { top: Utf8PathBuf::from("/") }.names(source),
            other => other,
        }
    }

    /// The names of a file before and after, for a patch.
    pub fn names(&self, source: &Source) -> Result<Names, NameError> {
        let old = self.inside(&source.path)?;
        let output = source.output.as_ref().filter(|output| **output != source.path);
        let Some(output) = output else { return Ok(Names { new: old.clone(), old }) };
        if source.path.is_symlink() {
            return Err(NameError::Link(source.path.clone()));
        }
        if output.symlink_metadata().is_ok() {
            return Err(NameError::Taken { path: source.path.clone(), new: output.clone() });
        }
        let new = old.with_file_name(output.file_name().unwrap_or_default());
        Ok(Names { old, new })
    }

    /// The names of a file that may not be there before.
    pub fn names_of_new(&self, path: &Utf8Path) -> Result<Names, NameError> {
        if path.symlink_metadata().is_ok() {
            return self.shown_names(&Source { path: path.to_owned(), output: None });
        }
        let folder = path.parent().filter(|folder| !folder.as_str().is_empty()).unwrap_or(Utf8Path::new("."));
        let folder = self.inside(folder).or_else(|_| canonical(folder))?;
        Ok(Names { old: NOTHING.into(), new: folder.join(path.file_name().unwrap_or_default()) })
    }

    fn inside(&self, path: &Utf8Path) -> Result<Utf8PathBuf, NameError> {
        let absolute = canonical(path)?;
        let inside = absolute.strip_prefix(&self.top).map(Utf8Path::to_owned);
        inside.map_err(|_| NameError::Outside { path: path.to_owned(), base: self.top.clone() })
    }
}

fn canonical(path: &Utf8Path) -> Result<Utf8PathBuf, NameError> {
    path.canonicalize_utf8().map_err(|source| NameError::Io { path: path.to_owned(), source })
}

/// The name before of a file that is new.
const NOTHING: &str = "/dev/null";

/// What a file is called before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Names {
    /// Its name before, from the base on.
    pub old: Utf8PathBuf,
    /// Its name afterwards.
    pub new: Utf8PathBuf,
}

impl Names {
    /// Whether the file gets another name.
    pub fn differ(&self) -> bool {
        self.old != self.new
    }

    /// Whether there is no such file before.
    pub fn is_new(&self) -> bool {
        self.old == NOTHING
    }

    /// The lines in front of the hunks of a file. `similarity` is the percentage of its lines that
    /// stay, for a new name.
    pub fn header(&self, similarity: usize, has_hunks: bool) -> String {
        let new = quoted("b/", &self.new);
        if self.is_new() {
            let end = if new.contains(' ') { "\t" } else { "" };
            let old = quoted("a/", &self.new);
            return format!("diff --git {old} {new}\nnew file mode 100644\n--- {NOTHING}\n+++ {new}{end}\n");
        }
        let old = quoted("a/", &self.old);
        let rename = if self.differ() {
            let (from, to) = (quoted("", &self.old), quoted("", &self.new));
            format!("similarity index {similarity}%\nrename from {from}\nrename to {to}\n")
        } else {
            String::new()
        };
        let files = if has_hunks {
            // What follows a tab is no part of a name, so blanks before it are.
            let end = |name: &str| if name.contains(' ') { "\t" } else { "" };
            format!("--- {old}{}\n+++ {new}{}\n", end(&old), end(&new))
        } else {
            String::new()
        };
        format!("diff --git {old} {new}\n{rename}{files}")
    }
}

/// A name as git writes it: in quotes if it holds anything but printable ASCII, a quote or a backslash.
fn quoted(prefix: &str, name: &Utf8Path) -> String {
    let name = format!("{prefix}{name}");
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\');
    if name.bytes().all(is_plain) {
        return name;
    }
    let mut quoted = String::from("\"");
    for byte in name.bytes() {
        match byte {
            b'"' | b'\\' => quoted.extend(['\\', char::from(byte)]),
            b'\t' => quoted.push_str("\\t"),
            b'\n' => quoted.push_str("\\n"),
            byte if is_plain(byte) => quoted.push(char::from(byte)),
            byte => {
                let digit = |shift: u32| char::from(b'0' + (byte >> shift & 7));
                quoted.extend(['\\', digit(6), digit(3), digit(0)]);
            }
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_quoted(name: &str, expected: &str) {
        assert_eq!(quoted("a/", Utf8Path::new(name)), expected);
    }

    #[test]
    fn names_are_quoted_as_git_does() {
        check_quoted("src/a b.cu", "a/src/a b.cu");
        check_quoted("caf\u{e9}.cu", "\"a/caf\\303\\251.cu\"");
        check_quoted("a\"b\\c\td\u{1}.cu", "\"a/a\\\"b\\\\c\\td\\001.cu\"");
    }

    #[test]
    fn a_new_name_needs_no_hunks() {
        let names = Names { old: "x y.cu".into(), new: "x y.hip".into() };
        let expected = "diff --git a/x y.cu b/x y.hip\nsimilarity index 100%\nrename from x y.cu\nrename to x y.hip\n";
        assert_eq!(names.header(100, false), expected);
        let names = Names { old: "x y.cu".into(), new: "x y.cu".into() };
        assert_eq!(names.header(9, true), "diff --git a/x y.cu b/x y.cu\n--- a/x y.cu\t\n+++ b/x y.cu\t\n");
        let names = Names { old: NOTHING.into(), new: "x y.h".into() };
        let expected = "diff --git a/x y.h b/x y.h\nnew file mode 100644\n--- /dev/null\n+++ b/x y.h\t\n";
        assert_eq!(names.header(0, true), expected);
    }
}
