//! `hipshift lint` through the real process: formats, exit codes, fixes, and which findings count.

use crate::common;

use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::folder::{Folder, check, command, commit, git, hipshift, stateless};
use serde_json::Value;

const PORT: &str = include_str!("../fixtures/lint/port.cu");
const CONVERTED: &str = include_str!("../fixtures/lint/converted.hip");
const CLEAN: &str = include_str!("../fixtures/lint/clean.hip");

/// One finding of severity warning, and plain translations.
const FINDING: &str = "#include <cuda_runtime.h>\nvoid f() { cudaFrobnicate(); }\n";

/// The fixtures, and a file that cannot be read.
fn fixtures() -> Folder {
    let folder = Folder::new(&[("port.cu", PORT), ("converted.hip", CONVERTED), ("clean.hip", CLEAN)]);
    folder.write("wide.cu", b"\xff\xfec\0");
    folder
}

/// What lint prints in a format, whatever the version of hipshift.
fn report(format: &str) -> String {
    let output = hipshift(&fixtures(), &["lint", ".", "--format", format]);
    assert_eq!(output.status.code(), Some(2), "a file cannot be read");
    String::from_utf8(output.stdout).unwrap().replace(env!("CARGO_PKG_VERSION"), "VERSION")
}

#[track_caller]
fn check_report(format: &str) {
    insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!(format, report(format)) });
}

#[test]
fn help_of_lint_fits_the_terminal() {
    insta_cmd::assert_cmd_snapshot!("lint_help", stateless(Path::new("."), &["lint", "-h"]));
}

#[test]
fn people_read_text() {
    check_report("text");
    check_report("concise");
}

#[test]
fn of_a_long_line_the_part_around_a_finding_is_shown() {
    let line =
        format!("void f(int ä) {{{} cudaFrobnicate();{} }}", " int a = 1;".repeat(400), " int b = 1;".repeat(400));
    let folder = Folder::new(&[("long.cu", &format!("#include <cuda_runtime.h>\n{line}\n"))]);
    let column = line.chars().take_while(|&letter| letter != 'F').count() - 3;
    for format in ["text", "sarif", "html"] {
        let output = String::from_utf8(hipshift(&folder, &["lint", ".", "--format", format]).stdout).unwrap();
        assert!(output.lines().all(|line| !line.contains(&" int b = 1;".repeat(60))), "{format}");
        assert!(output.contains(&column.to_string()) && output.contains("int b = 1;"), "{format}: {column}\n{output}");
    }
}

#[test]
fn programs_read_json() {
    check_report("json");
    check_report("jsonl");
    assert!(report("jsonl").lines().all(|line| serde_json::from_str::<Value>(line).is_ok()));
}

#[test]
fn code_hosts_read_their_formats() {
    check_report("github");
    check_report("gitlab");
    check_report("junit");
}

#[test]
fn sarif_is_what_its_schema_says() {
    let mut log: Value = serde_json::from_str(&report("sarif")).unwrap();
    let schema = std::fs::read(common::root().join("tests/data/sarif/sarif-schema-2.1.0.json")).unwrap();
    let mut schema: Value = serde_json::from_slice(&schema).unwrap();
    // This pattern of the published schema is no regular expression; we never write the property.
    for of in ["run", "toolComponent"] {
        schema["definitions"][of]["properties"]["language"].as_object_mut().unwrap().remove("pattern");
    }
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<_> =
        validator.iter_errors(&log).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}");

    let rules = log["runs"][0]["tool"]["driver"]["rules"].take();
    for result in log["runs"][0]["results"].as_array_mut().unwrap() {
        let index = result.as_object_mut().unwrap().remove("ruleIndex").unwrap();
        let rule = &rules[usize::try_from(index.as_u64().unwrap()).unwrap()];
        assert_eq!(rule["id"], result["ruleId"]);
        assert!(rule["help"]["markdown"].as_str().unwrap().starts_with("## What it does"));
    }
    let rest = serde_json::to_string_pretty(&log).unwrap();
    insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!("sarif", rest) });
}

#[test]
fn the_page_for_browsers_stands_alone() {
    let page = report("html");
    for outside in ["http:", "https:", "src=", "href=", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
    let main = page.split_once("<main>").unwrap().1;
    insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!("html", main.replace("><", ">\n<")) });
}

