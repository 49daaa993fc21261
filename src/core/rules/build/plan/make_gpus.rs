//! Calls of nvcc in makefiles and scripts that name no GPU: hipcc would compile for that of the machine that builds.

use std::collections::{BTreeMap, BTreeSet};

use super::change::{Change, Topic};
use super::make_line::{Names, behind_call, calls_nvcc, referred};
use super::make_variables::{always, values, with_users};
use super::planner::Plan;
use super::versions::PRINTING;
use crate::build::{BuildKind, Function, Line, LineKind, Word, functions, references, words};
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
    for line in &plan.build.lines {
        match line.kind {
            LineKind::Rule { colon } => {
                let behind = plan.slice(range(colon.end().into(), line.code.end().into()));
                sources = behind.split(';').next().unwrap_or(behind);
                if sources.len() < behind.len() {
                    plan_line(plan, line, (names, &variables, sources));
                }
            }
            LineKind::Recipe => plan_line(plan, line, (names, &variables, sources)),
            _ => {}
        }
    }
}

fn plan_line(plan: &Plan<'_>, line: &Line, (names, variables, sources): (&Names<'_>, &Variables<'_>, &str)) {
    let found = words(plan.text, line.code);
    if names.device_links.contains(&line.code.start()) {
        return;
    }
    for call in found.iter().filter(|word| is_call(plan, line, **word, names)) {
        let command = command(plan, line, *call);
        let own: Vec<&str> = within(&found, command).iter().map(|word| plan.slice(word.range)).collect();
        if compiles(&own, (sources, &variables.assigned)) && !names_gpu(plan.slice(command)) {
            plan_call(plan, *call, (command, variables));
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
    let used = references(plan.slice(command));
    if used.iter().any(|name| variables.naming.contains(name)) {
        return;
    }
    let is_elsewhere = |name: &&&str| holds_options(name) && !variables.assigned.contains_key(**name);
    if let Some(name) = used.iter().find(is_elsewhere).filter(|_| variables.reads_others) {
        let message = format!("the command names no GPU, unless `{name}` does, which another file sets");
        let change = Change::new(Topic::Option, plan.place(name), message, Vec::new());
        let note = "without `--offload-arch` hipcc compiles for the GPU of the machine that builds".to_owned();
        return plan.add(Change { severity: Some(Severity::Info), ..change.with_note(Some(note)) });
    }
    let targets: String = plan.targets().flat_map(|target| [" --offload-arch=", target]).collect();
    let message = "hipcc compiles for the GPU of the machine that builds, unless it is told another";
    let edit = behind_call(plan, call).map(|place| Edit::insert(place, targets));
    let severity = edit.is_none().then_some(Severity::Info);
    let change = Change::new(Topic::Option, call.range, message, edit.into_iter().collect());
    plan.add(Change { severity, ..change });
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

/// Options that name GPUs, without their first dash.
const NAMING: &[&str] = &["-arch", "-gencode", "-gpu-architecture", "-generate-code", "-gpu-code"];

/// Whether a text names GPUs for a compiler, whatever conditions within it turn out to be.
fn names_gpu(text: &str) -> bool {
    let mut places = NAMING.iter().flat_map(|option| text.match_indices(option).map(|(at, _)| at)).peekable();
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
    let names = |part: &TextRange| NAMING.iter().any(|option| text[*part].contains(option));
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

/// Words in front of a command that are none of its own: of a shell, and programs that run another one.
const BEFORE: &[&str] = &[
    "if", "elif", "while", "until", "then", "do", "else", "exec", "time", "nice", "sudo", "ccache", "env", "!",
    "xargs", "parallel", "nohup", "command", "timeout", "stdbuf", "srun", "sh", "bash",
];

/// Behind these words of `find` stands a command.
const EXECUTING: &[&str] = &["-exec", "-execdir", "-ok", "-okdir"];

/// Whether a word of a command line calls nvcc, and is no argument of something else.
fn is_call(plan: &Plan<'_>, line: &Line, word: Word, names: &Names<'_>) -> bool {
    if !calls_nvcc(plan.slice(word.range), names) || names.is_other(plan.slice(word.range)) {
        return false;
    }
    let mut front = plan.slice(range(line.code.start().into(), word.range.start().into()));
    loop {
        front = front.trim_end_matches(['"', '\'', ' ', '\t', '@', '-', '+', '\\', '\n', '\r']);
        front = without_reference(front);
        let last = front.rsplit([' ', '\t', ';', '(', '&', '|']).next().unwrap_or_default();
        let is_setting = last.split_once('=').is_some_and(|(name, _)| !name.is_empty() && !name.starts_with('-'));
        if front.is_empty() || front.ends_with([';', '|', '&', '(', '`', '{']) {
            return true;
        }
        // `$(foreach f,$(FILES),nvcc …;)`
        let is_argument = front.ends_with(',') && ["$(foreach ", "$(if "].iter().any(|start| front.contains(start));
        if EXECUTING.contains(&last) || is_argument && plan.build.kind == BuildKind::Make {
            return true;
        }
        // `sudo -E nvcc …`, `xargs -n 1 -I {} nvcc …`
        let is_value = last.starts_with(['-', '{']) || last.starts_with(|c: char| c.is_ascii_digit());
        if !is_setting && !is_value && !BEFORE.contains(&last) {
            return false;
        }
        front = &front[..front.len() - last.len()];
    }
}

/// The text without a variable at its end, which may hold what starts a command: `$(EXEC) $(NVCC) …`.
fn without_reference(front: &str) -> &str {
    let start = front.rfind("$(").or_else(|| front.rfind("${")).filter(|_| front.ends_with([')', '}']));
    let is_name = |start: &usize| {
        front[start + 2..front.len() - 1].bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    start.filter(is_name).map_or(front, |start| front[..start].trim_end_matches([' ', '\t', '@', '-', '+']))
}

/// From the name of a program to the end of its command.
fn command(plan: &Plan<'_>, line: &Line, call: Word) -> TextRange {
    let rest = plan.slice(range(call.range.start().into(), line.code.end().into()));
    let len = rest.find([';', '|', '&', '`']).unwrap_or(rest.len());
    range(call.range.start().into(), usize::from(call.range.start()) + len)
}

/// Options with which nvcc makes no code of GPUs, or none that hipcc makes so.
const WITHOUT_CODE: &[&str] = &["-E", "-M", "-MM", "-lib", "--help", "-h", "--dryrun"];
/// Endings of objects and of libraries of them.
const OBJECTS: &[&str] = &[".o", ".a"];
/// Endings of sources.
const SOURCES: &[&str] = &[".cu", ".cpp", ".cc", ".cxx", ".c", ".hip"];

/// Whether a command with these words makes code of GPUs, in a rule with these prerequisites.
fn compiles(own: &[&str], (prerequisites, values): (&str, &BTreeMap<&str, &str>)) -> bool {
    let has = |options: &[&str]| own.iter().any(|word| options.contains(word));
    if has(WITHOUT_CODE) || has(PRINTING) {
        return false;
    }
    // `{}` stands for what `find`, `xargs` and `parallel` put there.
    let is_source = |word: &str| SOURCES.iter().any(|ending| word.ends_with(ending)) || word.starts_with('{');
    let links_device_code = own.iter().any(|word| speaks_of_rdc(word));
    if links_device_code
        || has(&["-c", "-dc", "--device-c", "-dlink", "--device-link", "-x"])
        || own.iter().any(|word| is_source(word))
    {
        return true;
    }
    let is_object = |word: &str| {
        let value = referred(word).and_then(|name| values.get(name)).unwrap_or(&"");
        let is_listed = word.to_ascii_uppercase().contains("OBJ") || value.contains(".o");
        is_listed || OBJECTS.iter().any(|ending| word.ends_with(ending))
    };
    let all = || prerequisites.split_whitespace().chain(own.iter().copied());
    let is_product = own.iter().any(|word| makes_code_object(word));
    let links = !is_product && all().any(is_object) && !all().any(is_source);
    !links && has(&["-o"])
}
