//! Objects that were compiled before, found by the content of all that went into them.
//!
//! An entry belongs to the compiler, its options, the path and content of the source, and the names of all files of the
//! converted tree. It lists every file that the compiler read with a hash of its content; if one of them has changed, the
//! entry counts for nothing. A file that only would have been found earlier on the way, in a folder outside of the tree, is
//! not noticed. What depends on more than the compiler tells of, such as `__TIME__` or the files of `#embed`, is not kept.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::SystemTime;

use camino::Utf8Path;
use walkdir::WalkDir;

use crate::regular_file::{LONGEST, read_regular, remove_if_there, write_anew};
use crate::source::digest;
use crate::toolchain::Toolchain;

/// First line of an entry.
const HEAD: &str = "hipshift compiled 1";

/// Bytes that the cache may take; what was not used for longest goes first.
const LIMIT: u64 = 1 << 30;

/// Stands for the folder of the run, which has another name each time.
const FOLDER: &str = "\u{1}FOLDER\u{1}";

/// Macros whose value is not in any file.
const CLOCK: [&[u8]; 3] = [b"__TIME__", b"__DATE__", b"__TIMESTAMP__"];

/// Words that have the compiler or the assembler read files of which it says nothing.
const UNTOLD: [&[u8]; 4] = [b"embed", b"__has_embed", b"incbin", b".include"];

/// Objects of earlier runs. Runs at the same time may share the folder: entries appear when they are complete.
#[derive(Debug)]
pub struct Cache {
    folder: PathBuf,
    limit: u64,
    /// What tells one compiler from another.
    compiler: String,
    /// Hashes of files that were read in this run.
    known: Mutex<HashMap<String, Option<String>>>,
    /// The digest of the names of all files of the converted tree; a run has one.
    names: OnceLock<String>,
}

/// One call of the compiler.
#[derive(Debug, Clone, Copy)]
pub(super) struct Call<'c> {
    /// The folder of the run.
    pub(super) folder: &'c Utf8Path,
    /// What is compiled.
    pub(super) source: &'c Utf8Path,
    /// What it is compiled to.
    pub(super) object: &'c Utf8Path,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Outcome {
    /// The exit code; none if a signal ended the compiler.
    pub(super) code: Option<i32>,
    /// What it wrote to standard error.
    pub(super) text: String,
}

impl Outcome {
    pub(super) fn of(output: &Output) -> Outcome {
        Outcome { code: output.status.code(), text: String::from_utf8_lossy(&output.stderr).into_owned() }
    }
}

impl Call<'_> {
    /// Starts the compiler.
    pub(super) fn compile(&self, mut command: Command) -> io::Result<Outcome> {
        // Not every compiler puts a new file in the place of an old one.
        remove_if_there(self.object.as_std_path())?;
        Ok(Outcome::of(&command.arg("-o").arg(self.object).output()?))
    }

    fn hide_folder(&self, text: &str) -> String {
        text.replace(self.folder.as_str(), FOLDER)
    }

    fn show_folder(&self, text: &str) -> String {
        text.replace(FOLDER, self.folder.as_str())
    }
}

impl Cache {
    /// A cache in a folder, which is made when something is stored.
    pub fn new(folder: PathBuf, toolchain: &Toolchain) -> Cache {
        let version = toolchain.compiler_version().unwrap_or_default();
        let libraries = toolchain.device_libraries.as_deref().map(stamp).unwrap_or_default();
        let compiler = [version, stamp(&toolchain.compiler), libraries].join("\n");
        Cache { folder, limit: LIMIT, compiler, known: Mutex::default(), names: OnceLock::new() }
    }

    /// Takes what an earlier run compiled with this command, or compiles.
    pub(super) fn compile(
        &self,
        command: &Command,
        call: &Call<'_>,
        compile: impl FnOnce() -> io::Result<Outcome>,
    ) -> io::Result<Outcome> {
        let key = self.key(command, call);
        if let Some(outcome) = self.load(&key, call) {
            return Ok(outcome);
        }
        let outcome = compile()?;
        // A cache that cannot be written is no reason to fail.
        let _ = self.store(&key, call, &outcome);
        Ok(outcome)
    }