#[test]
fn the_estimate_groups_findings_by_effort() {
    let folder = Folder::new(&[("port.cu", PORT), ("converted.hip", CONVERTED), ("clean.hip", CLEAN)]);
    let output = hipshift(&folder, &["lint", "--estimate", "--fail-on", "never"]);
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    let page = std::fs::read_to_string(common::root().join("docs/lint.md")).unwrap();
    assert!(page.contains(&text), "docs/lint.md shows another estimate");
    insta::assert_snapshot!("estimate", text);
    let output = hipshift(&folder, &["lint", "--estimate", "--format", "json"]);
    let estimate: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(estimate["efforts"][2]["rules"][0]["rule"], "unknown-name");
    check(&folder, &["lint", "--estimate", "--format", "sarif"], 2, "text or JSON");
}

#[test]
fn colour_comes_when_it_is_asked_for() {
    let folder = fixtures();
    let is_colored = |arguments: &[&str]| hipshift(&folder, arguments).stdout.contains(&0x1b);
    assert!(!is_colored(&["lint", "port.cu"]));
    assert!(is_colored(&["lint", "port.cu", "--color", "always"]));
}

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_gets_colour_unless_it_is_not_wanted() {
    let folder = fixtures();
    let is_colored = |variable: &str| {
        let mut terminal = Command::new("script");
        let line = format!("{} lint port.cu", env!("CARGO_BIN_EXE_hipshift"));
        terminal.args(["-qec", &line, "/dev/null"]).current_dir(folder.0.path()).stdin(Stdio::null());
        terminal.env_remove("NO_COLOR").env("TERM", "xterm").env(variable, "1");
        let output = terminal.output().unwrap();
        assert!(String::from_utf8_lossy(&output.stdout).contains("port.cu:"), "{output:?}");
        output.stdout.contains(&0x1b)
    };
    assert!(is_colored("NOTHING"));
    assert!(!is_colored("NO_COLOR"));
}

#[test]
fn exit_codes_follow_the_gravity_asked_for() {
    let info = "#include <cuda.h>\n__managed__ int x;\n";
    let error = "void f() { cudaGraphAddMemFreeNodeX(); }\n#include <mma.h>\n";
    let folder = Folder::new(&[("clean.hip", CLEAN), ("info.cu", info), ("warning.cu", FINDING), ("error.cu", error)]);
    check(&folder, &["lint", "clean.hip"], 0, "no findings in 1 file");
    check(&folder, &["lint", "info.cu"], 0, "1 finding in 1 file: 1 info");
    check(&folder, &["lint", "info.cu", "--fail-on", "info"], 1, "1 info");
    check(&folder, &["lint", "warning.cu"], 1, "1 warning");
    check(&folder, &["lint", "warning.cu", "--fail-on", "error"], 0, "1 warning");
    check(&folder, &["lint", "error.cu", "--fail-on", "error"], 1, "1 error");
    check(&folder, &["lint", "error.cu", "--fail-on", "never"], 0, "1 error");
    check(&folder, &["lint", "none.cu"], 2, "none.cu");
    check(&folder, &["lint", "warning.cu", "--ignore", "A005"], 0, "no findings");
    check(&folder, &["lint", "warning.cu", "--select", "W"], 0, "no findings");
}

#[test]
fn names_of_cuda_are_mistakes_in_hip_only() {
    let folder = Folder::new(&[
        ("a.cu", "#include <cuda_runtime.h>\nvoid f(void* p) { cudaFree(p); k<<<1, 2>>>(); }\n"),
        ("a.hip", "void f(void* p) { cudaFree(p); k<<<1, 2>>>(); }\n"),
        ("a.cpp", "#include <hip/hip_runtime.h>\n#include <cuda_fp16.h>\nvoid f(void* p) { cublasSgemm(p); }\n"),
        ("shim.hip", "typedef __hip_bfloat16 nv_bfloat16;\nusing cudaError_t = hipError_t;\ncudaError_t last();\n"),
        ("chevrons.hip", "__global__ void k();\nvoid f() { k<< <1, 2>> >(); }\n"),
        ("own.hip", "void cudaHelper() {}\nvoid f(void* p) { cudaHelper(); }\n"),
    ]);
    check(&folder, &["lint", "a.cu"], 0, "no findings");
    check(&folder, &["lint", "a.hip"], 1, "1 finding in 1 file: 1 warning");
    check(&folder, &["lint", "a.cpp"], 1, "2 findings in 1 file: 2 warnings");
    check(&folder, &["lint", "own.hip"], 0, "no findings");
    check(&folder, &["lint", "shim.hip"], 0, "no findings");
    check(&folder, &["lint", "chevrons.hip"], 1, "chevrons with spaces");
    folder.write("hipshift.toml", b"[severity]\nrenamed-name = \"hint\"\n");
    check(&folder, &["lint", "a.hip"], 0, "no findings");
}

