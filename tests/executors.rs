//! What `hipshift validate` runs programs on: stand-ins for GPUs, for AMD's emulation toolkit and for NVIDIA's tools.
#![cfg(unix)]

use crate::common;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::common::script::script;
use crate::common::{json, runtime};

/// A machine with a ROCm of its own, whose runtime is the emulator's library.
struct Machine {
    folder: tempfile::TempDir,
}

impl Machine {
    fn new() -> Option<Machine> {
        let toolchain = fs::canonicalize(common::toolchain()?).unwrap();
        let machine = Machine { folder: tempfile::tempdir().unwrap() };
        let rocm = machine.path("rocm");
        let headers = fs::canonicalize(toolchain.join("hip-7.2/usr")).unwrap();
        fs::create_dir_all(rocm.join("lib")).unwrap();
        for name in ["include", "share"] {
            symlink(headers.join(name), rocm.join(name)).unwrap();
        }
        let bitcode = headers.join("lib/llvm-22/lib/clang/22/amdgcn");
        symlink(bitcode, rocm.join("amdgcn")).unwrap();
        let compiler = toolchain.join("bin/clang++-22");
        script(&rocm.join("bin/amdclang++"), &format!("exec '{}' \"$@\"\n", compiler.display()));
        for name in ["libamdhip64.so", "libamdhip64.so.7"] {
            symlink(runtime(), rocm.join("lib").join(name)).unwrap();
        }
        Some(machine)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Has the driver list a GPU; versions are those of the driver's `gfx_target_version`.
    fn gpu(&self, node: u32, version: u32) {
        let folder = self.path(&format!("root/sys/class/kfd/kfd/topology/nodes/{node}"));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("properties"), format!("gfx_target_version {version}\n")).unwrap();
    }

    fn write(&self, name: &str, text: &str) -> String {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hipshift"));
        let path = std::env::var("PATH").unwrap();
        command.env("PATH", format!("{}:{path}", self.path("bin").display())).env("HIPSHIFT_ROOT", self.path("root"));
        command.env("HIPSHIFT_RUNTIME", runtime()).env("XDG_CACHE_HOME", common::root().join("target/cache"));
        command.current_dir(common::root()).arg("validate").args(arguments);
        command.arg("--toolchain").arg(self.path("rocm")).output().unwrap()
    }

    /// Target, verdict and evidence of each result.
    fn results(&self, arguments: &[&str]) -> Vec<[String; 3]> {
        let output = self.run(&[arguments, &["--format=json"]].concat());
        let document = json(&output);
        let targets = document["programs"][0]["targets"].as_array().unwrap().iter();
        let row = |target: &serde_json::Value| {
            ["target", "verdict", "evidence"].map(|key| target[key].as_str().unwrap().to_owned())
        };
        targets.map(row).collect()
    }
}

const PROGRAM: &str = "fixtures/vector_add";

