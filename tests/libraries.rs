//! AMD's libraries that are headers only, run as machine code: the programs of `tests/data/libraries` use rocPRIM, hipCUB
//! and hipRAND as they are, and check what they compute. hipCUB's sums and scans and rocThrust are used by
//! programs of `fixtures/programs`, which `tests/programs.rs` runs.

use crate::common::{json, validate};

/// Compiles a program and runs it with both widths of waves. Little is optimised: these libraries take the compiler long.
#[track_caller]
fn check(program: &str) {
    let source = format!("tests/data/libraries/{program}.hip");
    let options = [&source, "--arch=gfx90a,gfx1100", "-Ifixtures/programs", "--flag=-O1", "--format=json"];
    let Some(output) = validate(&options) else { return };
    let document = json(&output);
    let results = document["programs"][0]["targets"].as_array().unwrap();
    let verdicts: Vec<_> = results.iter().map(|result| result["verdict"].as_str().unwrap()).collect();
    // Programs end with code 0 if all that they compared is right.
    assert_eq!(verdicts, ["ran", "ran"], "{document:#}");
}

#[test]
fn sums_scans_sorts_and_selections() {
    check("primitives");
}

#[test]
fn random_numbers() {
    check("hiprand");
}
