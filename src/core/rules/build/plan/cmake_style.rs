//! How options are written in the arguments of CMake's commands.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use super::cmake_call::{Call, ends_values};
use super::cmake_uses::{is_flags, use_of};
use super::planner::Plan;
use super::style::{Style, removal};
use super::variable_use::Use;
use crate::build::{Argument, ArgumentKind, Word, is_handing_on, parts};
use crate::source::{Edit, TextRange, TextSize};

/// Options among the arguments of a command.
pub(super) struct ArgumentStyle<'p> {
    call: Call<'p>,
    /// The arguments that a generator expression holds which an earlier one begins.
    continued: OnceCell<BTreeSet<TextSize>>,
}

/// The words in some arguments. What follows an option for another program stays together.
pub(super) fn words_of(plan: &Plan<'_>, arguments: &[Argument]) -> Vec<Word> {
    let text = plan.text;
    let mut words: Vec<Word> = Vec::new();
    let mut rest = arguments.iter().filter(|argument| argument.kind != ArgumentKind::Bracket);
    while let Some(argument) = rest.next() {
        if argument.kind == ArgumentKind::Bare && is_open(&text[argument.inner]) {
            // Blanks do not end a generator expression.
            let mut whole = argument.inner;
            while is_open(&text[whole]) {
                let Some(next) = rest.next() else { break };
                whole = whole.cover(next.inner);
            }
            words.extend(parts(text, whole));
            continue;
        }
        let is_group = argument.kind == ArgumentKind::Quoted
            && words.last().is_some_and(|before| is_handing_on(&text[before.range]));
        if is_group {
            words.push(Word::new(argument.inner));
        } else {
            words.extend(parts(text, argument.inner));
        }
    }
    words
}

/// Whether a generator expression goes on behind a part of a text.
fn is_open(part: &str) -> bool {
    open_behind(part, 0) > 0
}

/// How many generator expressions are open behind a part of a text, in front of which some are.
fn open_behind(part: &str, mut depth: usize) -> usize {
    for (at, byte) in part.bytes().enumerate() {
        match byte {
            b'<' if part[..at].ends_with('$') => depth += 1,
            b'>' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    depth
}

/// Commands whose arguments are a list, so that one less changes nothing else.
const LISTS: &[&str] = &[
    "add_compile_definitions",
    "add_compile_options",
    "add_custom_command",
    "add_custom_target",
    "add_definitions",
    "add_link_options",
    "execute_process",
    "link_libraries",
    "list",
    "target_compile_definitions",
    "target_compile_options",
    "target_link_libraries",
    "target_link_options",
];

impl Style for ArgumentStyle<'_> {
    fn separator(&self, place: TextRange) -> &'static str {
        let Some(argument) = self.argument(place.start()) else { return " " };
        let text = self.call.plan.slice(argument.inner);
        let is_list = text.contains(';') || text.contains("$<");
        // Several values are a list.
        let is_string = self.gives_one_value() || self.call.is("string") || text.contains(' ');
        match argument.kind {
            _ if self.is_in_group(argument, place) || self.is_of_flags(argument) || self.changes_flags() => " ",
            _ if self.is_only_value(argument, place) => match self.use_of_variable() {
                Use::List if argument.kind == ArgumentKind::Quoted => ";",
                _ => " ",
            },
            _ if is_list || self.needs_quotes(place) => ";",
            ArgumentKind::Quoted if !is_string => ";",
            _ => " ",
        }
    }

    /// CMake drops an option that a target has already, so words that belong together need `SHELL:`.
    fn joined(&self, place: TextRange, words: &[String]) -> String {
        let argument = self.argument(place.start()).filter(|_| words.len() > 1 && words[0].starts_with("-Xarch"));
        let separator = self.separator(place);
        let Some(argument) = argument.filter(|argument| self.takes_options(argument, separator)) else {
            let words_as_one = words.join(separator);
            let is_quoted = words.len() > 1 && self.needs_quotes(place);
            return if is_quoted { format!("\"{words_as_one}\"") } else { words_as_one };
        };
        if self.is_in_group(argument, place) {
            return words.join(" ");
        }
        match argument.kind {
            ArgumentKind::Bare if argument.inner == place && !self.continues(argument) => {
                format!("\"SHELL:{}\"", words.join(" "))
            }
            // A backslash keeps the blank in an argument without quotes.
            ArgumentKind::Bare => format!("SHELL:{}", words.join("\\ ")),
            _ => format!("SHELL:{}", words.join(" ")),
        }
    }

    /// Values of properties are one argument each, or, as those with flags, one text.
    fn needs_quotes(&self, place: TextRange) -> bool {
        let argument = self.argument(place.start());
        argument.is_some_and(|argument| {
            let is_text = || self.is_only_value(argument, place) && self.use_of_variable() == Use::Text;
            let is_one = self.call.sets_pairs() || self.is_of_flags(argument) || is_text();
            argument.kind == ArgumentKind::Bare && argument.inner == place && is_one
        })
    }

    fn takes_pairs(&self, place: TextRange) -> bool {
        let Some(argument) = self.argument(place.start()) else { return true };
        let is_text = self.is_of_flags(argument)
            || self.changes_flags()
            || self.call.is("set") && self.use_of_variable() == Use::Text;
        is_text || self.takes_options(argument, self.separator(place))
    }

    fn is_open(&self, place: TextRange) -> bool {
        let argument = self.argument(place.start()).filter(|argument| self.is_only_value(argument, place));
        let is_quoted = argument.is_some_and(|argument| argument.kind == ArgumentKind::Quoted);
        argument.is_some_and(|_| match self.use_of_variable() {
            Use::Both => true,
            // Without quotes, a list is what is meant.
            Use::Nowhere => is_quoted && !self.call.text(0).to_ascii_uppercase().contains("FLAG"),
            _ => false,
        })
    }

    fn removed(&self, plan: &Plan<'_>, place: TextRange) -> Edit {
        match self.emptied(place) {
            Some(values) => Edit::replace(values, "\"\""),
            None => Edit::delete(removal(plan, place)),
        }
    }
}

