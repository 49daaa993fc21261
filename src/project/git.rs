//! Runs git, and nothing that a repository's own configuration names.
//!
//! A repository that was unpacked comes with a `.git/config`, and that may name programs: a monitor of the file
//! system, hooks, filters for contents, viewers of differences, helpers for what is fetched. Each is switched off here.
//! The user's own filters, such as those of git-lfs, stay: they are the user's programs.

use std::collections::BTreeSet;
use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio};

use camino::{Utf8Path, Utf8PathBuf};

/// git is there but does not do what it is asked to, or it is needed and not there.
#[derive(Debug, thiserror::Error)]
#[error("`git {command}` failed in {path}: {message}")]
pub struct GitError {
    command: String,
    path: String,
    message: String,
    /// git said so itself, so it is there.
    is_from_git: bool,
}

impl GitError {
    /// The same with another reason.
    pub(super) fn because(self, message: &str) -> GitError {
        GitError { message: message.to_owned(), ..self }
    }
}

/// Settings that count before those of a repository.
const SETTINGS: &[&str] = &[
    "core.quotePath=false",
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.sshCommand=false",
    "credential.helper=",
    "diff.submodule=short",
    "protocol.allow=never",
    // A folder that looks like a repository can be part of one.
    "safe.bareRepository=explicit",
];

/// Variables that hold what switches a filter off; `--config-env` takes any name of a filter, `-c` does not.
const NOTHING: &str = "HIPSHIFT_NOTHING";
const NO: &str = "HIPSHIFT_NO";

/// Where git is run for `path`: in the current directory if that is in the same work tree, as inside
/// of a hook git's own variables are relative to it; else in the directory of `path`.
fn directory_of(path: &Utf8Path) -> &Utf8Path {
    const HERE: &str = ".";
    let parent = path.parent().filter(|parent| !parent.as_str().is_empty());
    let directory = if path.is_dir() { path } else { parent.unwrap_or(HERE.into()) };
    let is_below = path.is_relative() && !path.starts_with("..");
    let has_own_tree =
        directory.ancestors().any(|above| !matches!(above.as_str(), "" | HERE) && above.join(".git").exists());
    if is_below && !has_own_tree { HERE.into() } else { directory }
}

/// git in the work tree of one path.
#[derive(Debug, Clone)]
pub(super) struct Git {
    directory: Utf8PathBuf,
}

/// What git prints about a project that people work on is less. What is staged together is bounded before ([`super::staged`]).
const MOST_PRINTED: u64 = 1280 << 20;

/// What git says of what went wrong, as much as a person reads.
fn read_errors(errors: Option<std::process::ChildStderr>) -> Vec<u8> {
    let mut said = Vec::new();
    if let Some(mut errors) = errors {
        let _ = errors.by_ref().take(1 << 16).read_to_end(&mut said);
        // git must not wait for somebody who reads the rest.
        let _ = std::io::copy(&mut errors, &mut std::io::sink());
    }
    said
}

impl Git {
    pub(super) fn at(path: &Utf8Path) -> Git {
        Git { directory: directory_of(path).to_owned() }
    }

    /// What git prints.
    pub(super) fn run(&self, arguments: &[&str]) -> Result<Vec<u8>, GitError> {
        self.run_with_input(arguments, &[])
    }

