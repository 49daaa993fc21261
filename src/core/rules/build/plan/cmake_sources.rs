//! Sources in lists: files that keep CUDA's extension are told to be HIP, others get their new names.

use std::collections::BTreeSet;

use super::change::{Change, Topic};
use super::cmake_call::{Call, ENABLING, calls, enables_hip};
use super::cmake_flags::{by_configuration, translated};
use super::cmake_other_lists::{TARGETS, plan_lists_of_others};
use super::planner::Plan;
use super::style::{removal, variable};
use crate::build::{ArgumentKind, Word, parts};
use crate::mapping::{build_command, build_library};
use crate::settings::ExtensionStyle;
use crate::source::{Edit, TextRange, TextSize};

/// Plans the sources that a command names.
pub(super) fn plan_sources(call: Call<'_>) {
    let sources = sources(call);
    if !call.is("message") {
        let arguments = call.arguments().iter().filter(|argument| argument.kind != ArgumentKind::Bracket);
        arguments.for_each(|argument| call.plan.add_extensions(argument.inner));
    }
    plan_lists_of_others(call);
    tell_chosen_endings(call);
    // Few commands name any; the others need not look at the whole file.
    let names_some = !sources.is_empty() || call.is("aux_source_directory");
    if !names_some || enables_hip(call.plan) || call.plan.extension_tells() {
        return;
    }
    if build_command(call.name()).is_some() {
        return;
    }
    if call.is("aux_source_directory") {
        return plan_folder_of_sources(call);
    }
    if makes_sources(&call) {
        return plan_made_sources(call, &sources);
    }
    let lines = if call.is("file") { globbed(call, &sources) } else { listed(call, &sources) };
    add_lines(call, &sources, lines);
}

/// Whether a command gives the names in a list an ending.
fn makes_sources(call: &Call<'_>) -> bool {
    call.is("list") && call.text(0) == "TRANSFORM" && call.text(2) == "APPEND"
}

/// The list that `list(TRANSFORM)` writes.
fn transformed<'p>(call: &Call<'p>) -> &'p str {
    call.find("OUTPUT_VARIABLE").map_or(call.text(1), |at| call.text(at + 1))
}

/// Behind the last command that changes the names of a list that get CUDA's ending, they are told to be HIP.
fn plan_made_sources(call: Call<'_>, sources: &[TextRange]) {
    let list = transformed(&call);
    let changes = |other: &Call<'_>| other.is("list") && other.text(0) == "TRANSFORM" && transformed(other) == list;
    let all = format!("${{{list}}}");
    if !is_told(call, &all) {
        let behind = calls(call.plan).filter(changes).last().unwrap_or(call);
        add_lines(behind, sources, vec![format!("set_source_files_properties({all} PROPERTIES LANGUAGE HIP)")]);
    }
}

/// The words of a command that name sources with CUDA's extension.
pub(super) fn sources(call: Call<'_>) -> Vec<TextRange> {
    let is_list = call.is("list") && (matches!(call.text(0), "APPEND" | "PREPEND" | "INSERT") || makes_sources(&call));
    let is_glob = call.is("file") && call.text(0).starts_with("GLOB");
    let is_global = call.is("set_property") && call.text(0) == "GLOBAL";
    if !is_list && !is_glob && !is_global && !call.is_any(NAMING) && !call.is_any(TARGETS) && !is_own(call) {
        return Vec::new();
    }
    let arguments = call.arguments().iter().filter(|argument| argument.kind != ArgumentKind::Bracket);
    let words = arguments.flat_map(|argument| parts(call.plan.text, argument.inner));
    let is_source = |word: &Word| {
        let text = call.plan.slice(word.range);
        let is_ending = text == ".cu" && makes_sources(&call);
        is_cuda_source(text)
            || is_ending
            || has_ending_of_cuda(call.plan, text)
            || is_glob && may_find_cuda(text) && makes_target(call.plan, call.text(1))
    };
    words.filter(is_source).map(|word| word.range).collect()
}

/// Commands that hold names of sources.
const NAMING: &[&str] = &["set", "foreach"];

