//! How far `hipshift validate` goes where nothing is run, and how it tells what compiler and linker said.

use std::process::Output;

use crate::common::folder::Folder;
use crate::common::{json, validate};

const GOOD: &str = "#include <cuda_runtime.h>\nint main() { return cudaDeviceSynchronize(); }\n";

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Validates a folder for one target and runs nothing.
fn compile(folder: &Folder, more: &[&str]) -> Option<Output> {
    let path = folder.0.path().to_str().unwrap();
    validate(&[&[path, "--executor=none", "--arch=gfx90a", "--no-cache"], more].concat())
}

#[test]
fn a_program_that_is_not_run_is_linked() {
    let folder = Folder::new(&[("app.cu", GOOD)]);
    let Some(output) = compile(&folder, &[]) else { return };
    let found = text(&output);
    assert_eq!(output.status.code(), Some(0), "{found}");
    assert!(found.contains("app      linked\n") && found.contains("0 well, 0 failed, 1 not run"), "{found}");
    for (stage, word) in [("syntax", "checked"), ("device", "compiled")] {
        let output = compile(&folder, &["--format=json", "--stage", stage]).unwrap();
        let target = &json(&output)["programs"][0]["targets"][0];
        assert_eq!((&target["verdict"], &target["evidence"]), (&word.into(), &"compiled".into()), "{stage}");
        assert!(target["reason"].is_null());
    }
    // It is no test that passed.
    let junit = text(&compile(&folder, &["--format=junit"]).unwrap());
    assert!(junit.contains("<skipped") && junit.contains("skipped=\"1\""), "{junit}");
}

#[test]
fn what_the_linker_refuses_is_not_linked() {
    let missing = "extern \"C\" int helper(int);\nint main() { return helper(0) + helper(1); }\n";
    let folder = Folder::new(&[("app.cu", missing)]);
    let Some(output) = compile(&folder, &[]) else { return };
    let found = text(&output);
    assert_eq!(output.status.code(), Some(1), "{found}");
    assert!(found.contains("app      not linked\n") && found.contains("1 failed"), "{found}");
    assert!(found.contains("helper") && found.contains("no source that is linked has this"), "{found}");
    let output = compile(&folder, &["--format=json"]).unwrap();
    let target = &json(&output)["programs"][0]["targets"][0];
    assert_eq!((&target["evidence"], &target["reason"]), (&"compiled".into(), &"the linker refused it".into()));
    // A stage that does not link says nothing of it.
    let output = compile(&folder, &["--stage=device"]).unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
}

#[test]
fn a_library_that_is_not_here_is_said_to_be_why_nothing_was_linked() {
    let makefile = "app: app.cu\n\tnvcc $^ -o $@ -lhipshift_has_none\n";
    let folder = Folder::new(&[("Makefile", makefile), ("app.cu", GOOD)]);
    let Some(output) = compile(&folder, &[]) else { return };
    let found = text(&output);
    assert_eq!(output.status.code(), Some(0), "{found}");
    assert!(found.contains("app      compiled\n"), "{found}");
    let said = "not linked (1 result): the linker finds no `-lhipshift_has_none`";
    assert!(found.contains(said), "{found}");
    let path = folder.0.path().to_str().unwrap();
    // What was to run did not.
    let output = validate(&[path, "--arch=gfx90a", "--executor=emulator"]).unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    assert!(text(&output).contains("app      not linked\n"), "{}", text(&output));
}

#[test]
fn a_project_is_linked_as_far_as_its_libraries_are_here() {
    let Some(output) = validate(&["fixtures/projects/libraries", "--executor=none", "--arch=gfx90a"]) else { return };
    let found = text(&output);
    assert_eq!(output.status.code(), Some(0), "{found}");
    assert!(found.contains("stats    linked\n"), "{found}");
    if found.contains("norm     compiled\n") {
        assert!(found.contains("not linked (1 result): the linker finds no `-lhipblas`"), "{found}");
    } else {
        assert!(found.contains("norm     linked\n"), "{found}");
    }
}

#[test]
fn what_is_said_of_several_files_is_told_once() {
    let header = "inline int f() { return nowhere; }\n";
    let source =
        |name: &str| format!("#include \"shared.h\"\n#include <cuda_runtime.h>\nvoid {name}() {{ cudaFree(0); }}\n");
    let (one, two) = (source("one"), source("two"));
    let main =
        |calls: &str| format!("#include \"../shared.h\"\nint main() {{ {calls} return cudaDeviceSynchronize(); }}\n");
    let makefile = "all: a b\na: a/a.cu one.cu two.cu\n\tnvcc $^ -o $@\nb: b/b.cu\n\tnvcc $^ -o $@\n";
    let folder = Folder::new(&[
        ("Makefile", makefile),
        ("shared.h", header),
        ("one.cu", &one),
        ("two.cu", &two),
        ("a/a.cu", &main("")),
        ("b/b.cu", &main("")),
    ]);
    let Some(output) = compile(&folder, &[]) else { return };
    let found = text(&output);
    let lines: Vec<&str> = found.lines().filter(|line| line.contains("'nowhere'")).collect();
    assert_eq!(lines.len(), 1, "{found}");
    assert!(lines[0].ends_with("error: use of undeclared identifier 'nowhere' (4 times)"), "{found}");
    let document = json(&compile(&folder, &["--format=json"]).unwrap());
    let programs = document["programs"].as_array().unwrap();
    let counts: Vec<u64> = programs
        .iter()
        .flat_map(|program| program["messages"].as_array().unwrap())
        .filter(|message| message["text"].as_str().unwrap().contains("'nowhere'"))
        .map(|message| message["count"].as_u64().unwrap())
        .collect();
    assert_eq!(counts, [3, 1]);
}
