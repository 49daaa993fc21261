//! The checks of the emulator: each program of `fixtures/checks` has one kind of defect, marked where it is.
//!
//! `//~ text` on a line: a finding with that text names this line; `//~gfx90a text`: on that target only.
//! `//+ text`: a finding has that text, and no line.

use crate::common;

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::OnceLock;

use crate::common::{json, runtime, validate};
use serde_json::Value;

/// The programs, compiled once, with what `--checks all` said of them.
struct Programs {
    folder: tempfile::TempDir,
    result: Value,
}

fn programs() -> Option<&'static Programs> {
    static PROGRAMS: OnceLock<Option<Programs>> = OnceLock::new();
    let make = || {
        let folder = tempfile::tempdir().unwrap();
        let keep = folder.path().to_str().unwrap();
        let output = validate(&["fixtures/checks", "--checks=all", "--format=json", "--keep", keep])?;
        Some(Programs { result: json(&output), folder })
    };
    PROGRAMS.get_or_init(make).as_ref()
}

impl Programs {
    fn list(&self) -> &[Value] {
        self.result["programs"].as_array().unwrap()
    }

    /// The executable of a program.
    fn executable(&self, name: &str) -> PathBuf {
        let number = self.list().iter().position(|program| program["name"] == name).unwrap();
        self.folder.path().join(format!("program-{number}"))
    }

    /// Runs a program with options of `hipshift run`.
    fn run(&self, name: &str, options: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hipshift"));
        command.env("HIPSHIFT_RUNTIME", runtime()).env("XDG_CACHE_HOME", self.folder.path());
        command.arg("run").args(options).arg("--").arg(self.executable(name)).output().unwrap()
    }
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// What is expected of a program on a target: a text, and the line that has to be named with it.
fn marks(source: &str, target: &str) -> Vec<(String, Option<usize>)> {
    let text = fs::read_to_string(common::root().join(source)).unwrap();
    let mut found = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        if let Some((_, text)) = line.split_once("//+ ") {
            found.push((text.to_owned(), None));
        }
        if let Some((only, text)) = line.split_once("//~").and_then(|(_, mark)| mark.split_once(' '))
            && (only.is_empty() || only == target)
        {
            found.push((text.to_owned(), Some(number)));
        }
    }
    found
}