/// Commands of CMake that may name sources and make no target of them.
const OTHERS: &[&str] = &[
    "add_custom_command",
    "add_custom_target",
    "add_dependencies",
    "add_test",
    "cmake_parse_arguments",
    "configure_file",
    "elseif",
    "execute_process",
    "export",
    "file",
    "function",
    "get_filename_component",
    "get_property",
    "get_source_file_property",
    "if",
    "include",
    "install",
    "list",
    "macro",
    "message",
    "option",
    "project",
    "separate_arguments",
    "set_property",
    "set_source_files_properties",
    "set_target_properties",
    "source_group",
    "string",
    "target_compile_definitions",
    "target_compile_options",
    "target_include_directories",
    "target_link_libraries",
    "try_compile",
    "try_run",
    "unset",
    "while",
];

/// Whether a command is a function of the project's, which may make a target of what it gets.
pub(super) fn is_own(call: Call<'_>) -> bool {
    let is_known = [OTHERS, TARGETS, NAMING].iter().any(|names| call.is_any(names));
    !is_known && build_command(call.name()).is_none()
}

/// Whether a path or pattern ends as sources of CUDA do. The ending alone, which a variable may hold, is no file.
pub(super) fn is_cuda_source(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(stem, extension)| extension == "cu" && !stem.is_empty())
}

/// Whether a path gets its ending from a variable that holds CUDA's and no other: `${NAME}${EXTENSION}`.
fn has_ending_of_cuda(plan: &Plan<'_>, path: &str) -> bool {
    ending_of_cuda(plan, path) == Some(true)
}

/// Whether the variable that a path gets its ending from holds nothing but CUDA's, if it may hold that.
fn ending_of_cuda(plan: &Plan<'_>, path: &str) -> Option<bool> {
    let (front, name) = path.strip_suffix('}').and_then(|path| path.rsplit_once("${"))?;
    let holds = |call: &Call<'_>| call.text(1).trim_start_matches('.') == "cu";
    let named = |call: Call<'_>| call.text(0).to_owned();
    let read = || {
        let (cuda, others): (Vec<_>, Vec<_>) = calls(plan).filter(|call| call.is("set")).partition(holds);
        let others: BTreeSet<String> = others.into_iter().map(named).collect();
        let told = |name: String| (name.clone(), !others.contains(&name));
        cuda.into_iter().map(named).map(told).collect()
    };
    plan.known.endings.get_or_init(read).get(name).copied().filter(|_| !front.is_empty())
}

/// Tells sources of a target that are CUDA's where a branch of the build is taken, and others where it is not.
fn tell_chosen_endings(call: Call<'_>) {
    let makes_target = call.is_any(TARGETS) || is_own(call);
    for argument in call.arguments().iter().filter(|_| makes_target) {
        let text = call.plan.slice(argument.inner);
        if ending_of_cuda(call.plan, text) == Some(false) {
            let message = format!("`{text}` is a source of CUDA's in one branch only, which CMake has to be told");
            let advice = "set the property `LANGUAGE` of the source to `HIP` in that branch";
            call.plan.add(Change::left(argument.range, message, advice));
        }
    }
}

/// Whether a pattern that does not name the ending of CUDA's sources finds them: `src/*`, `src/*.c*`.
fn may_find_cuda(pattern: &str) -> bool {
    let name = pattern.rsplit('/').next().unwrap_or(pattern);
    match name.rsplit_once('.') {
        Some((_, ending)) => matches!(ending, "*" | "c*" | "?*" | "c?" | "??" | "cu*" | "c[pu]*" | "c[up]*"),
        None => name.ends_with('*'),
    }
}

/// Commands that make no target of a list, in none of its forms.
const NO_TARGETS: &[&str] = &["configure_file", "install", "message", "source_group"];

/// Whether the file may make a target of a list, itself or by way of another list or a function.
fn makes_target(plan: &Plan<'_>, list: &str) -> bool {
    let lists = || {
        let making = calls(plan).filter(|call| !call.is_any(NO_TARGETS));
        making.flat_map(|call| call.texts()).filter_map(variable).map(str::to_owned).collect()
    };
    plan.known.target_lists.get_or_init(lists).contains(list)
}

