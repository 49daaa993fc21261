//! The options of hipify-clang and hipify-perl, as data.

use std::ffi::OsStr;
use std::path::Path;

/// The tool whose options and file conventions hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum Tool {
    /// hipify-clang
    Clang,
    /// hipify-perl
    Perl,
}

impl Tool {
    /// The tool that the program is called as: by the name of its file, whatever its extension.
    pub(in crate::cli) fn of_program(program: &OsStr) -> Option<Tool> {
        let name = Path::new(program).file_name()?.to_str()?;
        let stem = name.split('.').next()?;
        [Tool::Clang, Tool::Perl].into_iter().find(|tool| tool.name() == stem)
    }

    /// What the tool is called.
    pub(super) fn name(self) -> &'static str {
        match self {
            Tool::Clang => "hipify-clang",
            Tool::Perl => "hipify-perl",
        }
    }
}

/// Who knows an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KnownTo {
    /// Both tools.
    Both,
    /// hipify-clang
    Clang,
    /// hipify-perl
    Perl,
}

impl KnownTo {
    pub(super) fn includes(self, tool: Tool) -> bool {
        match self {
            KnownTo::Both => true,
            KnownTo::Clang => tool == Tool::Clang,
            KnownTo::Perl => tool == Tool::Perl,
        }
    }
}

/// A switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flag {
    CudaLaunch,
    Examine,
    Help,
    HipDnn,
    HipLaunch,
    InPlace,
    Miopen,
    NoBackup,
    NoOutput,
    PrintStats,
    PrintStatsCsv,
    QuietWarnings,
    Roc,
    SkipExcluded,
    UseHipDataTypes,
    Version,
    Versions,
}

/// Something with a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    As,
    Database,
    ExcludeDirectories,
    ExcludeFiles,
    KeepNames,
    Output,
    OutputDirectory,
    Rocm,
    StatisticsFile,
}

/// What an option does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// Switches something on.
    Set(Flag),
    /// Gives something a value.
    Give(Key),
    /// Nothing: hipshift needs no such advice, or always does so.
    Nothing,
    /// Ends the run with what to do instead.
    Refuse(&'static str),
}

/// One option.
#[derive(Debug, Clone, Copy)]
pub(super) struct OptionInfo {
    /// Its name without dashes.
    pub(super) name: &'static str,
    /// What stands for its value in the help; empty if it takes none.
    pub(super) value: &'static str,
    pub(super) known_to: KnownTo,
    pub(super) effect: Effect,
    pub(super) help: &'static str,
}

const fn option(
    name: &'static str,
    value: &'static str,
    known_to: KnownTo,
    effect: Effect,
    help: &'static str,
) -> OptionInfo {
    OptionInfo { name, value, known_to, effect, help }
}

use Effect::{Give, Nothing, Refuse, Set};
use KnownTo::{Both, Clang, Perl};

const USE_MAP: &str = "`hipshift map --json NAME…` prints the tables";
const NAME_HEADERS: &str = "name the headers as sources, or use `hipshift convert DIR`";

