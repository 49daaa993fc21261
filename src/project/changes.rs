//! Which lines of which files differ from a commit.

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashMap;

use super::git::{Git, GitError, pathspecs};

/// Lines that differ from a commit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    files: FxHashMap<Utf8PathBuf, Lines>,
}

/// The changed lines of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Lines {
    /// The file is not in the commit.
    All,
    /// First line and number of lines of each run, in the order of the text.
    Runs(Vec<(u32, u32)>),
}

impl Changes {
    /// Lines below `paths` that differ from the commit `reference`: those in the work tree, or
    /// with `staged` those in the index.
    pub fn since(reference: &str, paths: &[Utf8PathBuf], staged: bool) -> Result<Changes, GitError> {
        let git = Git::at(paths.first().map_or(Utf8Path::new("."), |path| path.as_path()));
        let top = git.top()?;
        let specs = pathspecs(paths);
        let commit =
            git.run(&["rev-parse", "--verify", "--quiet", "--end-of-options", &format!("{reference}^{{commit}}")]);
        let commit = commit.map_err(|error| error.because(&format!("`{reference}` is no commit")))?;
        let commit = String::from_utf8_lossy(&commit).trim().to_owned();
        let mut diff = vec!["diff"];
        diff.extend(staged.then_some("--cached"));
        diff.extend(["--unified=0", "--text", "--no-color", "--no-ext-diff", "--no-textconv", "--no-relative"]);
        diff.extend(["--ignore-submodules=dirty", "--no-renames", "--src-prefix=a/", "--dst-prefix=b/", &commit, "--"]);
        diff.extend(specs.iter().map(String::as_str));
        let mut changes = Changes { files: read_diff(&String::from_utf8_lossy(&git.compare(&diff)?), &top) };
        if !staged {
            let mut others = vec!["ls-files", "--others", "--full-name", "-z", "--"];
            others.extend(specs.iter().map(String::as_str));
            let names = git.run(&others)?;
            let names = names.split(|&byte| byte == 0).filter(|name| !name.is_empty());
            changes.files.extend(names.map(|name| (top.join(&*String::from_utf8_lossy(name)), Lines::All)));
        }
        Ok(changes)
    }

    /// Whether `line` of the file at `path` differs.
    pub(super) fn contain(&self, path: &Utf8Path, line: u32) -> bool {
        match self.files.get(path) {
            None => false,
            Some(Lines::All) => true,
            Some(Lines::Runs(runs)) => {
                let after = runs.partition_point(|(start, _)| *start <= line);
                after.checked_sub(1).and_then(|at| runs.get(at)).is_some_and(|(start, count)| line - start < *count)
            }
        }
    }
}

/// The name that [`Changes`] knows the file at `path` by: links above it resolved, itself not.
pub(super) fn real_path(path: &Utf8Path) -> Utf8PathBuf {
    let parent = path.parent().filter(|parent| !parent.as_str().is_empty()).unwrap_or(Utf8Path::new("."));
    let real = parent.canonicalize_utf8().ok().zip(path.file_name()).map(|(parent, name)| parent.join(name));
    real.unwrap_or_else(|| path.to_owned())
}

/// Reads a diff without context lines.
fn read_diff(diff: &str, top: &Utf8Path) -> FxHashMap<Utf8PathBuf, Lines> {
    let mut files: FxHashMap<Utf8PathBuf, Lines> = FxHashMap::default();
    let mut path = None;
    // Lines of a hunk that are still to come; they may look like anything.
    let mut content = 0;
    for line in diff.split('\n') {
        if content > 0 {
            content -= u32::from(line.starts_with(['+', '-']));
        } else if let Some(name) = line.strip_prefix("+++ ") {
            path = name_in_diff(name).map(|name| top.join(name));
        } else if let Some((old, new)) = line.strip_prefix("@@ -").and_then(read_hunk) {
            content = old + new.1;
            if let (Some(path), true) = (&path, new.1 > 0) {
                let lines = files.entry(path.clone()).or_insert_with(|| Lines::Runs(Vec::new()));
                if let Lines::Runs(runs) = lines {
                    runs.push(new);
                }
            }
        }
    }
    files
}

/// `3,2 +3,4 @@`: how many lines went, and the first and number of those that came.
fn read_hunk(head: &str) -> Option<(u32, (u32, u32))> {
    let mut words = head.split(' ');
    let (old, new) = (words.next()?, words.next()?.strip_prefix('+')?);
    let run = |word: &str| {
        let (start, count) = word.split_once(',').unwrap_or((word, "1"));
        Some((start.parse().ok()?, count.parse().ok()?))
    };
    let (_, removed): (u32, u32) = run(old)?;
    Some((removed, run(new)?))
}

/// `b/src/a.cu`, in quotes if odd characters are in it; `None` for a file that is gone.
fn name_in_diff(name: &str) -> Option<String> {
    let name = name.strip_suffix('\t').unwrap_or(name);
    match name.strip_prefix('"').and_then(|inner| inner.strip_suffix('"')) {
        Some(quoted) => unquote(quoted).strip_prefix("b/").map(str::to_owned),
        None => name.strip_prefix("b/").map(str::to_owned),
    }
}

/// Undoes the escapes of C that git writes.
fn unquote(quoted: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = quoted.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next() {
            Some(b't') => bytes.push(b'\t'),
            Some(b'n') => bytes.push(b'\n'),
            Some(b'r') => bytes.push(b'\r'),
            Some(digit @ b'0'..=b'3') => {
                let mut number = digit - b'0';
                for digit in rest.by_ref().take(2) {
                    number = number.wrapping_mul(8).wrapping_add(digit.wrapping_sub(b'0'));
                }
                bytes.push(number);
            }
            Some(other) => bytes.push(other),
            None => {}
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_look_like_heads_are_content() {
        let diff = "diff --git a/x.cu b/x.cu\n--- a/x.cu\n+++ b/x.cu\n@@ -1,2 +1 @@\n--- a/y\n-@@ -1 +1 @@\n+++ b/y\n\
                    @@ -9,0 +9,2 @@ int f()\n+a\n+b\n\\ No newline at end of file\n\
                    diff --git a/y b/y\n--- a/y\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n";
        let changes = Changes { files: read_diff(diff, Utf8Path::new("/top")) };
        let path = Utf8Path::new("/top/x.cu");
        let lines: Vec<u32> = (1..20).filter(|&line| changes.contain(path, line)).collect();
        assert_eq!(lines, [1, 9, 10]);
        assert!(!changes.contain(Utf8Path::new("/top/y"), 1));
    }

    #[test]
    fn quoted_names_are_read() {
        assert_eq!(name_in_diff("\"b/a\\\"\\303\\251\\t.cu\"").as_deref(), Some("a\"é\t.cu"));
        assert_eq!(name_in_diff("b/with blank.cu\t").as_deref(), Some("with blank.cu"));
        assert_eq!(name_in_diff("/dev/null"), None);
    }
}
