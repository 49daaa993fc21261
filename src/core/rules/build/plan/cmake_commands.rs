//! Commands that `add_custom_command` and the like of CMake run, as far as they call nvcc.

use super::change::{Change, Topic};
use super::cmake_call::Call;
use super::cmake_style::words_of;
use super::options::{OptionContext, plan_options};
use super::style::{LineStyle, variable};
use super::versions::{PRINTING, plan_printed};
use crate::build::{Argument, Word};
use crate::mapping::makes_code_object;
use crate::source::{Edit, TextRange};

/// A command that calls nvcc.
pub(super) struct NvccCommand<'p> {
    /// From the name of the program to the last argument.
    pub(super) place: TextRange,
    arguments: &'p [Argument],
}

/// Words behind which no command goes on.
const KEYWORDS: &[&str] = &[
    "APPEND",
    "BYPRODUCTS",
    "COMMAND",
    "COMMAND_EXPAND_LISTS",
    "COMMENT",
    "DEPENDS",
    "DEPFILE",
    "ERROR_QUIET",
    "ERROR_VARIABLE",
    "IMPLICIT_DEPENDS",
    "INPUT_FILE",
    "MAIN_DEPENDENCY",
    "OUTPUT",
    "OUTPUT_FILE",
    "OUTPUT_QUIET",
    "OUTPUT_STRIP_TRAILING_WHITESPACE",
    "OUTPUT_VARIABLE",
    "POST_BUILD",
    "PRE_BUILD",
    "PRE_LINK",
    "RESULT_VARIABLE",
    "SOURCES",
    "TIMEOUT",
    "USES_TERMINAL",
    "VERBATIM",
    "WORKING_DIRECTORY",
];

/// The calls of nvcc in a command of CMake.
pub(super) fn nvcc_commands(call: Call<'_>) -> Vec<NvccCommand<'_>> {
    if !call.is_any(&["add_custom_command", "add_custom_target", "execute_process"]) {
        return Vec::new();
    }
    let starts = call.texts().enumerate().filter(|(_, text)| *text == "COMMAND").map(|(at, _)| at + 1);
    starts.filter_map(|start| nvcc_command(call, start)).collect()
}

fn nvcc_command(call: Call<'_>, start: usize) -> Option<NvccCommand<'_>> {
    let is_inside = |argument: &&Argument| !KEYWORDS.contains(&call.plan.slice(argument.inner));
    let rest = call.arguments().get(start..)?;
    let arguments = &rest[..rest.iter().take_while(is_inside).count()];
    let texts: Vec<&str> = arguments.iter().map(|argument| call.plan.slice(argument.inner)).collect();
    let program = texts.iter().position(|text| is_nvcc(text))?;
    // `cd folder && nvcc`
    let front = texts[..program].rsplit(|text| *text == "&&").next().unwrap_or_default();
    let front = if let [_, _, "chdir", _, rest @ ..] = front { rest } else { front };
    if !front.iter().all(|text| runs_another(text)) {
        return None;
    }
    let arguments = &arguments[program..];
    let (first, last) = arguments.first().zip(arguments.last())?;
    let place = TextRange::new(first.range.start(), last.range.end());
    Some(NvccCommand { place, arguments })
}

/// Whether a word stands in front of the program that is run: `${CMAKE_COMMAND} -E env X=1 nvcc`, `ccache nvcc`.
fn runs_another(word: &str) -> bool {
    let is_program = matches!(word, "${CMAKE_COMMAND}" | "cmake" | "-E" | "env" | "ccache" | "sccache" | "time" | "--");
    let is_launcher = || word.starts_with("${") && (word.contains("LAUNCHER") || word.contains("CCACHE"));
    is_program
        || word == "ARGS"
        || is_launcher()
        || word.starts_with("--unset=")
        || word.split_once('=').is_some_and(|(name, _)| !name.starts_with('-'))
}

/// Variables that CMake sets to nvcc.
const PROGRAMS: &[&str] = &["CMAKE_CUDA_COMPILER", "CUDA_NVCC_EXECUTABLE", "CUDAToolkit_NVCC_EXECUTABLE"];

fn is_nvcc(program: &str) -> bool {
    program.rsplit('/').next() == Some("nvcc") && !program.contains('=')
        || variable(program).is_some_and(|name| name.contains("NVCC") || PROGRAMS.contains(&name))
}

/// Plans the calls of nvcc in a command of CMake.
pub(super) fn plan_commands(call: Call<'_>) {
    for command in nvcc_commands(call) {
        let plan = call.plan;
        let words = words_of(plan, &command.arguments[1..]);
        let targets = plan.device_options();
        plan_options(plan, &words, OptionContext { for_nvcc: true, targets: Some(&targets), style: &LineStyle });
        if call.find("OUTPUT_VARIABLE").is_some() {
            for word in words.iter().filter(|word| PRINTING.contains(&plan.slice(word.range))) {
                plan_printed(plan, word.range);
            }
        }
        plan_program(call, &command, (&words, &targets));
        plan_flags_as_one(call, &command);
    }
}

/// A command takes a variable for one argument, and the flags for HIP are several: device code is optimised by one of them.
fn plan_flags_as_one(call: Call<'_>, command: &NvccCommand<'_>) {
    let flags = command.arguments.iter().find(|argument| call.plan.slice(argument.range) == "${CMAKE_CUDA_FLAGS}");
    if let Some(flags) = flags {
        let message = "the flags for HIP are several, which the command takes for one argument";
        let advice =
            "split them in front of the command: `separate_arguments(FLAGS NATIVE_COMMAND \"${CMAKE_HIP_FLAGS}\")`";
        call.plan.add(Change::left(flags.range, message.to_owned(), advice));
    }
}

/// A program has to be told for which GPUs it compiles, and clang that the sources are HIP.
fn plan_program(call: Call<'_>, command: &NvccCommand<'_>, (words, targets): (&[Word], &str)) {
    let texts: Vec<&str> = words.iter().map(|word| call.plan.slice(word.range)).collect();
    let has = |ending: &str| texts.iter().any(|text| text.ends_with(ending));
    let is_compile = |text: &&str| matches!(*text, "-c" | "-dc") || makes_code_object(text);
    let compiles = has(".cu") || texts.iter().any(is_compile);
    let program = command.arguments[0];
    let is_clang = variable(call.plan.slice(program.inner)).is_some_and(|name| PROGRAMS.contains(&name));
    let language = if is_clang && !texts.contains(&"-x") { " -x hip" } else { "" };
    let names_gpu = texts.iter().any(|text| text.contains("arch=") || text.contains("gencode") || *text == "-arch");
    let targets = if names_gpu { String::new() } else { format!(" {targets}") };
    if compiles && !(language.is_empty() && targets.is_empty()) {
        let message = "the compiler is told that the sources are HIP, and for which GPUs";
        // `nvcc ARGS -c`: the word of CMake's stands between a program and what it gets.
        let keyword = command.arguments.get(1).filter(|next| call.plan.slice(next.inner) == "ARGS");
        let end = keyword.unwrap_or(&program).range.end();
        let edit = Edit::insert(end, format!("{language}{targets}"));
        call.plan.add(Change::new(Topic::Option, program.range, message, vec![edit]));
    }
}