    fn key(&self, command: &Command, call: &Call<'_>) -> String {
        let words = std::iter::once(command.get_program()).chain(command.get_args());
        let words: Vec<String> = words.map(|word| call.hide_folder(&word.to_string_lossy())).collect();
        let names = self.names.get_or_init(|| digest(names_below(call.folder, "source").as_bytes()));
        let source = self.hash_of(call.source.as_str()).unwrap_or_default();
        digest([self.compiler.clone(), source, variables(), words.join("\0"), names.clone()].join("\u{2}").as_bytes())
    }

    fn entry(&self, key: &str) -> PathBuf {
        self.folder.join(&key[..2]).join(key)
    }

    fn object(&self, hash: &str) -> PathBuf {
        self.folder.join(&hash[..2]).join(format!("{hash}.o"))
    }

    fn load(&self, key: &str, call: &Call<'_>) -> Option<Outcome> {
        let path = self.entry(key);
        let text = fs::read_to_string(&path).ok()?;
        let (head, said) = text.split_once("\n\n")?;
        let mut lines = head.lines();
        if lines.next() != Some(HEAD) {
            return None;
        }
        let code: i32 = lines.next()?.parse().ok()?;
        let object = lines.next()?;
        let same = |line: &str| {
            line.split_once(' ')
                .is_some_and(|(hash, path)| self.hash_of(&call.show_folder(path)).as_deref() == Some(hash))
        };
        if !lines.all(same) {
            return None;
        }
        if code == 0 {
            let kept = self.object(object);
            let bytes = fs::read(&kept).ok()?;
            // A disk that was full leaves parts.
            if digest(&bytes) != object || write_anew(call.object.as_std_path(), &bytes).is_err() {
                return None;
            }
            touch(&kept);
        }
        touch(&path);
        Some(Outcome { code: Some(code), text: call.show_folder(said) })
    }

    fn store(&self, key: &str, call: &Call<'_>, outcome: &Outcome) -> io::Result<()> {
        // Other codes are those of a compiler that crashed or was stopped.
        let Some(code @ (0 | 1)) = outcome.code else { return Ok(()) };
        let mut head = format!("{HEAD}\n{code}\n");
        if code == 0 {
            let bytes = fs::read(call.object)?;
            let name = digest(&bytes);
            put(&self.object(&name), &bytes)?;
            head += &name;
        } else {
            head.push('-');
        }
        for path in std::iter::once(call.source.as_str()).chain(files_read(&outcome.text)) {
            let Some(hash) = self.hash_of(path).filter(|_| !asks_for_more(path, call)) else { return Ok(()) };
            head.extend(["\n", &hash, " ", &call.hide_folder(path)]);
        }
        put(&self.entry(key), format!("{head}\n\n{}", call.hide_folder(&outcome.text)).as_bytes())
    }

    /// The hash of a file's content; each file is read once in a run.
    fn hash_of(&self, path: &str) -> Option<String> {
        if let Some(hash) = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(path) {
            return hash.clone();
        }
        let found = read_regular(Path::new(path), LONGEST).ok().map(|bytes| digest(&bytes));
        self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned(), found.clone());
        found
    }

    /// Removes what was not used for longest, until the cache is below its limit.
    pub fn trim(&self) {
        let mut files = Vec::new();
        for folder in self.folder.read_dir().into_iter().flatten().flatten() {
            for file in folder.path().read_dir().into_iter().flatten().flatten() {
                let Ok(about) = file.metadata() else { continue };
                files.push((about.modified().unwrap_or(SystemTime::UNIX_EPOCH), about.len(), file.path()));
            }
        }
        let mut size: u64 = files.iter().map(|(_, length, _)| length).sum();
        files.sort();
        for (_, length, path) in files {
            if size <= self.limit {
                return;
            }
            // Another run may have removed it.
            let _ = fs::remove_file(path);
            size -= length;
        }
    }
}

/// The files that the compiler read: `-H` writes each with a dot for every file that it is included from.
pub(super) fn files_read(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let rest = line.trim_start_matches('.');
        rest.strip_prefix(' ').filter(|_| rest.len() < line.len())
    })
}

/// Whether a file asks for the time of its compilation, which those of the system may do in vain, or for files of which the
/// compiler does not tell.
fn asks_for_more(path: &str, call: &Call<'_>) -> bool {
    let Ok(bytes) = read_regular(Path::new(path), LONGEST) else { return true };
    let is_ours = Path::new(path).starts_with(call.folder);
    let has = |word: &&[u8]| memchr::memmem::find(&bytes, word).is_some();
    let asks_the_clock = is_ours && CLOCK.iter().any(has);
    asks_the_clock || UNTOLD.iter().any(|word| has_word(&bytes, word))
}

