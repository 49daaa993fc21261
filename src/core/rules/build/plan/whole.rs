//! The changes of a whole build file, by its kind.

use super::change::Change;
use super::planner::Plan;
use super::touched::holds;
use super::{cmake, leftover, make, switch_limits, unread};
use crate::analysis::ProjectFacts;
use crate::build::{BuildFile, BuildKind, Command, cuda_parts};
use crate::mapping::Table;
use crate::settings::{BuildMode, Settings};
use crate::source::{SourceFile, TextRange};

/// All changes of a build file, in the order of the text.
pub(crate) fn changes_of(
    file: &SourceFile,
    build: &BuildFile,
    known: (&Settings, &Table),
    project: &ProjectFacts,
) -> Vec<Change> {
    let for_cuda = cuda_parts(&file.text, &build.commands);
    let seen = without(build, &for_cuda);
    let mut plan = Plan::new(file, seen.as_ref().unwrap_or(build), known, &project.builds);
    plan.for_cuda = for_cuda;
    let keeps_both = known.0.build_mode == BuildMode::Option;
    // A module that finds a package speaks of CUDA's by its own name.
    let finds_package = file.path.file_name().is_some_and(|name| name.starts_with("Find"));
    let looks_at_rest = match build.kind {
        BuildKind::CMake => finds_package || cmake::plan(&plan, if keeps_both { plan.build } else { build }),
        BuildKind::Make | BuildKind::Shell if keeps_both => {
            unread::plan(&plan);
            false
        }
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
    if keeps_both && build.kind == BuildKind::CMake {
        switch_limits::plan(&plan, build, (&file.path, project.switch_role(&file.path)));
    }
    let mut changes = plan.into_changes();
    changes.sort_by_key(|change| change.range.start());
    changes
}

/// The file without the commands that are read for CUDA only; nothing where there are none.
fn without(build: &BuildFile, for_cuda: &[TextRange]) -> Option<BuildFile> {
    let is_seen = |command: &&Command| !holds(for_cuda, command.range);
    let commands = || build.commands.iter().filter(is_seen).cloned().collect();
    (!for_cuda.is_empty()).then(|| BuildFile { commands: commands(), ..build.clone() })
}