/// `aux_source_directory` finds sources of the languages by their endings, which HIP's are not.
fn plan_folder_of_sources(call: Call<'_>) {
    let plan = call.plan;
    let is_cuda = |other: Call<'_>| {
        other.is_any(ENABLING) && other.find("CUDA").is_some() || other.is("find_package") && other.text(0) == "CUDA"
    };
    let (folder, list) = (call.text(0), call.text(1));
    let is_told = calls(plan).any(|other| other.is("file") && other.text(1) == format!("{list}_HIP"));
    if is_told || list.is_empty() || plan.settings.extension != ExtensionStyle::Keep || !calls(plan).any(is_cuda) {
        return;
    }
    let indent = call.indent();
    let lines = [
        format!("{indent}file(GLOB {list}_HIP \"{folder}/*.cu\")"),
        format!("{indent}list(APPEND {list} ${{{list}_HIP}})"),
        format!("{indent}set_source_files_properties(${{{list}_HIP}} PROPERTIES LANGUAGE HIP)"),
    ];
    let edit = plan.lines_after(call.command.range.end(), &lines);
    let message = format!("CMake finds no sources of CUDA in `{folder}` for HIP");
    plan.add(Change::new(Topic::Source, call.command.name, message, vec![edit]));
}

/// What tells that the listed sources are HIP.
fn listed(call: Call<'_>, sources: &[TextRange]) -> Vec<String> {
    let mut files: Vec<String> =
        sources.iter().map(|word| call.plan.converted(*word)).filter(|file| !is_told(call, file)).collect();
    if files.is_empty() {
        return Vec::new();
    }
    let scope = match () {
        () if call.is("target_sources") => format!(" TARGET_DIRECTORY {}", call.text(0)),
        () if hands_up(&call) => FOR_PARENT.to_owned(),
        () if call.is("set_property") || call.is("set") && call.find("CACHE").is_some() => FOR_ALL.to_owned(),
        () if call.is("set") => handed_on(call, call.text(0)).to_owned(),
        () if call.is("list") => handed_on(call, call.text(1)).to_owned(),
        () => String::new(),
    };
    if scope == FOR_PARENT {
        // The folder above takes a relative path for one of its own.
        let is_relative = |file: &&String| !file.starts_with(['$', '/', '"']);
        let above: Vec<String> = files.iter().filter(is_relative).map(|file| format!("../{file}")).collect();
        files.extend(above);
    }
    vec![format!("set_source_files_properties({}{scope} PROPERTIES LANGUAGE HIP)", files.join(" "))]
}

/// The folders in which a source has to be known that the one above may use, too.
const FOR_PARENT: &str = " DIRECTORY . ..";

/// Whether a command hands a list to the folder above, which is the caller within a function, and nobody in the file of the project.
fn hands_up(call: &Call<'_>) -> bool {
    let place = call.command.range.start();
    let read = || {
        let mut bodies = Vec::new();
        let mut open = Vec::new();
        for other in calls(call.plan) {
            if other.is_any(&["function", "macro"]) {
                open.push(other.command.range.start());
            } else if other.is_any(&["endfunction", "endmacro"]) {
                bodies.extend(open.pop().map(|start| TextRange::new(start, other.command.range.end())));
            }
            if other.is_any(&["project", "cmake_minimum_required"]) {
                return vec![TextRange::up_to(TextSize::of(call.plan.text))];
            }
        }
        bodies
    };
    call.find("PARENT_SCOPE").is_some()
        && !call.plan.known.own_scopes.get_or_init(read).iter().any(|body| body.contains(place))
}

/// The folders in which a source has to be known that any of them may use. CMake keeps what is said of a source to the folder that says
/// it (CMake documentation, "`set_source_files_properties`").
const FOR_ALL: &str = " DIRECTORY . ${CMAKE_SOURCE_DIR}";

