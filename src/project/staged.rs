//! The content of files as the next commit will hold it, read from git's index.

use camino::{Utf8Path, Utf8PathBuf};

use super::git::{Git, GitError, pathspecs};
use super::read::read;
use super::walk::Selection;

/// A file of the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Staged {
    /// Its path, from the current directory on if it lies below.
    pub path: Utf8PathBuf,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// What the next commit has of some paths.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StagedFiles {
    /// The files whose content differs from the last commit.
    pub files: Vec<Staged>,
    /// What has no content to be read, and why.
    pub left_out: Vec<String>,
}

/// The files below `paths` whose staged content differs from the last commit, those `with_builds` that say how to build.
/// Files that `paths` name are taken whatever their extension.
pub fn staged(paths: &[Utf8PathBuf], (selection, with_builds): (&Selection, bool)) -> Result<StagedFiles, GitError> {
    let git = Git::at(paths.first().map_or(Utf8Path::new("."), |path| path.as_path()));
    let top = git.top()?;
    let specs = pathspecs(paths);
    let mut diff = vec![
        "diff",
        "--cached",
        "--raw",
        "-z",
        "--no-abbrev",
        "--no-ext-diff",
        "--no-textconv",
        "--no-renames",
        "--no-relative",
        "--diff-filter=ACMTU",
        "--",
    ];
    diff.extend(specs.iter().map(String::as_str));
    let (mut wanted, mut left_out) = (Vec::new(), Vec::new());
    for (path, entry) in read_raw(&git.run(&diff)?) {
        let full = top.join(&path);
        let shown = shown(&full);
        let is_named = paths.contains(&shown) || specs.iter().any(|spec| *spec == full);
        if !is_named && !selection.accepts_for_lint(Utf8Path::new(&path), with_builds) {
            continue;
        }
        match entry {
            Entry::Content(object) => wanted.push((shown, object)),
            Entry::Unmerged => left_out.push(format!("`{shown}` is not merged, so that nothing of it is staged")),
        }
    }
    refuse_long(&git, &mut wanted, &mut left_out)?;
    let names = lines_of(&wanted);
    let mut contents = read_batch(&git.run_with_input(&["cat-file", "--batch"], names.as_bytes())?).into_iter();
    let mut files = Vec::with_capacity(wanted.len());
    for (path, object) in wanted {
        match contents.next().flatten() {
            Some(bytes) => files.push(Staged { path, bytes }),
            None => left_out.push(format!("the staged content of `{path}`, object {object}, is not in the repository")),
        }
    }
    // Of a file that is not merged there may be more than one entry.
    left_out.dedup();
    Ok(StagedFiles { files, left_out })
}

/// No source is that long, and what is staged is held in memory.
const LONGEST: u64 = 64 << 20;

/// How long all staged sources of a run may be.
const LONGEST_TOGETHER: u64 = 1 << 30;

/// Leaves out what is too long to be held in memory: a few kilobytes of an archive can be gigabytes.
fn refuse_long(git: &Git, wanted: &mut Vec<(Utf8PathBuf, String)>, left_out: &mut Vec<String>) -> Result<(), GitError> {
    let told = git.run_with_input(&["cat-file", "--batch-check=%(objectsize)"], lines_of(wanted).as_bytes())?;
    let told = String::from_utf8_lossy(&told);
    let mut sizes = told.lines().map(|line| line.parse::<u64>().ok());
    let mut together = 0;
    wanted.retain(|(path, _)| {
        // What has no size is missing, which is told when it is read.
        let size = sizes.next().flatten().unwrap_or(0);
        let fits = size <= LONGEST && together + size <= LONGEST_TOGETHER;
        if fits {
            together += size;
        } else {
            left_out.push(format!("the staged content of `{path}` has {size} bytes, which is too much to look at"));
        }
        fits
    });
    Ok(())
}

/// The objects, as `cat-file` wants them.
fn lines_of(wanted: &[(Utf8PathBuf, String)]) -> String {
    wanted.iter().flat_map(|(_, object)| [object.as_str(), "\n"]).collect()
}

/// Files below `root` that git knows, `selection` wants and `.gitignore` names all the same, so that no walk comes to them; as
/// far as they speak of CUDA. Fails without git, or where it knows no such folder.
pub fn tracked_and_ignored(root: &Utf8Path, selection: &Selection) -> Result<Vec<Utf8PathBuf>, GitError> {
    let git = Git::at(root);
    let specs = pathspecs(&[root.to_owned()]);
    let mut arguments = vec!["ls-files", "--cached", "--ignored", "--exclude-per-directory=.gitignore"];
    arguments.extend(["--full-name", "-z", "--"]);
    arguments.extend(specs.iter().map(String::as_str));
    let (top, listed) = (git.top()?, git.run(&arguments)?);
    let listed = String::from_utf8_lossy(&listed);
    let names = listed.split('\0').filter(|name| !name.is_empty() && selection.accepts(Utf8Path::new(name)));
    Ok(names.map(|name| top.join(name)).filter(|path| speaks_of_cuda(path)).map(|path| shown(&path)).collect())
}

