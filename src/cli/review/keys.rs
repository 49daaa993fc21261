//! Which key does what.

use super::screen::{body_height, body_rows};
use super::state::{Key, Mode, Review, Step};
use crate::diagnostic::Verdict;
use crate::report::rule_page;

/// All keys, and what they do.
const HELP: &[(&str, &str)] = &[
    ("y", "accept: runs apply the fixes, also unsafe ones"),
    ("n", "reject: runs do not apply them"),
    ("e", "edit the result in $VISUAL or $EDITOR; runs write that text"),
    ("s", "split into lines, then into single fixes"),
    ("r", "give a reason, which stands beside the decision"),
    ("u", "take the decision back"),
    ("a, d", "accept, reject all undecided hunks of this file"),
    ("A, D", "accept, reject all undecided fixes of this rule, in all files"),
    ("j", "skip: leave it undecided, go to the next that is"),
    ("b, left", "back to the hunk before, decided or not"),
    ("right", "the hunk behind, decided or not"),
    ("/", "search in paths, rules, messages and lines; Enter alone repeats"),
    ("space, up, down", "move in a long hunk; page keys, too"),
    ("x", "explain the rules of this hunk"),
    ("?", "this help"),
    ("q", "quit; every decision is kept already"),
];

fn help() -> String {
    let row = |(keys, what): &(&str, &str)| format!("  {keys:<16} {what}\n");
    HELP.iter().map(row).collect()
}

impl Review<'_> {
    /// Follows a key that is a command.
    pub(super) fn command(&mut self, key: Key) -> Step {
        let Key::Char(letter) = key else { return self.move_by(key) };
        match letter {
            'y' => self.decide(Verdict::Accept),
            'n' => self.decide(Verdict::Reject),
            'e' => self.edit(),
            's' => self.split(),
            'u' => self.take_back(),
            'a' => self.decide_file(&Verdict::Accept),
            'd' => self.decide_file(&Verdict::Reject),
            'A' => self.ask_rule(Verdict::Accept),
            'D' => self.ask_rule(Verdict::Reject),
            'r' if self.is_at_end() => self.nothing_left(),
            'r' => {
                let reason = self.items.list.get(self.at).map_or_else(String::new, |item| item.reason.clone());
                self.enter(Mode::Reason(reason))
            }
            'j' => {
                self.go_on(self.at + 1);
                Step::Draw
            }
            'b' => self.move_by(Key::Left),
            ' ' => self.move_by(Key::PageDown),
            '/' => self.enter(Mode::Search(String::new())),
            'x' => self.rule_pages(),
            '?' | 'h' => self.enter(Mode::Page(help())),
            'q' => Step::Quit,
            other => {
                self.say(&format!("`{}` is no command; ? lists all", other.escape_default()));
                Step::Draw
            }
        }
    }

    /// Scrolls a page, or leaves it.
    pub(super) fn read_on(&mut self, key: Key, text: String) -> Step {
        let scrolls = matches!(key, Key::Up | Key::Down | Key::PageUp | Key::PageDown | Key::Char(' '));
        if !scrolls {
            self.scroll = 0;
            return Step::Draw;
        }
        self.mode = Mode::Page(text);
        self.move_by(if key == Key::Char(' ') { Key::PageDown } else { key })
    }

    /// The pages of the rules of this hunk.
    fn rule_pages(&mut self) -> Step {
        let pages: Vec<String> = self.items.rules(self.at).into_iter().map(rule_page).collect();
        if pages.is_empty() {
            return self.nothing_left();
        }
        self.enter(Mode::Page(pages.join("\n")))
    }

    /// Goes to other hunks, or to other rows of a long one.
    fn move_by(&mut self, key: Key) -> Step {
        let page = body_height(self.size).saturating_sub(1).max(1);
        let last = body_rows(self).len().saturating_sub(body_height(self.size));
        match key {
            Key::Left if self.at > 0 => self.go_to(self.at - 1),
            Key::Left => self.say("this is the first hunk"),
            Key::Right if self.at + 1 < self.items.list.len() => self.go_to(self.at + 1),
            Key::Right => self.say("this is the last hunk"),
            Key::Up => self.scroll = self.scroll.saturating_sub(1),
            Key::Down => self.scroll = (self.scroll + 1).min(last),
            Key::PageUp => self.scroll = self.scroll.saturating_sub(page),
            Key::PageDown => self.scroll = (self.scroll + page).min(last),
            Key::Enter if self.is_at_end() => return Step::Quit,
            _ => {}
        }
        Step::Draw
    }
}
