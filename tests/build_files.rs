//! Options in build files that the AMD compiler has no counterpart of.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a test that cannot go on fails")]

mod common;

use camino::Utf8PathBuf;
use hipshift::project::check_build_files;
use hipshift::settings::Settings;

/// `file:line rule` of all findings in files of a folder.
fn findings(files: &[(&str, &str)], settings: &Settings) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| Utf8PathBuf::from_path_buf(folder.path().join(name)).unwrap();
    for (name, text) in files {
        std::fs::write(path(name), text).unwrap();
    }
    let paths: Vec<Utf8PathBuf> = files.iter().map(|(name, _)| path(name)).collect();
    let reports = check_build_files(&paths, common::table(), settings);
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
