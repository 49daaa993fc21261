//! `hipshift validate` with the real compiler for AMD GPUs.

use crate::common;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::process::{Command, Output};

use crate::common::{json, runtime, validate};
use serde_json::Value;

/// The errors of a validation: file name, line, column, and text with the rule that it has to do with.
fn errors(document: &Value) -> Vec<(String, u64, u64, String)> {
    let programs = document["programs"].as_array().unwrap().iter();
    let messages = programs.flat_map(|program| program["messages"].as_array().unwrap());
    let errors = messages.filter(|message| message["severity"] == "error");
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let place =
        |m: &Value| (text(&m["file"]), m["line"].as_u64().unwrap(), m["column"].as_u64().unwrap(), text(&m["text"]));
    errors.map(place).collect()
}

#[test]
fn errors_of_the_compiler_stand_at_the_lines_of_the_cuda_source() {
    let Some(output) = validate(&["fixtures/validate/errors", "--arch=gfx90a", "--executor=none", "--format=json"])
    else {
        return;
    };
    assert_eq!(output.status.code(), Some(1));
    let found = errors(&json(&output));
    let mut lines: BTreeMap<String, BTreeSet<u64>> = BTreeMap::new();
    let mut shown = String::new();
    for (file, line, column, text) in &found {
        lines.entry(file.clone()).or_default().insert(*line);
        let source = fs::read_to_string(common::root().join(file)).unwrap();
        let source = source.lines().nth(usize::try_from(*line).unwrap() - 1).unwrap();
        let indent = " ".repeat(usize::try_from(*column).unwrap() - 1);
        writeln!(shown, "{file}:{line}:{column}: {text}\n  {source}\n  {indent}^").unwrap();
    }
    let mut marks = 0;
    for path in common::files_below("fixtures/validate/errors", &["cu"]) {
        let text = fs::read_to_string(&path).unwrap();
        let marked = text.lines().zip(1..).filter(|(line, _)| line.contains("//~ error")).map(|(_, number)| number);
        let marked: BTreeSet<u64> = marked.collect();
        marks += marked.len();
        let name = path.strip_prefix(fs::canonicalize(common::root()).unwrap()).unwrap().to_str().unwrap().to_owned();
        assert_eq!(lines.get(&name), Some(&marked), "{name}");
    }
    assert!(marks >= 30, "{marks}");
    insta::assert_snapshot!("errors_at_cuda_lines", shown);
}

#[test]
fn what_was_only_compiled_is_not_called_well() {
    let Some(output) = validate(&["fixtures/vector_add", "--executor=none"]) else { return };
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    insta::assert_snapshot!(String::from_utf8(output.stdout).unwrap(), @r"
    program     gfx90a (wave64)  gfx1100 (wave32)
    vector_add  linked           linked
    1 program, 2 results: 0 well, 0 failed, 2 not run
    evidence: 0 ran on AMD, 0 ran on NVIDIA, 0 emulated, 2 compiled
    ");
}

#[test]
fn each_release_is_compiled_with_its_own_headers() {
    for release in ["5.7", "6.4"] {
        let Some(output) = validate(&["fixtures/vector_add", "--executor=none", "--rocm", release]) else { return };
        assert_eq!(output.status.code(), Some(0), "{release}: {}", String::from_utf8_lossy(&output.stdout));
    }
}

#[test]
fn a_project_without_programs_is_trouble() {
    let Some(output) = validate(&["fixtures/vector_add/src/kernels.cuh"]) else { return };
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("there is no `main`"));
}

#[test]
fn a_missing_compiler_says_where_it_was_looked_for() {
    let output = Command::new(env!("CARGO_BIN_EXE_hipshift"))
        .args(["validate", "fixtures/vector_add", "--toolchain", "/nowhere"])
        .current_dir(common::root())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("headers of HIP 7.2") && text.contains("--toolchain (/nowhere)"), "{text}");
}

/// The verdicts of a validation: program, target, verdict, evidence.
fn verdicts(document: &Value) -> Vec<[String; 4]> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let of_program = |program: &Value| -> Vec<[String; 4]> {
        let targets = program["targets"].as_array().unwrap().iter();
        let row = |t: &Value| [text(&program["name"]), text(&t["target"]), text(&t["verdict"]), text(&t["evidence"])];
        targets.map(row).collect()
    };
    document["programs"].as_array().unwrap().iter().flat_map(of_program).collect()
}

/// The programs of `fixtures/wave` whose first line says that they print PASS under a policy.
fn wave_programs(policy: &str) -> Vec<String> {
    let programs = common::files_below("fixtures/wave", &["cu"]).into_iter().filter(|path| path.ends_with("main.cu"));
    let mut found = Vec::new();
    for path in programs {
        let text = std::fs::read_to_string(&path).unwrap();
        let policies = text.lines().next().unwrap().strip_prefix("// Policies: ").unwrap().trim_end_matches('.');
        if policies.split(", ").any(|listed| listed == policy) {
            found.push(path.parent().unwrap().file_name().unwrap().to_str().unwrap().to_owned());
        }
    }
    found
}

