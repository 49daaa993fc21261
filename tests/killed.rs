//! Runs over 200 files that are killed after a random time: another judge than `interrupted.rs`, which knows where a run changes
//! the disk. `HIPSHIFT_KILLS=500 cargo test --test all killed:: -- --nocapture` kills as often as it says, and tells where.
#![cfg(unix)]

use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::common::folder::Folder;
use crate::common::terminal::Session;
use crate::common::tree::{Node, Tree, tree};

/// Without the variable; what a person waits for.
const USUAL: usize = 30;
const FILES: usize = 200;

fn kills() -> usize {
    std::env::var("HIPSHIFT_KILLS").map_or(USUAL, |count| count.parse().unwrap())
}

/// A command, and what has happened before in the tree that it works on.
struct Case {
    name: &'static str,
    arguments: &'static [&'static str],
    /// Runs before.
    before: &'static [&'static [&'static str]],
    /// Whether sources and results were edited since.
    is_edited: bool,
    /// A later run that changes nothing itself but puts things in order.
    next: &'static [&'static str],
}

const IN_PLACE: &[&str] = &["convert", ".", "--in-place", "--allow-dirty", "--ext", "hip", "-q"];
const TO_OUTPUT: &[&str] = &["convert", "src", "-o", "out", "-q"];
const NEXT: &[&str] = &["convert", "src/plain.cpp", "--in-place", "--allow-dirty", "-q"];
const NEXT_OUTPUT: &[&str] = &["convert", "src/plain.cpp", "-o", "out/", "-q"];

const CASES: &[Case] = &[
    Case { name: "convert --in-place", arguments: IN_PLACE, before: &[], is_edited: false, next: NEXT },
    Case { name: "convert -o", arguments: TO_OUTPUT, before: &[NEXT_OUTPUT], is_edited: false, next: NEXT_OUTPUT },
    Case {
        name: "update",
        arguments: &["update", "-o", "out"],
        before: &[TO_OUTPUT],
        is_edited: true,
        next: NEXT_OUTPUT,
    },
    Case { name: "undo", arguments: &["undo"], before: &[IN_PLACE], is_edited: false, next: NEXT },
    Case {
        name: "lint --fix",
        arguments: &["lint", ".", "--fix", "--allow-dirty", "--format", "concise"],
        before: &[],
        is_edited: false,
        next: NEXT,
    },
];

/// A folder with the tree and the user's state for it, which can be put back to what they were at first. Journals know trees by
/// their paths, so that both stay where they are.
struct Bench {
    root: Folder,
}

impl Bench {
    fn new(case: Option<&Case>) -> Bench {
        let bench =
            Bench { root: Folder::new(&[("work/tree/.git/HEAD", ""), ("work/tree/src/plain.cpp", "int x;\n")]) };
        for number in 0..FILES {
            let include = if number % 3 == 0 { "#include <cuda.h>\r\n" } else { "#include <cuda_runtime.h>\n" };
            let text = format!("{include}void f{number}(void* p) {{ cudaFree(p); cudaDeviceSynchronize(); }}\n");
            bench.root.write(&format!("work/tree/src/d{}/f{number}.cu", number % 7), text.as_bytes());
        }
        for arguments in case.iter().flat_map(|case| case.before) {
            let output = bench.run(arguments);
            assert_eq!(output.status.code(), Some(0), "{output:?}");
        }
        if case.is_some_and(|case| case.is_edited) {
            bench.edit();
        }
        bench.copy("work", "first");
        bench
    }

    /// Changes on both sides, as a person and an upstream project make them.
    fn edit(&self) {
        for number in (0..FILES).step_by(2) {
            let (source, result) =
                (format!("src/d{}/f{number}.cu", number % 7), format!("out/d{}/f{number}.cu", number % 7));
            let add = |path: &str, line: &str| {
                let path = format!("work/tree/{path}");
                self.root.write(&path, format!("{}{line}", self.root.read(&path)).as_bytes());
            };
            add(&source, "\n\n// upstream: cudaMalloc\n");
            if number % 4 == 0 {
                let text = format!("// by hand\n{}", self.root.read(&format!("work/tree/{result}")));
                self.root.write(&format!("work/tree/{result}"), text.as_bytes());
            }
        }
        std::fs::remove_file(self.tree().join("src/d1/f1.cu")).unwrap();
        std::fs::rename(self.tree().join("src/d3/f3.cu"), self.tree().join("src/d3/moved.cu")).unwrap();
    }

    fn copy(&self, from: &str, to: &str) {
        let _ = std::fs::remove_dir_all(self.root.path(to));
        let status = Command::new("cp").arg("-a").args([self.root.path(from), self.root.path(to)]).status().unwrap();
        assert!(status.success());
    }

    /// Puts everything back to what it was at first.
    fn again(&self) {
        self.copy("first", "work");
    }

    fn tree(&self) -> PathBuf {
        self.root.path("work/tree")
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hipshift"));
        command.current_dir(self.tree()).args(arguments).env("XDG_STATE_HOME", self.root.path("work/state"));
        command.stdin(Stdio::null());
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }
}

