//! `hipshift convert --export-fixes`: clang's own tool makes of the sources what `convert` does.

use crate::common;

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::folder::{Folder, assert_same, check, command, hipshift, tree};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::Value;

const CUDA: &str = "#include <cuda_runtime.h>\nvoid f(void* p) { cudaFree(p); }\n";

/// `clang-apply-replacements`, or `None` with a note where it was not fetched.
fn apply_replacements() -> Option<PathBuf> {
    const NAME: &str = "clang-apply-replacements-22";
    let folder =
        std::env::var_os("HIPSHIFT_TOOLCHAIN").map_or_else(|| common::root().join("target/toolchain"), PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let installed = std::env::split_paths(&path).map(|folder| folder.join(NAME));
    let found = std::iter::once(folder.join("bin").join(NAME)).chain(installed).find(|file| file.is_file());
    if found.is_none() {
        let how = format!("{NAME} is missing; `./test` fetches it");
        assert!(std::env::var_os("HIPSHIFT_REQUIRE_TOOLCHAIN").is_none(), "{how}");
        eprintln!("not tested: {how}");
    }
    found
}

/// Puts the same files in two folders, converts one in place, applies exported fixes to the other, and compares.
#[track_caller]
fn check_round_trip(options: &[&str], files: &[(PathBuf, Vec<u8>)]) {
    let Some(tool) = apply_replacements() else { return };
    let folder = Folder::new(&[]);
    for copy in ["converted", "applied"] {
        for (path, bytes) in files {
            folder.write(&format!("{copy}/{}", path.display()), bytes);
        }
    }
    std::fs::create_dir(folder.path("fixes")).unwrap();
    // Edits of one document bring no other file.
    let convert = ["convert", "converted", "--in-place", "-q", "--helpers", "inline"];
    run(command(folder.0.path(), &[&convert, options].concat()), &[0, 1]);
    let export = ["convert", "applied", "--export-fixes", "fixes/all.yaml", "-q"];
    let told = run(command(folder.0.path(), &[&export, options].concat()), &[0, 1]);
    let mut apply = Command::new(tool);
    apply.arg(folder.path("fixes"));
    run(apply, &[0]);
    // What is left out is as it was.
    for (path, bytes) in files {
        let name = format!("applied/{}", path.display());
        if told.contains(&format!("{name}: `clang-apply-replacements` would delete")) {
            assert_eq!(std::fs::read(folder.path(&name)).unwrap(), *bytes, "{name}");
            folder.write(&format!("converted/{}", path.display()), bytes);
        }
    }
    assert_same(&folder.path("applied"), &folder.path("converted"), "exported fixes");
}

#[track_caller]
fn run(mut command: Command, codes: &[i32]) -> String {
    let output = command.output().unwrap();
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(codes.contains(&output.status.code().unwrap()), "{command:?}: {text}");
    text
}

fn files_of(folder: &str) -> Vec<(PathBuf, Vec<u8>)> {
    // It may be a link to one that several checkouts share.
    let Ok(folder) = std::fs::canonicalize(common::root().join(folder)) else { return Vec::new() };
    tree(&folder).into_iter().collect()
}

#[test]
fn applied_fixes_of_the_corpus_are_the_conversion() {
    if common::corpus().is_none() {
        return;
    }
    let mut files = files_of("target/corpus");
    // The tool takes minutes for a large header with many `#if`, however little is to be changed.
    files.retain(|(path, _)| path.extension().is_some_and(|extension| extension == "cu" || extension == "cuh"));
    check_round_trip(&[], &files);
}

#[test]
fn applied_fixes_of_the_fixtures_are_the_conversion() {
    let files = files_of("fixtures");
    for options in [
        &[][..],
        &["--launch", "chevron", "--wave-policy", "native", "--unsafe-fixes"],
        &["--rocm", "5.7", "--strings"],
    ] {
        check_round_trip(options, &files);
    }
}

#[test]
fn odd_names_and_bytes_survive() {
    let bytes: &[u8] =
        b"\xef\xbb\xbf#include <cuda.h>\r\nint a\0b; \t\r\n// caf\xc3\xa9 cudaFree\r\nk<<<1, 2>>>(cudaSuccess);";
    let latin1: &[u8] = b"// caf\xe9 \xe9\xe9\r\nk<<<1, 2>>>(cudaSuccess, \"\xe9\"); // \xe9\r\ncudaFree(p);";
    let marked: &[u8] = b"\xef\xbb\xbf#include <cuda.h>\n// caf\xe9\nvoid f() { cudaFree(p); }\n";
    let moved = "void f() { cudaMemcpyToSymbol(x, \"\u{7f}\u{85}\u{2028}\u{feff}\u{1f600}\", 4); }\n";
    check_round_trip(
        &[],
        &[
            ("sub dir/caf\u{e9} 'a' #\u{1f600}.cu".into(), bytes.to_owned()),
            ("latin1.cu".into(), latin1.to_owned()),
            ("marked.cu".into(), marked.to_owned()),
            ("moved.cu".into(), moved.as_bytes().to_owned()),
        ],
    );
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 12,
        rng_seed: RngSeed::Fixed(22),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Fixtures cut into lines and put together anew nest and touch in ways that nobody thought of.
    #[test]
    fn applied_fixes_of_shuffled_code_are_the_conversion(picks in prop::collection::vec(any::<prop::sample::Index>(), 50..200)) {
        let files = files_of("fixtures");
        let texts: Vec<_> = files.iter().filter_map(|(_, bytes)| std::str::from_utf8(bytes).ok()).collect();
        let lines: Vec<&str> = texts.iter().flat_map(|text| text.split_inclusive('\n')).collect();
        let text: String = picks.iter().map(|pick| *pick.get(&lines)).collect();
        check_round_trip(&[], &[("a.cu".into(), text.into_bytes())]);
    }
}

#[test]
fn bytes_that_yaml_cannot_hold_are_told() {
    let folder = Folder::new(&[("good.cu", CUDA)]);
    folder.write("stays.cu", b"// caf\xe9\nvoid f() { cudaFuncSetAttribute(\"\xe9\", a, 1); }\n");
    check(&folder, &["convert", ".", "--export-fixes", "stays.yaml"], 0, "2 of 2 files");
    let arguments = (0..18).map(|number| if number == 14 { b"f(\"\xe9\")".as_slice() } else { b"x" });
    let call = arguments.collect::<Vec<_>>().join(&b", "[..]);
    folder.write("moves.cu", &[b"// caf\xe9\nvoid f() { cublasGemmEx(", &call[..], b"); }\n"].concat());
    let roc = ["convert", ".", "--export-fixes", "fixes.yaml", "--blas", "roc", "--unsafe-fixes"];
    check(&folder, &roc, 2, "./moves.cu: a fix on line 2 moves bytes that are no UTF-8");
    assert!(!folder.path("fixes.yaml").exists());
}

#[test]
fn a_file_that_the_tool_would_change_further_is_left_out_and_told() {
    let folder = Folder::new(&[
        (
            "Makefile",
            "ifeq ($(CUDA_PATH),)\nCUDA_PATH = /usr/local/cuda\nendif\na: a.cu\n\t$(CUDA_PATH)/bin/nvcc a.cu\n",
        ),
        ("macro.cu", "#include <cuda_runtime.h>\nvoid f() { M(cudaSuccess, ); }\n"),
        ("plain.cu", CUDA),
    ]);
    let export = ["convert", ".", "--export-fixes", "fixes.yaml"];
    check(
        &folder,
        &export,
        1,
        "Makefile: `clang-apply-replacements` would delete a sign of line 1 as well; it was left out",
    );
    check(
        &folder,
        &export,
        1,
        "macro.cu: `clang-apply-replacements` would delete a sign of line 2 as well; it was left out",
    );
    let fixes = folder.read("fixes.yaml");
    assert!(fixes.contains("plain.cu") && !fixes.contains("macro.cu") && !fixes.contains("Makefile"), "{fixes}");
}

#[test]
fn options_that_do_not_go_together_say_so() {
    let folder = Folder::new(&[("a.cu", CUDA)]);
    let export = ["--export-fixes", "fixes.yaml"];
    let with = |more: &[&'static str]| [&["convert", "a.cu"], &export[..], more].concat();
    check(&folder, &with(&["--in-place"]), 2, "cannot be used with");
    check(&folder, &with(&["--ext", "hip"]), 2, "add `--ext keep`");
    check(&folder, &["convert", "-", "--export-fixes", "fixes.yaml"], 2, "stands alone");
    check(&folder, &["convert", "a.cu", "--export-fixes", "fixes.json"], 0, "whose name ends with `.yaml`");
    check(&folder, &with(&[]), 0, "1 of 1 file converted as edits in fixes.yaml");
    check(&folder, &with(&["-o", "b.cu"]), 0, "1 of 1 file converted to b.cu");
    assert_eq!(folder.read("a.cu"), CUDA);
}

#[test]
fn the_document_names_rules_messages_and_places() {
    let folder = Folder::new(&[("a.cu", "#include <cuda_runtime.h>\nint k() { k<<<cudaSuccess, 2>>>(); }\n")]);
    let output = hipshift(&folder, &["convert", "a.cu", "--export-fixes", "-"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let text = text.strip_prefix("---\n").unwrap();
    let document: Value = serde_json::from_str(text).unwrap();
    let path = std::fs::canonicalize(folder.path("a.cu")).unwrap();
    assert_eq!(document["MainSourceFile"], path.to_str().unwrap());
    let shown = text.replace(path.to_str().unwrap(), "a.cu");
    insta::assert_snapshot!("document", shown);
    assert!(String::from_utf8_lossy(&output.stderr).contains("1 of 1 file converted as edits"));
}

#[test]
fn a_link_stays_a_link_and_a_file_named_twice_changes_once() {
    let Some(tool) = apply_replacements() else { return };
    let folder = Folder::new(&[("src/a.cu", CUDA)]);
    #[cfg(unix)]
    std::os::unix::fs::symlink("a.cu", folder.path("src/link.cu")).unwrap();
    std::fs::create_dir(folder.path("fixes")).unwrap();
    let inputs = ["src/link.cu", "src/a.cu", "./src/a.cu"];
    let arguments = [&["convert"], &inputs[..], &["--export-fixes", "fixes/a.yaml"]].concat();
    check(&folder, &arguments, 0, "converted as edits");
    let mut apply = Command::new(tool);
    apply.arg(folder.path("fixes"));
    run(apply, &[0]);
    assert_eq!(folder.read("src/a.cu"), common::converted(CUDA));
    assert!(folder.path("src/link.cu").is_symlink() && Path::new(&folder.path("src/a.cu")).is_file());
}