#[test]
fn programs_about_waves_compute_the_same_as_machine_code_of_every_kind() {
    let native: Vec<String> = wave_programs("native").iter().map(|case| format!("fixtures/wave/{case}")).collect();
    let native: Vec<&str> = native.iter().map(String::as_str).collect();
    // Compiling takes most of the time, so one policy is enough for the targets beside the usual two.
    let all = "--arch=gfx906,gfx90a,gfx942,gfx1030,gfx1100,gfx1201";
    let usual = "--arch=gfx90a,gfx1100";
    for (policy, programs, targets, count) in
        [("logical32", &["fixtures/wave"][..], all, 6 * 25), ("native", &native, usual, 2 * native.len())]
    {
        let options = ["-Ifixtures/wave", "--format=json", "--wave-policy", policy, targets];
        let Some(output) = validate(&[programs, &options].concat()) else { return };
        let found = verdicts(&json(&output));
        assert_eq!(found.len(), count);
        let wrong: Vec<_> = found.iter().filter(|row| row[2..] != ["ran", "emulated"]).collect();
        assert!(wrong.is_empty(), "{policy}: {wrong:?}");
        // The same text on both widths, PASS on each: a program that fails ends with code 1.
        assert_eq!(output.status.code(), Some(0), "{policy}");
    }
}

#[test]
fn small_projects_run_on_both_widths() {
    let Some(output) = validate(&["fixtures/vector_add", "fixtures/reduction", "--format=json"]) else { return };
    let found = verdicts(&json(&output));
    assert_eq!(found.len(), 4);
    // What both print was recorded on an NVIDIA GPU.
    assert!(found.iter().all(|row| row[2] == "matched"), "{found:?}");
}

#[test]
fn what_was_printed_is_compared_with_what_was_expected() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let program = path(
        "main.cu",
        "#include <cstdio>\n#include <cuda_runtime.h>\n\
         __global__ void k(double *x) { *x = 1.0 / 3.0; }\n\
         int main() {\n    double *x;\n    cudaMallocManaged(&x, sizeof *x);\n    k<<<1, 1>>>(x);\n\
         cudaDeviceSynchronize();\n    std::printf(\"x = %.4f\\ntook 3 ms\\n\", *x);\n    return 0;\n}\n",
    );
    let (right, near) = (path("right.txt", "x = 0.3333\ntook 9 ms\n"), path("near.txt", "x = 0.3334\ntook 9 ms\n"));
    let cases = [
        (vec!["--expect", &right], "matched", 0),
        (vec!["--expect", &near], "differs", 1),
        (vec!["--expect", &near, "--relative", "1e-3"], "matched", 0),
    ];
    for (options, verdict, code) in cases {
        let Some(output) = validate(&[&[program.as_str(), "--format=json", "--arch=gfx90a"], &options[..]].concat())
        else {
            return;
        };
        assert_eq!(verdicts(&json(&output))[0][2], verdict, "{options:?}");
        assert_eq!(output.status.code(), Some(code), "{options:?}");
    }
}

/// A HIP program that prints what stands between `{` and `}` of `k`, which finds `result` 64 or 32.
fn prints(text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let program = format!(
        "#include <cstdio>\n#include <hip/hip_runtime.h>\n__global__ void k(int *x) {{ *x = warpSize; }}\n\
         int main() {{\n    int *x;\n    (void)hipMallocManaged(&x, sizeof *x);\n    k<<<1, 1>>>(x);\n    \
         (void)hipDeviceSynchronize();\n    const int result = *x;\n    hipDeviceProp_t of;\n    \
         (void)hipGetDeviceProperties(&of, 0);\n    {text}\n    return result == 0;\n}}\n"
    );
    fs::write(folder.path().join("main.hip"), program).unwrap();
    folder
}

#[test]
fn a_program_without_expected_output_is_judged_by_what_it_says_and_by_both_widths() {
    let machine = "std::printf(\"%s: warp size %d, 0 failed, took %d\\n\", of.name, result, 3 * result);";
    let cases = [
        (machine, ["ran", "ran"], 0),
        ("std::printf(\"sum %d\\n\", result);", ["waves differ", "waves differ"], 1),
        ("std::printf(\"begin\\n%s\\n\", result == 64 ? \"FAILED\" : \"PASS\");", ["says it failed", "ran"], 1),
        ("std::printf(\"Test FAILED\\n\");", ["says it failed", "says it failed"], 1),
    ];
    for (text, verdict, code) in cases {
        let folder = prints(text);
        let Some(output) = validate(&[folder.path().to_str().unwrap(), "--format=json"]) else { return };
        let found = verdicts(&json(&output));
        assert_eq!([&*found[0][2], &*found[1][2]], verdict, "{text}");
        assert_eq!(output.status.code(), Some(code), "{text}");
    }
    let folder = prints("std::printf(\"Test FAILED\\n\");");
    let output = validate(&[folder.path().to_str().unwrap(), "--arch=gfx90a"]).unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains(", gfx90a: ended with code 0, but prints `Test FAILED`"), "{text}");
    assert!(text.contains("1 result: 0 well, 1 failed, 0 not run"), "{text}");
}

