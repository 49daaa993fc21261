//! What rules ask about all branches of a file, worked out on the first question.

use std::ops::Range;

use super::asked::{Branches, Switches};
use super::served::serving_tokens;
use crate::analysis::{Branch, Chain};
use crate::rules::context::Context;
use crate::rules::meaning::Meaning;
use crate::source::{Spans, TextSize};
use crate::syntax::{Directive, DirectiveKind, Document, TokenIdx, words};

impl Branches {
    /// Whether a branch does something: see [`serving_tokens`].
    pub(super) fn serves(&self, branch: &Branch, document: &Document) -> bool {
        self.serving.get_or_init(|| serving_tokens(document).map(one).collect()).meets(&branch.body)
    }

    /// Whether a branch uses names that have no counterpart in HIP.
    pub(super) fn lacks_names(&self, branch: &Branch, cx: &Context<'_>) -> bool {
        // While the names are still being read, none is known to be missing.
        if cx.names.is_empty() {
            return false;
        }
        let lacking = || cx.names.iter().filter(|name| matches!(name.meaning, Meaning::Missing(_)));
        self.lacking.get_or_init(|| lacking().map(|name| one(name.token)).collect()).meets(&branch.body)
    }

    /// Whether a branch holds inline assembly.
    pub(super) fn holds_assembly(&self, branch: &Branch, document: &Document) -> bool {
        let keywords = || ["asm", "__asm__", "__asm"].into_iter().flat_map(|word| words(document, word));
        self.assembly.get_or_init(|| keywords().map(one).collect()).meets(&branch.body)
    }

    /// Whether a token of a branch holds `text`.
    pub(super) fn holds(&self, text: &'static str, branch: &Branch, document: &Document) -> bool {
        let mut holding = self.holding.borrow_mut();
        holding.entry(text).or_insert_with(|| tokens_with(text, document)).meets(&branch.body)
    }

    /// The macros that a branch defines without a value, if it has no directives but these and `#if`.
    pub(super) fn defines_only(&self, branch: &Branch, document: &Document) -> Option<&[TokenIdx]> {
        let switches = self.switches.get_or_init(|| Switches::of(document));
        let place = |token: TokenIdx| switches.names.partition_point(|name| *name < token);
        let names = switches.names.get(place(branch.body.start)..place(branch.body.end));
        names.filter(|_| !switches.others.meets(&branch.body))
    }

    /// Whether a branch holds directives and nothing else.
    pub(super) fn holds_directives_only(&self, branch: &Branch, document: &Document) -> bool {
        let all = || document.directives().iter().map(|directive| directive.tokens.clone());
        !branch.body.is_empty() && self.directives.get_or_init(|| all().collect()).cover(&branch.body)
    }
}

impl Switches {
    fn of(document: &Document) -> Switches {
        let is_switch = |found: &Directive| found.kind == DirectiveKind::Define && found.tokens.len() == 3;
        let is_condition = |found: &Directive| found.kind.opens_condition() || found.kind == DirectiveKind::Endif;
        let directives = || document.directives().iter();
        let others = directives().filter(|found| !is_switch(found) && !is_condition(found));
        Switches {
            names: directives().filter(|found| is_switch(found)).map(|found| found.tokens.start + 2).collect(),
            others: others.map(|found| one(found.tokens.start)).collect(),
        }
    }
}

fn tokens_with(text: &str, document: &Document) -> Spans<TokenIdx> {
    let found = memchr::memmem::find_iter(document.text().as_bytes(), text);
    let token = |at: usize| {
        let start = TextSize::try_from(at).ok()?;
        let idx = document.token_at(start + TextSize::from(1)).checked_sub(1)?;
        document.token_text(idx).contains(text).then(|| one(idx))
    };
    found.filter_map(token).collect()
}

fn one(idx: TokenIdx) -> Range<TokenIdx> {
    idx..idx + 1
}

/// For each branch of a chain whether all after it serve.
pub(super) fn served_after(chain: &Chain, cx: &Context<'_>) -> Vec<bool> {
    let mut all = true;
    let served = chain.branches.iter().rev().map(|branch| {
        let after = all;
        all = all && cx.branches.serves(branch, cx.document);
        after
    });
    let mut served: Vec<bool> = served.collect();
    served.reverse();
    served
}
