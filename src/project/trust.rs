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

/// Options of a compiler from a project that do more than say how its code is to be understood: those that load
/// code, name programs, or write files. Whatever is not known to be harmless is among them.
pub fn powerful_flags(flags: &[String]) -> Vec<String> {
    let mut powerful = Vec::new();
    let mut words = flags.iter().map(String::as_str);
    while let Some(word) = words.next() {
        let has_value = WITH_VALUE.contains(&word);
        let value = if has_value { words.next() } else { None };
        let is_response = word.starts_with('@') || value.is_some_and(|value| value.starts_with(['@', '-']));
        let is_inner = value.is_some() && matches!(word, "-Xarch_host" | "-Xarch_device");
        let is_harmless = match value {
            Some(value) if is_inner => is_harmless(value),
            _ => has_value || is_harmless(word),
        };
        if (is_response && !is_inner) || !is_harmless {
            powerful.push([Some(word), value].into_iter().flatten().collect::<Vec<_>>().join(" "));
        }
    }
    powerful
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
    // `-Wl,`, `-Wp,` and `-Wa,` hand what follows to other programs.
    let is_handed_on = word.starts_with("-W") && word.contains(',');
    let is_known = HARMLESS.iter().any(|start| word.starts_with(start)) || HARMLESS_WORDS.contains(&word);
    (is_known && !is_handed_on) || is_harmless_feature(word)
}

/// Features of the language and of the target: `-fno-exceptions`, `-ffp-contract=off`, `-mavx2`. Those that take files or
/// programs (`-fplugin=…`, `-fuse-ld=…`, `-mllvm=…`) are not among them.
fn is_harmless_feature(word: &str) -> bool {
    const POWERFUL: &[&str] = &[
        "-fplugin",
        "-fpass-plugin",
        "-fuse-ld",
        "-fprofile",
        "-fmodule",
        "-ftime-trace",
        "-fcrash",
        "-fsave",
        "-fcs-profile",
        "-fsanitize-",
        "-fxray",
        "-fdump",
        "-frecord",
        "-fproc",
        "-fopenmp=",
        "-foffload",
        "-fembed",
        "-fdebug",
        "-ffile",
        "-fbuild-session",
        "-findex",
        "-fcoverage",
        "-ftest-coverage",
        "-fthin",
        "-fbasic-block",
        "-fdiagnostics-",
        "-mllvm",
        "-mlink",
        "-mcode-object",
        "-module",
    ];
    let is_feature = word.starts_with("-f") || word.starts_with("-m");
    is_feature && !word.contains('/') && !POWERFUL.iter().any(|start| word.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn powerful(flags: &str) -> Vec<String> {
        powerful_flags(&flags.split(' ').map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn usual_options_need_no_trust() {
        let usual = "-DN=4 -D M -I include -isystem /usr/include -std=c++20 -O3 -Wall -Wno-unused -fno-exceptions \
                     -ffp-contract=off -Xarch_device -ffast-math -Xarch_host -mavx2 -include config.h -pthread -g";
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
        ] {
            assert_ne!(powerful(flag), Vec::<String>::new(), "{flag}");
        }
    }
}
