//! What a build file says that other files of its project need to know.

use std::borrow::Cow;
use std::collections::BTreeSet;

use camino::Utf8Path;

use super::gpu_variables::GpuVariables;
use super::named_languages::NamedLanguages;
use super::source_lists::source_lists;
use crate::analysis::BuildFacts;
use crate::build::{
    BuildKind, Command, LineKind, build_kind_of, commands, library_lists, library_loops, make_lines, tokens,
};
use crate::mapping::{build_library, is_cuda_folder_value, library_of_variable};

/// Options by which device code is compiled so that it is linked later (nvcc, "Options for Separate Compilation"; clang, `-fgpu-rdc`).
const RELOCATABLE: &[&str] = &["-dc", "--device-c", "-rdc", "--relocatable-device-code"];
/// The property and variable of CMake that stand for it.
const SEPARABLE: &[u8] = b"CUDA_SEPARABLE_COMPILATION";

/// What one file says; nothing if it says nothing about building.
pub(super) fn build_facts(path: &Utf8Path, bytes: &[u8]) -> BuildFacts {
    let Some(kind) = build_kind_of(path, bytes) else {
        return source_facts(path, bytes);
    };
    let has = |line: &[u8], word: &[u8]| memchr::memmem::find(line, word).is_some();
    let lines = || bytes.split(|&byte| byte == b'\n').filter(|line| !line.trim_ascii_start().starts_with(b"#"));
    let sets = |word: &[u8]| lines().any(|line| has(line, word));
    let has_option = |options: &[&str]| {
        let texts = || bytes.utf8_chunks().map(|chunk| chunk.valid());
        let is_between =
            |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ';' | ',' | '(' | ')' | '<' | '>' | '=' | ':');
        let lines = texts().flat_map(str::lines).filter(|line| !line.trim_start().starts_with('#'));
        lines.flat_map(|line| line.split(is_between)).any(|word| options.contains(&word))
    };
    let of_kind = |wanted: BuildKind, lists: fn(&str) -> BTreeSet<String>| {
        if kind == wanted { lists(&String::from_utf8_lossy(bytes)) } else { BTreeSet::new() }
    };
    let separable = kind == BuildKind::CMake && sets(SEPARABLE);
    let is_switched_on = || lines().any(|line| has(line, SEPARABLE) && !has(line, b" OFF") && !has(line, b" FALSE"));
    let gpus = GpuVariables::of(kind, &String::from_utf8_lossy(bytes));
    let languages = NamedLanguages::of(kind, &String::from_utf8_lossy(bytes));
    // The commands of a file of CMake; of others there are none.
    let cmake = if kind == BuildKind::CMake { String::from_utf8_lossy(bytes) } else { Cow::Borrowed("") };
    let all = commands(&cmake, &tokens(&cmake));
    BuildFacts {
        names_language: languages.everywhere,
        language_variables: languages.variables,
        unsafe_atomics: sets(b"-munsafe-fp-atomics").then(|| path.to_owned()),
        linked_apart: separable.then(|| path.to_owned()),
        is_relocatable: has_option(RELOCATABLE) || has_option(&["-fgpu-rdc"]) || separable && is_switched_on(),
        is_relocatable_for_nvcc: has_option(RELOCATABLE),
        per_thread_streams: has_option(&["per-thread"]) || sets(b"API_PER_THREAD_DEFAULT_STREAM"),
        comma_lists: of_kind(BuildKind::Make, comma_lists),
        folder_variables: of_kind(BuildKind::Make, folder_variables),
        gpu_variables: gpus.naming,
        plain_variables: gpus.plain,
        library_lists: of_kind(BuildKind::Shell, listed_libraries),
        own_libraries: own_libraries(&cmake, &all),
        packages: packages(&cmake, all.iter().filter(|command| links(&cmake, command))),
        handed_packages: packages(&cmake, all.iter().filter(|command| hands_on(&cmake, command)))
            .into_iter()
            .map(|package| (governed(path).to_owned(), package))
            .collect(),
        warnings_as_errors: lines().any(makes_errors).then(|| governed(path).to_owned()).into_iter().collect(),
        source_lists: source_lists(path, &cmake, &all),
        ..BuildFacts::default()
    }
}

/// Whether a line makes errors of all warnings, and not of some (`-Werror=return-type`), nor asks whether a compiler can.
fn makes_errors(line: &[u8]) -> bool {
    const OPTION: &[u8] = b"-Werror";
    let is_all = |at: usize| line.get(at + OPTION.len()) != Some(&b'=');
    let asks = memchr::memmem::find(line, b"compiler_flag").is_some();
    !asks && memchr::memmem::find_iter(line, OPTION).any(is_all)
}

/// How includes of CUB and Thrust begin.
const PRIMITIVES: &[&[u8]] = &[b"<cub/", b"<thrust/", b"\"cub/", b"\"thrust/"];

