//! What the tests share: finding files, and converting one.

#![allow(dead_code, reason = "each test crate uses a part")]

pub(crate) mod folder;
pub(crate) mod history;
pub(crate) mod lsp;
#[cfg(unix)]
pub(crate) mod script;
#[cfg(unix)]
pub(crate) mod terminal;
#[cfg(unix)]
pub(crate) mod trap;
pub(crate) mod tree;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use camino::Utf8PathBuf;
use hipshift::analysis::ProjectFacts;
use hipshift::diagnostic::{Applicability, Diagnostic};
use hipshift::engine::{Input, Outcome};
use hipshift::mapping::Table;
use hipshift::settings::Settings;
use hipshift::source::SourceFile;
use hipshift::syntax::Document;

/// The folder that holds `Cargo.toml`.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Whether generated files are written anew.
pub(crate) fn is_updating() -> bool {
    std::env::var_os("UPDATE_DOCS").is_some()
}

/// Compares a generated file; with `UPDATE_DOCS=1` it is rewritten.
#[track_caller]
pub(crate) fn check_generated(path: &str, text: &str) {
    let file = root().join(path);
    if is_updating() {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
    }
    assert_eq!(fs::read_to_string(&file).unwrap_or_default(), text, "{path}: run with UPDATE_DOCS=1");
}

/// All files below `folder` (relative to the root) with one of `extensions`, sorted.
pub(crate) fn files_below(folder: &str, extensions: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    // A folder of `target/` may be a link to one that several checkouts share.
    let Ok(start) = fs::canonicalize(root().join(folder)) else { return found };
    collect(&start, extensions, &mut found);
    found.sort();
    found
}

fn collect(folder: &Path, extensions: &[&str], found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let is_link = fs::symlink_metadata(&path).unwrap().is_symlink();
        if is_link {
            continue;
        }
        if path.is_dir() {
            collect(&path, extensions, found);
        } else if path.extension().is_some_and(|e| extensions.iter().any(|wanted| e == *wanted)) {
            found.push(path);
        }
    }
}

/// The CUDA files of the corpus, or `None` with a note where it was not fetched.
pub(crate) fn corpus() -> Option<Vec<PathBuf>> {
    let files = files_below("target/corpus", &["cu", "cuh"]);
    if !files.is_empty() {
        return Some(files);
    }
    let how = "target/corpus is missing; fetch it with `cargo run -p xtask -- corpus fetch`";
    assert!(std::env::var_os("HIPSHIFT_REQUIRE_CORPUS").is_none(), "{how}");
    eprintln!("not tested: {how}");
    None
}

/// A path as messages show it.
pub(crate) fn shown(path: &Path) -> String {
    let corpus = fs::canonicalize(root().join("target/corpus")).unwrap_or_else(|_| root().join("target/corpus"));
    let inside = path.strip_prefix(root()).or_else(|_| path.strip_prefix(&corpus)).unwrap_or(path);
    inside.display().to_string()
}

/// Runs `hipshift validate` with the fetched toolchain; `None` with a note where that is missing.
pub(crate) fn validate(arguments: &[&str]) -> Option<Output> {
    Some(validate_command(arguments)?.output().unwrap())
}

/// `hipshift validate` with the fetched toolchain, in the root of the project.
#[allow(clippy::print_stderr, reason = "a note about what is not tested")]
pub(crate) fn validate_command(arguments: &[&str]) -> Option<Command> {
    let folder = std::env::var_os("HIPSHIFT_TOOLCHAIN").map_or_else(|| root().join("target/toolchain"), PathBuf::from);
    if !folder.join("bin/clang++-22").exists() {
        eprintln!("skipped: no compiler for AMD GPUs found, `./test` fetches it");
        return None;
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_hipshift"));
    command.env("HIPSHIFT_RUNTIME", runtime());
    // What tests compile stays out of the user's cache.
    command.env("XDG_CACHE_HOME", root().join("target/cache"));
    command.env("XDG_STATE_HOME", Path::new(env!("CARGO_TARGET_TMPDIR")).join("state"));
    // What follows `--` belongs to the program.
    command.current_dir(root()).arg("validate").arg("--toolchain").arg(folder).args(arguments);
    Some(command)
}

/// The runtime library: cargo puts it beside the executable, or into `deps` when it was built for tests only.
pub(crate) fn runtime() -> PathBuf {
    let folder = Path::new(env!("CARGO_BIN_EXE_hipshift")).parent().unwrap();
    let places = [folder.join("libamdhip64.so"), folder.join("deps/libamdhip64.so")];
    let found = places.into_iter().find(|path| path.exists());
    found.unwrap_or_else(|| panic!("build it with `cargo build -p hipshift-amdhip64`"))
}

/// What a command wrote as JSON.
#[track_caller]
#[allow(clippy::panic, reason = "a test that cannot go on fails")]
pub(crate) fn json(output: &Output) -> serde_json::Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!("{error}\n{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
    })
}

