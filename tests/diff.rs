//! `hipshift diff` through the real process: patches and series that git and patch take, and what people see.

use crate::common;

use std::path::Path;
use std::process::{Command, Output};

use crate::common::folder::{Folder, assert_same, check, command, hipshift, stateless, tree};
use insta_cmd::assert_cmd_snapshot;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

const CUDA: &str = "#include <cuda_runtime.h>\nvoid f(void* p) { cudaFree(p); }\n";
const MIXED: &str = "\
#include <cuda_runtime.h>

__global__ void k(float* x);

void f(float* x, cudaStream_t stream) {
    cudaMalloc(&x, 4);
    k<<<dim3(1), 2, 0, stream>>>(x);
    first();
    second();
    third();
    fourth();
    cudaFrobnicate(x);
    fifth();
    sixth();
    seventh();
    eighth();
    cudaFree(x);
}
";

/// Runs git or patch without what the machine is set to.
#[track_caller]
fn run(folder: &Path, program: &str, arguments: &[&str]) {
    let output = try_run(folder, program, arguments);
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(output.status.success(), "{program} {arguments:?}: {text}");
}

fn try_run(folder: &Path, program: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(program);
    command.current_dir(folder).args(arguments);
    for role in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{role}_NAME"), "Test").env(format!("GIT_{role}_EMAIL"), "test@localhost");
    }
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1").output().unwrap()
}

/// Makes a commit of all files below `folder`.
#[track_caller]
fn commit(folder: &Path) {
    run(folder, "git", &["init", "-q"]);
    // Thousands of objects make git pack them in the background, where it holds locks that the next command waits for
    // no longer than 100 ms.
    run(folder, "git", &["config", "gc.auto", "0"]);
    run(folder, "git", &["add", "-A", "-f"]);
    run(folder, "git", &["commit", "-q", "-m", "cuda"]);
}

/// Files in four copies: converted, and to be changed by patches.
struct Trial {
    folder: Folder,
    options: Vec<String>,
    /// Lines around each change.
    context: u32,
}

impl Trial {
    /// `fill` puts the same files below each of the folders that it is given.
    fn new(options: &[&str], fill: impl Fn(&Path)) -> Trial {
        let folder = Folder::new(&[]);
        for copy in ["converted", "apply", "patch", "series"] {
            std::fs::create_dir(folder.path(copy)).unwrap();
            fill(&folder.path(copy));
        }
        let trial = Trial { folder, options: options.iter().map(|&option| option.to_owned()).collect(), context: 3 };
        trial.hipshift("converted", &["convert", ".", "--in-place", "-q"]);
        trial
    }

    fn of(options: &[&str], files: &[(&str, &[u8])]) -> Trial {
        Trial::new(options, |folder| {
            for (path, bytes) in files {
                std::fs::create_dir_all(folder.join(path).parent().unwrap()).unwrap();
                std::fs::write(folder.join(path), bytes).unwrap();
            }
        })
    }

    /// Copies a folder below the root of the project.
    fn of_folder(options: &[&str], from: &str) -> Trial {
        let from = common::root().join(from);
        // It may be a link to one that several checkouts share.
        let from = std::fs::canonicalize(from).unwrap();
        let files = tree(&from);
        Trial::new(options, |folder| {
            for (path, bytes) in &files {
                std::fs::create_dir_all(folder.join(path).parent().unwrap()).unwrap();
                std::fs::write(folder.join(path), bytes).unwrap();
            }
        })
    }

    fn hipshift(&self, copy: &str, arguments: &[&str]) -> Output {
        let mut command = command(&self.folder.path(copy), arguments);
        if arguments[0] == "diff" {
            command.arg(format!("-U{}", self.context));
        }
        command.args(&self.options).env("GIT_AUTHOR_NAME", "Zo\u{eb} Test").env("GIT_AUTHOR_EMAIL", "zoe@localhost");
        let output = command.output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(matches!(output.status.code(), Some(0 | 1)), "{arguments:?}: {text}");
        output
    }

    /// The patch, from inside of a git work tree and from outside, applied by git and by patch.
    #[track_caller]
    fn check_patch(&self) {
        let converted = self.folder.path("converted");
        self.hipshift("patch", &["diff", ".", "--patch", "../outside.patch"]);
        commit(&self.folder.path("apply"));
        let output = self.hipshift("apply", &["diff", ".", "--patch", "-"]);
        std::fs::write(self.folder.path("inside.patch"), &output.stdout).unwrap();
        assert_eq!(self.folder.read("outside.patch"), self.folder.read("inside.patch"));
        run(&self.folder.path("apply"), "git", &["apply", "--whitespace=nowarn", "../inside.patch"]);
        assert_same(&self.folder.path("apply"), &converted, "git apply");
        run(&self.folder.path("patch"), "patch", &["-p1", "-s", "-i", "../outside.patch"]);
        assert_same(&self.folder.path("patch"), &converted, "patch -p1");
    }

