//! The edits that make of a call what a template of `calls.toml` says.
//!
//! Where the arguments stay in order, only what stands around them is changed, so layout and
//! comments survive. Else the argument list is put together anew from kept arguments, each with
//! the comments beside it.

use crate::mapping::{Part, RocmVersion};
use crate::source::{Edit, Piece, TextRange, TextSize, range};
use crate::syntax::{Call, Document, Token, TokenKind};

/// Why a call cannot be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Obstacle {
    /// The template names an argument that the call lacks.
    MissingArgument,
    /// A directive stands among arguments that would have to change.
    Directive,
}

/// A changed call.
pub(super) struct Change {
    pub(super) edits: Vec<Edit>,
    /// An argument that does more than name something is evaluated twice.
    pub(super) repeats_effects: bool,
}

/// The edits that make of `call`, whose name with its qualifiers is `name`, what `template` says.
pub(super) fn change(
    document: &Document,
    name: TextRange,
    call: &Call,
    template: &[Part],
    release: RocmVersion,
) -> Result<Change, Obstacle> {
    let parts = expand(template, call.arguments.len(), release).ok_or(Obstacle::MissingArgument)?;
    let order: Vec<usize> =
        parts.iter().filter_map(|part| if let Part::Argument(n) = part { Some(*n) } else { None }).collect();
    let in_order = order.is_sorted_by(|a, b| a < b);
    let shape = Shape::of(&parts);
    let directive = first_directive(document, call);
    if (!in_order || shape.is_none()) && directive.is_some() {
        return Err(Obstacle::Directive);
    }
    let edits = match shape {
        Some(shape) if in_order => edits_in_place(document, name, call, &shape),
        Some(shape) => reordered(document, name, call, &shape),
        None => vec![rewritten(document, name, call, &parts)],
    };
    // Which argument is which depends on the `#if` for all that follow it.
    if directive.is_some_and(|directive| edits.iter().any(|edit| edit.range.end() > directive)) {
        return Err(Obstacle::Directive);
    }
    let mut sorted = order;
    sorted.sort_unstable();
    let repeated = sorted.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]);
    let repeats_effects = repeated.filter_map(|n| call.arguments.get(n)).any(|&range| !only_names(document, range));
    Ok(Change { edits, repeats_effects })
}

/// A template with every rest and the release spelt out, for a call with `count` arguments; nothing if it has too few.
pub(crate) fn expand(template: &[Part], count: usize, release: RocmVersion) -> Option<Vec<Part>> {
    let mut parts: Vec<Part> = Vec::new();
    for part in template {
        match part {
            Part::Text(text) => push_text(&mut parts, text),
            Part::Release => push_text(&mut parts, &(release.major * 100 + release.minor).to_string()),
            Part::Argument(number) if *number < count => parts.push(Part::Argument(*number)),
            Part::Argument(_) => return None,
            Part::Rest(first) if *first < count => {
                for number in *first..count {
                    if number > *first {
                        push_text(&mut parts, ", ");
                    }
                    parts.push(Part::Argument(number));
                }
            }
            Part::Rest(_) => drop_comma(&mut parts),
        }
    }
    Some(parts)
}

fn push_text(parts: &mut Vec<Part>, text: &str) {
    match parts.last_mut() {
        Some(Part::Text(last)) => *last = format!("{last}{text}").into(),
        _ => parts.push(Part::Text(text.into())),
    }
}

/// An empty rest leaves no comma before it.
fn drop_comma(parts: &mut [Part]) {
    if let Some(Part::Text(last)) = parts.last_mut() {
        *last = last.trim_end_matches(", ").into();
    }
}

/// A template that is a plain call, each of whose arguments holds one old argument at the most.
struct Shape {
    name: String,
    places: Vec<Place>,
}

/// One argument of the new call.
#[derive(Default)]
struct Place {
    before: String,
    argument: Option<usize>,
    after: String,
}

impl Shape {
    fn of(parts: &[Part]) -> Option<Shape> {
        let mut reader = ShapeReader { shape: Shape { name: String::new(), places: Vec::new() }, depth: 0 };
        let mut place = Place::default();
        for part in parts {
            match part {
                Part::Text(text) => text.chars().try_for_each(|c| reader.read(c, &mut place))?,
                Part::Argument(number) if reader.depth > 0 && place.argument.is_none() => {
                    place.argument = Some(*number);
                }
                _ => return None,
            }
        }
        let complete = reader.depth == 0 && !reader.shape.places.is_empty();
        reader.shape.places.retain(|place| place.argument.is_some() || !place.before.is_empty());
        complete.then_some(reader.shape)
    }
}