#[test]
fn each_defect_is_found_at_its_line_and_nothing_else() {
    let Some(programs) = programs() else { return };
    assert_eq!(programs.list().len(), 24);
    for program in programs.list() {
        let source = program["source"].as_str().unwrap();
        for target in program["targets"].as_array().unwrap() {
            let marks = marks(source, target["target"].as_str().unwrap());
            let findings: Vec<&str> =
                target["findings"].as_array().unwrap().iter().map(|finding| finding.as_str().unwrap()).collect();
            let is_about = |finding: &str, (text, line): &(String, Option<usize>)| {
                let place = line.map_or_else(String::new, |line| format!("{source}:{line}"));
                // A longer number would begin in the same way.
                let at = finding.match_indices(&place).map(|(at, place)| &finding[at + place.len()..]);
                finding.contains(text) && at.into_iter().any(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
            };
            for mark in &marks {
                assert!(findings.iter().any(|finding| is_about(finding, mark)), "{mark:?} in {program:#}");
            }
            for finding in &findings {
                // A race may be told from both of its sides.
                let told = marks.iter().any(|mark| is_about(finding, mark)) || finding.starts_with("race in LDS");
                assert!(told, "{finding}");
            }
            assert_eq!(findings.is_empty(), marks.is_empty(), "{program:#}");
            let expected = match program["name"].as_str().unwrap() {
                // A kernel that traps ends the program.
                "aborted" | "sync_mask" => "failed",
                _ if marks.is_empty() => "ran",
                _ => "findings",
            };
            assert_eq!(target["verdict"], expected, "{program:#}");
        }
    }
}

/// Where a processor has no operation for it, an atomic function is a loop of compare-and-swap, which loads a first guess.
#[test]
fn guesses_of_loops_that_compare_and_swap_are_no_races() {
    runs_everywhere("tests/data/shared_swaps.cu");
}

#[test]
fn operations_on_the_last_half_word_take_the_rest_of_the_word_along() {
    runs_everywhere("tests/data/last_halves.cu");
}

#[test]
fn operations_on_a_half_word_behind_the_last_are_found() {
    let text = fs::read_to_string(common::root().join("tests/data/last_halves.cu")).unwrap();
    let text = text.replace("(counts, sum, length - 1)", "(counts, sum, length)");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("behind.cu");
    fs::write(&path, text.replace("found = counts[last], seen", "found = 0, seen")).unwrap();
    let Some(output) = validate(&[path.to_str().unwrap(), "--arch=gfx90a,gfx1100", "--format=json"]) else { return };
    let document = json(&output);
    for target in document["programs"][0]["targets"].as_array().unwrap() {
        let text = target.to_string();
        assert!(
            text.contains("behind the end of an allocation of 6 bytes") && text.contains("cmpswap"),
            "{document:#}"
        );
    }
}

#[track_caller]
fn runs_everywhere(program: &str) {
    let arch = "--arch=gfx906,gfx90a,gfx1030,gfx1100,gfx1201";
    let Some(output) = validate(&[program, arch, "--format=json"]) else { return };
    let document = json(&output);
    let targets = document["programs"][0]["targets"].as_array().unwrap();
    let verdicts: Vec<&Value> = targets.iter().map(|target| &target["verdict"]).collect();
    assert_eq!(verdicts, ["ran"; 5], "{document:#}");
}

#[test]
fn levels_of_checks_differ_in_what_they_tell() {
    let Some(programs) = programs() else { return };
    for target in ["gfx90a", "gfx1100"] {
        let none = programs.run("lds_race", &["--arch", target, "--checks", "none"]);
        assert_eq!(errors(&none), "");
        let default = programs.run("lds_race", &["--arch", target]);
        assert!(errors(&default).contains("race in LDS"), "{}", errors(&default));
        for name in ["lds_uninitialised", "inactive_lanes", "misaligned", "early_end"] {
            let default = programs.run(name, &["--arch", target]);
            assert_eq!(errors(&default), "", "{name}");
            let all = programs.run(name, &["--arch", target, "--checks", "all"]);
            assert!(errors(&all).starts_with("hipshift: "), "{name}: {}", errors(&all));
            // What is found changes nothing.
            assert_eq!(all.stdout, default.stdout, "{name}");
        }
    }
    let misuse = errors(&programs.run("misuse", &["--checks", "all"]));
    assert!(misuse.contains("note: 1 allocations of device memory were never freed, 4096 bytes"), "{misuse}");
    assert!(!errors(&programs.run("misuse", &[])).contains("note:"));
}

#[test]
fn leaks_errors_of_calls_and_an_exit_code_are_asked_for() {
    let Some(programs) = programs() else { return };
    let leaks = errors(&programs.run("misuse", &["--leaks"]));
    assert!(leaks.contains("hipshift: 1 allocations of device memory were never freed, 4096 bytes"), "{leaks}");
    let calls = errors(&programs.run("misuse", &["--api-errors"]));
    assert!(calls.contains("hipFree returned hipErrorInvalidValue: invalid argument"), "{calls}");
    for (name, code) in [("misuse", 9), ("clean", 0)] {
        let output = programs.run(name, &["--error-exitcode", "9", "--leaks", "--api-errors"]);
        assert_eq!(output.status.code(), Some(code), "{name}: {}", errors(&output));
        // What the program printed is all there.
        assert_eq!(output.stdout, programs.run(name, &[]).stdout, "{name}");
    }
    let stopped = errors(&programs.run("clean", &["--step-limit", "1"]));
    assert!(stopped.contains("stopped after 1 instructions of one block"), "{stopped}");
}

/// What lies behind an allocation is zero here, as is what LDS gives past its last granule; in it lies `0xcd` in all bytes.
#[test]
fn bounds_say_whether_a_kernel_goes_on_past_the_end_of_memory() {
    let Some(programs) = programs() else { return };
    let findings = [
        "0 bytes behind the end of an allocation of 1024 bytes",
        "at LDS address 0x400, of 1024 bytes there are",
        "at LDS address 0x3fc, of 1020 bytes there are",
    ];
    let stopped = "global: hipErrorIllegalAddress\nshared: hipErrorIllegalAddress\npart: hipErrorIllegalAddress\n";
    for target in ["gfx90a", "gfx1100"] {
        for (bounds, printed) in [
            (None, stopped),
            (Some("exact"), stopped),
            (Some("granule"), "global: 2 256 0\nshared: 2 256 0\npart: 1 255 -842150451\n"),
        ] {
            let mut options = vec!["--arch", target, "--error-exitcode", "9"];
            options.extend(bounds.into_iter().flat_map(|bounds| ["--bounds", bounds]));
            let output = programs.run("past_end", &options);
            assert_eq!(String::from_utf8_lossy(&output.stdout), printed, "{options:?}");
            let errors = errors(&output);
            assert_eq!(errors.lines().count(), 3, "{errors}");
            for finding in findings {
                assert!(errors.contains(finding), "{errors}");
            }
            assert_eq!(output.status.code(), Some(9), "{errors}");
        }
        let output = programs.run("past_end", &["--arch", target, "--bounds", "granule", "--checks", "none"]);
        assert_eq!((output.status.code(), errors(&output).lines().count()), (Some(0), 3), "{}", errors(&output));
        // No allocation has what these pointers name.
        let exact = programs.run("pointers", &["--arch", target]);
        let granule = programs.run("pointers", &["--arch", target, "--bounds", "granule"]);
        assert_eq!(granule.stdout, exact.stdout);
    }
}

/// `docs/amd-tests.md` explains with these programs what is found in AMD's libraries.
#[test]
fn what_is_found_in_libraries_is_theirs() {
    let Some(programs) = programs() else { return };
    for target in ["gfx90a", "gfx1100"] {
        let run = |name| programs.run(name, &["--arch", target, "--bounds", "granule"]);
        let reduce = run("library_reduce");
        assert_eq!(String::from_utf8_lossy(&reduce.stdout), "returned: right\nset: right\npart: right\n");
        let errors = errors(&reduce);
        let kernels = [("sum_returned", true), ("sum_set", false), ("part_returned", true)];
        assert!(kernels.iter().all(|(kernel, found)| errors.contains(kernel) == *found), "{errors}");
        // What lies behind the array is taken for the end of the last run.
        let decode = String::from_utf8_lossy(&run("library_decode").stdout).into_owned();
        let counts = "0 behind: 0 wrong\n150 behind: 2 wrong\n4294967295 behind: 0 wrong\n";
        assert_eq!(decode, format!("{counts}copies: right\n"));
        assert_eq!(String::from_utf8_lossy(&run("library_sort").stdout), "7 bits: right\n8 bits: right\n");
        // Lanes that go on past a barrier, and lanes that only save registers behind it.
        let barrier = run("barrier_in_call");
        let found = String::from_utf8_lossy(&barrier.stderr).into_owned();
        assert!(found.contains("went_on") && !found.contains("ended"), "{found}");
    }
}

#[test]
fn a_validation_goes_on_past_the_end_of_memory_and_tells_of_it() {
    let Some(output) = validate(&["fixtures/checks/past_end.cu", "--bounds=granule", "--format=json"]) else { return };
    assert_eq!(output.status.code(), Some(1));
    let result = json(&output);
    for target in result["programs"][0]["targets"].as_array().unwrap() {
        assert_eq!(target["verdict"], "findings", "{result:#}");
        assert_eq!(target["findings"].as_array().unwrap().len(), 3, "{result:#}");
    }
}

#[test]
fn bounds_of_another_name_are_refused() {
    let Some(programs) = programs() else { return };
    let option = programs.run("clean", &["--bounds", "page"]);
    assert_eq!(option.status.code(), Some(2));
    assert!(errors(&option).contains("possible values: exact, granule"), "{}", errors(&option));
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(runtime(), folder.path().join("libamdhip64.so.7")).unwrap();
    let run = |bounds: &str| {
        let mut command = Command::new(programs.executable("clean"));
        command.env("LD_LIBRARY_PATH", folder.path()).env("HIPSHIFT_BOUNDS", bounds).output().unwrap()
    };
    for bounds in ["page", ""] {
        let output = run(bounds);
        assert_eq!(output.status.code(), Some(2), "{}", errors(&output));
        let expected = format!("hipshift: HIPSHIFT_BOUNDS: '{bounds}' is none of exact, granule\n");
        assert_eq!((errors(&output), output.stdout), (expected, Vec::new()));
    }
    assert!(run("granule").status.success());
}

#[test]
fn a_program_finds_its_own_libraries() {
    let cache = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_hipshift"));
    command.env("HIPSHIFT_RUNTIME", runtime()).env("XDG_CACHE_HOME", cache.path());
    command.env("LD_LIBRARY_PATH", "/usr/local/lib:/own").args(["run", "--", "/bin/sh", "-c", "echo $LD_LIBRARY_PATH"]);
    let output = command.output().unwrap();
    let path = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(path.ends_with("/runtime:/usr/local/lib:/own\n"), "{path}{}", errors(&output));
}

/// Code of AMD's own libraries counts on barriers of waves; what else lies in their folders stands for them here.
#[test]
fn barriers_of_amds_own_libraries_may_count_waves() {
    let Some(programs) = programs() else { return };
    let told = |folder: &std::path::Path| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hipshift"));
        command.env("HIPSHIFT_RUNTIME", runtime()).env("XDG_CACHE_HOME", programs.folder.path());
        command.env("HIPSHIFT_LIBRARIES", folder).args(["run", "--"]).arg(programs.executable("divergent_barrier"));
        errors(&command.output().unwrap()).contains("barrier that only lanes")
    };
    assert!(told(&programs.folder.path().join("elsewhere")));
    assert!(!told(programs.folder.path()));
}

