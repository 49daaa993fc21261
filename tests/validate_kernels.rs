//! `hipshift validate` with kernels that have no `main`: a program of ours starts them and writes their arrays.
#![cfg(unix)]

use crate::common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::common::script::script;
use crate::common::{json, runtime, validate, validate_command};
use serde_json::Value;

const FIXTURE: &str = "fixtures/validate/kernels";

/// The verdicts: kernel, target, verdict, evidence.
fn verdicts(output: &Output) -> Vec<[String; 4]> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let document = json(output);
    let mut found = Vec::new();
    for program in document["programs"].as_array().unwrap() {
        for target in program["targets"].as_array().unwrap() {
            let of = |key: &str| text(&target[key]);
            found.push([text(&program["name"]), of("target"), of("verdict"), of("evidence")]);
        }
    }
    found
}

/// A project in a folder of its own, with one kernel that copies an array.
struct Project {
    folder: tempfile::TempDir,
}

const COPY: &str = "__global__ void copy(const float *x, float *y) { y[threadIdx.x] = x[threadIdx.x]; }\n";

impl Project {
    /// `output` are the keys of the array that is written, `kernel` those of the kernel.
    fn new(kernel: &str, output: &str) -> Project {
        let project = Project { folder: tempfile::tempdir().unwrap() };
        project.write("copy.cu", COPY.as_bytes());
        project.configure(kernel, output);
        project
    }

    fn configure(&self, kernel: &str, output: &str) {
        let text = format!(
            "[[validate.kernel]]\nname = \"copy\"\nsource = \"copy.cu\"\ngrid = 1\nblock = 2\n{kernel}\n\
             [[validate.kernel.argument]]\ntype = \"float\"\nfile = \"x.bin\"\n\
             [[validate.kernel.argument]]\nname = \"y\"\ntype = \"float\"\nlength = 2\noutput = true\n{output}\n"
        );
        self.write("hipshift.toml", text.as_bytes());
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.path(name), bytes).unwrap();
    }

    fn floats(&self, name: &str, values: [f32; 2]) {
        self.write(name, &values.map(f32::to_le_bytes).concat());
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn run(&self, options: &[&str]) -> Option<Output> {
        let folder = self.folder.path().to_str().unwrap();
        validate(&[&[folder, "--arch=gfx1100"], options].concat())
    }
}

#[test]
fn kernels_compute_what_they_did_on_an_nvidia_gpu() {
    let Some(output) = validate(&[FIXTURE, "--format=json", "--vary=block"]) else { return };
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
    let found = verdicts(&output);
    let names: Vec<&str> = found.iter().step_by(2).map(|row| row[0].as_str()).collect();
    assert_eq!(
        names,
        [
            "saxpy",
            "saxpy (block 1)",
            "saxpy (block 31)",
            "saxpy (block 33)",
            "saxpy (block 48)",
            "saxpy (block 65)",
            "saxpy (block 255)",
            "histogram",
            "histogram (block 1)",
            "histogram (block 31)",
            "histogram (block 33)",
            "histogram (block 48)",
            "histogram (block 65)",
            "histogram (block 127)",
            "block_max",
            "warp_sums",
            "warp_sums (block 32)",
            "warp_sums (block 64)",
            "root",
            "root (block 1)",
            "root (block 31)",
            "shifted",
            "shifted (block 31)",
        ]
    );
    for [name, target, verdict, evidence] in found {
        let wanted = if name.contains("block ") { "ran" } else { "matched" };
        assert_eq!((verdict.as_str(), evidence.as_str()), (wanted, "emulated"), "{name} on {target}");
    }
}

