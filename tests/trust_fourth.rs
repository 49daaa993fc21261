//! Traps that a fourth attack found: outputs whose names are links that came along, configurations that are, and build files and
//! patterns that are made to take all memory, all of the stack or all of a day.
#![cfg(unix)]

use std::time::{Duration, Instant};

use crate::common::trap::{CUDA, Trap, says};

/// What a project brings to be written over a file of the user.
const PAYLOAD: &str = "evil\n";

fn victim(trap: &Trap) -> String {
    std::fs::read_to_string(trap.folder.path("outside/victim")).unwrap()
}

#[test]
fn no_output_goes_through_a_link_that_came_along() {
    let outputs: &[&[&str]] = &[
        &["convert", "sub", "-o", "hip"],
        &["convert", "sub", "-o", "hip/deeper"],
        &["convert", "sub", "-o", "hip/"],
        &["convert", "sub", "-o", "./hip/."],
        &["validate", "sub", "--stage", "syntax", "--executor", "none", "--keep", "hip"],
        &["convert", "x.cu", "-o", "file"],
        &["convert", "sub", "--emit", "compat-header", "-o", "hip"],
        &["convert", "sub", "--export-fixes", "file"],
        &["diff", "sub", "--patch", "file"],
        &["diff", "sub", "--split-by", "file", "-o", "hip/"],
        &["lint", "sub", "--write-baseline", "file"],
        &["hipify", "x.cu", "-o", "file"],
        &["hipify", "x.cu", "--o-stats", "file", "--print-stats-csv"],
        &["validate", "record", "sub", "--script", "file"],
    ];
    for in_git in [false, true] {
        for arguments in outputs {
            let trap = Trap::new();
            trap.write("sub/victim", PAYLOAD);
            trap.write("sub/y.cu", &format!("{CUDA}int main() {{ f(0); }}\n"));
            trap.link("hip", "../outside");
            trap.link("file", "../outside/victim");
            if in_git {
                trap.git(&["init", "-q"]);
            }
            let before = victim(&trap);
            let output = trap.run(arguments);
            assert_eq!(victim(&trap), before, "{arguments:?}");
            assert!(!trap.folder.path("outside/deeper").exists(), "{arguments:?}");
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(said.contains("is a symbolic link to `../outside"), "{arguments:?}: {said}");
            assert!(matches!(output.status.code(), Some(1 | 2)), "{arguments:?}: {said}");
        }
    }
}

#[test]
fn links_of_the_user_beside_the_project_are_followed() {
    let trap = Trap::new();
    std::fs::create_dir(trap.folder.path("real")).unwrap();
    std::os::unix::fs::symlink("real", trap.folder.path("scratch")).unwrap();
    let scratch = trap.path("scratch");
    says(&trap, &["convert", "sub", "-o", &format!("{scratch}/out")], 0, "1 of 1 file converted");
    assert!(trap.folder.path("real/out/y.cu").exists());
}

#[test]
fn a_configuration_that_leads_out_of_the_project_is_not_shown() {
    for (link, commands) in [
        (
            "hipshift.toml",
            &[&["lint", "."][..], &["convert", ".", "--dry-run"], &["trust", "."], &["project", "."]][..],
        ),
        (".hipshift/decisions.toml", &[&["lint", "."], &["diff", "."]]),
        (".hipshift/manifest.json", &[&["update"]]),
    ] {
        for command in commands {
            let trap = Trap::new();
            trap.folder.write("outside/secret", b"machine example.org password hunter2\n");
            trap.link(link, if link.contains('/') { "../../outside/secret" } else { "../outside/secret" });
            let output = trap.run(command);
            let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
            assert!(said.contains("outside of the project"), "{link} {command:?}: {said}");
            assert!(!said.contains("hunter2") && output.status.code() == Some(2), "{link} {command:?}: {said}");
        }
    }
}

#[test]
fn a_configuration_that_a_link_of_the_project_leads_to_counts() {
    let trap = Trap::new();
    trap.write("settings/hipshift.toml", "ignore = [\"A\"]\n");
    trap.link("sub/hipshift.toml", "../settings/hipshift.toml");
    trap.git(&["init", "-q"]);
    says(&trap, &["lint", "sub"], 0, "turns off ");
}

