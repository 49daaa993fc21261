//! Writes `docs/corpus.md` and compares a run with what it says.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use hipshift::mapping::RocmVersion;
use hipshift::toolchain::Toolchain;

use super::cause::Kind;
use super::compile::Outcome;
use super::file_name;
use super::manifest::Manifest;
use crate::repository_root;

/// The targets that the documentation reports: one with 64 lanes, one with 32.
pub(super) const TARGETS: &str = "gfx90a,gfx1100";

/// A run, ready to be written down.
pub(super) struct Report<'r> {
    pub(super) manifest: &'r Manifest,
    pub(super) toolchain: &'r Toolchain,
    pub(super) outcomes: &'r [Outcome],
}

/// Crate and target.
type Key = (String, String);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Count {
    files: usize,
    compiled: usize,
}

impl Report<'_> {
    /// Writes the documentation page.
    #[expect(clippy::print_stdout, reason = "says where the result is")]
    pub(super) fn write(&self) -> Result<()> {
        let page = self.page_file();
        let text = self.introduction() + &self.sources() + &self.results();
        fs::write(&page, text).with_context(|| format!("writing `{}`", page.display()))?;
        println!("{}wrote {}", result_table(&self.counts()), page.display());
        Ok(())
    }

    /// Fails if fewer files compile than the page says.
    #[expect(clippy::print_stdout, reason = "the comparison is what the command is asked for")]
    pub(super) fn compare(&self) -> Result<ExitCode> {
        let page = self.page_file();
        let text = fs::read_to_string(&page).with_context(|| format!("reading `{}`", page.display()))?;
        let recorded = recorded(&text);
        let counts = self.counts();
        print!("{}", result_table(&counts));
        let mut code = ExitCode::SUCCESS;
        for ((name, arch), now) in &counts {
            match recorded.get(&(name.clone(), arch.clone())) {
                Some(before) if before.compiled > now.compiled => {
                    println!("{name} for {arch}: {} files compile, the page says {}", now.compiled, before.compiled);
                    code = ExitCode::FAILURE;
                }
                Some(_) => {}
                None => println!("{name} for {arch}: the page does not mention it"),
            }
        }
        Ok(code)
    }

    /// The part of the page that depends on the run: counts and causes.
    pub(super) fn results(&self) -> String {
        let mut text = format!("## Result\n\n{}", result_table(&self.counts()));
        text += &self.about_lanes();
        text += &self.causes(Kind::Error, "Errors");
        text += &self.causes(Kind::FileNotFound, "Files not found");
        text += &self.causes(Kind::NoAnswer, "No answer");
        text
    }

    fn page_file(&self) -> PathBuf {
        repository_root().join("docs").join(file_name("corpus", self.toolchain.release) + ".md")
    }

    fn introduction(&self) -> String {
        let release = self.toolchain.release;
        let option = if release == RocmVersion::NEWEST { String::new() } else { format!(" --rocm {release}") };
        format!(
            "# Corpus\n\n\
             Real CUDA sources, converted by hipshift for ROCm {} with its default settings and compiled with the real\n\
             toolchain. Nothing is corrected by hand in between. The sources are fetched and never committed.\n\
             This page is written by the last of these commands:\n\n    \
             cargo run -- toolchain install --hip 7.2,6.4,5.7 --dir target/toolchain\n    \
             cargo run -p xtask -- corpus fetch\n    \
             cargo run -p xtask -- corpus compile{option}\n\n\
             Compiler: clang {}. Headers: HIP {}. Each `.cu` file is compiled on its own with\n\
             `-x hip -std=c++17 --cuda-device-only -fsyntax-only`; headers count through the files that include\n\
             them. This checks host and device code, but no inline assembly and no code generation.\n\n",
            release,
            compiler_number(&self.toolchain.compiler_version().unwrap_or_default()),
            self.toolchain.header_version().unwrap_or_default()
        )
    }

    fn sources(&self) -> String {
        let mut text = String::from(
            "## Sources\n\n| crate | version | licence | CUDA files | bytes | compiled |\n|---|---|---|---:|---:|---|\n",
        );
        let (mut files, mut bytes) = (0, 0);
        for one in &self.manifest.crates {
            let folder = one
                .compile
                .as_ref()
                .map_or_else(|| "no, only converted".to_owned(), |compile| format!("`{}`", compile.sources));
            let row = format!(
                "| {} | {} | {} | {} | {} | {folder} |",
                one.name, one.version, one.license, one.files, one.bytes
            );
            writeln!(text, "{row}").ok();
            files += one.files;
            bytes += one.bytes;
        }
        writeln!(text, "| together | | | {files} | {bytes} | |\n").ok();
        for one in &self.manifest.crates {
            let note = one.compile.as_ref().and_then(|compile| compile.note.as_ref());
            text.extend(note.map(|note| format!("{}: {}\n\n", one.name, note.trim())));
        }
        text
    }

    /// How many files have errors about what the wave policy converts.
    fn about_lanes(&self) -> String {
        let files = self.outcomes.iter().filter(|outcome| outcome.about_lanes).count();
        let errors = "errors about shuffles, votes, matches, reductions or lane masks, first or later";
        format!("\nCompilations with {errors}: {files} of {}.\n", self.outcomes.len())
    }

    fn counts(&self) -> BTreeMap<Key, Count> {
        let mut counts = BTreeMap::<Key, Count>::new();
        for outcome in self.outcomes {
            let count = counts.entry((outcome.name.clone(), outcome.arch.clone())).or_default();
            count.files += 1;
            count.compiled += usize::from(outcome.failure.is_none());
        }
        counts
    }

    fn causes(&self, kind: Kind, title: &str) -> String {
        let archs: Vec<_> = distinct(self.outcomes.iter().map(|outcome| outcome.arch.as_str()));
        let groups = self.groups(kind);
        if groups.is_empty() {
            return String::new();
        }
        let mut text = format!("\n## {title}\n\n| first error of a file | {} | example |\n|---|", archs.join(" | "));
        text += &"---:|".repeat(archs.len());
        text += "---|\n";
        for group in groups {
            let numbers: Vec<_> =
                archs.iter().map(|arch| group.files.get(arch).copied().unwrap_or(0).to_string()).collect();
            writeln!(text, "| {} | {} | {} |", code(group.message), numbers.join(" | "), code(&group.example)).ok();
        }
        text
    }

    /// Failures with the same message, most files first.
    fn groups(&self, kind: Kind) -> Vec<Group<'_>> {
        let mut groups = BTreeMap::<&str, Group>::new();
        for outcome in self.outcomes {
            let Some(cause) = outcome.failure.as_ref().filter(|cause| cause.kind == kind) else {
                continue;
            };
            let group = groups.entry(&cause.message).or_insert_with(|| Group {
                message: &cause.message,
                example: format!("{}: {}", outcome.name, cause.place),
                files: BTreeMap::new(),
            });
            *group.files.entry(&outcome.arch).or_default() += 1;
        }
        let mut groups: Vec<_> = groups.into_values().collect();
        groups.sort_by_key(|group| std::cmp::Reverse(group.files.values().sum::<usize>()));
        groups
    }
}

