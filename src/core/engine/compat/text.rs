//! The text of the header: HIP's headers, definitions, then one macro for each name.
//!
//! HIP's headers come first, so that no macro changes what they say.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::plan::{CallForm, HeaderPlan, Planned};
use crate::mapping::{Intrinsics, Part, RocmVersion, Table, VersionRange};
use crate::rules::expand_template;
use crate::settings::Settings;

/// HIP's headers, or folders of them, that only compilers for HIP can read.
const FOR_HIP_COMPILERS: &[&str] = &["hip/hip_cooperative_groups.h", "hipcub/", "hiprand/hiprand_kernel.h", "rocrand/"];

/// Headers that nvcc includes by itself.
const STANDARD: &[&str] = &["assert.h", "math.h", "string.h"];

/// The name of the header with all that the project needs.
pub const HEADER: &str = "hipshift_compat.h";

const RUNTIME: &str = "hip/hip_runtime.h";

/// The parts of the header. `mark` is the start of its first line.
pub(super) fn header_text(plan: &HeaderPlan, about: (&Table, &Settings), mark: &str) -> String {
    let (table, settings) = about;
    let mut out = format!(
        "{mark}, from its mapping tables, for ROCm {}; do not edit.\n\
         // Lets CUDA sources compile as HIP as they are: CUDA's names that this project uses, as HIP calls them.\n\
         // Compile for HIP with `-x hip -I FOLDER -include {}`, where FOLDER is the folder of this file.\n\
         #ifndef HIPSHIFT_COMPAT_H\n#define HIPSHIFT_COMPAT_H\n\n",
        settings.rocm, HEADER
    );
    out += &includes(plan, about);
    out += &definitions(plan);
    out += &namespaces(plan);
    out += &picks(plan);
    for (library, lines) in by_library(plan, table, settings) {
        writeln!(out, "// {library}").ok();
        write_lines(&mut out, &lines);
        out.push('\n');
    }
    out + "#endif\n"
}

/// A line, and the releases that it is for.
struct Line {
    range: VersionRange,
    text: String,
}

/// Writes lines; those beside each other that are for the same releases share a condition.
fn write_lines(out: &mut String, lines: &[Line]) {
    for group in lines.chunk_by(|a, b| a.range == b.range) {
        let condition = group.first().and_then(|line| condition(line.range));
        if let Some(condition) = &condition {
            writeln!(out, "#if {condition}").ok();
        }
        for line in group {
            writeln!(out, "{}", line.text).ok();
        }
        out.push_str(if condition.is_some() { "#endif\n" } else { "" });
    }
}

/// The test for a range of releases; nothing if it is all that the tables are about.
fn condition(range: VersionRange) -> Option<String> {
    let since = range.since.filter(|since| *since > RocmVersion::OLDEST);
    let until = range.until.filter(|until| *until < RocmVersion::NEWEST);
    let since = since.map(|since| format!("HIP_VERSION >= {}", since.hip_version_macro()));
    let next = |until: RocmVersion| RocmVersion::new(until.major, until.minor + 1);
    let until = until.map(|until| format!("HIP_VERSION < {}", next(until).hip_version_macro()));
    let tests: Vec<String> = since.into_iter().chain(until).collect();
    (!tests.is_empty()).then(|| tests.join(" && "))
}

fn includes(plan: &HeaderPlan, (table, settings): (&Table, &Settings)) -> String {
    let mut out = String::from("// What nvcc includes by itself.\n");
    for header in STANDARD {
        writeln!(out, "#include <{header}>").ok();
    }
    writeln!(out, "\n#include <{RUNTIME}>").ok();
    // One HIP header may stand for several of CUDA's.
    let mut ranges: BTreeMap<&str, VersionRange> = BTreeMap::new();
    for (path, to) in plan.headers.iter().filter(|(_, to)| *to != RUNTIME) {
        let mut variants = table.variants(path, true, &settings.libraries);
        let range = variants.find(|(_, name)| name == to).map(|(range, _)| range).unwrap_or_default();
        ranges.insert(to, range);
    }
    let is_device = |to: &str| FOR_HIP_COMPILERS.iter().any(|start| to.starts_with(start));
    let lines = |device: bool| -> Vec<Line> {
        let wanted = ranges.iter().filter(|(to, _)| is_device(to) == device);
        wanted.map(|(to, range)| Line { range: *range, text: format!("#include <{to}>") }).collect()
    };
    write_lines(&mut out, &lines(false));
    let device = lines(true);
    if !device.is_empty() {
        out.push_str("#if defined(__HIP__)\n");
        write_lines(&mut out, &device);
        out.push_str("#endif\n");
    }
    out + "\n"
}