fn speaks_of_cuda(path: &Utf8Path) -> bool {
    let is_cuda = matches!(path.extension(), Some("cu" | "cuh")) && path.is_file() && !path.is_symlink();
    is_cuda || !path.is_symlink() && read(path).is_ok_and(|bytes| memchr::memmem::find(&bytes, b"cuda").is_some())
}

/// What the index has for a path.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Entry {
    /// The object of a regular file.
    Content(String),
    /// Several contents, of which somebody has to choose.
    Unmerged,
}

/// All files of the repository of `paths` that git knows and `selection` wants.
pub fn tracked(
    paths: &[Utf8PathBuf],
    (selection, with_builds): (&Selection, bool),
) -> Result<Vec<Utf8PathBuf>, GitError> {
    let git = Git::at(paths.first().map_or(Utf8Path::new("."), |path| path.as_path()));
    let top = git.top()?;
    let listed = git.run(&["ls-files", "-z", "--full-name", "--", top.as_str()])?;
    let listed = String::from_utf8_lossy(&listed);
    let is_wanted = |name: &&str| !name.is_empty() && selection.accepts_for_lint(Utf8Path::new(name), with_builds);
    let names = listed.split('\0').filter(is_wanted);
    Ok(names.map(|name| shown(&top.join(name))).collect())
}

/// Paths of regular files and of those that are not merged in the output of `diff --raw -z`.
fn read_raw(raw: &[u8]) -> Vec<(String, Entry)> {
    let raw = String::from_utf8_lossy(raw);
    let mut parts = raw.split('\0');
    let mut files = Vec::new();
    while let (Some(head), Some(path)) = (parts.next(), parts.next()) {
        // `:OLDMODE NEWMODE OLDOBJECT NEWOBJECT STATUS`
        let words: Vec<&str> = head.split(' ').collect();
        match words.as_slice() {
            [.., status] if status.starts_with('U') => files.push((path.to_owned(), Entry::Unmerged)),
            [_, "100644" | "100755", _, object, _] => {
                files.push((path.to_owned(), Entry::Content((*object).to_owned())));
            }
            _ => {}
        }
    }
    files
}

/// The contents in the output of `cat-file --batch`: `OBJECT blob SIZE`, a line end, the bytes, a line end; nothing for
/// `OBJECT missing`.
fn read_batch(mut output: &[u8]) -> Vec<Option<Vec<u8>>> {
    let mut contents = Vec::new();
    while let Some(end) = memchr::memchr(b'\n', output) {
        let head = String::from_utf8_lossy(&output[..end]);
        let size = head.split_once(" blob ").and_then(|(_, size)| size.parse::<usize>().ok());
        let Some(size) = size else {
            contents.push(None);
            output = &output[end + 1..];
            continue;
        };
        let Some(bytes) = output.get(end + 1..end + 1 + size) else { break };
        contents.push(Some(bytes.to_vec()));
        output = output.get(end + 2 + size..).unwrap_or_default();
    }
    contents
}

/// A path as people are shown it: from the current directory on if it lies below.
pub(super) fn shown(full: &Utf8Path) -> Utf8PathBuf {
    let here = Utf8Path::new(".").canonicalize_utf8();
    let below = here.ok().and_then(|here| full.strip_prefix(here).ok().map(Utf8Path::to_owned));
    match below {
        Some(here) if here.as_str().is_empty() => ".".into(),
        Some(below) => below,
        None => full.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_are_told_apart_by_their_size() {
        let output = b"aa blob 5\nx\ny\n\n\nbb blob 0\n\ndd missing\ncc blob 1\nz\n";
        let contents = [Some(b"x\ny\n\n".to_vec()), Some(b"".to_vec()), None, Some(b"z".to_vec())];
        assert_eq!(read_batch(output), contents);
    }

    #[test]
    fn links_and_modules_are_left_out() {
        let raw = b":100644 100644 a1 b1 M\0a.cu\0:000000 160000 0 b2 A\0module\0:000000 120000 0 b3 A\0link\0\
                    :000000 000000 00 00 U\0b.cu\0";
        let content = Entry::Content("b1".to_owned());
        assert_eq!(read_raw(raw), [("a.cu".to_owned(), content), ("b.cu".to_owned(), Entry::Unmerged)]);
    }
}
