//! Options of nvcc in the commands of CMake.

use std::collections::BTreeSet;
use std::ops::Range;

use super::change::{Change, Topic};
use super::cmake_call::{Call, calls, ends_values};
use super::cmake_commands::nvcc_commands;
use super::cmake_names::plan_names;
use super::cmake_nvcc_lists::nvcc_lists;
use super::cmake_style::{ArgumentStyle, words_of};
use super::cpp_standard::raised;
use super::host_options::is_about_floats;
use super::options::{OptionContext, plan_options};
use super::style::Between;
use crate::build::Word;
use crate::diagnostic::Severity;
use crate::source::{Edit, Patch, TextRange, TextSize};

/// Commands whose arguments are never options.
const WITHOUT_OPTIONS: &[&str] = &["message", "project", "find_package", "if", "elseif", "else", "endif", "include"];

/// Plans the options among the arguments of a command.
pub(super) fn plan_flags(call: Call<'_>) {
    if call.is_any(WITHOUT_OPTIONS) {
        return;
    }
    // A text that is searched for says nothing about how to compile.
    if call.is("string") && !["APPEND", "PREPEND", "CONCAT", "JOIN"].contains(&call.text(0)) {
        return;
    }
    let first = call.text(usize::from(call.is_any(&["list", "string"])));
    let named = ["CUDA_FLAGS", "CUDA_OPT", "NVCC", "GENCODE"].iter().any(|part| first.contains(part));
    let for_nvcc = named || nvcc_lists(call.plan).contains(first);
    let style = ArgumentStyle::new(call);
    let commands = nvcc_commands(call);
    let is_free = |word: &Word| !commands.iter().any(|command| command.place.contains_range(word.range));
    let words: Vec<Word> = words_of(call.plan, call.arguments()).into_iter().filter(is_free).collect();
    plan_options(call.plan, &words, OptionContext { for_nvcc, targets: None, style: &style });
}

/// Flags that a file writes into the cache: from CMake 3.21 on, which knows HIP, a variable of the same name stays and hides them
/// (CMake documentation, policy CMP0126), and conversion sets one.
pub(super) fn plan_cached_flags(call: Call<'_>) {
    const HIP_FLAGS: &str = "CMAKE_HIP_FLAGS";
    let is_cached = call.is("set") && call.text(0) == "CMAKE_CUDA_FLAGS" && call.find("CACHE").is_some();
    if is_cached && call.find("FORCE").is_some() {
        let line = format!("{}unset({HIP_FLAGS})", call.indent());
        let edit = call.plan.lines_after(call.command.range.end(), &[line]);
        let message = "the variable of the same name hides what is written into the cache";
        call.plan.add(Change::new(Topic::Option, call.arguments()[0].inner, message, vec![edit]));
    }
}

/// Tells flags for C++ that FindCUDA hands to nvcc as well, where they change what sources of CUDA mean (CMake documentation, FindCUDA,
/// `CUDA_PROPAGATE_HOST_FLAGS`).
pub(super) fn plan_host_flags(call: Call<'_>) {
    let adds = call.is_any(&["list", "string"]) && matches!(call.text(0), "APPEND" | "PREPEND");
    let at = usize::from(adds);
    let name = call.text(at);
    let Some(kind) = name.strip_prefix("CMAKE_CXX_FLAGS").filter(|_| adds || call.is("set")) else { return };
    // CMake defines this one for HIP, too.
    let changes_meaning = |word: &str| {
        word != "-DNDEBUG" && ["-D", "-U", "-include", "-ffast-math"].iter().any(|start| word.starts_with(start))
    };
    let words = call.texts().skip(at + 1).flat_map(|text| text.split([' ', ';', '\t', '\n']));
    if words.into_iter().any(changes_meaning) && *call.plan.known.hands_flags_on.get_or_init(|| hands_flags_on(call)) {
        let message = format!("FindCUDA hands `{name}` to nvcc as well, and nothing hands it to HIP");
        let advice = format!("write what HIP needs of it into `CMAKE_HIP_FLAGS{kind}`, too");
        let change = Change::left(call.arguments()[at].range, message, &advice);
        call.plan.add(Change { severity: Some(Severity::Warning), ..change });
    }
}

