//! Finds the files of a project: sorted, `.gitignore` respected, symbolic links not followed.

use std::cell::RefCell;
use std::io::Read as _;
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use camino::{Utf8Path, Utf8PathBuf};
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use walkdir::{DirEntry, WalkDir};

use super::globs::{GlobError, glob_set, is_too_much};
use super::read_by_make::unknown_makefiles;
use crate::build::{build_kind_of, is_build_file};

/// Extensions of files that may hold CUDA C++.
pub const EXTENSIONS: &[&str] = &[
    "cu", "cuh", "c", "cc", "cpp", "cxx", "c++", "C", "h", "hh", "hpp", "hxx", "h++", "H", "inl", "inc", "ipp", "tpp",
    "txx", "tcc", "impl", "hip", "icc", "ixx", "cppm", "ccm", "cxxm", "def", "hu", "cui",
];

/// Extensions of templates, from which a build makes the file whose name stands before: `kernel.cu.in`.
const TEMPLATES: &[&str] = &["in", "cmake", "j2", "jinja", "tmpl", "template"];

/// Which files of a directory are wanted.
#[derive(Debug, Default)]
pub struct Selection {
    include: Option<globset::GlobSet>,
    exclude: Option<globset::GlobSet>,
}

/// A path that cannot be walked.
#[derive(Debug, thiserror::Error)]
pub enum WalkError {
    /// The path is not there, or not to be read.
    #[error("`{path}` cannot be read: {message}")]
    Io {
        /// The path.
        path: Utf8PathBuf,
        /// What the system says.
        message: String,
    },
    /// Patterns.
    #[error(transparent)]
    Glob(#[from] GlobError),
}

/// What a walk found.
#[derive(Debug, Default)]
pub struct Walked {
    /// Files that may hold CUDA, sorted.
    pub sources: Vec<Utf8PathBuf>,
    /// Files that say how the project is built, sorted.
    pub builds: Vec<Utf8PathBuf>,
    /// All other files, sorted.
    pub others: Vec<Utf8PathBuf>,
    /// Symbolic links, which are not followed.
    pub links: Vec<Utf8PathBuf>,
    /// The first file or folder that `.gitignore` names, if it names any.
    pub ignored: Option<Utf8PathBuf>,
    /// What cannot be read, and why; it does not keep the rest from being read.
    pub left_out: Vec<String>,
}

impl Selection {
    /// From glob patterns over paths relative to the directory. With `include` patterns, these
    /// decide in place of the extension.
    pub fn new(include: &[String], exclude: &[String]) -> Result<Selection, WalkError> {
        Ok(Selection { include: glob_set(include)?, exclude: glob_set(exclude)? })
    }

    /// Whether a file is wanted, its directories included in the question.
    pub(super) fn accepts(&self, relative: &Utf8Path) -> bool {
        !self.leaves_out(relative) && self.wants(relative)
    }

    /// Whether a file is wanted for a lint, as `accepts`, or because its name says that it is a build file.
    pub(super) fn accepts_for_lint(&self, relative: &Utf8Path, with_builds: bool) -> bool {
        self.accepts(relative) || with_builds && is_build_file(relative) && !self.leaves_out(relative)
    }

    /// Whether a file or one of its directories is excluded.
    fn leaves_out(&self, relative: &Utf8Path) -> bool {
        relative.ancestors().any(|part| !part.as_str().is_empty() && self.excludes(part))
    }

    fn wants(&self, relative: &Utf8Path) -> bool {
        match &self.include {
            Some(include) => include.is_match(relative),
            None => may_hold_code(relative),
        }
    }