#[test]
fn each_tolerance_decides_on_its_own() {
    let next = 1.0_f32.next_up();
    let nan = f32::NAN;
    let cases: &[([f32; 2], [f32; 2], &str, &str)] = &[
        ([1.0, 2.0], [1.0, 2.0], "", "matched"),
        ([1.0, 2.0], [1.0, 2.5], "", "differs"),
        ([1.0, 2.0], [1.0, 2.5], "tolerance = { absolute = 0.5 }", "matched"),
        ([1.0, 2.0], [1.0, 2.5], "tolerance = { absolute = 0.4 }", "differs"),
        ([1.0, 2.0], [1.0, 2.5], "tolerance = { relative = 0.2 }", "matched"),
        ([1.0, 2.0], [1.0, 2.5], "tolerance = { relative = 0.1 }", "differs"),
        ([next, 2.0], [1.0, 2.0], "", "differs"),
        ([next, 2.0], [1.0, 2.0], "tolerance = { ulp = 1 }", "matched"),
        ([nan, 2.0], [nan, 2.0], "", "matched"),
        ([nan, 2.0], [1.0, 2.0], "", "differs"),
        ([nan, 2.0], [nan, 2.0], "tolerance = { nan = 'differ' }", "differs"),
        ([nan, 2.0], [1.0, 2.0], "tolerance = { nan = 'ignore' }", "matched"),
    ];
    let project = Project::new("", "");
    for (computed, wanted, tolerance, verdict) in cases {
        project.floats("x.bin", *computed);
        project.floats("y.bin", *wanted);
        // A kernel's tolerance holds for its arrays, and an array's own goes first.
        for (kernel, array) in
            [(*tolerance, ""), ("tolerance = { absolute = 99.0, ulp = 99, nan = 'equal' }", *tolerance)]
        {
            if kernel.contains("99") && (tolerance.is_empty() || !tolerance.contains("nan")) {
                continue;
            }
            project.configure(kernel, &format!("expected = \"y.bin\"\n{array}"));
            let Some(output) = project.run(&["--format=json"]) else { return };
            assert_eq!(verdicts(&output)[0][2], *verdict, "{computed:?} {wanted:?} {kernel} {array}");
            assert_eq!(output.status.code(), Some(i32::from(*verdict != "matched")));
        }
    }
}

#[test]
fn the_first_wrong_element_is_told_in_every_format() {
    let project = Project::new("", "expected = \"y.bin\"");
    project.floats("x.bin", [1.0, 2.0]);
    project.floats("y.bin", [1.0, 2.5]);
    let Some(output) = project.run(&[]) else { return };
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("copy, gfx1100: element 1 of `y` is not as expected\n"), "{text}");
    assert!(text.contains("    expected  2.5\n    computed  2.0\n"), "{text}");
    let difference = &json(&project.run(&["--format=json"]).unwrap())["programs"][0]["targets"][0]["difference"];
    assert_eq!((&difference["array"], &difference["index"], &difference["count"]), (&"y".into(), &1.into(), &2.into()));
    for format in ["--format=junit", "--format=sarif"] {
        let output = project.run(&[format]).unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains("element 1 of `y` is not as expected"), "{text}");
    }
}

#[test]
fn what_is_only_compiled_is_not_run_and_nothing_expected_is_no_match() {
    let project = Project::new("", "");
    project.floats("x.bin", [1.0, 2.0]);
    let Some(output) = project.run(&["--format=json"]) else { return };
    assert_eq!(verdicts(&output)[0][2..], ["ran", "emulated"]);
    let output = project.run(&["--format=json", "--executor=none", "--vary=block"]).unwrap();
    assert_eq!(verdicts(&output).len(), 1);
    assert_eq!(verdicts(&output)[0][2..], ["linked", "compiled"]);
}

#[test]
fn a_kernel_that_is_described_wrongly_is_trouble_or_an_error_of_the_compiler() {
    let project = Project::new("", "");
    project.floats("x.bin", [1.0, 2.0]);
    let trouble = |error: &str| {
        let Some(output) = project.run(&[]) else { return };
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && text.contains(error), "{text}");
    };
    project.write("x.bin", &[0; 7]);
    trouble("argument 1 (`argument1`): ");
    project.floats("x.bin", [1.0, 2.0]);
    project.configure("", "expected = \"none.npy\"");
    let Some(output) = project.run(&[]) else { return };
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.code() == Some(1) && text.contains("no reference") && text.contains("none.npy"), "{text}");
    project.configure("", "constant = 1\nramp = [0, 1]");
    trouble("kernel `copy` in `hipshift.toml`: argument 2 (`y`): it is filled in two ways");
    project.configure("function = \"other\"", "");
    let Some(output) = project.run(&[]) else { return };
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.code() == Some(1) && text.contains("use of undeclared identifier 'other'"), "{text}");
}

