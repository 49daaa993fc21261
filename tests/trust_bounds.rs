//! Traps that would take all memory or all time, that hide behind names and encodings, or that have files beside a project read:
//! each is told, and a run that is stopped leaves the terminal and the tree in order.
#![cfg(unix)]

use std::io::Read as _;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::common::trap::{CUDA, Trap, says};
use serde_json::json;

const BAD: &str = "void g(void*p){cudaGraphicsVDPAURegisterOutputSurface(p,1,2);}\n";

/// Runs with so many kilobytes of address space.
fn run_within(trap: &Trap, kilobytes: usize, arguments: &str) -> (Option<i32>, String) {
    let line = format!("ulimit -v {kilobytes}; exec {} {arguments}", env!("CARGO_BIN_EXE_hipshift"));
    let mut command = Command::new("timeout");
    command.args(["60", "sh", "-c", &line]).current_dir(trap.folder.path("clone")).stdin(Stdio::null());
    let Output { status, stdout, stderr } =
        command.env("HOME", trap.path("home")).env("XDG_STATE_HOME", trap.path("state")).output().unwrap();
    (status.code(), [stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat())
}

#[test]
fn patterns_that_nobody_wrote_are_not_followed() {
    let trap = Trap::new();
    let line = |number: usize| format!("a{number}*b*c?[x-z]**/q{number}\n");
    trap.write(".gitignore", &(0..600_000).map(line).collect::<String>());
    trap.write("sub/.gitignore", "y.cu\n");
    let (code, said) = run_within(&trap, 2_000_000, "lint .");
    assert_eq!(code, Some(1), "{said}");
    assert!(
        said.contains(".gitignore`, with those above it, has more than 1 MiB of patterns; it was left out"),
        "{said}"
    );
    assert!(said.contains("1 file"), "{said}");
    // Many that are short are as long as one.
    let trap = Trap::new();
    let mut folder = String::new();
    for _ in 0..8 {
        folder += "d/";
        trap.write(&format!("{folder}.gitignore"), &(0..40_000).map(line).collect::<String>());
    }
    let (code, said) = run_within(&trap, 2_000_000, "lint .");
    assert_eq!(code, Some(1), "{said}");
    let trap = Trap::new();
    let globs: Vec<String> = (0..300_000).map(|number| format!("a{number}*b")).collect();
    trap.write("hipshift.toml", &format!("exclude = {}\n", json!(globs)));
    let (code, said) = run_within(&trap, 2_000_000, "lint .");
    assert!(code == Some(2) && said.contains("there are 300000 file patterns"), "{code:?} {said}");
}

#[test]
fn a_kept_text_has_a_bound() {
    let trap = Trap::new();
    says(&trap, &["convert", ".", "-o", "out"], 0, "");
    let manifest = trap.folder.read("clone/out/.hipshift/manifest.json");
    let digest = manifest.split("\"output_sha256\": \"").nth(1).unwrap()[..64].to_owned();
    let kept = trap.folder.path(&format!("clone/out/.hipshift/base/{}/{}.gz", &digest[..2], &digest[2..]));
    assert!(kept.exists());
    let line = format!("head -c 4000000000 /dev/zero | gzip -1 > '{}'", kept.display());
    assert!(Command::new("sh").args(["-c", &line]).status().unwrap().success());
    for name in ["x.cu", "sub/y.cu"] {
        trap.write(name, &format!("{CUDA}int more;\n"));
        trap.write(&format!("out/{name}"), "// edited\n");
    }
    let (code, said) = run_within(&trap, 2_500_000, "update -o out");
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("more than 256 MiB"), "{said}");
}

