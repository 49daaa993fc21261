//! One build file of CMake for CUDA and HIP: where the forms differ, both stand in it, and the variable `USE_HIP` chooses.

use std::ops::Range;

use super::guard_lines::Lines;
use super::guarded::grouped;
use crate::analysis::{Reader, SwitchRole};
use crate::build::{
    Block, Command, FILLED_SWITCH, PLATFORM, SWITCH, Token, TokenKind, blocks, commands, is_template, names_platform,
    sets_switch, tokens, turns,
};
use crate::source::{LineChange, LineDiff, LinedText, Newline, Patch, SourceFile, TextSize};
use crate::syntax::Document;

/// A text of CMake with its commands and blocks.
struct Read<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    commands: Vec<Command>,
    blocks: Vec<Block>,
}

impl<'t> Read<'t> {
    /// Nothing if the blocks do not close as they open, or something stands between commands that CMake cannot read: a second run
    /// might take it for something else.
    fn of(text: &'t str) -> Option<Read<'t>> {
        let tokens = tokens(text);
        let commands = commands(text, &tokens);
        let mut ends = commands.iter().map(|command| command.range).peekable();
        let is_known = |token: &Token| {
            while ends.next_if(|range| range.end() <= token.range.start()).is_some() {}
            let is_within = ends.peek().is_some_and(|range| range.contains_range(token.range));
            // What a template has filled in.
            let word = &text[token.range];
            let is_filled = token.kind == TokenKind::Word && word.starts_with('@') && word.ends_with('@');
            is_within || is_filled || matches!(token.kind, TokenKind::Blank | TokenKind::Newline | TokenKind::Comment)
        };
        tokens.iter().all(is_known).then_some(())?;
        let blocks = blocks(text, &commands)?;
        Some(Read { text, tokens, commands, blocks })
    }

    fn lines(&self) -> Lines {
        Lines::of_cmake(self.text, &self.tokens, (&self.commands, &self.blocks))
    }

    fn is(&self, command: &Command, name: &str) -> bool {
        self.text[command.name].eq_ignore_ascii_case(name)
    }

    /// The first command that gives the variable a value.
    fn setting(&self) -> Option<&Command> {
        self.commands.iter().find(|command| sets_switch(self.text, command))
    }

    /// Whether the file has all that is declared.
    fn declares(&self) -> bool {
        self.setting().is_some() && self.commands.iter().any(|command| names_platform(self.text, command))
    }

    /// The line in front of which the variable is declared: behind the release of CMake that the file asks for, or in front of all
    /// commands if something differs before that.
    fn place_of_option(&self, lines: &Lines, groups: &[LineChange]) -> usize {
        let line = |at: TextSize| lines.line_of(at);
        let is_within = |command: &Command| {
            let holds = |block: &Block| {
                let ends = block.commands.first().zip(block.commands.last());
                ends.is_some_and(|(first, last)| {
                    let (first, last) = (&self.commands[*first], &self.commands[*last]);
                    first.range.start() < command.range.start() && command.range.start() < last.range.start()
                })
            };
            self.blocks.iter().any(holds)
        };
        let mut asking = self.commands.iter().filter(|command| self.is(command, "cmake_minimum_required"));
        let behind = asking.find(|command| !is_within(command)).map(|command| line(command.range.end()) + 1);
        let first_group = groups.first().map_or(usize::MAX, |group| group.old.start);
        let first_command = self.commands.first().map_or(0, |command| line(command.range.start()));
        // A comment may end in front of a command, on its line.
        let first = (0..=first_command.min(first_group)).rev().find(|line| lines.is_free(*line)).unwrap_or_default();
        behind.filter(|behind| *behind <= first_group && lines.is_free(*behind)).unwrap_or(first)
    }
}

/// The text of a file of CMake with what `patch` changes beside what was there: `USE_HIP` chooses what `convert` makes of the file,
/// and what the file was is read else. If it declares, the file says that there is this variable, and has sources that are read
/// for HIP know it; the project's own variable counts. Nothing if the blocks of the file do not close as they open.
pub fn switched(document: &Document, patch: &Patch, role: SwitchRole) -> Option<String> {
    let (mark, text) = split_mark(document.text());
    let applied = patch.apply(document.text());
    let new = split_mark(&applied).1;
    let old = Read::of(text)?;
    let declares = role.declares && !old.declares();
    if text == new && !declares {
        return Some(document.text().to_owned());
    }
    let (newline, changed) = (document.file().newline, Read::of(new)?);
    let diff = lines_that_differ(text, new);
    let (lines, new_lines) = (old.lines(), changed.lines());
    let groups = grouped(&diff, (&lines, &new_lines));
    let texts = (&LinedText::new(text), &LinedText::new(new));
    let form = Form::of(document.file(), role);
    let written = write(texts, &groups, (newline, form), None);
    says_both(&written, text, new).then_some(())?;
    let more = || match old.setting() {
        Some(setting) => (place_of_platform(setting, &lines, &groups), platform_lines(newline)),
        None => (old.place_of_option(&lines, &groups), option_lines(newline)),
    };
    let whole = write(texts, &groups, (newline, form), declares.then(more));
    // Quotes that nobody closes may hold what was declared.
    (!declares || Read::of(&whole)?.declares()).then_some(())?;
    Some(format!("{mark}{whole}"))
}

/// A byte order mark, and what stands behind it.
fn split_mark(text: &str) -> (&str, &str) {
    text.split_at(if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 })
}

/// The lines in which two texts differ.
fn lines_that_differ(old: &str, new: &str) -> Vec<LineChange> {
    let mut patch = Patch::default();
    let whole = crate::source::range(0, old.len());
    // A fresh patch refuses no edit.
    let _ = patch.try_add(&[crate::source::Edit::replace(whole, new)]);
    LineDiff::between(old, &Patch::default(), &patch).changes
}