    /// What git prints when it compares files of the work tree with what it knows, for which it runs filters.
    pub(super) fn compare(&self, arguments: &[&str]) -> Result<Vec<u8>, GitError> {
        let filters = self.filters()?;
        let without = |name: &String| {
            let keys = ["clean", "smudge", "process"].map(|key| format!("--config-env=filter.{name}.{key}={NOTHING}"));
            keys.into_iter().chain([format!("--config-env=filter.{name}.required={NO}")])
        };
        let mut all: Vec<String> = filters.iter().flat_map(without).collect();
        all.extend(arguments.iter().map(|argument| (*argument).to_owned()));
        self.run(&all.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// The filters that the repository itself configures, by name.
    fn filters(&self) -> Result<Vec<String>, GitError> {
        let listed = self.run(&["config", "--null", "--show-scope", "--name-only", "--list"])?;
        let mut parts = listed.split(|byte| *byte == 0);
        let mut filters = Vec::new();
        while let (Some(scope), Some(key)) = (parts.next(), parts.next()) {
            if matches!(scope, b"system" | b"global" | b"command") || !key.starts_with(b"filter.") {
                continue;
            }
            // What cannot be named cannot be switched off.
            let Ok(key) = std::str::from_utf8(key) else {
                return Err(self.error("config", "a filter of the repository has a name that is not UTF-8".to_owned()));
            };
            let name = key.strip_prefix("filter.").and_then(|rest| rest.rsplit_once('.')).map(|(name, _)| name);
            filters.extend(name.map(str::to_owned));
        }
        filters.sort();
        filters.dedup();
        Ok(filters)
    }

    /// What git prints when it reads `input`.
    pub(super) fn run_with_input(&self, arguments: &[&str], input: &[u8]) -> Result<Vec<u8>, GitError> {
        let error = |message: String| self.error(arguments.first().copied().unwrap_or_default(), message);
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|e| error(e.to_string()))?;
        let (pipe, errors) = (child.stdin.take(), child.stderr.take());
        let mut printed = Vec::new();
        // git answers while it still reads; whoever only writes first would block.
        let said = std::thread::scope(|scope| {
            scope.spawn(move || pipe.map(|mut pipe| pipe.write_all(input)));
            let errors = scope.spawn(move || read_errors(errors));
            let output = child.stdout.take().map(|output| output.take(MOST_PRINTED + 1).read_to_end(&mut printed));
            if printed.len() as u64 > MOST_PRINTED {
                child.kill()?;
            }
            output.transpose()?;
            Ok(errors.join().unwrap_or_default())
        });
        let said: Vec<u8> = said.map_err(|e: std::io::Error| error(e.to_string()))?;
        let status = child.wait().map_err(|e| error(e.to_string()))?;
        if printed.len() as u64 > MOST_PRINTED {
            return Err(error(format!("it prints more than {} MiB", MOST_PRINTED >> 20)));
        }
        if !status.success() {
            let message = String::from_utf8_lossy(&said).trim().to_owned();
            return Err(GitError { is_from_git: true, ..error(message) });
        }
        Ok(printed)
    }

    /// Whether a commit is there.
    pub(super) fn has_commit(&self, commit: &str) -> bool {
        self.run(&["cat-file", "-e", &format!("{commit}^{{commit}}")]).is_ok()
    }

    fn error(&self, command: &str, message: String) -> GitError {
        GitError { command: command.to_owned(), path: self.directory.to_string(), message, is_from_git: false }
    }

    /// The top of the work tree, which holds the place: the configuration of a repository may name another one.
    pub(super) fn top(&self) -> Result<Utf8PathBuf, GitError> {
        let top = self.run(&["rev-parse", "--show-toplevel"])?;
        let top = Utf8PathBuf::from(String::from_utf8_lossy(top.strip_suffix(b"\n").unwrap_or(&top)).into_owned());
        let holds = |here: Utf8PathBuf| top.canonicalize_utf8().is_ok_and(|top| here.starts_with(top));
        if !self.directory.canonicalize_utf8().is_ok_and(holds) {
            return Err(
                self.error("rev-parse", format!("its work tree is said to be {top}, which does not hold that folder"))
            );
        }
        Ok(top)
    }

    /// Whether the index says of files that git need not look whether they have changed, and they are there.
    fn passes_over_files(&self, top: &Utf8Path) -> Result<bool, GitError> {
        let listed = self.run(&["ls-files", "-v", "-z", "--full-name", "--", top.as_str()])?;
        let listed = String::from_utf8_lossy(&listed);
        let mut passed_over = listed.split('\0').filter_map(|entry| entry.split_once(' ')).filter(|(tag, _)| {
            // Small letters and `S` are for files that are assumed to be as they were.
            tag.starts_with(|letter: char| letter.is_ascii_lowercase() || letter == 'S')
        });
        Ok(passed_over.any(|(_, path)| top.join(path).exists()))
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("git");
        command.arg("-C").arg(&self.directory).args(["--no-pager", "--no-optional-locks", "--literal-pathspecs"]);
        command.args(SETTINGS.iter().flat_map(|setting| ["-c", setting]));
        // What is missing in a partial clone would be fetched, by a command that the configuration names.
        command.env("GIT_NO_LAZY_FETCH", "1").env("GIT_ALLOW_PROTOCOL", "").env("GIT_TERMINAL_PROMPT", "0");
        command.env(NOTHING, "").env(NO, "false");
        command.args(arguments);
        command
    }
}

/// `paths` as git takes them, whatever directory it is run in.
pub(super) fn pathspecs(paths: &[Utf8PathBuf]) -> Vec<String> {
    let absolute = |path: &Utf8PathBuf| camino::absolute_utf8(path).unwrap_or_else(|_| path.clone());
    paths.iter().map(|path| absolute(path).into_string()).collect()
}

/// Whether the git work tree around `path` has changes that are not committed. `false` outside
/// of a work tree, or where there is no git.
pub fn is_dirty(path: &Utf8Path) -> Result<bool, GitError> {
    let mut waiting = vec![path.to_owned()];
    // A repository may say of itself that it is its own submodule.
    let mut seen = BTreeSet::new();
    while let Some(path) = waiting.pop() {
        let git = Git::at(&path);
        match git.run(&["rev-parse", "--is-inside-work-tree"]) {
            Ok(_) => {}
            // A repository that git cannot read may have changes; without git, nobody has committed any.
            Err(error) if error.is_from_git && has_repository(&path) => return Err(error),
            Err(_) => continue,
        }
        let top = git.top()?;
        if !seen.insert(top.clone()) {
            continue;
        }
        // git would look into submodules by programs of its own, which read the configurations of those.
        let status = ["status", "--porcelain", "--untracked-files=normal", "--ignore-submodules=dirty"];
        if !git.compare(&status)?.is_empty() || git.passes_over_files(&top)? {
            return Ok(true);
        }
        waiting.extend(submodules(&git, &top)?);
    }
    Ok(false)
}

/// Whether something beside or above a path says that it is in a repository.
fn has_repository(path: &Utf8Path) -> bool {
    let absolute = path.canonicalize_utf8().unwrap_or_else(|_| path.to_owned());
    absolute.ancestors().any(|above| above.join(".git").symlink_metadata().is_ok())
}

/// Folders of submodules that are checked out, and the commits that `commit` has for them.
pub(super) fn submodules_of(
    git: &Git,
    top: &Utf8Path,
    commit: &str,
) -> Result<Vec<(Utf8PathBuf, Option<String>)>, GitError> {
    let listed = git.run(&["ls-tree", "-r", "-z", "--full-tree", "--full-name", commit])?;
    let listed = String::from_utf8_lossy(&listed).into_owned();
    let known = |folder: &Utf8Path| {
        let mut links = listed.split('\0').filter_map(|entry| entry.strip_prefix("160000 commit ")?.split_once('\t'));
        links.find(|(_, path)| top.join(path) == folder).map(|(commit, _)| commit.to_owned())
    };
    let with_commit = |folder: Utf8PathBuf| {
        let commit = known(&folder);
        (folder, commit)
    };
    Ok(submodules(git, top)?.into_iter().map(with_commit).collect())
}

/// The submodules that are checked out in the work tree with this top.
fn submodules(git: &Git, top: &Utf8Path) -> Result<Vec<Utf8PathBuf>, GitError> {
    let listed = git.run(&["ls-files", "--stage", "--full-name", "-z", "--", top.as_str()])?;
    let listed = String::from_utf8_lossy(&listed);
    let links = listed.split('\0').filter(|entry| entry.starts_with("160000 "));
    let paths = links.filter_map(|entry| entry.split_once('\t')).map(|(_, path)| top.join(path));
    Ok(paths.filter(|path| path.join(".git").exists() && !path.is_symlink()).collect())
}
