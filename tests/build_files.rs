//! Options in build files that the AMD compiler has no counterpart of.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a test that cannot go on fails")]

mod common;

use camino::Utf8PathBuf;
use common::folder::{Folder, check, commit, git, hipshift};
use hipshift::engine::{BUILD_FILE_EXTENSIONS, BUILD_FILE_NAMES};
use hipshift::project::{LintRun, check_build_files};
use hipshift::settings::Settings;

/// `file:line rule` of all findings in files of a folder.
fn findings(files: &[(&str, &str)], settings: &Settings) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| Utf8PathBuf::from_path_buf(folder.path().join(name)).unwrap();
    for (name, text) in files {
        std::fs::write(path(name), text).unwrap();
    }
    let paths: Vec<Utf8PathBuf> = files.iter().map(|(name, _)| path(name)).collect();
    let reports = check_build_files(&paths, LintRun::new(common::table(), settings));
    let places = reports.iter().flat_map(|report| {
        let name = report.path.file_name().unwrap_or_default();
        report.findings.iter().map(move |found| format!("{name}:{} {}", found.start.line, found.diagnostic.rule.name))
    });
    places.collect()
}

#[test]
fn options_without_counterpart_are_found_in_build_files() {
    let cmake = "project(app CUDA)\nadd_compile_options(--maxrregcount=64)\n";
    let files = [
        ("CMakeLists.txt", cmake),
        ("flags.mk", "NVCCFLAGS = -O3 -maxrregcount 32\nHIPFLAGS = -mwavefrontsize64\n"),
        ("notes.txt", "-maxrregcount=64"),
        ("setup.py", "flags = ['-O3']"),
    ];
    let expected =
        ["CMakeLists.txt:2 unsupported-option", "flags.mk:1 unsupported-option", "flags.mk:2 unsupported-option"];
    assert_eq!(findings(&files, &Settings::default()), expected);
}

#[test]
fn the_rule_can_be_switched_off() {
    let mut settings = Settings::default();
    settings.rules.ignore.push("B001".to_owned());
    assert!(findings(&[("Makefile", "x: -maxrregcount=64")], &settings).is_empty());
    let mut settings = Settings::default();
    settings.rules.select.push("W".to_owned());
    assert!(findings(&[("Makefile", "x: -maxrregcount=64")], &settings).is_empty());
    for chosen in ["B", "unsupported-option", "all"] {
        settings.rules.select = vec![chosen.to_owned()];
        assert_eq!(findings(&[("Makefile", "x: -maxrregcount=64")], &settings).len(), 1, "{chosen}");
    }
}

#[test]
fn a_build_file_that_is_named_is_linted() {
    let folder = Folder::new(&[("Makefile", "x: -maxrregcount=64\n")]);
    check(&folder, &["lint", "Makefile", "--format=concise"], 1, "Makefile:1:4: warning B001 unsupported-option");
}

#[test]
fn findings_in_build_files_are_known_by_baselines_and_changes_like_all_others() {
    let folder = Folder::new(&[("a.cu", "int a;\n"), ("Makefile", "x: -maxrregcount=64\n")]);
    check(&folder, &["lint", ".", "--write-baseline", "known.json"], 0, "1 finding written");
    check(&folder, &["lint", ".", "--baseline", "known.json"], 0, "1 known from the baseline");
    let output = hipshift(&folder, &["lint", ".", "--format=json"]);
    let fingerprint = &common::json(&output)["files"][1]["findings"][0]["fingerprint"];
    assert_eq!(fingerprint.as_str().map(str::len), Some(32), "{fingerprint}");
    git(&folder, &["init", "-q"]);
    commit(&folder);
    check(&folder, &["lint", ".", "--since", "HEAD"], 0, "no findings");
    folder.write("Makefile", b"x: -maxrregcount=64\ny: -maxrregcount=32\n");
    check(&folder, &["lint", ".", "--since", "HEAD"], 1, "Makefile:2:4");
}

#[test]
fn the_extension_for_vs_code_sends_all_build_files() {
    let options = std::fs::read_to_string(common::root().join("editors/vscode/src/server/options.ts")).unwrap();
    let (_, glob) = options.split_once("\"**/{").unwrap();
    let names: Vec<&str> = glob.split_once('}').unwrap().0.split(',').collect();
    let endings: Vec<String> = BUILD_FILE_EXTENSIONS.iter().map(|extension| format!("*.{extension}")).collect();
    let expected: Vec<&str> = BUILD_FILE_NAMES.iter().copied().chain(endings.iter().map(String::as_str)).collect();
    assert_eq!(names, expected);
}
