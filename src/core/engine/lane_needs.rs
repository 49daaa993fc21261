//! What a file needs lanes for where other files of its project call it.

use std::rc::Rc;
use std::sync::LazyLock;

use aho_corasick::packed::Searcher;

use crate::analysis::{Facts, LaneNeeds, ProjectFacts};
use crate::mapping::Table;
use crate::rules::{Context, NameList, RULES, is_meeting_function, lane_needs as needs_of, name_at};
use crate::settings::Settings;
use crate::source::is_wide;
use crate::syntax::{Document, words_that};

/// Parts of the names of functions for which lanes come together, and of what groups of lanes are made by.
const WORDS: &[&str] = &["_sync(", "_sync (", "__syncwarp", "cooperative_groups"];

static SEARCHER: LazyLock<Option<Searcher>> = LazyLock::new(|| Searcher::new(WORDS));

/// Whether a file with these bytes may need lanes for something by itself.
pub fn may_need_lanes(bytes: &[u8]) -> bool {
    is_wide(bytes) || SEARCHER.as_ref().is_none_or(|searcher| searcher.find(bytes).is_some())
}

/// What functions, macros and classes of a file need lanes for; `known` is what those of others do.
pub fn lane_needs(document: &Document, known: &LaneNeeds, table: &Table) -> LaneNeeds {
    let Some(rule) = RULES.first().filter(|_| document.build().is_none()) else { return LaneNeeds::default() };
    let project = ProjectFacts { lane_needs: known.clone(), ..ProjectFacts::default() };
    let (facts, settings) = (Facts::of(document), Settings::default());
    let mut cx = Context::new(document, &facts, &project, (table, &settings), rule.info);
    // Others only call what is known.
    if may_need_lanes(document.text().as_bytes()) {
        let names = words_that(document, is_meeting_function).into_iter();
        cx.names = Rc::new(NameList::new(document, names.filter_map(|idx| name_at(idx, &cx))));
    }
    needs_of(&cx)
}