/// How the variable is written.
#[derive(Debug, Clone, Copy)]
struct Form(&'static str);

impl Form {
    /// A template is filled in when the project is built, and read where it is used.
    fn of(file: &SourceFile, role: SwitchRole) -> Form {
        Form(if role.reader == Reader::Filling || is_template(&file.path) { FILLED_SWITCH } else { SWITCH })
    }
}

/// The first line behind the command that sets the variable where something may stand that both sides read.
fn place_of_platform(setting: &Command, lines: &Lines, groups: &[LineChange]) -> usize {
    let mut place = lines.line_of(setting.range.end()) + 1;
    while !lines.is_free(place) {
        place += 1;
    }
    let around = groups.iter().find(|group| group.old.start < place && place < group.old.end);
    around.map_or(place, |group| group.old.end)
}

/// What declares the variable.
fn option_lines(newline: Newline) -> String {
    format!("option({SWITCH} \"Build for AMD GPUs with HIP\" OFF){}{}", newline.as_str(), platform_lines(newline))
}

/// What tells sources that a compiler for C++ reads that they are built for HIP: they have no other way to know it.
fn platform_lines(newline: Newline) -> String {
    let lines = [&format!("if({SWITCH})"), &format!("  add_compile_definitions({PLATFORM})"), "endif()"];
    lines.iter().flat_map(|line| [*line, newline.as_str()]).collect()
}

/// Both texts in one. `option` are lines that belong to both, in front of a line of the old text.
fn write(
    (old, new): (&LinedText<'_>, &LinedText<'_>),
    groups: &[LineChange],
    (newline, form): (Newline, Form),
    option: Option<(usize, String)>,
) -> String {
    let mut out = String::with_capacity(old.text().len() + new.text().len());
    let (mut at, mut option) = (0, option);
    let mut copy = |out: &mut String, lines: Range<usize>| {
        let declared = option.take_if(|(line, _)| lines.contains(line) || *line == lines.end);
        let middle = declared.as_ref().map_or(lines.end, |(line, _)| *line);
        push_lines(out, old.lines(lines.start..middle), newline, declared.is_some());
        out.extend(declared.map(|(_, text)| text));
        push_lines(out, old.lines(middle..lines.end), newline, false);
    };
    for group in groups {
        copy(&mut out, at..group.old.start);
        write_group(&mut out, (old, new), group, (newline, form));
        at = group.old.end;
    }
    copy(&mut out, at..old.count());
    out
}

/// Adds lines, with an end of the last one if something comes behind it.
fn push_lines<'l>(out: &mut String, lines: impl Iterator<Item = &'l str>, newline: Newline, goes_on: bool) {
    out.extend(lines);
    if goes_on && !out.is_empty() && !out.ends_with('\n') {
        out.push_str(newline.as_str());
    }
}

fn write_group(
    out: &mut String,
    (old, new): (&LinedText<'_>, &LinedText<'_>),
    group: &LineChange,
    (newline, form): (Newline, Form),
) {
    let mut parts = [String::new(), String::new()];
    push_lines(&mut parts[0], new.lines(group.new.clone()), newline, true);
    push_lines(&mut parts[1], old.lines(group.old.clone()), newline, true);
    let [hip, cuda] = parts;
    let first = [&hip, &cuda].into_iter().flat_map(|part| part.lines()).find(|line| !line.trim().is_empty());
    let indent = first.map_or("", |line| &line[..line.len() - line.trim_start().len()]);
    let (end, switch) = (newline.as_str(), form.0);
    let open = if hip.is_empty() { format!("if(NOT {switch})") } else { format!("if({switch})") };
    push_lines(out, std::iter::empty(), newline, true);
    out.extend([indent, &open, end, &hip]);
    if !hip.is_empty() && !cuda.is_empty() {
        out.extend([indent, "else()", end]);
    }
    out.extend([&cuda, indent, "endif()", end]);
}

/// Whether the text is the old one without HIP and the new one with it, for a reader who knows CMake's blocks only. The last line
/// may have got an end. Parts of an earlier run may be in all three.
fn says_both(text: &str, old: &str, new: &str) -> bool {
    let same = |hip: bool, expected: &str| {
        let sides = [text, expected].map(|text| one_side(text, hip));
        let [Some(seen), Some(expected)] = sides else { return false };
        seen == expected || seen.trim_end_matches(['\r', '\n']) == expected
    };
    same(false, old) && same(true, new)
}

/// What CMake reads of a text, for HIP or not, as far as the variable decides. Nothing if its blocks do not close as they open.
fn one_side(text: &str, hip: bool) -> Option<String> {
    let read = Read::of(text)?;
    let mut out = String::with_capacity(text.len());
    // For each open `if`: whether what is in it is read.
    let mut open: Vec<bool> = Vec::new();
    let mut at = 0;
    for turn in turns(text, &read.commands) {
        let command = &read.commands[turn.command];
        let (start, end) = (usize::from(command.range.start()), usize::from(command.range.end()));
        let line = text[..start].rfind('\n').map_or(0, |before| before + 1);
        if open.iter().all(|read| *read) {
            out.push_str(text.get(at..line)?);
        }
        if !read.is(command, "if") {
            open.pop();
        }
        open.extend(turn.hip.map(|is_hip| is_hip == hip));
        at = text[end..].find('\n').map_or(text.len(), |newline| end + newline + 1);
    }
    open.is_empty().then(|| out.push_str(text.get(at..).unwrap_or_default()))?;
    Some(out)
}
