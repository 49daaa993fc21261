//! Names that the lines of a makefile or a script give, and the words that call nvcc.

use std::collections::BTreeSet;

use super::folders::FolderNames;
use super::planner::Plan;
use crate::build::{BuildKind, Line, LineKind, target_variable};
use crate::source::TextSize;

/// What the lines of a file say together.
#[derive(Default)]
pub(super) struct Names<'p> {
    /// Variables that hold the call of nvcc.
    pub(super) compilers: Vec<&'p str>,
    /// Variables for CUDA's folder.
    pub(super) folders: FolderNames<'p>,
    /// Variables that hold the call of another compiler.
    pub(super) others: Vec<&'p str>,
    /// Where the commands begin that link device code without saying so.
    pub(super) device_links: BTreeSet<TextSize>,
    /// Variables that only commands with nvcc use.
    pub(super) flags: BTreeSet<&'p str>,
    /// Variables that hold the folder of CUDA's headers.
    pub(super) includes: BTreeSet<&'p str>,
    /// Variables that hold names of libraries, which the file puts `-l` in front of.
    pub(super) libraries: BTreeSet<&'p str>,
    /// Those of them that something else uses, too.
    pub(super) shared: BTreeSet<&'p str>,
}

impl Names<'_> {
    /// Whether a word calls another compiler, by a variable that the file sets.
    pub(super) fn is_other(&self, word: &str) -> bool {
        referred(word).is_some_and(|name| self.others.contains(&name) && !self.compilers.contains(&name))
    }
}

/// Whether a word calls nvcc, by its name or by a variable.
pub(super) fn calls_nvcc(word: &str, names: &Names<'_>) -> bool {
    is_nvcc(word)
        || referred(word).is_some_and(|name| name.eq_ignore_ascii_case("NVCC") || names.compilers.contains(&name))
}

/// The variable that a word is, or that it ends with behind others: `$(Q)$(NVCC)`.
pub(super) fn referred(word: &str) -> Option<&str> {
    let word = word.trim_start_matches(['@', '-', '+']);
    let last = word
        .rsplit_once('$')
        .filter(|(front, _)| matches!(*front, "" | "$") || front.starts_with('$') && front.ends_with([')', '}']));
    let name = last.map(|(_, name)| name);
    name.map(|name| name.trim_start_matches(['(', '{']).trim_end_matches([')', '}']))
}

/// Whether a word gives a variable a value for one command.
pub(super) fn sets_variable(word: &str) -> bool {
    let is_name = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    word.split_once('=').is_some_and(|(name, _)| !name.is_empty() && is_name(name))
}

/// The name of the variable that a line gives a value.
pub(super) fn assigned<'p>(plan: &Plan<'p>, line: &Line) -> Option<&'p str> {
    if let LineKind::Assignment { name, .. } = line.kind {
        return Some(plan.slice(name));
    }
    let code = plan.slice(line.code);
    if let LineKind::Rule { .. } = line.kind {
        return target_variable(plan.text, line).map(|name| plan.slice(name));
    }
    // `debug) flags+=(-G) ;;` in a `case`
    let label = code.find(')').filter(|at| !code[..*at].contains(['(', '=', '$']));
    let code = label.map_or(code, |at| code[at + 1..].trim_start());
    let code = ["export ", "local ", "readonly ", "declare -a ", "declare -A "]
        .iter()
        .find_map(|word| code.strip_prefix(word))
        .unwrap_or(code);
    let (name, _) = code.split_once('=').filter(|_| plan.build.kind == BuildKind::Shell)?;
    let name = name.strip_suffix('+').unwrap_or(name);
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_').then_some(name)
}

/// Whether a word calls nvcc.
pub(super) fn is_nvcc(word: &str) -> bool {
    nvcc_in(word).is_some()
}

/// Where the name stands in a word that calls nvcc, `/bin/nvcc` or `${NVCC:-nvcc}`.
pub(super) fn nvcc_in(word: &str) -> Option<usize> {
    let bare = if word.contains("${") { word.trim_end_matches('}') } else { word };
    let front = bare.strip_suffix("nvcc")?;
    let is_default = bare.len() < word.len() && (front.ends_with('-') || front.ends_with('='));
    // `then NVCC=$folder/nvcc; fi`
    let value = front.split_once('=').filter(|_| sets_variable(front)).map_or(front, |(_, value)| value);
    // `docs/nvcc` is a folder of the project.
    let is_path = value.ends_with("bin/") || value.ends_with('/') && value.starts_with(['/', '$', '~', '"', '@', '-']);
    (value.is_empty() || front.ends_with('@') || is_path || is_default).then_some(front.len())
}
