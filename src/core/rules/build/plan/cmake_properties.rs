//! Properties of targets and sources, and the variables that they begin with.

use camino::Utf8Path;

use super::change::{Change, Topic};
use super::cmake_call::{Call, calls};
use super::planner::Plan;
use crate::source::{Edit, TextRange};

/// The lines that a property of CUDA's stands for, if it is on; `None` for others.
fn lines_of(call: Call<'_>, property: &str) -> Option<Vec<String>> {
    match property {
        _ if !is_about_targets(call) => None,
        "CUDA_SEPARABLE_COMPILATION" => Some(device_linking(call)),
        "CUDA_PTX_COMPILATION" | "CUDA_CUBIN_COMPILATION" | "CUDA_FATBIN_COMPILATION" => Some(code_objects(call)),
        // HIP's runtime is a shared library, and clang links device code where programs are linked.
        "CUDA_RESOLVE_DEVICE_SYMBOLS" | "CUDA_RUNTIME_LIBRARY" => Some(Vec::new()),
        _ => None,
    }
}

/// Properties that CMake has for targets, and for nothing else.
const OF_TARGETS: &[&str] = &["CUDA_SEPARABLE_COMPILATION", "CUDA_RESOLVE_DEVICE_SYMBOLS"];

/// Whether a command sets properties of targets.
fn is_about_targets(call: Call<'_>) -> bool {
    call.is("set_target_properties") || call.is("set_property") && call.text(0) == "TARGET"
}

/// Tells a property of targets that something else gets, where CMake does not look for it.
fn plan_misplaced(call: Call<'_>, at: usize) {
    let name = call.text(at);
    let message = format!("CMake reads `{name}` of targets only, so that it does nothing here");
    let advice = "remove it, or ask for `-fgpu-rdc` where the target gets its options";
    call.plan.add(Change::left(call.arguments()[at].range, message, advice));
}

/// Plans the properties that a command sets.
pub(super) fn plan_properties(call: Call<'_>) {
    if call.is("set") {
        return plan_variable(call);
    }
    if call.is("find_program") && call.text(0) == "CMAKE_CUDA_COMPILER" {
        return replace(call, &finding_compiler(call));
    }
    if call.is("list") && call.text(0) == "APPEND" && call.text(1) == "CMAKE_CUDA_ARCHITECTURES" {
        return plan_targets(call, 2, " ");
    }
    let pairs = match () {
        () if call.sets_pairs() => call.find("PROPERTIES"),
        () if call.is("set_property") => call.find("PROPERTY"),
        () => None,
    };
    let Some(first) = pairs.map(|at| at + 1) else { return };
    let lines_at = |at: usize| Some(when(call.text(at + 1), lines_of(call, call.text(at))?));
    let all: Option<Vec<Vec<String>>> = (first..call.arguments().len()).step_by(2).map(lines_at).collect();
    if let Some(all) = all.filter(|all| !call.is("set_property") && !all.is_empty()) {
        // A command without any property would stop CMake.
        return replace(call, &all.concat());
    }
    let step = if call.is("set_property") { call.arguments().len() } else { 2 };
    for at in (first..call.arguments().len()).step_by(step.max(1)) {
        plan_pair(call, first, at);
    }
}

/// What looks for the compiler where the file asks behind it whether there is one, before it enables the language. A project that names
/// the language further down asks itself.
fn finding_compiler(call: Call<'_>) -> Vec<String> {
    let is_behind = |other: &Call<'_>| other.command.range.start() > call.command.range.start();
    let asks =
        |other: Call<'_>| other.is_any(&["if", "elseif"]) && other.texts().any(|text| text == "CMAKE_CUDA_COMPILER");
    let mut behind = calls(call.plan).filter(is_behind);
    let is_asked = behind.clone().any(asks) && !behind.any(|other| other.is("project"));
    let lines = ["include(CheckLanguage)", "check_language(HIP)"].map(str::to_owned);
    if is_asked { lines.to_vec() } else { Vec::new() }
}

