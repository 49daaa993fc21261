//! The hooks of `.pre-commit-hooks.yaml`, run by the real pre-commit in a git repository.
//!
//! pre-commit would build hipshift from a checkout; here it starts the binary under test.

use crate::common;

use std::path::{Path, PathBuf};
use std::process::Command;

use hipshift::build::{BUILD_FILE_EXTENSIONS, BUILD_FILE_NAMES, BuildKind, build_kind};

use crate::common::folder::Folder;

const CLEAN: &str = "#include <hip/hip_runtime.h>\nvoid f(void* p) { hipFree(p); }\n";
const CREPT_IN: &str = "#include <hip/hip_runtime.h>\nvoid f(void* p) { cudaFree(p); }\n";

/// A repository that uses the hooks, and the repository that has them.
struct Project {
    hooks: Folder,
    work: Folder,
    program: PathBuf,
}

impl Project {
    /// A repository with one hook; `None` with a note where pre-commit was not fetched.
    fn new(hook: &str) -> Option<Project> {
        let program = common::tool("pre-commit/bin/pre-commit")?;
        let hooks = std::fs::read_to_string(common::root().join(".pre-commit-hooks.yaml")).unwrap();
        let hooks = hooks.replace("language: rust", "language: system").replace("language: python", "language: system");
        let project =
            Project { hooks: Folder::new(&[(".pre-commit-hooks.yaml", &hooks)]), work: Folder::new(&[]), program };
        project.commit(&project.hooks);
        let revision = output(project.git(&project.hooks, &["rev-parse", "HEAD"])).1;
        let address = project.hooks.path("").display().to_string();
        let config = format!("repos:\n- repo: {address}\n  rev: {}\n  hooks:\n  - id: {hook}\n", revision.trim());
        project.work.write(".pre-commit-config.yaml", config.as_bytes());
        project.commit(&project.work);
        Some(project)
    }

    fn git(&self, folder: &Folder, arguments: &[&str]) -> Command {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]);
        command.args(arguments).current_dir(folder.path(""));
        self.prepare(&mut command);
        command
    }

    fn commit(&self, folder: &Folder) {
        for arguments in [&["init", "-q"][..], &["add", "--all"], &["commit", "-q", "-m", "state"]] {
            assert!(self.git(folder, arguments).status().unwrap().success());
        }
    }

    fn add(&self, path: &str) {
        assert!(self.git(&self.work, &["add", path]).status().unwrap().success());
    }

    /// Runs the hook as a commit would, and returns whether it passed and what it printed.
    fn run(&self, arguments: &[&str]) -> (bool, String) {
        let mut command = Command::new(&self.program);
        command.arg("run").args(arguments).current_dir(self.work.path(""));
        self.prepare(&mut command);
        output(command)
    }

    /// The binary under test is found first, and pre-commit keeps its files in the temporary folder.
    fn prepare(&self, command: &mut Command) {
        let binary = Path::new(env!("CARGO_BIN_EXE_hipshift")).parent().unwrap().to_owned();
        let others = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths(std::iter::once(binary).chain(std::env::split_paths(&others))).unwrap();
        command.env("PATH", path).env("PRE_COMMIT_HOME", self.hooks.path("cache")).env("PRE_COMMIT_COLOR", "never");
    }
}

fn output(mut command: Command) -> (bool, String) {
    let output = command.output().unwrap();
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    (output.status.success(), text)
}

/// The hooks by name, each with its lines.
fn hooks() -> Vec<(String, Vec<String>)> {
    let text = std::fs::read_to_string(common::root().join(".pre-commit-hooks.yaml")).unwrap();
    let hooks = text.split("- id: ").skip(1).map(|hook| {
        let lines = hook.lines().map(str::trim).filter(|line| !line.starts_with('#'));
        let mut lines = lines.map(str::to_owned);
        (lines.next().unwrap(), lines.collect())
    });
    hooks.collect()
}

#[test]
fn hooks_are_built_by_cargo_or_by_pip_and_do_the_same() {
    let hooks = hooks();
    assert_eq!(hooks.len(), 4);
    for name in ["hipshift-lint", "hipshift-fix"] {
        let of = |name: &str| hooks.iter().find(|(id, _)| id == name).unwrap().1.clone();
        let by_pip = of(&format!("{name}-python"));
        let by_cargo =
            of(name).iter().map(|line| line.replace("language: rust", "language: python")).collect::<Vec<_>>();
        assert_eq!(by_cargo, by_pip);
        assert_eq!(by_pip.iter().filter(|line| *line == "language: python").count(), 1);
    }
}

