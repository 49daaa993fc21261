//! `hipshift review --prune`: drops decisions that nothing is left for.

use camino::Utf8Path;

use super::super::args::{Review as Arguments, RuleOptions};
use super::super::convert::{Found, Wanted, find_files};
use super::super::exit::Exit;
use super::super::helpers::helper_plan_in_place;
use super::super::output::{error, note};
use super::super::settings::resolve;
use super::super::workers::in_pool;
use crate::engine::Outdated;
use crate::project::{HelperPlan, Run, Status, convert_files, survey};

pub(super) fn prune(arguments: &Arguments, first: &Utf8Path) -> anyhow::Result<Exit> {
    let rules = RuleOptions { unsafe_fixes: true, no_decisions: false, choice: arguments.rules.clone() };
    let resolved = resolve(first, &arguments.selection, &arguments.target, &rules)?;
    let Some(mut decisions) = resolved.decisions.clone() else {
        note("nothing is decided yet");
        return Ok(Exit::Clean);
    };
    let Found { sources, .. } = find_files(
        &arguments.paths,
        &resolved,
        None,
        Wanted { builds: resolved.build_files, copies: false, links: false },
    )?;
    let plan = helper_plan_in_place(&arguments.paths, &resolved)?;
    let helpers = plan.as_ref().map(HelperPlan::header);
    let reports = in_pool(arguments.selection.threads, || {
        let survey = survey(&sources, (&resolved.table, &resolved.settings), Some(&decisions));
        let run = Run { decisions: Some(&decisions), helpers, ..resolved.run(&survey) };
        convert_files(&sources, run, || {})
    })??;
    let before = decisions.len();
    for report in &reports {
        for stale in report.stale.iter().filter(|stale| stale.why == Outdated::Gone) {
            decisions.take_back(&report.path, &stale.decision.fixes);
        }
    }
    decisions.drop_lost_files();
    if decisions.len() < before {
        decisions.write()?;
    }
    note(&format!("{} dropped, {} left in {}", before - decisions.len(), decisions.len(), decisions.shown_path()));
    for failed in reports.iter().filter_map(|report| report.error.as_ref()) {
        error(&crate::report::one_line(failed));
    }
    Ok(if reports.iter().any(|report| report.status == Status::Failed) { Exit::Trouble } else { Exit::Clean })
}
