//! What variables of makefiles and scripts hold, and which commands use them.

use std::collections::{BTreeMap, BTreeSet};

use super::change::{Change, Topic};
use super::folders::{FolderNames, Reference, folder_edits};
use super::make_line::{PLATFORM, is_for_nvcc_alone};
use super::make_names::{Names, assigned, calls_nvcc, is_nvcc, referred};
use super::planner::Plan;
use crate::build::{BuildKind, Line, LineKind, Word, functions, references, users, words};
use crate::mapping::nvcc_option;
use crate::source::{Edit, TextRange, range};

/// The variables that a line gives a value, with these: by itself, or by `$(eval NAME += …)`.
pub(super) fn values<'p>(plan: &Plan<'p>, line: &Line) -> Vec<(&'p str, &'p str)> {
    let code = plan.slice(line.code);
    let evaluated = |part: &'p str| {
        let name = part.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next()?;
        part[name.len()..].contains('=').then_some((name, part))
    };
    let named = assigned(plan, line).map(|name| (name, code));
    named.into_iter().chain(code.split("$(eval ").skip(1).filter_map(evaluated)).collect()
}

/// These variables, and those that refer to one of them, by themselves or by way of others.
pub(super) fn with_users<'p>(plan: &Plan<'p>, open: Vec<&'p str>) -> BTreeSet<&'p str> {
    users(plan.build.lines.iter().flat_map(|line| values(plan, line)), open)
}

/// The variables that only commands with nvcc use, by themselves or by way of other variables.
pub(super) fn flags_of_nvcc<'p>(plan: &Plan<'p>, names: &Names<'p>) -> BTreeSet<&'p str> {
    let mut held: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let (mut by_nvcc, mut by_others) = (BTreeSet::new(), BTreeSet::new());
    let callers = callers_of_nvcc(plan, names);
    for line in &plan.build.lines {
        let code = plan.slice(line.code);
        let given = values(plan, line);
        for (name, value) in &given {
            held.entry(name).or_default().extend(references(value));
        }
        let found = words(plan.text, line.code);
        let calls = found.iter().any(|word| calls_nvcc(plan.slice(word.range), names)) || calls_one_of(code, &callers);
        let is_compiler = |word: &Word| {
            let word = plan.slice(word.range);
            // `$(CXX)`, which the file sets to nvcc and to nothing else.
            let is_nvcc = referred(word).is_some_and(|name| is_only_nvcc(names, name));
            is_other_compiler(word) && !is_nvcc
        };
        if calls {
            by_nvcc.extend(references(code));
        }
        let is_command = matches!(line.kind, LineKind::Recipe | LineKind::Rule { .. }) && given.is_empty();
        if calls && found.iter().any(is_compiler) || !calls && is_command && !is_harmless(code) {
            by_others.extend(references(code));
        }
    }
    let by_rules = BY_RULES.iter().filter(|(compiler, _)| is_only_nvcc(names, compiler));
    by_nvcc.extend(by_rules.map(|(_, flags)| *flags));
    let reached = |from: BTreeSet<&'p str>| {
        let (mut open, mut all): (Vec<&str>, _) = (from.into_iter().collect(), BTreeSet::new());
        while let Some(name) = open.pop() {
            if all.insert(name) {
                open.extend(held.get(name).into_iter().flatten());
            }
        }
        all
    };
    &reached(by_nvcc) - &reached(by_others)
}

/// What make's own rules give to which compiler (GNU make manual, "Catalogue of Built-In Rules").
const BY_RULES: &[(&str, &str)] = &[("CC", "CFLAGS"), ("CXX", "CXXFLAGS")];

/// Whether a variable of the file holds nvcc and nothing else.
fn is_only_nvcc(names: &Names<'_>, name: &str) -> bool {
    names.compilers.contains(&name) && !names.others.contains(&name)
}

/// The variables with a command that calls nvcc, for `$(call …)`: by a value, or between `define` and `endef`.
fn callers_of_nvcc<'p>(plan: &Plan<'p>, names: &Names<'p>) -> BTreeSet<&'p str> {
    let (mut callers, mut defined) = (BTreeSet::new(), None);
    for line in &plan.build.lines {
        let code = plan.slice(line.code);
        if line.kind == LineKind::Directive {
            let mut parts = code.split_whitespace();
            match parts.next() {
                Some("define") => defined = parts.next(),
                Some("endef") => defined = None,
                _ => {}
            }
            continue;
        }
        let Some(name) = defined.or_else(|| assigned(plan, line)) else { continue };
        if words(plan.text, line.code).iter().any(|word| calls_nvcc(plan.slice(word.range), names)) {
            callers.insert(name);
        }
    }
    callers
}

