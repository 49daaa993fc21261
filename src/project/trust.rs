//! Which files of projects the user trusts with more than contents, known by path and content.
//!
//! A configuration comes with the project, so anybody may have written it. What it says about results is followed;
//! what would be executed because of it is not, until the user has seen it (`hipshift trust`). Another content is
//! another file.

use std::io;

use camino::{Utf8Path, Utf8PathBuf};

use super::user_state::{make_private, refuse_foreign, user_state};
use crate::source::digest;

/// Whether the user trusts the file as it is.
pub fn is_trusted(file: &Utf8Path) -> io::Result<bool> {
    let record = record_of(file)?;
    refuse_foreign(&user_state()?)?;
    Ok(record.is_file())
}

/// Trusts the file as it is.
pub fn trust(file: &Utf8Path) -> io::Result<()> {
    let record = record_of(file)?;
    make_private(record.parent().unwrap_or(&record))?;
    std::fs::write(&record, format!("{file}\n"))
}

/// Trusts the file no more. Whether it was trusted.
pub fn distrust(file: &Utf8Path) -> io::Result<bool> {
    let record = record_of(file)?;
    refuse_foreign(&user_state()?)?;
    match std::fs::remove_file(record) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        removed => removed.map(|()| true),
    }
}

fn record_of(file: &Utf8Path) -> io::Result<Utf8PathBuf> {
    let path = file.canonicalize_utf8()?;
    let text = super::read::read_named(&path)?;
    Ok(user_state()?.join("trust").join(digest(format!("{path}\0{text}").as_bytes())))
}

/// An option of a compiler with its value, if that is a word of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompilerOption<'w> {
    word: &'w str,
    value: Option<&'w str>,
}

/// The options among words, as a compiler takes them.
pub fn compiler_options<'w>(words: impl IntoIterator<Item = &'w String>) -> Vec<CompilerOption<'w>> {
    let mut words = words.into_iter().map(String::as_str);
    let mut options = Vec::new();
    while let Some(word) = words.next() {
        let value = if WITH_VALUE.contains(&word) { words.next() } else { None };
        options.push(CompilerOption { word, value });
    }
    options
}

impl<'w> CompilerOption<'w> {
    /// The words.
    pub fn words(&self) -> impl Iterator<Item = &'w str> {
        [Some(self.word), self.value].into_iter().flatten()
    }

    /// Whether it does more than say how code is to be understood: it loads code, names a program, or writes a file.
    /// Whatever is not known to be harmless does.
    pub fn is_powerful(&self) -> bool {
        match self.value {
            Some(value) if matches!(self.word, "-Xarch_host" | "-Xarch_device") => !is_harmless(value),
            Some(value) => value.starts_with(['@', '-']),
            // A value may be missing, or come with the next options that are added.
            None => WITH_VALUE.contains(&self.word) || !is_harmless(self.word),
        }
    }
}

impl std::fmt::Display for CompilerOption<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.words().collect::<Vec<_>>().join(" "))
    }
}

/// Options of a compiler from a project that do more than say how its code is to be understood.
pub fn powerful_flags(flags: &[String]) -> Vec<String> {
    let options = compiler_options(flags).into_iter();
    options.filter(CompilerOption::is_powerful).map(|option| option.to_string()).collect()
}

/// Harmless options whose value is the next word.
const WITH_VALUE: &[&str] =
    &["-I", "-isystem", "-iquote", "-idirafter", "-include", "-D", "-U", "-x", "-Xarch_host", "-Xarch_device"];

/// How harmless options begin.
const HARMLESS: &[&str] = &["-D", "-U", "-I", "-isystem", "-iquote", "-idirafter", "-std=", "--std=", "-O", "-W", "-x"];

/// Harmless options.
const HARMLESS_WORDS: &[&str] = &[
    "-g",
    "-g0",
    "-g1",
    "-g2",
    "-g3",
    "-ggdb",
    "-w",
    "-pthread",
    "-pedantic",
    "-ansi",
    "-nostdinc",
    "-nostdinc++",
    "-v",
];

fn is_harmless(word: &str) -> bool {
    if names_response_file(word) {
        return false;
    }
    // `-Wl,`, `-Wp,` and `-Wa,` hand what follows to other programs.
    let is_handed_on = word.starts_with("-W") && word.contains(',');
    let is_known = HARMLESS.iter().any(|start| word.starts_with(start)) || HARMLESS_WORDS.contains(&word);
    (is_known && !is_handed_on) || is_harmless_feature(word)
}

/// How options begin whose value may follow at once, and is handed on as a word of its own.
const WITH_JOINED_VALUE: &[&str] = &["-D", "-U", "-isystem", "-iquote", "-idirafter", "-I"];

/// Whether clang reads options from a file because of this one: its driver hands values on to a second stage as words of their own, and
/// there, too, `@` at the beginning of a word names a file with more options.
fn names_response_file(word: &str) -> bool {
    match WITH_JOINED_VALUE.iter().find_map(|start| word.strip_prefix(start)) {
        // Within a macro's text or a path it is a character like others.
        Some(value) => value.starts_with('@'),
        None => word.contains('@'),
    }
}

/// Features of the language and of the target that need no trust: `-fno-exceptions`, `-ffp-contract=off`, `-mavx2`. Whatever is not
/// listed may take files or programs (`-fplugin=…`, `-fuse-ld=…`), write (`-foptimization-record-file=…`), or do nothing at all
/// (`-fdriver-only`).
fn is_harmless_feature(word: &str) -> bool {
    let (name, value) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
    if value.is_some_and(|value| value.contains('/')) {
        return false;
    }
    if let Some(name) = name.strip_prefix("-f") {
        let name = name.strip_prefix("no-").unwrap_or(name);
        return match value {
            Some(_) => FEATURES_WITH_VALUE.contains(&name),
            None => FEATURES.contains(&name),
        };
    }
    let Some(name) = name.strip_prefix("-m") else { return false };
    let name = name.strip_prefix("no-").unwrap_or(name);
    match value {
        Some(_) => MACHINE_WITH_VALUE.contains(&name),
        None => MACHINE.iter().any(|start| name.starts_with(start)),
    }
}