#[test]
fn wave_code_is_looked_at_in_hip_too() {
    let kernel = "__global__ void k(float* x) { *x += __shfl_down_sync(0xffffffff, *x, 16); }\n";
    let folder = Folder::new(&[("a.hip", kernel), ("b.h", &format!("#include <hip/hip_runtime.h>\n{kernel}"))]);
    check(&folder, &["lint", "a.hip"], 1, "narrow-lane-mask");
    check(&folder, &["lint", "b.h"], 1, "narrow-lane-mask");
}

#[test]
fn launch_bounds_of_hip_are_left_alone() {
    let kernel = "__global__ void __launch_bounds__(256, 2) k(float* x) { *x = 1; }\n";
    let calling = format!("{kernel}void f(void* p) {{ hipFree(p); }}\n");
    let folder = Folder::new(&[("a.hip.h", kernel), ("b.h", &calling), ("c.cuh", kernel)]);
    for file in ["a.hip.h", "b.h", "c.cuh"] {
        hipshift(&folder, &["lint", file, "--fix", "--unsafe-fixes"]);
    }
    assert_eq!(folder.read("a.hip.h"), kernel);
    assert_eq!(folder.read("b.h"), calling);
    assert!(
        !folder.read("c.cuh").contains("__launch_bounds__(256, 2)"),
        "the second number means another thing in CUDA"
    );
}

#[test]
fn fixes_change_the_files() {
    let folder = Folder::new(&[("a.hip", "void f(void* p) {\n    cudaFree(p);\n}\n"), ("port.cu", PORT)]);
    check(&folder, &["lint", "a.hip", "--fix"], 0, "fixed 1 finding in 1 file");
    assert_eq!(folder.read("a.hip"), "void f(void* p) {\n    hipFree(p);\n}\n");
    check(&folder, &["lint", "a.hip", "--fix"], 0, "no findings in 1 file");

    // What a fix of a CUDA source gives is what conversion gives.
    check(&folder, &["convert", "port.cu", "-o", "expected.cu"], 1, "1 of 1");
    check(&folder, &["lint", "port.cu", "--fix"], 1, "A005");
    assert_eq!(folder.read("port.cu"), folder.read("expected.cu"));
    let safe = folder.read("port.cu");
    check(&folder, &["lint", "port.cu", "--unsafe-fixes"], 1, "A005");
    assert_eq!(folder.read("port.cu"), safe, "what is not asked for is not done");
    check(&folder, &["lint", "port.cu", "--fix", "--unsafe-fixes"], 1, "fixed 1 finding");
    assert!(folder.read("port.cu").contains("= wall_clock64();"));
}

#[test]
fn lines_are_those_of_the_fixed_text() {
    let folder = Folder::new(&[("a.cu", "__global__ void k() {}\nvoid f() { cudaFrobnicate(); }\n")]);
    check(&folder, &["lint", "a.cu", "--fix", "--format", "concise"], 1, "a.cu:3:12: warning A005");
    check(&folder, &["lint", "a.cu", "--format", "concise"], 1, "a.cu:3:12: warning A005");
}

#[test]
fn only_selected_findings_are_fixed() {
    let folder = Folder::new(&[("a.cu", "#include <cuda_runtime.h>\nvoid f(void* p) { cudaFree(p); }\n")]);
    check(&folder, &["lint", "a.cu", "--fix", "--select", "H"], 0, "fixed 1 finding");
    assert_eq!(folder.read("a.cu"), "#include <hip/hip_runtime.h>\nvoid f(void* p) { cudaFree(p); }\n");
}

#[test]
fn standard_input_can_be_linted_and_fixed() {
    let run = |arguments: &[&str]| {
        let folder = Folder::new(&[]);
        let mut child = command(folder.0.path(), arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), FINDING.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap())
    };
    assert!(run(&["lint", "-"])[0].contains("<stdin>:2:12"));
    let [text, findings] = run(&["lint", "-", "--fix", "--format", "concise"]);
    assert_eq!(text, "#include <hip/hip_runtime.h>\nvoid f() { cudaFrobnicate(); }\n");
    assert!(findings.contains("<stdin>:2:12: warning A005"));
    check(&Folder::new(&[]), &["lint", "-", "--staged"], 2, "`-` stands alone");
}

