//! Files that a makefile includes and whose names do not say that they are makefiles.

use camino::{Utf8Path, Utf8PathBuf};
use globset::{GlobBuilder, GlobMatcher};

use super::globs::is_too_much;
use super::walk::Walked;
use crate::build::{BuildKind, LineKind, build_kind, make_lines};
use crate::regular_file::read_regular;

/// What is said about each such file that speaks of CUDA: nothing converts it.
pub(super) fn unknown_makefiles(walked: &Walked) -> Vec<String> {
    let mut told = Vec::new();
    let is_make = |path: &&Utf8PathBuf| build_kind(path) == Some(BuildKind::Make);
    for makefile in walked.builds.iter().chain(&walked.sources).filter(is_make) {
        let Some(bytes) = by_hand(makefile) else { continue };
        let text = String::from_utf8_lossy(&bytes);
        for meant in included_patterns(&text).iter().filter_map(|pattern| matcher(pattern)) {
            let files = walked.others.iter().chain(&walked.sources).filter(|path| meant.is_match(path));
            for path in files.filter(|path| build_kind(path).is_none() && speaks(path)) {
                told.push(format!(
                    "`{path}` is read by `{makefile}` as a makefile, which its name does not tell: call it `{}.mk`",
                    path.file_name().unwrap_or_default()
                ));
            }
        }
    }
    told.sort();
    told.dedup();
    told
}

/// What a makefile includes, with `*` for what variables and functions give.
fn included_patterns(text: &str) -> Vec<String> {
    let mut patterns = Vec::new();
    for line in make_lines(text).into_iter().filter(|line| line.kind == LineKind::Directive) {
        let mut words = text[line.code].split_whitespace();
        if words.next().is_some_and(|word| matches!(word, "include" | "-include" | "sinclude")) {
            let rest: Vec<&str> = words.collect();
            patterns.extend(with_stars(&rest.join(" ")).split_whitespace().map(str::to_owned));
        }
    }
    // A variable alone may be anything, and a compiler writes what headers an object needs.
    let is_list = |pattern: &str| [".d", ".dep", ".depend"].iter().any(|ending| pattern.ends_with(ending));
    patterns.retain(|pattern| pattern != "*" && !is_list(pattern));
    patterns
}

/// The text with `*` for each reference to a variable or function.
fn with_stars(text: &str) -> String {
    let (mut out, mut depth, mut rest) = (String::new(), 0_usize, text.chars().peekable());
    while let Some(c) = rest.next() {
        match c {
            '$' if depth == 0 => {
                out.push('*');
                if !matches!(rest.peek(), Some('(' | '{')) {
                    rest.next();
                }
            }
            '(' | '{' => depth += 1,
            ')' | '}' => depth = depth.saturating_sub(1),
            _ if depth == 0 => out.push(c),
            _ => {}
        }
    }
    out
}

/// What finds the paths that end with what a makefile includes, by the same signs for patterns as make's.
fn matcher(pattern: &str) -> Option<GlobMatcher> {
    let parts = pattern.split('/').filter(|part| !matches!(*part, "" | "." | ".."));
    let mut wanted: Vec<&str> = parts.collect();
    // A folder that a variable names may be this one, or more than one.
    if wanted.first().is_some_and(|first| first.contains('*')) && wanted.len() > 1 {
        wanted.remove(0);
    }
    let anywhere = format!("**/{}", wanted.join("/"));
    let glob = (!is_too_much(&anywhere)).then(|| GlobBuilder::new(&anywhere).literal_separator(true).build().ok());
    Some(glob.flatten()?.compile_matcher())
}

/// More than somebody writes by hand.
const MOST_BYTES: u64 = 1 << 20;

/// The bytes of a file, unless nobody wrote it by hand.
fn by_hand(path: &Utf8Path) -> Option<Vec<u8>> {
    read_regular(path.as_std_path(), MOST_BYTES).ok()
}

/// Whether a text speaks of CUDA.
fn speaks(path: &Utf8Path) -> bool {
    let Some(bytes) = by_hand(path) else { return false };
    let small = bytes.to_ascii_lowercase();
    !small.contains(&0) && ["cuda", "nvcc"].iter().any(|word| memchr::memmem::find(&small, word.as_bytes()).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn includes_are_found_by_what_variables_leave() {
        let text = "include config/$(MACHINE).conf  $(ROOT)/arch/site ${X}\n-include $(DEPS)\nall:\n\tinclude no\n";
        assert_eq!(included_patterns(text), ["config/*.conf", "*/arch/site"]);
        for (pattern, path, expected) in [
            ("config/*.conf", "p/config/titan.conf", true),
            ("config/*.conf", "p/other/titan.conf", false),
            ("*/arch/site", "arch/site", true),
            ("../common/flags.*.txt", "p/common/flags.gpu.txt", true),
            ("../common/flags.*.txt", "p/common/flags.gpu.md", false),
        ] {
            assert_eq!(matcher(pattern).unwrap().is_match(path), expected, "{pattern} {path}");
        }
    }
}
