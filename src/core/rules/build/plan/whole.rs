//! The changes of a whole build file, by its kind.

use super::change::Change;
use super::planner::Plan;
use super::{cmake, leftover, make, unread};
use crate::build::{BuildFile, BuildKind};
use crate::mapping::Table;
use crate::settings::Settings;
use crate::source::SourceFile;

/// All changes of a build file, in the order of the text.
pub(crate) fn changes_of(file: &SourceFile, build: &BuildFile, known: (&Settings, &Table)) -> Vec<Change> {
    let plan = Plan::new(file, build, known);
    // A module that finds a package speaks of CUDA's by its own name.
    let finds_package = file.path.file_name().is_some_and(|name| name.starts_with("Find"));
    let looks_at_rest = match build.kind {
        BuildKind::CMake => finds_package || cmake::plan(&plan),
        BuildKind::Make | BuildKind::Shell => {
            make::plan(&plan);
            true
        }
        _ => {
            unread::plan(&plan);
            false
        }
    };
    if looks_at_rest {
        leftover::plan(&plan);
    }
    let mut changes = plan.into_changes();
    changes.sort_by_key(|change| change.range.start());
    changes
}
