//! What linting makes of the findings of one file.
//!
//! A CUDA source is asked what a person would have to look at when it is converted. A HIP source is
//! asked what is wrong with it: a CUDA name is no plain translation there but a mistake.

use rustc_hash::FxHashSet;

use super::check::{Checked, check, check_as_hip};
use super::input::Input;
use super::language::{Language, language, skipped_by_hip};
use crate::analysis::looks_like_cuda;
use crate::diagnostic::{Head, Severity};
use crate::settings::{LaunchStyle, Settings};
use crate::syntax::Document;

/// Rules whose plain translations are mistakes in a HIP source. Of launches only those are found there
/// whose chevrons HIP compilers do not read.
const MISTAKES_IN_HIP: &[&str] = &["renamed-name", "changed-call", "cuda-header", "chevron-launch"];

/// All findings as linting judges them, and what the file is written in.
pub fn lint(input: Input<'_>) -> (Language, Checked) {
    match language(input.document, input.table) {
        Language::Cuda => (Language::Cuda, check(input)),
        Language::Hip => {
            // Chevrons are good HIP; nobody asks for another style in place of them.
            let settings = Settings { launch: LaunchStyle::Chevron, ..input.settings.clone() };
            let mut checked = check_as_hip(Input { settings: &settings, ..input });
            judge_as_hip(input, &mut checked);
            (Language::Hip, checked)
        }
    }
}

fn judge_as_hip(input: Input<'_>, checked: &mut Checked) {
    let skipped = skipped_by_hip(input.document);
    // A file that gives HIP's names to CUDA's, or the other way round, does so on purpose.
    let declared: FxHashSet<&str> = checked.declared.iter().map(String::as_str).collect();
    checked.found.retain(|finding| !skipped.iter().any(|block| block.contains(finding.range.start())));
    let is_wrong = |finding: Head| {
        let is_ours_to_judge = input.settings.rules.severity_of(finding.rule).is_none();
        let name = input.document.slice(finding.range);
        is_ours_to_judge && is_mistake(finding, name) && !declared.contains(name) && !is_alias(input.document, finding)
    };
    for suppressed in &mut checked.suppressed {
        if is_wrong(suppressed.diagnostic.head()) {
            suppressed.diagnostic.severity = Severity::Warning;
        }
    }
    checked.found.change(is_wrong, |finding| finding.severity = Severity::Warning);
    // Nothing is left to translate, so what remains a hint is none.
    checked.found.retain(|finding| finding.severity > Severity::Hint);
}

/// Whether a plain translation is about a name that only CUDA has.
fn is_mistake(finding: Head, name: &str) -> bool {
    let is_name = finding.rule.name != "changed-call" || looks_like_cuda(name);
    finding.severity == Severity::Hint && MISTAKES_IN_HIP.contains(&finding.rule.name) && is_name
}

/// Whether a name is the one that `typedef … name;` or `using name = …;` gives.
fn is_alias(document: &Document, finding: Head) -> bool {
    let name = document.token_at(finding.range.start());
    let ends_statement = |idx: &usize| document.is(*idx, b';') || document.is(*idx, b'{') || document.is(*idx, b'}');
    let mut statement = (0..name).rev().take_while(|idx| !ends_statement(idx));
    let is_using = name.checked_sub(1).is_some_and(|before| document.token_text(before) == "using");
    is_using || (document.is(name + 1, b';') && statement.any(|idx| document.token_text(idx) == "typedef"))
}