/// Tells options that FindCUDA hands to no nvcc, and a target or a folder to HIP's compiler, where they let it compute other numbers.
pub(super) fn plan_options_for_all(call: Call<'_>) {
    if !call.is_any(&["add_compile_options", "target_compile_options"]) {
        return;
    }
    let option = call.arguments().iter().find(|argument| is_about_floats(call.plan.slice(argument.inner)));
    if let Some(option) = option.filter(|_| finds_cuda(call)) {
        let message =
            format!("FindCUDA hands `{}` to no nvcc, and HIP's compiler gets it", call.plan.slice(option.inner));
        let advice = "write `$<$<COMPILE_LANGUAGE:CXX>:…>` around it";
        let change = Change::left(option.range, message, advice);
        call.plan.add(Change { severity: Some(Severity::Warning), ..change });
    }
}

/// Whether the file compiles CUDA by FindCUDA.
fn finds_cuda(call: Call<'_>) -> bool {
    let finds = |other: Call<'_>| other.is("find_package") && other.text(0) == "CUDA";
    *call.plan.known.finds_cuda.get_or_init(|| calls(call.plan).any(finds))
}

/// Whether the file has FindCUDA hand flags for C++ to nvcc, which it does by default.
fn hands_flags_on(call: Call<'_>) -> bool {
    let is_off = |other: &Call<'_>| {
        other.is_any(&["set", "option"]) && other.text(0) == "CUDA_PROPAGATE_HOST_FLAGS" && other.find("OFF").is_some()
    };
    finds_cuda(call) && !calls(call.plan).any(|other| is_off(&other))
}

/// FindCUDA's list of options for nvcc.
pub(super) const NVCC_FLAGS: &str = "CUDA_NVCC_FLAGS";

/// `CUDA_NVCC_FLAGS` is a list, `CMAKE_HIP_FLAGS` a string.
pub(super) fn plan_find_cuda_flags(call: Call<'_>) {
    let plan = call.plan;
    let adds = call.is_any(&["list", "string"]) && matches!(call.text(0), "APPEND" | "PREPEND");
    let (variable, from) = if adds { (call.text(1), 2) } else { (call.text(0), 1) };
    let Some(kind) = variable.strip_prefix(NVCC_FLAGS).filter(|_| adds || call.is("set")) else {
        return plan_other_change(call);
    };
    if call.arguments()[from..].iter().any(|argument| is_quoted_within(plan.slice(argument.range))) {
        let message = format!("`{variable}` gets a text with quotes in it");
        let change = Change::left(call.command.range, message, "set `CMAKE_HIP_FLAGS`, a string, in its place");
        return plan.add(Change { severity: Some(Severity::Error), ..change });
    }
    let (own, hip) = (format!("${{{variable}}}"), format!("CMAKE_HIP_FLAGS{kind}"));
    // `CACHE STRING "" FORCE`, `PARENT_SCOPE`
    let count = call.arguments().len();
    let to = (from..count).find(|&at| ends_values(call.text(at))).unwrap_or(count);
    let tail = match &call.arguments()[to..] {
        [] => "",
        [first, .., last] => plan.slice(first.range.cover(last.range)),
        [only] => plan.slice(only.range),
    };
    let flags = raised(plan, translated(call, from..to, " "));
    // A list has no blanks between its values.
    let is_list = flags.split(' ').any(|word| word != own && word.starts_with("${"));
    let flags = flags.replace(&own, &format!("${{{hip}}}"));
    let (front, flags) = if is_list {
        let line = format!("string(REPLACE \";\" \" \" hip_flags \"{flags}\")");
        (format!("{line}{}{}", plan.newline.as_str(), call.indent()), "${hip_flags}".to_owned())
    } else {
        (String::new(), flags)
    };
    let new = match call.text(0) {
        "APPEND" => format!("string(APPEND {hip} \" {flags}\")"),
        "PREPEND" => format!("string(PREPEND {hip} \"{flags} \")"),
        _ => format!("set({hip} \"{flags}\"{}{tail})", if tail.is_empty() { "" } else { " " }),
    };
    let message = format!("`{variable}` is `{hip}` for HIP, a string");
    let edit = Edit::replace(call.command.range, front + &new);
    plan.add(Change::new(Topic::Option, call.command.range, message, vec![edit]));
}