/// Definitions of what HIP lacks, or computes for another number of lanes.
fn definitions(plan: &HeaderPlan) -> String {
    let names = plan.planned().filter(|(_, planned)| **planned == Planned::Definition).map(|(name, _)| name);
    let text = Intrinsics::builtin().map(|table| table.definitions(names)).unwrap_or_default();
    if text.is_empty() {
        return text;
    }
    format!("#if defined(__HIP__)\n{text}#endif\n\n")
}

fn namespaces(plan: &HeaderPlan) -> String {
    let aliases = plan.planned().filter_map(|(name, planned)| match planned {
        Planned::Namespace(to) => Some(format!("namespace {to} {{}}\nnamespace {name} = {to};\n")),
        _ => None,
    });
    let text: String = aliases.collect();
    if text.is_empty() { text } else { format!("#ifdef __cplusplus\n{text}#endif\n\n") }
}

/// The most arguments of a name that is called with several numbers of them.
fn most_arguments(plan: &HeaderPlan) -> Option<usize> {
    let counts = plan.planned().filter_map(|(_, planned)| match planned {
        Planned::Calls(calls) if calls.len() > 1 => calls.keys().next_back().copied(),
        _ => None,
    });
    counts.max()
}

/// The macro that chooses among macros by the number of arguments.
fn picks(plan: &HeaderPlan) -> String {
    let Some(most) = most_arguments(plan) else { return String::new() };
    format!(
        "// The macro for so many arguments, out of a list that begins with the one for {most}.\n\
         #define HIPSHIFT_PICK({}, form, ...) form\n\n",
        parameters(most)
    )
}

fn parameters(count: usize) -> String {
    (0..count).map(|number| format!("a{number}")).collect::<Vec<_>>().join(", ")
}

fn by_library(plan: &HeaderPlan, table: &Table, settings: &Settings) -> BTreeMap<&'static str, Vec<Line>> {
    let most = most_arguments(plan).unwrap_or_default();
    let mut sections: BTreeMap<&'static str, Vec<Line>> = BTreeMap::new();
    for (name, planned) in plan.planned() {
        let library = table.get(name).first().map_or("lanes", |entry| entry.library);
        let lines = match planned {
            Planned::Namespace(_) => continue,
            Planned::Nothing => vec![Line { range: VersionRange::default(), text: format!("#define {name}") }],
            Planned::Alias(_) => aliases(name, table, settings),
            Planned::Definition => definition(name),
            Planned::Calls(calls) => call_macros(name, calls, (settings.rocm, most)),
        };
        sections.entry(library).or_default().extend(lines);
    }
    sections
}

/// One line for each HIP name that the name has had in some release.
fn aliases(name: &str, table: &Table, settings: &Settings) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for (range, to) in table.variants(name, false, &settings.libraries) {
        let text = format!("#define {name} {to}");
        match lines.last_mut() {
            Some(last) if last.text == text && range.follows(last.range) => last.range.until = range.until,
            _ => lines.push(Line { range, text }),
        }
    }
    lines
}

fn definition(name: &str) -> Vec<Line> {
    let intrinsic = Intrinsics::builtin().ok().and_then(|table| table.get(name));
    let text = intrinsic.map(|intrinsic| format!("#define {name} {}", intrinsic.helper()));
    text.map(|text| Line { range: VersionRange::default(), text }).into_iter().collect()
}

fn call_macros(name: &str, calls: &BTreeMap<usize, CallForm>, (release, most): (RocmVersion, usize)) -> Vec<Line> {
    let define = |name: &str, count: usize, form: &CallForm| {
        let text = format!("#define {name}({}) {}", parameters(count), body(&form.template, count, release));
        Line { range: form.range, text }
    };
    if let (1, Some((count, form))) = (calls.len(), calls.first_key_value()) {
        return vec![define(name, *count, form)];
    }
    let helper = |count: usize| format!("hipshift_{name}_{count}");
    let mut lines: Vec<Line> = calls.iter().map(|(count, form)| define(&helper(*count), *count, form)).collect();
    // Where there is no form for a number, the compiler names the one that is not there.
    let forms: String = (1..=most).rev().map(|count| helper(count) + ", ").collect();
    let text = format!("#define {name}(...) HIPSHIFT_PICK(__VA_ARGS__, {forms}none)(__VA_ARGS__)");
    lines.push(Line { range: VersionRange::default(), text });
    lines
}

/// What a template makes of the parameters of a macro.
fn body(template: &[Part], count: usize, release: RocmVersion) -> String {
    let parts = expand_template(template, count, release).unwrap_or_default();
    parts.iter().fold(String::new(), |text, part| match part {
        Part::Argument(number) => format!("{text}a{number}"),
        Part::Text(new) => text + new,
        Part::Rest(_) | Part::Release => text,
    })
}