#[test]
fn a_name_forges_no_line() {
    let name = "a\n::stop-commands::x\nno findings in 1 file\r\t.cu";
    for format in ["text", "concise", "github"] {
        let trap = Trap::new();
        trap.write(name, BAD);
        let said = says(&trap, &["lint", ".", "--format", format], 1, "stop-commands");
        let forged = |line: &str| line.trim_start().starts_with("::stop") || line.starts_with("no findings");
        assert!(!said.lines().any(forged), "{format}: {said}");
        assert!(
            format == "github" || said.contains("a\\n::stop-commands::x\\nno findings in 1 file\\r\\t.cu"),
            "{said}"
        );
        assert!(format != "github" || said.contains("file=a%0A%3A%3Astop-commands"), "{said}");
    }
    for text in ["\u{ff}\u{fe}", "broken"] {
        let trap = Trap::new();
        // What cannot be read, and what is left out.
        std::fs::write(trap.folder.path(&format!("clone/{name}")), [0xff, 0xfe, 0, 0]).unwrap();
        trap.write(&format!("{name}d/.gitignore"), &text.repeat(1 << 20));
        for arguments in
            [&["lint", "."][..], &["convert", ".", "-o", "out"], &["diff", "."], &["lint", ".", "--format", "github"]]
        {
            let output = trap.run(arguments);
            let said =
                [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
            assert!(said.contains("stop-commands"), "{arguments:?}: {said}");
            assert!(!said.lines().any(|line| line.trim_start().starts_with("::stop")), "{arguments:?}: {said}");
        }
    }
}

#[test]
fn reports_for_programs_name_the_file_that_is_meant() {
    let trap = Trap::new();
    trap.write("in\u{1b}[31mnocent.cu", BAD);
    trap.write("innocent.cu", "int a;\n");
    says(&trap, &["lint", ".", "--format", "github"], 1, "file=in\u{1b}[31mnocent.cu,");
    let trap = Trap::new();
    trap.write("a\u{fffe}\u{ffff}\u{1}\u{1b}[31m\n.cu", BAD);
    let said = says(&trap, &["lint", ".", "--format", "junit"], 1, "a\\u{fffe}\\u{ffff}\\u{1}\\u{1b}[31m\\n.cu");
    assert!(!said.contains(['\u{fffe}', '\u{ffff}', '\u{1}', '\u{1b}']), "{said}");
}

#[test]
fn wide_characters_are_told() {
    let text = format!("// 日本語のコメントがここにあります\n#include <cuda_runtime.h>\n{BAD}");
    let wide = |bytes: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(bytes).collect::<Vec<u8>>();
    let long = |bytes: fn(u32) -> [u8; 4]| text.chars().flat_map(|c| bytes(c.into())).collect::<Vec<u8>>();
    for bytes in [wide(u16::to_le_bytes), wide(u16::to_be_bytes), long(u32::to_le_bytes), long(u32::to_be_bytes)] {
        let trap = Trap::new();
        std::fs::write(trap.folder.path("clone/u.cu"), &bytes).unwrap();
        says(&trap, &["lint", ".", "--format", "concise"], 2, "UTF-16 or UTF-32");
    }
}

#[test]
fn a_manifest_that_came_along_has_nothing_read_beside_the_project() {
    let set = |input: &str, repository: bool| {
        let trap = Trap::new();
        trap.folder.write("private/id", b"PRIVATE KEY");
        trap.folder.write("private/x.cu", CUDA.as_bytes());
        let input = input.replace("TOP", &trap.path(""));
        let manifest = json!({
            "schema": 1, "tool": "0.1.0", "tables": "", "in_place": false, "options": {}, "config": null,
            "roots": [{ "input": input, "output": "docs" }], "files": {},
        });
        trap.write(".hipshift/manifest.json", &manifest.to_string());
        if repository {
            trap.git(&["init", "-q"]);
        }
        trap.link("inner", &trap.path("private"));
        trap
    };
    for repository in [false, true] {
        for input in ["../private", "TOP/private", "..", "/", "inner", "../private/x.cu"] {
            let trap = set(input, repository);
            let said = says(&trap, &["update"], 2, "outside of the project");
            assert!(said.contains("name it: `hipshift update "), "{said}");
            assert!(!trap.folder.path("clone/docs").exists());
        }
    }
    // Who names it wants it, also the next time.
    let trap = set("../private", false);
    says(&trap, &["update", "../private"], 0, "");
    assert!(trap.folder.path("clone/docs/x.cu").exists());
    says(&trap, &["update"], 0, "unchanged");
}

#[test]
fn sources_beside_results_that_were_converted_here_are_updated() {
    let trap = Trap::new();
    trap.folder.write("cuda/a.cu", CUDA.as_bytes());
    says(&trap, &["convert", "../cuda", "-o", "hip"], 0, "");
    trap.folder.write("cuda/a.cu", format!("{CUDA}int more;\n").as_bytes());
    says(&trap, &["update", "-o", "hip"], 0, "1 updated");
    // Somebody else gets all of it, with both folders in one work tree.
    std::fs::remove_dir_all(trap.folder.path("state")).unwrap();
    says(&trap, &["update", "-o", "hip"], 2, "name it: `hipshift update -o hip ");
    let trap = Trap::new();
    trap.git(&["init", "-q"]);
    says(&trap, &["convert", "sub", "-o", "hip"], 0, "");
    std::fs::remove_dir_all(trap.folder.path("state")).unwrap();
    says(&trap, &["update", "-o", "hip"], 0, "unchanged");
}

fn signal(name: &str, child: &Child) {
    assert!(Command::new("kill").args([name, &child.id().to_string()]).status().unwrap().success());
}

/// The exit code, and how long it takes until the end.
fn wait(mut child: Child) -> (Option<i32>, Duration) {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return (status.code(), start.elapsed());
        }
        if start.elapsed() > Duration::from_secs(30) {
            let _ = child.kill();
            panic!("it does not end");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_run_that_is_busy_with_one_file_can_be_stopped() {
    for arguments in
        [&["convert", ".", "-o", "out", "-j", "2"][..], &["convert", ".", "-o", "out", "-j", "2", "--no-manifest"]]
    {
        let trap = Trap::new();
        // Takes the better part of a minute.
        trap.write("Makefile", &"t: ; nvcc -dlink a.o -o b.o && nvcc -dc x.cu\n".repeat(30_000));
        let mut command = Command::new(env!("CARGO_BIN_EXE_hipshift"));
        command.args(arguments).current_dir(trap.folder.path("clone")).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.env("HOME", trap.path("home")).env("XDG_STATE_HOME", trap.path("state")).spawn().unwrap();
        std::thread::sleep(Duration::from_secs(2));
        signal("-INT", &child);
        let (code, time) = wait(child);
        assert!(matches!(code, Some(130 | 2)) && time < Duration::from_secs(10), "{code:?} {time:?}");
        let left = walkdir::WalkDir::new(trap.folder.path("clone/out")).into_iter().flatten();
        assert_eq!(left.filter(|entry| entry.file_type().is_file()).count(), 0);
        // The next run finds nothing in its way.
        std::fs::remove_file(trap.folder.path("clone/Makefile")).unwrap();
        says(&trap, &["convert", ".", "-o", "out"], 0, "converted");
    }
}

/// Whether this process, and those that it starts, pay no heed to SIGHUP.
fn ignores_hang_up() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
}

#[test]
fn a_review_that_is_ended_gives_the_terminal_back() {
    for (name, code) in [("-TERM", 143), ("-INT", 130), ("-HUP", 129)] {
        // Who runs tests under `nohup` wants no end by this signal, and programs respect that.
        if name == "-HUP" && ignores_hang_up() {
            continue;
        }
        let trap = Trap::new();
        let (mut pty, pts) = pty_process::blocking::open().unwrap();
        let command = pty_process::blocking::Command::new(env!("CARGO_BIN_EXE_hipshift")).args(["review", "."]);
        let child = command.current_dir(trap.folder.path("clone")).spawn(pts).unwrap();
        let mut shown = Vec::new();
        let mut bytes = [0; 4096];
        while !String::from_utf8_lossy(&shown).contains("hunk 1 of") {
            let count = pty.read(&mut bytes).unwrap();
            shown.extend_from_slice(&bytes[..count]);
        }
        signal(name, &child);
        // The other end is closed with the process.
        while let Ok(count @ 1..) = pty.read(&mut bytes) {
            shown.extend_from_slice(&bytes[..count]);
        }
        assert_eq!(wait(child).0, Some(code), "{name}");
        assert!(String::from_utf8_lossy(&shown).contains("\u{1b}[?1049l"), "{name}");
    }
}
