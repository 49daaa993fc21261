//! Where CMake starts: files that no other one leads to.

use camino::Utf8Path;

use super::finish::finished;
use super::run::Run;
use crate::project::model::tree::Tree;
use crate::project::model::types::ModelTarget;

/// The targets of the project in a folder and below.
pub(in crate::project::model) fn cmake_targets(tree: &Tree<'_>, folder: &Utf8Path) -> Vec<ModelTarget> {
    let mut run = Run::new(tree);
    let source = tree.root.join(folder).into_string();
    for name in ["CMAKE_SOURCE_DIR", "CMAKE_HOME_DIRECTORY", "PROJECT_SOURCE_DIR"] {
        run.scopes.set(name, Some(source.clone()));
    }
    let binary = tree.root.join(folder).join("build").into_string();
    for name in ["CMAKE_BINARY_DIR", "PROJECT_BINARY_DIR"] {
        run.scopes.set(name, Some(binary.clone()));
    }
    run.enter(folder);
    finished(&run)
}
