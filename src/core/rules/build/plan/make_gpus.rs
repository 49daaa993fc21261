//! Calls of nvcc in makefiles and scripts that name no GPU: hipcc would compile for that of the machine that builds.

use std::collections::{BTreeMap, BTreeSet};

use super::change::{Change, Topic};
use super::cmake_sources::is_cuda_source;
use super::make_calls::{behind_call, command, is_call};
use super::make_names::{Names, assigned, calls_nvcc, referred};
use super::make_variables::{always, values, with_users};
use super::planner::Plan;
use super::versions::PRINTING;
use crate::build::{
    BuildKind, Function, Line, LineKind, NAMING_GPUS, Word, functions, references, speaks_of_gpus, words,
};
use crate::diagnostic::Severity;
use crate::mapping::{makes_code_object, speaks_of_rdc};
use crate::source::{Edit, TextRange, range};

/// What the variables of a file say about GPUs.
struct Variables<'p> {
    /// Those that get a value in the file, with the last one.
    assigned: BTreeMap<&'p str, &'p str>,
    /// Those that name GPUs, or refer to one that does.
    naming: BTreeSet<&'p str>,
    /// Whether other files are read, which may set variables.
    reads_others: bool,
}

/// Plans all commands of a file that compile with nvcc and name no GPU.
pub(super) fn plan(plan: &Plan<'_>, names: &Names<'_>) {
    let variables = variables(plan);
    let mut sources = "";
    let mut chosen = BTreeSet::new();
    for line in &plan.build.lines {
        match line.kind {
            LineKind::Rule { colon } => {
                let behind = plan.slice(range(colon.end().into(), line.code.end().into()));
                sources = behind.split(';').next().unwrap_or(behind);
                if sources.len() < behind.len() {
                    plan_line(plan, line, (names, &variables, sources), &mut chosen);
                }
            }
            LineKind::Recipe => plan_line(plan, line, (names, &variables, sources), &mut chosen),
            _ => {}
        }
    }
    for line in &plan.build.lines {
        let Some(name) = assigned(plan, line).filter(|name| chosen.contains(name)) else { continue };
        let found = words(plan.text, line.code);
        let is_compiler = |word: &&Word| {
            let text = plan.slice(word.range);
            calls_nvcc(text, names) && referred(text) != Some(name)
        };
        if let Some(call) = found.iter().find(is_compiler).filter(|_| !names_gpu(plan.slice(line.code))) {
            plan_call(plan, *call, (line.code, &variables));
        }
    }
}

/// Plans the commands of a line. Variables that another branch sets to another compiler are collected in `chosen`.
fn plan_line<'p>(
    plan: &Plan<'p>,
    line: &Line,
    (names, variables, sources): (&Names<'_>, &Variables<'_>, &str),
    chosen: &mut BTreeSet<&'p str>,
) {
    let found = words(plan.text, line.code);
    if names.device_links.contains(&line.code.start()) {
        return;
    }
    for call in found.iter().filter(|word| is_call(plan, line, **word, names)) {
        let command = command(plan, line, *call);
        let own: Vec<&str> = within(&found, command).iter().map(|word| plan.slice(word.range)).collect();
        if !compiles(&own, (sources, &variables.assigned)) || names_gpu(plan.slice(command)) {
            continue;
        }
        match referred(plan.slice(call.range)) {
            Some(name) if names.others.contains(&name) && names.compilers.contains(&name) => {
                chosen.insert(name);
            }
            _ => plan_call(plan, *call, (command, variables)),
        }
    }
}

/// The words of a command.
fn within(found: &[Word], command: TextRange) -> &[Word] {
    let first = found.partition_point(|word| word.range.start() < command.start());
    let end = found.partition_point(|word| word.range.end() <= command.end());
    found.get(first..end).unwrap_or_default()
}

fn plan_call(plan: &Plan<'_>, call: Word, (command, variables): (TextRange, &Variables<'_>)) {
    // What leads to folders holds no options.
    let found = words(plan.text, command);
    let texts = found.iter().map(|word| plan.slice(word.range)).filter(|text| !leads_to_folder(text));
    let used: Vec<&str> = texts.flat_map(references).collect();
    if used.iter().any(|name| variables.naming.contains(name)) {
        return;
    }
    let is_elsewhere = |name: &&&str| {
        let is_known = plan.builds.plain_variables.contains(**name) && !plan.builds.gpu_variables.contains(**name);
        holds_options(name) && !is_known && !variables.assigned.contains_key(**name)
    };
    if let Some(name) = used.iter().find(is_elsewhere).filter(|_| variables.reads_others) {
        if plan.builds.gpu_variables.contains(*name) && !plan.builds.plain_variables.contains(*name) {
            return;
        }
        let message = format!("the command names no GPU, unless `{name}` does, which another file sets");
        let change = Change::new(Topic::Option, plan.place(name), message, Vec::new());
        let note = "without `--offload-arch` hipcc compiles for the GPU of the machine that builds".to_owned();
        return plan.add(Change { severity: Some(Severity::Info), ..change.with_note(Some(note)) });
    }
    let targets = format!(" {}", plan.device_options());
    let message = "hipcc compiles for the GPU of the machine that builds, unless it is told another";
    let edit = behind_call(plan, call).map(|place| Edit::insert(place, targets));
    let severity = edit.is_none().then_some(Severity::Info);
    let change = Change::new(Topic::Option, call.range, message, edit.into_iter().collect());
    plan.add(Change { severity, ..change });
}