    fn excludes(&self, relative: &Utf8Path) -> bool {
        self.exclude.as_ref().is_some_and(|exclude| exclude.is_match(relative))
    }
}

/// Whether the extension says so; that of a template is passed over.
pub(super) fn may_hold_code(path: &Utf8Path) -> bool {
    match path.extension() {
        Some(extension) if TEMPLATES.contains(&extension) => {
            path.file_stem().map(Utf8Path::new).is_some_and(may_hold_code)
        }
        Some(extension) => EXTENSIONS.contains(&extension),
        None => false,
    }
}

/// The files below `root`, or `root` itself if it is a file.
pub fn walk(root: &Utf8Path, selection: &Selection) -> Result<Walked, WalkError> {
    let mut walked = Walked::default();
    if root.is_file() {
        walked.sources.push(root.to_owned());
        return Ok(walked);
    }
    let mut ignores = Ignores::above(root);
    let (passed_over, first_ignored) = (ignores.passed_over.clone(), ignores.first_ignored.clone());
    let entries = WalkDir::new(root).sort_by_file_name().into_iter().filter_entry(|entry| {
        let relative = relative_to(root, entry);
        let excluded = relative.as_deref().is_some_and(|path| !path.as_str().is_empty() && selection.excludes(path));
        let is_below_unnamed = entry.depth() > 1 && entry.path().parent().is_some_and(|path| path.to_str().is_none());
        !is_below_unnamed && !excluded && ignores.accept(entry)
    });
    for entry in entries {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) if error.depth() == 0 => {
                return Err(WalkError::Io { path: root.to_owned(), message: reason(&error) });
            }
            Err(error) => {
                let path = error.path().unwrap_or(root.as_std_path()).display();
                walked.left_out.push(format!("`{path}` cannot be read: {}", reason(&error)));
                continue;
            }
        };
        let Some(relative) = relative_to(root, &entry) else {
            // Names must be UTF-8, so that they can be shown. What is below such a folder has no other.
            walked.left_out.push(format!("the name of `{}` is not UTF-8", entry.path().display()));
            continue;
        };
        let path = if relative.as_str().is_empty() { root.to_owned() } else { root.join(&relative) };
        if entry.path_is_symlink() && entry.depth() > 0 {
            walked.links.push(path);
        } else if !entry.file_type().is_file() {
            // Who expects a source there has to know.
            if let Some(kind) = not_a_file(&entry).filter(|_| selection.wants(&relative) || is_build_file(&relative)) {
                walked.left_out.push(format!("`{path}` is {kind}"));
            }
        } else {
            let list = match () {
                () if selection.wants(&relative) => &mut walked.sources,
                () if is_build(&relative, &path) => &mut walked.builds,
                () => &mut walked.others,
            };
            list.push(path);
        }
    }
    walked.left_out.extend(passed_over.take());
    walked.left_out.extend(unknown_makefiles(&walked));
    walked.ignored = first_ignored.take();
    Ok(walked)
}

/// Whether a file says how the project is built, by its name or, if that has no extension, by its first line.
fn is_build(relative: &Utf8Path, path: &Utf8Path) -> bool {
    let is_script = || {
        let mut head = [0; 64];
        let len = std::fs::File::open(path).and_then(|mut file| file.read(&mut head)).unwrap_or_default();
        build_kind_of(relative, &head[..len]).is_some()
    };
    is_build_file(relative) || relative.extension().is_none() && is_script()
}

/// What an entry is that is neither a file nor a folder.
fn not_a_file(entry: &DirEntry) -> Option<&'static str> {
    let kind = entry.file_type();
    match () {
        () if kind.is_dir() || kind.is_symlink() => None,
        () if kind.is_fifo() => Some("a pipe"),
        () if kind.is_socket() => Some("a socket"),
        () => Some("a device"),
    }
}

/// What the system says; the path stands elsewhere.
fn reason(error: &walkdir::Error) -> String {
    error.io_error().map_or_else(|| "it leads back to itself".to_owned(), ToString::to_string)
}

/// Whether a walk over `root` would take the file at `path` for a source, both absolute; the file need not exist.
pub fn is_wanted(root: &Utf8Path, path: &Utf8Path, selection: &Selection) -> bool {
    let Ok(relative) = path.strip_prefix(root) else { return false };
    (path == root || selection.wants(relative)) && is_reached(root, path, selection)
}

/// Whether a walk over `root` would come to the file at `path`, whatever it is.
pub fn is_reached(root: &Utf8Path, path: &Utf8Path, selection: &Selection) -> bool {
    !path.is_symlink() && !is_left_out(root, path, selection)
}

