//! Which lines of which files differ from a commit.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashMap;

use super::git::{Git, GitError, pathspecs, submodules_of};

/// Lines that differ from a commit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    files: FxHashMap<Utf8PathBuf, Lines>,
    /// Folders of which the commit knows nothing.
    folders: Vec<Utf8PathBuf>,
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
        let commit =
            git.run(&["rev-parse", "--verify", "--quiet", "--end-of-options", &format!("{reference}^{{commit}}")]);
        let commit = commit.map_err(|error| error.because(&format!("`{reference}` is no commit")))?;
        let commit = String::from_utf8_lossy(&commit).trim().to_owned();
        let specs = pathspecs(paths);
        let mut changes = Changes::default();
        if staged {
            changes.add_diff(&git, &["--cached", &commit], (&git.top()?, &specs))?;
        } else {
            changes.add_work_trees((git, commit), &specs)?;
        }
        Ok(changes)
    }

    /// Adds what differs in a work tree and in its submodules, whose commits are those that the commit around has.
    fn add_work_trees(&mut self, outermost: (Git, String), specs: &[String]) -> Result<(), GitError> {
        let mut waiting = vec![(outermost, specs.to_vec())];
        // A repository may say of itself that it is its own submodule.
        let mut seen = BTreeSet::new();
        while let Some(((git, commit), specs)) = waiting.pop() {
            let top = git.top()?;
            if !seen.insert(top.clone()) {
                continue;
            }
            self.add_work_tree(&git, &commit, (&top, &specs))?;
            for (folder, commit) in submodules_of(&git, &top, &commit)? {
                let specs = specs_within(&specs, &folder);
                let git = Git::at(&folder);
                match commit.filter(|commit| git.has_commit(commit)) {
                    _ if specs.is_empty() => {}
                    Some(commit) => waiting.push(((git, commit), specs)),
                    None => self.folders.push(folder),
                }
            }
        }
        Ok(())
    }

    fn add_work_tree(&mut self, git: &Git, commit: &str, (top, specs): (&Utf8Path, &[String])) -> Result<(), GitError> {
        self.add_diff(git, &[commit], (top, specs))?;
        let mut others = vec!["ls-files", "--others", "--full-name", "-z", "--"];
        others.extend(specs.iter().map(String::as_str));
        let names = git.run(&others)?;
        for name in names.split(|&byte| byte == 0).filter(|name| !name.is_empty()) {
            let name = String::from_utf8_lossy(name);
            match name.strip_suffix('/') {
                // Another repository, of which this one knows nothing.
                Some(folder) => self.folders.push(top.join(folder)),
                None => drop(self.files.insert(top.join(&*name), Lines::All)),
            }
        }
        Ok(())
    }

    /// Adds what `git diff` says. Its settings, which a repository may have, change nothing in that.
    fn add_diff(&mut self, git: &Git, what: &[&str], (top, specs): (&Utf8Path, &[String])) -> Result<(), GitError> {
        let mut diff = vec!["diff", "--unified=0", "--inter-hunk-context=0", "--text", "--no-color", "--no-ext-diff"];
        // What is deleted has no lines to look at.
        diff.extend(["--diff-filter=d", "--no-textconv", "--no-relative", "--ignore-submodules=dirty", "--no-renames"]);
        diff.extend(["--src-prefix=a/", "--dst-prefix=b/", "--output-indicator-new=+", "--output-indicator-old=-"]);
        diff.extend(what);
        diff.push("--");
        diff.extend(specs.iter().map(String::as_str));
        self.files.extend(read_diff(&String::from_utf8_lossy(&git.compare(&diff)?), top));
        Ok(())
    }

    /// Whether `line` of the file at `path` differs.
    pub(super) fn contain(&self, path: &Utf8Path, line: u32) -> bool {
        match self.files.get(path) {
            None => self.folders.iter().any(|folder| path.starts_with(folder)),
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

/// Those of `specs`, absolute, that lead into a folder, or the folder itself where one holds it.
fn specs_within(specs: &[String], folder: &Utf8Path) -> Vec<String> {
    if specs.iter().any(|spec| folder.starts_with(spec)) {
        return vec![folder.to_string()];
    }
    specs.iter().filter(|spec| Utf8Path::new(spec).starts_with(folder)).cloned().collect()
}

/// Reads a diff; what context it has counts as changed.
fn read_diff(diff: &str, top: &Utf8Path) -> FxHashMap<Utf8PathBuf, Lines> {
    let mut files: FxHashMap<Utf8PathBuf, Lines> = FxHashMap::default();
    let mut path = None;
    // Lines of a hunk that are still to come, of the old and the new text; they may look like anything.
    let (mut old_lines, mut new_lines) = (0_u32, 0_u32);
    for line in diff.split('\n') {
        if old_lines > 0 || new_lines > 0 {
            // The note on a missing line end belongs to neither text.
            old_lines = old_lines.saturating_sub(u32::from(!line.starts_with(['+', '\\'])));
            new_lines = new_lines.saturating_sub(u32::from(!line.starts_with(['-', '\\'])));
        } else if let Some(name) = line.strip_prefix("+++ ") {
            path = name_in_diff(name).map(|name| top.join(name));
        } else if let Some((old, new)) = line.strip_prefix("@@ -").and_then(read_hunk) {
            (old_lines, new_lines) = (old, new.1);
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
            Some(b'a') => bytes.push(7),
            Some(b'b') => bytes.push(8),
            Some(b'v') => bytes.push(11),
            Some(b'f') => bytes.push(12),
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
        let changes = Changes { files: read_diff(diff, Utf8Path::new("/top")), folders: Vec::new() };
        let path = Utf8Path::new("/top/x.cu");
        let lines: Vec<u32> = (1..20).filter(|&line| changes.contain(path, line)).collect();
        assert_eq!(lines, [1, 9, 10]);
        assert!(!changes.contain(Utf8Path::new("/top/y"), 1));
    }

    #[test]
    fn context_ends_no_hunk_early() {
        let diff = "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n-a\n+b\n y\n-c\n\\ No newline at end of file\n+d\n--- a/y\n+++ b/y\n@@ -0,0 +1 @@\n+z\n";
        let changes = Changes { files: read_diff(diff, Utf8Path::new("/")), folders: Vec::new() };
        assert!(changes.contain(Utf8Path::new("/x"), 3) && changes.contain(Utf8Path::new("/y"), 1));
    }

    #[test]
    fn quoted_names_are_read() {
        assert_eq!(name_in_diff("\"b/a\\\"\\303\\251\\t.cu\"").as_deref(), Some("a\"é\t.cu"));
        assert_eq!(name_in_diff("\"b/\\a\\b\\v\\f\\033\"").as_deref(), Some("\u{7}\u{8}\u{b}\u{c}\u{1b}"));
        assert_eq!(name_in_diff("b/with blank.cu\t").as_deref(), Some("with blank.cu"));
        assert_eq!(name_in_diff("/dev/null"), None);
    }
}
