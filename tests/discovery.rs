//! Where a compiler is looked for, as a whole: stand-in trees for every place, taken away one after the other.
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::common::json;
use crate::common::script::script;
use serde_json::Value;

/// A machine with nothing on it.
struct Machine {
    folder: tempfile::TempDir,
}

impl Machine {
    fn new() -> Machine {
        let machine = Machine { folder: tempfile::tempdir().unwrap() };
        fs::create_dir_all(machine.path("work")).unwrap();
        machine
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Headers of a release below a folder.
    fn headers(folder: &Path, major: u32, minor: u32) {
        write(&folder.join("include/hip/hip_runtime.h"), "");
        let text = format!(
            "#define HIP_VERSION_MAJOR {major}\n#define HIP_VERSION_MINOR {minor}\n#define HIP_VERSION_PATCH 9\n"
        );
        write(&folder.join("include/hip/hip_version.h"), &text);
    }

    /// A compiler that counts how often it is asked for its version.
    fn compiler(&self, path: &Path) {
        let calls = self.path("calls");
        script(path, &format!("echo '{}' >> '{}'\necho stand-in 1\n", path.display(), calls.display()));
    }

    fn rocm(&self, folder: &str) {
        let folder = self.path(folder);
        Machine::headers(&folder, 7, 2);
        self.compiler(&folder.join("bin/amdclang++"));
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hipshift"));
        command.env_clear().current_dir(self.path("work")).args(arguments);
        command.env("PATH", self.path("path")).env("HOME", self.path("home")).env("HIPSHIFT_ROOT", self.path("root"));
        command
    }

    fn doctor(&self, variables: &[(&str, &str)]) -> Value {
        let mut command = self.command(&["doctor", "--format=json"]);
        command.envs(variables.iter().map(|(name, folder)| (name, self.path(folder))));
        let output: Output = command.output().unwrap();
        json(&output)
    }
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// All places, best first: the folder, and what doctor says of it.
const PLACES: &[(&str, &str)] = &[
    ("named", "HIPSHIFT_TOOLCHAIN"),
    ("rocm-path", "ROCM_PATH"),
    ("hip-path", "HIP_PATH"),
    ("root/opt/rocm", "/opt"),
    ("root/opt/rocm-7.2.1", "/opt"),
    ("root/opt/rocm-7.2.0", "/opt"),
    ("with-hipcc", "hipcc on PATH"),
    ("with-amdclang", "amdclang++ on PATH"),
    ("home/.local/share/hipshift/toolchain", "installed"),
    ("root/usr", "distribution"),
];

#[test]
fn places_are_tried_in_their_order() {
    let machine = Machine::new();
    for (folder, origin) in PLACES {
        if *origin == "installed" {
            Machine::headers(&machine.path(folder).join("hip-7.2/usr"), 7, 2);
            machine.compiler(&machine.path(folder).join("bin/clang++-22"));
        } else {
            machine.rocm(folder);
        }
    }
    fs::create_dir_all(machine.path("path")).unwrap();
    script(&machine.path("with-hipcc/bin/hipcc"), "exit 1\n");
    for (program, folder) in [("hipcc", "with-hipcc"), ("amdclang++", "with-amdclang")] {
        let program_there = machine.path(folder).join("bin").join(program);
        std::os::unix::fs::symlink(program_there, machine.path("path").join(program)).unwrap();
    }
    let variables = [("HIPSHIFT_TOOLCHAIN", "named"), ("ROCM_PATH", "rocm-path"), ("HIP_PATH", "hip-path")];
    for (folder, origin) in PLACES {
        let found = machine.doctor(&variables);
        let hip = &found["hip"][0];
        let path = PathBuf::from(hip["path"].as_str().unwrap());
        let is_there = path.starts_with(machine.path(folder)) || Path::new("work").join(&path).starts_with(folder);
        assert!(is_there, "{folder}: {path:?}");
        assert_eq!(hip["origin"], *origin, "{folder}");
        assert_eq!((&hip["release"], &hip["version"]), (&"7.2".into(), &"7.2.9".into()));
        fs::remove_dir_all(machine.path(folder)).unwrap();
    }
    let found = machine.doctor(&variables);
    assert_eq!(found["hip"].as_array().unwrap().len(), 0, "{found:#}");
}

#[test]
fn a_folder_of_another_release_is_passed_over_and_a_named_one_holds_alone() {
    let machine = Machine::new();
    Machine::headers(&machine.path("root/opt/rocm"), 6, 4);
    machine.compiler(&machine.path("root/opt/rocm/llvm/bin/clang++"));
    // Fedora's layout.
    Machine::headers(&machine.path("root/usr"), 7, 2);
    machine.compiler(&machine.path("root/usr/lib64/rocm/llvm/bin/clang++"));
    let bitcode = machine.path("root/usr/lib64/rocm/llvm/lib/clang/20/amdgcn/bitcode");
    fs::create_dir_all(&bitcode).unwrap();
    let found = machine.doctor(&[]);
    let hip = found["hip"].as_array().unwrap();
    assert_eq!((&hip[0]["origin"], &hip[1]["origin"]), (&"distribution".into(), &"/opt".into()), "{found:#}");
    assert_eq!(hip[0]["device_libraries"], bitcode.to_str().unwrap());
    assert_eq!(hip[1]["release"], "6.4");
    fs::write(machine.path("work/main.cu"), "int main() {}\n").unwrap();
    let named = machine.path("root/opt/rocm");
    let mut command = machine.command(&["validate", "main.cu", "--toolchain", named.to_str().unwrap()]);
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && text.contains("looked at --toolchain ("), "{text}");
}

#[test]
fn each_compiler_is_asked_for_its_version_once() {
    let machine = Machine::new();
    for (major, minor) in [(7, 2), (6, 4), (5, 7)] {
        Machine::headers(&machine.path(&format!("named/hip-{major}.{minor}/usr")), major, minor);
    }
    machine.compiler(&machine.path("named/bin/clang++-22"));
    let found = machine.doctor(&[("HIPSHIFT_TOOLCHAIN", "named")]);
    let versions: Vec<&Value> = found["hip"].as_array().unwrap().iter().map(|hip| &hip["compiler_version"]).collect();
    assert_eq!(versions, ["stand-in 1"; 3]);
    assert_eq!(fs::read_to_string(machine.path("calls")).unwrap().lines().count(), 1);
}

#[test]
fn doctor_tells_what_programs_can_run_on_and_how_to_get_the_rest() {
    let machine = Machine::new();
    let executors = |found: &Value| -> Vec<(String, bool)> {
        let all = found["executors"].as_array().unwrap().iter();
        all.map(|one| (one["name"].as_str().unwrap().to_owned(), !one["path"].is_null())).collect()
    };
    let commands = |found: &Value| -> Vec<String> {
        let all = found["missing"].as_array().unwrap().iter();
        all.map(|one| one["command"].as_str().unwrap().to_owned()).collect()
    };
    let has = |found: &Value, name: &str| executors(found).contains(&(name.to_owned(), true));
    let bare = machine.doctor(&[("HIPSHIFT_RUNTIME", "nothing")]);
    let names: Vec<String> = executors(&bare).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["gpu", "emulator", "rocjitsu", "nvidia"]);
    assert!(executors(&bare).iter().all(|(_, is_here)| !is_here), "{bare:#}");
    let wanted = [
        "hipshift toolchain install",
        "hipshift toolchain install --hip 6.4",
        "hipshift toolchain install --hip 5.7",
        "apt-get install g++",
        "cargo build --release",
        "apt-get install git",
        "apt-get install nvidia-cuda-toolkit",
    ];
    assert_eq!(commands(&bare), wanted);
    // GPUs alone are not enough.
    write(&machine.path("root/sys/class/kfd/kfd/topology/nodes/1/properties"), "gfx_target_version 90010\n");
    write(&machine.path("root/proc/driver/nvidia/gpus/0/information"), "Model: NVIDIA H200\n");
    machine.rocm("root/opt/rocm");
    let gpus = machine.doctor(&[]);
    assert_eq!((&gpus["gpus"][0]["name"], &gpus["gpus"][1]["name"]), (&"gfx90a".into(), &"NVIDIA H200".into()));
    assert!(!has(&gpus, "gpu") && !has(&gpus, "nvidia"));
    assert!(commands(&gpus).contains(&"apt-get install libamdhip64-dev".to_owned()));
    write(&machine.path("root/opt/rocm/lib/libamdhip64.so"), "");
    for name in ["nvcc", "rocjitsu"] {
        script(&machine.path("path").join(name), "exit 0\n");
    }
    let all = machine.doctor(&[]);
    assert!(has(&all, "gpu") && has(&all, "nvidia") && has(&all, "rocjitsu"), "{all:#}");
    assert!(!commands(&all).iter().any(|command| command.contains("nvidia") || command.contains("libamdhip64")));
}