struct ShapeReader {
    shape: Shape,
    depth: usize,
}

impl ShapeReader {
    /// Reads one character; `None` if the template is no plain call.
    fn read(&mut self, c: char, place: &mut Place) -> Option<()> {
        if self.depth == 0 {
            let ended = !self.shape.places.is_empty();
            match c {
                '(' if !ended && !self.shape.name.is_empty() => self.depth = 1,
                _ if ended || !(c.is_ascii_alphanumeric() || matches!(c, '_' | ':')) => return None,
                _ => self.shape.name.push(c),
            }
            return Some(());
        }
        match c {
            '(' => self.depth += 1,
            ')' => self.depth -= 1,
            _ => {}
        }
        let ends_place = self.depth == 0 || (c == ',' && self.depth == 1);
        let leads = place.before.is_empty() && place.argument.is_none();
        if ends_place {
            self.shape.places.push(std::mem::take(place));
        } else if place.argument.is_some() {
            place.after.push(c);
        } else if !(leads && c == ' ') {
            place.before.push(c);
        }
        Some(())
    }
}

impl Place {
    /// What stands before and after the argument; nothing if it is wrapped already.
    fn wrap(&self, document: &Document, argument: TextRange) -> (&str, &str) {
        let wrapped = is_wrapped(document.slice(argument), &self.before);
        if wrapped { ("", "") } else { (&self.before, &self.after) }
    }
}

/// Whether `argument` starts with the macro or cast `wrapper`, or with a cast as good.
fn is_wrapped(argument: &str, wrapper: &str) -> bool {
    let wrapper: String = without_blanks(wrapper).collect();
    let as_good: &[&str] = match wrapper.as_str() {
        "" => return false,
        "reinterpret_cast<constvoid*>(" => {
            &["(void*)", "(constvoid*)", "(voidconst*)", "reinterpret_cast<void*>(", "static_cast<constvoid*>("]
        }
        "reinterpret_cast<void**>(" => &["(void**)"],
        _ => &[],
    };
    let starts_with = |start: &str| without_blanks(argument).take(start.chars().count()).eq(start.chars());
    starts_with(&wrapper) || as_good.iter().any(|cast| starts_with(cast))
}

fn without_blanks(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|c| !c.is_whitespace())
}

/// Edits around arguments that stay in order.
fn edits_in_place(document: &Document, name: TextRange, call: &Call, shape: &Shape) -> Vec<Edit> {
    let mut edits = Vec::new();
    if document.slice(name) != shape.name {
        edits.push(Edit::replace(name, &*shape.name));
    }
    let arguments = &call.arguments;
    let end_of = |number: usize| arguments.get(number).map(|argument| argument.end());
    // The end of the last kept argument and what is to follow it there.
    let mut kept: Option<(TextSize, String)> = None;
    let mut new_front = String::new();
    for place in &shape.places {
        let old = place.argument.and_then(|number| Some((number, *arguments.get(number)?)));
        let Some((number, argument)) = old else {
            match &mut kept {
                Some((_, after)) => after.extend([", ", &place.before]),
                None => new_front.extend([&place.before, ", "]),
            }
            continue;
        };
        let (before, after) = place.wrap(document, argument);
        let front = match kept.take() {
            Some((end, after)) => {
                let dropped = TextRange::new(end, number.checked_sub(1).and_then(end_of).unwrap_or(end));
                change_range(&mut edits, dropped, after);
                TextRange::empty(argument.start())
            }
            None => TextRange::new(arguments.first().map_or(argument.start(), |first| first.start()), argument.start()),
        };
        change_range(&mut edits, front, std::mem::take(&mut new_front) + before);
        kept = Some((argument.end(), after.to_owned()));
    }
    match (kept, arguments.last()) {
        (Some((end, after)), Some(last)) => change_range(&mut edits, TextRange::new(end, last.end()), after),
        _ => change_range(&mut edits, inside(document, call), new_front.trim_end_matches(", ").to_owned()),
    }
    edits
}

fn change_range(edits: &mut Vec<Edit>, range: TextRange, text: String) {
    if !(range.is_empty() && text.is_empty()) {
        edits.push(Edit::replace(range, text));
    }
}

