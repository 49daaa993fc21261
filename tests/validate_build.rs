//! How `hipshift validate` compiles: what it keeps for later runs, where options come from, and where files lie.

use crate::common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::common::json;

/// A toolchain that counts the calls of its compiler, and a folder to work in.
struct Bench {
    root: tempfile::TempDir,
}

const KERNEL: &str = "#include <cstdio>\n#include \"part.cuh\"\n__global__ void k(float *x) { *x = part(*x); }\n\
                      int main() { std::printf(\"PASS\\n\"); return 0; }\n";

impl Bench {
    fn new() -> Option<Bench> {
        let real = common::toolchain()?;
        let bench = Bench { root: tempfile::tempdir().unwrap() };
        for release in common::RELEASES {
            let name = format!("hip-{release}");
            std::os::unix::fs::symlink(fs::canonicalize(real.join(&name)).unwrap(), bench.path(&name)).unwrap();
        }
        let compiler = fs::canonicalize(real.join("bin/clang++-22")).unwrap();
        let script = format!(
            "case \" $* \" in *' -c '*) echo \"$@\" >> '{}';; *-emit-pch*) echo \"$@\" >> '{}';; esac\nexec '{}' \"$@\"\n",
            bench.path("calls").display(),
            bench.path("headers").display(),
            compiler.display()
        );
        common::script::script(&bench.path("bin/clang++-22"), &script);
        Some(bench)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hipshift"));
        command.env("XDG_CACHE_HOME", self.path("cache")).current_dir(self.root.path());
        command.arg("validate").args(arguments);
        command.args(["--executor=none", "--arch=gfx90a,gfx1100", "--toolchain", "."]);
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).arg("--format=json").output().unwrap()
    }

    /// Runs well, and returns how often the compiler was called.
    #[track_caller]
    fn calls(&self, arguments: &[&str]) -> usize {
        let _ = fs::remove_file(self.path("calls"));
        let output = self.run(arguments);
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{text}{}", String::from_utf8_lossy(&output.stderr));
        fs::read_to_string(self.path("calls")).map_or(0, |text| text.lines().count())
    }

    /// The options that the compiler was called with last.
    fn options(&self) -> String {
        fs::read_to_string(self.path("calls")).unwrap().lines().last().unwrap().to_owned()
    }
}

#[test]
fn a_second_run_compiles_only_what_has_changed() {
    let Some(bench) = Bench::new() else { return };
    let part = |text: &str| drop(bench.write("p/part.cuh", text));
    part(
        "__device__ float part(float x) { return x + 1; }\n#ifdef __HIP_DEVICE_COMPILE__\n#include \"device.cuh\"\n#endif\n",
    );
    bench.write("p/device.cuh", "// device only\n");
    bench.write("p/main.cu", KERNEL);
    bench.write("p/q/other.cu", "int main() { return 0; }\n");
    assert_eq!(bench.calls(&["p"]), 2);
    let first = bench.run(&["p"]);
    assert_eq!(bench.calls(&["p"]), 0);
    assert_eq!(json(&bench.run(&["p", "--no-cache"])), json(&first));
    assert_eq!(bench.calls(&["p", "--no-cache"]), 2);
    // A header that only device code includes.
    bench.write("p/device.cuh", "__device__ int more;\n");
    assert_eq!(bench.calls(&["p"]), 1);
    assert_eq!(bench.calls(&["p", "--flag=-DN=1"]), 2);
    // What an earlier run compiled counts again.
    bench.write("p/device.cuh", "// device only\n");
    assert_eq!(bench.calls(&["p", "--rocm=6.4"]), 2);
    part("__device__ float part(float x) { return x + 2; }\n");
    assert_eq!(bench.calls(&["p"]), 1);
}

