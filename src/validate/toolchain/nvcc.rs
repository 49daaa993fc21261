//! Options of nvcc and of the compilers of the host, as options of clang for HIP.

use camino::{Utf8Path, Utf8PathBuf};

/// What options become.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MappedOptions {
    /// Options of clang, without folders of headers.
    pub flags: Vec<String>,
    /// Folders that are searched for headers, in order.
    pub include: Vec<Include>,
    /// What is different from nvcc, in words.
    pub notes: Vec<String>,
    /// Options that nothing is known about. They are left out.
    pub unknown: Vec<String>,
}

/// A folder that is searched for headers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Include {
    /// The folder, absolute if the folder of the command is.
    pub folder: Utf8PathBuf,
    /// Whether its headers count as those of the system, without warnings.
    pub is_system: bool,
}

/// What an option is to clang.
enum Kind {
    /// Nothing.
    Dropped,
    /// Nothing, and neither is the word behind it.
    DroppedWithValue,
    /// These words.
    Becomes(&'static [&'static str]),
    /// These words, with a remark.
    Noted(&'static [&'static str], &'static str),
    /// Nothing but a remark, and neither is the word behind it.
    NotedWithValue(&'static str),
    /// This word with the value behind it.
    Joined(&'static str),
    /// This word, and the value behind it as one of its own.
    Separate(&'static str),
    /// A folder of headers, of the system or not.
    Include(bool),
    /// Options of the host's compiler, with commas between them.
    HostOptions,
}

use Kind::{Becomes, Dropped, DroppedWithValue, HostOptions, Joined, Noted, NotedWithValue, Separate};

/// Options that are known (NVIDIA, "CUDA Compiler Driver NVCC", section 4.2 "NVCC Command Options"). One dash counts as two.
const OPTIONS: &[(&[&str], Kind)] = &[
    (&["arch", "gpu-architecture", "code", "gpu-code", "gencode", "generate-code"], DroppedWithValue),
    (&["o", "output-file", "odir", "output-directory", "MF", "MT", "MQ", "dependency-output"], DroppedWithValue),
    (&["x", "ccbin", "compiler-bindir", "cudart", "threads", "t", "split-compile"], DroppedWithValue),
    (&["Xptxas", "ptxas-options", "Xnvlink", "nvlink-options", "Xcudafe", "Xfatbin"], DroppedWithValue),
    (&["diag-suppress", "diag-warn", "diag-error", "keep-dir", "Xlinker", "linker-options"], DroppedWithValue),
    (&["c", "compile", "dw", "M", "MM", "MD", "MMD", "MP", "m64", "v", "verbose", "keep"], Dropped),
    (&["expt-relaxed-constexpr", "expt-extended-lambda", "extended-lambda", "restrict"], Dropped),
    (&["lineinfo", "generate-line-info", "display-error-number", "no-display-error-number"], Dropped),
    (&["forward-unknown-to-host-compiler", "forward-unknown-opts", "allow-unsupported-compiler"], Dropped),
    (&["source-in-ptx", "src-in-ptx", "extra-device-vectorization", "compress-all"], Dropped),
    (&["dc", "device-c"], Becomes(&["-fgpu-rdc"])),
    (&["G", "device-debug"], Becomes(&["-g"])),
    (&["g", "debug"], Becomes(&["-g"])),
    (&["w", "disable-warnings"], Becomes(&["-w"])),
    (&["pthread"], Becomes(&["-pthread"])),
    (
        &["use_fast_math"],
        Noted(
            &["-Xarch_device", "-ffast-math"],
            "`--use_fast_math` became `-ffast-math` for device code, which also lets sums be reordered and NaN be ignored",
        ),
    ),
    (
        &["maxrregcount"],
        NotedWithValue(
            "`-maxrregcount` was left out (B001): bound the registers of single kernels by `__launch_bounds__`",
        ),
    ),
    (&["std"], Joined("-std=")),
    (&["D", "define-macro"], Joined("-D")),
    (&["U", "undefine-macro"], Joined("-U")),
    (&["O", "optimize"], Joined("-O")),
    (&["include", "pre-include"], Separate("-include")),
    (&["default-stream"], Joined("-fgpu-default-stream=")),
    (&["I", "include-path"], Kind::Include(false)),
    (&["isystem", "system-include"], Kind::Include(true)),
    (&["Xcompiler", "compiler-options"], HostOptions),
];

/// Options with a value that decides.
const SWITCHES: &[(&str, &str, &[&str])] = &[
    ("rdc", "true", &["-fgpu-rdc"]),
    ("rdc", "false", &[]),
    ("relocatable-device-code", "true", &["-fgpu-rdc"]),
    ("relocatable-device-code", "false", &[]),
    ("ftz", "true", &["-Xarch_device", "-fgpu-flush-denormals-to-zero"]),
    ("ftz", "false", &[]),
    ("fmad", "true", &[]),
    ("fmad", "false", &["-Xarch_device", "-ffp-contract=off"]),
    ("prec-div", "true", &[]),
    ("prec-sqrt", "true", &[]),
];

/// Options of the host's compiler that clang has under the same name, by how they begin.
const SAME: &[&str] = &[
    "-fPIC",
    "-fpic",
    "-fPIE",
    "-fpie",
    "-fopenmp",
    "-fno-exceptions",
    "-fexceptions",
    "-fno-rtti",
    "-frtti",
    "-fvisibility",
    "-fno-strict-aliasing",
    "-fstrict-aliasing",
    "-ffast-math",
    "-funroll-loops",
    "-fno-omit-frame-pointer",
    "-pthread",
    "-pedantic",
];

/// Maps the options of a command, which was started in `directory`. Names of sources and objects are left out.
pub fn map_options(words: &[String], directory: &Utf8Path) -> MappedOptions {
    let mut mapper = Mapper { directory, mapped: MappedOptions::default() };
    let mut words = words.iter().map(String::as_str);
    while let Some(word) = words.next() {
        if word.starts_with('-') {
            mapper.option(word, &mut words);
        } else if word.starts_with('@') {
            mapper.mapped.unknown.push(word.to_owned());
        }
    }
    mapper.mapped
}

struct Mapper<'m> {
    directory: &'m Utf8Path,
    mapped: MappedOptions,
}

impl Mapper<'_> {
    fn option<'w>(&mut self, word: &'w str, rest: &mut impl Iterator<Item = &'w str>) {
        let bare = word.strip_prefix("--").or_else(|| word.strip_prefix('-')).unwrap_or(word);
        let (name, value) = bare.split_once('=').map_or((bare, None), |(name, value)| (name, Some(value)));
        if let Some(words) = switch(name, value) {
            self.flags(words);
        } else if let Some(kind) = known(name) {
            // `-DN=4` has its name in front of the first `=`, but is no option with that value.
            self.known(word, kind, value, rest);
        } else if let Some((kind, value)) = attached(word) {
            self.with_value(kind, value);
        } else if let Some((name, value)) = name.split_once(' ')
            && let Some(kind) = known(name)
        {
            self.with_value(kind, value);
        } else {
            self.host_option(word);
        }
    }

    fn known<'w>(&mut self, word: &str, kind: &Kind, value: Option<&'w str>, rest: &mut impl Iterator<Item = &'w str>) {
        match kind {
            Dropped => {}
            Becomes(words) => self.flags(words),
            Noted(words, note) => {
                self.flags(words);
                self.mapped.notes.push((*note).to_owned());
            }
            _ => match value.or_else(|| rest.next()) {
                Some(value) => self.with_value(kind, value),
                None => self.mapped.unknown.push(word.to_owned()),
            },
        }
    }

    fn with_value(&mut self, kind: &Kind, value: &str) {
        match kind {
            Joined(option) => self.mapped.flags.push(format!("{option}{value}")),
            Separate(option) => self.mapped.flags.extend([(*option).to_owned(), value.to_owned()]),
            Kind::Include(is_system) => {
                self.mapped.include.push(Include { folder: self.directory.join(value), is_system: *is_system });
            }
            HostOptions => {
                for option in value.split(',').flat_map(str::split_whitespace) {
                    self.host_option(option);
                }
            }
            NotedWithValue(note) => self.mapped.notes.push((*note).to_owned()),
            Dropped | DroppedWithValue | Becomes(_) | Noted(..) => {}
        }
    }

    /// An option of the host's compiler, which stands alone.
    fn host_option(&mut self, word: &str) {
        // Warnings that are errors there need not be any here: it is another compiler.
        let is_error = word.starts_with("-Werror") || word == "-Wfatal-errors";
        let is_linked = ["-L", "-l", "-Wl,"].iter().any(|start| word.starts_with(start)) || word == "-shared";
        if is_error || is_linked {
            return;
        }
        if word.starts_with("-m") {
            self.mapped.flags.extend(["-Xarch_host".to_owned(), word.to_owned()]);
        } else if word.starts_with("-W") || SAME.iter().any(|start| word.starts_with(start)) {
            self.mapped.flags.push(word.to_owned());
        } else if let Some((kind, value)) = attached(word) {
            self.with_value(kind, value);
        } else {
            self.mapped.unknown.push(word.to_owned());
        }
    }

    fn flags(&mut self, words: &[&str]) {
        self.mapped.flags.extend(words.iter().map(|word| (*word).to_owned()));
    }
}

