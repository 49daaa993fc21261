//! What the rules about names share.

use crate::mapping::{CallRule, Part};
use crate::rules::context::Context;
use crate::rules::query::Name;
use crate::source::{Edit, Piece};
use crate::syntax::{Call, Document};

/// A call whose arguments change, and the rule that says how.
pub(super) struct ChangedArguments<'d> {
    pub(super) call: Call,
    pub(super) rule: &'d CallRule,
}

/// The call rule for the call at `name`, if it is a call and one of the rules fits it.
pub(super) fn changed_arguments<'d>(name: &Name<'_>, cx: &Context<'d>) -> Option<ChangedArguments<'d>> {
    let rules = cx.table.calls_of(&name.text);
    if rules.is_empty() {
        return None;
    }
    let call = Call::at(cx.document, name.token)?;
    let library = cx.table.get(&name.text).first().map_or("", |entry| entry.library);
    let flavor = cx.settings.libraries.flavor(library);
    let rule = rules.iter().find(|rule| {
        rule.arguments.is_none_or(|count| count == call.arguments.len())
            && rule.flavor.is_none_or(|wanted| wanted == flavor)
            && rule.range.contains(cx.settings.rocm)
    })?;
    Some(ChangedArguments { call, rule })
}

/// The edits that make of `call` what `template` says; `None` if the call lacks an argument that
/// the template names.
///
/// Where all arguments stay in order, only what stands around them is changed, so layout and
/// comments survive; else the argument list is put together anew from kept arguments.
pub(super) fn edits_for(document: &Document, call: &Call, template: &[Part]) -> Option<Vec<Edit>> {
    let parts = expand(template, call.arguments.len())?;
    let in_place = edits_in_place(document, call, &parts);
    in_place.or_else(|| Some(vec![edit_as_whole(document, call, &parts)]))
}

/// A template with every rest spelt out and neighbouring texts joined.
fn expand(template: &[Part], count: usize) -> Option<Vec<Part>> {
    let mut parts: Vec<Part> = Vec::new();
    for part in template {
        match part {
            Part::Text(text) => push_text(&mut parts, text),
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

fn edits_in_place(document: &Document, call: &Call, parts: &[Part]) -> Option<Vec<Edit>> {
    let order: Vec<usize> =
        parts.iter().filter_map(|part| if let Part::Argument(n) = part { Some(*n) } else { None }).collect();
    if call.arguments.is_empty() || !order.iter().copied().eq(0..call.arguments.len()) {
        return None;
    }
    let texts = texts_between(parts);
    let (head, tail) = (texts.first()?, texts.last()?);
    let (name, prefix) = head.split_once('(')?;
    let suffix = tail.strip_suffix(')')?;
    let mut edits = vec![Edit::replace(document.token(call.name)?.range(), name)];
    insert(&mut edits, call.arguments.first()?.start(), prefix);
    for (between, pair) in texts[1..texts.len() - 1].iter().zip(call.arguments.windows(2)) {
        let (after, before) = between.split_once(", ")?;
        insert(&mut edits, pair[0].end(), after);
        insert(&mut edits, pair[1].start(), before);
    }
    insert(&mut edits, call.arguments.last()?.end(), suffix);
    Some(edits)
}

fn insert(edits: &mut Vec<Edit>, at: crate::source::TextSize, text: &str) {
    if !text.is_empty() {
        edits.push(Edit::insert(at, text));
    }
}

/// The texts before, between and after the arguments.
fn texts_between(parts: &[Part]) -> Vec<&str> {
    let mut texts = vec![""];
    for part in parts {
        match part {
            Part::Text(text) => {
                if let Some(last) = texts.last_mut() {
                    *last = text;
                }
            }
            Part::Argument(_) | Part::Rest(_) => texts.push(""),
        }
    }
    texts
}

fn edit_as_whole(document: &Document, call: &Call, parts: &[Part]) -> Edit {
    let pieces = parts.iter().filter_map(|part| match part {
        Part::Text(text) => Some(Piece::Text(text.to_string())),
        Part::Argument(number) => call.arguments.get(*number).map(|&argument| Piece::Keep(argument)),
        Part::Rest(_) => None,
    });
    Edit { range: call.range(document), pieces: pieces.collect() }
}
