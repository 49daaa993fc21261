//! What becomes of the start of a name in a macro, `#define CALL(f) cuda##f`, judged by all names that its uses make.

use std::rc::Rc;

use super::context::Context;
use super::name::{Broken, Started};
use crate::analysis::{HandedAt, HandedName, HandedNames, NameRest};
use crate::mapping::{CallRule, Entry, Kind, Resolution, Support};
use crate::syntax::TokenIdx;

/// What becomes of the start at `token`, where a parameter of a macro follows it.
pub(super) fn started<'d>(token: TokenIdx, cx: &Context<'d>) -> Option<Rc<Started<'d>>> {
    let (starts, _) = cx.facts.name_starts(cx.document);
    let (rest, start) = (starts.get(token)?, cx.document.token_text(token));
    if let Some(known) = cx.started.borrow().get(&(rest, start)) {
        return Some(Rc::clone(known));
    }
    let found = Rc::new(judge(start, rest, cx));
    cx.started.borrow_mut().insert((rest, start), Rc::clone(&found));
    Some(found)
}

fn judge<'d>(start: &str, rest: &'d NameRest, cx: &Context<'d>) -> Started<'d> {
    let (_, own) = cx.facts.name_starts(cx.document);
    let file = &cx.document.file().path;
    let handed = HandedNames::all_of([own, &cx.project.handed_names], &rest.parameter);
    let (mut to, mut differing) = (None, Vec::new());
    let (mut changed, mut reason) = (None, None);
    for (handed, at) in handed {
        let handed = &*rest.made(handed);
        let name = format!("{start}{}", handed.name);
        let made = made(&name, handed, cx).and_then(|(begin, entry)| match &to {
            Some(known) if *known != begin => {
                Err(format!("`{name}` begins with `{begin}` in HIP, others with `{known}`"))
            }
            _ => Ok((begin, entry)),
        });
        // What stands in this file is told first, as the place can be shown.
        let is_better = |known: &Option<(String, &HandedAt)>| {
            known.as_ref().is_none_or(|(_, known)| known.file != *file && at.file == *file)
        };
        match made {
            Ok((begin, entry)) => {
                to = Some(begin);
                if entry.support != Support::Full {
                    differing.push((name.clone(), entry));
                }
            }
            Err(why) if is_better(&reason) => reason = Some((why, at)),
            Err(_) => {}
        }
        if is_better(&changed) && is_changed(&name, cx) {
            changed = Some((name, at));
        }
    }
    match (to, changed, reason) {
        (Some(to), Some(_), None) if to != start => Started::Renamed(to, differing),
        (_, Some((name, at)), Some((reason, reason_at))) => {
            Started::Broken(Box::new(Broken { name, at, reason, reason_at }))
        }
        _ => Started::Open,
    }
}

/// Whether a name is CUDA's, and HIP has no such name.
fn is_changed(name: &str, cx: &Context<'_>) -> bool {
    !is_own(name, cx) && cx.resolve(name).is_some_and(|found| !matches!(found, Resolution::Name(to, _) if to == name))
}

fn is_own(name: &str, cx: &Context<'_>) -> bool {
    cx.facts.declared.get(name).is_some()
        || cx.project.own_names.contains_key(name)
        || cx.settings.ignored_names.contains(name)
}

/// What a name that a use makes begins with in HIP, where nothing else changes; else why not.
fn made<'d>(name: &str, handed: &HandedName, cx: &Context<'d>) -> Result<(String, &'d Entry), String> {
    if handed.name.is_empty() {
        return Err("what is handed over here is no single name".to_owned());
    }
    if is_own(name, cx) {
        return Err(format!("`{name}` is the project's own"));
    }
    let entry = match cx.resolve(name) {
        Some(Resolution::Name(to, entry)) => {
            let begin = to.strip_suffix(&*handed.name).filter(|begin| !begin.is_empty());
            let Some(begin) = begin else { return Err(format!("`{name}` is `{to}` in HIP")) };
            Ok((begin.to_owned(), entry))
        }
        Some(Resolution::Missing(_)) => Err(format!("`{name}` has no counterpart in HIP")),
        Some(Resolution::OtherRelease(_)) => Err(format!("`{name}` has no counterpart in this release of HIP")),
        None => Err(format!("nothing is known of `{name}`")),
    }?;
    let is_plain = matches!(entry.1.kind, Kind::Function | Kind::Type | Kind::Constant | Kind::Macro);
    if !is_plain || entry.1.support < Support::Differs {
        return Err(format!("`{name}` covers some uses only in HIP"));
    }
    if cx.table.calls_of(name).iter().any(|rule| may_apply(rule, handed)) {
        return Err(format!("the arguments of `{name}` change in HIP"));
    }
    Ok(entry)
}

/// Whether a rule may change the call. One that writes nothing is about arguments of types that HIP lacks, which are told where
/// they are named.
fn may_apply(rule: &CallRule, handed: &HandedName) -> bool {
    let tells_only = rule.typed.is_some() && rule.template.is_empty();
    let is_other_call = rule.arguments.zip(handed.arguments).is_some_and(|(wanted, given)| wanted != given);
    !tells_only && !is_other_call
}
