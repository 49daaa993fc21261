//! What a file says to the others of its project about names that CUDA has, too.

use crate::analysis::{Declared, Facts, OwnName, ProjectFacts};
use crate::mapping::Table;
use crate::rules::{Context, RULES};
use crate::settings::Settings;
use crate::syntax::Document;

/// The names of CUDA's that `document` declares as its own, where other files see them; `declared` are all that it declares. Most
/// files have none.
pub fn own_names(document: &Document, declared: &Declared, table: &Table) -> Vec<(String, OwnName)> {
    let may_have_some = declared.iter().any(|name| table.contains(name));
    let Some(rule) = RULES.first().filter(|_| may_have_some) else { return Vec::new() };
    let (facts, project, settings) = (Facts::of(document), ProjectFacts::default(), Settings::default());
    let cx = Context::new(document, &facts, &project, (table, &settings), rule.info);
    crate::rules::own_names(&cx)
}