/// Whether a word is an option with a folder.
fn leads_to_folder(word: &str) -> bool {
    ["-I", "-L", "-isystem"].iter().any(|option| word.starts_with(option))
}

/// What every variable of the file says about GPUs.
fn variables<'p>(plan: &Plan<'p>) -> Variables<'p> {
    let mut assigned = BTreeMap::new();
    for line in &plan.build.lines {
        assigned.extend(values(plan, line));
    }
    // What only one branch names may be missing.
    let naming = with_users(plan, always(plan, names_gpu).into_iter().collect());
    let reads_others = plan.build.lines.iter().any(|line| reads_other(plan, line));
    Variables { assigned, naming, reads_others }
}

/// Whether a line has another file read.
fn reads_other(plan: &Plan<'_>, line: &Line) -> bool {
    let code = plan.slice(line.code);
    let starts = |words: &[&str]| words.iter().any(|word| code.starts_with(word));
    match plan.build.kind {
        BuildKind::Shell => starts(&[". ", "source "]),
        _ => line.kind == LineKind::Directive && starts(&["include ", "-include ", "sinclude "]),
    }
}

/// Whether a text names GPUs for a compiler, whatever conditions within it turn out to be.
fn names_gpu(text: &str) -> bool {
    let mut places = NAMING_GPUS.iter().flat_map(|option| text.match_indices(option).map(|(at, _)| at)).peekable();
    if places.peek().is_none() {
        return false;
    }
    let is_condition = |function: &Function| matches!(&text[function.name], "if" | "or" | "and");
    let conditions: Vec<Function> = functions(text, range(0, text.len())).into_iter().filter(is_condition).collect();
    places.any(|at| {
        let mut around = conditions.iter().filter(|function| function.range.contains_range(range(at, at + 1)));
        around.all(|function| always_names(text, function))
    })
}

/// Whether a condition names GPUs in each of its branches.
fn always_names(text: &str, condition: &Function) -> bool {
    let names = |part: &TextRange| speaks_of_gpus(&text[*part]);
    match (&text[condition.name], condition.arguments.as_slice()) {
        ("if", [_, then, otherwise]) => names(then) && names(otherwise),
        ("or", [.., last]) => names(last),
        _ => false,
    }
}

/// Whether a variable is called as those with options are.
fn holds_options(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    ["FLAG", "ARCH", "GENCODE", "OPT", "NVCC", "CUDA"].iter().any(|part| name.contains(part)) && name != "NVCC"
}

/// Options with which nvcc makes no code of GPUs, or none that hipcc makes so.
const WITHOUT_CODE: &[&str] = &["-E", "-M", "-MM", "--help", "-h", "--dryrun"];
/// Options with which it puts objects into a library, and compiles none but sources.
const ARCHIVING: &[&str] = &["-lib", "--lib"];
/// Endings of objects and of libraries of them.
const OBJECTS: &[&str] = &[".o", ".a"];
/// Endings of sources.
const SOURCES: &[&str] = &[".cu", ".cpp", ".cc", ".cxx", ".c", ".hip"];

/// Whether a command with these words makes code of GPUs, in a rule with these prerequisites.
fn compiles(own: &[&str], (prerequisites, values): (&str, &BTreeMap<&str, &str>)) -> bool {
    let has = |options: &[&str]| own.iter().any(|word| options.contains(word));
    if has(WITHOUT_CODE) || has(PRINTING) || has(ARCHIVING) && !own.iter().any(|word| is_cuda_source(word)) {
        return false;
    }
    // `{}` stands for what `find`, `xargs` and `parallel` put there.
    let names_source = |word: &str| SOURCES.iter().any(|ending| word.ends_with(ending));
    let value = |word: &str| referred(word).and_then(|name| values.get(name)).unwrap_or(&"").to_owned();
    let is_source =
        |word: &str| names_source(word) || word.starts_with('{') || value(word).split_whitespace().any(names_source);
    let links_device_code = own.iter().any(|word| speaks_of_rdc(word));
    if links_device_code
        || has(&["-c", "-dc", "--device-c", "-dlink", "--device-link", "-x"])
        || own.iter().any(|word| is_source(word))
    {
        return true;
    }
    let is_object = |word: &str| {
        let is_listed = word.to_ascii_uppercase().contains("OBJ") || value(word).contains(".o");
        is_listed || OBJECTS.iter().any(|ending| word.ends_with(ending))
    };
    let all = || prerequisites.split_whitespace().chain(own.iter().copied());
    let is_product = own.iter().any(|word| makes_code_object(word));
    let links = !is_product && all().any(is_object) && !all().any(is_source);
    !links && has(&["-o"])
}
