//! Writes `docs/corpus-smoke.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;

use anyhow::{Context, Result};
use hipshift::toolchain::Toolchain;

use super::report::{code, compiler_number};
use super::smoke::{BUDGET, BUFFER, Class, INTEGERS, LEVEL, Outcome, State};
use super::smoke_counts::{SHORT, Stopped, counts, stopped, unimplemented};
use crate::repository_root;

/// A run, ready to be written down.
pub(super) struct Page<'r> {
    pub(super) toolchain: &'r Toolchain,
    pub(super) outcomes: &'r [Outcome],
}

impl Page<'_> {
    /// Writes the page.
    #[expect(clippy::print_stdout, reason = "says where the result is")]
    pub(super) fn write(&self) -> Result<()> {
        let page = repository_root().join("docs/corpus-smoke.md");
        fs::write(&page, self.introduction() + &self.results())
            .with_context(|| format!("writing `{}`", page.display()))?;
        println!("{}wrote {}", self.table(), page.display());
        Ok(())
    }

    /// The part of the page that depends on the run.
    pub(super) fn results(&self) -> String {
        let groups = stopped(self.outcomes);
        let mut text = format!("## Result\n\n{}", self.table());
        writeln!(
            text,
            "\n*Short* are those of the launches that ran to the end in which a wave executed fewer than {SHORT} instructions on \
             average:\nthe kernel finds nothing to do with such arguments, or has nothing to do on such a target, as most \
             instances of rocPRIM's kernels."
        )
        .ok();
        text += &self.left();
        text += &self.instructions();
        text += &self.reasons(&groups);
        text += &self.failures();
        text += &lists(&groups);
        text
    }

    fn introduction(&self) -> String {
        let [first, second, third] = INTEGERS;
        format!(
            "# Smoke launches\n\n\
             Every kernel of the [corpus](corpus.md) that compiles, launched once on the emulator with arguments that are made\n\
             up. It shows which machine code of real projects the emulator executes, not that results are right: for that,\n\
             see [validation](validation.md). This page is written by the last of these commands:\n\n    \
             cargo run -- toolchain install --hip 7.2 --dir target/toolchain\n    \
             cargo run -p xtask -- corpus fetch\n    \
             cargo run -p xtask -- corpus smoke\n\n\
             With `--minutes N` it compiles no further file after that time; a later run goes on where it ended. Results are\n\
             kept as long as the compiler and what it read are the same, and the sources of emulator and launcher.\n\n\
             Compiler: clang {}. Headers: HIP {}. Each `.cu` file of the converted corpus is compiled on its own with\n\
             `{LEVEL} --cuda-device-only`. Kernels are found in the metadata of the code object. A launch has\n\n\
             - 2 blocks of as many threads as the launch bounds say, or 256; in rows of 32 where the kernel asks for more than\n  \
             one coordinate of its thread;\n\
             - {} KiB of zeros for each pointer;\n\
             - {first} for each argument of 4 or 8 bytes by value, whatever its type; if the kernel is stopped, it is launched\n  \
             again with {second}, and then with {third};\n\
             - 1 for arguments of 1 or 2 bytes, zeros for structures; what the runtime fills in, as the runtime does;\n\
             - all LDS that the kernel itself does not use, as dynamic LDS;\n\
             - {BUDGET} instructions for each block, and the default checks.\n\n\
             A kernel that is *stopped for its arguments* needs a program that prepares them: it follows a pointer that is null,\n\
             looks beyond a buffer with sizes that do not fit together, or refuses what it got with a trap.\n\n",
            compiler_number(&self.toolchain.compiler_version().unwrap_or_default()),
            self.toolchain.header_version().unwrap_or_default(),
            BUFFER >> 10,
        )
    }

    fn table(&self) -> String {
        let mut text = String::from(
            "| crate | target | files | not compiled | left | files with kernels | kernels | ran to the end | short | ran until the budget | \
             stopped: instruction | stopped: emulator | stopped: arguments |\n\
             |---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
        );
        for ((name, arch), count) in counts(self.outcomes) {
            let [instruction, emulator, arguments] = count.stopped;
            let numbers = [
                count.files,
                count.failed,
                count.left,
                count.with_kernels,
                count.kernels,
                count.ended,
                count.short,
                count.budget,
                instruction,
                emulator,
                arguments,
            ];
            writeln!(text, "| {name} | {arch} | {} |", numbers.map(|number| number.to_string()).join(" | ")).ok();
        }
        text
    }

    /// Files that the time did not suffice for.
    fn left(&self) -> String {
        let mut files = BTreeMap::<(&str, &str), Vec<String>>::new();
        for outcome in self.outcomes.iter().filter(|outcome| matches!(outcome.state, State::Left)) {
            let name = outcome.source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            files.entry((&outcome.arch, &outcome.name)).or_default().push(name);
        }
        if files.is_empty() {
            return String::new();
        }
        let mut text = String::from("\n## Left for a later run\n\nNothing is known of the kernels of these files:\n\n");
        for ((arch, name), files) in files {
            writeln!(text, "- {name} for {arch}: {}", files.join(", ")).ok();
        }
        text
    }

    fn instructions(&self) -> String {
        let found = unimplemented(self.outcomes);
        let launched = self.outcomes.iter().filter(|outcome| matches!(outcome.state, State::Launched(_))).count();
        let mut text = format!(
            "\n## Instructions\n\nThe emulator decodes all code of a code object before it launches a kernel. Of the {launched} \
             code objects made here, "
        );
        if found.is_empty() {
            return text + "none has an instruction that it does not execute.\n";
        }
        text += "some have instructions that it does not execute, whether a launch came to them or not:\n\n\
                 | target | instruction | places | files |\n|---|---|---:|---:|\n";
        for ((arch, mnemonic), (places, files)) in found {
            writeln!(text, "| {arch} | `{mnemonic}` | {places} | {} |", files.len()).ok();
        }
        text
    }

    fn reasons(&self, groups: &[Stopped]) -> String {
        if groups.is_empty() {
            return "\n## Stopped\n\nNo kernel was stopped.\n".to_owned();
        }
        let archs: BTreeSet<_> = self.outcomes.iter().map(|outcome| outcome.arch.as_str()).collect();
        let names: Vec<_> = archs.iter().copied().collect();
        let mut text = format!(
            "\n## Stopped\n\n| stopped for | reason | {} | example | at |\n|---|---|{}---|---|\n",
            names.join(" | "),
            "---:|".repeat(names.len())
        );
        for group in groups {
            let numbers: Vec<_> = archs.iter().map(|arch| group.kernels.get(arch).unwrap_or(&0).to_string()).collect();
            let example = group.places.iter().next().and_then(|((crate_name, source), kernels)| {
                Some(format!("{crate_name}: `{}` of `{}`", kernels.keys().next()?, source.display()))
            });
            let instruction = if group.instruction.is_empty() { String::new() } else { code(group.instruction) };
            let (class, reason) = (class_name(group.class), group.reason.replace('|', "\\|"));
            let numbers = numbers.join(" | ");
            writeln!(text, "| {class} | {reason} | {numbers} | {} | {instruction} |", example.unwrap_or_default()).ok();
        }
        text
    }

    /// Files that there is no code of.
    fn failures(&self) -> String {
        let mut causes = BTreeMap::<&str, (usize, String)>::new();
        for outcome in self.outcomes {
            let State::Failed(cause) = &outcome.state else { continue };
            let example = || format!("{}: {}", outcome.name, cause.place);
            causes.entry(&cause.message).or_insert_with(|| (0, example())).0 += 1;
        }
        if causes.is_empty() {
            return String::new();
        }
        let mut text = String::from(
            "\n## Not compiled\n\n| first error of a file | files and targets | example |\n|---|---:|---|\n",
        );
        for (message, (files, example)) in causes {
            writeln!(text, "| {} | {files} | {} |", code(message), code(&example)).ok();
        }
        text
    }
}