#[test]
fn what_waits_forever_ends_with_an_error_of_the_launch() {
    let Some(programs) = programs() else { return };
    for name in ["barrier_missed", "deadlock", "grid_barrier_missed", "lock_in_wave"] {
        let output = programs.run(name, &[]);
        assert_eq!(String::from_utf8_lossy(&output.stdout), "hipErrorLaunchFailure\n", "{name}");
    }
}

#[test]
fn a_seed_always_gives_the_same_run_and_others_show_a_race() {
    let Some(programs) = programs() else { return };
    let run = |seed: &str| programs.run("lds_race", &["--checks", "none", "--schedule-seed", seed]).stdout;
    let outputs: Vec<_> = (0..6).map(|seed: u32| run(&seed.to_string())).collect();
    assert_eq!(outputs, (0..6).map(|seed: u32| run(&seed.to_string())).collect::<Vec<_>>());
    assert!(outputs.iter().any(|output| *output != outputs[0]), "{outputs:?}");
    let all = programs.run("lds_race", &["--checks", "none", "--schedules", "6"]);
    assert_eq!(all.status.code(), Some(1));
    assert!(errors(&all).contains("different results of 6 schedules"), "{}", errors(&all));
    let steady = programs.run("clean", &["--schedules", "4"]);
    assert!(steady.status.success() && errors(&steady).contains("4 schedules, all with the same result"));
}

