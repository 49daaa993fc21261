//! What happens to code for warps of 32 lanes on waves of 64 that nobody adapts: habit by habit
//! (`tests/data/wave/rows.hip`), and for each program of `fixtures/wave`. All is run as machine code.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::{json, root, runtime, validate};

/// HIP's check of masks ends the kernel.
const TRAP: &str = "hipErrorLaunchFailure";

/// Name of a row, and results on gfx90a and gfx1100.
type Row = (&'static str, [&'static str; 2], Option<[&'static str; 2]>);

/// What a row gives on gfx90a and on gfx1100, with HIP's checks of masks, and without them (`NDEBUG`) where that differs;
/// behind the comma what warps of 32 lanes give.
///
/// Rows 1 and 28 are missing: they do not compile. What 28 says, constants made of `warpSize`, is among the claims of
/// `tests/data/claims/language.hip`, and 1, a mask of 32 bits, is in `fixtures/validate/traps`.
const ROWS: &[Row] = &[
    ("2", [TRAP, "135, 135"], Some(["135, 135", "135, 135"])),
    ("2-ballot", [TRAP, "46, 46"], Some(["24, 46", "46, 46"])),
    ("3", ["135, 135", "135, 135"], None),
    ("3-partial", [TRAP, "72, 72"], Some(["72, 72", "72, 72"])),
    ("3-divergent", [TRAP, TRAP], Some(["51, 67", "51, 67"])),
    ("4", ["135, 135", "135, 135"], None),
    ("5", ["72, 135", "135, 135"], None),
    ("6", ["261, 135", "135, 135"], None),
    ("6-xor", ["270, 135", "135, 135"], None),
    ("7", ["0, 0", "0, 0"], None),
    ("8", ["32, 0", "0, 0"], None),
    ("8-last", ["32, 0", "0, 0"], None),
    ("8-next", ["32, 0", "0, 0"], None),
    ("8-width", ["0, 0", "0, 0"], None),
    ("9", ["1, 0", "0, 0"], None),
    ("9-width", ["0, 0", "0, 0"], None),
    ("10", ["22, 0", "0, 0"], None),
    ("11", ["32, 0", "0, 0"], None),
    ("12", ["32, 0", "0, 0"], None),
    ("13", ["15, 27", "27, 27"], None),
    ("13-both", ["30, 28", "28, 28"], None),
    ("13-upper", ["0, 32", "32, 32"], None),
    ("14", ["32, 0", "0, 0"], None),
    ("15", ["0, 0", "0, 0"], None),
    ("16", ["135, 135", "135, 135"], None),
    ("17", ["261, 135", "135, 135"], None),
    ("18", ["2055, 2055", "2055, 2055"], None),
    // Slots for waves of 64 lanes: the block has twice as many waves of 32, and the emulator stops the write beyond them.
    ("18-half", ["2055, 2055", "hipErrorIllegalAddress"], None),
    ("19", ["135, 135", "135, 135"], None),
    // The compiler keeps what was read before, on waves of any width.
    ("20", ["17, 135", "17, 135"], None),
    ("21", ["135, 135", "135, 135"], None),
    ("22", ["135, 135", "135, 135"], None),
    // HIP takes groups of 64 lanes for waves of 32, whose first step adds each lane to itself.
    ("23", ["135, 135", "144, 135"], None),
    ("24", ["46, 46", "46, 46"], None),
    ("25", ["64, 0", "0, 0"], None),
    ("26", ["32, 0", "0, 0"], None),
    ("27", ["72, 72", "72, 72"], None),
    ("29", ["135, 135", "135, 135"], None),
    ("29-broadcast", ["32, 0", "0, 0"], None),
    ("29-votes", ["22, 0", "0, 0"], None),
    ("30", ["0, 0", "0, 0"], None),
];

/// Compiles the rows. Gives the executable in a folder that has to stay.
fn rows(flags: &[&str]) -> Option<tempfile::TempDir> {
    let folder = tempfile::tempdir().unwrap();
    let keep = format!("--keep={}", folder.path().display());
    let mut arguments = vec!["tests/data/wave/rows.hip", "--format=json", &keep];
    arguments.extend(flags);
    let output = validate(&arguments)?;
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
    Some(folder)
}

/// What a row prints behind its name.
fn row(folder: &Path, target: &str, name: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hipshift"));
    command.env("HIPSHIFT_RUNTIME", runtime()).env("XDG_CACHE_HOME", folder);
    // What traps is told by an error.
    command.env("HIP_SKIP_ABORT_ON_GPU_ERROR", "1");
    let output =
        command.args(["run", "--arch", target, "--"]).arg(folder.join("program-0")).arg(name).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    let value = text.trim_end().split_once(": ").unwrap_or_else(|| panic!("{name} on {target}: {text}{errors}")).1;
    // A trap of HIP's check is explained, whatever the mask.
    assert_eq!(value == TRAP, errors.contains("a `_sync` function was called with mask"), "{name}, {target}: {errors}");
    value.to_owned()
}

fn check_rows(flags: &[&str], expected: impl Fn(usize) -> [&'static str; 2]) {
    let Some(folder) = rows(flags) else { return };
    let name_of = |at: usize| ROWS[at].0;
    let found: Vec<_> = (0..ROWS.len())
        .map(|at| (name_of(at), ["gfx90a", "gfx1100"].map(|target| row(folder.path(), target, name_of(at)))))
        .collect();
    let wanted: Vec<_> = (0..ROWS.len()).map(|at| (name_of(at), expected(at).map(str::to_owned))).collect();
    assert_eq!(found, wanted, "{flags:?}");
}

#[test]
fn each_habit_does_on_64_lanes_what_is_known_of_it() {
    check_rows(&[], |at| ROWS[at].1);
    let names: Vec<&str> = ROWS.iter().map(|row| row.0).collect();
    let text = fs::read_to_string(root().join("tests/data/wave/rows.hip")).unwrap();
    let listed: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("    {\"")?.split('"').next()).collect();
    assert_eq!(listed, names, "each row of the program is in the table");
}

#[test]
fn without_the_checks_of_masks_the_same_habits_go_on_with_wrong_values() {
    check_rows(&["--flag=-DNDEBUG"], |at| ROWS[at].2.unwrap_or(ROWS[at].1));
}

/// Programs of `fixtures/wave` that were only renamed and whose masks were widened (`tests/data/wave/widen.h`), without
/// HIP's checks of masks: what they print on gfx90a.
const CASES: &[(&str, &str)] = &[
    ("aggregated_atomic", "FAIL: number of places"),
    ("block_sum", "PASS"),
    ("broadcast", "FAIL: values of other lanes, 64 threads, element 32"),
    ("butterfly_sum", "PASS"),
    ("compact", "FAIL: number of values kept"),
    ("divergent", "FAIL: counts, 33 threads, element 0"),
    ("early_return", "PASS"),
    // HIP's `__match_all_sync` takes no `bool`.
    ("exited_lanes", "not compiled"),
    ("half_shuffle", "PASS"),
    ("mask_flow", "FAIL: number of lanes that vote"),
    ("match", "FAIL: lanes with equal values, 64 threads, element 128"),
    ("narrow_groups", "FAIL: groups, 64 threads, element 160"),
    ("own_warp_size", "FAIL: differences from the largest of a warp, 64 threads, element 32"),
    ("ptx_lane", "FAIL: lanes and ranks, 64 threads, element 97"),
    ("reduce_sync", "FAIL: reductions, 32 threads, element 14"),
    ("scan", "PASS"),
    ("segment_end", "FAIL: values of neighbours, 32 threads, element 31"),
    ("shared_header", "FAIL: number of negative values, 1024 threads, element 0"),
    ("syncwarp", "PASS"),
    ("tiles", "FAIL: sums of groups, 64 threads, element 11"),
    ("tree_sum", "FAIL: sums of warps, 64 threads, element 1"),
    ("votes", "FAIL: votes, 32 threads, element 0"),
    ("warp_rows", "FAIL: votes of rows, 64 threads, element 32"),
    ("wave_size_only", "PASS"),
    ("wide_values", "FAIL: starts of warps, 64 threads, element 32"),
];

/// Those that do not print PASS on gfx1100 either: full masks in partial warps make `__all_sync` false, and HIP's
/// reductions of bits are wrong under masks with holes.
const CASES_32: &[(&str, &str)] = &[
    ("exited_lanes", "not compiled"),
    ("reduce_sync", "FAIL: reductions, 32 threads, element 14"),
    ("votes", "FAIL: votes, 33 threads, element 32"),
];

/// Converts programs without the rules about waves, and runs them with widened masks. Gives what each prints on a target.
fn renamed_only(cases: &[&str], flags: &[&str]) -> Option<BTreeMap<(String, String), String>> {
    let folder = tempfile::tempdir().unwrap();
    for case in cases {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hipshift"));
        command.current_dir(root()).args(["convert", "--ignore", "W", "--output"]).arg(folder.path().join(case));
        let output = command.arg(format!("fixtures/wave/{case}")).output().unwrap();
        assert!(
            output.status.code().is_some_and(|code| code < 2),
            "{case}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    let header = format!("--flag={}", root().join("tests/data/wave/widen.h").display());
    let mut arguments = vec![folder.path().to_str().unwrap(), "-Ifixtures/wave", "--format=json", "--flag=-include"];
    // What traps is told by an error, and the programs go on.
    arguments.extend([&header, "--env=HIP_SKIP_ABORT_ON_GPU_ERROR=1"]);
    arguments.extend(flags);
    let document = json(&validate(&arguments)?);
    let mut found = BTreeMap::new();
    for program in document["programs"].as_array().unwrap() {
        for target in program["targets"].as_array().unwrap() {
            let text = |name: &str| target[name].as_str().unwrap_or_default().to_owned();
            let last = target["last_lines"].as_array().unwrap().first().and_then(|line| line.as_str());
            let printed = match &*text("verdict") {
                "ran" => "PASS".to_owned(),
                "failed" => last.unwrap_or_default().to_owned(),
                other => other.to_owned(),
            };
            let why = target["findings"].as_array().unwrap().iter().map(|finding| finding.as_str().unwrap());
            let trapped = why.into_iter().any(|why| why.starts_with("a `_sync` function was called with mask"));
            let printed = if trapped { "trap".to_owned() } else { printed };
            found.insert((program["name"].as_str().unwrap().to_owned(), text("target")), printed);
        }
    }
    Some(found)
}

fn expected(cases: &[&str], on_64: impl Fn(&str) -> String) -> BTreeMap<(String, String), String> {
    let on_32 = |case: &str| CASES_32.iter().find(|known| known.0 == case).map_or("PASS", |known| known.1).to_owned();
    let both = |case: &&str| {
        [("gfx90a", on_64(case)), ("gfx1100", on_32(case))]
            .map(|(target, printed)| (((*case).to_owned(), target.to_owned()), printed))
    };
    cases.iter().flat_map(both).collect()
}

#[test]
fn programs_with_widened_masks_are_wrong_on_64_lanes() {
    let cases: Vec<&str> = CASES.iter().map(|case| case.0).collect();
    let Some(found) = renamed_only(&cases, &["--flag=-DNDEBUG"]) else { return };
    let on_64 = |case: &str| CASES.iter().find(|known| known.0 == case).unwrap().1.to_owned();
    assert_eq!(found, expected(&cases, on_64));
}

/// What looks right without HIP's checks of masks does not with them: a mask of 64 ones names lanes that are not there.
/// On waves of 32 lanes, HIP's functions cut the mask, but for `__syncwarp`.
#[test]
fn programs_that_seem_right_with_widened_masks_trap() {
    // This one asks the host for the size of a wave, and launches whole waves only.
    let is_whole = |case: &str| case == "wave_size_only";
    let cases: Vec<&str> = CASES.iter().filter(|case| case.1 == "PASS").map(|case| case.0).collect();
    let Some(found) = renamed_only(&cases, &[]) else { return };
    let mut wanted = expected(&cases, |case| if is_whole(case) { "PASS" } else { "trap" }.to_owned());
    wanted.insert(("syncwarp".to_owned(), "gfx1100".to_owned()), "FAIL: the kernel runs".to_owned());
    assert_eq!(found, wanted);
}
