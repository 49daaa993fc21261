//! Build files that are not read further: what is said about one that speaks of CUDA.

use std::collections::BTreeSet;

use super::change::{Change, Topic};
use super::options::{OptionContext, plan_options};
use super::planner::Plan;
use super::speaking::speaking;
use super::style::LineStyle;
use crate::build::{BuildKind, COMPILING_NAMES, Line, Word, words};
use crate::diagnostic::Severity;
use crate::source::{TextRange, range};

/// Tells options without counterpart one by one, and of all else that the file speaks of CUDA.
pub(super) fn plan(plan: &Plan<'_>) {
    // What could be read, and stays for CUDA, has options for nvcc.
    for line in plan.build.lines.iter().filter(|_| !plan.build.kind.is_read()) {
        let found = words(plan.text, line.code);
        let context = OptionContext { for_nvcc: false, targets: None, style: &LineStyle };
        plan_unsupported(plan, &found, context);
    }
    let kind = plan.build.kind;
    let places = if kind == BuildKind::Script { compiling(plan) } else { spoken(plan) };
    let Some(first) = places.first() else { return plan_written(plan) };
    let what = match kind {
        BuildKind::Script => format!("`{}` compiles CUDA while the program runs", plan.slice(*first)),
        _ => format!("a build file of {} that speaks of CUDA is not converted", kind.as_str()),
    };
    let change = Change::left(*first, format!("{what}{}", lines(plan, &places)), advice(kind));
    plan.add(Change { severity: severity(plan, kind, *first), ..change });
}

/// Options without counterpart are told one by one; nothing is changed.
fn plan_unsupported(plan: &Plan<'_>, found: &[Word], context: OptionContext<'_>) {
    let scratch = plan.alike();
    plan_options(&scratch, found, context);
    for change in scratch.into_changes().into_iter().filter(|change| change.topic == Topic::Unsupported) {
        plan.add(Change { edits: Vec::new(), ..change });
    }
}

/// Fields whose value is for people.
const PROSE: &[&str] = &["description", "summary", "keywords", "name", "title", "- name"];

/// The words of CUDA's that are not for people.
fn spoken(plan: &Plan<'_>) -> Vec<TextRange> {
    let tells = [BuildKind::Package, BuildKind::PkgConfig, BuildKind::Workflow].contains(&plan.build.kind);
    let (mut start, mut at) = (0, 0);
    let mut is_prose = |place: &TextRange| {
        let here = usize::from(place.start());
        start = plan.text[at..here].rfind('\n').map_or(start, |end| at + end + 1);
        at = here;
        let field = plan.text[start..here].split([':', '=']).next().unwrap_or_default();
        tells && PROSE.contains(&field.trim().to_ascii_lowercase().as_str())
    };
    speaking(plan, range(0, plan.text.len())).into_iter().filter(|place| !is_prose(place)).collect()
}

/// Where Python names what compiles CUDA, outside of comments.
fn compiling(plan: &Plan<'_>) -> Vec<TextRange> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut found = Vec::new();
    for line in &plan.build.lines {
        let code = plan.slice(line.code);
        for word in code.split(|c: char| !is_name(c)).filter(|word| COMPILING_NAMES.contains(word)) {
            found.push(plan.place(word));
        }
    }
    found
}

/// Words of device code and of launches, which a script has in the text that it writes.
const WRITTEN: &[&[&str]] = &[&["__global__"], &["__device__"], &["<<<", ">>>"]];

/// Tells a script that writes CUDA for the build to compile.
fn plan_written(plan: &Plan<'_>) {
    if plan.build.kind != BuildKind::Script {
        return;
    }
    let has_all = |line: &Line, words: &[&str]| words.iter().all(|word| plan.slice(line.code).contains(word));
    let holds = |line: &&Line| WRITTEN.iter().any(|words| has_all(line, words));
    let places: Vec<TextRange> = plan.build.lines.iter().filter(holds).map(|line| line.code).collect();
    let Some(first) = places.first() else { return };
    let message = format!("the script writes CUDA, which is not converted{}", lines(plan, &places));
    let advice = "let it write HIP, or run it before `hipshift convert`, and keep what it wrote with the project";
    plan.add(Change { severity: Some(Severity::Error), ..Change::left(*first, message, advice) });
}

/// How many lines a message lists.
const LISTED: usize = 8;

/// The lines of some places, where there are several.
fn lines(plan: &Plan<'_>, places: &[TextRange]) -> String {
    let (mut number, mut at) = (1, 0);
    let mut numbers = BTreeSet::new();
    for place in places {
        let start = usize::from(place.start());
        number += plan.text[at..start].matches('\n').count();
        at = start;
        numbers.insert(number);
    }
    let listed: Vec<String> = numbers.iter().take(LISTED).map(usize::to_string).collect();
    match numbers.len() {
        0 | 1 => String::new(),
        count if count > LISTED => format!("; lines {} and {} more", listed.join(", "), count - LISTED),
        _ => format!("; lines {}", listed.join(", ")),
    }
}

/// Files that only describe where a project is built, and what PyTorch for ROCm converts itself, are worth a look.
fn severity(plan: &Plan<'_>, kind: BuildKind, first: TextRange) -> Option<Severity> {
    let is_torch = kind == BuildKind::Script && !plan.slice(first).contains("Kernel") && plan.text.contains("torch");
    let is_look = matches!(kind, BuildKind::Package | BuildKind::Container | BuildKind::Workflow);
    (is_look || is_torch).then_some(Severity::Info)
}

/// What a person can do.
fn advice(kind: BuildKind) -> &'static str {
    match kind {
        BuildKind::Python => {
            "PyTorch for ROCm converts the sources of a `CUDAExtension` itself; other extensions have to name hipcc, HIP's libraries and its options"
        }
        BuildKind::Script => {
            "PyTorch for ROCm converts the sources that it compiles; source code in strings has to be HIP, for HIP RTC or CuPy for ROCm"
        }
        BuildKind::Package => "name packages for ROCm in place of those for CUDA",
        BuildKind::Container | BuildKind::Workflow => "begin with an image of ROCm, such as `rocm/dev-ubuntu-24.04`",
        BuildKind::Presets => "`CMAKE_HIP_ARCHITECTURES` and `CMAKE_HIP_COMPILER` take the place of CUDA's variables",
        BuildKind::Make | BuildKind::Shell => {
            "`--build-mode option` keeps this file for CUDA; build for HIP with CMake, or convert with `--build-mode replace`"
        }
        BuildKind::OtherShell => "write it for `sh`, which is converted, or say it for HIP by hand",
        BuildKind::Ninja => "generate it anew from the build files that are converted",
        BuildKind::PkgConfig => "link `-lamdhip64` and ROCm's libraries in place of CUDA's",
        _ => "name hipcc, HIP's libraries and the options of clang in it",
    }
}
