//! What a review does on each key: no terminal, no files, so that it can be tested by itself.

use super::items::Items;
use crate::diagnostic::{RuleInfo, Verdict};
use crate::mapping::{Resolution, Table};
use crate::report::{Paint, plural};
use crate::settings::Settings;
use crate::source::Encoding;

/// A key that was pressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    Char(char),
    Enter,
    Escape,
    Backspace,
    Up,
    Down,
    Left,
    Right,
    PageUp,
    PageDown,
    /// Ctrl-C.
    Interrupt,
}

/// What the caller has to do after a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// Show the screen.
    Draw,
    /// Write the decisions, then show the screen.
    Save,
    /// Let the person edit lines of a file of this extension, and hand the result to [`Review::edited`].
    Edit { lines: String, extension: String },
    /// End.
    Quit,
}

/// What keys mean at the moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Mode {
    /// A command each.
    Hunk,
    /// Any key that does not scroll goes back to the hunk.
    Page(String),
    /// They are text to search for.
    Search(String),
    /// They are text, the reason of a decision.
    Reason(String),
    /// A digit chooses the rule that is decided about.
    Rule(Verdict),
}

/// A review: its hunks, which of them is shown, and how.
pub(super) struct Review<'r> {
    pub(super) items: Items,
    /// The hunk that is shown; behind the last one when all are decided.
    pub(super) at: usize,
    /// The first row of the hunk that is shown.
    pub(super) scroll: usize,
    pub(super) mode: Mode,
    /// What the last key did, for the person.
    pub(super) message: String,
    /// What was searched for last.
    searched: String,
    /// Columns and rows.
    pub(super) size: (usize, usize),
    pub(super) paint: Paint,
    pub(super) settings: &'r Settings,
    table: &'r Table,
}

