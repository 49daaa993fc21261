//! What the fuzz targets do, with mutated seeds in place of a fuzzer: the same mutations in each run, and as many as take some
//! seconds. `tests/fuzz` is for those who have more time; CONTRIBUTING.md says how.
#![cfg(unix)]
#![allow(unreachable_pub, reason = "the fuzz targets are a library of their own")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test that cannot go on fails"
)]

#[path = "fuzz/src/build_files.rs"]
mod build_files;
#[path = "fuzz/src/configuration.rs"]
mod configuration;
#[path = "fuzz/src/journals.rs"]
mod journals;
#[path = "fuzz/src/messages.rs"]
mod messages;
#[path = "fuzz/src/patches.rs"]
mod patches;
#[path = "fuzz/src/place.rs"]
mod place;
#[path = "fuzz/src/records.rs"]
mod records;
#[path = "fuzz/src/tables.rs"]
mod tables;

use std::path::Path;
use std::process::Command;

/// Bytes that formats give a meaning to.
const WORDS: &[&str] =
    &["\0", "\n", "\"", "{", "}", "[", "]", "../", "/", "\\u0000", "-1", "99999999999999999999", "é", "null", "="];

/// Numbers that look random, the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit.max(1)
    }

    fn mutate(&mut self, bytes: &mut Vec<u8>, other: &[u8]) {
        for _ in 0..=self.below(4) {
            let at = self.below(bytes.len() + 1);
            let to = (at + self.below(16)).min(bytes.len());
            match self.below(6) {
                0 if at < bytes.len() => bytes[at] ^= 1 << self.below(8),
                1 => drop(bytes.drain(at..to)),
                2 => drop(bytes.splice(at..at, WORDS[self.below(WORDS.len())].bytes())),
                3 => drop(bytes.splice(at..to, WORDS[self.below(WORDS.len())].bytes())),
                4 => drop(bytes.splice(at..at, bytes[at..to].to_vec())),
                _ => {
                    let from = self.below(other.len());
                    bytes.truncate(at);
                    bytes.extend_from_slice(&other[from..]);
                }
            }
        }
    }
}

/// Runs a target on its seeds and on mutations of these.
fn mutate(name: &str, count: usize, run: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/seeds").join(name);
    let mut paths: Vec<_> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let seeds: Vec<Vec<u8>> = paths.iter().map(|path| std::fs::read(path).unwrap()).collect();
    assert!(seeds.len() >= 2, "{name} has too few seeds");
    for seed in &seeds {
        run(seed);
    }
    let mut random = Random(1);
    for _ in 0..count {
        let mut bytes = seeds[random.below(seeds.len())].clone();
        let other = &seeds[random.below(seeds.len())];
        random.mutate(&mut bytes, other);
        let shown = bytes.clone();
        let is_fine = std::panic::catch_unwind(|| run(&bytes)).is_ok();
        assert!(is_fine, "{name} fails on `{}`", shown.escape_ascii());
    }
}

#[test]
fn build_files_are_read() {
    mutate("build_files", 20_000, build_files::run);
}

#[test]
fn configurations_are_read() {
    mutate("configuration", 20_000, configuration::run);
}

#[test]
fn tables_are_read() {
    mutate("tables", 40, tables::run);
}

#[test]
fn records_are_read() {
    mutate("records", 10_000, records::run);
}

#[test]
fn patches_agree_with_themselves() {
    mutate("patches", 20_000, patches::run);
}

#[test]
fn messages_are_answered() {
    mutate("messages", 1_000, messages::run);
}

/// In a process of its own, whose state folder is another one than the user's.
#[test]
fn journals_change_nothing_outside() {
    let name = "mutations::journals_change_nothing_outside";
    if std::env::var_os("HIPSHIFT_TEST_CHILD").is_some() {
        return mutate("journals", 5_000, journals::run);
    }
    let state = tempfile::tempdir().unwrap();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", name, "--nocapture"]).env("HIPSHIFT_TEST_CHILD", "1").env("XDG_STATE_HOME", state.path());
    let output = command.output().unwrap();
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && shown.contains("1 passed"),
        "{shown}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn each_target_is_run_and_described_and_has_seeds() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| std::fs::read_to_string(root.join(path)).unwrap();
    let [manifest, script, guide] = ["tests/fuzz/Cargo.toml", "tests/fuzz/run", "CONTRIBUTING.md"].map(read);
    let all = script.lines().find_map(|line| line.trim().strip_prefix("targets=(convert ")?.strip_suffix(')')).unwrap();
    let targets: Vec<&str> =
        manifest.split("[[bin]]\nname = \"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert_eq!(all.split(' ').count() + 1, targets.len(), "{targets:?}");
    for target in targets {
        assert!(target == "convert" || all.split(' ').any(|name| name == target), "{target} is not run");
        assert!(guide.contains(&format!("\n| `{target}` | ")), "{target} is not described");
        let has_seeds = root.join("tests/fuzz/seeds").join(target).is_dir();
        assert!(has_seeds || matches!(target, "read" | "convert"), "{target} has no seeds");
    }
}