/// Whether a text has `$(call …)` of one of these variables.
fn calls_one_of(code: &str, callers: &BTreeSet<&str>) -> bool {
    let calls = ["$(call ", "${call "].iter().flat_map(|call| code.split(call).skip(1));
    calls.filter_map(|rest| rest.split([',', ')', '}']).next()).any(|name| callers.contains(name.trim()))
}

/// Variables that stand in front of commands, and say whether make shows or runs them.
const FRONTS: &[&str] = &["EXEC", "Q", "V", "AT", "ECHO", "SILENT", "QUIET"];

/// Variables from other files that call nvcc: what compiles `.cu`, or gets options that only nvcc has.
pub(super) fn unseen_compilers<'p>(plan: &Plan<'p>, names: &Names<'p>) -> BTreeSet<&'p str> {
    let (mut sources, mut found) = ("", BTreeSet::new());
    for line in &plan.build.lines {
        if let LineKind::Rule { colon } = line.kind {
            sources = plan.slice(range(colon.end().into(), line.code.end().into()));
        }
        if line.kind != LineKind::Recipe {
            continue;
        }
        let words = words(plan.text, line.code);
        let texts: Vec<&str> = words.iter().map(|word| plan.slice(word.range)).collect();
        let is_front = |text: &&str| referred(text).is_some_and(|name| FRONTS.contains(&name));
        let front = texts.iter().take_while(|text| is_front(text)).count();
        let Some((first, rest)) = texts[front..].split_first() else { continue };
        let is_cuda = |text: &str| text.rsplit_once('.').is_some_and(|(_, ending)| ending == "cu");
        let is_own = |text: &&str| nvcc_option(text, None).is_some_and(|found| found.row.own);
        let compiles = rest.iter().any(|text| matches!(*text, "-c" | "-o" | "-dc" | "-dlink"));
        let is_meant = sources.split_whitespace().any(is_cuda) || rest.iter().any(|text| is_cuda(text) || is_own(text));
        let name = referred(first).filter(|name| {
            let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            is_name && !is_other_compiler(first) && !names.others.contains(name) && !name.ends_with("CXX")
        });
        found.extend(name.filter(|_| plan.build.kind == BuildKind::Make && compiles && is_meant));
    }
    found
}

/// Whether a word calls a compiler or linker that is not nvcc.
fn is_other_compiler(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word).trim_start_matches(['@', '-', '+', '$', '(', '{']);
    let name = name.trim_end_matches([')', '}']);
    let known = ["gcc", "g++", "cc", "c++", "clang", "clang++", "ld", "ar", "icc", "icpc", "mpicc", "mpicxx", "mpic++"];
    let variables = ["AR", "CC", "CXX", "CPP", "LD", "LINK", "LINKER", "MPICC", "MPICXX", "GCC", "GXX"];
    known.contains(&name) || word.contains('$') && variables.contains(&name)
}

/// Whether a command hands no options to a compiler.
fn is_harmless(code: &str) -> bool {
    let first = code.trim_start_matches(['@', '-', '+']).split_whitespace().next().unwrap_or_default();
    let known = ["echo", "printf", "rm", "mkdir", "cp", "mv", "cd", "export", "set", "$(RM)", "$(MKDIR)", "$(ECHO)"];
    known.contains(&first)
}

/// The variables that hold the folder of CUDA's headers, alone or among others, and no option.
pub(super) fn include_folders<'p>(plan: &Plan<'p>, names: &Names<'p>) -> BTreeSet<&'p str> {
    // `$(dir $(shell which $(NVCC)))../include`
    let is_beside_nvcc = |path: &str| {
        let parts = path.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '{' | '}' | '`' | '"' | '/'));
        let calls_nvcc = parts.into_iter().any(|part| is_nvcc(part) || names.compilers.contains(&part));
        calls_nvcc && path.contains("which") && path.trim_end().trim_end_matches('/').ends_with("/include")
    };
    let all = FolderNames::default();
    let is_folder = |word: &Word| {
        let path = plan.slice(word.range).trim_end_matches('/');
        let leads = || !folder_edits(plan.text, word.range, (Some(Reference::Variable), &all)).is_empty();
        path.ends_with("/include") && !path.starts_with('-') && (names.folders.are_headers(path) || leads())
    };
    let holds = |line: &&Line| {
        let code = plan.slice(line.code);
        words(plan.text, line.code).iter().any(is_folder) || !code.contains(" -I") && is_beside_nvcc(code)
    };
    plan.build.lines.iter().filter(holds).filter_map(|line| assigned(plan, line)).collect()
}