struct Group<'r> {
    message: &'r str,
    example: String,
    /// Number of files by target.
    files: BTreeMap<&'r str, usize>,
}

fn result_table(counts: &BTreeMap<Key, Count>) -> String {
    let mut text = String::from("| crate | target | files | compiled | failed |\n|---|---|---:|---:|---:|\n");
    for ((name, arch), count) in counts {
        let failed = count.files - count.compiled;
        writeln!(text, "| {name} | {arch} | {} | {} | {failed} |", count.files, count.compiled).ok();
    }
    text
}

/// Reads the result table of a page.
fn recorded(page: &str) -> BTreeMap<Key, Count> {
    let rows = page.lines().filter_map(|line| {
        let cells: Vec<_> = line.strip_prefix('|')?.split('|').map(str::trim).collect();
        let [name, arch, files, compiled, _failed, ""] = cells.as_slice() else {
            return None;
        };
        let count = Count { files: files.parse().ok()?, compiled: compiled.parse().ok()? };
        Some((((*name).to_owned(), (*arch).to_owned()), count))
    });
    rows.collect()
}

fn distinct<'t>(values: impl Iterator<Item = &'t str>) -> Vec<&'t str> {
    let mut seen = Vec::new();
    for value in values {
        if !seen.contains(&value) {
            seen.push(value);
        }
    }
    seen
}

/// Text as code inside a table.
pub(super) fn code(text: &str) -> String {
    format!("`{}`", text.replace('|', "\\|").replace('`', "'"))
}

/// The number in the first line that a compiler prints about its version.
pub(super) fn compiler_number(line: &str) -> &str {
    line.split_whitespace().skip_while(|word| *word != "version").nth(1).unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_written_table_is_read_back() {
        let counts = BTreeMap::from([
            (("a".to_owned(), "gfx90a".to_owned()), Count { files: 7, compiled: 4 }),
            (("b".to_owned(), "gfx1100".to_owned()), Count { files: 2, compiled: 0 }),
        ]);
        let page = format!("# Title\n\n| other | table |\n|---|---|\n{}", result_table(&counts));
        assert_eq!(recorded(&page), counts);
    }
}