fn known(name: &str) -> Option<&'static Kind> {
    OPTIONS.iter().find(|(names, _)| names.contains(&name)).map(|(_, kind)| kind)
}

fn switch(name: &str, value: Option<&str>) -> Option<&'static [&'static str]> {
    let value = value?;
    SWITCHES.iter().find(|(known, wanted, _)| *known == name && *wanted == value).map(|(_, _, words)| *words)
}

/// Letters whose value may stand behind them without a blank.
const VALUE_BEHIND: &[&str] = &["D", "U", "I", "O", "o"];

/// An option of one letter with its value behind it, such as `-DN=4`, `-Iinclude` or `-O3`.
fn attached(word: &str) -> Option<(&'static Kind, &str)> {
    let rest = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'))?;
    let (letter, value) = rest.split_at_checked(1)?;
    let takes_it = VALUE_BEHIND.contains(&letter) && !value.is_empty();
    takes_it.then(|| known(letter)).flatten().map(|kind| (kind, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mapped(line: &str) -> MappedOptions {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        map_options(&words, "/p/build".into())
    }

    #[track_caller]
    fn check(line: &str, flags: &str) {
        let found = mapped(line);
        assert_eq!(found.flags.join(" "), flags, "{line}");
        assert_eq!(found.unknown, Vec::<String>::new(), "{line}");
    }

    #[test]
    fn options_for_nvidia_gpus_go() {
        check("-arch=sm_80 -gencode arch=compute_80,code=sm_80 --generate-code=arch=compute_70,code=[sm_70]", "");
        check("--expt-relaxed-constexpr --expt-extended-lambda -lineinfo -Xptxas -v -ccbin g++ -t 4 -m64", "");
    }

    #[test]
    fn what_clang_has_under_another_name_is_renamed() {
        check("-rdc=true", "-fgpu-rdc");
        check("--relocatable-device-code=false -dc", "-fgpu-rdc");
        check("-G -g -w --default-stream per-thread", "-g -g -w -fgpu-default-stream=per-thread");
        check("-ftz=true -fmad=false", "-Xarch_device -fgpu-flush-denormals-to-zero -Xarch_device -ffp-contract=off");
    }

    #[test]
    fn macros_language_and_optimisation_stay() {
        check(
            "-DN=4 -D M -UX --define-macro=Q=1 -std=c++17 --std c++20 -O3",
            "-DN=4 -DM -UX -DQ=1 -std=c++17 -std=c++20 -O3",
        );
        check("-include a.h", "-include a.h");
    }

    #[test]
    fn options_for_the_host_are_taken_apart() {
        check(
            "-Xcompiler -fPIC,-Wall -Xcompiler=-march=native --compiler-options -O2",
            "-fPIC -Wall -Xarch_host -march=native -O2",
        );
        check("-Xcompiler -DX=1 -Werror -L/lib -lcudart a.cu -o a.o -c", "-DX=1");
    }

    #[test]
    fn folders_are_found_from_that_of_the_command() {
        let found = mapped("-I../include -I /abs -isystem=third --system-include fourth");
        let folders: Vec<(&str, bool)> =
            found.include.iter().map(|include| (include.folder.as_str(), include.is_system)).collect();
        let wanted =
            [("/p/build/../include", false), ("/abs", false), ("/p/build/third", true), ("/p/build/fourth", true)];
        assert_eq!(folders, wanted);
    }

    #[test]
    fn fast_math_has_a_note_and_unknown_options_are_listed() {
        let found = mapped("--use_fast_math -maxrregcount 64 --frobnicate=3 -prec-div=false @more.rsp -fsplit-stack");
        assert_eq!(found.flags, ["-Xarch_device", "-ffast-math"]);
        assert_eq!(found.notes.len(), 2);
        assert_eq!(found.unknown, ["--frobnicate=3", "-prec-div=false", "@more.rsp", "-fsplit-stack"]);
    }
}