/// Tells what changes the list in another way: nothing reads it in a build for HIP.
fn plan_other_change(call: Call<'_>) {
    let changes = call.is_any(&["list", "string", "unset", "separate_arguments"]);
    let is_name = |text: &str| text.starts_with(NVCC_FLAGS) && !text.contains('$');
    if let Some(at) = call.texts().position(is_name).filter(|_| changes) {
        let place = call.arguments()[at].range;
        let message = format!("nothing reads `{}` in a build for HIP", call.text(at));
        call.plan.add(Change::left(place, message, "change `CMAKE_HIP_FLAGS`, a string, in its place"));
    }
}

/// Whether quotes stand within an argument rather than around it: `-DA="x y"`.
fn is_quoted_within(argument: &str) -> bool {
    !argument.starts_with('"') && argument.contains('"')
}

/// Words behind which options are for one configuration, and CMake's names for these (FindCUDA, options of `cuda_add_executable`).
const CONFIGURATIONS: &[(&str, &str)] =
    &[("DEBUG", "Debug"), ("RELEASE", "Release"), ("RELWITHDEBINFO", "RelWithDebInfo"), ("MINSIZEREL", "MinSizeRel")];

/// A list of options, those for one configuration in generator expressions.
pub(super) fn by_configuration(list: &str) -> String {
    let mut groups: Vec<(Option<&str>, Vec<&str>)> = vec![(None, Vec::new())];
    for word in list.split(';') {
        if let Some((_, name)) = CONFIGURATIONS.iter().find(|(known, _)| *known == word) {
            groups.push((Some(name), Vec::new()));
        } else if let Some((_, words)) = groups.last_mut() {
            words.push(word);
        }
    }
    let shown = groups.iter().filter(|(_, words)| !words.is_empty()).map(|(name, words)| match name {
        Some(name) => format!("$<$<CONFIG:{name}>:{}>", words.join(";")),
        None => words.join(";"),
    });
    shown.collect::<Vec<_>>().join(";")
}

/// The arguments of some numbers, with clang's options and `separator` between them. What is lost is told.
pub(super) fn translated(call: Call<'_>, numbers: Range<usize>, separator: &'static str) -> String {
    let plan = call.plan;
    let (from, to) = (numbers.start, numbers.end);
    let arguments = call.arguments().get(numbers).unwrap_or_default();
    if let Some(quoted) = arguments.iter().find(|argument| is_quoted_within(plan.slice(argument.range))) {
        let message = format!("the quotes within `{}` do not stay together", plan.slice(quoted.range));
        let change = Change::left(quoted.range, message, "say the option for HIP by hand");
        plan.tell(Change { severity: Some(Severity::Error), ..change });
    }
    let scratch = plan.alike();
    plan_options(
        &scratch,
        &words_of(plan, arguments),
        OptionContext { for_nvcc: true, targets: None, style: &Between(separator) },
    );
    plan_names(Call { command: call.command, plan: &scratch }, &BTreeSet::new());
    let mut patch = Patch::default();
    for change in scratch.into_changes() {
        let is_told = matches!(change.topic, Topic::Unsupported | Topic::Product) || change.note.is_some();
        let is_told =
            is_told && call.arguments().get(from).is_some_and(|first| first.range.start() <= change.range.start());
        // Options that the change beside this one holds do not overlap.
        if patch.try_add(&change.edits).is_ok() && is_told {
            plan.add(Change { edits: Vec::new(), ..change });
        }
    }
    let Some(before) = call.arguments().get(from - 1) else { return String::new() };
    // An option alone on its line goes with the end of the line; the bracket that closes the command stays.
    let close = call.command.range.end() - TextSize::from(u32::from(plan.slice(call.command.range).ends_with(')')));
    let end = call.arguments().get(to).map_or(close, |behind| behind.range.start());
    let part = TextRange::new(before.range.end(), end.max(before.range.end()));
    // What is said between the options is none.
    let comments =
        &plan.build.comments[plan.build.comments.partition_point(|comment| comment.start() < part.start())..];
    for comment in comments.iter().take_while(|comment| part.contains_range(**comment)) {
        // A conflict is with an option that goes together with its line.
        let _ = patch.try_add(&[Edit::delete(*comment)]);
    }
    let text = patch.apply_within(plan.text, part);
    let words = text.split(|c: char| matches!(c, ';' | '"') || c.is_whitespace()).filter(|word| !word.is_empty());
    let words = words.collect::<Vec<_>>().join(separator);
    // These belong together.
    words.replace("SHELL:-Xarch_device;", "SHELL:-Xarch_device ")
}