/// The bytes between the parentheses.
fn inside(document: &Document, call: &Call) -> TextRange {
    let open = document.range_of(call.open..call.open + 1);
    let close = document.range_of(call.close..call.close + 1);
    TextRange::new(open.end(), close.start())
}

/// The argument list put together anew: blanks stay with their place, comments with their argument.
fn reordered(document: &Document, name: TextRange, call: &Call, shape: &Shape) -> Vec<Edit> {
    let mut edits = vec![Edit::replace(name, &*shape.name)];
    let slots = slots(document, call);
    let mut pieces = Vec::new();
    for (number, place) in shape.places.iter().enumerate() {
        if number > 0 {
            pieces.push(Piece::Text(",".to_owned()));
        }
        let blanks = match slots.get(number) {
            Some(slot) => document.slice(TextRange::new(slot.whole.start(), slot.content.start())),
            None => " ",
        };
        let kept = place.argument.and_then(|n| Some((call.arguments.get(n)?, slots.get(n)?)));
        let (before, after) = match kept {
            Some((&argument, _)) => place.wrap(document, argument),
            None => (&*place.before, ""),
        };
        pieces.push(Piece::Text(format!("{blanks}{before}")));
        pieces.extend(kept.map(|(_, slot)| Piece::Keep(slot.content)));
        pieces.push(Piece::Text(after.to_owned()));
    }
    pieces.retain(|piece| *piece != Piece::Text(String::new()));
    edits.push(Edit { range: inside(document, call), pieces });
    edits
}

/// An argument with what stands between the commas around it.
struct Slot {
    whole: TextRange,
    /// Without the blanks around; a line comment at its end keeps its line end.
    content: TextRange,
}

fn slots(document: &Document, call: &Call) -> Vec<Slot> {
    let inside = inside(document, call);
    let mut start = inside.start();
    let mut slots = Vec::with_capacity(call.arguments.len());
    for argument in &call.arguments {
        let comma = document.token(document.token_at(argument.end())).map_or(inside, Token::range);
        let whole = TextRange::new(start, comma.start().min(inside.end()));
        slots.push(Slot { whole, content: content(document, whole, *argument) });
        start = comma.end().min(inside.end());
    }
    slots
}

fn content(document: &Document, whole: TextRange, argument: TextRange) -> TextRange {
    let text = document.slice(whole);
    let start = usize::from(whole.start()) + text.len() - text.trim_start().len();
    let trimmed = usize::from(whole.start()) + text.trim_end().len();
    let after = document.slice(TextRange::new(argument.end(), whole.end()));
    let line_comment = after.trim_end().rsplit('\n').next().is_some_and(|line| line.contains("//"));
    let line_end =
        document.text().get(trimmed..).and_then(|rest| rest.find('\n')).map_or(trimmed, |at| trimmed + at + 1);
    let end = if line_comment { line_end } else { trimmed };
    range(start.min(end), end)
}

/// The call as a whole, for templates that are no plain call.
fn rewritten(document: &Document, name: TextRange, call: &Call, parts: &[Part]) -> Edit {
    let pieces = parts.iter().filter_map(|part| match part {
        Part::Text(text) => Some(Piece::Text(text.to_string())),
        Part::Argument(number) => call.arguments.get(*number).map(|&argument| Piece::Keep(argument)),
        Part::Rest(_) | Part::Release => None,
    });
    Edit { range: name.cover(call.range(document)), pieces: pieces.collect() }
}

/// Where the first directive within the call starts.
fn first_directive(document: &Document, call: &Call) -> Option<TextSize> {
    document.directives_in(call.open..call.close).first().map(|directive| directive.range.start())
}

/// Whether evaluating an expression twice does no more than evaluating it once.
fn only_names(document: &Document, expression: TextRange) -> bool {
    let mut idx = document.token_at(expression.start());
    while let Some(token) = document.token(idx).filter(|token| token.range().end() <= expression.end()) {
        let harmless = match token.kind {
            TokenKind::Ident | TokenKind::Number | TokenKind::PathSep | TokenKind::Arrow => true,
            TokenKind::Punct(byte) => matches!(byte, b'.' | b'[' | b']' | b'&' | b'*'),
            _ => false,
        };
        if !harmless {
            return false;
        }
        idx += 1;
    }
    true
}
