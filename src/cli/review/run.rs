//! Starts a review, keeps what it decides, and says what comes next.

use std::io::{self, IsTerminal as _};

use anyhow::{Context as _, bail};
use camino::Utf8PathBuf;

use super::super::args::{Review as Arguments, RuleOptions};
use super::super::convert::{Found, Wanted, find_files};
use super::super::diff::drop_doubles;
use super::super::exit::Exit;
use super::super::helpers::helper_plan_in_place;
use super::super::left_out::{note_links, warn_left_out};
use super::super::output::{error, note};
use super::super::settings::resolve;
use super::editor::edit;
use super::gather::gather;
use super::items::{Counts, Items};
use super::prune::prune;
use super::screen::frame;
use super::state::{Review, Step};
use super::terminal::{Input, Terminal, next_input, screen_size};
use crate::project::{Decisions, Destination, HelperPlan, Status};
use crate::report::{Paint, one_line, plural};

pub(in super::super) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let Some(first) = arguments.paths.first() else { bail!("name a file or directory") };
    if arguments.paths.iter().any(|path| path == "-") {
        bail!("`review` reads files; standard input is where the keys come from");
    }
    if arguments.prune {
        return prune(arguments, first);
    }
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        bail!(without_terminal(&paths(arguments)));
    }
    let rules = RuleOptions { unsafe_fixes: true, no_decisions: true, choice: arguments.rules.clone() };
    let resolved = resolve(first, &arguments.selection, &arguments.target, &rules)?;
    let Found { mut sources, links, left_out, .. } = find_files(
        &arguments.paths,
        &resolved,
        Some(&Destination::InPlace),
        Wanted { builds: resolved.build_files, copies: false, links: false },
    )?;
    drop_doubles(&mut sources);
    let decisions = Decisions::open(first)?;
    let is_below = |path: &Utf8PathBuf| path.canonicalize_utf8().is_ok_and(|path| path.starts_with(decisions.home()));
    if let Some(outside) = arguments.paths.iter().find(|path| !is_below(path)) {
        bail!("`{outside}` lies outside of {}, where decisions are kept; review it by itself", decisions.home());
    }
    let plan = helper_plan_in_place(&arguments.paths, &resolved)?;
    let helpers = plan.as_ref().map(HelperPlan::header);
    let (files, reports) = gather(&sources, &resolved, (&decisions, helpers, arguments.selection.threads))?;
    for failed in reports.iter().filter_map(|report| report.error.as_ref()) {
        error(&one_line(failed));
    }
    let items = Items::new(files, decisions);
    let exit = if reports.iter().any(|report| report.status == Status::Failed) { Exit::Trouble } else { Exit::Clean };
    let exit = warn_left_out(&left_out, exit);
    if items.list.is_empty() {
        note("no fix applies to these files, so there is nothing to review");
        return Ok(exit);
    }
    let is_over = items.counts().undecided == 0 && !arguments.again;
    let colour = anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never;
    let mut review = Review::new(items, (&resolved.settings, &resolved.table), Paint { colour });
    if !is_over {
        hold(&mut review)?;
    }
    note_links(&links, false);
    let counts = review.items.counts();
    report(&review, counts, arguments)?;
    Ok(if exit == Exit::Clean && counts.undecided > 0 { Exit::Findings } else { exit })
}

fn paths(arguments: &Arguments) -> String {
    arguments.paths.iter().map(|path| path.as_str()).collect::<Vec<_>>().join(" ")
}

fn without_terminal(paths: &str) -> String {
    format!(
        "`review` asks a person, and there is no terminal here. These do the same job without one:\n\
         \x20 hipshift diff {paths}                shows all changes with their rules\n\
         \x20 hipshift convert {paths} --in-place  applies safe fixes; --unsafe-fixes all of them, --ignore leaves rules out\n\
         \x20 hipshift lint {paths} --fix          applies safe fixes, and lists what is left\n\
         What is decided already, in `.hipshift/decisions.toml`, is followed by all of them."
    )
}

/// Runs until the person has seen enough. After every key that decides something the decisions are on disk.
fn hold(review: &mut Review<'_>) -> anyhow::Result<()> {
    let mut terminal = Terminal::open().context("taking the terminal")?;
    review.size = screen_size();
    terminal.draw(&frame(review))?;
    loop {
        let mut step = match next_input().context("reading a key")? {
            Input::Key(key) => review.press(key),
            Input::Resized(columns, rows) => {
                review.size = (columns, rows);
                Step::Draw
            }
        };
        if let Step::Edit { lines, extension } = step {
            drop(terminal);
            let encoding =
                review.items.get(review.at).map_or(crate::source::Encoding::Utf8, |(_, file)| file.file.encoding);
            let result = edit(&lines, &extension, encoding);
            terminal = Terminal::open().context("taking the terminal")?;
            review.size = screen_size();
            step = review.edited(&lines, result.map_err(|error| format!("{error:#}")));
        }
        match step {
            Step::Quit => return Ok(()),
            Step::Save => review.items.decisions.write()?,
            Step::Draw | Step::Edit { .. } => {}
        }
        terminal.draw(&frame(review))?;
    }
}

/// Says how it stands, and what comes next.
fn report(review: &Review<'_>, counts: Counts, arguments: &Arguments) -> anyhow::Result<()> {
    use std::io::Write as _;
    let mut out = super::super::output::screen();
    let Counts { accepted, rejected, edited, undecided } = counts;
    let total = plural(review.items.list.len(), "hunk");
    writeln!(out, "{total}: {accepted} accepted, {rejected} rejected, {edited} edited, {undecided} undecided")?;
    if accepted + rejected + edited > 0 {
        writeln!(out, "decisions are in {}", review.items.decisions.shown_path())?;
    }
    let paths = paths(arguments);
    if undecided > 0 {
        writeln!(out, "next: `hipshift review {paths}` goes on; undecided safe fixes count as accepted")?;
    } else {
        writeln!(
            out,
            "next: `hipshift diff {paths}` shows the result, `hipshift convert {paths} --in-place` writes it"
        )?;
    }
    out.flush()?;
    Ok(())
}