/// Counts lanes, so that it computes something else where waves are wider.
const LANES: &str = "#include <hip/hip_runtime.h>\n__device__ unsigned votes() {\n    const unsigned mask = __ballot(true);\n    \
                     return 0 * mask;\n}\n__global__ void other(unsigned *y) {\n    const unsigned mask = __ballot(true);\n    \
                     y[0] = mask;\n}\n__global__ void lanes(unsigned *y) {\n    y[threadIdx.x] = warpSize + votes();\n}\n";

/// A project with a kernel `lanes`, which fills 64 numbers.
fn lanes(source: &str, text: &str) -> Project {
    let project = Project::new("", "");
    fs::remove_file(project.path("copy.cu")).unwrap();
    project.write(source, text.as_bytes());
    let settings = format!(
        "[[validate.kernel]]\nname = \"lanes\"\nsource = \"{source}\"\ngrid = 1\nblock = 64\n\
         argument = [{{ name = \"y\", type = \"unsigned\", length = 64, output = true }}]\n"
    );
    project.write("hipshift.toml", settings.as_bytes());
    project
}

#[test]
fn a_difference_between_waves_is_told_with_what_rules_say() {
    let project = lanes("lanes.hip", LANES);
    let folder = project.folder.path().to_str().unwrap();
    let run = |options: &[&str]| validate(&[&[folder], options].concat());
    let Some(output) = run(&[]) else { return };
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}");
    let told = "lanes: computes something else on gfx90a (wave64) than on gfx1100 (wave32): a bug unless the width of waves is meant to show\n    \
                gfx90a   64\n    gfx1100  32\n";
    assert!(text.contains(told), "{text}");
    assert!(text.contains("/lanes.hip:3:") && text.contains(": W004: "), "{text}");
    assert!(text.contains("lanes    waves differ") && text.contains("2 results: 0 well, 2 failed"), "{text}");
    let found = json(&run(&["--format=json"]).unwrap());
    let findings = found["programs"][0]["wave_difference"]["findings"].as_array().unwrap();
    assert!(findings.iter().any(|finding| finding["code"] == "W004" && finding["line"] == 3), "{found:#}");
    // The kernel comes to neither line of the other.
    let lines: Vec<u64> = findings.iter().map(|finding| finding["line"].as_u64().unwrap()).collect();
    assert!(lines.iter().all(|line| !(6..=9).contains(line)), "{lines:?}");
}

#[test]
fn a_kernel_that_keeps_32_lanes_computes_the_same_with_every_policy() {
    let text = LANES.replace("hip/hip_runtime.h", "cuda_runtime.h").replace("__ballot(", "__ballot_sync(~0u, ");
    let project = lanes("lanes.cu", &text);
    let folder = project.folder.path().to_str().unwrap();
    let Some(output) = validate(&[folder, "--wave-policy=native"]) else { return };
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.code() == Some(0) && text.contains("2 results: 2 well, 0 failed"), "{text}");
}

#[test]
fn hip_sources_have_findings_beside_a_difference_and_messages_once() {
    let source = "#include <hip/hip_runtime.h>\n__global__ void lanes(unsigned *y) {\n    unsigned mask = __ballot(1);\n    \
                  y[threadIdx.x] = __popcll(__ballot(1)) + 0 * mask;\n}\n";
    let project = lanes("lanes.hip", source);
    let Some(output) = validate(&[project.folder.path().to_str().unwrap(), "--format=json"]) else { return };
    let found = json(&output);
    let program = &found["programs"][0];
    let findings = program["wave_difference"]["findings"].as_array().unwrap();
    assert!(findings.iter().any(|finding| finding["code"] == "W004" && finding["line"] == 3), "{found:#}");
    let warnings = program["messages"].as_array().unwrap().iter().filter(|message| message["line"] == 3);
    assert_eq!(warnings.count(), 1, "{found:#}");
}

