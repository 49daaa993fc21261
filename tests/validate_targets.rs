//! `hipshift validate` builds programs as the build files have them: targets with all their sources, options and libraries.

use crate::common;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// Validates a folder on the emulator; nothing where there is no compiler.
fn validate(folder: &Path, more: &[&str]) -> Option<Output> {
    let toolchain = fs::canonicalize(common::toolchain()?).unwrap();
    let state = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_hipshift"));
    command.env("HIPSHIFT_RUNTIME", common::runtime()).env("HIPSHIFT_TOOLCHAIN", toolchain);
    command.env("XDG_CACHE_HOME", common::root().join("target/cache")).env("XDG_STATE_HOME", state.path());
    command.arg("validate").arg(folder).args(["--executor=emulator", "--arch=gfx90a,gfx1100"]).args(more);
    Some(command.output().unwrap())
}

fn said(output: &Output) -> String {
    [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned()).concat()
}

/// The program names of a run, all of which did well.
#[track_caller]
fn well(output: &Output) -> Vec<String> {
    assert_eq!(output.status.code(), Some(0), "{}", said(output));
    let read = common::json(output);
    let programs = read["programs"].as_array().unwrap().iter();
    programs.map(|program| program["name"].as_str().unwrap().to_owned()).collect()
}

#[track_caller]
fn check(project: &str, programs: &[&str]) {
    let folder = common::root().join("fixtures/projects").join(project);
    let Some(output) = validate(&folder, &["--format=json"]) else { return };
    assert_eq!(well(&output), programs, "{}", said(&output));
}

#[test]
fn targets_with_libraries_and_linked_device_code_run() {
    check("modern_cmake", &["blur", "edges"]);
}

#[test]
fn targets_of_find_cuda_run() {
    check("find_cuda", &["dot"]);
}

#[test]
fn targets_of_make_share_sources() {
    check("recursive_make", &["saxpy", "scan"]);
}

#[test]
fn sources_that_others_include_are_linked_once() {
    check("included_sources", &["histogram"]);
}

#[test]
fn c_is_compiled_as_c() {
    check("mixed", &["matrix"]);
}

/// A project in a new folder.
fn project(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

#[test]
fn one_source_is_compiled_for_each_target_with_its_macros() {
    let makefile = "all: one two\none: main.cu\n\tnvcc -DONE $< -o $@\ntwo: main.cu other.c\n\tnvcc -Xcompiler -mllvm=-print-all -DTWO $^ -o $@\n";
    let main = "#if defined(ONE) == defined(TWO)\n#error one of them\n#endif\n#ifdef TWO\nextern \"C\" int other(int);\n#else\n\
                static int other(int x) { return x; }\n#endif\nint main() { return other(0); }\n";
    let other = "int other(int class) { return class; }\n";
    let alone = "int main() { return 0; }\n";
    let folder = project(&[("Makefile", makefile), ("main.cu", main), ("other.c", other), ("alone.cu", alone)]);
    let Some(output) = validate(folder.path(), &["--format=json"]) else { return };
    assert_eq!(well(&output), ["one", "two", "alone"]);
    let left_out = "`-Xarch_host -mllvm=-print-all` of the build files was left out";
    assert!(said(&output).contains(left_out), "{}", said(&output));
    assert!(
        said(&output).contains("no target of the build has are programs by themselves: `alone`"),
        "{}",
        said(&output)
    );
}

#[test]
fn undefined_references_are_explained_by_their_cause() {
    let makefile = "app: main.cu\n\tnvcc $^ -o $@\n";
    let library = "extern \"C\" int hipblasFrobnicate(int);\nint main() { return hipblasFrobnicate(0); }\n";
    let folder = project(&[("Makefile", makefile), ("main.cu", library)]);
    let Some(output) = validate(folder.path(), &[]) else { return };
    let text = said(&output);
    assert!(
        text.contains("undefined reference to `hipblasFrobnicate'")
            || text.contains("undefined symbol: hipblasFrobnicate"),
        "{text}"
    );
    assert!(text.contains("B004: the library that has this is not linked or not installed"), "{text}");
    let missing = "extern \"C\" int helper(int);\nint main() { return helper(0); }\n";
    fs::write(folder.path().join("main.cu"), missing).unwrap();
    let text = said(&validate(folder.path(), &[]).unwrap());
    assert!(text.contains("no source that is linked has this"), "{text}");
    let short_float = "extern \"C\" short __truncxxbf2(float);\nint main() { return __truncxxbf2(0.5f); }\n";
    fs::write(folder.path().join("main.cu"), short_float).unwrap();
    let text = said(&validate(folder.path(), &[]).unwrap());
    assert!(text.contains("`--rtlib=compiler-rt`"), "{text}");
    let device = "__device__ int helper(int);\n__global__ void k(int *x) { *x = helper(1); }\nint main() { k<<<1, 1>>>(nullptr); return 0; }\n";
    fs::write(folder.path().join("main.cu"), device).unwrap();
    let text = said(&validate(folder.path(), &[]).unwrap());
    assert!(text.contains("compiled with `-fgpu-rdc`"), "{text}");
}