/// `set(CMAKE_CUDA_ARCHITECTURES …)` and `set(CMAKE_CUDA_SEPARABLE_COMPILATION ON)`.
fn plan_variable(call: Call<'_>) {
    match call.text(0) {
        "CMAKE_CUDA_ARCHITECTURES" => plan_targets(call, 1, " "),
        // CMake takes clang alone for HIP, also for the host, and finds it by itself.
        "CMAKE_CUDA_COMPILER" | "ENV{CUDACXX}" if call.text(1).ends_with("nvcc") => {
            replace(call, &finding_compiler(call));
        }
        "CMAKE_CUDA_HOST_COMPILER"
        | "CMAKE_CUDA_RESOLVE_DEVICE_SYMBOLS"
        | "CMAKE_CUDA_RUNTIME_LIBRARY"
        | "CUDA_HOST_COMPILER"
        | "ENV{CUDAHOSTCXX}" => replace(call, &[]),
        // The second one is that of FindCUDA.
        "CMAKE_CUDA_SEPARABLE_COMPILATION" | "CUDA_SEPARABLE_COMPILATION" => {
            let lines = vec![
                "add_compile_options($<$<COMPILE_LANGUAGE:HIP>:-fgpu-rdc>)".to_owned(),
                format!("add_link_options({LINK_DEVICE_CODE})"),
            ];
            let lines = when(call.text(1), lines);
            replace(call, &lines);
        }
        _ => {}
    }
}

fn plan_pair(call: Call<'_>, first: usize, at: usize) {
    let plan = call.plan;
    match call.text(at) {
        "LANGUAGE" | "LINKER_LANGUAGE" if call.text(at + 1) == "CUDA" => {
            plan.add(Change::rename(Topic::Language, call.arguments()[at + 1].inner, ("CUDA", "HIP")));
        }
        "LINKER_LANGUAGE" if matches!(call.text(at + 1), "C" | "CXX") => plan_linker(call, at + 1),
        "CUDA_SOURCE_PROPERTY_FORMAT" if call.text(at + 1) == "OBJ" => {
            let place = TextRange::new(call.arguments()[at].range.start(), call.arguments()[at + 1].range.end());
            plan.add(Change::rename(Topic::Language, place, (plan.slice(place), "LANGUAGE HIP")));
        }
        "CUDA_ARCHITECTURES" => plan_targets(call, at + 1, ";"),
        property if OF_TARGETS.contains(&property) && !is_about_targets(call) => plan_misplaced(call, at),
        property => {
            if let Some(lines) = lines_of(call, property) {
                remove_pair(call, (first, at), &when(call.text(at + 1), lines));
            }
        }
    }
}

/// Device code that is compiled apart is linked where the program is, which only HIP does; nvcc may have linked it before.
fn plan_linker(call: Call<'_>, at: usize) {
    let (plan, place) = (call.plan, call.arguments()[at].inner);
    let Some(apart) = plan.builds.linked_apart.as_ref().filter(|apart| may_be_of_project(plan, apart)) else { return };
    let message = format!("HIP links device code that is compiled apart, as `{apart}` has it");
    plan.add(Change::new(Topic::Language, place, message, vec![Edit::replace(place, "HIP")]));
}

/// Whether another file may speak of the project that this one is about: of one that begins here, if it lies below.
fn may_be_of_project(plan: &Plan<'_>, other: &Utf8Path) -> bool {
    let is_below = || plan.path.parent().is_some_and(|folder| other.starts_with(folder));
    !calls(plan).any(|call| call.is("project")) || is_below()
}

fn is_on(value: &str) -> bool {
    ["ON", "TRUE", "YES", "1"].iter().any(|word| value.eq_ignore_ascii_case(word))
}

/// The lines that a property stands for, if it is on; CMake decides where a variable says so.
fn when(value: &str, lines: Vec<String>) -> Vec<String> {
    if value.contains('$') && !lines.is_empty() {
        let inner = lines.into_iter().map(|line| format!("  {line}"));
        return std::iter::once(format!("if(\"{value}\")")).chain(inner).chain(["endif()".to_owned()]).collect();
    }
    if is_on(value) { lines } else { Vec::new() }
}

/// The targets whose properties a command sets.
fn targets<'p>(call: Call<'p>) -> impl Iterator<Item = &'p str> {
    let end = call.arguments().len().min(call.find("PROPERTIES").or(call.find("PROPERTY")).unwrap_or_default());
    let targets = call.texts().take(end).skip(usize::from(call.is("set_property")));
    targets.filter(|target| !matches!(*target, "APPEND" | "APPEND_STRING"))
}