#[test]
fn hooks_take_every_source_and_what_is_converted_of_a_build() {
    for (hook, lines) in hooks() {
        let pattern = lines.iter().find_map(|line| line.strip_prefix("files: ")).unwrap();
        let pattern = regex_lite::Regex::new(pattern).unwrap();
        let sources = hipshift::project::EXTENSIONS.iter().map(|extension| format!("sub/a.{extension}"));
        let builds = BUILD_FILE_NAMES.iter().map(|name| format!("sub/{name}"));
        let by_extension = BUILD_FILE_EXTENSIONS.iter().map(|extension| format!("a.{extension}"));
        let is_read = |path: &String| build_kind(path.as_str().into()).is_none_or(BuildKind::is_read);
        for path in sources.chain(builds).chain(by_extension).filter(is_read) {
            assert!(pattern.is_match(&path), "{hook} leaves out {path}");
        }
        for path in ["notes.md", "data.txt", "Makefile.d/readme.rst", "a.cu.orig"] {
            assert!(!pattern.is_match(path), "{hook} takes {path}");
        }
    }
}

#[test]
fn clean_files_pass_and_findings_fail() {
    let Some(project) = Project::new("hipshift-lint") else { return };
    project.work.write("a.hip", CLEAN.as_bytes());
    project.work.write("notes.md", b"cudaFree");
    project.add(".");
    let (passed, text) = project.run(&[]);
    assert!(passed && text.contains("Passed"), "{text}");

    project.work.write("b.cpp", CREPT_IN.as_bytes());
    project.add("b.cpp");
    let (passed, text) = project.run(&[]);
    assert!(!passed && text.contains("b.cpp:2:19") && text.contains("- exit code: 1"), "{text}");
    assert_eq!(project.work.read("b.cpp"), CREPT_IN);
}

#[test]
fn fixed_files_are_reported_as_modified() {
    let Some(project) = Project::new("hipshift-fix") else { return };
    project.work.write("a.hip", CREPT_IN.as_bytes());
    project.add("a.hip");
    let (passed, text) = project.run(&[]);
    assert!(!passed && text.contains("files were modified by this hook"), "{text}");
    assert_eq!(project.work.read("a.hip"), CLEAN);
    project.add("a.hip");
    assert!(project.run(&[]).0);
}

#[test]
fn names_of_files_are_no_options() {
    for hook in ["hipshift-lint", "hipshift-fix"] {
        let Some(project) = Project::new(hook) else { return };
        project.work.write("known.h", CREPT_IN.as_bytes());
        for name in ["--write-baseline=known.h", "--baseline=known.h", "--fail-on=never.h", "--exclude=known.h"] {
            project.work.write(name, CLEAN.as_bytes());
        }
        assert!(project.git(&project.work, &["add", "--all"]).status().unwrap().success());
        let (passed, text) = project.run(&[]);
        assert!(!passed && text.contains("known.h:2:19") | text.contains("files were modified"), "{text}");
        assert!(project.work.read("known.h").contains("void f"), "{text}");
    }
}

#[test]
fn only_what_is_staged_counts() {
    let Some(project) = Project::new("hipshift-lint") else { return };
    project.work.write("a.hip", CLEAN.as_bytes());
    project.add("a.hip");
    project.work.write("a.hip", CREPT_IN.as_bytes());
    let (passed, text) = project.run(&[]);
    assert!(passed, "{text}");
    assert_eq!(project.work.read("a.hip"), CREPT_IN);

    project.add("a.hip");
    project.work.write("a.hip", CLEAN.as_bytes());
    let (passed, text) = project.run(&[]);
    assert!(!passed && text.contains("a.hip:2:19"), "{text}");
}

#[test]
fn a_commit_of_a_thousand_files_is_one_run() {
    let Some(project) = Project::new("hipshift-lint") else { return };
    for number in 0..1000 {
        // What one file declares is known in all others only if they are looked at together.
        let text = format!("void cudaHelper{number}() {{}}\nvoid f() {{ cudaHelper{}(); }}\n", (number + 1) % 1000);
        project.work.write(&format!("src/file_{number}.cu"), text.as_bytes());
    }
    project.add(".");
    let (passed, text) = project.run(&[]);
    assert!(passed, "{text}");
    project.work.write("src/file_500.cu", CREPT_IN.as_bytes());
    let (passed, text) = project.run(&["--all-files"]);
    assert!(!passed && text.contains("src/file_500.cu:2:19"), "{text}");
    assert!(text.contains("cudaHelper500"), "{text}");
}
