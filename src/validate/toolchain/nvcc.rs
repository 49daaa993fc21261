//! Options of nvcc and of the compilers of the host, as options of clang for HIP.

use camino::{Utf8Path, Utf8PathBuf};

use crate::mapping::{FoundOption, OptionAction, nvcc_option};

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
    fn option<'w>(&mut self, word: &'w str, rest: &mut (impl Iterator<Item = &'w str> + Clone)) {
        let Some(found) = nvcc_option(word, rest.clone().next()) else { return self.host_option(word) };
        if found.takes_next {
            rest.next();
        }
        if found.row.is_unknown_to_clang() {
            self.mapped.unknown.push(word.to_owned());
        } else {
            self.known(found);
        }
    }

    fn known(&mut self, found: FoundOption<'_>) {
        let value = found.value.unwrap_or_default();
        match found.row.action {
            OptionAction::Words => {
                self.mapped.flags.extend(found.row.for_clang(value));
                self.mapped.notes.extend(found.row.note.clone());
            }
            OptionAction::Include | OptionAction::SystemInclude => {
                let is_system = found.row.action == OptionAction::SystemInclude;
                self.mapped.include.push(Include { folder: self.directory.join(value), is_system });
            }
            OptionAction::Host => {
                value.split(',').flat_map(str::split_whitespace).for_each(|option| self.host_option(option));
            }
            OptionAction::Product => self.mapped.notes.extend(found.row.note.clone()),
            OptionAction::Targets | OptionAction::Linker | OptionAction::DeviceLink | OptionAction::Ptxas => {}
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
        } else if let Some(found) = nvcc_option(word, None).filter(|found| found.row.value) {
            self.known(found);
        } else {
            self.mapped.unknown.push(word.to_owned());
        }
    }
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
        let found =
            mapped("--use_fast_math -maxrregcount 64 --frobnicate=3 -prec-div=maybe -dlink @more.rsp -fsplit-stack");
        let fast = ["approx-transcendentals", "flush-denormals-to-zero"].map(|name| format!("-fgpu-{name}"));
        let rounding = "-fno-hip-fp32-correctly-rounded-divide-sqrt".to_owned();
        assert_eq!(found.flags, [fast.as_slice(), &[rounding]].concat());
        assert_eq!(found.notes.len(), 2);
        assert_eq!(found.unknown, ["--frobnicate=3", "-prec-div=maybe", "-dlink", "@more.rsp", "-fsplit-stack"]);
    }
}