    /// A series, applied by git.
    #[track_caller]
    fn check_series(&self, split: &str) {
        let (converted, series) = (self.folder.path("converted"), self.folder.path("series"));
        if !series.join(".git").exists() {
            commit(&series);
        }
        let patches = format!("../by_{split}");
        self.hipshift("series", &["diff", ".", "--split-by", split, "-o", &patches]);
        let mut names: Vec<_> = tree(&self.folder.path(&patches[3..])).into_keys().collect();
        names.sort();
        let paths: Vec<String> = names.iter().map(|name| format!("{patches}/{}", name.display())).collect();
        let mut arguments = vec!["am", "-q", "--whitespace=nowarn"];
        arguments.extend(paths.iter().map(String::as_str));
        run(&series, "git", &arguments);
        assert_same(&series, &converted, split);
        let author = try_run(&series, "git", &["log", "-1", "--format=%an %ae"]).stdout;
        assert_eq!(String::from_utf8(author).unwrap(), "Zo\u{eb} Test zoe@localhost\n");
        run(&series, "git", &["reset", "-q", "--hard", &format!("HEAD~{}", paths.len())]);
    }

    #[track_caller]
    fn check(&self) {
        self.check_patch();
        for split in ["rule", "file", "directory"] {
            self.check_series(split);
        }
    }
}

#[test]
fn help_names_all_forms() {
    assert_cmd_snapshot!("diff_help", stateless(Path::new("."), &["diff", "-h"]));
}

#[test]
fn exit_codes_tell_whether_anything_changes() {
    let folder = Folder::new(&[("a.cu", CUDA), ("done.cpp", "int x;\n"), ("left.cu", "void f() { cudaFrob(); }\n")]);
    check(&folder, &["diff", "a.cu"], 1, "+#include <hip/hip_runtime.h>");
    check(&folder, &["diff", "done.cpp"], 0, "");
    check(&folder, &["diff", "done.cpp", "--ext", "hip"], 0, "");
    check(&folder, &["diff", "none.cu"], 2, "none.cu");
    check(&folder, &["diff", "a.cu", "--patch", "-", "--word-diff"], 2, "cannot be used with");
    check(&folder, &["diff", "a.cu", "--split-by", "rule"], 2, "--output");
    folder.write("wide.cu", b"\xff\xfec\0u\0d\0a\0");
    check(&folder, &["diff", "a.cu", "wide.cu"], 2, "wide.cu: the file is UTF-16");
    check(&folder, &["diff", "a.cu", "wide.cu"], 2, "+#include <hip/hip_runtime.h>");
    assert_eq!(folder.read("a.cu"), CUDA);
}

#[test]
fn the_options_of_convert_hold() {
    let launch = "#include <cuda.h>\nvoid f() { k<<<1, 2>>>(); }\n";
    let folder = Folder::new(&[("a.cu", launch), ("b.cu", CUDA)]);
    check(&folder, &["diff", "a.cu"], 1, "hipLaunchKernelGGL");
    let kept = hipshift(&folder, &["diff", "a.cu", "--launch", "chevron"]);
    assert!(!String::from_utf8_lossy(&kept.stdout).contains("hipLaunchKernelGGL"));
    check(&folder, &["diff", ".", "--select", "launch-bounds-units"], 0, "");
    check(&folder, &["diff", "b.cu", "--ext", "hip"], 1, "rename to b.hip");
    folder.write("hipshift.toml", b"ignore = [\"all\"]\n");
    check(&folder, &["diff", "."], 0, "");
}