/// Three files begin alike, so what they begin with is compiled first, for the host and each target. What is refused is refused by a
/// compiler that knows nothing of that.
#[test]
fn what_units_begin_with_is_read_once() {
    let Some(bench) = Bench::new() else { return };
    let unit = |name: &str, text: &str| drop(bench.write(&format!("p/{name}/main.cu"), text));
    unit("a", "#include <cuda_runtime.h>\nint main() { return (int)cudaGetLastError(); }\n");
    unit("b", "// b\n#include <cuda_runtime.h>\nint main() { return (int)cudaGetLastError(); }\n");
    let headers = || fs::read_to_string(bench.path("headers")).unwrap_or_default().lines().count();
    let lines = || fs::read_to_string(bench.path("calls")).unwrap();
    assert_eq!((bench.calls(&["p"]), headers()), (2, 0), "two are too few");
    // It begins otherwise.
    unit("c", "#define A 1\n#include <cuda_runtime.h>\nint main() { return (int)cudaGetLastError(); }\n");
    assert_eq!((bench.calls(&["p", "--no-cache"]), headers()), (3, 0), "{}", lines());
    unit("c", "#include <cuda_runtime.h>\n#include <cassert>\nint main() { return (int)cudaGetLastError(); }\n");
    assert_eq!((bench.calls(&["p", "--no-cache"]), headers()), (3, 3));
    assert_eq!(lines().matches("-include-pch").count(), 3, "{}", lines());
    // Older releases get options for single targets.
    assert_eq!((bench.calls(&["p", "--no-cache", "--rocm=6.4"]), headers()), (3, 6));
    assert_eq!(lines().matches("-include-pch").count(), 3, "{}", lines());
    // What earlier runs compiled needs none, and what is compiled alone has none.
    assert_eq!((bench.calls(&["p"]), headers()), (3, 9), "the names of files have changed");
    assert_eq!((bench.calls(&["p"]), headers()), (0, 9));
    unit("a", "#include <cuda_runtime.h>\nint main() { return missing(); }\n");
    let output = bench.run(&["p", "--no-cache"]);
    let messages = json(&output)["programs"][0]["messages"].clone();
    assert_eq!((&messages[0]["file"], &messages[0]["line"]), (&"p/a/main.cu".into(), &2.into()), "{messages:#}");
    let calls = lines();
    let refused: Vec<&str> = calls.lines().rev().take(4).filter(|line| line.contains("/a/main")).collect();
    assert_eq!(refused.iter().filter(|line| line.contains("-include-pch")).count(), 1, "{calls}");
    assert_eq!(refused.len(), 2, "{calls}");
    // The cache knows all files that were read, those of the header, too.
    let entries = fs::read_dir(bench.path("cache/hipshift/compile")).unwrap().flatten();
    let files = entries.flat_map(|folder| fs::read_dir(folder.path()).unwrap().flatten()).map(|file| file.path());
    let texts: Vec<String> = files.filter_map(|path| fs::read_to_string(path).ok()).collect();
    assert!(texts.iter().any(|text| text.starts_with("hipshift compiled")), "{}", texts.len());
    for text in texts.iter().filter(|text| text.starts_with("hipshift compiled") && text.contains("main.")) {
        assert!(text.contains("hip/hip_runtime.h\n"), "{text}");
    }
}

