//! Real HIP programs, compiled with clang for AMD GPUs and run with this library in place of AMD's.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test that cannot go on fails"
)]

use std::env;
use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The targets that each program is compiled for: waves of 64 lanes, and of 32, of each kind of machine code.
const TARGETS: &[&str] = &["gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201"];
/// Those with images, and the first of their kind, which has levels, volumes and layers.
const WITH_IMAGES: &[&str] = &["gfx906", "gfx90a", "gfx1030", "gfx1100", "gfx1201"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The folder that `./test` fills, or `None` with a note.
fn toolchain() -> Option<PathBuf> {
    let folder = env::var_os("HIPSHIFT_TOOLCHAIN").map_or_else(|| root().join("target/toolchain"), PathBuf::from);
    if folder.join("bin/clang++-22").exists() && folder.join("hip-7.2/usr").exists() {
        return Some(folder);
    }
    eprintln!("skipped: no compiler for AMD GPUs found, `./test` fetches it");
    None
}

/// A folder with the library under the names that linker and loader ask for.
fn runtime(scratch: &Path) -> PathBuf {
    // Tests lie in `deps`, and the library beside it or in it.
    let deps = env::current_exe().unwrap().parent().unwrap().to_owned();
    let places = [deps.join("libamdhip64.so"), deps.join("../libamdhip64.so")];
    let library = places.iter().find(|path| path.exists()).expect("cargo builds the library before its tests");
    let folder = scratch.join("runtime");
    fs::create_dir_all(&folder).unwrap();
    for name in ["libamdhip64.so", "libamdhip64.so.7"] {
        fs::copy(library, folder.join(name)).unwrap();
    }
    folder
}

/// The compiler, as it makes code for all targets.
fn compiler(toolchain: &Path, targets: &[&str], runtime: &Path) -> Command {
    let rocm = toolchain.join("hip-7.2/usr");
    let mut compiler = Command::new(toolchain.join("bin/clang++-22"));
    compiler.args(["-x", "hip", "-O2", "-std=c++17"]);
    compiler.args(targets.iter().map(|target| format!("--offload-arch={target}")));
    compiler.arg(format!("--rocm-path={}", rocm.display()));
    compiler.arg(format!("--rocm-device-lib-path={}", rocm.join("lib/llvm-22/lib/clang/22/amdgcn/bitcode").display()));
    compiler.arg(format!("-L{}", runtime.display())).args(["-lamdhip64", "-rdynamic"]);
    compiler
}

/// The file of a program of `tests/programs`.
fn source(name: &str) -> PathBuf {
    root().join("backend/amdhip64/tests/programs").join(name).with_extension("hip")
}

/// Compiles a program of `tests/programs` and runs it on each target; gives what each run wrote.
fn run(name: &str, targets: &[&str]) -> Vec<Output> {
    run_with(name, targets, &[])
}

/// As [`run`], with variables for the program.
fn run_with(name: &str, targets: &[&str], variables: &[(&str, &str)]) -> Vec<Output> {
    run_word(name, targets, variables, None)
}

/// As [`run_with`], with a word for the program.
fn run_word(name: &str, targets: &[&str], variables: &[(&str, &str)], word: Option<&str>) -> Vec<Output> {
    run_optimised(name, targets, (variables, word), "-O2")
}

/// As [`run_word`], with an option of the compiler.
fn run_optimised(
    name: &str,
    targets: &[&str],
    (variables, word): (&[(&str, &str)], Option<&str>),
    option: &str,
) -> Vec<Output> {
    let Some(toolchain) = toolchain() else { return Vec::new() };
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name).join(word.unwrap_or("alone")).join(option);
    let runtime = runtime(&scratch);
    let program = scratch.join("program");
    let mut compiler = compiler(&toolchain, targets, &runtime);
    compiler.arg(option).arg(source(name)).arg("-o").arg(&program);
    let output = compiler.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let run = |target: &&str| {
        let mut command = Command::new(&program);
        command
            .env("LD_LIBRARY_PATH", &runtime)
            .env("HIPSHIFT_ARCH", target)
            .envs(variables.iter().copied())
            .args(word);
        command.output().unwrap()
    };
    targets.iter().map(run).collect()
}