/// Whether a walk over `root` passes over the name `path`, which need not exist: a pattern or `.gitignore` says so.
pub(super) fn is_left_out(root: &Utf8Path, path: &Utf8Path, selection: &Selection) -> bool {
    let Ok(relative) = path.strip_prefix(root) else { return true };
    let is_own = relative.components().any(|part| matches!(part.as_str(), ".git" | ".hipshift"));
    if is_own || (path != root && selection.leaves_out(relative)) {
        return true;
    }
    let mut ignores = Ignores::above(root);
    let mut directory = root.to_owned();
    for part in relative.components() {
        ignores.add(1, directory.as_std_path());
        directory.push(part);
        if ignores.ignores(directory.as_std_path(), directory != path) {
            return true;
        }
    }
    false
}

fn relative_to(root: &Utf8Path, entry: &DirEntry) -> Option<Utf8PathBuf> {
    let relative = entry.path().strip_prefix(root).ok()?;
    Utf8Path::from_path(relative).map(Utf8Path::to_owned)
}

/// The `.gitignore` files from the top of the work tree down to the present directory.
struct Ignores {
    /// The root as the caller names it, and as an absolute path, which rules are matched against.
    root: (PathBuf, PathBuf),
    /// With the depth of the directory; those above the root have depth 0.
    stack: Vec<(usize, Rules)>,
    /// Files that are too long to be followed.
    passed_over: Rc<RefCell<Vec<String>>>,
    /// What was ignored first.
    first_ignored: Rc<RefCell<Option<Utf8PathBuf>>>,
}

/// A `.gitignore` file.
struct Rules {
    ignore: Gitignore,
    bytes: u64,
}

impl Ignores {
    /// Those in the directories above `root`, up to the top of its git work tree.
    fn above(root: &Utf8Path) -> Ignores {
        let named = root.as_std_path().to_owned();
        let whole = std::path::absolute(&named).unwrap_or_else(|_| named.clone());
        let mut ignores = Ignores {
            root: (named, whole),
            stack: Vec::new(),
            passed_over: Rc::default(),
            first_ignored: Rc::default(),
        };
        let Ok(absolute) = root.canonicalize_utf8() else { return ignores };
        let mut above: Vec<&Utf8Path> = Vec::new();
        let mut in_work_tree = absolute.join(".git").exists();
        for directory in absolute.ancestors().skip(1) {
            if in_work_tree {
                break;
            }
            above.push(directory);
            in_work_tree = directory.join(".git").exists();
        }
        if !in_work_tree {
            above.clear();
        }
        for directory in above.iter().rev() {
            ignores.add(0, directory.as_std_path());
        }
        ignores
    }

    /// Adds the rules of a directory, as far as all together are not too long.
    fn add(&mut self, depth: usize, directory: &Path) {
        let file = directory.join(".gitignore");
        let Some(bytes) = file.metadata().ok().filter(std::fs::Metadata::is_file).map(|about| about.len()) else {
            return;
        };
        if self.stack.iter().map(|(_, rules)| rules.bytes).sum::<u64>() + bytes > LONGEST_IGNORES {
            let text = format!(
                "`{}`, with those above it, has more than {} MiB of patterns",
                file.display(),
                LONGEST_IGNORES >> 20
            );
            self.passed_over.borrow_mut().push(text);
            return;
        }
        let text = format!("`{}` has too many patterns, or too long or deep ones, to be followed", file.display());
        match gitignore(directory, file) {
            Some(ignore) => self.stack.push((depth, Rules { ignore, bytes })),
            None => self.passed_over.borrow_mut().push(text),
        }
    }

    /// Whether an entry is wanted; a directory's own rules are added.
    fn accept(&mut self, entry: &DirEntry) -> bool {
        if entry.depth() > 0 && matches!(entry.file_name().to_str(), Some(".git" | ".hipshift")) {
            return false;
        }
        let depth = entry.depth();
        self.stack.retain(|(of, _)| *of == 0 || *of <= depth);
        let is_directory = entry.file_type().is_dir();
        let ignored = depth > 0 && self.is_ignored(entry, is_directory);
        if is_directory && !ignored {
            self.add(depth + 1, entry.path());
        }
        if ignored && self.first_ignored.borrow().is_none() {
            let path = entry.path().to_string_lossy().into_owned();
            *self.first_ignored.borrow_mut() = Some(path.into());
        }
        !ignored
    }

    fn is_ignored(&self, entry: &DirEntry, is_directory: bool) -> bool {
        if self.stack.is_empty() {
            return false;
        }
        let (named, whole) = &self.root;
        // Asking the system for each entry would cost as much as reading its directory.
        let absolute =
            entry.path().strip_prefix(named).map_or_else(|_| entry.path().to_owned(), |rest| whole.join(rest));
        self.ignores(&absolute, is_directory)
    }