impl<'p> ArgumentStyle<'p> {
    pub(super) fn new(call: Call<'p>) -> ArgumentStyle<'p> {
        ArgumentStyle { call, continued: OnceCell::new() }
    }

    /// Whether an argument without quotes stands in an expression that an earlier one begins, so that quotes around it would stay.
    fn continues(&self, argument: &Argument) -> bool {
        let read = || {
            let mut depth = 0;
            let mut continued = BTreeSet::new();
            for other in self.call.arguments() {
                if depth > 0 {
                    continued.insert(other.range.start());
                }
                depth = open_behind(self.call.plan.slice(other.inner), depth);
            }
            continued
        };
        self.continued.get_or_init(read).contains(&argument.range.start())
    }

    fn argument(&self, at: TextSize) -> Option<&Argument> {
        self.call.arguments().iter().find(|argument| argument.range.contains(at))
    }

    /// Whether a place is all that a variable gets as its value.
    fn is_only_value(&self, argument: &Argument, place: TextRange) -> bool {
        let call = self.call;
        let is_first = || call.arguments().get(1).is_some_and(|first| first.inner == place);
        argument.inner == place && is_first() && self.gives_one_value()
    }

    /// Whether the command changes a variable of CMake's that is one text with blanks between options.
    fn changes_flags(&self) -> bool {
        let call = self.call;
        call.is_any(&["set", "string"]) && is_flags(call.text(usize::from(call.is("string"))))
    }

    /// Whether the command gives a variable one value.
    fn gives_one_value(&self) -> bool {
        let call = self.call;
        call.is("set") && (call.arguments().len() <= 2 || ends_values(call.text(2)))
    }

    /// How the variable is read that the command sets.
    fn use_of_variable(&self) -> Use {
        use_of(self.call.plan, self.call.text(0))
    }

    /// Whether `SHELL:` stands in front of a place already.
    fn is_in_group(&self, argument: &Argument, place: TextRange) -> bool {
        let front = self.call.plan.slice(TextRange::new(argument.range.start(), place.start()));
        front.rsplit([';', '>']).next().is_some_and(|front| front.contains("SHELL:"))
    }

    /// Whether an argument is given to a command or property that knows `SHELL:`, which none of a single source does (CMake,
    /// `COMPILE_OPTIONS`).
    fn takes_options(&self, argument: &Argument, separator: &str) -> bool {
        let call = self.call;
        let is_of_source = || call.is("set_source_files_properties") || call.text(0).eq_ignore_ascii_case("SOURCE");
        let is_command = call.is_any(&["add_compile_options", "target_compile_options"]);
        let is_property = || self.property(argument).is_some_and(|name| name.ends_with("COMPILE_OPTIONS"));
        // Words with blanks between them in one argument are one option for CMake, and were before.
        let is_one_text = argument.kind == ArgumentKind::Quoted
            && separator == " "
            && !call.plan.slice(argument.inner).contains("SHELL:");
        (is_command || is_property() && !is_of_source()) && !is_one_text
    }

    /// The property that an argument is a value of.
    fn property(&self, argument: &Argument) -> Option<&str> {
        let call = self.call;
        let before = call.arguments().iter().take_while(|other| other.range.start() < argument.range.start());
        let mut names = before.skip(call.find("PROPERTY").map_or(0, |at| at + 1));
        let name = match () {
            () if call.is("set_property") => names.next(),
            () => names.last().filter(|_| call.sets_pairs()),
        };
        name.map(|name| call.plan.slice(name.inner))
    }

    /// Whether an argument is the value of a property that is one text with blanks between options (CMake, `COMPILE_FLAGS`).
    fn is_of_flags(&self, argument: &Argument) -> bool {
        self.property(argument).is_some_and(|name| name.ends_with("_FLAGS"))
    }

    /// The values that a place takes away altogether, where the command needs some.
    fn emptied(&self, place: TextRange) -> Option<TextRange> {
        let call = self.call;
        let arguments = call.arguments();
        let starts = |argument: &Argument| [argument.range.start(), argument.inner.start()].contains(&place.start());
        let ends = |argument: &Argument| [argument.range.end(), argument.inner.end()].contains(&place.end());
        let (from, to) = (arguments.iter().position(starts)?, arguments.iter().position(ends)?);
        let needs = match () {
            () if call.is("set") => from == 1 && arguments.get(to + 1).is_none_or(|_| ends_values(call.text(to + 1))),
            () if call.is("set_property") => call.find("PROPERTY") == from.checked_sub(2) && to + 1 == arguments.len(),
            () if call.sets_pairs() => true,
            () => !call.is_any(LISTS) && arguments[from].kind == ArgumentKind::Quoted,
        };
        needs.then(|| TextRange::new(arguments[from].range.start(), arguments[to].range.end()))
    }
}