/// Whether a text has a word by itself. What a line continuation cuts counts as whole.
fn has_word(text: &[u8], word: &[u8]) -> bool {
    let joined = joined_lines(text);
    let is_part = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    memchr::memmem::find_iter(&joined, word).any(|at| {
        let before = at.checked_sub(1).and_then(|before| joined.get(before));
        !is_part(before) && !is_part(joined.get(at + word.len()))
    })
}

/// A text without line continuations.
fn joined_lines(text: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memmem::find(text, b"\\\n").is_none() && memchr::memmem::find(text, b"\\\r\n").is_none() {
        return text.into();
    }
    let mut joined = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, after)) = rest.split_first() {
        let ended = after.strip_prefix(b"\n").or_else(|| after.strip_prefix(b"\r\n"));
        let next = ended.filter(|_| byte == b'\\');
        if next.is_none() {
            joined.push(byte);
        }
        rest = next.unwrap_or(after);
    }
    joined.into()
}

/// Folders of headers that the compiler takes from the environment.
fn variables() -> String {
    let names = ["CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"];
    names.map(|name| std::env::var(name).unwrap_or_default()).join("\0")
}

/// The names of all files below a folder of `base`, relative to that.
fn names_below(base: &Utf8Path, folder: &str) -> String {
    let files = WalkDir::new(base.join(folder)).sort_by_file_name().into_iter().flatten();
    let files = files.filter(|entry| !entry.file_type().is_dir());
    let names =
        files.map(|entry| entry.path().strip_prefix(base).unwrap_or(entry.path()).to_string_lossy().into_owned());
    names.collect::<Vec<_>>().join("\0")
}