#[test]
fn names_that_other_files_declare_are_known() {
    let folder = Folder::new(&[("a.cu", FINDING), ("b.h", "void cudaFrobnicate() {}\n")]);
    check(&folder, &["lint", "a.cu"], 1, "A005");
    check(&folder, &["lint", "."], 0, "no findings in 2 files");
}

#[test]
fn a_baseline_holds_what_is_known() {
    let folder = Folder::new(&[("src/a.cu", FINDING)]);
    check(&folder, &["lint", "src", "--write-baseline", "known.json"], 0, "1 finding written to known.json");
    insta::assert_snapshot!("baseline", folder.read("known.json"));
    check(&folder, &["lint", "src", "--baseline", "known.json"], 0, "1 known from the baseline");

    // Lines may move and blanks may change.
    let moved = "#include <cuda_runtime.h>\n// more\n\n  void   f() { cudaFrobnicate(); }\n";
    folder.write("src/a.cu", moved.as_bytes());
    check(&folder, &["lint", "src/a.cu", "--baseline", "known.json"], 0, "1 known from the baseline");
    let absolute = folder.path("src").to_str().unwrap().to_owned();
    check(&folder, &["lint", &absolute, "--baseline", "known.json"], 0, "1 known from the baseline");

    // A second one on the same kind of line was not there.
    folder.write("src/a.cu", format!("{moved}  void f() {{ cudaFrobnicate(); }}\n").as_bytes());
    check(&folder, &["lint", "src", "--baseline", "known.json", "--format", "concise"], 1, "src/a.cu:5:14: warning");

    // A baseline can be renewed from itself, and read by its own kind only.
    let renew = ["lint", "src", "--baseline", "known.json", "--write-baseline", "known.json"];
    check(&folder, &renew, 0, "2 findings written");
    check(&folder, &["lint", "src", "--baseline", "none.json"], 2, "none.json");
    folder.write("other.json", b"{\"schema\": 9, \"files\": {}}");
    check(&folder, &["lint", "src", "--baseline", "other.json"], 2, "its format is 9");
}

#[test]
fn what_the_baseline_holds_is_not_fixed() {
    let source = "void f(void* p) { cudaFree(p); }\n";
    let folder = Folder::new(&[("a.hip", source)]);
    check(&folder, &["lint", "a.hip", "--write-baseline", "known.json"], 0, "1 finding written");
    let more = "void g(void* p) { cudaFree(p); }\n";
    folder.write("a.hip", format!("{source}{more}").as_bytes());
    check(&folder, &["lint", "a.hip", "--baseline", "known.json", "--fix"], 0, "fixed 1 finding");
    assert_eq!(folder.read("a.hip"), format!("{source}{}", more.replace("cuda", "hip")));
}

/// A repository with `a.cu`, which has a finding, committed.
fn repository() -> Folder {
    let folder = Folder::new(&[("a.cu", FINDING), ("clean.hip", CLEAN)]);
    git(&folder, &["init", "-q"]);
    commit(&folder);
    folder
}