fn class_name(class: Class) -> &'static str {
    match class {
        Class::Instruction => "an instruction",
        Class::Emulator => "the emulator",
        Class::Arguments => "its arguments",
    }
}

/// All kernels that did not run, by reason and file.
fn lists(groups: &[Stopped]) -> String {
    if groups.is_empty() {
        return String::new();
    }
    let mut text = String::from(
        "\n## Kernels that did not run\n\nBy reason and file, with the number of instances of a template on each target.\n",
    );
    for group in groups {
        let mut reason = group.reason.chars();
        let title = reason.next().map(|first| first.to_uppercase().chain(reason).collect::<String>());
        writeln!(text, "\n### {}\n", title.unwrap_or_default()).ok();
        for ((crate_name, source), kernels) in &group.places {
            let kernels: Vec<_> = kernels.iter().map(|(name, instances)| listed(name, instances)).collect();
            writeln!(text, "- {crate_name}, `{}`: {}", source.display(), kernels.join(", ")).ok();
        }
    }
    text
}

fn listed(name: &str, instances: &BTreeMap<&str, usize>) -> String {
    let numbers: Vec<_> = instances.iter().map(|(arch, number)| format!("{number} on {arch}")).collect();
    format!("`{name}` ({})", numbers.join(", "))
}

#[cfg(test)]
mod tests {
    use super::super::cause::Cause;
    use super::super::smoke::{Ending, Launched};
    use super::*;
    use hipshift::mapping::RocmVersion;
    use std::path::Path;

