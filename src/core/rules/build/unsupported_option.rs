//! Options of nvcc that the AMD compiler has no counterpart of.

use camino::Utf8Path;

use crate::diagnostic::RuleInfo;
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::range;

declare_rule! {
    /// ## What it does
    /// Finds `-maxrregcount` and `-mwavefrontsize64` in build files of `CMake`, make, meson, Bazel,
    /// shell and `setup.py`. Only directories are searched for such files.
    ///
    /// ## Why is this bad?
    /// The AMD compiler has no limit of registers for a whole file: it stops at the option, or the
    /// limit is lost. `-mwavefrontsize64` is accepted for GPUs whose waves HIP runs with 32 lanes
    /// only, and the program fails there.
    ///
    /// ## Example
    /// In `CMakeLists.txt`:
    /// ```cmake
    /// target_compile_options(app PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-maxrregcount=64>)
    /// ```
    ///
    /// ## What to do
    /// Remove the option. Give the kernels that need fewer registers `__launch_bounds__`, whose
    /// second argument is in waves per execution unit. Source: HIP documentation, "HIP porting
    /// guide", "maxregcount"; "C++ language extensions", "warpSize".
    UnsupportedOption { code: "B001", name: "unsupported-option", severity: Warning, fix: None, since: "0.1.0" }
}

/// The options, without what may stand before them, and what to do.
const OPTIONS: &[(&str, &str)] = &[
    ("-maxrregcount", "remove it, and bound the registers of single kernels by `__launch_bounds__`"),
    ("-mwavefrontsize64", "remove it: HIP runs waves of 32 lanes on these GPUs"),
];

/// Whether the bytes of a build file hold an option that the rule looks for.
pub fn holds_unsupported_option(bytes: &[u8]) -> bool {
    OPTIONS.iter().any(|(option, _)| memchr::memmem::find(bytes, option.as_bytes()).is_some())
}

/// Names of files that say how a project is built.
pub const BUILD_FILE_NAMES: &[&str] =
    &["CMakeLists.txt", "Makefile", "makefile", "GNUmakefile", "meson.build", "setup.py", "BUILD", "build.rs"];

/// Extensions of files that say how a project is built.
pub const BUILD_FILE_EXTENSIONS: &[&str] = &["cmake", "mk", "bazel", "bzl", "sh"];

/// Whether a file says how a project is built, by its name.
pub fn is_build_file(path: &Utf8Path) -> bool {
    path.file_name().is_some_and(|name| BUILD_FILE_NAMES.contains(&name))
        || path.extension().is_some_and(|extension| BUILD_FILE_EXTENSIONS.contains(&extension))
}

impl Rule for UnsupportedOption {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check<'d>(_: WholeFile, cx: &mut Context<'d>) {
        if !is_build_file(&cx.document.file().path) {
            return;
        }
        let text = cx.document.text().as_bytes();
        for (option, advice) in OPTIONS {
            let found: Vec<usize> = memchr::memmem::find_iter(text, option).collect();
            for at in found {
                let finding = cx.report(range(at, at + option.len()), format!("the AMD compiler has no `{option}`"));
                finding.note(*advice);
            }
        }
    }
}