#[test]
fn a_manifest_names_no_configuration_outside_of_its_project() {
    let trap = Trap::new();
    says(&trap, &["convert", "sub", "-o", "out"], 0, "1 of 1 file converted");
    let secret = trap.path("outside/secret");
    trap.folder.write("outside/secret", b"machine example.org password hunter2\n");
    let manifest = trap.folder.read("clone/out/.hipshift/manifest.json");
    let mut manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    manifest["config"] = secret.as_str().into();
    trap.write("out/.hipshift/manifest.json", &manifest.to_string());
    let output = trap.run(&["update", "-o", "out"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!said.contains("hunter2") && said.contains("if it shall be read, name it"), "{said}");
}

#[test]
fn the_configuration_of_a_conversion_is_used_by_its_update() {
    let trap = Trap::new();
    trap.write("hipshift.toml", "ext = \"hip\"\n");
    says(&trap, &["convert", "sub", "-o", "../elsewhere"], 0, "1 of 1 file converted");
    trap.write("sub/y.cu", &format!("{CUDA}\n"));
    says(&trap, &["update", "-o", "../elsewhere"], 0, "y.hip");
}

/// Runs a command within 1 GiB of memory and 20 seconds.
fn bounded(trap: &Trap, arguments: &[&str]) -> String {
    let line = format!("ulimit -v 1048576; exec timeout 20 {} {}", env!("CARGO_BIN_EXE_hipshift"), arguments.join(" "));
    let mut command = std::process::Command::new("bash");
    command.args(["-c", &line]).current_dir(trap.folder.path("clone"));
    command.env("XDG_STATE_HOME", trap.path("state")).env("XDG_CACHE_HOME", trap.path("cache"));
    let start = Instant::now();
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    let code = output.status.code();
    assert!(matches!(code, Some(0..=2)), "{arguments:?}: {code:?}, {said}");
    assert!(start.elapsed() < Duration::from_secs(20), "{arguments:?}");
    said
}

#[test]
fn texts_of_build_files_do_not_grow_without_bound() {
    let grown = |assign: &str| {
        let mut text = "set(B aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa)\n".to_owned();
        for _ in 0..14 {
            text.push_str("set(B ${B}${B})\n");
        }
        text + assign
    };
    for command in [
        "string(REPLACE a ${B} X ${B})",
        "string(REGEX REPLACE a ${B} X ${B})",
        "string(REGEX REPLACE \"(.*)\" \"\\\\1\\\\1\\\\1\\\\1\\\\1\\\\1\\\\1\\\\1\\\\1${B}\" X ${B})",
        "set(L a a a a a a a a)\nforeach(i RANGE 12)\nlist(APPEND L ${L})\nendforeach()\nlist(TRANSFORM L PREPEND ${B})",
        "set(L a a a a a a a a)\nforeach(i RANGE 12)\nlist(APPEND L ${L})\nendforeach()\nlist(JOIN L ${B} X)",
    ] {
        let trap = Trap::new();
        trap.write("CMakeLists.txt", &format!("{}\nadd_executable(t x.cu)\n", grown(command)));
        let said = bounded(&trap, &["project", "."]);
        assert!(said.contains("too many commands"), "{command}: {said}");
    }
    for value in [
        "$(subst a,$(B),$(B))",
        "$(subst ,$(B),$(B))",
        "$(patsubst %,$(B)%,$(L))",
        "$(L:a=$(B))",
        "$(addprefix $(B),$(L))",
    ] {
        let trap = Trap::new();
        let mut text = "B := aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\nL := a a a a a a a a\n".to_owned();
        text.push_str(&"B := $(B)$(B)\nL := $(L) $(L)\n".repeat(14));
        trap.write("Makefile", &format!("{text}X := {value}\nt: x.cu\n\tnvcc -o t x.cu $(X)\n"));
        let said = bounded(&trap, &["project", "."]);
        assert!(said.contains("go on and on"), "{value}: {said}");
    }
    let trap = Trap::new();
    trap.write("build.sh", &format!("A=aaaaaaaa\n{}nvcc $A x.cu\n", "A=$A$A\n".repeat(40)));
    assert!(bounded(&trap, &["project", "."]).contains("too long"));
}

#[test]
fn what_is_nested_does_not_take_all_of_the_stack() {
    let braces = format!("{}{}", "{a,".repeat(50_000), "}".repeat(50_000));
    let trap = Trap::new();
    trap.write(".gitignore", &braces);
    assert!(bounded(&trap, &["lint", "."]).contains(".gitignore"));
    let trap = Trap::new();
    trap.write("hipshift.toml", &format!("exclude = [\"{braces}\"]\n"));
    assert!(bounded(&trap, &["lint", "."]).contains("nested"));
    let blocks = format!("{}add_executable(t x.cu)\n{}", "if(TRUE)\n".repeat(32_000), "endif()\n".repeat(32_000));
    let loops = format!("{}{}", "foreach(i a)\n".repeat(32_000), "endforeach()\n".repeat(32_000));
    let expressions = format!("add_executable(t x.cu {}x{})\n", "$<1:".repeat(50_000), ">".repeat(50_000));
    let globs = format!("file(GLOB X \"{braces}\")\nadd_executable(t x.cu)\n");
    for text in [blocks, loops, expressions, globs] {
        let trap = Trap::new();
        trap.write("CMakeLists.txt", &text);
        bounded(&trap, &["project", "."]);
    }
    let trap = Trap::new();
    trap.write("Makefile", &format!("X := $(wildcard {braces})\nt: x.cu\n\tnvcc -o t x.cu\n"));
    bounded(&trap, &["project", "."]);
}

#[test]
fn build_files_that_double_take_not_much_longer() {
    let scripts = "nvcc a.cu -o b\n".repeat(8_000);
    let missing: Vec<String> = (0..40_000).map(|number| format!("add_executable(t{number} m{number}.cu)\n")).collect();
    let open = format!("add_executable(t x.cu {})\n", "${".repeat(100_000));
    let signs = format!("add_executable(t x.cu {})\n", "$".repeat(300_000));
    let again = format!("{}add_executable(t x.cu)\n", "include(b.cmake)\n".repeat(10_000));
    for (file, text) in [
        ("build.sh", scripts),
        ("CMakeLists.txt", missing.concat()),
        ("CMakeLists.txt", open),
        ("CMakeLists.txt", signs),
        ("CMakeLists.txt", again),
        ("Makefile", format!("{}\n{}t: x.cu\n\tnvcc -o t x.cu\n", "include Makefile", "# a comment\n".repeat(8_000))),
    ] {
        let trap = Trap::new();
        trap.write("b.cmake", &"# a comment that takes its time\n".repeat(100));
        trap.write(file, &text);
        bounded(&trap, &["project", "."]);
    }
}
