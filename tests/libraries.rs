//! AMD's libraries that are headers only, run as machine code: the programs of `tests/data/libraries` use rocPRIM, hipCUB
//! and hipRAND as they are, and check what they compute; two others run with rocRAND and rocBLAS as AMD built them. hipCUB's sums and scans and rocThrust are used by
//! programs of `fixtures/programs`, which `tests/programs.rs` runs.

use std::process::Command;

use crate::common::folder::Folder;
use crate::common::{self, json, runtime, validate};

/// Compiles a program and runs it with both widths of waves. Little is optimised: these libraries take the compiler long.
#[track_caller]
fn check(program: &str) {
    let source = format!("tests/data/libraries/{program}.hip");
    let options = [&source, "--arch=gfx90a,gfx1100", "-Ifixtures/programs", "--flag=-O1", "--format=json"];
    let Some(output) = validate(&options) else { return };
    let document = json(&output);
    let results = document["programs"][0]["targets"].as_array().unwrap();
    let verdicts: Vec<_> = results.iter().map(|result| result["verdict"].as_str().unwrap()).collect();
    // Programs end with code 0 if all that they compared is right.
    assert_eq!(verdicts, ["ran", "ran"], "{document:#}");
}

#[test]
fn sums_scans_sorts_and_selections() {
    check("primitives");
}

#[test]
fn random_numbers() {
    check("hiprand");
}

/// cuRAND's host API, converted: three generators.
#[test]
fn random_numbers_of_amds_own_library() {
    runs_with_library("rand", "curand");
}

/// cuBLAS, converted: products in three precisions, batched and in strides, vectors; rocBLAS loads its kernels from files.
#[test]
fn products_of_matrices_of_amds_own_library() {
    runs_with_library("blas", "cublas");
}

/// Runs a CUDA program, converted, with a library as AMD built it, which `toolchain install --libraries` fetches. It has to print what
/// it printed with CUDA's library on an NVIDIA H100.
#[track_caller]
fn runs_with_library(library: &str, program: &str) {
    let Some(toolchain) = common::toolchain() else { return };
    if !toolchain.join(format!("libraries-{library}")).is_dir() {
        eprintln!(
            "skipped: `hipshift toolchain install --libraries {library} --dir {}` fetches the library",
            toolchain.display()
        );
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let keep = format!("--keep={}", folder.path().display());
    let source = format!("tests/data/libraries/{program}.cu");
    let expect = format!("--expect=tests/data/libraries/expected/{program}.txt");
    let options = ["-Ifixtures/programs", "--arch=gfx90a,gfx1100", "--format=json", "--timeout=300", &keep, &expect];
    let Some(output) = validate(&[[source.as_str()].as_slice(), &options].concat()) else { return };
    let document = json(&output);
    let results = document["programs"][0]["targets"].as_array().unwrap();
    let verdicts: Vec<_> = results.iter().map(|result| result["verdict"].as_str().unwrap()).collect();
    assert_eq!(verdicts, ["matched", "matched"], "{document:#}");
    // By itself it starts in the same way.
    let mut command = Command::new(env!("CARGO_BIN_EXE_hipshift"));
    command.env("HIPSHIFT_RUNTIME", runtime()).env("XDG_CACHE_HOME", folder.path());
    command.env("HIPSHIFT_TOOLCHAIN", &toolchain).args(["run", "--"]).arg(folder.path().join("program-0"));
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.ends_with("PASS\n"), "{text}{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_library_that_is_not_here_is_told_with_the_command_that_fetches_it() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("program");
    // A script that names the library as an executable would.
    common::script::script(&program, "exit 0\n# \0libhiprand.so.1\0");
    let mut command = Command::new(env!("CARGO_BIN_EXE_hipshift"));
    command.env("HIPSHIFT_RUNTIME", runtime()).env("XDG_CACHE_HOME", folder.path()).env("XDG_DATA_HOME", folder.path());
    command.env("HIPSHIFT_TOOLCHAIN", folder.path()).args(["run", "--"]).arg(&program);
    let errors = String::from_utf8(command.output().unwrap().stderr).unwrap();
    assert!(
        errors.contains(
            "the program asks for AMD's library `rand`, which `hipshift toolchain install --libraries rand` fetches"
        ),
        "{errors}"
    );
}

#[test]
fn functions_of_a_library_that_is_not_here_are_told_with_the_command_that_fetches_it() {
    if common::toolchain().is_none_or(|toolchain| toolchain.join("libraries-blas").is_dir()) {
        return;
    }
    let source =
        "extern \"C\" int hipblasCreate(void **);\nint main() { void *handle; return hipblasCreate(&handle); }\n";
    let folder = Folder::new(&[("app.cu", source)]);
    let output = validate(&[folder.0.path().to_str().unwrap(), "--arch=gfx90a", "--no-cache"]).unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("; `hipshift toolchain install --libraries blas` fetches AMD's library"), "{text}");
    // What the rule about it says stays.
    assert!(text.contains("B004: the library that has this is not linked or not installed"), "{text}");
}
