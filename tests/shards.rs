//! A run in parts: each part tells of its files what the whole run tells, and the parts make the whole.

use crate::common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use crate::common::folder::{Folder, check, command, hipshift};
use serde_json::Value;

const SHARDS: usize = 4;

/// Runs a command on the whole and on each shard, and compares what comes out when the shards are merged.
#[track_caller]
fn check_merged(root: &Path, arguments: &[&str], format: &str) {
    let folder = tempfile::tempdir().unwrap();
    let run = |more: &[&str]| -> Output {
        let all = [arguments, &["--format", format], more].concat();
        let output = command(root, &all).output().unwrap();
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(matches!(output.status.code(), Some(0 | 1)), "{all:?}: {words}");
        output
    };
    let whole = run(&[]);
    let mut files = Vec::new();
    let mut worst = Some(0);
    // The order in which reports are named says nothing.
    for number in (1..=SHARDS).rev() {
        let part = run(&["--shard", &format!("{number}/{SHARDS}")]);
        worst = worst.max(part.status.code());
        assert_ne!(part.stdout, whole.stdout, "shard {number} is the whole");
        files.push(folder.path().join(format!("{number}")).to_str().unwrap().to_owned());
        fs::write(files.last().unwrap(), part.stdout).unwrap();
    }
    let names: Vec<&str> = files.iter().map(String::as_str).collect();
    let merged = command(root, &[&["report", "merge"], names.as_slice()].concat()).output().unwrap();
    let words = String::from_utf8_lossy(&merged.stderr);
    assert!(merged.status.success(), "{words}");
    if merged.stdout != whole.stdout {
        let (merged, whole) = (String::from_utf8_lossy(&merged.stdout), String::from_utf8_lossy(&whole.stdout));
        let line = merged.lines().zip(whole.lines()).position(|(merged, whole)| merged != whole);
        let at = line.unwrap_or_default();
        panic!("{arguments:?} {format}, line {at}: {:?}, expected {:?}", merged.lines().nth(at), whole.lines().nth(at));
    }
    assert_eq!(worst, whole.status.code());
}

#[test]
fn shards_of_fixtures_make_the_whole() {
    let root = common::root();
    for format in ["json", "sarif", "junit"] {
        check_merged(root, &["lint", "fixtures"], format);
    }
    check_merged(root, &["convert", "fixtures", "--dry-run", "--wave-policy", "native", "--ext", "hip"], "json");
}

#[test]
fn shards_of_the_corpus_make_the_whole() {
    if common::corpus().is_none() {
        return;
    }
    let root = common::root();
    for (name, format) in [("mistralrs-paged-attn", "sarif"), ("mistralrs-quant", "json"), ("sppark", "junit")] {
        check_merged(root, &["lint", &format!("target/corpus/{name}")], format);
    }
    check_merged(root, &["convert", "target/corpus/candle-kernels", "--dry-run"], "json");
}

/// All files below a folder with their bytes.
fn tree(root: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let files = walkdir::WalkDir::new(root).sort_by_file_name().into_iter().map(Result::unwrap);
    let files = files.filter(|entry| entry.file_type().is_file());
    files.map(|entry| (entry.path().strip_prefix(root).unwrap().to_owned(), fs::read(entry.path()).unwrap())).collect()
}

#[test]
fn shards_write_together_what_one_run_writes() {
    let folder = Folder::new(&[]);
    let (whole, parts) = (folder.path("whole"), folder.path("parts"));
    let write = |to: &Path, more: &[&str]| {
        let arguments = [&["convert", "fixtures", "-o", to.to_str().unwrap(), "--quiet"], more].concat();
        let output = command(common::root(), &arguments).output().unwrap();
        assert!(matches!(output.status.code(), Some(0 | 1)), "{}", String::from_utf8_lossy(&output.stderr));
    };
    write(&whole, &["--no-manifest"]);
    let mut last = 0;
    for number in 1..=SHARDS {
        write(&parts, &["--shard", &format!("{number}/{SHARDS}")]);
        let count = tree(&parts).len();
        assert!(count > last, "shard {number} writes nothing");
        last = count;
    }
    assert!(tree(&whole) == tree(&parts));
}

/// Two files of which one uses a name that the other one declares, so that they have to know of each other.
const USE: &str = "#include \"own.h\"\nvoid f() { cudaOwnThing(); cudaNobodys(); }\n";
const DECLARE: &str = "#include <cuda_runtime.h>\nvoid cudaOwnThing();\ninline void g() { cudaFree(0); }\n";

#[test]
fn what_other_shards_hold_is_known() {
    let folder = Folder::new(&[("a.cu", USE), ("own.h", DECLARE)]);
    for arguments in [&["lint", "."][..], &["convert", ".", "--dry-run"]] {
        let files = |shard: &[&str]| -> Vec<Value> {
            let output = hipshift(&folder, &[arguments, &["--format", "json"], shard].concat());
            let report: Value = serde_json::from_slice(&output.stdout).unwrap();
            report["files"].as_array().unwrap().clone()
        };
        let whole = files(&[]);
        assert_eq!(whole.len(), 2);
        // Some number of shards parts the two.
        let shards = (2..6).flat_map(|of| (1..=of).map(move |number| format!("{number}/{of}")));
        let mut alone = shards.map(|shard| files(&["--shard", &shard]));
        let alone = alone.find(|files| files.len() == 1 && files[0]["path"] == whole[0]["path"]);
        assert_eq!(alone.expect("a shard with one of the files")[0], whole[0]);
        let told = whole[0].to_string();
        assert!(told.contains("cudaNobodys") && !told.contains("`cudaOwnThing` is not known"), "{told}");
        let single = hipshift(&folder, &["lint", "a.cu", "--format", "json"]).stdout;
        assert_ne!(serde_json::from_slice::<Value>(&single).unwrap()["files"][0], whole[0], "the other file matters");
    }
    check_merged(folder.0.path(), &["lint", "."], "json");
}

