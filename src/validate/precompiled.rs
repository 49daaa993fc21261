//! What the units of a run read first, read once for all of them.
//!
//! Nine tenths of what the compiler reads for a small program are headers of HIP: those that the driver includes before the first line,
//! and `hip/hip_runtime.h`, with which most files begin. A precompiled header (Clang, option `-include-pch`) holds these and nothing
//! else, so a unit is the same text with it and without it. What the compiler refuses with it is compiled once more without it.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::process::{Command, Output};
use std::sync::OnceLock;
use std::thread;

use camino::Utf8Path;
use tempfile::TempDir;

use super::cache::{Outcome, files_read};
use super::message::messages;

/// Units with equal options from which on a header pays: to make one takes about as long as to compile a unit without it.
const ENOUGH: usize = 3;

/// What a file begins with that can be read from behind this header.
const RUNTIME: &str = "#include <hip/hip_runtime.h>";

/// Options that have the compiler read files before the header, or after it once more, or write files beside the object.
const SPOILING: [&str; 6] = ["-include", "--include", "-imacros", "-M", "-save-temps", "--save-temps"];

/// The folder of the files for the passes, within that of a header.
const PASSES: &str = "passes";

/// The headers of a run, each for the units that have options and first lines in common.
#[derive(Debug, Default)]
pub(super) struct Precompiled {
    headers: HashMap<Start, Header>,
}

/// What units have in common.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Start {
    /// The options of the compiler.
    options: Vec<String>,
    /// Whether the first thing that is included is `hip/hip_runtime.h`.
    has_runtime: bool,
}

#[derive(Debug, Default)]
struct Header {
    /// How many units begin so.
    units: usize,
    made: OnceLock<Option<Made>>,
}

/// A header that the compiler has made.
#[derive(Debug)]
pub(super) struct Made {
    /// Holds a folder with one file for each pass of the compiler, which looks for the one that has the options of its own.
    folder: TempDir,
    /// The files that were read for it, as `-H` tells them.
    files: String,
}

impl Start {
    /// The start of a unit that is compiled with these options.
    pub(super) fn of(options: &Command, unit: &Utf8Path) -> Option<Start> {
        let options: Vec<String> = options.get_args().map(|word| word.to_string_lossy().into_owned()).collect();
        let spoils = |word: &String| SPOILING.iter().any(|option| word.starts_with(option));
        if options.iter().any(spoils) {
            return None;
        }
        let text = fs::read(unit).ok()?;
        Some(Start { options, has_runtime: begins_with_runtime(&String::from_utf8_lossy(&text)) })
    }
}

impl Precompiled {
    /// Headers for the starts of all units, none of which is made yet.
    pub(super) fn new(starts: impl Iterator<Item = Start>) -> Precompiled {
        let mut headers: HashMap<Start, Header> = HashMap::new();
        for start in starts {
            headers.entry(start).or_default().units += 1;
        }
        headers.retain(|_, header| header.units >= ENOUGH);
        Precompiled { headers }
    }

    /// The header for a start, if enough units begin so. The first that asks makes it in `folder`, with a command for each pass.
    pub(super) fn header(&self, start: &Start, folder: &Utf8Path, passes: impl Fn() -> Vec<Command>) -> Option<&Made> {
        let header = self.headers.get(start)?;
        header.made.get_or_init(|| make(start, folder, passes()).ok()?).as_ref()
    }
}

impl Made {
    /// Compiles a unit with it.
    pub(super) fn used(
        &self,
        mut command: Command,
        compile: impl FnOnce(Command) -> io::Result<Outcome>,
    ) -> io::Result<Outcome> {
        command.arg("-include-pch").arg(self.folder.path().join(PASSES));
        let outcome = compile(command)?;
        Ok(Outcome { text: format!("{}{}", self.files, outcome.text), ..outcome })
    }
}

