//! Options that make puts in front of each word of a variable by a pattern: `$(X:%=-Xcompiler %)`.

use super::change::{Change, Topic, stays};
use super::planner::Plan;
use crate::build::BuildKind;
use crate::mapping::{OptionAction, nvcc_option};
use crate::source::{Edit, TextRange, range};

/// Plans the references of a line that do so with an option for the host's compiler, or with one that clang does not need.
pub(super) fn plan_substitutions(plan: &Plan<'_>, code: TextRange) {
    if plan.build.kind != BuildKind::Make {
        return;
    }
    let text = plan.slice(code);
    for (at, _) in text.match_indices("=-") {
        if let Some(change) = substitution(plan, code, at) {
            plan.add(change);
        }
    }
    for (at, _) in text.match_indices(CUT_COMPILER) {
        let name = text[..at].rsplit_once('$').and_then(|(_, name)| name.strip_prefix(['(', '{']));
        if name.is_some_and(|name| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')) {
            let start = usize::from(code.start()) + at + ":/bin/".len();
            plan.add(Change::rename(Topic::Compiler, range(start, start + "nvcc".len()), ("nvcc", "hipcc")));
        }
    }
}

/// What takes the name of the compiler from where it is: `$(NVCC_PATH:/bin/nvcc=)`.
const CUT_COMPILER: &str = ":/bin/nvcc=";

/// What becomes of the reference whose pattern ends at `at`.
fn substitution(plan: &Plan<'_>, code: TextRange, at: usize) -> Option<Change> {
    let text = plan.slice(code);
    let (front, behind) = (&text[..at], &text[at + 1..]);
    let start = front.rfind('$')?;
    let (name, from) = front[start + 1..].strip_prefix(['(', '{'])?.split_once(':')?;
    let (to, _) = behind.split_once([')', '}'])?;
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let (option, value) = to.split_once([' ', '=']).filter(|_| is_name)?;
    let found = nvcc_option(option, Some(value)).filter(|found| found.row.own && found.takes_next)?;
    let base = usize::from(code.start());
    let place = range(base + start, base + at + 1 + to.len() + 1);
    let whole = plan.slice(place);
    let (message, new) = match found.row.action {
        OptionAction::Host if from == "%" && value == "%" => {
            (format!("`{whole}` hands options to the host's compiler"), format!("$({name})"))
        }
        OptionAction::Host => {
            let new = format!("$({name}:{from}={value})");
            (format!("`{whole}` hands options to the host's compiler"), new)
        }
        _ => return Some(stays(place, option, "a pattern puts it in front of other words")),
    };
    Some(Change::new(Topic::Option, place, message, vec![Edit::replace(place, new)]))
}