/// Other compilers than hipcc have to be told which of HIP's platforms is meant, where folders become options for them.
pub(super) fn plan_include_options(plan: &Plan<'_>, line: &Line, names: &Names<'_>) {
    if names.includes.is_empty() || is_for_nvcc_alone(plan, line, &words(plan.text, line.code), names) {
        return;
    }
    for whole in include_options(plan, line, &names.includes) {
        let edit = Edit::insert(whole.end(), PLATFORM);
        plan.add(Change::new(Topic::Library, whole, "HIP's headers ask for the platform", vec![edit]));
    }
}

/// Where a line makes options of the folders that a variable holds, `$(addprefix -I,$(DIRS))` or `$(DIRS:%=-I%)`.
fn include_options(plan: &Plan<'_>, line: &Line, folders: &BTreeSet<&str>) -> Vec<TextRange> {
    let made = made_options(plan, line, "-I").into_iter();
    made.filter(|(name, _)| folders.contains(name)).map(|(_, whole)| whole).collect()
}

/// The variables that hold names of libraries, `$(addprefix -l,$(LIBS))`, `$(LIBS:%=-l%)` or `-l$(LIB)`.
pub(super) fn library_lists<'p>(plan: &Plan<'p>) -> BTreeSet<&'p str> {
    plan.build.lines.iter().flat_map(|line| linked_names(plan, line)).map(|(name, _)| name).collect()
}

/// The variables with names of libraries that a line links.
fn linked_names<'p>(plan: &Plan<'p>, line: &Line) -> Vec<(&'p str, TextRange)> {
    let mut found = made_options(plan, line, "-l");
    let direct = |name: &'p str| {
        let place = plan.place(name);
        let before = plan.text[..place.start().into()].strip_suffix(['(', '{'])?.strip_suffix("-l$")?;
        let starts = before.is_empty() || before.ends_with([' ', '\t', '\n', '=', '"']);
        let ends = plan.text[usize::from(place.end())..].starts_with([')', '}']);
        (starts && ends).then_some((name, range(before.len(), usize::from(place.end()) + 1)))
    };
    let code = plan.slice(line.code);
    if code.contains("-l$") {
        found.extend(references(code).into_iter().filter_map(direct));
    }
    found
}

/// The variables of whose words a line makes options that begin so, and the functions or references that do it.
fn made_options<'p>(plan: &Plan<'p>, line: &Line, option: &str) -> Vec<(&'p str, TextRange)> {
    let code = plan.slice(line.code);
    if !code.contains(option) {
        return Vec::new();
    }
    let functions = functions(plan.text, line.code);
    let whole = |name: &'p str| {
        let place = plan.place(name);
        let outer = functions.iter().map(|function| function.range).filter(|range| range.contains_range(place));
        let outer = outer.max_by_key(|range| range.len());
        let reference = || {
            let len = plan.text[usize::from(place.end())..].find([')', '}'])? + 1;
            Some(range(place.start().into(), usize::from(place.end()) + len))
        };
        let whole = outer.or_else(reference)?;
        (line.code.contains_range(whole) && puts_in_front(plan.slice(whole), option)).then_some((name, whole))
    };
    references(code).into_iter().filter_map(whole).collect()
}

/// Whether a call or a reference puts an option in front of other words: `$(addprefix -l,…)`, `$(X:%=-l%)`,
/// `$(foreach x,$(X),-l$(x))`; not `ls -l $(X)` or `obj-lib/$(x)`.
fn puts_in_front(text: &str, option: &str) -> bool {
    text.match_indices(option).any(|(at, _)| {
        let behind = &text[at + option.len()..];
        text[..at].ends_with([',', '=', ' ', '\t', '"']) && behind.starts_with(['%', ',', '$'])
    })
}