/// Makes a header; nothing if a pass does not take it.
fn make(start: &Start, folder: &Utf8Path, passes: Vec<Command>) -> io::Result<Option<Made>> {
    let folder = tempfile::Builder::new().prefix("header-").tempdir_in(folder)?;
    fs::create_dir(folder.path().join(PASSES))?;
    let text = folder.path().join("start.hip");
    fs::write(&text, if start.has_runtime { format!("{RUNTIME}\n") } else { String::new() })?;
    let compile = |(number, mut command): (usize, Command)| {
        let output = folder.path().join(PASSES).join(format!("{number}.pch"));
        command.args(["-fsyntax-only", "-Xclang", "-emit-pch", "-Xclang", "-o", "-Xclang"]).arg(output).arg(&text);
        command.output()
    };
    // Threads of their own: one of rayon's that waits may take up a unit that waits for this header.
    let outcomes = thread::scope(|scope| {
        let running: Vec<_> = passes.into_iter().enumerate().map(|pass| scope.spawn(|| compile(pass))).collect();
        let outcome = |pass: thread::ScopedJoinHandle<'_, io::Result<Output>>| {
            let output = pass.join().map_err(|_| io::Error::other("a thread has panicked"))??;
            Ok(Outcome::of(&output))
        };
        running.into_iter().map(outcome).collect::<io::Result<Vec<_>>>()
    })?;
    // What it says of a header belongs to each unit that reads this.
    let is_silent = |outcome: &Outcome| outcome.code == Some(0) && messages(&outcome.text).is_empty();
    if !outcomes.iter().all(is_silent) {
        return Ok(None);
    }
    let said = outcomes.iter().map(|outcome| outcome.text.as_str()).collect::<Vec<_>>().join("\n");
    let read: Vec<&str> =
        files_read(&said).filter(|path| text.as_os_str() != *path).flat_map(|path| [". ", path, "\n"]).collect();
    Ok(Some(Made { folder, files: read.concat() }))
}

/// Whether a comment ends with its line, which a backslash continues, and the compiler ends at any carriage return.
fn is_plain(line: &str) -> bool {
    let text = line.trim_end_matches('\r');
    !text.trim_end().ends_with('\\') && !text.contains('\r')
}

/// Whether the first thing in a text that is no comment is the inclusion of `hip/hip_runtime.h`.
fn begins_with_runtime(text: &str) -> bool {
    let mut rest = text.trim_start();
    loop {
        let after = if let Some(comment) = rest.strip_prefix("/*") {
            comment.split_once("*/")
        } else if let Some(comment) = rest.strip_prefix("//") {
            // A comment may go on behind the end of its line.
            comment.split_once('\n').filter(|(line, _)| is_plain(line))
        } else {
            let Some(after) = rest.strip_prefix(RUNTIME) else { return false };
            let line = after.lines().next().unwrap_or_default().trim_start();
            return line.is_empty() || line.starts_with("//");
        };
        let Some((_, after)) = after else { return false };
        rest = after.trim_start();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_comments_stand_before_the_header() {
        for text in ["#include <hip/hip_runtime.h>\nint x;", "// a\n/* b\n */\n\n#include <hip/hip_runtime.h>  // c\n"]
        {
            assert!(begins_with_runtime(text), "{text}");
        }
        for text in [
            "",
            "#define A 1\n#include <hip/hip_runtime.h>\n",
            "// a \\\n#include <hip/hip_runtime.h>\n",
            "// a \r#define B\n#include <hip/hip_runtime.h>\n",
            "/* a\n#include <hip/hip_runtime.h>\n",
            "#include <hip/hip_runtime.h> /* a\n",
            "#include <hip/hip_runtime.hpp>\n",
        ] {
            assert!(!begins_with_runtime(text), "{text}");
        }
    }

    #[test]
    fn few_units_or_files_that_are_included_by_option_have_no_header() {
        let folder = tempfile::tempdir().unwrap();
        let file = Utf8Path::from_path(folder.path()).unwrap().join("a.hip");
        fs::write(&file, "int x;").unwrap();
        let mut command = Command::new("clang++");
        let start = Start::of(command.arg("-O2"), &file).unwrap();
        let never = || -> Vec<Command> { panic!("nothing is made") };
        let few = Precompiled::new(std::iter::repeat_n(start.clone(), ENOUGH - 1));
        assert!(few.header(&start, Utf8Path::new("."), never).is_none());
        assert_eq!(Start::of(command.args(["-Xclang", "-include", "-Xclang", "b.h"]), &file), None);
    }
}