#[test]
fn a_validation_compares_schedules() {
    let arguments = ["fixtures/checks/lds_race.cu", "--arch=gfx90a", "--schedules=6", "--format=json"];
    let Some(output) = validate(&arguments) else { return };
    assert_eq!(output.status.code(), Some(1));
    let result = json(&output);
    let target = &result["programs"][0]["targets"][0];
    assert_eq!(target["verdict"], "unsteady", "{result:#}");
    let reason = target["reason"].as_str().unwrap();
    assert!(reason.starts_with("does something else with schedules of seeds 0 and"), "{reason}");
    assert!(target["findings"][0].as_str().unwrap().starts_with("race in LDS"), "{target:#}");
}

/// Objects come from the cache in the second run, which has a folder of another name.
#[test]
fn lines_are_those_of_the_source_when_nothing_is_compiled_anew() {
    if common::toolchain().is_none() {
        return;
    }
    let cache = tempfile::tempdir().unwrap();
    for _ in 0..2 {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hipshift"));
        command.current_dir(common::root()).env("XDG_CACHE_HOME", cache.path()).env("HIPSHIFT_RUNTIME", runtime());
        command.args(["validate", "fixtures/checks/lds_race.cu", "--arch=gfx90a", "--toolchain"]);
        let output = command.arg(common::toolchain().unwrap()).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned() + &errors(&output);
        assert!(text.contains("race in LDS") && text.contains("fixtures/checks/lds_race.cu:"), "{text}");
        assert!(!text.contains("hipshift-build"), "{text}");
    }
}