/// The variables with names of libraries that something else uses, too.
pub(super) fn shared_lists<'p>(plan: &Plan<'p>, lists: &BTreeSet<&'p str>) -> BTreeSet<&'p str> {
    let mut shared = BTreeSet::new();
    for line in plan.build.lines.iter().filter(|_| !lists.is_empty()) {
        let made = linked_names(plan, line);
        for name in references(plan.slice(line.code)).into_iter().filter(|name| lists.contains(name)) {
            let place = plan.place(name);
            if !made.iter().any(|(_, whole)| whole.contains_range(place)) {
                shared.insert(name);
            }
        }
    }
    shared
}

/// Branches that exclude each other, while they are read.
#[derive(Default)]
struct Branches<'p> {
    /// What all branches before this one name; nothing in the first one.
    before: Option<BTreeSet<&'p str>>,
    /// What this one names.
    here: BTreeSet<&'p str>,
    /// Whether one of the branches is always taken.
    is_whole: bool,
    /// The condition of the first one.
    condition: &'p str,
}

impl<'p> Branches<'p> {
    fn next(&mut self) {
        let here = std::mem::take(&mut self.here);
        self.before = Some(self.before.take().map_or_else(|| here.clone(), |before| &before & &here));
    }
}

/// The variables with a value that `holds`, whatever branches of conditions are taken.
pub(super) fn always<'p>(plan: &Plan<'p>, holds: impl Fn(&str) -> bool) -> BTreeSet<&'p str> {
    let mut open = vec![Branches::default()];
    for line in &plan.build.lines {
        let code = plan.slice(line.code);
        match step(plan, line) {
            Step::Opens => open.push(Branches { condition: code, ..Branches::default() }),
            Step::Goes { is_last } => {
                if let Some(branches) = open.last_mut() {
                    branches.next();
                    branches.is_whole |= is_last;
                }
            }
            Step::Closes if open.len() > 1 => {
                let Some(mut branches) = open.pop() else { continue };
                branches.next();
                let found = branches.before.unwrap_or_default();
                if let Some(outer) = open.last_mut().filter(|_| branches.is_whole) {
                    outer.here.extend(found);
                }
            }
            _ => {
                // What some targets get, others have not.
                let all = !matches!(line.kind, LineKind::Rule { .. });
                for (name, _) in values(plan, line).into_iter().filter(|(_, value)| all && holds(value)) {
                    // `ifndef X` around a value for `X` leaves none without one.
                    let is_default = |branches: &Branches<'_>| is_absent(branches.condition, name);
                    let depth = open.iter().skip(1).take_while(|branches| is_default(branches)).count();
                    let depth = if depth + 1 == open.len() { 0 } else { open.len() - 1 };
                    if let Some(branches) = open.get_mut(depth) {
                        branches.here.insert(name);
                    }
                }
            }
        }
    }
    open.into_iter().next().unwrap_or_default().here
}

/// What a line does to branches.
enum Step {
    Opens,
    Goes { is_last: bool },
    Closes,
    Nothing,
}

fn step(plan: &Plan<'_>, line: &Line) -> Step {
    let code = plan.slice(line.code);
    let first = code.split(|c: char| c.is_whitespace() || c == ';').next().unwrap_or_default();
    if plan.build.kind == BuildKind::Shell {
        let ends_here = |end: &str| code.split([' ', ';', '\t']).any(|word| word == end);
        return match first {
            "if" if !ends_here("fi") => Step::Opens,
            "case" if !ends_here("esac") => Step::Opens,
            "elif" => Step::Goes { is_last: false },
            "else" => Step::Goes { is_last: true },
            "fi" | "esac" => Step::Closes,
            _ => Step::Nothing,
        };
    }
    match first {
        _ if line.kind != LineKind::Directive => Step::Nothing,
        "ifeq" | "ifneq" | "ifdef" | "ifndef" => Step::Opens,
        "else" => Step::Goes { is_last: code.trim() == "else" },
        "endif" => Step::Closes,
        _ => Step::Nothing,
    }
}

/// Whether a condition of make asks that a variable has no value.
fn is_absent(condition: &str, name: &str) -> bool {
    let rest = condition.strip_prefix("ifndef").map(str::trim);
    let text: String = condition.split_whitespace().collect();
    rest == Some(name)
        || text.starts_with("ifeq(") && text.contains(&format!("$({name})")) && {
            let sides = text.trim_start_matches("ifeq(");
            sides.starts_with(',') || sides.ends_with(",)")
        }
}