/// Numbers that look random, the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// What a case has come to.
#[derive(Debug, Default)]
struct Outcome {
    kills: usize,
    /// The run ended before it was killed.
    late: usize,
    old: usize,
    new: usize,
}

/// Every file is the old one or the new one as a whole; half-written ones have names of their own.
#[track_caller]
fn assert_whole(seen: &Tree, old: &Tree, new: &Tree) {
    let is_temporary = |path: &str| path.rsplit('/').next().unwrap().starts_with(".hipshift-");
    for (path, node) in seen.iter().filter(|(path, node)| !is_temporary(path) && **node != Node::Empty) {
        assert!(old.get(path) == Some(node) || new.get(path) == Some(node), "{path}: {node:?}");
    }
}

/// Kills a case some times.
fn kill(case: &Case, times: usize, random: &mut Random) -> Outcome {
    let bench = Bench::new(Some(case));
    let old = tree(&bench.tree());
    let start = Instant::now();
    let output = bench.run(case.arguments);
    let whole = start.elapsed();
    assert!(output.status.code().is_some_and(|code| code < 2), "{output:?}");
    let new = tree(&bench.tree());
    assert!(old != new && whole < Duration::from_secs(1) * 10);
    let mut outcome = Outcome::default();
    for _ in 0..times {
        bench.again();
        let mut child = bench.command(case.arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let micros = u64::try_from(whole.as_micros()).unwrap();
        std::thread::sleep(Duration::from_micros(random.below(micros)));
        child.kill().unwrap();
        outcome.kills += 1;
        outcome.late += usize::from(child.wait().unwrap().signal().is_none());
        assert_whole(&tree(&bench.tree()), &old, &new);
        let recovered = bench.run(case.next);
        assert_eq!(recovered.status.code(), Some(0), "{}: {recovered:?}", case.name);
        let now = tree(&bench.tree());
        assert!(now == old || now == new, "{}: neither the old tree nor the new one", case.name);
        outcome.old += usize::from(now == old);
        outcome.new += usize::from(now == new);
        // Whatever is left can be worked on as if nothing had happened.
        let after = bench.run(case.arguments);
        assert!(after.status.code().is_some_and(|code| code < 2) || case.name == "undo", "{}: {after:?}", case.name);
        if now == old {
            assert_eq!(tree(&bench.tree()), new, "{}", case.name);
        }
    }
    outcome
}

/// Reviews that are killed between keys: sources stay, and decisions are those up to one key or the next.
fn kill_reviews(times: usize, random: &mut Random) -> Outcome {
    let bench = Bench::new(None);
    let old = tree(&bench.tree());
    let mut outcome = Outcome::default();
    for _ in 0..times {
        bench.again();
        let state = bench.root.path("work/state").to_str().unwrap().to_owned();
        let session = Session::start(&bench.tree(), &["review", "src"], &[("XDG_STATE_HOME", &state)]);
        session.wait_for("hunk 1 of");
        let end = Instant::now() + Duration::from_millis(random.below(300));
        let mut pressed = 0;
        while Instant::now() < end {
            session.press(["y", "n", "a"][usize::try_from(random.below(3)).unwrap()]);
            pressed += 1;
            std::thread::sleep(Duration::from_millis(1 + random.below(4)));
        }
        session.kill();
        outcome.kills += 1;
        assert_eq!(tree(&bench.tree()), old);
        let decided = std::fs::read_to_string(bench.tree().join(".hipshift/decisions.toml")).unwrap_or_default();
        // They are read, and no file beside them is left by half.
        let converted = bench.run(&["convert", "src", "-o", "out", "-q"]);
        assert!(converted.status.code().is_some_and(|code| code < 2), "after {pressed} keys: {converted:?}");
        outcome.new += usize::from(!decided.is_empty());
        outcome.old += usize::from(decided.is_empty());
        let next = Session::start(&bench.tree(), &["review", "src"], &[("XDG_STATE_HOME", &state)]);
        next.press_for("q", "next: `hipshift review src` goes on");
        next.kill();
    }
    outcome
}

#[test]
fn a_kill_at_any_time_leaves_the_old_tree_or_the_new() {
    let mut random = Random(u64::try_from(kills()).unwrap());
    let share = |number: usize| kills() / (CASES.len() + 1) + usize::from(number < kills() % (CASES.len() + 1));
    let mut all = Outcome::default();
    for (number, case) in CASES.iter().enumerate() {
        let outcome = kill(case, share(number), &mut random);
        eprintln!("{}: {outcome:?}", case.name);
        all.kills += outcome.kills;
        all.late += outcome.late;
    }
    let reviews = kill_reviews(share(CASES.len()), &mut random);
    eprintln!("review: {reviews:?}");
    assert_eq!(all.kills + reviews.kills, kills());
    assert!(all.late * 2 < all.kills, "{all:?}: most runs had ended");
}
