//! What rules are run on.

use crate::analysis::ProjectFacts;
use crate::mapping::Table;
use crate::settings::Settings;
use crate::syntax::Document;

/// What the rules are run on and with.
#[derive(Clone, Copy)]
pub struct Input<'d> {
    /// The file.
    pub document: &'d Document,
    /// What the other files of the project add.
    pub project: &'d ProjectFacts,
    /// The mapping tables.
    pub table: &'d Table,
    /// What the run is to do.
    pub settings: &'d Settings,
}