/// FNV-1a, 64 bits: tells whether sources are those that a result was recorded with.
pub(crate) fn fingerprint(text: &str) -> String {
    let hash = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    format!("{hash:016x}")
}

/// Reads a file as the command does.
#[track_caller]
pub(crate) fn read(path: &Path) -> Document {
    decode(path, fs::read(path).unwrap())
}

/// A document from bytes.
#[track_caller]
pub(crate) fn decode(path: &Path, bytes: Vec<u8>) -> Document {
    let path = Utf8PathBuf::from_path_buf(path.to_owned()).unwrap();
    Document::new(SourceFile::decode(&path, bytes).unwrap())
}

/// A document from text.
pub(crate) fn document(text: &str) -> Document {
    Document::new(SourceFile::from_text("a.cu", text))
}

/// The built-in tables.
pub(crate) fn table() -> &'static Table {
    Table::builtin().unwrap()
}

/// Default settings that apply fixes from `applicability` on.
pub(crate) fn settings(applicability: Applicability) -> Settings {
    Settings { applicability, ..Settings::default() }
}

/// Converts a document that stands alone.
pub(crate) fn convert(document: &Document, settings: &Settings) -> Outcome {
    let project = ProjectFacts::default();
    hipshift::engine::convert(Input { document, project: &project, table: table(), settings })
}

/// The text after conversion with default settings.
pub(crate) fn converted(text: &str) -> String {
    let document = document(text);
    convert(&document, &Settings::default()).patch.apply(document.text())
}

/// All findings of an outcome, sorted by place.
pub(crate) fn findings(outcome: &Outcome) -> Vec<Diagnostic> {
    let mut all: Vec<_> = outcome.applied.iter().chain(outcome.remaining.iter().cloned()).collect();
    all.sort_by_key(|finding| (finding.range.start(), finding.range.end(), finding.rule.code));
    all
}

/// A program below `target/tools`, or `None` with a note where it was not fetched.
pub(crate) fn tool(path: &str) -> Option<PathBuf> {
    let program = root().join("target/tools").join(path);
    if program.is_file() {
        return Some(program);
    }
    let how = format!("target/tools/{path} is missing; fetch it with `cargo run -p xtask -- tools`");
    assert!(std::env::var_os("HIPSHIFT_REQUIRE_TOOLS").is_none(), "{how}");
    eprintln!("not tested: {how}");
    None
}

/// A compiler for C++ programs of the host.
pub(crate) fn host_compiler() -> Option<PathBuf> {
    let named = std::env::var_os("CXX").map(PathBuf::from).into_iter();
    let mut all = named.chain(["c++", "g++", "clang++"].map(PathBuf::from));
    all.find(|path| Command::new(path).arg("--version").output().is_ok_and(|output| output.status.success()))
}

/// The releases whose headers are in the toolchain.
pub(crate) const RELEASES: &[&str] = &["5.7", "6.4", "7.2"];

/// The folder that `./test` fills.
pub(crate) fn toolchain() -> Option<PathBuf> {
    let folder = std::env::var_os("HIPSHIFT_TOOLCHAIN").map_or_else(|| root().join("target/toolchain"), PathBuf::from);
    if folder.join("bin/clang++-22").exists() && RELEASES.iter().all(|r| folder.join(format!("hip-{r}/usr")).exists()) {
        return Some(folder);
    }
    eprintln!("skipped: no compiler for AMD GPUs found, `./test` fetches it");
    None
}

/// The compiler for AMD GPUs with the headers of a release. Those up to 6.4 use macros that the
/// compiler of today no longer defines: how many lanes a wave has.
pub(crate) fn device_compiler(toolchain: &Path, release: &str, lanes: u32) -> Command {
    let bitcode = toolchain.join("hip-7.2/usr/lib/llvm-22/lib/clang/22/amdgcn/bitcode");
    let mut command = Command::new(toolchain.join("bin/clang++-22"));
    command.args(["-x", "hip", "-std=c++17", "-w"]);
    command.args(["", "__"].map(|end| format!("-D__AMDGCN_WAVEFRONT_SIZE{end}={lanes}")));
    command.arg(format!("--rocm-path={}", toolchain.join(format!("hip-{release}/usr")).display()));
    command.arg(format!("--rocm-device-lib-path={}", bitcode.display()));
    command
}