/// The folders in which the sources of a list have to be known: the one above or all, where the file hands the list on.
fn handed_on(call: Call<'_>, list: &str) -> &'static str {
    let scope = |other: &Call<'_>| match () {
        () if other.is("set") && hands_up(other) => Some(FOR_PARENT),
        () if other.is("set") && other.find("CACHE").is_some() => Some(FOR_ALL),
        () if other.is("set_property") && other.text(0) == "GLOBAL" => Some(FOR_ALL),
        () => None,
    };
    let read = || {
        let handing = calls(call.plan).filter_map(|other| Some((scope(&other)?, other)));
        let lists = |(scope, other): (&'static str, Call<'_>)| {
            let names: Vec<String> = other.texts().filter_map(variable).map(str::to_owned).collect();
            names.into_iter().map(move |name| (name, scope))
        };
        handing.flat_map(lists).collect()
    };
    call.plan.known.handed_on.get_or_init(read).get(list).copied().unwrap_or_default()
}

/// What tells that the sources that a pattern finds are HIP.
fn globbed(call: Call<'_>, sources: &[TextRange]) -> Vec<String> {
    let list = call.text(1);
    if sources.is_empty() || is_told(call, &format!("${{{list}}}")) || is_told(call, &format!("${{{list}_HIP}}")) {
        return Vec::new();
    }
    let mut patterns =
        call.texts().skip(2).filter(|text| !matches!(*text, "CONFIGURE_DEPENDS" | "LIST_DIRECTORIES" | "RELATIVE"));
    let all = patterns.all(is_cuda_source);
    let scope = handed_on(call, list);
    if all {
        return vec![format!("set_source_files_properties(${{{list}}}{scope} PROPERTIES LANGUAGE HIP)")];
    }
    let ending = if call.plan.settings.extension == ExtensionStyle::Keep { "\\\\.cu$" } else { "\\\\.hip\\\\.cpp$" };
    vec![
        // An empty one is there as well.
        format!("set({list}_HIP \"${{{list}}}\")"),
        format!("list(FILTER {list}_HIP INCLUDE REGEX \"{ending}\")"),
        format!("set_source_files_properties(${{{list}_HIP}}{scope} PROPERTIES LANGUAGE HIP)"),
    ]
}

/// Whether the file says already which language a source has.
fn is_told(call: Call<'_>, file: &str) -> bool {
    call.plan.known.told_sources.get_or_init(|| told_sources(call.plan)).contains(file)
}

fn told_sources(plan: &Plan<'_>) -> BTreeSet<String> {
    let tells = |call: &Call<'_>| call.is("set_source_files_properties") && call.find("LANGUAGE").is_some();
    let names = calls(plan).filter(tells).flat_map(|call| call.texts());
    names.flat_map(|text| std::iter::once(text).chain(text.split(';'))).map(str::to_owned).collect()
}

fn add_lines(call: Call<'_>, sources: &[TextRange], lines: Vec<String>) {
    let Some((first, _)) = sources.first().zip(lines.first()) else { return };
    let (indent, end) = (call.indent(), call.plan.newline.as_str());
    let edit = if call.is("foreach") {
        let lines: String = lines.iter().flat_map(|line| [line.as_str(), end, indent]).collect();
        Edit::insert(call.command.range.start(), lines)
    } else {
        let lines: Vec<String> = lines.into_iter().map(|line| format!("{indent}{line}")).collect();
        call.plan.lines_after(call.command.range.end(), &lines)
    };
    let message = format!("CMake takes `{}` for CUDA, by its name", call.plan.slice(*first));
    call.plan.add(Change::new(Topic::Source, *first, message, vec![edit]));
}