/// What a source tells of the compiler that it needs.
fn source_facts(path: &Utf8Path, bytes: &[u8]) -> BuildFacts {
    let is_source = path.extension().is_some_and(|extension| !matches!(extension, "md" | "txt" | "rst" | "html"));
    if !is_source {
        return BuildFacts::default();
    }
    let has = |word: &[u8]| memchr::memmem::find(bytes, word).is_some();
    BuildFacts {
        uses_primitives: PRIMITIVES.iter().any(|header| has(header)),
        uses_nvtx: has(b"nvToolsExt.h"),
        asks_for_nvcc: asks_for(bytes, b"__CUDACC__") || asks_for(bytes, b"__NVCC__"),
        ..BuildFacts::default()
    }
}

/// Whether a condition of the preprocessor names a macro.
fn asks_for(bytes: &[u8], macro_name: &[u8]) -> bool {
    memchr::memmem::find_iter(bytes, macro_name).any(|at| {
        let start = memchr::memrchr(b'\n', &bytes[..at]).map_or(0, |newline| newline + 1);
        let directive = bytes[start..at].trim_ascii_start().strip_prefix(b"#").map(<[u8]>::trim_ascii_start);
        directive.is_some_and(|directive| directive.starts_with(b"if") || directive.starts_with(b"elif"))
    })
}

/// The variables of a makefile that get options between commas. An option for the linker or the assembler has commas itself.
fn comma_lists(text: &str) -> BTreeSet<String> {
    if !text.contains(",-") {
        return BTreeSet::new();
    }
    let holds = |value: &str| value.split_whitespace().any(|word| word.starts_with('-') && has_others(word));
    let lines = make_lines(text).into_iter();
    let named = lines.filter_map(|line| match line.kind {
        LineKind::Assignment { name, .. } => holds(&text[line.code]).then(|| text[name].to_owned()),
        _ => None,
    });
    named.collect()
}

/// The variables of a makefile whose value is the folder of CUDA.
fn folder_variables(text: &str) -> BTreeSet<String> {
    if !text.to_ascii_lowercase().contains("cuda") {
        return BTreeSet::new();
    }
    let named = make_lines(text).into_iter().filter_map(|line| match line.kind {
        LineKind::Assignment { name, operator } => {
            let value = &text[usize::from(operator.end())..usize::from(line.code.end())];
            is_cuda_folder_value(value).then(|| text[name].to_owned())
        }
        _ => None,
    });
    named.collect()
}

/// The variables of a script that hold names of libraries.
fn listed_libraries(text: &str) -> BTreeSet<String> {
    library_lists(text, &library_loops(text)).into_iter().map(str::to_owned).collect()
}

/// The libraries of a file of CMake that are called as CUDA's are.
fn own_libraries(text: &str, all: &[Command]) -> BTreeSet<String> {
    let adding = all.iter().filter(|command| text[command.name].eq_ignore_ascii_case("add_library"));
    let names = adding.filter_map(|command| Some(&text[command.arguments.first()?.inner]));
    names.filter(|name| build_library(name).is_some()).map(str::to_owned).collect()
}

/// The packages with what stands in place of the targets and variables of CUDA's that some commands of CMake name.
fn packages<'c>(text: &str, named: impl Iterator<Item = &'c Command>) -> BTreeSet<&'static str> {
    let words = named.flat_map(|command| &command.arguments).map(|argument| &text[argument.inner]);
    let ends = |c: char| !c.is_ascii_alphanumeric() && c != '_';
    let libraries = words.flat_map(|word| {
        let behind = |start: &'static str| word.match_indices(start).map(|(at, start)| &word[at + start.len()..]);
        let targets = behind("CUDA::").filter_map(|rest| build_library(rest.split(ends).next()?));
        let variables = behind("${").filter_map(|rest| library_of_variable(rest.split('}').next()?));
        targets.chain(variables).collect::<Vec<_>>()
    });
    libraries.map(|library| library.package.as_str()).filter(|package| !package.is_empty()).collect()
}

fn links(text: &str, command: &Command) -> bool {
    text[command.name].eq_ignore_ascii_case("target_link_libraries")
}

/// Whether a command sets what is known outside of its folder: `set(LIBS CUDA::cublas PARENT_SCOPE)`.
fn hands_on(text: &str, command: &Command) -> bool {
    let sets = ["set", "set_property"].iter().any(|name| text[command.name].eq_ignore_ascii_case(name));
    sets && command.arguments.iter().any(|word| matches!(&text[word.inner], "PARENT_SCOPE" | "CACHE" | "GLOBAL"))
}

/// Whether a word holds more options than its first one.
fn has_others(word: &str) -> bool {
    let parts = word.trim_start_matches("-Xcompiler=");
    parts.contains(",-") && !["-Wl,", "-Wa,", "-Wp,", "-gencode", "-X"].iter().any(|start| parts.starts_with(start))
}

/// The folder that a build file speaks of: its own, or the one above for a module beside the files that are read first.
fn governed(path: &Utf8Path) -> &Utf8Path {
    let folder = path.parent().unwrap_or(path);
    let is_first = matches!(path.file_name(), Some("CMakeLists.txt" | "Makefile" | "makefile" | "GNUmakefile"));
    if is_first { folder } else { folder.parent().unwrap_or(folder) }
}