#[test]
fn a_patch_is_taken_byte_for_byte() {
    let files: &[(&str, &[u8])] = &[
        ("crlf.cu", b"#include <cuda.h>\r\nvoid f(void* p) {\r\n  cudaFree(p);\r\n}\r\n"),
        ("no_end.cu", b"#include <cuda.h>\nvoid f(void* p) { cudaFree(p); }"),
        ("no_end_of_context.cu", b"#include <cuda.h>\nint a;\nint b;"),
        ("mixed.cu", b"#include <cuda.h>\r\n\ncudaError_t a;\r\rcudaError_t b;\n\r\n"),
        ("mark.cu", b"\xef\xbb\xbf#include <cuda.h>\r\nint cudaDone = cudaSuccess; // caf\xc3\xa9\r\n"),
        ("latin.cu", b"#include <cuda.h>\n// caf\xe9\ncudaError_t e; /* \xff\xfe */"),
        ("nul.cu", b"#include <cuda.h>\nint a\0b; cudaError_t e;\n"),
        ("escape.cu", b"#include <cuda.h>\n// \x1b[31m red \x1b[0m\ncudaError_t e;\n"),
        ("with space/a b.cu", CUDA.as_bytes()),
        ("caf\u{e9}/\u{fc}.cu", CUDA.as_bytes()),
        ("quote\"back\\slash\ttab.cu", CUDA.as_bytes()),
        ("-dash.cu", CUDA.as_bytes()),
        ("empty.cu", b""),
        ("header.cuh", CUDA.as_bytes()),
        ("from.cu", b"#include <cuda.h>\nFrom cudaFree Mon Sep 17 00:00:00 2001\r\n--- a\n-- b\n+++ c\n@@ -1 +1 @@\ncudaError_t d;\n"),
        ("user.cu", b"#include \"header.cuh\"\n\n\n\n\n\n\n\n\n\nint a;\ncudaError_t e;\n"),
        ("untouched.cpp", b"int x;\n"),
    ];
    for options in [&[][..], &["--ext", "hip"], &["--ext", "hip.cpp"]] {
        Trial::of(options, files).check();
    }
}

#[test]
fn fixtures_come_out_as_converted() {
    Trial::of_folder(&[], "fixtures").check();
    // A patch for each of a thousand files takes git a minute; small trees have that with all options.
    for options in [["--ext", "hip", "--unsafe-fixes"].as_slice(), &["--wave-policy", "native", "--launch", "chevron"]]
    {
        let trial = Trial::of_folder(options, "fixtures");
        trial.check_patch();
        trial.check_series("rule");
        trial.check_series("directory");
    }
}

#[test]
fn the_corpus_comes_out_as_converted() {
    if common::corpus().is_none() {
        return;
    }
    for from in ["target/corpus/candle-kernels", "target/corpus/mistralrs-quant"] {
        let trial = Trial::of_folder(&["--unsafe-fixes", "--ext", "hip"], from);
        trial.check_patch();
        trial.check_series("rule");
    }
}

#[test]
fn a_series_tells_what_each_patch_is_for() {
    let folder = Folder::new(&[("a.cu", MIXED), ("sub/b.cu", CUDA)]);
    check(&folder, &["diff", ".", "--split-by", "rule", "-o", "out", "--ext", "hip"], 1, "out/0001-file-names.patch");
    assert_eq!(
        folder.names("out"),
        ["0001-file-names.patch", "0002-headers.patch", "0003-names.patch", "0004-launches.patch"]
    );
    let patches: Vec<String> = folder.names("out").iter().map(|name| folder.read(&format!("out/{name}"))).collect();
    let shown = patches.join("\n").lines().filter(|line| !line.starts_with("From: ")).collect::<Vec<_>>().join("\n");
    insta::assert_snapshot!("series", shown);
    // Patches that another run left would be applied as well.
    check(&folder, &["diff", ".", "--split-by", "file", "-o", "out"], 2, "is no part of this series");
    check(&folder, &["diff", ".", "--split-by", "rule", "-o", "out", "--ext", "hip"], 1, "");
    check(&folder, &["diff", ".", "--split-by", "directory", "-o", "dirs"], 1, "dirs/0002-sub.patch");
    check(&folder, &["diff", ".", "--split-by", "file", "-o", "a.cu"], 2, "is a file");
    let nothing = Folder::new(&[("a.cpp", "int x;\n")]);
    check(&nothing, &["diff", ".", "--split-by", "file", "-o", "out"], 0, "");
}

#[test]
fn people_see_differences_and_findings_at_their_place() {
    let folder = Folder::new(&[("a.cu", MIXED), ("left.cu", "void f() { cudaFrob(); }\n")]);
    let run = |arguments: &[&str]| {
        let mut command = command(&folder.path("."), &["diff", "."]);
        command.args(arguments).env("COLUMNS", "90");
        command
    };
    assert_cmd_snapshot!("plain", run(&[]));
    assert_cmd_snapshot!("words", run(&["--word-diff", "-U1"]));
    assert_cmd_snapshot!("side_by_side", run(&["--side-by-side"]));
    let mut coloured = run(&["--color", "always", "-U0"]);
    let coloured = String::from_utf8(coloured.output().unwrap().stdout).unwrap();
    insta::assert_snapshot!("coloured", coloured.replace('\x1b', "ESC"));
}

