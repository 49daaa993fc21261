//! `find_package` and the packages of the libraries that a file uses.

use std::collections::{BTreeMap, BTreeSet};

use super::change::{Change, Topic};
use super::cmake_call::{Call, calls, default_targets};
use super::cmake_device_code::device_code;
use super::cmake_linked::{LINKING, linked_lists, listed};
use super::cmake_loops::library_loops;
use super::cmake_sources::is_own;
use super::planner::Plan;
use crate::mapping::{BuildPackage, build_library, build_package, is_cuda_folder, library_of_variable};
use crate::source::{Edit, TextRange, TextSize};

/// Plans all `find_package` of a file.
pub(super) fn plan_packages(plan: &Plan<'_>) {
    let mut needed = needed(plan);
    let early = needed.remove("hip");
    needed.retain(|package, _| !calls(plan).any(|call| call.is_any(FINDING) && call.text(0) == *package));
    let is_found = |package: &&&str| calls(plan).any(|call| call.is_any(FINDING) && call.text(0) == **package);
    let beside_hip: Vec<&str> = needed.keys().copied().collect();
    let linked = plan.builds.packages.iter().filter(|package| **package != "hip" && !is_found(package));
    let beside_others: Vec<&str> =
        beside_hip.iter().chain(linked).copied().collect::<BTreeSet<_>>().into_iter().collect();
    for call in calls(plan).filter(|call| call.is_any(FINDING)) {
        let Some(package) = build_package(call.text(0)) else { continue };
        // Each branch of a condition may find its own.
        let finds_hip = package.package == "hip";
        // Who uses the project's package links what its targets link.
        let beside_hip = if call.is("find_dependency") { &beside_others } else { &beside_hip };
        plan_package(call, package, if finds_hip { beside_hip } else { &[] });
        if finds_hip {
            needed.clear();
        }
    }
    needed.extend(early.map(|place| ("hip", place)));
    let mut places: BTreeMap<TextSize, Vec<&str>> = BTreeMap::new();
    for (package, place) in needed {
        places.entry(place).or_default().push(package);
    }
    plan_handed(plan, &places);
    for (place, packages) in places {
        let (end, indent) = (plan.newline.as_str(), plan.indent(place));
        let line = |package: &&str| format!("find_package({package} REQUIRED){end}{indent}");
        let lines: String = packages.iter().map(line).collect::<Vec<_>>().concat();
        let message = format!("what is used comes from `{}`", packages.join("`, `"));
        plan.add(Change::new(Topic::Library, TextRange::empty(place), message, vec![Edit::insert(place, lines)]));
    }
}

/// Has the top of a project find the packages that folders hand to those above: an imported target is known in the folder that finds it and
/// in those below. Who needs none of them goes on without.
fn plan_handed(plan: &Plan<'_>, found: &BTreeMap<TextSize, Vec<&str>>) {
    let is_top = calls(plan).any(|call| call.is("project"));
    let Some(first) = calls(plan).find(|call| call.is("add_subdirectory")).filter(|_| is_top) else { return };
    let folder = plan.path.parent().unwrap_or(plan.path);
    let is_missing = |package: &&str| {
        *package != "hip"
            && !found.values().any(|packages| packages.contains(package))
            && !calls(plan).any(|call| call.is_any(FINDING) && call.text(0) == *package)
    };
    let below = plan.builds.handed_packages.iter().filter(|(of, _)| of.starts_with(folder) && of != folder);
    let packages: BTreeSet<&str> = below.map(|(_, package)| *package).filter(is_missing).collect();
    if packages.is_empty() {
        return;
    }
    let place = first.command.range.start();
    let (end, indent) = (plan.newline.as_str(), plan.indent(place));
    let line = |package: &&str| format!("find_package({package} QUIET){end}{indent}");
    let lines = packages.iter().map(line).collect::<Vec<_>>().concat();
    let message = "lists of folders below hand targets of these packages up";
    plan.add(Change::new(Topic::Library, TextRange::empty(place), message, vec![Edit::insert(place, lines)]));
}

