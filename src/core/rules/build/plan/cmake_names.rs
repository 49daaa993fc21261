//! Names of CUDA's in the arguments of commands: imported targets, variables, properties, generator expressions.

use std::collections::BTreeSet;

use super::change::{Change, Topic};
use super::cmake_call::{Call, calls, setting_targets};
use super::cmake_conditions::plan_condition;
use super::cmake_finds::finds_headers;
use super::cmake_loops::is_in_loop;
use super::folders::{FolderNames, ROCM, folder_edits, renamed_below};
use super::planner::Plan;
use super::style::removal;
use super::versions::plan_comparison;
use crate::build::{Argument, ArgumentKind};
use crate::diagnostic::Severity;
use crate::mapping::{
    BuildLibrary, BuildName, build_library, build_tool, build_variable, is_cuda_folder, is_cuda_folder_value,
    library_of_variable,
};
use crate::source::{Edit, TextRange, range};

/// Plans the names in all arguments of a command.
pub(super) fn plan_names(call: Call<'_>, own: &BTreeSet<&str>) {
    for (number, argument) in call.arguments().iter().enumerate() {
        if argument.kind != ArgumentKind::Bracket {
            let edits = folder_edits(call.plan.text, argument.inner, (None, &FolderNames::default()));
            if !edits.is_empty() {
                let message = format!("`{}` leads to CUDA", call.plan.slice(argument.inner));
                call.plan.add(Change::new(Topic::Library, argument.inner, message, edits));
            }
            plan_compiler(call, argument);
            plan_linked_option(call, (number, argument));
            let names = names(call.plan.text, argument.inner);
            for (at, name) in names.iter().enumerate() {
                plan_name(call, (number, argument), (*name, keyword(call, &names[..at], *name)), own);
            }
        }
    }
    plan_platform(call);
}

/// Commands that run programs, or look for them.
const RUNNING: &[&str] = &["add_custom_command", "add_custom_target", "add_test", "execute_process", "find_program"];

/// A program that is called in a command; CMake's own variable for a compiler takes clang only.
fn plan_compiler(call: Call<'_>, argument: &Argument) {
    let (plan, text) = (call.plan, call.plan.slice(argument.inner));
    let name = text.rsplit('/').next().unwrap_or(text);
    if let Some(advice) = build_tool(name).filter(|_| call.is_any(RUNNING)) {
        plan.add(Change::left(argument.inner, format!("`{text}` is a program of CUDA's"), advice));
    }
    if name != "nvcc" || call.is("message") {
        return;
    }
    if !call.is("set") {
        let end = usize::from(argument.inner.end());
        plan.add(Change::rename(Topic::Compiler, range(end - "nvcc".len(), end), ("nvcc", "hipcc")));
    }
}

/// Other compilers than clang have to be told which of HIP's platforms is meant, where they find HIP's headers.
fn plan_platform(call: Call<'_>) {
    let plan = call.plan;
    let folder = |argument: &&Argument| {
        let text = plan.slice(argument.inner);
        let names = names(plan.text, argument.inner);
        let leads = |name: &TextRange| {
            build_variable(plan.slice(*name)).is_some_and(|known| known.hip.as_deref() == Some("hip_INCLUDE_DIRS"))
        };
        let is_found =
            |name: &TextRange| reference(plan.text, *name).is_some() && finds_headers(plan, plan.slice(*name));
        names.iter().any(leads) || is_below_folder(plan, text) || names.iter().any(is_found)
    };
    if !call.is_any(&["include_directories", "cuda_include_directories", "target_include_directories"]) {
        return;
    }
    let Some(argument) = call.arguments().iter().find(folder) else { return };
    let line = match () {
        () if call.is_any(&["include_directories", "cuda_include_directories"]) => {
            "add_compile_definitions(__HIP_PLATFORM_AMD__)".to_owned()
        }
        () if call.is("target_include_directories") => {
            let scope = call.scope_at(argument.range).unwrap_or("PRIVATE");
            format!("target_compile_definitions({} {scope} __HIP_PLATFORM_AMD__)", call.text(0))
        }
        () => return,
    };
    let edit = plan.lines_after(call.command.range.end(), &[format!("{}{line}", call.indent())]);
    let message = "HIP's headers ask for the platform";
    plan.add(Change::new(Topic::Library, argument.range, message, vec![edit]));
}

/// `${CUDA_TOOLKIT_ROOT_DIR}/include`
fn is_below_folder(plan: &Plan<'_>, text: &str) -> bool {
    let name = text.split_once("}/include").and_then(|(front, _)| front.rsplit_once("${"));
    name.is_some_and(|(_, name)| is_cuda_folder(name) && leads_to_cuda(plan, name))
}