#[test]
fn columns_fit_their_width() {
    let folder =
        Folder::new(&[("a.cu", &format!("#include <cuda.h>\n\tint \u{540d}{}; cudaFree(x);\n", "y".repeat(200)))]);
    let rows = |columns: Option<&str>| {
        let mut command = command(&folder.path("."), &["diff", "a.cu", "-y"]);
        match columns {
            Some(columns) => command.env("COLUMNS", columns),
            None => command.env_remove("COLUMNS"),
        };
        let output = String::from_utf8(command.output().unwrap().stdout).unwrap();
        let rows = output.lines().filter(|line| line.contains(['|', '│']) || line.contains('y'));
        rows.map(unicode_width::UnicodeWidthStr::width).max().unwrap()
    };
    assert_eq!(rows(None), 79);
    assert_eq!(rows(Some("121")), 121);
    assert_eq!(rows(Some("1")), 23, "narrow columns are kept readable");
}

#[test]
fn a_plain_difference_is_a_patch_as_well() {
    let folder = Folder::new(&[("a.cu", MIXED), ("left.cu", "void f() { cudaFrob(); }\n")]);
    let output = hipshift(&folder, &["diff", "."]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("# warning A005 unknown-name, line 12 of ./a.cu"), "{text}");
    folder.write("plain.diff", text.as_bytes());
    let patch = hipshift(&folder, &["diff", ".", "--patch", "-"]);
    let (patch, notes) = (String::from_utf8(patch.stdout).unwrap(), String::from_utf8(patch.stderr).unwrap());
    assert!(!patch.contains("\n#  "), "{patch}");
    assert!(notes.contains("2 findings are left for a person"), "{notes}");
    run(folder.0.path(), "git", &["apply", "plain.diff"]);
    check(&folder, &["diff", "a.cu"], 0, "A005");
}

#[test]
fn text_of_a_source_cannot_steer_the_terminal() {
    let folder = Folder::new(&[("a.cu", "cudaError_t e; // \x1b]0;title\x07 \u{202e} \r\n")]);
    let output = hipshift(&folder, &["diff", "a.cu", "--color", "always"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("// ^[]0;title^G \\u{202e}"), "{text}");
    assert!(!text.contains(['\x07', '\u{202e}', '\r']), "{text}");
}

#[test]
fn names_start_at_the_top_of_the_work_tree() {
    let folder = Folder::new(&[("repo/src/a.cu", CUDA), ("other/b.cu", CUDA)]);
    commit(&folder.path("repo"));
    let output = command(&folder.path("repo/src"), &["diff", "a.cu"]).output().unwrap();
    assert!(String::from_utf8(output.stdout).unwrap().starts_with("diff --git a/src/a.cu b/src/a.cu\n"));
    let output = command(&folder.path("other"), &["diff", "."]).output().unwrap();
    assert!(String::from_utf8(output.stdout).unwrap().starts_with("diff --git a/b.cu b/b.cu\n"));
    check(&folder, &["diff", "repo", "--patch", "-"], 1, "a/src/a.cu");
    check(&folder, &["diff", "repo", "other", "--patch", "-"], 2, "lies outside of");
    check(&folder, &["diff", "repo", "other"], 1, "/other/b.cu");
}

#[test]
fn a_name_that_is_taken_is_trouble() {
    let folder = Folder::new(&[("a.cu", CUDA), ("a.hip", "mine\n")]);
    check(&folder, &["diff", "a.cu", "--ext", "hip", "--patch", "p"], 2, "there is such a file");
    assert!(!folder.path("p").exists());
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("a.cu", folder.path("link.cu")).unwrap();
        check(&folder, &["diff", "link.cu", "--ext", "hip", "--patch", "p"], 2, "symbolic link");
        check(&folder, &["diff", "link.cu", "--patch", "-"], 1, "a/a.cu");
    }
}

#[test]
fn two_ways_to_a_file_change_it_once() {
    let folder = Folder::new(&[("src/a.cu", CUDA)]);
    let output = hipshift(&folder, &["diff", "src", "./src/a.cu", "src/a.cu", "--patch", "-"]);
    assert_eq!(String::from_utf8(output.stdout).unwrap().matches("diff --git").count(), 1);
}

