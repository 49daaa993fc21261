//! The compiler behind HIP RTC: the one that `hipshift` has found, in a process of its own.

use std::collections::HashMap;
use std::env;
use std::ffi::CString;
use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use hipshift_emulator::object::CodeObject;

/// The command that compiles HIP for the emulated GPU, one word a line, as `hipshift` sets it.
const VARIABLE: &str = "HIPSHIFT_COMPILER";

/// What stands before the program's text: HIP RTC needs no include for HIP, and defines a macro.
const BEFORE: &str = "#include <hip/hip_runtime.h>\n#define __HIPCC_RTC__ 1\n";

/// A variable that holds the address of what a name expression means has this name and a number.
const POINTER: &str = "hipshift_rtc_name_";

/// A header that the program brings as text.
pub(crate) struct Header {
    /// As includes name it.
    pub(crate) name: String,
    pub(crate) text: String,
}

/// What is compiled.
pub(crate) struct Source {
    pub(crate) text: String,
    /// For messages.
    pub(crate) name: String,
    pub(crate) headers: Vec<Header>,
}

/// What came of it.
pub(crate) struct Compiled {
    /// What the compiler said.
    pub(crate) log: CString,
    /// The code object, if it was made.
    pub(crate) code: Option<Vec<u8>>,
    /// Mangled names by name expression.
    pub(crate) names: HashMap<String, CString>,
}

/// Compiles a program. What goes wrong stands in the log.
pub(crate) fn compile(source: &Source, expressions: &[String], options: &[String]) -> Compiled {
    let failed = |log: String| Compiled { log: text(log), code: None, names: HashMap::new() };
    let Ok(command) = env::var(VARIABLE) else {
        return failed(
            "hipshift found no compiler for AMD GPUs; `hipshift toolchain install` fetches one\n".to_owned(),
        );
    };
    match code(&command, source, expressions, options) {
        Ok((log, Some(code))) => Compiled { names: names(&code, expressions), log: text(log), code: Some(code) },
        Ok((log, None)) => failed(log),
        Err(error) => failed(format!("the compiler could not be run: {error}\n")),
    }
}

/// What the compiler says, and the code object.
fn code(
    command: &str,
    source: &Source,
    expressions: &[String],
    options: &[String],
) -> io::Result<(String, Option<Vec<u8>>)> {
    let folder = tempfile::tempdir()?;
    let (file, object) = (folder.path().join("program.hip"), folder.path().join("program.co"));
    fs::write(&file, whole_text(source, expressions))?;
    for header in &source.headers {
        write_header(folder.path(), header)?;
    }
    let [compiler, words @ ..] = &words(command, options)[..] else { return Ok((String::new(), None)) };
    let mut command = Command::new(compiler);
    command.args(words).arg("-I").arg(folder.path()).args(["--cuda-device-only", "--no-gpu-bundle-output", "-o"]);
    let output = command.arg(&object).arg(&file).stdin(Stdio::null()).output()?;
    let said = [output.stdout, output.stderr].concat();
    let code = output.status.success().then(|| fs::read(&object)).transpose()?;
    Ok((String::from_utf8_lossy(&said).into_owned(), code))
}

/// The compiler and its options: level 3 unless the program says otherwise, and one target, the program's if it names one.
fn words(command: &str, options: &[String]) -> Vec<String> {
    let target_of = |option: &str| {
        let (name, value) = option.split_once('=')?;
        matches!(name.trim_start_matches('-'), "offload-arch" | "gpu-architecture" | "arch").then(|| value.to_owned())
    };
    let named = options.iter().find_map(|option| target_of(option));
    let mut words: Vec<String> = command.lines().map(str::to_owned).collect();
    if let Some(target) = named {
        words.retain(|word| target_of(word).is_none());
        words.push(format!("--offload-arch={target}"));
    }
    words.push("-O3".to_owned());
    words.extend(options.iter().filter(|option| target_of(option).is_none()).cloned());
    words
}

/// The program, and a pointer to what each name expression means: templates are instantiated, and the code object tells their names.
fn whole_text(source: &Source, expressions: &[String]) -> String {
    let Source { text, name, .. } = source;
    let name = name.replace(['\\', '"', '\n'], "_");
    let pointers = expressions.iter().enumerate().map(|(number, expression)| {
        format!(
            "#line 1 \"name expression {number}\"\n\
             extern \"C\" __device__ __attribute__((used)) const void* const {POINTER}{number} = \
             (const void*)({expression});\n"
        )
    });
    let pointers: String = pointers.collect();
    format!("{BEFORE}#line 1 \"{name}\"\n{text}\n{pointers}")
}

/// Puts a header where an include of its name finds it; one that would lie outside of the folder is left out.
fn write_header(folder: &Path, header: &Header) -> io::Result<()> {
    let name = Path::new(&header.name);
    if !name.components().all(|part| matches!(part, std::path::Component::Normal(_))) {
        return Ok(());
    }
    let place = folder.join(name);
    fs::create_dir_all(place.parent().unwrap_or(folder))?;
    fs::write(place, &header.text)
}

/// The mangled names of what name expressions mean.
fn names(code: &[u8], expressions: &[String]) -> HashMap<String, CString> {
    let Ok(object) = CodeObject::parse(code) else { return HashMap::new() };
    let lowered = |number: usize| object.pointee(&format!("{POINTER}{number}")).map(|name| text(name.to_owned()));
    expressions.iter().enumerate().filter_map(|(number, it)| Some((it.clone(), lowered(number)?))).collect()
}

/// A text for C.
fn text(text: String) -> CString {
    let bytes = text.into_bytes().into_iter().filter(|byte| *byte != 0).collect::<Vec<u8>>();
    CString::new(bytes).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_may_name_the_target_and_the_level() {
        let command = "clang\n-x\nhip\n--offload-arch=gfx90a";
        let with = |options: &[&str]| words(command, &options.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>());
        assert_eq!(with(&["-O1"]), ["clang", "-x", "hip", "--offload-arch=gfx90a", "-O3", "-O1"]);
        assert_eq!(with(&["--gpu-architecture=gfx1100"]), ["clang", "-x", "hip", "--offload-arch=gfx1100", "-O3"]);
    }

    #[test]
    fn headers_stay_in_their_folder() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("home");
        let write = |name: &str| write_header(&home, &Header { name: name.to_owned(), text: "x".to_owned() });
        write("sub/a.h").unwrap();
        write("../b.h").unwrap();
        assert!(home.join("sub/a.h").is_file() && !folder.path().join("b.h").exists());
    }
}