fn passes(name: &str, targets: &[&str]) {
    all_pass(&run(name, targets), name, targets);
}

fn all_pass(outputs: &[Output], name: &str, targets: &[&str]) {
    for (output, target) in outputs.iter().zip(targets) {
        let text = String::from_utf8_lossy(&output.stdout);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && text.ends_with("PASS\n"), "{name} on {target}: {text}{errors}");
    }
}

#[test]
fn memory_streams_events_and_graphs() {
    passes("memory", TARGETS);
}

#[test]
fn kernels_symbols_cooperation_and_printing() {
    passes("kernels", TARGETS);
    for output in run("kernels", TARGETS) {
        // Output of the host and of kernels comes in the order in which it was made.
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(text, "before\nthread 0 of block: 0.00\nthread 1 of block: 0.25\nPASS\n");
    }
}

#[test]
fn streams_work_beside_the_host_and_each_other() {
    passes("streams", TARGETS);
    for seed in ["1", "2"] {
        for output in run_with("streams", &["gfx90a", "gfx1100"], &[("HIPSHIFT_SCHEDULE_SEED", seed)]) {
            assert!(output.status.success(), "{output:?}");
        }
    }
}

#[test]
fn what_kernels_print_comes_when_the_program_waits() {
    for output in run("printing", TARGETS) {
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(text, "launched 1\nkernel 1\nwaited\nend\nkernel 2\n");
    }
    for output in run_with("printing", TARGETS, &[("HIPSHIFT_SYNC", "1")]) {
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(text, "kernel 1\nlaunched 1\nwaited\nkernel 2\nend\n");
    }
}

#[test]
fn kernels_that_nobody_can_help_are_stopped() {
    let targets = &["gfx90a", "gfx1100"];
    for kind in ["host", "kernels"] {
        for output in run_word("stuck", targets, &[], Some(kind)) {
            assert_eq!(String::from_utf8_lossy(&output.stdout), "hipErrorLaunchFailure\n", "{kind}: {output:?}");
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(errors.contains("repeat the same instructions"), "{kind}: {errors}");
        }
    }
    for output in run_word("stuck", targets, &[], Some("thread")) {
        assert_eq!(String::from_utf8_lossy(&output.stdout), "hipSuccess\n", "{output:?}");
    }
}

#[test]
fn a_function_that_a_stream_calls_may_end_the_program() {
    for output in run("end_in_callback", &["gfx90a", "gfx1100"]) {
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(5), b"kernel\n".as_slice()), "{output:?}");
    }
}

#[test]
fn pools_tell_what_is_in_use() {
    passes("pools", &["gfx90a", "gfx1100"]);
}

