//! What a project's programs are: files with a `main`, and the files that are linked with each.

use camino::{Utf8Path, Utf8PathBuf};

use super::given::Given;
use super::kernel::Kernel;
use crate::analysis::Functions;
use crate::source::SourceFile;
use crate::syntax::Document;

/// Extensions of files that a compiler is started on; all others are included by them.
const UNIT_EXTENSIONS: &[&str] = &["cu", "hip", "c", "cpp", "cc", "cxx", "C", "c++"];

/// A file that a compiler is started on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// The file as the user has it.
    pub source: Utf8PathBuf,
    /// The file as it is compiled.
    pub output: Utf8PathBuf,
    /// Whether it defines `main`.
    pub has_main: bool,
    /// Options of the compiler for this file.
    pub flags: Vec<String>,
}

/// A program that can be linked and run.
#[derive(Debug, Clone, PartialEq)]
pub struct Program {
    /// A short name, different for each program of a run.
    pub name: String,
    /// Numbers of its units; the one with `main` comes first.
    pub units: Vec<usize>,
    /// The kernel that it starts, if it is a program of ours.
    pub kernel: Option<Kernel>,
    /// Libraries that it is linked with, as they stand behind `-l`.
    pub libraries: Vec<String>,
    /// What it is given of its own.
    pub given: Given,
}

/// Whether a compiler is started on a file of this name.
pub fn is_unit(path: &Utf8Path) -> bool {
    path.extension().is_some_and(|extension| UNIT_EXTENSIONS.contains(&extension))
}

/// Whether a file of this name is compiled as C, without code for GPUs.
pub(super) fn is_c(path: &Utf8Path) -> bool {
    path.extension() == Some("c")
}

/// Whether a file of this name and content defines `main`; no, if it is no text.
pub fn defines_main(path: &Utf8Path, bytes: Vec<u8>) -> bool {
    SourceFile::decode(path, bytes).is_ok_and(|file| has_main(&Document::new(file)))
}

fn has_main(document: &Document) -> bool {
    Functions::of(document).iter().any(|function| function.name.is_some_and(|name| document.token_text(name) == "main"))
}

/// The programs among the units of a run.
///
/// Units without `main` belong to a program that is alone in the run; to one of several programs they belong if they
/// lie in its directory or below it.
pub fn programs(units: &[Unit]) -> Vec<Program> {
    let mains: Vec<usize> = units.iter().enumerate().filter(|(_, unit)| unit.has_main).map(|(at, _)| at).collect();
    let program = |main: usize| {
        let folder = units[main].source.parent().unwrap_or(Utf8Path::new(""));
        let is_part = |unit: &Unit| !unit.has_main && (mains.len() == 1 || unit.source.starts_with(folder));
        let parts = units.iter().enumerate().filter(|(_, unit)| is_part(unit)).map(|(at, _)| at);
        Program {
            name: name(&units[main].source),
            units: std::iter::once(main).chain(parts).collect(),
            kernel: None,
            libraries: Vec::new(),
            given: Given::default(),
        }
    };
    let mut programs: Vec<Program> = mains.iter().map(|main| program(*main)).collect();
    make_names_unique(&mut programs, units);
    programs
}

/// The name of a program: that of its file, or of the directory where the file is called `main`, in `src` or not.
fn name(source: &Utf8Path) -> String {
    let stem = source.file_stem().unwrap_or("program");
    if stem != "main" {
        return stem.to_owned();
    }
    let folders = source.ancestors().skip(1).filter_map(Utf8Path::file_name);
    folders.into_iter().find(|folder| *folder != "src").unwrap_or(stem).to_owned()
}

/// Every unit as a program of its own, for those that are compiled and not linked.
pub fn single_units(units: &[Unit]) -> Vec<Program> {
    let program = |at: usize| Program {
        name: units[at].source.as_str().to_owned(),
        units: vec![at],
        kernel: None,
        libraries: Vec::new(),
        given: Given::default(),
    };
    (0..units.len()).map(program).collect()
}

/// Programs with equal names are told apart by their paths.
fn make_names_unique(programs: &mut [Program], units: &[Unit]) {
    let names: Vec<String> = programs.iter().map(|program| program.name.clone()).collect();
    for program in programs {
        if names.iter().filter(|name| **name == program.name).count() > 1 {
            units[program.units[0]].source.as_str().clone_into(&mut program.name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(path: &str, has_main: bool) -> Unit {
        Unit { source: path.into(), output: path.into(), has_main, flags: Vec::new() }
    }

    fn names_and_units(units: &[Unit]) -> Vec<(String, Vec<usize>)> {
        programs(units).into_iter().map(|program| (program.name, program.units)).collect()
    }

    #[test]
    fn one_main_takes_all_units() {
        let units = [unit("p/kernels/k.cu", false), unit("p/src/main.cu", true)];
        assert_eq!(names_and_units(&units), [("p".to_owned(), vec![1, 0])]);
    }

    #[test]
    fn each_of_several_mains_takes_what_lies_beside_it() {
        let units = [unit("a/main.cu", true), unit("a/part.cu", false), unit("b/main.cu", true), unit("c/x.cu", false)];
        assert_eq!(names_and_units(&units), [("a".to_owned(), vec![0, 1]), ("b".to_owned(), vec![2])]);
    }

    #[test]
    fn equal_names_become_paths() {
        let units = [unit("a/test.cu", true), unit("b/test.cu", true)];
        let names: Vec<String> = programs(&units).into_iter().map(|program| program.name).collect();
        assert_eq!(names, ["a/test.cu", "b/test.cu"]);
    }

    #[test]
    fn main_is_a_function_with_a_body() {
        let found = |text: &str| has_main(&Document::new(SourceFile::from_text("a.cu", text)));
        assert!(found("#include <cstdio>\nint main(int argc, char** argv) { return 0; }"));
        assert!(found("auto main() -> int\n{\n}"));
        assert!(!found("int main();"));
        assert!(!found("// int main() {}\nvoid call() { main(); }"));
        assert!(!found("struct A { int main_part; };"));
    }
}
