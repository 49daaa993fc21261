//! AMD's libraries that are headers only, run as machine code: the programs of `tests/data/libraries` use rocPRIM, hipCUB
//! and hipRAND as they are, and check what they compute; others run with AMD's libraries as AMD built them, where these were fetched.
//! hipCUB's sums and scans and rocThrust are used by programs of `fixtures/programs`, which `tests/programs.rs` runs.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::{Command, Output};

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

/// cuFFT, converted: one and two dimensions, batched and in place, complex and real, in both precisions. rocFFT compiles its
/// kernels in the program, and finds them again.
#[test]
fn transforms_of_amds_own_library() {
    runs_with_library("fft", "cufft");
}

/// cuSPARSE, converted: compressed rows times vectors and matrices, as they are and transposed.
#[test]
fn sparse_products_of_amds_own_library() {
    runs_with_library("sparse", "cusparse");
}

/// cuSOLVER, converted: linear equations by LU. With Cholesky rocSOLVER 7.2.4 has a race of its own: a wave writes the root of the diagonal
/// that others have yet to read, with no barrier in between in the machine code either.
#[test]
fn linear_equations_of_amds_own_library() {
    let Some(kept) = runs_with_library("solver", "cusolver") else { return };
    let output = kept.run(&["cholesky"]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("race in LDS") && errors.contains("potf2_kernel_small"), "{errors}");
}

/// A program that was compiled, in its folder, and the toolchain.
struct Kept {
    folder: tempfile::TempDir,
    toolchain: PathBuf,
}

impl Kept {
    /// Starts it by itself.
    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hipshift"));
        // What rocFFT compiled is where it was.
        command.env("HIPSHIFT_RUNTIME", runtime()).env("XDG_CACHE_HOME", common::root().join("target/cache"));
        command.env("HIPSHIFT_TOOLCHAIN", &self.toolchain).args(["run", "--"]);
        command.arg(self.folder.path().join("program-0")).args(arguments).output().unwrap()
    }
}