/// What changes when a file or the files of a folder are replaced.
fn stamp(path: &Path) -> String {
    let entries = path.read_dir().into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = entries.chain([path.to_owned()]).collect();
    files.sort();
    let line = |file: &PathBuf| {
        let about = fs::metadata(file).ok();
        format!("{} {:?}", file.display(), about.map(|about| (about.len(), about.modified().ok())))
    };
    files.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Writes a file so that no reader ever sees part of it.
fn put(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    io::Write::write_all(&mut file, bytes)?;
    file.persist(path).map(drop).map_err(|error| error.error)
}

/// Notes that a file was used.
fn touch(path: &Path) {
    if let Ok(file) = fs::File::options().append(true).open(path) {
        // Being removed too early costs a compilation.
        let _ = file.set_modified(SystemTime::now());
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// A compiler that reads `source` and `header`, counts its calls, and says where it worked.
    const COMPILER: &str = "#!/bin/sh\necho called >> \"$COUNT\"\nsource=$1 header=$2 object=$4\n\
                            echo \". $header\" >&2\necho \"$source:1:1: warning: w\" >&2\ncat \"$source\" \"$header\" > \"$object\"\n";

    struct Bench {
        root: tempfile::TempDir,
        limit: u64,
    }

    impl Bench {
        fn new() -> Bench {
            let root = tempfile::tempdir().unwrap();
            fs::write(root.path().join("cc"), COMPILER).unwrap();
            fs::write(root.path().join("h.h"), "header").unwrap();
            Bench { root, limit: LIMIT }
        }

        fn command(&self, file: &Utf8Path) -> Command {
            let root = self.root.path();
            let mut command = Command::new("sh");
            command.env("COUNT", root.join("count")).arg(root.join("cc")).arg(file).arg(root.join("h.h"));
            command
        }

        /// Compiles a source in a new folder; what came of it, the object, and the number of calls so far.
        fn compile(&self, run: &str, source: &str) -> (Outcome, String, usize) {
            let root = Utf8Path::from_path(self.root.path()).unwrap();
            let folder = root.join(run);
            fs::create_dir_all(folder.join("source")).unwrap();
            let (file, object) = (folder.join("source/a.hip"), folder.join("a.o"));
            fs::write(&file, source).unwrap();
            let cache = Cache {
                folder: root.join("cache").into(),
                limit: self.limit,
                compiler: "cc 1".to_owned(),
                known: Mutex::default(),
                names: OnceLock::new(),
            };
            let command = self.command(&file);
            let call = Call { folder: &folder, source: &file, object: &object };
            let outcome = cache.compile(&command, &call, || call.compile(self.command(&file))).unwrap();
            cache.trim();
            let calls = fs::read_to_string(root.join("count")).unwrap().lines().count();
            (outcome, fs::read_to_string(object).unwrap(), calls)
        }
    }

    #[test]
    fn what_has_not_changed_is_not_compiled_again() {
        let bench = Bench::new();
        let (first, object, calls) = bench.compile("one", "source ");
        assert_eq!((calls, object.as_str(), first.code), (1, "source header", Some(0)));
        let (second, object, calls) = bench.compile("two", "source ");
        assert_eq!((calls, object.as_str()), (1, "source header"));
        assert_eq!(second.text, first.text.replace("/one/", "/two/"));
        assert_eq!(bench.compile("three", "other ").2, 2);
        fs::write(bench.root.path().join("h.h"), "changed").unwrap();
        let (_, object, calls) = bench.compile("four", "source ");
        assert_eq!((calls, object.as_str()), (3, "source changed"));
        // A new file of the tree may be found in place of another.
        fs::create_dir_all(bench.root.path().join("five/source")).unwrap();
        fs::write(bench.root.path().join("five/source/h.h"), "").unwrap();
        assert_eq!(bench.compile("five", "source ").2, 4);
    }

    #[test]
    fn a_damaged_entry_counts_for_nothing() {
        let bench = Bench::new();
        bench.compile("one", "source ");
        for folder in fs::read_dir(bench.root.path().join("cache")).unwrap() {
            for file in fs::read_dir(folder.unwrap().path()).unwrap() {
                let path = file.unwrap().path();
                if path.extension().is_some_and(|extension| extension == "o") {
                    fs::write(path, "part").unwrap();
                }
            }
        }
        let (_, object, calls) = bench.compile("two", "source ");
        assert_eq!((calls, object.as_str()), (2, "source header"));
    }

    #[test]
    fn sources_that_ask_for_the_time_are_compiled_each_time() {
        let bench = Bench::new();
        bench.compile("one", "__TIME__");
        assert_eq!(bench.compile("two", "__TIME__").2, 2);
    }

    #[test]
    fn sources_that_have_other_files_read_are_compiled_each_time() {
        let sources =
            ["#embed \"d\"", "#\tem\\\nbed \"d\"", "caf\u{e9} #if __has_embed(\"d\")", "asm(\".incbin \\\"d\\\"\")"];
        for (number, source) in sources.into_iter().enumerate() {
            let bench = Bench::new();
            bench.compile("one", source);
            assert_eq!(bench.compile("two", source).2, 2, "{number}");
        }
        let bench = Bench::new();
        bench.compile("one", "// embedded, #includes");
        assert_eq!(bench.compile("two", "// embedded, #includes").2, 1);
        // A header outside of the folder of the run has them, too.
        fs::write(bench.root.path().join("h.h"), "#embed <d>").unwrap();
        bench.compile("three", "x");
        assert_eq!(bench.compile("four", "x").2, 3);
    }

    #[test]
    fn what_was_not_used_for_longest_goes_first() {
        let mut bench = Bench::new();
        bench.compile("one", "first ");
        bench.compile("two", "second ");
        for folder in fs::read_dir(bench.root.path().join("cache")).unwrap() {
            for file in fs::read_dir(folder.unwrap().path()).unwrap() {
                let file = fs::File::options().append(true).open(file.unwrap().path()).unwrap();
                file.set_modified(SystemTime::now() - Duration::from_secs(100)).unwrap();
            }
        }
        // It is used, so it is newer than the other.
        assert_eq!(bench.compile("three", "first ").2, 2);
        let size = |bench: &Bench| -> u64 {
            let folders = fs::read_dir(bench.root.path().join("cache")).unwrap();
            let files = folders.flat_map(|folder| fs::read_dir(folder.unwrap().path()).unwrap());
            files.map(|file| file.unwrap().metadata().unwrap().len()).sum()
        };
        bench.limit = size(&bench) - 1;
        assert_eq!(bench.compile("four", "first ").2, 2);
        assert!(size(&bench) <= bench.limit);
        assert_eq!(bench.compile("five", "first ").2, 2);
        assert_eq!(bench.compile("six", "second ").2, 3);
    }
}
