//! Finds out why a file did not compile: the first error, in words that many files can share.

use std::path::Path;

use hipshift::toolchain::Toolchain;

/// Why a file failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cause {
    pub(super) kind: Kind,
    /// The compiler's words, less what differs from file to file.
    pub(super) message: String,
    /// `file:line` of the error.
    pub(super) place: String,
}

/// Causes that are told apart in the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// The compiler refused the code.
    Error,
    /// A header is not there: not in the corpus, or without a HIP form.
    FileNotFound,
    /// The compiler did not end well: time limit, crash, a file that the conversion did not write.
    NoAnswer,
}

impl Cause {
    /// A cause without a place in the code.
    pub(super) fn no_answer(message: &str, file: &Path) -> Self {
        Self { kind: Kind::NoAnswer, message: message.to_owned(), place: file.display().to_string() }
    }

    /// Reads what the compiler printed about `file`.
    pub(super) fn of_output(output: &str, file: &Path, toolchain: &Toolchain) -> Self {
        let Some((place, message)) = output.lines().find_map(error_line) else {
            return Self::without_place(output, file);
        };
        let kind = if message.ends_with("file not found") { Kind::FileNotFound } else { Kind::Error };
        Self { kind, message: normalise(message), place: portable(place, file, toolchain) }
    }

    /// A failure of the linker, or of the compiler itself.
    fn without_place(output: &str, file: &Path) -> Self {
        let error = output.lines().find(|line| line.contains("error: "));
        if output.contains("PLEASE submit a bug report") {
            Self::no_answer("the compiler crashed", file)
        } else if let Some(error) = error {
            let message = normalise(error.trim());
            Self { kind: Kind::Error, message, place: file.display().to_string() }
        } else {
            Self::no_answer("the compiler gave no reason", file)
        }
    }
}

/// Splits `path:line:column: error: message` into `path:line` and the message.
fn error_line(line: &str) -> Option<(&str, &str)> {
    let (position, message) = line.split_once(": fatal error: ").or_else(|| line.split_once(": error: "))?;
    let (place, column) = position.rsplit_once(':')?;
    column.parse::<u32>().ok()?;
    Some((place, message))
}

/// Takes template arguments, spelling hints and aliases out of a message.
fn normalise(message: &str) -> String {
    let message = message.split("; did you mean").next().unwrap_or(message);
    let mut short = String::new();
    let mut rest = message;
    while let Some((before, after)) = rest.split_once(" (aka '") {
        short.push_str(before);
        rest = after.split_once("')").map_or("", |(_alias, tail)| tail);
    }
    short.push_str(rest);
    without_template_arguments(&short)
}

fn without_template_arguments(text: &str) -> String {
    let mut short = String::new();
    let mut rest = text;
    while let Some(open) = rest.find('<') {
        let (before, inner) = rest.split_at(open);
        short.push_str(before);
        let follows_name = before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        if let Some(end) = closing(inner).filter(|_| follows_name && !before.ends_with("operator")) {
            short.push_str("<…>");
            rest = &inner[end..];
        } else {
            short.push('<');
            rest = &inner[1..];
        }
    }
    short + rest
}

/// The offset behind the `>` that closes the `<` at the start of `text`.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_u32;
    for (offset, byte) in text.bytes().enumerate() {
        match byte {
            b'<' => depth += 1,
            b'>' if depth == 1 => return Some(offset + 1),
            b'>' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// A place that means the same on another machine, with the compiled file where it is another one.
fn portable(place: &str, file: &Path, toolchain: &Toolchain) -> String {
    let file = file.display().to_string();
    let rocm = toolchain.rocm.display().to_string();
    let place = place.trim_start_matches("./");
    let place = match place.strip_prefix(&rocm) {
        Some(inner) => format!("ROCm's {}", inner.trim_start_matches('/')),
        None => place
            .split_once("/lib/clang/")
            .map_or_else(|| place.to_owned(), |(_folder, inner)| format!("clang's {inner}")),
    };
    if place.starts_with(&file) { place } else { format!("{place} in {file}") }
}

/// Words of errors about shuffles, votes, matches, reductions and lane masks.
const ABOUT_LANES: &[&str] = &[
    "__shfl",
    "__ballot",
    "__any",
    "__all",
    "__match_",
    "__reduce_",
    "__syncwarp",
    "__activemask",
    "hipshift_",
    "mask must be a 64-bit",
];

/// Whether one of the errors that the compiler printed is about lanes.
pub(super) fn is_about_lanes(output: &str) -> bool {
    let mut messages = output.lines().filter_map(error_line).map(|(_place, message)| message);
    messages.any(|message| ABOUT_LANES.iter().any(|word| message.contains(word)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hipshift::mapping::RocmVersion;

    fn toolchain() -> Toolchain {
        Toolchain {
            compiler: "clang++".into(),
            rocm: "/somewhere/rocm".into(),
            release: RocmVersion::NEWEST,
            origin: "given".into(),
            device_libraries: Some("/somewhere/bitcode".into()),
        }
    }

    #[track_caller]
    fn check(output: &str, kind: Kind, message: &str, place: &str) {
        let cause = Cause::of_output(output, Path::new("src/a.hip"), &toolchain());
        assert_eq!(cause, Cause { kind, message: message.to_owned(), place: place.to_owned() });
    }

    #[test]
    fn the_first_error_counts() {
        let output = "In file included from src/a.hip:1:\nsrc/b.cuh:7:3: error: use of undeclared identifier '__dp4a'; did you mean '__dp2a'?\nsrc/a.hip:9:1: error: later\n";
        check(output, Kind::Error, "use of undeclared identifier '__dp4a'", "src/b.cuh:7 in src/a.hip");
    }

    #[test]
    fn missing_headers_are_told_apart() {
        let output = "src/a.hip:2:10: fatal error: 'cutlass/numeric_types.h' file not found";
        check(output, Kind::FileNotFound, "'cutlass/numeric_types.h' file not found", "src/a.hip:2");
    }

    #[test]
    fn template_arguments_and_aliases_go() {
        let output =
            "/somewhere/rocm/include/hip/x.h:5:1: error: no type 'y' in 'tile<8, pair<a, b>>' (aka 'z') and 1 < 2";
        check(output, Kind::Error, "no type 'y' in 'tile<…>' and 1 < 2", "ROCm's include/hip/x.h:5 in src/a.hip");
    }

    #[test]
    fn errors_about_lanes_are_found_behind_others() {
        let output =
            "src/a.hip:1:1: error: no type 'y'\nsrc/a.hip:7:3: error: use of undeclared identifier '__shfl_sync'\n";
        assert!(is_about_lanes(output));
        assert!(!is_about_lanes("src/__shfl.hip:1:1: error: no type 'y'\nsrc/a.hip:1:1: note: in __shfl\n"));
    }

    #[test]
    fn the_linker_names_no_place() {
        let output = "lld: error: undefined symbol: f<int>()\n>>> referenced by a.o";
        check(output, Kind::Error, "lld: error: undefined symbol: f<…>()", "src/a.hip");
    }

    #[test]
    fn a_crash_is_no_answer() {
        check("PLEASE submit a bug report to …\n", Kind::NoAnswer, "the compiler crashed", "src/a.hip");
    }
}