/// What has the objects of a target hold code for GPUs alone, which `hipModuleLoad` takes.
fn code_objects(call: Call<'_>) -> Vec<String> {
    let line =
        |target| format!("target_compile_options({target} PRIVATE $<$<COMPILE_LANGUAGE:HIP>:--offload-device-only>)");
    targets(call).map(line).collect()
}

/// What has HIP's compiler link device code that is compiled apart, where it links.
pub(super) const LINK_DEVICE_CODE: &str = "$<$<LINK_LANGUAGE:HIP>:-fgpu-rdc> $<$<LINK_LANGUAGE:HIP>:--hip-link>";

/// Whether the file has a target compile its device code apart.
pub(super) fn is_linked_apart(plan: &Plan<'_>, target: &str) -> bool {
    let is_apart = |call: &Call<'_>| {
        let property = call.find("CUDA_SEPARABLE_COMPILATION").filter(|_| is_about_targets(*call));
        property.is_some_and(|at| is_on(call.text(at + 1)))
    };
    let read = || calls(plan).filter(is_apart).flat_map(targets).map(str::to_owned).collect();
    plan.known.linked_apart.get_or_init(read).contains(target)
}

/// What `CUDA_SEPARABLE_COMPILATION` is for HIP, for each target of the command.
fn device_linking(call: Call<'_>) -> Vec<String> {
    let lines = |target| {
        [
            format!("target_compile_options({target} PRIVATE $<$<COMPILE_LANGUAGE:HIP>:-fgpu-rdc>)"),
            // Who links a shared library of it may do so with another compiler.
            format!("target_link_options({target} PUBLIC {LINK_DEVICE_CODE})"),
        ]
    };
    targets(call).flat_map(lines).collect()
}

/// The values from an argument on become the targets of the settings.
fn plan_targets(call: Call<'_>, from: usize, separator: &str) {
    let plan = call.plan;
    let is_value = |text: &&str| !matches!(*text, "CACHE" | "PARENT_SCOPE" | "FORCE");
    let is_pair = call.sets_pairs();
    let count = if is_pair { 1 } else { call.texts().skip(from).take_while(is_value).count() };
    let values = call.arguments().get(from..(from + count).min(call.arguments().len())).unwrap_or_default();
    let Some((first, last)) = values.first().zip(values.last()) else { return };
    // What the user may have chosen gets its name of HIP's.
    if values.len() == 1 && plan.slice(first.inner) == "${CMAKE_CUDA_ARCHITECTURES}" {
        return;
    }
    let place = TextRange::new(first.range.start(), last.range.end());
    let targets: Vec<&str> = plan.targets().collect();
    let new = if separator == ";" && targets.len() > 1 {
        format!("\"{}\"", targets.join(";"))
    } else {
        targets.join(separator)
    };
    let message = format!("`{}` are GPUs of NVIDIA's", plan.slice(place));
    plan.add(Change::new(Topic::Language, place, message, vec![Edit::replace(place, new)]));
}

/// Takes a property away, and puts lines behind the command; a command without any other property goes.
fn remove_pair(call: Call<'_>, (first, at): (usize, usize), lines: &[String]) {
    let (plan, arguments) = (call.plan, call.arguments());
    if call.is("set_property") || arguments.len() <= first + 2 {
        return replace(call, lines);
    }
    let place = TextRange::new(arguments[at].range.start(), arguments[(at + 1).min(arguments.len() - 1)].range.end());
    let mut edits = vec![Edit::delete(TextRange::new(arguments[at - 1].range.end(), place.end()))];
    if !lines.is_empty() {
        let lines: Vec<String> = lines.iter().map(|line| format!("{}{line}", call.indent())).collect();
        edits.push(plan.lines_after(call.command.range.end(), &lines));
    }
    plan.add(Change::new(Topic::Language, place, format!("HIP has no property `{}`", call.text(at)), edits));
}

/// Puts lines in the place of a command.
fn replace(call: Call<'_>, lines: &[String]) {
    let plan = call.plan;
    let text = lines.join(&format!("{}{}", plan.newline.as_str(), call.indent()));
    let place = call.command.range;
    let message =
        format!("`{}` is said otherwise for HIP", plan.slice(place).split_whitespace().collect::<Vec<_>>().join(" "));
    let edit =
        if text.is_empty() { Edit::delete(super::style::removal(plan, place)) } else { Edit::replace(place, text) };
    plan.add(Change::new(Topic::Language, place, message, vec![edit]));
}
