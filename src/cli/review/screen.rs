//! What a review shows: rows of text for a terminal of any size.

use super::items::Item;
use super::keys::HELP;
use super::state::{Mode, Review, past};
use crate::diagnostic::{Diagnostic, Verdict};
use crate::project::ReviewFile;
use crate::report::{Role, plural, reasons, safety, unified_hunk, visible, wrap};

/// Lines around each change.
const CONTEXT: usize = 3;

/// Rows above and below the hunk.
const FRAME: usize = 6;

/// The commands that fit into the last row.
const COMMANDS: &str = "y accept  n reject  e edit  s split  j skip  b back  / search  ? help  q quit";

/// The rows that are there for the hunk.
pub(super) fn body_height((_, rows): (usize, usize)) -> usize {
    rows.saturating_sub(FRAME).max(1)
}

/// All rows of the screen.
pub(super) fn frame(review: &Review<'_>) -> Vec<String> {
    let (columns, rows) = review.size;
    let body = body_rows(review);
    let height = body_height(review.size);
    let first = review.scroll.min(body.len().saturating_sub(height));
    let hidden = body.len().saturating_sub(first + height);
    let mut frame = head(review);
    frame.push("-".repeat(columns));
    frame.extend(body.into_iter().skip(first).take(height));
    frame.resize(height + 3, String::new());
    frame.push(rule(first, hidden, columns));
    frame.push(prompt(review));
    frame.push(commands(review));
    let mut frame: Vec<String> = frame.iter().map(|row| cut(row, columns)).collect();
    frame.truncate(rows);
    frame
}

/// The part of a row that fits.
fn cut(row: &str, columns: usize) -> String {
    wrap(row, columns).swap_remove(0)
}

/// Where the hunk is, and what was decided about it.
fn head(review: &Review<'_>) -> Vec<String> {
    let (columns, paint) = (review.size.0, review.paint);
    let counts = review.items.counts();
    let total = review.items.list.len();
    let Some((item, file)) = review.items.get(review.at) else {
        return vec![paint.text(Role::File, &format!("{} decided", plural(total, "hunk"))), String::new()];
    };
    let place = visible(&format!("{}:{}", file.path(), file.line_number(&item.fixes))).into_owned();
    let count = format!("hunk {} of {total}, {} undecided", review.at + 1, counts.undecided);
    let gap = columns.saturating_sub(place.chars().count() + count.chars().count()).max(2);
    let title = paint.text(Role::File, &place) + &" ".repeat(gap) + &count;
    let rules: Vec<&str> = review.items.rules(review.at).iter().map(|rule| rule.name).collect();
    let sureness = safety(findings(item, file));
    let rocm = review.settings.rocm;
    let rest = format!(" | {sureness} | {} | for ROCm {rocm}", rules.join(", "));
    vec![title, status(review, item) + &rest]
}

fn status(review: &Review<'_>, item: &Item) -> String {
    let (role, word) = match &item.verdict {
        Some(Verdict::Accept) => (Role::Added, past(&Verdict::Accept)),
        Some(Verdict::Reject) => (Role::Removed, past(&Verdict::Reject)),
        Some(verdict) => (Role::Hunk, past(verdict)),
        None if item.is_stale => (Role::Warning, "undecided, as it is not what it was"),
        None => (Role::Warning, "undecided"),
    };
    review.paint.text(role, word)
}

fn findings<'f>(item: &'f Item, file: &'f ReviewFile) -> impl Iterator<Item = &'f Diagnostic> {
    item.fixes.iter().filter_map(|&fix| file.fixes.get(fix))
}

/// The rows between head and prompt.
pub(super) fn body_rows(review: &Review<'_>) -> Vec<String> {
    let text = match (&review.mode, review.items.get(review.at)) {
        (Mode::Help, _) => help(),
        (Mode::Rule(verdict), Some(_)) => rule_choice(review, verdict),
        (_, Some((item, file))) => hunk(review, item, file),
        (_, None) => summary(review),
    };
    text.lines().flat_map(|line| wrap(line, review.size.0)).collect()
}

fn hunk(review: &Review<'_>, item: &Item, file: &ReviewFile) -> String {
    let mut out = String::new();
    let (lines, hunks) = file.diff(&item.fixes, item.verdict.as_ref(), CONTEXT);
    for hunk in &hunks {
        out.push_str(&unified_hunk(&lines, hunk, review.paint));
    }
    if hunks.is_empty() {
        out.push_str("(the lines stay as they are)\n");
    }
    out.push('\n');
    if !item.reason.is_empty() {
        out.push_str(&review.paint.text(Role::Margin, "reason: "));
        out.extend([&*visible(&item.reason), "\n"]);
    }
    let findings: Vec<&Diagnostic> = findings(item, file).collect();
    let name = |finding: &Diagnostic| review.versions(file.file.text.get(std::ops::Range::from(finding.range))?);
    out.push_str(&reasons(&findings, name, review.paint));
    out
}

fn help() -> String {
    let row = |(keys, what): &(&str, &str)| format!("  {keys:<16} {what}\n");
    HELP.iter().map(row).collect()
}

fn rule_choice(review: &Review<'_>, verdict: &Verdict) -> String {
    let mut out = format!("Of which rule are all undecided fixes to be {}, in all files?\n\n", past(verdict));
    for (rule, digit) in review.items.rules(review.at).iter().zip(1..10) {
        let count = plural(review.items.open_fixes(rule), "undecided fix");
        out.extend([&format!("  {digit} {} {} ({count})", rule.code, rule.name), "\n"]);
    }
    out
}

/// How it stands, when nothing is left to decide.
fn summary(review: &Review<'_>) -> String {
    let counts = review.items.counts();
    format!(
        "All hunks are decided: {} accepted, {} rejected, {} edited.\n\n\
         The decisions are kept in {}.\n\
         q ends the review, b goes back to the last hunk.\n",
        counts.accepted,
        counts.rejected,
        counts.edited,
        visible(review.items.decisions.path().as_str()),
    )
}

/// A line that tells whether there are more rows above and below.
fn rule(above: usize, below: usize, columns: usize) -> String {
    let words = match (above, below) {
        (0, 0) => String::new(),
        (0, below) => format!(" {} below: space ", plural(below, "more row")),
        (above, 0) => format!(" {} above: up ", plural(above, "more row")),
        (above, below) => format!(" {above} more rows above, {below} below: space "),
    };
    let dashes = columns.saturating_sub(words.chars().count() + 2);
    format!("--{words}{}", "-".repeat(dashes))
}

fn prompt(review: &Review<'_>) -> String {
    match &review.mode {
        Mode::Search(text) => format!("search: {}_", tail(text, review.size.0)),
        Mode::Reason(text) => format!("reason: {}_", tail(text, review.size.0)),
        Mode::Hunk | Mode::Help | Mode::Rule(_) => visible(&review.message).into_owned(),
    }
}

/// The end of a text that is being typed, as far as it fits.
fn tail(text: &str, columns: usize) -> String {
    let shown = visible(text);
    let skipped = shown.chars().count().saturating_sub(columns.saturating_sub(10));
    shown.chars().skip(skipped).collect()
}

fn commands(review: &Review<'_>) -> String {
    match review.mode {
        Mode::Hunk => COMMANDS.to_owned(),
        Mode::Help => "any key goes back".to_owned(),
        Mode::Search(_) | Mode::Reason(_) => "Enter takes the text, Esc drops it".to_owned(),
        Mode::Rule(_) => "a digit chooses, any other key goes back".to_owned(),
    }
}