#[test]
fn wrong_parts_are_refused() {
    let folder = Folder::new(&[("a.cu", USE), ("own.h", DECLARE)]);
    for wrong in ["0/4", "5/4", "a/b", "4", "1/0", ""] {
        for arguments in [&["lint", "."][..], &["convert", ".", "--dry-run"], &["validate", "."]] {
            check(&folder, &[arguments, &["--shard", wrong]].concat(), 2, "write K/N, with K from 1 to N");
        }
    }
    check(&folder, &["convert", ".", "--in-place", "--shard", "1/2"], 2, "as they are");
    check(&folder, &["lint", ".", "--fix", "--shard", "1/2"], 2, "as they are");
    check(&folder, &["lint", ".", "--estimate", "--shard", "1/2"], 2, "about the whole");
    check(&folder, &["lint", ".", "--write-baseline", "b.json", "--shard", "1/2"], 2, "about the whole");
    check(&folder, &["convert", ".", "--emit", "compat-header", "--dry-run", "--shard", "1/2"], 2, "all files");
    check(&folder, &["convert", "-", "--shard", "1/2"], 2, "stands alone");
    assert_eq!(folder.read("own.h"), DECLARE);
}

#[test]
fn reports_that_make_no_whole_are_refused() {
    let folder = Folder::new(&[("a.cu", USE), ("own.h", DECLARE), ("b.cu", "void f() { cudaFree(0); }\n")]);
    let write = |name: &str, arguments: &[&str]| {
        let output = hipshift(&folder, &[&["lint", "a.cu", "own.h"], arguments].concat());
        folder.write(name, &output.stdout);
    };
    for (format, end) in [("json", "json"), ("sarif", "sarif"), ("junit", "xml")] {
        for shard in ["1/2", "2/2", "1/3"] {
            let name = format!("{}.{end}", shard.replace('/', "of"));
            write(&name, &["--format", format, "--shard", shard]);
        }
        write(&format!("whole.{end}"), &["--format", format]);
        let other = hipshift(&folder, &["lint", "a.cu", "b.cu", "own.h", "--format", format, "--shard", "2/2"]);
        folder.write(&format!("other.{end}"), &other.stdout);
        let merge = |names: &[&str]| -> Vec<String> {
            let files = names.iter().map(|name| format!("{name}.{end}"));
            ["report".to_owned(), "merge".to_owned()].into_iter().chain(files).collect()
        };
        for (names, said) in [
            (&["1of2"][..], "no report of shard 2/2"),
            (&["1of2", "2of2", "1of2"], "are both shard 1/2"),
            (&["1of2", "1of3"], "the number of shards differs"),
            (&["1of2", "other"], "the number of files or programs differs"),
            (&["1of2", "whole"], "is no report of a shard"),
        ] {
            let arguments = merge(names);
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            check(&folder, &arguments, 2, said);
        }
        check(&folder, &["report", "merge", "a.cu", &format!("1of2.{end}")], 2, "neither JSON, SARIF nor JUnit");
    }
    check(&folder, &["report", "merge", "--format", "junit", "1of2.json", "2of2.json"], 2, "can be merged");
    check(&folder, &["report", "merge", "1of2.json", "2of2.xml"], 2, "can be merged");
    check(&folder, &["report", "merge", "1of2.sarif", "2of2.json"], 2, "2of2.json");
    check(&folder, &["report", "merge", "none.json"], 2, "none.json");
    check(&folder, &["report", "merge"], 2, "<FILE>");
}

/// Three programs, one of which the compiler refuses.
fn programs() -> Folder {
    let good =
        |name: &str| format!("#include <cstdio>\n__global__ void {name}(int *x) {{ *x = 1; }}\nint main() {{}}\n");
    let (one, two) = (good("one"), good("two"));
    let bad = "__global__ void three(int *x) { *x = unknown; }\nint main() {}\n";
    Folder::new(&[("one/one.cu", &one), ("two/two.cu", &two), ("three/three.cu", bad)])
}

#[test]
fn shards_of_a_validation_make_the_whole() {
    let Some(toolchain) = common::toolchain() else { return };
    let (folder, toolchain) = (programs(), fs::canonicalize(toolchain).unwrap());
    let validate = ["validate", ".", "--executor=none", "--arch=gfx90a", "--no-cache", "--toolchain"];
    let arguments = [&validate[..], &[toolchain.to_str().unwrap()]].concat();
    for format in ["json", "sarif", "junit"] {
        check_merged(folder.0.path(), &arguments, format);
    }
    check_merged(folder.0.path(), &[&arguments[..], &["--stage=syntax"]].concat(), "json");
}