#[test]
fn a_patch_may_do_without_context() {
    let trial = Trial {
        context: 0,
        ..Trial::of(&[], &[("a.cu", MIXED.as_bytes()), ("b.cuh", b"#pragma once\ncudaError_t e;")])
    };
    let patch = trial.hipshift("apply", &["diff", ".", "--patch", "-"]).stdout;
    std::fs::write(trial.folder.path("zero.patch"), patch).unwrap();
    run(&trial.folder.path("apply"), "git", &["apply", "--unidiff-zero", "../zero.patch"]);
    assert_same(&trial.folder.path("apply"), &trial.folder.path("converted"), "git apply --unidiff-zero");
    check(&trial.folder, &["diff", "series", "-U0", "--split-by", "file", "-o", "out"], 2, "`--context 1` or more");
}

/// Runs in a terminal made by `script`, which most systems have.
#[cfg(unix)]
fn in_terminal(folder: &Folder, line: &str, pager: &str) -> Option<String> {
    let output = Command::new("script")
        .args([
            "-q",
            "-e",
            "-c",
            &format!("stty cols 60 rows 20; {} {line}", env!("CARGO_BIN_EXE_hipshift")),
            "/dev/null",
        ])
        .current_dir(folder.0.path())
        .env("PAGER", pager)
        .env("TERM", "xterm")
        .env_remove("NO_COLOR")
        .stdin(std::process::Stdio::null())
        .output()
        .ok()?;
    assert_eq!(output.status.code(), Some(1));
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(unix)]
#[test]
fn a_terminal_gets_colour_its_width_and_a_pager() {
    let folder = Folder::new(&[("a.cu", MIXED)]);
    let Some(_) = in_terminal(&folder, "diff a.cu -y", "cat > paged") else {
        return eprintln!("not tested: there is no `script`");
    };
    let paged = folder.read("paged");
    assert!(paged.contains("\x1b[36m@@"), "{paged}");
    let plain = anstream::adapter::strip_str(&paged).to_string();
    let widest = plain.lines().filter(|line| line.contains('│')).map(|line| line.chars().count()).max().unwrap();
    assert!((50..=60).contains(&widest), "{widest}: {plain}");
    std::fs::remove_file(folder.path("paged")).unwrap();
    let direct = in_terminal(&folder, "diff a.cu --no-pager", "cat > paged").unwrap();
    assert!(direct.contains("\x1b[36m@@"), "{direct}");
    assert!(!folder.path("paged").exists());
    // A pager that ends early has shown enough, and one that is not there is not needed.
    in_terminal(&folder, "diff a.cu", "true").unwrap();
    assert!(in_terminal(&folder, "diff a.cu", "no-such-pager").unwrap().contains("@@"));
}

/// Lines that fixtures of random order are made of.
fn random_sources() -> impl Strategy<Value = Vec<u8>> {
    let fixtures = common::files_below("fixtures", &["cu", "cuh"]);
    let lines: Vec<Vec<u8>> = fixtures
        .iter()
        .flat_map(|path| {
            let bytes = std::fs::read(path).unwrap();
            let lines: Vec<Vec<u8>> = bytes.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
            // Some lines that belong together, and some alone.
            lines.chunks(6).map(|chunk| chunk.join(&b'\n')).collect::<Vec<_>>()
        })
        .collect();
    let end = prop::sample::select(vec![&b"\n"[..], b"\r\n", b"\n\n"]);
    let parts = prop::collection::vec((prop::sample::select(lines), end), 1..12);
    (parts, any::<bool>()).prop_map(|(parts, ends)| {
        let mut bytes: Vec<u8> = parts.iter().flat_map(|(line, end)| [line, *end].concat()).collect();
        if !ends {
            while bytes.last().is_some_and(|byte| matches!(byte, b'\n' | b'\r')) {
                bytes.pop();
            }
        }
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, rng_seed: RngSeed::Fixed(4), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_sources_come_out_as_converted(sources in prop::collection::vec(random_sources(), 6), context in 1..5_u32) {
        let names: Vec<String> = (0..sources.len()).map(|number| format!("{number}.cu")).collect();
        let files: Vec<(&str, &[u8])> = names.iter().map(String::as_str).zip(sources.iter().map(Vec::as_slice)).collect();
        let trial = Trial { context, ..Trial::of(&["--unsafe-fixes"], &files) };
        trial.check_patch();
        trial.check_series("rule");
    }
}