/// Without `-f` and `no-`.
const FEATURES: &[&str] = &[
    "PIC",
    "PIE",
    "access-control",
    "aligned-new",
    "approx-func",
    "associative-math",
    "asynchronous-unwind-tables",
    "builtin",
    "char8_t",
    "color-diagnostics",
    "common",
    "concepts",
    "coroutines",
    "cuda-flush-denormals-to-zero",
    "data-sections",
    "delayed-template-parsing",
    "elide-constructors",
    "exceptions",
    "fast-math",
    "finite-math-only",
    "freestanding",
    "function-sections",
    "gnu-keywords",
    "gpu-approx-transcendentals",
    "gpu-flush-denormals-to-zero",
    "gpu-rdc",
    "honor-infinities",
    "honor-nans",
    "hip-fp32-correctly-rounded-divide-sqrt",
    "hosted",
    "inline",
    "inline-functions",
    "lto",
    "math-errno",
    "ms-extensions",
    "omit-frame-pointer",
    "openmp",
    "openmp-simd",
    "permissive",
    "pic",
    "pie",
    "plt",
    "reciprocal-math",
    "rounding-math",
    "rtti",
    "short-enums",
    "signed-char",
    "signed-zeros",
    "sized-deallocation",
    "slp-vectorize",
    "stack-protector",
    "stack-protector-all",
    "stack-protector-strong",
    "strict-aliasing",
    "strict-overflow",
    "threadsafe-statics",
    "trapping-math",
    "tree-vectorize",
    "unroll-loops",
    "unsafe-math-optimizations",
    "unsigned-char",
    "unwind-tables",
    "vectorize",
    "visibility-inlines-hidden",
    "wrapv",
];

/// Without `-f` and `no-`; a value follows `=`.
const FEATURES_WITH_VALUE: &[&str] = &[
    "bracket-depth",
    "constexpr-depth",
    "constexpr-steps",
    "cx-arithmetic",
    "denormal-fp-math",
    "fp-contract",
    "fp-model",
    "lto",
    "max-type-align",
    "pack-struct",
    "template-backtrace-limit",
    "template-depth",
    "visibility",
];

/// How they begin, without `-m` and `no-`.
const MACHINE: &[&str] = &[
    "32",
    "64",
    "adx",
    "aes",
    "amx",
    "avx",
    "bmi",
    "cumode",
    "f16c",
    "fma",
    "lzcnt",
    "mmx",
    "movbe",
    "pclmul",
    "popcnt",
    "rdrnd",
    "rdseed",
    "sse",
    "ssse3",
    "tgsplit",
    "unsafe-fp-atomics",
    "wavefrontsize64",
    "xnack",
    "xsave",
];

/// Without `-m`; a value follows `=`.
const MACHINE_WITH_VALUE: &[&str] =
    &["abi", "arch", "cmodel", "cpu", "fpmath", "prefer-vector-width", "recip", "stack-alignment", "tune"];

#[cfg(test)]
mod tests {
    use super::*;

    fn powerful(flags: &str) -> Vec<String> {
        powerful_flags(&flags.split(' ').map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn usual_options_need_no_trust() {
        let usual = "-DN=4 -D M -I include -isystem /usr/include -std=c++20 -O3 -Wall -Wno-unused -fno-exceptions \
                     -ffp-contract=off -Xarch_device -ffast-math -Xarch_host -mavx2 -include config.h -pthread -g \
                     -fgpu-approx-transcendentals -fno-hip-fp32-correctly-rounded-divide-sqrt \
                     -DMAIL=a@b -I/opt/openssl@3/include -D AT=@";
        assert_eq!(powerful(usual), Vec::<String>::new());
    }

    #[test]
    fn options_that_load_name_or_write_need_trust() {
        for flag in [
            "-fplugin=x.so",
            "-fpass-plugin=x.so",
            "-Xclang -load",
            "-load",
            "@file",
            "-include @file",
            "-B.",
            "-B x",
            "--config=x",
            "-fuse-ld=/x",
            "--ld-path=x",
            "-mllvm -load=x.so",
            "-mllvm=-load=x.so",
            "-Xarch_host -mllvm=-load=x.so",
            "-Xarch_host -fplugin=x",
            "-Wl,-plugin,x",
            "-Wp,-MF,x",
            "-specs=x",
            "-wrapper x",
            "--gcc-toolchain=x",
            "-MF x",
            "-o x",
            "-ccc-install-dir x",
            "-resource-dir=x",
            "-fmodules-cache-path=x",
            "-save-temps=obj",
            "-Xlinker x",
            "-ftime-trace=x",
            "-dumpdir x",
            "--hip-path=x",
            "-include -fplugin=x",
            "-Xarch_host @x",
            "x.cpp",
            "-D@file",
            "-D @file",
            "-U@file",
            "-I@file",
            "-isystem@file",
            "-iquote@file",
            "-idirafter@file",
            "-march=@file",
            "-std=@file",
            "-O@file",
            "-x@file",
            "-Wno-@file",
            "-Xarch_host -D@file",
            "-Xarch_device -march=@file",
            "-D",
            "-include",
        ] {
            assert_ne!(powerful(flag), Vec::<String>::new(), "{flag}");
        }
    }
}
