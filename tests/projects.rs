//! Projects with their build files: `hipshift convert DIR -o OUT`, then the project's own build command, then its programs.
//!
//! `ROCm` is a folder made here: HIP's headers and packages of `CMake` from `target/toolchain`, the runtime library of this
//! project in place of AMD's, and two scripts. `clang++` calls the compiler of `target/toolchain`; `hipcc` calls it as
//! ROCm's hipcc does: C++ and CUDA sources are HIP, and programs are linked with the runtime.

use crate::common;

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A project, how it is built, and what its programs print.
struct Project {
    folder: &'static str,
    /// The commands that its README would tell.
    build: &'static [&'static [&'static str]],
    /// Programs, from the folder of the project on, with their output.
    programs: &'static [(&'static str, &'static str)],
}

const CMAKE: &[&[&str]] = &[&["cmake", "-S", ".", "-B", "build"], &["cmake", "--build", "build"]];

/// What each way to build device code in several files comes to.
const CHAIN: &str = "chain: 20 44 76 116 164 220 284 356\n";

/// What a kernel that is loaded from a file computes.
const TRIPLE: &str = "triple: 3 297 14850\n";

const PROJECTS: &[Project] = &[
    Project {
        folder: "modern_cmake",
        build: CMAKE,
        programs: &[("build/apps/blur", "blur: 1 3 6 9 12 15 18 13\n"), ("build/apps/edges", "edges: 4\n")],
    },
    Project { folder: "find_cuda", build: CMAKE, programs: &[("build/dot", "dot: 89700\n")] },
    Project {
        folder: "recursive_make",
        build: &[&["make"]],
        programs: &[("saxpy/saxpy", "saxpy: 505500\n"), ("scan/scan", "scan: 1 528 33 1552\n")],
    },
    Project {
        folder: "included_sources",
        build: &[&["make"]],
        programs: &[("histogram", "histogram: 12 4 5 3 4 6 3 6\n")],
    },
    Project {
        folder: "included_sources",
        build: &[&["sh", "build.sh"]],
        programs: &[("histogram", "histogram: 12 4 5 3 4 6 3 6\n")],
    },
    Project { folder: "separable", build: CMAKE, programs: &[("build/chain", CHAIN)] },
    Project { folder: "separable", build: &[&["make"]], programs: &[("chain", CHAIN)] },
    Project { folder: "separable", build: &[&["make", "-f", "early.mk"]], programs: &[("chain", CHAIN)] },
    Project { folder: "separable", build: &[&["sh", "build.sh"]], programs: &[("chain", CHAIN)] },
    Project {
        folder: "header_only",
        build: CMAKE,
        programs: &[
            ("build/tests/test_reduce", "reduce: 1562 1584 1556, 49 49 49\n"),
            ("build/tests/test_transpose", "transpose: 0 of 384 wrong, 24 1\n"),
        ],
    },
    Project {
        folder: "linked_apart",
        build: &[&["make"]],
        programs: &[("powers", "twice the cubes: 2 16 54 128 2000\n")],
    },
    Project {
        folder: "cmake_functions",
        build: CMAKE,
        programs: &[("build/sum", "sum: 1200\n"), ("build/first", "first: 7\n"), ("build/whole", "whole: -1 2 -3\n")],
    },
    Project { folder: "modules", build: &[&["make"]], programs: &[("loader", TRIPLE)] },
    Project { folder: "modules", build: CMAKE, programs: &[("build/loader", TRIPLE)] },
    // The library of hipBLAS is not here: what uses it is compiled and not linked.
    Project {
        folder: "libraries",
        build: &[&["make", "objects"], &["make", "stats"]],
        programs: &[("stats", "stats: sum 10 from -20 to 20, running -1 10\n")],
    },
    // PyTorch is not here: its names to compile against, and what it does with `setup.py`, are in `tests/data/torch_stand_in`.
    Project {
        folder: "torch_extension",
        build: &[&["python3", "setup.py", "build_ext", "--inplace"]],
        programs: &[("check.py", "gate: 0 of 300 wrong, -897\n")],
    },
    Project { folder: "mixed", build: &[&["make", "all"]], programs: &[("matrix", "trace: 261 of 9 numbers\n")] },
];

/// What programs are built for.
const TARGETS: &[&str] = &["gfx90a", "gfx1100"];

#[test]
fn modern_cmake_builds_and_runs() {
    build_and_run("modern_cmake");
}

#[test]
fn find_cuda_builds_and_runs() {
    build_and_run("find_cuda");
}

#[test]
fn recursive_make_builds_and_runs() {
    build_and_run("recursive_make");
}

#[test]
fn sources_that_include_sources_build_and_run() {
    build_and_run("included_sources");
}

#[test]
fn device_code_in_several_files_builds_and_runs() {
    build_and_run("separable");
}

#[test]
fn device_code_that_a_step_of_its_own_links_builds_and_runs() {
    build_and_run("linked_apart");
}

#[test]
fn code_in_files_of_its_own_builds_and_is_loaded() {
    build_and_run("modules");
}

#[test]
fn functions_and_loops_of_cmake_build_and_run() {
    build_and_run("cmake_functions");
}

#[test]
fn c_and_cuda_build_and_run() {
    build_and_run("mixed");
}

#[test]
fn headers_alone_build_and_run() {
    build_and_run("header_only");
}

#[test]
fn c_with_cub_builds_and_runs_and_code_for_blas_compiles() {
    build_and_run("libraries");
}

#[test]
fn an_extension_of_torch_builds_and_runs() {
    build_and_run("torch_extension");
}

#[test]
fn every_project_is_built() {
    let folders = fs::read_dir(common::root().join("fixtures/projects")).unwrap();
    for folder in folders {
        let name = folder.unwrap().file_name().into_string().unwrap();
        assert!(PROJECTS.iter().any(|project| project.folder == name), "{name}");
    }
}

fn build_and_run(folder: &str) {
    let Some(toolchain) = common::toolchain() else { return };
    for project in PROJECTS.iter().filter(|project| project.folder == folder) {
        let needs_cmake = project.build[0][0] == "cmake";
        let cmake = if needs_cmake { common::tool("cmake/bin/cmake") } else { None };
        if needs_cmake && cmake.is_none() {
            return;
        }
        let work = tempfile::tempdir().unwrap();
        let rocm = rocm(work.path(), &toolchain);
        let out = work.path().join("out");
        convert(project, &out, &[]);
        if needs_cmake {
            let query = out.join("build/.cmake/api/v1/query");
            fs::create_dir_all(&query).unwrap();
            fs::write(query.join("codemodel-v2"), "").unwrap();
        }
        for command in project.build {
            build(command, (&out, &rocm), cmake.as_deref());
        }
        if needs_cmake {
            check_model(project, &out);
        }
        for (program, expected) in project.programs {
            for target in TARGETS {
                assert_eq!(output(&out, program, target), *expected, "{folder}: {program} on {target}");
            }
        }
    }
}

#[test]
fn a_build_for_both_compilers_is_for_hip_where_that_is_asked_for() {
    builds_for_both("modern_cmake");
}

#[test]
fn a_build_with_find_cuda_for_both_compilers_is_for_hip_where_that_is_asked_for() {
    builds_for_both("find_cuda");
}

/// With `USE_HIP` a project that keeps its build for CUDA builds and runs; without, it asks for CUDA as it did.
fn builds_for_both(folder: &str) {
    let Some((toolchain, cmake)) = common::toolchain().zip(common::tool("cmake/bin/cmake")) else { return };
    let project = PROJECTS.iter().find(|project| project.folder == folder).unwrap();
    let work = tempfile::tempdir().unwrap();
    let (rocm, out) = (rocm(work.path(), &toolchain), work.path().join("out"));
    convert(project, &out, &["--build-mode", "option"]);
    let places = (out.as_path(), rocm.as_path());
    for command in [&["cmake", "-S", ".", "-B", "build", "-DUSE_HIP=ON"][..], &["cmake", "--build", "build"]] {
        build(command, places, Some(&cmake));
    }
    for (program, expected) in project.programs {
        for target in TARGETS {
            assert_eq!(output(&out, program, target), *expected, "{folder}: {program} on {target}");
        }
    }
    // No CUDA is here, so that CMake ends where it looks for it; the original ends there, too.
    let original = common::root().join("fixtures/projects").join(folder);
    let cuda = work.path().join("cuda").display().to_string();
    let for_cuda = ["cmake", "-S", ".", "-B", &cuda, "-Wno-dev", "-Wno-deprecated"];
    let said = [out.as_path(), original.as_path()].map(|sources| {
        let (is_done, said) = start(&for_cuda, (sources, &rocm), Some(&cmake));
        let _ = fs::remove_dir_all(&cuda);
        assert!(!is_done && said.contains("CUDA"), "{said}");
        let is_error = |line: &&str| line.contains("CUDA") && !line.contains(".txt:");
        said.lines().filter(is_error).map(str::to_owned).collect::<Vec<_>>()
    });
    assert_eq!(said[0], said[1]);
}

/// What CMake says of the build is what `hipshift project` tells: each program with a source that is there.
#[track_caller]
fn check_model(project: &Project, out: &Path) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hipshift"));
    let ended = command.arg("project").arg(out).args(["--format", "json"]).output().unwrap();
    let model: serde_json::Value = serde_json::from_slice(&ended.stdout).unwrap();
    assert_eq!(model["origin"], "CMake's file API", "{model:#}");
    let targets = model["targets"].as_array().unwrap();
    for (program, _) in project.programs {
        let name = Path::new(program).file_name().unwrap().to_str().unwrap();
        let target = targets.iter().find(|target| target["name"] == name && target["kind"] == "program");
        let sources = target.unwrap_or_else(|| panic!("{name}: {model:#}"))["sources"].as_array().unwrap();
        assert!(!sources.is_empty(), "{name}: {model:#}");
        for source in sources {
            assert!(out.join(source["path"].as_str().unwrap()).is_file(), "{name}: {model:#}");
        }
    }
}

