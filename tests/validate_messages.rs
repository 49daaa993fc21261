//! What `hipshift validate` makes of the compiler's messages: known traps are explained, and what kernels need is listed.

use crate::common;

use std::collections::BTreeSet;
use std::fs;

use crate::common::folder::Folder;
use crate::common::{json, validate};
use hipshift::mapping::compiler_traps;
use hipshift::rules::find;
use serde_json::Value;

fn messages(document: &Value) -> Vec<&Value> {
    let programs = document["programs"].as_array().unwrap().iter();
    programs.flat_map(|program| program["messages"].as_array().unwrap()).collect()
}

/// The places that `//~` names in the fixtures below a folder: file, line, rule.
fn marks(folder: &str) -> BTreeSet<(String, u64, String)> {
    let mut marks = BTreeSet::new();
    for path in common::files_below(folder, &["hip"]) {
        let text = fs::read_to_string(&path).unwrap();
        let name = path.strip_prefix(fs::canonicalize(common::root()).unwrap()).unwrap().to_str().unwrap().to_owned();
        for (line, number) in text.lines().zip(1..) {
            if let Some((_, rule)) = line.split_once("//~ ") {
                marks.insert((name.clone(), number, rule.to_owned()));
            }
        }
    }
    marks
}

#[test]
fn known_traps_are_explained_where_the_compiler_finds_them() {
    let runs: &[(&[&str], &str)] = &[
        (&["--arch=gfx90a", "--exclude=*_*/"], "fixtures/validate/traps"),
        (&["--arch=gfx90a", "--rocm=6.4"], "fixtures/validate/traps/release_6_4"),
        (&["--arch=gfx942"], "fixtures/validate/traps/no_images"),
        (&["--arch=gfx1100"], "fixtures/validate/traps/trapped_twice"),
    ];
    let (mut explained, mut provoked) = (BTreeSet::new(), BTreeSet::new());
    for (options, folder) in runs {
        let arguments = [&[*folder, "--executor=none", "--format=json"], *options].concat();
        let Some(output) = validate(&arguments) else { return };
        for message in messages(&json(&output)) {
            let Some(text) = message["explanation"]["text"].as_str() else { continue };
            provoked.insert(text.to_owned());
            let code = message["explanation"]["code"].as_str().unwrap().to_owned();
            if let Some(file) = message["file"].as_str() {
                explained.insert((file.to_owned(), message["line"].as_u64().unwrap(), code));
            }
        }
    }
    assert_eq!(explained, marks("fixtures/validate/traps"));
    // What linkers say is provoked by tests/validate_targets.rs.
    let by_linkers =
        ["the library that has this", "no source that is linked has this", "this converts bfloat16 on the host"];
    let texts = compiler_traps().unwrap().iter().map(|trap| trap.text.clone());
    let known: BTreeSet<String> = texts.filter(|text| !by_linkers.iter().any(|by| text.starts_with(by))).collect();
    assert_eq!(provoked, known);
}

#[test]
fn messages_about_files_that_were_taken_as_they_are_name_the_users_file() {
    let folder = Folder::new(&[
        ("main.cu", "#include \"plain.h\"\n#include \"table.def\"\nint main() { return cudaDeviceSynchronize(); }\n"),
        ("plain.h", "inline int f() { return one; }\n"),
        ("table.def", "\ninline int g() { return two; }\n"),
    ]);
    let path = folder.0.path().to_str().unwrap();
    let Some(output) = validate(&[path, "--executor=none", "--arch=gfx90a", "--stage=syntax"]) else { return };
    let text = String::from_utf8(output.stdout).unwrap();
    for expected in [
        "plain.h:1:25: error: use of undeclared identifier 'one'",
        "table.def:2:25: error: use of undeclared identifier 'two'",
    ] {
        assert!(text.contains(&format!("{path}/{expected}")), "{text}");
    }
}

#[test]
fn each_trap_names_a_rule() {
    for trap in compiler_traps().unwrap() {
        assert!(find(&trap.rule).is_some(), "{}", trap.rule);
        assert!(!trap.text.ends_with('.'), "{}", trap.text);
    }
}

#[test]
fn what_kernels_need_is_listed_and_what_is_wrong_with_it_is_told() {
    let Some(output) = validate(&["fixtures/validate/resources", "--executor=none", "--resources"]) else { return };
    assert_eq!(output.status.code(), Some(0));
    insta::assert_snapshot!("resources", String::from_utf8(output.stdout).unwrap());
    let Some(output) = validate(&["fixtures/validate/resources", "--executor=none"]) else { return };
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("its launch bounds ask for") && !text.contains("SGPR spills"), "{text}");
}

#[test]
fn kernels_in_headers_of_others_are_counted() {
    let kernel = "__global__ void __launch_bounds__(64, 8) few(float *out) {\n    __shared__ float all[8000];\n    \
                  all[threadIdx.x] = out[threadIdx.x];\n    __syncthreads();\n    out[threadIdx.x] = all[63 - threadIdx.x];\n}\n";
    let library = Folder::new(&[("library.hpp", kernel)]);
    let folder = Folder::new(&[("main.cu", "#include <cuda_runtime.h>\n#include <library.hpp>\n")]);
    let include = format!("-I{}", library.0.path().display());
    let path = folder.0.path().to_str().unwrap();
    let Some(output) = validate(&[path, &include, "--stage=device", "--arch=gfx90a", "--executor=none"]) else {
        return;
    };
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("1 kernel in headers of others spill") && !text.contains("library.hpp:"), "{text}");
}

#[test]
fn formats_for_programs_hold_what_kernels_need() {
    let run = |format: &str| validate(&["fixtures/validate/resources", "--executor=none", "--arch=gfx90a", format]);
    let Some(output) = run("--format=json") else { return };
    let document = json(&output);
    let kernels = document["programs"][0]["resources"].as_array().unwrap();
    let few = kernels.iter().find(|kernel| kernel["kernel"] == "few_waves").unwrap();
    assert_eq!((&few["target"], &few["lds"], &few["line"]), (&"gfx90a".into(), &32000.into(), &12.into()));
    assert_eq!(few["file"], "fixtures/validate/resources/main.cu");
    assert_eq!((&few["occupancy"], &few["asked_occupancy"]), (&1.into(), &4.into()));
    assert_eq!(few["agprs"], 0);
    let output = run("--format=junit").unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("<system-out>kernel          target") && text.contains("calm&lt;3&gt;"), "{text}");
}

/// A crash names the place in the user's file, and leaves nothing in the folder for temporary files.
#[test]
fn a_compiler_that_crashes_is_said_to() {
    let folder =
        Folder::new(&[("main.cu", "int main() { return 0; }\n#pragma clang __debug crash\n"), ("left/none", "")]);
    let path = folder.0.path();
    let (source, left) = (path.join("main.cu"), path.join("left"));
    let arguments = [source.to_str().unwrap(), "--executor=none", "--arch=gfx90a", "--format=json"];
    let Some(mut command) = common::validate_command(&arguments) else { return };
    let document = json(&command.env("TMPDIR", &left).output().unwrap());
    let said: Vec<_> =
        messages(&document).into_iter().map(|message| (message["line"].as_u64(), &message["text"])).collect();
    assert_eq!(said, [(Some(2), &Value::from("the compiler crashed: current parser token 'pragma'"))], "{document:#}");
    assert_eq!(fs::read_dir(left).unwrap().count(), 1);
}