#[test]
fn lines_that_changed_can_be_asked_about() {
    let folder = repository();
    check(&folder, &["lint", ".", "--since", "HEAD"], 0, "no findings in 2 files");
    folder.write("a.cu", format!("{FINDING}void g() {{ cudaMeander(); }}\n").as_bytes());
    folder.write("sub dir/neü.cu", FINDING.as_bytes());
    let output = hipshift(&folder, &["lint", "--since", "HEAD", "--format", "concise"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("a.cu:3:12: warning A005") && text.contains("sub dir/neü.cu:2:12"), "{text}");
    assert!(text.contains("2 findings in 2 files"), "{text}");
    check(&folder, &["lint", "sub dir", "--since", "HEAD"], 1, "1 finding in 1 file");

    // Fixes keep to the changed lines.
    folder.write("a.cu", format!("{FINDING}void g(void* p) {{ cudaFree(p); }}\n").as_bytes());
    check(&folder, &["lint", "a.cu", "--since", "HEAD", "--fix", "--allow-dirty"], 0, "fixed 1 finding");
    assert_eq!(folder.read("a.cu"), format!("{FINDING}void g(void* p) {{ hipFree(p); }}\n"));
    check(&folder, &["lint", "a.cu", "--since", "nonsense"], 2, "`nonsense` is no commit");
    check(&Folder::new(&[("a.cu", FINDING)]), &["lint", "a.cu", "--since", "HEAD"], 2, "git");
}

#[test]
fn staged_content_is_linted_in_place_of_the_work_tree() {
    let folder = repository();
    check(&folder, &["lint", "--staged"], 0, "no findings in 0 files");
    folder.write("b.cu", FINDING.as_bytes());
    folder.write("odd.name", FINDING.as_bytes());
    git(&folder, &["add", "b.cu", "odd.name"]);
    folder.write("b.cu", b"int clean;\n");
    check(&folder, &["lint", "--staged", "--format", "concise"], 1, "b.cu:2:12: warning A005");
    check(&folder, &["lint", "--staged", "odd.name"], 1, "1 finding in 1 file");
    check(&folder, &["lint", "b.cu"], 0, "no findings in 1 file");

    // A build file is one of the project, unless these are left out.
    folder.write("Makefile", b"check:\n\tcuda-memcheck ./a\n");
    git(&folder, &["add", "Makefile"]);
    check(&folder, &["lint", "--staged", "--format", "concise"], 1, "Makefile:2:2: warning B");
    check(&folder, &["lint", "--staged", "--no-build-files"], 1, "1 finding in 1 file");

    // The other way round: what is not staged does not count.
    commit(&folder);
    folder.write("b.cu", b"int x; void f() { cudaMeander(); }\n");
    check(&folder, &["lint", "--staged"], 0, "no findings in 0 files");
    git(&folder, &["add", "b.cu"]);
    check(&folder, &["lint", "--staged", "--since", "HEAD"], 1, "cudaMeander");
    check(&folder, &["lint", "--staged", "--fix"], 2, "cannot be used with");

    // Nothing is committed yet, and a file is gone from the work tree.
    let folder = Folder::new(&[("sub/a.cu", FINDING)]);
    git(&folder, &["init", "-q"]);
    git(&folder, &["add", "sub/a.cu"]);
    std::fs::remove_file(folder.path("sub/a.cu")).unwrap();
    check(&folder, &["lint", "--staged", "sub"], 1, "1 finding in 1 file");
}

#[cfg(unix)]
#[test]
fn a_hook_of_git_sees_what_is_committed() {
    let folder = repository();
    folder.write("sub/b.cu", CLEAN.as_bytes());
    commit(&folder);
    let hook = format!("exec {} lint --staged --format concise\n", env!("CARGO_BIN_EXE_hipshift"));
    common::script::script(&folder.path(".git/hooks/pre-commit"), &hook);
    let try_commit = |place: &str| {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-a", "-m", "try"]);
        let output = command.current_dir(folder.path(place)).output().unwrap();
        (output.status.success(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
    };
    // `commit -a` hands the hook an index of its own.
    folder.write("sub/b.cu", FINDING.as_bytes());
    let (passed, text) = try_commit("sub");
    assert!(!passed && text.contains("sub/b.cu:2:12: warning A005"), "{text}");
    folder.write("sub/b.cu", format!("{CLEAN}// more\n").as_bytes());
    let (passed, text) = try_commit("sub");
    assert!(passed, "{text}");
}

#[test]
fn the_number_of_threads_does_not_change_the_report() {
    let folder = Folder::new(&[]);
    for number in 0..40 {
        folder.write(&format!("{number}.cu"), PORT.as_bytes());
    }
    let run = |threads: &str| hipshift(&folder, &["lint", ".", "-j", threads, "--format", "sarif"]).stdout;
    assert_eq!(run("1"), run("2"));
}

#[test]
fn suppressed_names_of_cuda_in_hip_count_as_suppressed() {
    let text = "#include <hip/hip_runtime.h>\nvoid f(int *p) {\n    cudaFree(p); // hipshift: ignore[A001] why\n}\n";
    let folder = Folder::new(&[("a.hip", text)]);
    let report = crate::common::json(&hipshift(&folder, &["lint", "a.hip", "--format", "json"]));
    assert_eq!(report["summary"]["unlisted"]["suppressed"], 1, "{report}");
}