/// The compiler for AMD GPUs with names of CUDA, in place of nvcc: what it makes runs on the emulator.
fn nvcc(folder: &Path) -> Option<PathBuf> {
    let toolchain = fs::canonicalize(common::toolchain()?).unwrap();
    let names = ["Malloc", "Memcpy", "MemcpyHostToDevice", "MemcpyDeviceToHost", "GetLastError", "DeviceSynchronize"];
    let names = names.iter().chain(&["Error_t", "Success", "GetErrorString"]);
    let header = names.map(|name| format!("#define cuda{name} hip{name}\n")).collect::<Vec<_>>().concat();
    fs::create_dir_all(folder.join("shim")).unwrap();
    fs::write(folder.join("shim/cuda_runtime.h"), format!("#include <hip/hip_runtime.h>\n{header}")).unwrap();
    fs::write(folder.join("shim/cuda_fp16.h"), "#include <hip/hip_fp16.h>\n").unwrap();
    let library = runtime();
    for name in ["libamdhip64.so", "libamdhip64.so.7"] {
        std::os::unix::fs::symlink(&library, folder.join("shim").join(name)).unwrap();
    }
    let mut compiler = common::device_compiler(&toolchain, "7.2", 32);
    compiler.args(["--offload-arch=gfx1100", "-I"]).arg(folder.join("shim"));
    let words = std::iter::once(compiler.get_program()).chain(compiler.get_args());
    let words: Vec<String> = words.map(|word| format!("'{}'", word.to_str().unwrap())).collect();
    let shim = folder.join("shim");
    let link = format!("-L'{0}' -Wl,-rpath,'{0}'", shim.display());
    Some(script(
        &folder.join("nvcc"),
        &format!("export HIPSHIFT_ARCH=gfx1100\nexec {} \"$@\" {link}\n", words.join(" ")),
    ))
}

#[test]
fn what_kernels_compute_is_recorded_and_then_expected() {
    let scratch = tempfile::tempdir().unwrap();
    let Some(nvcc) = nvcc(scratch.path()) else { return };
    let project = Project::new("", "");
    project.floats("x.bin", [1.0, 2.0]);
    let record = |options: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hipshift"));
        command.current_dir(project.folder.path()).args(["validate", "record", ".", "--env=HIPSHIFT_ARCH=gfx1100"]);
        command.args(options).output().unwrap()
    };
    let output = record(&["--nvcc", nvcc.to_str().unwrap()]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(text, "copy: recorded in ./expected/copy.y.npy\n", "{}", String::from_utf8_lossy(&output.stderr));
    let recorded = fs::read(project.path("expected/copy.y.npy")).unwrap();
    assert_eq!(recorded[recorded.len() - 8..], [1.0_f32, 2.0].map(f32::to_le_bytes).concat());
    let verdict = || project.run(&["--format=json"]).map(|output| verdicts(&output)[0][2].clone());
    assert_eq!(verdict().unwrap(), "matched");
    project.floats("x.bin", [1.0, 3.0]);
    assert_eq!(verdict().unwrap(), "differs");
    // The script does the same where hipshift is not installed.
    let script = record(&["--script", "record.sh"]);
    assert_eq!(script.status.code(), Some(0), "{}", String::from_utf8_lossy(&script.stderr));
    let text = fs::read_to_string(project.path("record.sh")).unwrap();
    assert!(!text.contains(project.folder.path().to_str().unwrap()), "{text}");
    let mut command = Command::new("bash");
    let output = command.arg("record.sh").current_dir(project.folder.path()).env("NVCC", nvcc).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("recorded: ./expected/copy.y.npy"), "{said}");
    assert_eq!(verdict().unwrap(), "matched");
}

#[test]
fn kernels_of_other_folders_are_left_alone() {
    let project = Project::new("", "");
    project.floats("x.bin", [1.0, 2.0]);
    fs::create_dir(project.path("sub")).unwrap();
    project.write("sub/main.cu", b"int main() { return 0; }\n");
    let folder = project.path("sub");
    let Some(mut command) = validate_command(&[folder.to_str().unwrap(), "--format=json", "--arch=gfx1100"]) else {
        return;
    };
    let names: Vec<String> = verdicts(&command.output().unwrap()).into_iter().map(|[name, ..]| name).collect();
    assert_eq!(names, ["sub"]);
}
