//! What a review shows: rows of text for a terminal of any size.

use super::items::Item;
use super::state::{Mode, Review, past};
use crate::diagnostic::{Diagnostic, Verdict};
use crate::project::ReviewFile;
use crate::report::{Role, plural, reasons, safety, unified_hunk, visible, wrap, wrap_words};

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
    let width = review.size.0;
    let prose = |text: &str| -> Vec<String> { text.lines().flat_map(|line| wrap_words(line, width)).collect() };
    match (&review.mode, review.items.get(review.at)) {
        (Mode::Page(text), _) => prose(text),
        (Mode::Rule(verdict), Some(_)) => prose(&rule_choice(review, verdict)),
        (_, Some((item, file))) => {
            let lines = changes(review, item, file);
            let lines = lines.lines().flat_map(|line| wrap(line, width));
            lines.chain(prose(&why(review, item, file))).collect()
        }
        (_, None) => prose(&summary(review)),
    }
}

/// The lines that change.
fn changes(review: &Review<'_>, item: &Item, file: &ReviewFile) -> String {
    let (lines, hunks) = file.diff(&item.fixes, item.verdict.as_ref(), CONTEXT);
    if hunks.is_empty() {
        return "(the lines stay as they are)\n".to_owned();
    }
    hunks.iter().map(|hunk| unified_hunk(&lines, hunk, review.paint)).collect()
}