#[test]
fn a_gpu_runs_its_target_and_the_emulator_all_others() {
    let Some(machine) = Machine::new() else { return };
    assert_eq!(machine.results(&[PROGRAM])[0], ["gfx90a", "matched", "emulated"]);
    machine.gpu(1, 90_010);
    let found = machine.results(&[PROGRAM]);
    assert_eq!(found, [["gfx90a", "matched", "ran on AMD"], ["gfx1100", "matched", "emulated"]]);
    assert_eq!(machine.results(&[PROGRAM, "--executor=gpu"]), [["gfx90a", "matched", "ran on AMD"]]);
    let found = machine.results(&[PROGRAM, "--executor=gpu", "--arch=gfx1100"]);
    assert_eq!(found, [["gfx1100", "not run", "compiled"]]);
    assert_eq!(machine.results(&[PROGRAM, "--executor=emulator", "--arch=gfx90a"])[0][2], "emulated");
    // Results of one evidence are counted apart from those of another, in every format.
    let shown = |format: &str| String::from_utf8(machine.run(&[PROGRAM, "--format", format]).stdout).unwrap();
    let text = shown("text");
    assert!(text.contains("evidence: 1 ran on AMD, 0 ran on NVIDIA, 1 emulated, 0 compiled\n"), "{text}");
    let text = shown("junit");
    assert!(text.contains(r#"<property name="ran on AMD" value="1"/>"#), "{text}");
    assert!(text.contains(r#"name="gfx90a (ran on AMD)""#) && text.contains(r#"name="gfx1100 (emulated)""#), "{text}");
    let text = shown("html");
    assert!(text.contains(r#"id="evidence-ran-on-AMD">1</td>"#), "{text}");
    assert!(text.contains(r#"id="evidence-emulated">1</td>"#), "{text}");
    for format in ["json", "sarif"] {
        let output = machine.run(&[PROGRAM, "--format", format]);
        let document = json(&output);
        let sums = if format == "json" { &document["sums"] } else { &document["runs"][0]["properties"] };
        assert_eq!(
            (&sums["evidence"]["ran on AMD"], &sums["evidence"]["emulated"]),
            (&1.into(), &1.into()),
            "{format}"
        );
    }
}

#[test]
fn a_program_that_fails_on_a_gpu_is_run_again_with_the_log_of_the_runtime() {
    let Some(machine) = Machine::new() else { return };
    machine.gpu(1, 110_000);
    // HIP counts GPUs in the order of their nodes.
    machine.gpu(10, 90_010);
    let program = machine.write(
        "main.hip",
        "#include <hip/hip_runtime.h>\n#include <cstdio>\n#include <cstdlib>\nint main() {\n    \
         const char *level = std::getenv(\"AMD_LOG_LEVEL\");\n    \
         std::fprintf(stderr, \"device %s, log %s\\n\", std::getenv(\"HIP_VISIBLE_DEVICES\"), level ? level : \"off\");\n    \
         return 3;\n}\n",
    );
    let output = machine.run(&[&program, "--executor=gpu", "--arch=gfx90a", "--format=json"]);
    assert_eq!(output.status.code(), Some(1));
    let document = json(&output);
    let target = &document["programs"][0]["targets"][0];
    assert_eq!((&target["verdict"], &target["evidence"]), (&"failed".into(), &"ran on AMD".into()));
    let lines: Vec<&str> = target["last_lines"].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect();
    let head = "once more with AMD_LOG_LEVEL=3, the end of what it wrote to standard error:";
    assert_eq!(lines, ["device 1, log off", head, "device 1, log 3"]);
}

#[test]
fn an_executor_that_is_not_here_is_trouble() {
    let Some(machine) = Machine::new() else { return };
    let error = |arguments: &[&str]| {
        let output = machine.run(&[&[PROGRAM], arguments].concat());
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(error(&["--executor=gpu"]).contains("there is no AMD GPU here"));
    assert!(error(&["--executor=rocjitsu"]).contains("rocjitsu is not on PATH"));
    assert!(error(&["--executor=nvidia"]).contains("nvcc is not on PATH"));
    machine.gpu(1, 90_010);
    fs::remove_file(machine.path("rocm/lib/libamdhip64.so")).unwrap();
    assert!(error(&["--executor=gpu"]).contains("no libamdhip64.so of ROCm"));
}

#[test]
fn the_emulation_toolkit_of_amd_is_called_for_one_target() {
    let Some(machine) = Machine::new() else { return };
    let log = machine.path("calls");
    let call = format!(
        "[ \"$1 $2 $3\" = 'run --in-process --' ] || exit 9\necho \"$@\" >> '{}'\nshift 3\nexec \"$@\"\n",
        log.display()
    );
    script(&machine.path("bin/rocjitsu"), &call);
    let output = machine.run(&[PROGRAM, "--executor=rocjitsu"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("name that with `--arch`"));
    let found = machine.results(&[PROGRAM, "--executor=rocjitsu", "--arch=gfx90a"]);
    assert_eq!(found, [["gfx90a", "matched", "emulated"]]);
    let calls = fs::read_to_string(log).unwrap();
    assert!(calls.lines().count() == 1 && calls.trim_end().ends_with("/program-0"), "{calls}");
}

/// Stands in for nvcc: keeps its arguments, and makes a program that prints a text.
fn nvcc(machine: &Machine, printed: &Path) {
    let text = format!(
        "echo \"$@\" > '{0}'\nwhile [ $# -gt 0 ]; do case $1 in\n  -o) out=$2; shift;;\n  -I*hip-on-cuda) cp \"${{1#-I}}/hip_on_cuda.cuh\" '{1}';;\n\
         esac; shift; done\nprintf '#!/bin/sh\\ncat %s\\n' '{2}' > \"$out\"\nchmod +x \"$out\"\n",
        machine.path("arguments").display(),
        machine.path("aliases").display(),
        printed.display()
    );
    script(&machine.path("bin/nvcc"), &text);
}

#[test]
fn nvcc_compiles_the_converted_code_with_names_of_hip() {
    let Some(machine) = Machine::new() else { return };
    let expected = common::root().join(PROGRAM).join("src/expected/cuda.txt");
    nvcc(&machine, &expected);
    let run = |options: &[&str]| machine.results(&[&[PROGRAM, "--executor=nvidia", "--flag=-DN=4"], options].concat());
    assert_eq!(run(&[]), [["nvidia", "matched", "ran on NVIDIA"]]);
    let arguments = fs::read_to_string(machine.path("arguments")).unwrap();
    for word in ["-x cu ", "-arch=native ", "-DN=4 ", "-std=c++17 ", "/source/src/main.cu"] {
        assert!(arguments.contains(word), "{word}: {arguments}");
    }
    let aliases = fs::read_to_string(machine.path("aliases")).unwrap();
    assert!(aliases.contains("#define hipMalloc cudaMalloc\n") && aliases.contains("#define hipLaunchKernelGGL("));
    // Another output is a difference, and what compute-sanitizer says is a finding.
    let other = machine.write("other.txt", "FAIL\n");
    nvcc(&machine, Path::new(&other));
    assert_eq!(run(&[])[0][1], "differs");
    nvcc(&machine, &expected);
    let log = "while [ $# -gt 0 ]; do case $1 in --log-file) log=$2;; esac; shift; done\n\
               printf '========= COMPUTE-SANITIZER\\n========= Invalid __global__ read of size 4 bytes\\n' > \"$log\"\n";
    script(&machine.path("bin/compute-sanitizer"), log);
    assert_eq!(run(&[])[0][1..], ["findings", "ran on NVIDIA"]);
    assert_eq!(run(&["--checks=none"])[0][1], "matched");
}

#[test]
fn errors_of_nvcc_stand_at_the_lines_of_the_cuda_source() {
    let Some(machine) = Machine::new() else { return };
    let text = "for source in \"$@\"; do case $source in */main.cu) break;; esac; done\n\
                echo \"$source(1): error: identifier \\\"hipFoo\\\" is undefined\" >&2\nexit 2\n";
    script(&machine.path("bin/nvcc"), text);
    let output = machine.run(&[PROGRAM, "--executor=nvidia", "--format=json"]);
    assert_eq!(output.status.code(), Some(1));
    let document = json(&output);
    let message = &document["programs"][0]["messages"][0];
    assert_eq!(
        (&message["file"], &message["line"]),
        (&"fixtures/vector_add/src/main.cu".into(), &1.into()),
        "{message}"
    );
    assert_eq!(document["programs"][0]["targets"][0]["evidence"], "none");
}