/// Whether a variable that is called like CUDA's folder is that, by what the file sets it to: `set(CUDA_ROOT /usr/local/cuda)`.
fn leads_to_cuda(plan: &Plan<'_>, name: &str) -> bool {
    let leads = |call: Call<'_>| {
        let value = call.text(1);
        let refers = ["$ENV{", "${"].iter().find_map(|open| value.strip_prefix(open)?.strip_suffix('}'));
        is_cuda_folder_value(value) || refers.is_some_and(is_cuda_folder)
    };
    let mut set = calls(plan).filter(|call| call.is("set") && call.text(0) == name).peekable();
    set.peek().is_none() || set.any(leads)
}

/// Names in a part of the text; `::` belongs to a name, and a single colon ends it.
fn names(text: &str, part: TextRange) -> Vec<TextRange> {
    let (bytes, mut at, end) = (text.as_bytes(), usize::from(part.start()), usize::from(part.end()));
    let mut found = Vec::new();
    while at < end {
        let start = at;
        while at < end {
            match bytes[at] {
                byte if byte.is_ascii_alphanumeric() || byte == b'_' => at += 1,
                b':' if at > start && bytes[at..end].starts_with(b"::") => at += 2,
                _ => break,
            }
        }
        if at > start {
            found.push(range(start, at));
        } else {
            at += 1;
        }
    }
    found
}

/// The name in front of a name, or of the list between commas that it is in: `COMPILE_LANGUAGE` of `COMPILE_LANGUAGE:CXX,CUDA`.
fn keyword<'p>(call: Call<'p>, before: &[TextRange], name: TextRange) -> &'p str {
    let text = call.plan.text;
    let mut first = name;
    for place in before.iter().rev() {
        if &text[usize::from(place.end())..usize::from(first.start())] != "," {
            return call.plan.slice(*place);
        }
        first = *place;
    }
    ""
}

/// Generator expressions that ask for a language.
const LANGUAGE_EXPRESSIONS: &[&str] = &["COMPILE_LANGUAGE", "LINK_LANGUAGE", "COMPILE_LANG_AND_ID", "LINK_LANG_AND_ID"];

fn plan_name(
    call: Call<'_>,
    (number, argument): (usize, &Argument),
    (place, keyword): (TextRange, &str),
    own: &BTreeSet<&str>,
) {
    let plan = call.plan;
    let name = plan.slice(place);
    if is_for_clang(plan, place, keyword) {
        return;
    }
    if let Some(hip) = language(call, argument, (name, keyword)) {
        return plan.add(Change::rename(Topic::Language, place, (name, hip)));
    }
    if plan_comparison(call, argument, (place, own)) || plan_condition(call, (number, argument), (place, keyword)) {
        return;
    }
    if is_in_loop(plan, place) {
        return;
    }
    let reference = reference(plan.text, place);
    // What a message says is for people.
    if call.is("message") && reference.is_none() {
        return;
    }
    if let Some(library) = name.strip_prefix("CUDA::") {
        if plan.text[place.end().into()..].starts_with(['$', '@']) {
            let message =
                format!("a variable goes on with the name `{name}`, so that it is not known which target is meant");
            let change = Change::left(place, message, "name HIP's targets for each of its values");
            return plan.add(Change { severity: Some(Severity::Error), ..change });
        }
        let library = build_library(library);
        let has_file = keyword.starts_with(FILES) || call.is("get_target_property");
        if library.is_some_and(|library| library.target == "hip::host") && has_file {
            return plan.add(Change::rename(Topic::Library, place, (name, RUNTIME)));
        }
        plan_library(call, place, library);
    } else if let (Some(library), Some(reference)) = (library_of_variable(name), reference) {
        plan_library(call, reference, Some(library));
    } else if let Some(variable) = build_variable(name) {
        plan_variable(call, (place, reference), variable);
    } else if is_cuda_folder(name) && is_of_environment(call, (number, argument), place) {
        plan_environment(call.plan, place);
    } else if is_cuda_folder(name) && !own.contains(name) {
        plan_folder(call, place, reference);
    } else if let Some(reference) = reference.filter(|_| is_cuda_folder(name) && leads_to_cuda(plan, name)) {
        plan_libraries_below(plan, reference);
    } else if is_linked(call, number) && plan.slice(argument.inner) == name && is_cudas_library(call, name) {
        plan_library(call, place, build_library(name));
    } else if name.starts_with("CMAKE_CUDA_") || name.starts_with("CUDAToolkit_") {
        let message = format!("no name of HIP is known for `{name}`");
        plan.add(left(call, place, message, "look whether the project needs it for HIP"));
    }
}