/// Runs a CUDA program, converted, with a library as AMD built it, which `toolchain install --libraries` fetches. It has to print what
/// it printed with CUDA's library on an NVIDIA H100, where that is known.
#[track_caller]
fn runs_with_library(library: &str, program: &str) -> Option<Kept> {
    let toolchain = common::toolchain()?;
    if !toolchain.join(format!("libraries-{library}")).is_dir() {
        eprintln!(
            "skipped: `hipshift toolchain install --libraries {library} --dir {}` fetches the library",
            toolchain.display()
        );
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    let keep = format!("--keep={}", folder.path().display());
    let source = format!("tests/data/libraries/{program}.cu");
    let expected = format!("tests/data/libraries/expected/{program}.txt");
    let expect = format!("--expect={expected}");
    let mut options = vec![source.as_str(), "tests/data/libraries/transfer.h", "-Ifixtures/programs"];
    options.extend(["--arch=gfx90a,gfx1100", "--format=json", &keep, "--timeout=300"]);
    let is_known = common::root().join(expected).exists();
    options.extend(is_known.then_some(expect.as_str()));
    let document = json(&validate(&options)?);
    let results = document["programs"][0]["targets"].as_array().unwrap();
    let verdicts: Vec<_> = results.iter().map(|result| result["verdict"].as_str().unwrap()).collect();
    assert_eq!(verdicts, [if is_known { "matched" } else { "ran" }; 2], "{document:#}");
    // By itself it starts in the same way.
    let kept = Kept { folder, toolchain };
    let output = kept.run(&[]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.ends_with("PASS\n"), "{text}{}", String::from_utf8_lossy(&output.stderr));
    Some(kept)
}

/// A library of that name, a loader and a library of C that are those of this machine: a program is linked and starts with them as with
/// AMD's.
#[test]
fn a_program_is_linked_and_starts_with_the_libraries_beside_its_toolchain() {
    let Some(toolchain) = common::toolchain() else { return };
    let (root, inside) = (tempfile::tempdir().unwrap(), "usr/lib/x86_64-linux-gnu");
    for entry in fs::read_dir(&toolchain).unwrap().flatten() {
        if !entry.file_name().to_string_lossy().starts_with("libraries") {
            symlink(entry.path(), root.path().join(entry.file_name())).unwrap();
        }
    }
    let [base, rand] = ["base", "rand"].map(|name| root.path().join(format!("libraries-{name}")).join(inside));
    for folder in [&base, &rand] {
        fs::create_dir_all(folder).unwrap();
    }
    let loader = fs::canonicalize("/lib64/ld-linux-x86-64.so.2").unwrap();
    fs::copy(&loader, base.join("ld-linux-x86-64.so.2")).unwrap();
    symlink(loader.with_file_name("libc.so.6"), base.join("libc.so.6")).unwrap();
    let library = root.path().join("library.cpp");
    fs::write(&library, "extern \"C\" int hiprandDestroyGenerator(void *) { return 7; }\n").unwrap();
    let mut compiler = Command::new(toolchain.join("bin/clang++-22"));
    compiler.args(["-shared", "-fPIC", "-Wl,-soname,libhiprand.so.1", "-o"]).arg(rand.join("libhiprand.so.1"));
    assert!(compiler.arg(&library).status().unwrap().success());
    fs::copy(rand.join("libhiprand.so.1"), rand.join("librocrand.so.1")).unwrap();
    let source = "#include <cstdio>\nextern \"C\" int hiprandDestroyGenerator(void *);\n\
                  int main() { return std::printf(\"%d\\n\", hiprandDestroyGenerator(nullptr)) != 2; }\n";
    let folder = Folder::new(&[("app.cu", source)]);
    let keep = root.path().join("kept");
    let hipshift = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hipshift"));
        command.env("HIPSHIFT_RUNTIME", runtime()).env("XDG_CACHE_HOME", folder.0.path());
        command.env("XDG_STATE_HOME", folder.0.path()).env("HIPSHIFT_TOOLCHAIN", root.path());
        command.args(words).output().unwrap()
    };
    let [app, keep] = [folder.0.path().join("app.cu"), keep].map(|path| path.display().to_string());
    let output = hipshift(&["validate", &app, "--arch=gfx90a", "--no-cache", "--keep", &keep]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let program = format!("{keep}/program-0");
    assert_eq!(hipshift(&["run", "--", &program]).stdout, b"7\n");
    // So do programs that others start, by whatever function.
    fs::write(folder.0.path().join("makefile"), format!("all:\n\t@{program}\n")).unwrap();
    let makefile = folder.0.path().join("makefile").display().to_string();
    let shell = format!("cd '{keep}' && ./program-0; exit");
    for words in [
        &["sh", "-c", &shell] as &[&str],
        &["env", &program],
        &["timeout", "60", "env", &program],
        &["make", "-f", &makefile],
    ] {
        let output = hipshift(&[&["run", "--"], words].concat());
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.stdout, b"7\n", "{words:?}: {errors}");
    }
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

/// A program may ask for AMD's library by one of its own, which lies in a folder that it names, or that its user does.
#[test]
fn libraries_of_a_program_are_asked_as_well() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    for (name, text) in
        [("amd.c", "int amd(void) { return 0; }\n"), ("own.c", "int amd(void); int own(void) { return amd(); }\n")]
    {
        fs::write(place(name), text).unwrap();
    }
    fs::write(place("main.c"), "int own(void); int main(void) { return own(); }\n").unwrap();
    fs::create_dir_all(place("lib")).unwrap();
    let compile = |words: &[&str]| {
        let Ok(status) = Command::new("cc").current_dir(folder.path()).args(words).status() else { return false };
        assert!(status.success(), "{words:?}");
        true
    };
    if !compile(&["-shared", "-fPIC", "amd.c", "-Wl,-soname,libhiprand.so.1", "-o", "lib/libhiprand.so.1"]) {
        eprintln!("skipped: no compiler for the host found");
        return;
    }
    compile(&["-shared", "-fPIC", "own.c", "lib/libhiprand.so.1", "-o", "lib/libown.so"]);
    compile(&["main.c", "-Llib", "-lown", "-Wl,-rpath,$ORIGIN/lib", "-Wl,--allow-shlib-undefined", "-o", "named"]);
    compile(&["main.c", "-Llib", "-lown", "-Wl,--allow-shlib-undefined", "-o", "searched"]);
    for (program, searched, asks) in [("named", "", true), ("searched", "lib", true), ("searched", "", false)] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hipshift"));
        command.env("HIPSHIFT_RUNTIME", runtime()).env("XDG_CACHE_HOME", folder.path());
        command.env("XDG_DATA_HOME", folder.path()).env("HIPSHIFT_TOOLCHAIN", folder.path());
        command.current_dir(folder.path()).env("LD_LIBRARY_PATH", searched);
        let errors = command.args(["run", "--"]).arg(place(program)).output().unwrap().stderr;
        let errors = String::from_utf8(errors).unwrap();
        assert_eq!(errors.contains("the program asks for AMD's library `rand`"), asks, "{program}: {errors}");
    }
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