/// Why they change.
fn why(review: &Review<'_>, item: &Item, file: &ReviewFile) -> String {
    let mut out = String::from("\n");
    if !item.reason.is_empty() {
        out.push_str(&review.paint.text(Role::Margin, "reason: "));
        out.extend([&*visible(&item.reason), "\n"]);
    }
    let findings: Vec<&Diagnostic> = findings(item, file).collect();
    let name = |finding: &Diagnostic| review.versions(file.file.text.get(std::ops::Range::from(finding.range))?);
    out.push_str(&reasons(&findings, name, review.paint));
    out
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
        visible(review.items.decisions.shown_path().as_str()),
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
        Mode::Hunk | Mode::Page(_) | Mode::Rule(_) => visible(&review.message).into_owned(),
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
        Mode::Page(_) => "space, up, down scroll, any other key goes back".to_owned(),
        Mode::Search(_) | Mode::Reason(_) => "Enter takes the text, Esc drops it".to_owned(),
        Mode::Rule(_) => "a digit chooses, any other key goes back".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rustc_hash::FxHashSet;

    use super::super::items::{Counts, Items};
    use super::super::state::{Key, Step};
    use super::*;
    use crate::analysis::ProjectFacts;
    use crate::diagnostic::Applicability;
    use crate::engine::{Input, convert_with};
    use crate::mapping::Table;
    use crate::project::{Converted, Decisions, ReviewFile, Source};
    use crate::report::Paint;
    use crate::settings::Settings;
    use crate::source::SourceFile;
    use crate::syntax::Document;

    const A: &str = "\
#include <cuda_runtime.h>

__global__ void k(long long* x) { *x = clock64(); }

void f(long long* x, cudaStream_t stream) {
    cudaMalloc(&x, 4);
    k<<<dim3(1), 2, 0, stream>>>(x);
    first();
    cudaFree(x);
    cudaFree(x); cudaDeviceSynchronize();
}
";
    const B: &str = "// caf\u{e9}\n\n\nvoid g(void* p) {\n    cudaFree(p);\n}\n";

    fn file(path: &str, bytes: &[u8], settings: &Settings) -> ReviewFile {
        let document = Document::new(SourceFile::decode(path.into(), bytes.to_vec()).unwrap());
        let (project, table) = (ProjectFacts::default(), Table::builtin().unwrap());
        let input = Input { document: &document, project: &project, table, settings };
        let outcome = convert_with(input, &[]);
        let converted = Converted { known: None, conversion: Some((document.source(), &outcome)) };
        ReviewFile::of(&Source { path: path.into(), output: None }, converted).unwrap()
    }

    fn review() -> Review<'static> {
        let settings = Settings { applicability: Applicability::Unsafe, ..Settings::default() };
        let settings: &'static Settings = Box::leak(Box::new(settings));
        let latin1: Vec<u8> = B.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
        let files = vec![file("nowhere/a.cu", A.as_bytes(), settings), file("nowhere/b.cu", &latin1, settings)];
        let items = Items::new(files, Decisions::default());
        Review::new(items, (settings, Table::builtin().unwrap()), Paint { colour: false })
    }

    /// Presses keys; `^` is Enter, `<` and `>` are the arrows.
    fn press(review: &mut Review<'_>, keys: &str) -> Step {
        let mut step = Step::Draw;
        for letter in keys.chars() {
            step = review.press(match letter {
                '^' => Key::Enter,
                '<' => Key::Left,
                '>' => Key::Right,
                letter => Key::Char(letter),
            });
        }
        step
    }

    fn after(keys: &str) -> Review<'static> {
        let mut review = review();
        press(&mut review, keys);
        review
    }

    #[track_caller]
    fn check_screen(name: &str, review: &Review<'_>) {
        let rows = frame(review);
        assert_eq!(rows.len(), review.size.1);
        assert!(rows.iter().all(|row| row.chars().count() <= review.size.0), "{rows:#?}");
        let shown: String = rows.iter().map(|row| row.trim_end().to_owned() + "\n").collect();
        insta::with_settings!({ snapshot_path => "../../../tests/snapshots", prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(format!("review__{name}"), shown);
        });
    }

    #[track_caller]
    fn check_counts(keys: &str, (accepted, rejected, edited, undecided): (usize, usize, usize, usize)) {
        assert_eq!(after(keys).items.counts(), Counts { accepted, rejected, edited, undecided }, "{keys}");
    }

    #[test]
    fn screens_fit_a_small_terminal() {
        check_screen("first", &after(""));
        check_screen("unsafe", &after("y"));
        check_screen("long", &after("yj "));
        check_screen("split", &after("yjs"));
        check_screen("rule", &after("yjA"));
        check_screen("decided", &after("nb"));
        check_screen("reason", &after("rnot yet^nb"));
        check_screen("typing", &after("/cudaF"));
        check_screen("help", &after("?"));
        check_screen("page", &after("x "));
        check_screen("end", &after("ad"));
        let mut narrow = after("yj");
        narrow.size = (40, 12);
        check_screen("narrow", &narrow);
    }

    #[test]
    fn a_terminal_of_any_size_is_filled() {
        for size in [(1, 1), (10, 3), (20, 7), (300, 100)] {
            let mut review = after("y");
            review.size = size;
            let rows = frame(&review);
            assert!(rows.len() <= size.1 && rows.iter().all(|row| row.chars().count() <= size.0), "{size:?} {rows:#?}");
        }
    }

    #[test]
    fn each_key_decides_about_what_it_says() {
        check_counts("", (0, 0, 0, 6));
        check_counts("yn", (1, 1, 0, 4));
        check_counts("yu", (1, 0, 0, 5));
        check_counts("ybu", (0, 0, 0, 6));
        check_counts("yju", (1, 0, 0, 5));
        check_counts("ya", (4, 0, 0, 2));
        check_counts("yd", (1, 3, 0, 2));
        check_counts("yad", (4, 2, 0, 0));
        // The launch is one of three rules in its hunk, and is taken out of it.
        check_counts("yjA2", (2, 0, 0, 5));
        check_counts("yjA1", (4, 0, 0, 3));
        check_counts("yjD1n", (1, 4, 0, 2));
        check_counts("yjA9", (1, 0, 0, 5));
        check_counts("yjs", (1, 0, 0, 7));
    }

    #[test]
    fn skipped_hunks_come_again() {
        let mut review = after("jjjjj");
        assert_eq!(review.at, 5);
        press(&mut review, "y");
        assert_eq!((review.at, review.message.as_str()), (0, "these are the ones that were skipped"));
        press(&mut review, "b");
        assert_eq!(review.message, "this is the first hunk");
        press(&mut review, ">>>>>>");
        assert_eq!((review.at, review.message.as_str()), (5, "this is the last hunk"));
        assert_eq!(press(&mut review, "ad"), Step::Save);
        assert!(review.is_at_end());
        for key in ["y", "e", "s", "a", "D", "r", "x"] {
            assert_eq!(press(&mut review, key), Step::Draw);
            assert!(review.message.starts_with("all hunks are decided"), "{key}");
        }
        assert_eq!(press(&mut review, "^"), Step::Quit);
    }

    #[test]
    fn a_search_looks_everywhere_from_the_next_hunk_on() {
        let check = |text: &str, at: usize| assert_eq!(after(&format!("/{text}^")).at, at, "{text}");
        check("HIPFREE", 3);
        check("b.cu", 4);
        check("chevron-launch", 2);
        check("cuda-header", 0);
        check("64 lanes or so", 0);
        assert_eq!(after("/64 lanes^").message, "no hunk holds `64 lanes`");
        assert_eq!(after("/hipFree^/^").at, 5);
    }

    #[test]
    fn fixes_on_one_line_are_split_one_by_one() {
        let mut review = after("/hipDeviceSynchronize^");
        press(&mut review, "s");
        assert_eq!(review.items.list.len(), 7);
        press(&mut review, "jsn");
        let texts: Vec<String> =
            review.items.decisions.of("nowhere/a.cu".into()).iter().map(|d| d.after.clone()).collect();
        assert_eq!(texts, ["    hipFree(x); cudaDeviceSynchronize();\n"]);
        // Who edits a line decides about all of it, also about what was decided before.
        let before = "    hipFree(x); hipDeviceSynchronize();\n".to_owned();
        assert_eq!(press(&mut review, "e"), Step::Edit { lines: before.clone(), extension: "cu".to_owned() });
        assert_eq!(review.edited(&before, Ok(before.clone())), Step::Draw);
        assert_eq!(review.edited(&before, Ok("    both();\r\n".to_owned())), Step::Save);
        assert_eq!(review.items.list.len(), 7);
        let decisions = review.items.decisions.of("nowhere/a.cu".into());
        assert_eq!(decisions.len(), 1);
        assert_eq!((decisions[0].fixes.len(), &decisions[0].verdict), (2, &Verdict::Edit("    both();\n".to_owned())));
        press(&mut review, "/both^");
        check_screen("edited", &review);
    }

    #[test]
    fn releases_are_told_where_a_name_is_not_in_all() {
        let of = |name: &str| review().versions(name);
        let newest = "`hipDriverEntryPointQueryResult` from ROCm 7.1";
        assert_eq!(of("cudaDriverEntryPointQueryResult").as_deref(), Some(newest));
        assert_eq!(of("cudaFree"), None);
        assert_eq!(of("nothing"), None);
    }

    #[test]
    fn a_file_cannot_take_characters_that_it_has_no_bytes_for() {
        let mut review = after("/b.cu^");
        assert_eq!(review.edited("", Ok("\u{20ac}\n".to_owned())), Step::Draw);
        assert!(review.message.contains("is not UTF-8"));
        assert_eq!(review.edited("", Err("no editor".to_owned())), Step::Draw);
        assert_eq!(review.message, "no editor");
        assert_eq!(review.edited("", Ok("\u{e9}\n".to_owned())), Step::Save);
    }

    #[test]
    fn a_review_goes_on_where_the_last_one_ended() {
        let first = after("yjs>nb");
        let (shown, counts) = (first.items.list.clone(), first.items.counts());
        let again = Items::new(first.items.files, first.items.decisions);
        assert_eq!(again.counts().rejected, counts.rejected);
        // What was split and is still undecided is one hunk again.
        assert!(again.list.len() < shown.len());
        let settings = first.settings;
        assert_eq!(Review::new(again, (settings, Table::builtin().unwrap()), Paint { colour: false }).at, 1);
    }

    #[test]
    fn colour_is_there_if_wanted() {
        let mut review = review();
        assert!(!frame(&review).concat().contains('\x1b'));
        review.paint.colour = true;
        assert!(frame(&review).concat().contains('\x1b'));
    }

    proptest! {
        #[test]
        fn whatever_is_pressed_all_fixes_stay(keys in "[ynsuadADjber/x? 123^<>]{0,30}") {
            let mut review = review();
            for key in keys.chars() {
                if let Step::Edit { lines, .. } = press(&mut review, &key.to_string()) {
                    review.edited(&lines, Ok(format!("{lines}x\n")));
                }
                prop_assert_eq!(frame(&review).len(), 24);
            }
            let items = &review.items;
            for (index, file) in items.files.iter().enumerate() {
                let own = || items.list.iter().filter(|item| item.file == index);
                let fixes: Vec<usize> = own().flat_map(|item| item.fixes.iter().copied()).collect();
                let different: FxHashSet<usize> = fixes.iter().copied().collect();
                prop_assert_eq!(fixes.len(), file.fixes.len());
                prop_assert_eq!(different.len(), file.fixes.len());
                let decided: usize = own().filter(|item| item.verdict.is_some()).map(|item| item.fixes.len()).sum();
                let kept: usize = items.decisions.of(file.path()).iter().map(|decision| decision.fixes.len()).sum();
                prop_assert_eq!(decided, kept);
            }
        }
    }
}