/// What stays; in a text that only tells people something it is no mistake.
fn left(call: Call<'_>, place: TextRange, message: String, advice: &str) -> Change {
    const TELLING: &[&str] = &["NOTICE", "STATUS", "VERBOSE", "DEBUG", "TRACE"];
    let tells = call.is("message") && TELLING.contains(&call.text(0));
    let change = Change::left(place, message, advice);
    if tells { Change { severity: Some(Severity::Info), ..change } } else { change }
}

/// Expressions for the file of a target.
const FILES: &str = "TARGET_FILE";

/// The target that has the file of HIP's runtime, which `hip::host` only leads to.
const RUNTIME: &str = "hip::amdhip64";

/// Whether an expression asks for clang as the compiler of CUDA: `$<COMPILE_LANG_AND_ID:CUDA,Clang>`, `$<CUDA_COMPILER_ID:Clang>`. It is
/// false in a build for HIP, as the one for NVIDIA's compiler beside it is meant there.
fn is_for_clang(plan: &Plan<'_>, place: TextRange, keyword: &str) -> bool {
    let behind = &plan.text[usize::from(place.end())..];
    match plan.slice(place) {
        "CUDA" => keyword.ends_with("_LANG_AND_ID") && behind.starts_with(",Clang>"),
        "CUDA_COMPILER_ID" => behind.starts_with(":Clang>"),
        _ => false,
    }
}