/// Converts a project into a folder.
#[track_caller]
fn convert(project: &Project, out: &Path, more: &[&str]) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hipshift"));
    command.current_dir(common::root().join("fixtures/projects"));
    let arch = TARGETS.join(",");
    let ended = command.args(["convert", project.folder, "--arch", &arch, "-o"]).arg(out).args(more).output().unwrap();
    assert!(ended.status.code().is_some_and(|code| code < 2), "{}", String::from_utf8_lossy(&ended.stderr));
}

/// Runs one of the project's own commands.
#[track_caller]
fn build(command: &[&str], (out, rocm): (&Path, &Path), cmake: Option<&Path>) {
    let (is_done, said) = start(command, (out, rocm), cmake);
    assert!(is_done, "{command:?} in {}:\n{said}", out.display());
}

/// Whether one of the project's own commands succeeds, and what it says.
fn start(command: &[&str], (out, rocm): (&Path, &Path), cmake: Option<&Path>) -> (bool, String) {
    let program = cmake.filter(|_| command[0] == "cmake").map_or_else(|| PathBuf::from(command[0]), Path::to_owned);
    let path = std::env::var("PATH").unwrap();
    let mut ended = Command::new(&program);
    ended
        .args(&command[1..])
        .current_dir(out)
        .env("ROCM_PATH", rocm)
        // What a makefile of its own calls the folder.
        .env("CUDA", rocm)
        .env("PATH", format!("{}/bin:{path}", rocm.display()));
    ended.env("CMAKE_PREFIX_PATH", rocm).env("HIPCXX", rocm.join("bin/clang++")).env_remove("MAKEFLAGS");
    ended.env_remove("CUDA_HOME").env_remove("CUDA_PATH").env("PYTORCH_ROCM_ARCH", TARGETS.join(";"));
    ended.env("PYTHONPATH", common::root().join("tests/data/torch_stand_in")).env("PYTHONDONTWRITEBYTECODE", "1");
    let ended = ended.output().unwrap();
    let said = format!("{}{}", String::from_utf8_lossy(&ended.stdout), String::from_utf8_lossy(&ended.stderr));
    (ended.status.success(), said)
}