impl<'r> Review<'r> {
    /// Starts at the first hunk that is not decided, or at the first of all.
    pub(super) fn new(items: Items, (settings, table): (&'r Settings, &'r Table), paint: Paint) -> Review<'r> {
        let at = items.undecided(0).unwrap_or(0);
        let (mode, size) = (Mode::Hunk, (80, 24));
        let (message, searched) = (String::new(), String::new());
        Review { items, at, scroll: 0, mode, message, searched, size, paint, settings, table }
    }

    /// Follows a key.
    pub(super) fn press(&mut self, key: Key) -> Step {
        self.message.clear();
        if key == Key::Interrupt {
            return Step::Quit;
        }
        match std::mem::replace(&mut self.mode, Mode::Hunk) {
            Mode::Hunk => self.command(key),
            Mode::Page(text) => self.read_on(key, text),
            Mode::Search(text) => self.type_text(key, text, Mode::Search, Review::search),
            Mode::Reason(text) => self.type_text(key, text, Mode::Reason, Review::explain),
            Mode::Rule(verdict) => self.choose_rule(key, &verdict),
        }
    }

    pub(super) fn enter(&mut self, mode: Mode) -> Step {
        self.mode = mode;
        self.scroll = 0;
        Step::Draw
    }

    /// Goes on with a text that is being typed; `enter` takes it.
    fn type_text(
        &mut self,
        key: Key,
        mut text: String,
        mode: fn(String) -> Mode,
        enter: fn(&mut Review<'r>, &str) -> Step,
    ) -> Step {
        match key {
            Key::Enter => return enter(self, &text),
            Key::Escape => return Step::Draw,
            Key::Backspace => drop(text.pop()),
            Key::Char(character) => text.push(character),
            _ => {}
        }
        self.mode = mode(text);
        Step::Draw
    }

    pub(super) fn go_to(&mut self, at: usize) {
        self.at = at;
        self.scroll = 0;
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.at >= self.items.list.len()
    }

    /// Goes to the next hunk that is not decided, or behind the last one.
    pub(super) fn go_on(&mut self, from: usize) {
        match self.items.undecided(from) {
            Some(next) => {
                if next < from && next != self.at {
                    self.say("these are the ones that were skipped");
                }
                self.go_to(next);
            }
            None => self.go_to(self.items.list.len()),
        }
    }

    pub(super) fn say(&mut self, message: &str) {
        if self.message.is_empty() {
            message.clone_into(&mut self.message);
        }
    }

    pub(super) fn decide(&mut self, verdict: Verdict) -> Step {
        if self.is_at_end() {
            return self.nothing_left();
        }
        self.items.decide(self.at, verdict);
        self.go_on(self.at + 1);
        Step::Save
    }

    pub(super) fn nothing_left(&mut self) -> Step {
        self.say("all hunks are decided: q ends, b goes back");
        Step::Draw
    }

    pub(super) fn decide_file(&mut self, verdict: &Verdict) -> Step {
        let Some((item, file)) = self.items.get(self.at) else { return self.nothing_left() };
        let (index, path) = (item.file, file.path().to_owned());
        let count = self.items.decide_file(index, verdict);
        self.message = format!("{} in {path}: {}", plural(count, "undecided hunk"), past(verdict));
        self.go_on(self.at);
        Step::Save
    }

    /// Decides by rule, after a question where a hunk has several.
    pub(super) fn ask_rule(&mut self, verdict: Verdict) -> Step {
        match self.items.rules(self.at).as_slice() {
            [] => self.nothing_left(),
            [only] => self.decide_rule(only, &verdict),
            _ => {
                self.mode = Mode::Rule(verdict);
                Step::Draw
            }
        }
    }

    fn choose_rule(&mut self, key: Key, verdict: &Verdict) -> Step {
        let digit = if let Key::Char(digit) = key { digit.to_digit(10) } else { None };
        let rules = self.items.rules(self.at);
        let rule = digit.and_then(|digit| rules.get((digit as usize).checked_sub(1)?).copied());
        rule.map_or(Step::Draw, |rule| self.decide_rule(rule, verdict))
    }

    fn decide_rule(&mut self, rule: &RuleInfo, verdict: &Verdict) -> Step {
        let count = self.items.decide_rule(rule, verdict);
        self.message = format!("{} of {}: {}", plural(count, "undecided fix"), rule.name, past(verdict));
        self.go_on(self.at);
        Step::Save
    }

    pub(super) fn split(&mut self) -> Step {
        let decided = self.items.list.get(self.at).is_some_and(|item| item.verdict.is_some());
        if self.is_at_end() {
            return self.nothing_left();
        }
        if decided {
            self.say("this hunk is decided; u takes that back");
            return Step::Draw;
        }
        match self.items.split(self.at) {
            0 | 1 => self.say("this is a single fix"),
            parts => self.message = format!("{parts} parts, to be decided one by one"),
        }
        self.scroll = 0;
        Step::Draw
    }

    pub(super) fn take_back(&mut self) -> Step {
        let decided = self.items.list.get(self.at).is_some_and(|item| item.verdict.is_some());
        if !decided {
            self.say("nothing is decided here");
            return Step::Draw;
        }
        self.items.take_back(self.at);
        Step::Save
    }

    fn explain(&mut self, reason: &str) -> Step {
        self.items.explain(self.at, reason.trim().to_owned());
        Step::Save
    }

    /// Starts to edit the lines of the hunk.
    pub(super) fn edit(&mut self) -> Step {
        let Some((item, file)) = self.items.get(self.at) else { return self.nothing_left() };
        let lines = file.lines(&file.on_same_lines(&item.fixes));
        if lines.only_block().is_none() {
            self.say("its lines do not follow each other: s splits the hunk, then edit the parts");
            return Step::Draw;
        }
        let lines = if let Some(Verdict::Edit(text)) = &item.verdict { text.clone() } else { lines.after };
        let extension = file.path().extension().unwrap_or("txt").to_owned();
        Step::Edit { lines, extension }
    }

    /// Takes what became of the lines in an editor.
    pub(super) fn edited(&mut self, before: &str, result: Result<String, String>) -> Step {
        let text = match result {
            Ok(text) => text.replace("\r\n", "\n"),
            Err(problem) => {
                self.message = problem;
                return Step::Draw;
            }
        };
        let Some((_, file)) = self.items.get(self.at) else { return Step::Draw };
        let is_latin1 = file.file.encoding == Encoding::Latin1;
        if is_latin1 && text.chars().any(|character| u32::from(character) > 0xff) {
            self.say("the file is not UTF-8, and cannot hold all characters of this text; nothing is decided");
            return Step::Draw;
        }
        if text == before {
            self.say("the text is as it was, so nothing is decided; y accepts it");
            return Step::Draw;
        }
        let place = self.items.take_whole_lines(self.at);
        self.go_to(place);
        self.decide(Verdict::Edit(text))
    }

    fn search(&mut self, text: &str) -> Step {
        if !text.is_empty() {
            self.searched = text.to_lowercase();
        }
        let count = self.items.list.len();
        let mut others = (1..=count).map(|offset| (self.at + offset) % count);
        match others.find(|&at| self.items.holds(at, &self.searched)) {
            Some(at) => self.go_to(at),
            None => self.message = format!("no hunk holds `{}`", self.searched),
        }
        Step::Draw
    }

    /// Since and until when HIP has what a finding's name becomes.
    pub(super) fn versions(&self, name: &str) -> Option<String> {
        let resolve = |header| self.table.resolve(name, header, self.settings.rocm, &self.settings.libraries);
        let (new, entry) = match resolve(false).or_else(|| resolve(true))? {
            Resolution::Name(new, entry) => (new, entry),
            Resolution::OtherRelease(entry) => (entry.hip, entry),
            Resolution::Missing(_) => return None,
        };
        let since = entry.range.since.map(|version| format!(" from ROCm {version}"));
        let until = entry.range.until.map(|version| format!(" up to ROCm {version}"));
        (since.is_some() || until.is_some())
            .then(|| format!("`{new}`{}{}", since.unwrap_or_default(), until.unwrap_or_default()))
    }
}

/// What was done to a hunk.
pub(super) fn past(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Accept => "accepted",
        Verdict::Reject => "rejected",
        Verdict::Edit(_) => "edited",
    }
}