/// What takes the place of a language, or of the name of its compiler.
fn language(call: Call<'_>, argument: &Argument, (name, keyword): (&str, &str)) -> Option<&'static str> {
    match name {
        "CUDA" => LANGUAGE_EXPRESSIONS.contains(&keyword).then_some("HIP"),
        "NVIDIA" => {
            let asks = call.plan.slice(argument.inner).contains("_LANG_AND_ID:CUDA,")
                || keyword == "CUDA_COMPILER_ID"
                || call.texts().any(|text| text.contains("CMAKE_CUDA_COMPILER_ID"));
            asks.then_some("Clang")
        }
        _ => None,
    }
}

/// A variable or property whose name is known. One that holds a library is one that HIP's package has as a target.
fn plan_variable(call: Call<'_>, (place, reference): (TextRange, Option<TextRange>), variable: &BuildName) {
    let name = call.plan.slice(place);
    let Some(hip) = &variable.hip else {
        let advice = variable.advice.as_deref().unwrap_or_default();
        return call.plan.add(left(call, place, format!("HIP has no `{name}`"), advice));
    };
    let is_target = hip.contains("::") || hip == "MIOpen";
    let place = if is_target && !name.contains("::") { reference } else { Some(place) };
    let is_changed_list = hip == GPUS && call.is("list") && call.text(0) != "APPEND";
    if is_changed_list {
        let message = "the list holds GPUs of AMD's afterwards, and is not changed so";
        return call.plan.add(Change::left(call.command.range, message, "say it for HIP, or remove it"));
    }
    if hip == GPUS && reference.is_none() && call.text(0) == name && is_own_command(call) {
        return plan_detection(call);
    }
    if let Some(place) = place {
        let topic = if is_target || hip.contains("_INCLUDE") { Topic::Library } else { Topic::Language };
        call.plan.add(Change::rename(topic, place, (call.plan.slice(place), hip)));
    }
}

/// The variable with the GPUs that CMake compiles for.
const GPUS: &str = "CMAKE_HIP_ARCHITECTURES";

/// Commands of CMake's own whose first argument may be the name of a variable, beside those that begin with one of `FAMILIES`.
const WITH_VARIABLE: &[&str] = &[
    "foreach",
    "function",
    "if",
    "elseif",
    "list",
    "load_cache",
    "macro",
    "mark_as_advanced",
    "math",
    "message",
    "option",
    "return",
    "separate_arguments",
    "set",
    "set_property",
    "string",
    "unset",
    "variable_watch",
    "while",
];

const FAMILIES: &[&str] = &["check_", "cmake_", "find_", "get_"];

/// Whether a command that is given a variable's name first is a function of the project, or of a module.
fn is_own_command(call: Call<'_>) -> bool {
    let name = call.name().to_ascii_lowercase();
    !WITH_VARIABLE.contains(&name.as_str()) && !FAMILIES.iter().any(|family| name.starts_with(family))
}

/// A function that finds out which GPUs of NVIDIA's the machine has.
fn plan_detection(call: Call<'_>) {
    let plan = call.plan;
    let message = format!("`{}` sets GPUs of NVIDIA's", call.name());
    let edit = Edit::replace(call.command.range, setting_targets(plan));
    let change = Change::new(Topic::Language, call.command.range, message, vec![edit]);
    let note = "what else the call does is gone".to_owned();
    plan.add(Change { severity: Some(Severity::Info), ..change.with_note(Some(note)) });
}

/// `${NAME}` around a name.
fn reference(text: &str, name: TextRange) -> Option<TextRange> {
    let (start, end) = (usize::from(name.start()), usize::from(name.end()));
    (text[..start].ends_with("${") && text[end..].starts_with('}')).then(|| range(start - 2, end + 1))
}

/// Whether an argument names a library to link.
fn is_linked(call: Call<'_>, number: usize) -> bool {
    number > 0 && call.is("target_link_libraries") || call.is("link_libraries")
}

/// Whether a name that is linked is that of a library of CUDA's, and of none that the project builds.
fn is_cudas_library(call: Call<'_>, name: &str) -> bool {
    build_library(name).is_some() && !call.plan.builds.own_libraries.contains(name)
}

/// `-lcublas` among the libraries to link is the library's target.
fn plan_linked_option(call: Call<'_>, (number, argument): (usize, &Argument)) {
    let name = call.plan.slice(argument.inner).strip_prefix("-l").filter(|_| is_linked(call, number));
    if let Some(library) = name.and_then(build_library) {
        plan_library(call, argument.inner, Some(library));
    }
}

fn plan_library(call: Call<'_>, place: TextRange, library: Option<&BuildLibrary>) {
    let plan = call.plan;
    let name = plan.slice(place);
    let Some(library) = library.filter(|library| library.link.is_some()) else {
        let advice = library
            .and_then(|library| library.advice.as_deref())
            .unwrap_or("look for a library of ROCm that takes its place");
        return plan.add(Change::left(place, format!("nothing takes the place of `{name}`"), advice));
    };
    if library.target.is_empty() && !stands_alone(plan.text, place) {
        return;
    }
    if library.target.is_empty() {
        let edits = vec![Edit::delete(removal(plan, place))];
        return plan.add(Change::new(Topic::Library, place, format!("HIP needs no `{name}`"), edits));
    }
    plan.add(Change::rename(Topic::Library, place, (name, &library.target)));
}

/// Whether a name is a word of its own.
fn stands_alone(text: &str, name: TextRange) -> bool {
    let ends = |c: char| c.is_whitespace() || matches!(c, ';' | '"' | '(' | ')' | ':' | '>' | ',');
    let (before, behind) = (&text[..usize::from(name.start())], &text[usize::from(name.end())..]);
    before.ends_with(ends) && behind.starts_with(ends)
}

/// Whether a name is that of a variable of the environment: `$ENV{CUDA_HOME}`, `HINTS ENV CUDA_HOME`.
fn is_of_environment(call: Call<'_>, (number, argument): (usize, &Argument), place: TextRange) -> bool {
    let before = number.checked_sub(1).map_or("", |before| call.text(before));
    call.plan.text[..usize::from(place.start())].ends_with("ENV{") || before == "ENV" && argument.inner == place
}

/// The folder of CUDA as the environment names it, and that of libraries below it.
fn plan_environment(plan: &Plan<'_>, place: TextRange) {
    const LIBRARIES: &str = "}/lib64";
    let mut change = Change::rename(Topic::Library, place, (plan.slice(place), ROCM));
    let rest = &plan.text[usize::from(place.end())..];
    if rest
        .strip_prefix(LIBRARIES)
        .is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'))
    {
        let at = usize::from(place.end()) + 1;
        change.edits.push(Edit::replace(range(at, at + LIBRARIES.len() - 1), "/lib"));
    }
    plan.add(change);
}

/// The folder of CUDA, and what stands below it.
/// The folder of libraries below one that the file names itself, whose value leads to ROCm.
fn plan_libraries_below(plan: &Plan<'_>, reference: TextRange) {
    let end = usize::from(reference.end());
    if let Some((below, to)) = renamed_below(&plan.text[end..]) {
        plan.add(Change::rename(Topic::Library, range(end, end + below.len()), (below, to)));
    }
}

fn plan_folder(call: Call<'_>, place: TextRange, reference: Option<TextRange>) {
    let plan = call.plan;
    let below = reference.map(|whole| (whole, &plan.text[usize::from(whole.end())..]));
    let known =
        [("/include", "${hip_INCLUDE_DIRS}"), ("/lib64", "${hip_LIB_INSTALL_DIR}"), ("/lib", "${hip_LIB_INSTALL_DIR}")];
    let found = below.and_then(|(whole, rest)| {
        let (folder, new) = known.iter().find(|(folder, _)| {
            rest.strip_prefix(folder)
                .is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'))
        })?;
        Some((range(whole.start().into(), usize::from(whole.end()) + folder.len()), *new))
    });
    match found {
        Some((whole, new)) => plan.add(Change::rename(Topic::Library, whole, (plan.slice(whole), new))),
        None => plan.add(left(
            call,
            place,
            format!("`{}` names the folder of CUDA", plan.slice(place)),
            "`hip_INCLUDE_DIRS` and `hip_LIB_INSTALL_DIR` name folders of HIP",
        )),
    }
}