/// The packages of the libraries that are linked, beside that of HIP itself, and where they are used first.
fn needed<'p>(plan: &'p Plan<'p>) -> BTreeMap<&'static str, TextSize> {
    let mut needed = BTreeMap::new();
    let is_hip = |call: &Call<'_>| {
        call.text(0) == "hip" || build_package(call.text(0)).is_some_and(|package| package.package == "hip")
    };
    let finds_hip = calls(plan).any(|call| call.is_any(FINDING) && is_hip(&call));
    // A condition asks for targets, too.
    let setting = ["set", "list", "if", "elseif", "set_property", "set_target_properties"];
    let lists = linked_lists(plan);
    for call in calls(plan).filter(|call| call.is_any(LINKING) || call.is_any(&setting) || is_own(*call)) {
        // What a function of the project's links is known by its target only.
        let is_set = is_own(call) || call.is_any(&setting) && listed(call, lists).next().is_none();
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
        // A text with blanks that a function of the project's gets is for people.
        for text in call.texts().filter(|text| !is_own(call) || !text.contains(' ')) {
            // In `$<condition:CUDA::cublas>`, the first sign belongs to the expression.
            for word in text.split(|c: char| !is_name(c)).map(|word| word.trim_matches(':')) {
                // `$<LINK_ONLY:CUDA::cublas>`
                let word = word.find(":CUDA::").map_or(word, |at| &word[at + 1..]);
                let option = word.strip_prefix('l').filter(|_| text.starts_with("-l"));
                let is_own = plan.builds.own_libraries.contains(word);
                let bare = option.or(Some(word).filter(|_| !is_own)).filter(|_| !is_set);
                let library = word.strip_prefix("CUDA::").or(bare).and_then(build_library);
                let referred = || library_of_variable(word).filter(|_| text.contains(&format!("${{{word}}}")));
                let package = library.or_else(referred).map_or("", |library| library.package.as_str());
                // A bare name is found where the compiler looks; an imported target comes from some package already.
                let is_found =
                    if package == "hip" { finds_hip || word.contains("::") || is_set } else { package.is_empty() };
                if !is_found && (package != "hip" || text == word || text.starts_with("-l")) {
                    needed.entry(package).or_insert(call.command.range.start());
                }
            }
        }
    }
    // The loop asks for targets that all come from one package of CUDA's.
    let first = calls(plan).find(|call| call.is_any(FINDING) && is_hip(call)).map(|call| call.command.range.start());
    for package in library_loops(plan).flat_map(|found| found.packages().collect::<Vec<_>>()) {
        needed.extend(first.map(|place| (package, place)).filter(|_| package != "hip"));
    }
    // A variable is empty where it stands before the package.
    let is_before = |call: &Call<'_>| first.is_none_or(|first| call.command.range.start() < first);
    let derived = derived_folders(plan);
    let names_folder = |call: &Call<'_>| names_include_folder(call, &derived);
    if let Some(call) = calls(plan).find(names_folder).filter(is_before) {
        let place = needed.entry("hip").or_insert(call.command.range.start());
        *place = call.command.range.start().min(*place);
    }
    for call in calls(plan).filter(|call| call.is_any(&["cuda_add_cublas_to_target", "cuda_add_cufft_to_target"])) {
        let package = if call.is("cuda_add_cublas_to_target") { "hipblas" } else { "hipfft" };
        needed.entry(package).or_insert(call.command.range.start());
    }
    needed
}

/// Whether a command has the folder of CUDA's headers from the language; that of HIP's comes from its package.
fn names_include_folder(call: &Call<'_>, derived: &[&str]) -> bool {
    let is_below = |text: &str| {
        let name = text.strip_prefix("${").and_then(|rest| rest.split_once("}/include"));
        name.is_some_and(|(name, _)| derived.contains(&name))
    };
    let names = |text: &str| text.contains("${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES}") || is_below(text);
    !call.is("message") && call.texts().any(names)
}

/// The variables for CUDA's folder that the file makes of where the compiler is.
fn derived_folders<'p>(plan: &'p Plan<'p>) -> Vec<&'p str> {
    let derived = calls(plan).filter(|call| call.is("get_filename_component")).map(|call| call.text(0));
    derived.filter(|name| is_cuda_folder(name)).collect()
}

/// Commands that find a package; the second one for packages that need this one.
const FINDING: &[&str] = &["find_package", "find_dependency"];

/// Whether a command finds a package of CUDA's, so that another one stands in its place, with none of its other words.
pub(super) fn is_replaced(call: Call<'_>) -> bool {
    call.is_any(FINDING) && build_package(call.text(0)).is_some()
}

/// Words of `find_package` that stay.
const KEPT: &[&str] = &["REQUIRED", "QUIET"];

fn plan_package(call: Call<'_>, package: &BuildPackage, more: &[&str]) {
    let plan = call.plan;
    let (indent, end) = (call.indent(), plan.newline.as_str());
    let flags: String = call.texts().filter(|text| KEPT.contains(text)).flat_map(|text| [" ", text]).collect();
    let is_required = call.find("REQUIRED").is_some();
    let find = |package: &str| format!("{}({package}{flags})", call.name());
    let enables = package.language
        && call.is("find_package")
        && !calls(plan)
            .any(|other| other.is_any(&["project", "enable_language"]) && other.texts().any(|text| text == "CUDA"));
    let mut lines: Vec<String> =
        std::iter::once(package.package.as_str()).chain(more.iter().copied()).map(find).collect();
    let mut edits = Vec::new();
    if enables && is_required {
        lines.splice(0..0, std::iter::once("enable_language(HIP)".to_owned()).chain(device_code(plan)));
        edits.extend(default_targets(call));
    } else if enables {
        let inner = lines.iter().map(|line| format!("  {line}"));
        lines = ["include(CheckLanguage)", "check_language(HIP)", "if(CMAKE_HIP_COMPILER)", "  enable_language(HIP)"]
            .map(str::to_owned)
            .into_iter()
            .chain(device_code(plan).map(|line| format!("  {line}")))
            .chain(inner)
            .chain(std::iter::once("endif()".to_owned()))
            .collect();
        edits.extend(default_targets(call));
    }
    edits.push(Edit::replace(call.command.range, lines.join(&format!("{end}{indent}"))));
    let message = format!("the package `{}` is `{}` for HIP", call.text(0), package.package);
    let topic = if enables { Topic::Language } else { Topic::Library };
    plan.add(Change::new(topic, call.command.range, message, edits));
}