/// What a file includes is converted with it: beside it, through `..`, and in folders of headers of the project.
#[test]
fn what_a_file_includes_is_converted_with_it() {
    let Some(bench) = Bench::new() else { return };
    let header = |name: &str| {
        format!("#include <cuda_runtime.h>\ninline cudaError_t {name}() {{ return cudaGetLastError(); }}\n")
    };
    bench.write("p/src/beside.cuh", &format!("#include \"deep/far.cuh\"\n{}", header("beside")));
    bench.write("p/src/deep/far.cuh", &format!("#include \"../../common/up.cuh\"\n{}", header("far")));
    bench.write("p/common/up.cuh", &header("up"));
    bench.write("p/src/kernels.cu", "#include <cuda_runtime.h>\nint also() { return cudaSuccess; }\n");
    bench.write("p/include/lib/folder.cuh", &format!("#include \"as_is.h\"\n{}", header("folder")));
    // Nothing of CUDA's, and not found by its text.
    bench.write("p/include/as_is.h", "");
    bench.write("p/include/table.inc", "1\n");
    bench.write(
        "p/src/main.cu",
        "#include \"beside.cuh\"\n#include \"kernels.cu\"\n#include <lib/folder.cuh>\n#define TABLE \"table.inc\"\n\
         int main() { return (int)beside() + far() + up() + folder() + also() -\n#include TABLE\n; }\n",
    );
    assert_eq!(bench.calls(&["p/src/main.cu", "-I", "p/include"]), 1);
    // A folder whose sources include what lies beside it, and headers of a folder that the configuration names.
    bench.write("p/src/hipshift.toml", "[validate]\ninclude = [\"../include\"]\n");
    assert_eq!(bench.calls(&["p/src", "--no-cache"]), 1);
    // Errors are at the lines of the user.
    bench.write("p/common/up.cuh", &format!("{}int bad = missing;\n", header("up")));
    let message = &json(&bench.run(&["p/src/main.cu", "-I", "p/include"]))["programs"][0]["messages"][0];
    assert_eq!((&message["file"], &message["line"]), (&"p/common/up.cuh".into(), &3.into()));
}

/// Headers are found as nvcc finds them, and the converted ones are read there: `<…>` in the order of the folders, through a folder above
/// the sources, by `#include_next`, by macros, and headers of CUDA's samples that the project has.
#[test]
fn headers_are_found_where_nvcc_finds_them() {
    let Some(bench) = Bench::new() else { return };
    let header = |name: &str| {
        format!("#include <cuda_runtime.h>\ninline cudaError_t {name}() {{ return cudaGetLastError(); }}\n")
    };
    bench.write("p/src/size.h", "#define SIZE 1\n");
    bench.write("p/one/size.h", "#define SIZE 2\n");
    bench.write("p/src/above.cuh", &header("above"));
    bench.write("p/one/both.cuh", &format!("#include_next <both.cuh>\n{}", header("one")));
    bench.write("p/two/both.cuh", &header("two"));
    bench.write("p/one/named.cuh", &header("named"));
    bench.write("p/two/helper_cuda.h", &header("helper"));
    bench.write(
        "p/src/main.cu",
        "#include <size.h>\n#include \"src/above.cuh\"\n#include <both.cuh>\n#include <helper_cuda.h>\n\
         #define NAMED \"named.cuh\"\n#include NAMED\n#ifdef ELSEWHERE\n#include ELSEWHERE\n#endif\n\
         static_assert(SIZE == 2);\nint main() { return (int)above() + one() + two() + named() + helper(); }\n",
    );
    let folders = ["-I", "p/one", "-I", "p/two", "-I", "p"];
    let of_file = [&["p/src/main.cu"], &folders[..]].concat();
    assert_eq!(bench.calls(&of_file), 1);
    assert_eq!(bench.calls(&of_file), 0, "what was found elsewhere is in the cache");
    assert_eq!(bench.calls(&[&["p/src"], &folders[..]].concat()), 1);
    let said = String::from_utf8_lossy(&bench.run(&of_file).stderr).into_owned();
    assert!(said.contains("`#include ELSEWHERE` of ") && said.contains("was not followed"), "{said}");
    // Errors in them are at the lines of the user.
    bench.write("p/two/both.cuh", &format!("{}int bad = missing;\n", header("two")));
    let message = &json(&bench.run(&of_file))["programs"][0]["messages"][0];
    assert_eq!((&message["file"], &message["line"]), (&"p/two/both.cuh".into(), &3.into()));
    // A header that a folder of the build finds before one of the root.
    bench.write("q/size.h", "#define SIZE 1\n");
    bench.write("q/inc/size.h", "#define SIZE 2\n");
    bench.write("q/src/main.cu", "#include <size.h>\nstatic_assert(SIZE == 2);\nint main() { return 0; }\n");
    let entry = serde_json::json!([{ "directory": bench.path("q"), "file": "src/main.cu", "command": "nvcc -Iinc -c src/main.cu" }]);
    bench.write("q/compile_commands.json", &entry.to_string());
    assert_eq!(bench.calls(&["q"]), 1);
}