/// All options, in the order of the help.
#[rustfmt::skip]
pub(super) const OPTIONS: &[OptionInfo] = &[
    option("o", "FILE", Both, Give(Key::Output), "write the result to FILE; `-` is standard output"),
    option("o-dir", "DIR", Clang, Give(Key::OutputDirectory), "write the results to DIR, as SOURCE.hip"),
    option("inplace", "", Both, Set(Flag::InPlace), "change the sources; the originals stay as SOURCE.prehip"),
    option("no-backup", "", Clang, Set(Flag::NoBackup), "keep no originals"),
    option("no-output", "", Both, Set(Flag::NoOutput), "write no results"),
    option("p", "DIR", Clang, Give(Key::Database), "take the sources from DIR/compile_commands.json if none is named"),
    option("exclude-dirs", "LIST", Perl, Give(Key::ExcludeDirectories), "leave out sources in these directories; commas between them"),
    option("exclude-files", "LIST", Perl, Give(Key::ExcludeFiles), "leave out these sources"),
    option("whitelist", "LIST", Perl, Give(Key::KeepNames), "keep these names as they are"),
    option("roc", "", Both, Set(Flag::Roc), "use the names of rocBLAS, rocSPARSE, rocRAND and rocSOLVER"),
    option("miopen", "", Clang, Set(Flag::Miopen), "use the names of MIOpen for cuDNN"),
    option("hipdnn", "", Clang, Set(Flag::HipDnn), "use the names of hipDNN for cuDNN; it ended with ROCm 6.4"),
    option("use-hip-data-types", "", Clang, Set(Flag::UseHipDataTypes), "`cudaDataType` becomes `hipDataType`, with --roc too"),
    option("rocm", "VERSION", Both, Give(Key::Rocm), "ROCm release whose names are used, 5.7 to 7.2 [default: 7.2]"),
    option("hip-kernel-execution-syntax", "", Both, Set(Flag::HipLaunch), "launch kernels with hipLaunchKernelGGL"),
    option("cuda-kernel-execution-syntax", "", Both, Set(Flag::CudaLaunch), "launch kernels with <<<…>>>; the default"),
    option("skip-excluded-preprocessor-conditional-blocks", "", Clang, Set(Flag::SkipExcluded), "leave blocks such as `#if 0` as they are; other blocks are converted"),
    option("default-preprocessor", "", Clang, Set(Flag::SkipExcluded), "the same"),
    option("examine", "", Both, Set(Flag::Examine), "print statistics; write no results"),
    option("print-stats", "", Both, Set(Flag::PrintStats), "print statistics"),
    option("print-stats-csv", "", Clang, Set(Flag::PrintStatsCsv), "print statistics as CSV"),
    option("o-stats", "FILE", Clang, Give(Key::StatisticsFile), "write the statistics to FILE"),
    option("quiet-warnings", "", Perl, Set(Flag::QuietWarnings), "do not list what was not converted"),
    option("as", "TOOL", Both, Give(Key::As), "`clang` or `perl`: whose options and defaults hold"),
    option("version", "", Both, Set(Flag::Version), "print the version"),
    option("versions", "", Clang, Set(Flag::Versions), "print the releases that the tables know"),
    option("help", "", Both, Set(Flag::Help), "print this help"),
    option("h", "", Both, Set(Flag::Help), ""),

    option("amap", "", Clang, Nothing, "all branches are always converted"),
    option("experimental", "", Both, Nothing, "a name is used from the release on that has it"),
    option("no-undocumented-features", "", Clang, Nothing, "members of `half2` are never rewritten"),
    option("no-warnings-on-undocumented-features", "", Clang, Nothing, "the same"),
    option("I", "DIR", Clang, Nothing, "sources are read, not compiled"),
    option("D", "MACRO", Clang, Nothing, "the same"),
    option("cuda-path", "DIR", Clang, Nothing, "the same"),
    option("cuda-gpu-arch", "SM", Clang, Nothing, "the same"),
    option("clang-resource-directory", "DIR", Clang, Nothing, "the same"),
    option("extra-arg", "ARG", Clang, Nothing, "the same"),
    option("extra-arg-before", "ARG", Clang, Nothing, "the same"),
    option("save-temps", "", Clang, Nothing, "there are no temporary files"),
    option("temp-dir", "DIR", Clang, Nothing, "the same"),
    option("v", "", Clang, Nothing, "no command is run"),

    option("local-headers", "", Clang, Refuse(NAME_HEADERS), ""),
    option("local-headers-recursive", "", Clang, Refuse(NAME_HEADERS), ""),
    option("perl", "", Clang, Refuse(USE_MAP), ""),
    option("python", "", Clang, Refuse(USE_MAP), ""),
    option("o-hipify-perl-dir", "DIR", Clang, Refuse(USE_MAP), ""),
    option("o-python-map-dir", "DIR", Clang, Refuse(USE_MAP), ""),
    option("md", "", Clang, Refuse(USE_MAP), ""),
    option("csv", "", Clang, Refuse(USE_MAP), ""),
    option("doc-format", "FORMAT", Clang, Refuse(USE_MAP), ""),
    option("doc-roc", "WAY", Clang, Refuse(USE_MAP), ""),
];

/// The option that `tool` calls `name`.
pub(super) fn find(name: &str, tool: Tool) -> Option<&'static OptionInfo> {
    OPTIONS.iter().find(|option| option.name == name && option.known_to.includes(tool))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_known_by_name() {
        let of = |name: &str| Tool::of_program(OsStr::new(name));
        assert_eq!(of("/opt/rocm/bin/hipify-clang"), Some(Tool::Clang));
        assert_eq!(of("hipify-perl.exe"), Some(Tool::Perl));
        assert_eq!(of("hipify-perl.bin"), Some(Tool::Perl));
        assert_eq!(of("hipshift"), None);
        assert_eq!(of("hipify-clang-17"), None);
    }

    #[test]
    fn names_are_unique() {
        for (at, option) in OPTIONS.iter().enumerate() {
            assert!(OPTIONS.iter().skip(at + 1).all(|other| other.name != option.name), "{}", option.name);
        }
    }
}