    fn outcome(arch: &str, source: &str, state: State) -> Outcome {
        Outcome { name: "crate".to_owned(), arch: arch.to_owned(), source: source.into(), state }
    }

    #[test]
    fn the_page_tells_everything_that_did_not_run() {
        let bad = |number: u32| {
            let ending = Ending::Stopped {
                class: Class::Arguments,
                reason: "read of global memory near null".to_owned(),
                instruction: "global_load_dword v1, v0, s[4:5]".to_owned(),
            };
            (format!("_Z3badILi{number}EEvPf"), ending)
        };
        let launched = |kernels| {
            let unimplemented = BTreeMap::from([("ds_swizzle_b32".to_owned(), 2)]);
            State::Launched(Launched { kernels, unimplemented })
        };
        let outcomes = [
            outcome(
                "gfx90a",
                "a.cu",
                launched(vec![bad(1), bad(2), ("good".to_owned(), Ending::End { instructions: 100, waves: 2 })]),
            ),
            outcome("gfx1100", "a.cu", launched(vec![bad(1)])),
            outcome("gfx1100", "b.cu", State::Left),
            outcome(
                "gfx1100",
                "c.cu",
                State::Failed(Cause::no_answer("the time limit was reached", Path::new("c.cu"))),
            ),
        ];
        let toolchain = Toolchain {
            compiler: "clang++".into(),
            rocm: "rocm".into(),
            release: RocmVersion::NEWEST,
            origin: "given".into(),
            device_libraries: None,
        };
        let text = Page { toolchain: &toolchain, outcomes: &outcomes }.results();
        for line in [
            "| crate | gfx1100 | 3 | 1 | 1 | 1 | 1 | 0 | 0 | 0 | 0 | 0 | 1 |",
            "| crate | gfx90a | 1 | 0 | 0 | 1 | 3 | 1 | 0 | 0 | 0 | 0 | 2 |",
            "- crate for gfx1100: b",
            "| gfx90a | `ds_swizzle_b32` | 2 | 1 |",
            "| its arguments | read of global memory near null | 1 | 2 | crate: `bad` of `a.cu` | `global_load_dword v1, v0, s[4:5]` |",
            "| `the time limit was reached` | 1 | `crate: c.cu` |",
            "- crate, `a.cu`: `bad` (1 on gfx1100, 2 on gfx90a)",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
    }
}