/// `cuda_compile(OBJECTS a.cu …)` hands objects on: those of a library of objects.
fn plan_objects(call: Call<'_>) {
    let plan = call.plan;
    let library = format!("{}_hip", call.text(0));
    let is_kind = |text: &&str| matches!(*text, "SHARED" | "STATIC" | "MODULE");
    let options = call.find("OPTIONS").unwrap_or(call.arguments().len());
    let files: Vec<String> = call
        .arguments()
        .iter()
        .take(options)
        .skip(1)
        .filter(|argument| !is_kind(&plan.slice(argument.inner)))
        .map(|argument| plan.converted(argument.range))
        .collect();
    let flags = by_configuration(&translated(call, options + 1..call.arguments().len(), ";"));
    let mut lines = vec![format!("add_library({library} OBJECT {})", files.join(" "))];
    if call.texts().any(|text| matches!(text, "SHARED" | "MODULE")) {
        lines.push(format!("set_target_properties({library} PROPERTIES POSITION_INDEPENDENT_CODE ON)"));
    }
    if !flags.is_empty() {
        lines.push(format!("target_compile_options({library} PRIVATE \"{flags}\")"));
    }
    if !plan.extension_tells() && !files.is_empty() {
        lines.push(format!("set_source_files_properties({} PROPERTIES LANGUAGE HIP)", files.join(" ")));
    }
    lines.push(format!("set({} $<TARGET_OBJECTS:{library}>)", call.text(0)));
    let message = format!("`{}` makes objects, which a library of objects has for HIP", call.name());
    let new = lines.join(&format!("{}{}", plan.newline.as_str(), call.indent()));
    plan.add(Change::new(Topic::Language, call.command.range, message, vec![Edit::replace(call.command.range, new)]));
}

/// The commands of `FindCUDA`.
pub(super) fn plan_find_cuda_command(call: Call<'_>) {
    let plan = call.plan;
    let Some(known) = build_command(call.name()) else { return };
    if call.is("cuda_compile") {
        return plan_objects(call);
    }
    if call.is("cuda_select_nvcc_arch_flags") && !call.text(0).is_empty() {
        let message = "`CMAKE_HIP_ARCHITECTURES` says for which GPUs is compiled";
        let edit = Edit::replace(call.command.range, format!("set({} \"\")", call.text(0)));
        return plan.add(Change::new(Topic::Option, call.command.range, message, vec![edit]));
    }
    if call.is("cuda_build_clean_target") {
        let edit = Edit::delete(removal(plan, call.command.range));
        let message = "CMake's own target `clean` does it";
        return plan.add(Change::new(Topic::Language, call.command.range, message, vec![edit]));
    }
    if let Some(advice) = &known.advice {
        return plan.add(Change::left(call.command.range, format!("HIP has no `{}`", call.name()), advice));
    }
    if let Some(library) = known.link.as_deref().and_then(build_library) {
        let new = format!("target_link_libraries({} {})", call.text(0), library.target);
        return plan.add(Change::rename(Topic::Library, call.command.range, (plan.slice(call.command.range), &new)));
    }
    let Some(hip) = &known.hip else { return };
    let mut edits = vec![Edit::replace(call.command.name, hip.as_str())];
    if hip != "include_directories" {
        let mut lines = vec![format!("{}target_link_libraries({} hip::host)", call.indent(), call.text(0))];
        if let Some(options) = call.find("OPTIONS") {
            let (before, last) =
                (call.arguments()[options - 1].range, call.arguments()[call.arguments().len() - 1].range);
            edits.push(Edit::delete(TextRange::new(before.end(), last.end())));
            let flags = by_configuration(&translated(call, options + 1..call.arguments().len(), ";"));
            let quote = if flags.contains(' ') { "\"" } else { "" };
            let line = format!(
                "{}target_compile_options({} PRIVATE {quote}$<$<COMPILE_LANGUAGE:HIP>:{flags}>{quote})",
                call.indent(),
                call.text(0)
            );
            lines.extend(Some(line).filter(|_| !flags.is_empty()));
        }
        // The lines about sources come behind the same command.
        let files = sources(call);
        if !plan.extension_tells() {
            lines.extend(listed(call, &files).into_iter().map(|line| format!("{}{line}", call.indent())));
        }
        edits.push(plan.lines_after(call.command.range.end(), &lines));
    }
    let message = format!("`{}` is `{hip}` for HIP", call.name());
    plan.add(Change::new(Topic::Language, call.command.name, message, edits));
}