#[test]
fn a_kernel_that_leaves_its_memory_is_a_failure_that_is_explained() {
    let Some(output) = validate(&["fixtures/validate/out_of_bounds", "--arch=gfx90a"]) else { return };
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("out_of_bounds, gfx90a: ended with code 1"), "{text}");
    assert!(text.contains("behind the end of an allocation of 400 bytes in kernel `_Z4fillPii`"), "{text}");
}

#[test]
fn an_executable_runs_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let keep = folder.path().to_str().unwrap();
    let Some(output) = validate(&["fixtures/wave/scan", "-I", "fixtures/wave", "--keep", keep]) else { return };
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
    for target in ["gfx90a", "gfx1100"] {
        let output = Command::new(env!("CARGO_BIN_EXE_hipshift"))
            .env("HIPSHIFT_RUNTIME", runtime())
            .env("XDG_CACHE_HOME", folder.path())
            .args(["run", "--arch", target, "--"])
            .arg(folder.path().join("program-0"))
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text == "PASS\n", "{target}: {text}");
    }
}

#[test]
fn programs_get_their_input_and_variables() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let program = path(
        "main.cu",
        "#include <cstdio>\n#include <cstdlib>\n#include <cuda_runtime.h>\n\
         __global__ void twice(int *x) { *x *= 2; }\n\
         int main() {\n    int *x;\n    cudaMallocManaged(&x, sizeof *x);\n    if (std::scanf(\"%d\", x) != 1) return 3;\n\
         twice<<<1, 1>>>(x);\n    cudaDeviceSynchronize();\n\
         std::printf(\"%s = %d\\n\", std::getenv(\"NAME\"), *x);\n    return 0;\n}\n",
    );
    let (input, printed) = (path("input.txt", "21\n"), path("printed.txt", "a=b = 42\n"));
    let fixed = [program.as_str(), "--format=json", "--arch=gfx1100", "--env=NAME=a=b", "--expect", &printed];
    let Some(output) = validate(&[&fixed[..], &["--stdin", &input]].concat()) else { return };
    assert_eq!(verdicts(&json(&output))[0][2], "matched", "{}", String::from_utf8_lossy(&output.stdout));
    let Some(without) = validate(&fixed) else { return };
    assert_eq!(verdicts(&json(&without))[0][2], "failed");
    let Some(missing) = validate(&[&fixed[..], &["--stdin", "no/such/file"]].concat()) else { return };
    assert_eq!(missing.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&missing.stderr).contains("reading no/such/file"));
}

#[test]
fn the_configuration_gives_single_programs_what_they_need() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let program = |result: &str| {
        format!(
            "#include <cstdio>\n#include <cuda_runtime.h>\n__global__ void k() {{}}\n\
             int main(int count, char** words) {{\n    int number = 0;\n    std::scanf(\"%d\", &number);\n\
             k<<<1, 1>>>();\n    cudaDeviceSynchronize();\n    return {result};\n}}\n"
        )
    };
    write("given.cu", &program("count == 3 && words[2][0] == 'b' && number == 7 ? 0 : 1"));
    write("plain.cu", &program("count == 1 && number == 0 ? 0 : 1"));
    write("seven.txt", "7\n");
    let configure = |name: &str| {
        let entry =
            format!("[[validate.program]]\nname = \"{name}\"\narguments = [\"a\", \"b c\"]\nstdin = \"seven.txt\"\n");
        write("hipshift.toml", &entry);
    };
    let here = folder.path().to_str().unwrap();
    let fixed = [here, "--format=json", "--arch=gfx1100"];
    let codes = |output: &Output| verdicts(&json(output)).iter().map(|one| one[2].clone()).collect::<Vec<_>>();
    configure("given");
    let Some(output) = validate(&fixed) else { return };
    assert_eq!(codes(&output), ["ran", "ran"], "{}", String::from_utf8_lossy(&output.stdout));
    // What was typed is for all, and wins.
    let Some(typed) = validate(&[&fixed[..], &["--", "c"]].concat()) else { return };
    assert_eq!(codes(&typed), ["failed", "failed"]);
    configure("other");
    let Some(unknown) = validate(&fixed) else { return };
    assert_eq!(codes(&unknown), ["failed", "ran"]);
    let words = String::from_utf8_lossy(&unknown.stderr).into_owned();
    assert!(words.contains("speaks of `other`, and no program is called so"), "{words}");
    let entry =
        |words: &str| format!("[[validate.program]]\nname = \"given\"\narguments = {words}\nstdin = \"seven.txt\"\n");
    write("hipshift.toml", &(entry("[]") + &entry("[\"a\", \"b c\"]")));
    let Some(twice) = validate(&fixed) else { return };
    assert_eq!(codes(&twice), ["ran", "ran"]);
    assert!(String::from_utf8_lossy(&twice.stderr).contains("speaks of `given` twice; the last entry counts"));
}