/// Code of libraries for GPUs of AMD alone gives what it gives on these, and is told of; the same code of a program is found fault with.
#[test]
fn code_of_libraries_may_count_on_the_gpu() {
    let targets = ["gfx90a", "gfx1100"];
    let Some(toolchain) = toolchain() else { return };
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join("uses_library");
    let (runtime, libraries) = (runtime(&scratch), scratch.join("libraries"));
    fs::create_dir_all(&libraries).unwrap();
    let mut library = compiler(&toolchain, &targets, &runtime);
    library.args(["-shared", "-fPIC"]).arg(source("race_library")).arg("-o").arg(libraries.join("librace.so"));
    assert!(library.status().unwrap().success());
    let program = scratch.join("program");
    let mut linked = compiler(&toolchain, &targets, &runtime);
    linked.arg(source("uses_library")).arg(format!("-L{}", libraries.display())).args(["-lrace", "-o"]).arg(&program);
    assert!(linked.status().unwrap().success());
    let paths = env::join_paths([&runtime, &libraries]).unwrap();
    let runs = |known: &Path, target: &str| {
        let mut command = Command::new(&program);
        command.env("LD_LIBRARY_PATH", &paths).env("HIPSHIFT_ARCH", target).env("HIPSHIFT_LIBRARIES", known);
        let output = command.env("HIPSHIFT_ERROR_EXITCODE", "9").output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    for target in targets {
        let (code, text, errors) = runs(&libraries, target);
        assert_eq!((code, text.as_str()), (Some(0), "0 2 2 2\n0 1 65 -1\n"), "{errors}");
        assert_eq!(errors.matches("hipshift: note: in a library, ").count(), 2, "{errors}");
        let (code, text, errors) = runs(Path::new("/nowhere"), target);
        // The other wave finds what the first one has written, and the read past the end stops the kernel.
        assert_eq!(code, Some(9), "{errors}");
        assert!(text.starts_with("0 2 1.41421 1.41421\n700 "), "{text}");
        assert!(!errors.contains("note:"), "{errors}");
    }
}

#[test]
fn textures_and_surfaces() {
    passes("textures", WITH_IMAGES);
    // The compiler then gives the offset behind an element in a register, even if it is none.
    all_pass(&run_optimised("textures", WITH_IMAGES, (&[], None), "-O0"), "textures", WITH_IMAGES);
}

#[test]
fn references_of_textures_and_halves_of_images() {
    passes("texture_references", WITH_IMAGES);
}

#[test]
fn a_fault_is_explained_and_lasts_until_a_reset() {
    // The launch itself has an error where its work is done at once.
    let runs = [run("fault", TARGETS), run_with("fault", TARGETS, &[("HIPSHIFT_SYNC", "1")])];
    let launches = ["hipSuccess", "hipErrorIllegalAddress"];
    for (output, launch) in
        runs.iter().zip(launches).flat_map(|(runs, launch)| runs.iter().map(move |run| (run, launch)))
    {
        let text = String::from_utf8_lossy(&output.stdout);
        let names = [launch, "hipErrorIllegalAddress", "hipErrorIllegalAddress", "hipSuccess", "hipSuccess"];
        assert_eq!(text.lines().collect::<Vec<_>>(), names);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(errors.contains("0 bytes behind the end of an allocation of 128 bytes"), "{errors}");
        assert_eq!(errors.matches("hipshift:").count(), 1, "{errors}");
    }
}

#[test]
fn wrong_arguments_have_the_errors_that_are_documented() {
    passes("arguments", TARGETS);
}

#[test]
fn described_copies_hints_copies_of_graphs_and_names() {
    passes("functions", TARGETS);
}

#[test]
fn an_assertion_that_does_not_hold_ends_the_program() {
    for output in run("assertion", TARGETS) {
        assert_eq!(output.status.signal(), Some(6), "{output:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("threadIdx.x != 3"), "{output:?}");
    }
    for output in run_with("assertion", TARGETS, &[("HIP_SKIP_ABORT_ON_GPU_ERROR", "1")]) {
        assert_eq!(String::from_utf8_lossy(&output.stdout), "hipErrorAssert\n");
    }
}

#[test]
fn a_kernel_that_gives_up_ends_the_program() {
    for output in run("trap", TARGETS) {
        assert_eq!(output.status.signal(), Some(6), "{output:?}");
        // What was printed before is not lost.
        assert_eq!(String::from_utf8_lossy(&output.stdout), "before\n");
        assert!(String::from_utf8_lossy(&output.stderr).contains("trap 2 in kernel"), "{output:?}");
    }
    for output in run_with("trap", TARGETS, &[("HIP_SKIP_ABORT_ON_GPU_ERROR", "1")]) {
        assert_eq!(String::from_utf8_lossy(&output.stdout), "before\nhipErrorLaunchFailure\n");
    }
}
