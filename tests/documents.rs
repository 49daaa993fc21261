//! The examples of HIP's documents, written anew in `fixtures/documents`: converted, compiled for three releases, and run.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a test that cannot go on fails")]

mod common;

use common::{json, validate};

/// How many programs there are.
const PROGRAMS: usize = 5;

/// A program ends with code 1 where it does not compute what the document says.
#[test]
fn examples_compute_what_the_documents_say() {
    let options = ["fixtures/documents", "-Ifixtures/wave", "--format=json", "--arch=gfx90a,gfx1100"];
    let Some(output) = validate(&options) else { return };
    let document = json(&output);
    let programs = document["programs"].as_array().unwrap();
    assert_eq!(programs.len(), PROGRAMS, "{document:#}");
    for target in programs.iter().flat_map(|program| program["targets"].as_array().unwrap()) {
        assert_eq!((&target["verdict"], &target["evidence"]), (&"ran".into(), &"emulated".into()), "{document:#}");
    }
}

#[test]
fn examples_compile_for_older_releases() {
    for rocm in ["5.7", "6.4"] {
        let options = ["fixtures/documents", "-Ifixtures/wave", "--format=json", "--executor=none", "--stage=syntax"];
        let Some(output) = validate(&[&options[..], &["--rocm", rocm]].concat()) else { return };
        let document = json(&output);
        let programs = document["programs"].as_array().unwrap();
        assert_eq!(programs.len(), PROGRAMS, "{document:#}");
        let messages = programs.iter().flat_map(|program| program["messages"].as_array().unwrap());
        let errors: Vec<_> = messages.filter(|message| message["severity"] == "error").collect();
        assert!(errors.is_empty(), "ROCm {rocm}: {errors:#?}");
    }
}