#[test]
fn errors_are_kept_too_and_stand_at_the_lines_of_the_user() {
    let Some(bench) = Bench::new() else { return };
    bench.write("p/main.cu", "#include <cuda_runtime.h>\nint main() { return missing; }\n");
    let (first, second) = (bench.run(&["p"]), bench.run(&["p"]));
    assert_eq!(fs::read_to_string(bench.path("calls")).unwrap().lines().count(), 1);
    assert_eq!(json(&first), json(&second));
    let message = &json(&second)["programs"][0]["messages"][0];
    assert_eq!((&message["file"], &message["line"]), (&"p/main.cu".into(), &2.into()));
}

#[test]
fn runs_at_the_same_time_share_what_they_compile() {
    let Some(bench) = Bench::new() else { return };
    for name in ["a", "b"] {
        bench.write(&format!("p/{name}.cu"), &format!("int {name};\nint main() {{ return 0; }}\n"));
    }
    let children: Vec<_> =
        (0..3).map(|_| bench.command(&["p"]).stdout(std::process::Stdio::null()).spawn().unwrap()).collect();
    for mut child in children {
        assert_eq!(child.wait().unwrap().code(), Some(0));
    }
    assert_eq!(bench.calls(&["p"]), 0);
}

#[test]
fn options_come_from_the_cuda_build_and_the_configuration() {
    let Some(bench) = Bench::new() else { return };
    bench.write("p/src/main.cu", "#include \"n.cuh\"\n#include \"third.h\"\nstatic_assert(N == 4 && M == 5 && __cplusplus > 202000);\nint main() { return f(); }\n");
    bench.write("p/include/n.cuh", "#include <cuda_runtime.h>\ninline int f() { return cudaGetLastError(); }\n");
    bench.write("elsewhere/third.h", "");
    let root = bench.root.path().display();
    let command = "nvcc -arch=sm_80 -std=c++17 -DN=4 -I../include --use_fast_math -rdc=true --frobnicate -Xcompiler -Wall -c ../src/main.cu -o main.o";
    bench.write(
        "p/build/compile_commands.json",
        &format!(r#"[{{"directory": "{root}/p/build", "file": "../src/main.cu", "command": "{command}"}}]"#),
    );
    bench.write(
        "p/hipshift.toml",
        "[validate]\ninclude = [\"../elsewhere\"]\ndefine = [\"M=5\"]\nflags = [\"-fno-math-errno\"]\nnvcc-flags = [\"-lineinfo\"]\n",
    );
    let output = bench.run(&["p", "--flag=-std=c++20"]);
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("left out, with how often: `--frobnicate` (1)"), "{text}");
    assert!(text.contains("`--use_fast_math` became what it stands for"), "{text}");
    let options = bench.options();
    for option in [
        "-DN=4",
        "-DM=5",
        "-fgpu-approx-transcendentals -fgpu-flush-denormals-to-zero",
        "-fgpu-rdc",
        "-Wall",
        "-fno-math-errno",
        "/source/p/include",
    ] {
        assert!(options.contains(option), "{option}: {options}");
    }
    assert!(!options.contains("sm_80") && !options.contains("frobnicate"), "{options}");
    // Without them it does not compile.
    fs::remove_file(bench.path("p/build/compile_commands.json")).unwrap();
    assert_eq!(bench.run(&["p", "--flag=-std=c++20"]).status.code(), Some(1));
    let output = bench.run(&["p", "--flag=-std=c++20", "--nvcc-flag=-DN=4", "--nvcc-flag=-Ip/include"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn every_option_that_nvcc_options_become_is_one_of_the_compiler() {
    let Some(bench) = Bench::new() else { return };
    bench.write("main.cu", "__global__ void k(float *x) { *x = *x / 3; }\nint main() { return 0; }\n");
    let words = "--use_fast_math -rdc=true -ftz=true -fmad=false -G -g -w -std=c++17 -DA=1 -UB -O3 -Xcompiler -fPIC,-Wall,-march=native \
                 -isystem=. --default-stream=per-thread -include=cstdio -pthread";
    let flags: Vec<String> = words.split_whitespace().map(|word| format!("--nvcc-flag={word}")).collect();
    let arguments: Vec<&str> = std::iter::once("main.cu").chain(flags.iter().map(String::as_str)).collect();
    assert_eq!(bench.calls(&arguments), 1);
}

#[test]
fn files_of_equal_name_lie_beside_each_other() {
    let Some(bench) = Bench::new() else { return };
    for name in ["a", "b"] {
        let text = format!("#include \"../common/c.cuh\"\nint {name};\nint main() {{ return common; }}\n");
        bench.write(&format!("p/{name}/main.cu"), &text);
    }
    bench.write("p/common/c.cuh", "#include <cuda_runtime.h>\nconstexpr int common = cudaSuccess;\n");
    let output = bench.run(&["p/a/main.cu", "p/b/main.cu", "p/common"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let document = json(&output);
    let names: Vec<&str> =
        document["programs"].as_array().unwrap().iter().map(|program| program["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["a", "b"]);
    assert_eq!(bench.calls(&["p/a", "p/b", "p/common", "p/a/main.cu"]), 0);
}

#[test]
fn files_without_main_are_checked_or_compiled_for_gpus_only() {
    let Some(bench) = Bench::new() else { return };
    bench.write(
        "p/kernel.cu",
        "#include <cuda_runtime.h>\n__global__ void k(float *x) { *x = __shfl_sync(~0u, *x, 0); }\n",
    );
    bench.write("p/wrong.cu", "#include <cuda_runtime.h>\n__global__ void k(float *x) { *x = missing; }\n");
    assert_eq!(bench.run(&["p"]).status.code(), Some(2));
    for (stage, word) in [("syntax", "checked"), ("device", "compiled")] {
        let output = bench.run(&["p", "--stage", stage]);
        assert_eq!(output.status.code(), Some(1));
        let document = json(&output);
        let programs = document["programs"].as_array().unwrap();
        let verdicts: Vec<&str> =
            programs.iter().map(|program| program["targets"][0]["verdict"].as_str().unwrap()).collect();
        assert_eq!(verdicts, [word, "not compiled"], "{stage}");
        // Code is made for devices, not for a check.
        let n_kernels = programs[0]["resources"].as_array().unwrap().len();
        assert_eq!(n_kernels, if stage == "device" { 2 } else { 0 });
    }
}

#[test]
fn sarif_is_what_its_schema_says() {
    let Some(bench) = Bench::new() else { return };
    copy("fixtures/validate/resources/main.cu", &bench.path("p/main.cu"));
    copy("fixtures/validate/traps/language.hip", &bench.path("p/traps/language.hip"));
    let mut command = bench.command(&["p"]);
    let output = command.args(["--format=sarif"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let log = json(&output);
    let schema = fs::read(common::root().join("tests/data/sarif/sarif-schema-2.1.0.json")).unwrap();
    let mut schema: serde_json::Value = serde_json::from_slice(&schema).unwrap();
    // This pattern of the published schema is no regular expression; we never write the property.
    for of in ["run", "toolComponent"] {
        schema["definitions"][of]["properties"]["language"].as_object_mut().unwrap().remove("pattern");
    }
    let validator = jsonschema::validator_for(&schema).unwrap();
    let wrong: Vec<String> = validator.iter_errors(&log).map(|error| error.to_string()).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let results = log["runs"][0]["results"].as_array().unwrap();
    let has = |rule: &str, file: &str| {
        results.iter().any(|result| {
            let place = &result["locations"][0]["physicalLocation"];
            result["ruleId"] == rule
                && place["artifactLocation"]["uri"] == file
                && place["region"]["startLine"].is_u64()
        })
    };
    assert!(has("kernel-resources", "p/main.cu") && has("W004", "p/traps/language.hip"), "{results:#?}");
}

fn copy(from: &str, to: &Path) {
    fs::create_dir_all(to.parent().unwrap()).unwrap();
    fs::copy(common::root().join(from), to).unwrap();
}