    /// Whether the rules ignore a path.
    fn ignores(&self, absolute: &Path, is_directory: bool) -> bool {
        for (_, Rules { ignore, .. }) in self.stack.iter().rev() {
            // Rules above the root may start from another name of it.
            let named = || self.root.0.join(absolute.strip_prefix(&self.root.1).unwrap_or(absolute));
            let matched = if absolute.starts_with(ignore.path()) {
                ignore.matched(absolute, is_directory)
            } else {
                ignore.matched(named(), is_directory)
            };
            if !matched.is_none() {
                return matched.is_ignore();
            }
        }
        false
    }
}

/// Longer files hold no patterns that somebody wrote, and each byte takes some hundreds of memory.
const LONGEST_IGNORES: u64 = 1 << 20;

fn gitignore(directory: &Path, file: PathBuf) -> Option<Gitignore> {
    let mut builder = GitignoreBuilder::new(std::path::absolute(directory).ok()?);
    // Bytes that are no UTF-8 nest nothing.
    if String::from_utf8_lossy(&std::fs::read(&file).ok()?).lines().any(is_too_much) {
        return None;
    }
    builder.add(file);
    builder.build().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_tell_what_may_hold_code() {
        for name in [
            "a.cu",
            "a.cu.in",
            "b/a.cuh.in",
            "a.h.in",
            "a.h.cmake",
            "a.hpp.jinja",
            "a.hu",
            "a.cui",
            "a.icc",
            "a.ixx",
            "a.cppm",
            "a.def",
        ] {
            assert!(may_hold_code(name.into()), "{name}");
        }
        for name in ["a.txt", "a.in", "a.txt.in", ".in", "cu", "a.cu.bak"] {
            assert!(!may_hold_code(name.into()), "{name}");
        }
    }

    #[test]
    fn single_files_are_wanted_as_walks_take_them() {
        let folder = tempfile::tempdir().unwrap();
        let top = Utf8PathBuf::from_path_buf(folder.path().canonicalize().unwrap()).unwrap();
        let files = [
            (".git/HEAD", ""),
            (".git/a.cu", ""),
            (".gitignore", "out\n*.tmp.cu\n/project/gone/\n"),
            ("project/.gitignore", "!b.tmp.cu\nown/*\n!own/kept.cu\n"),
            ("project/a.cu", ""),
            ("project/a.tmp.cu", ""),
            ("project/b.tmp.cu", ""),
            ("project/a.txt", ""),
            ("project/own/x.cu", ""),
            ("project/own/kept.cu", ""),
            ("project/sub/out/x.cu", ""),
            ("project/sub/x.hpp", ""),
            ("project/gone/x.cu", ""),
            ("project/third/x.cu", ""),
            ("project/.hipshift/x.cu", ""),
        ];
        for (path, text) in files {
            std::fs::create_dir_all(top.join(path).parent().unwrap()).unwrap();
            std::fs::write(top.join(path), text).unwrap();
        }
        let selection = Selection::new(&[], &["third".to_owned()]).unwrap();
        let root = top.join("project");
        let walked = walk(&root, &selection).unwrap().sources;
        let all = files.iter().map(|(path, _)| top.join(path));
        let wanted: Vec<Utf8PathBuf> = all.filter(|path| is_wanted(&root, path, &selection)).collect();
        let names = |paths: &[Utf8PathBuf]| {
            let mut names: Vec<_> = paths.iter().map(|path| path.strip_prefix(&root).unwrap().to_string()).collect();
            names.sort();
            names
        };
        assert_eq!(names(&walked), ["a.cu", "b.tmp.cu", "own/kept.cu", "sub/x.hpp"]);
        assert_eq!(names(&wanted), names(&walked));
        // Files that are not there yet, and a file that is the whole project.
        assert!(is_wanted(&root, &root.join("new/x.cu"), &selection));
        assert!(!is_wanted(&root, &root.join("out/x.cu"), &selection));
        assert!(is_wanted(&root.join("a.txt"), &root.join("a.txt"), &selection));
        assert!(!is_wanted(&root, &top.join("a.cu"), &selection));
    }
}