/// What a program prints on the emulator.
#[track_caller]
fn output(out: &Path, program: &str, target: &str) -> String {
    let mut run = Command::new(env!("CARGO_BIN_EXE_hipshift"));
    run.env("HIPSHIFT_RUNTIME", common::runtime()).current_dir(out);
    let ended = run.args(["run", "--arch", target, "--"]).arg(out.join(program)).output().unwrap();
    assert!(ended.status.success(), "{program}: {}", String::from_utf8_lossy(&ended.stderr));
    String::from_utf8(ended.stdout).unwrap()
}

/// A folder as ROCm's, from what is at hand.
fn rocm(work: &Path, toolchain: &Path) -> PathBuf {
    let (rocm, hip) = (work.join("rocm/usr"), toolchain.join("hip-7.2/usr"));
    let packages = rocm.join("lib/x86_64-linux-gnu/cmake");
    fs::create_dir_all(&packages).unwrap();
    fs::create_dir_all(rocm.join("bin")).unwrap();
    fs::create_dir_all(work.join("rocm/lib")).unwrap();
    for name in ["include", "share"] {
        symlink(hip.join(name), rocm.join(name)).unwrap();
    }
    for package in fs::read_dir(hip.join("lib/x86_64-linux-gnu/cmake")).unwrap() {
        let package = package.unwrap();
        symlink(package.path(), packages.join(package.file_name())).unwrap();
    }
    // The packages of HIP ask for libraries that nothing here calls.
    for (package, target) in [("amd_comgr", "amd_comgr"), ("hsa-runtime64", "hsa-runtime64::hsa-runtime64")] {
        fs::create_dir_all(packages.join(package)).unwrap();
        let text = format!("add_library({target} INTERFACE IMPORTED)\n");
        fs::write(packages.join(package).join(format!("{package}-config.cmake")), text).unwrap();
    }
    symlink(&packages, rocm.join("lib/cmake")).unwrap();
    let library = common::runtime();
    for name in ["libamdhip64.so", "libamdhip64.so.7.2.53211"] {
        symlink(&library, rocm.join("lib/x86_64-linux-gnu").join(name)).unwrap();
        symlink(&library, rocm.join("lib").join(name)).unwrap();
    }
    // From `lib/cmake` on, the packages look for their libraries one folder higher.
    symlink(rocm.join("lib/x86_64-linux-gnu"), work.join("rocm/lib/x86_64-linux-gnu")).unwrap();
    let bitcode = hip.join("lib/llvm-22/lib/clang/22/amdgcn/bitcode");
    script(
        &rocm.join("bin/clang++"),
        &format!(
            "exec {} \"$@\" --rtlib=libgcc --rocm-path={} --rocm-device-lib-path={} -Wno-unused-command-line-argument -Wno-unused-value\n",
            toolchain.join("bin/clang++-22").display(),
            rocm.display(),
            bitcode.display(),
        ),
    );
    script(&rocm.join("bin/hipcc"), &HIPCC.replace("ROCM", &rocm.display().to_string()));
    rocm
}

/// What ROCm's hipcc does with its arguments; once it is told a language, it guesses none any more.
const HIPCC: &str = r#"link="--hip-link -LROCM/lib -lamdhip64"
guess=yes
count=$#
while [ "$count" -gt 0 ]; do
    argument=$1
    shift
    count=$((count - 1))
    case "$guess$argument" in
        yes-x) guess=no; set -- "$@" "$argument" ;;
        yes*.cu | yes*.cpp | yes*.cc | yes*.cxx | yes*.hip) set -- "$@" -x hip "$argument" -x none ;;
        yes-[cESMr] | no-[cESMr] | no-MM | yes-MM) link=; set -- "$@" "$argument" ;;
        *) set -- "$@" "$argument" ;;
    esac
done
exec ROCM/bin/clang++ "$@" $link
"#;

fn script(path: &Path, body: &str) {
    fs::write(path, format!("#!/bin/sh\n{body}")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}
