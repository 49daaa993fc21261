//! How many results of a validation there are of each kind, those of one evidence apart from those of another.

use serde_json::{Map, Value, json};

use crate::validate::{Evidence, ProgramResult, TargetResult, Verdict};

/// Labels of results that prove something, strongest first.
const LABELS: [Evidence; 4] = [Evidence::Amd, Evidence::Nvidia, Evidence::Emulated, Evidence::Compiled];

/// Numbers of results.
pub(super) struct Sums {
    pub(super) results: usize,
    pub(super) well: usize,
    pub(super) failed: usize,
    pub(super) not_run: usize,
    /// Label and number; results that were not even compiled prove nothing.
    pub(super) evidence: [(&'static str, usize); 4],
}

impl Sums {
    pub(super) fn of(programs: &[ProgramResult]) -> Sums {
        let results = || programs.iter().flat_map(|program| &program.targets);
        let count = |wanted: &dyn Fn(&TargetResult) -> bool| results().filter(|result| wanted(result)).count();
        Sums {
            results: count(&|_| true),
            well: count(&|result| result.verdict.is_success()),
            failed: count(&|result| result.verdict.is_failure()),
            not_run: count(&|result| matches!(result.verdict, Verdict::NotRun(_) | Verdict::Made(_))),
            evidence: LABELS.map(|label| (label.label(), count(&|result| result.evidence == label))),
        }
    }

    pub(super) fn json(&self) -> Value {
        let evidence: Map<String, Value> =
            self.evidence.iter().map(|(label, count)| ((*label).to_owned(), json!(count))).collect();
        json!({ "results": self.results, "well": self.well, "failed": self.failed, "not_run": self.not_run, "evidence": evidence })
    }
}
