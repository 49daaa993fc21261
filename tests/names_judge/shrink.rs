//! Finds the fewest snippets that show a failure.

use std::collections::BTreeMap;
use std::path::Path;

use crate::Tally;
use crate::programs::Program;
use crate::run::{self, Failure};

/// How many failures that need company are taken apart.
const MIXES: usize = 12;

/// A snippet of a run: its program and its place in it.
type Item = (usize, usize);

/// A failure in a run of programs.
pub(crate) struct Failed {
    pub(crate) run: usize,
    pub(crate) item: Item,
    pub(crate) failure: Failure,
}

/// What was found, by the kinds of the snippets that show it.
pub(crate) struct Shrunk {
    /// Kinds that fail alone.
    pub(crate) alone: BTreeMap<String, String>,
    /// Kinds that fail beside others: the kind that is wrong first, then its company.
    pub(crate) mixed: BTreeMap<Vec<String>, String>,
}

/// Takes all failures apart.
pub(crate) fn shrink(tally: &Tally, folder: &Path) -> Shrunk {
    let mut found = Shrunk { alone: BTreeMap::new(), mixed: BTreeMap::new() };
    for (kind, failures) in &tally.failures {
        let mut sorted: Vec<&Failed> = failures.iter().collect();
        sorted.sort_by_key(|failed| snippet(&tally.runs[failed.run], failed.item).len());
        let alone = |failed: &&Failed| with_company(&tally.runs[failed.run], failed.item, &[], folder);
        if let Some(failure) = sorted.iter().take(8).find_map(alone) {
            found.alone.insert(kind.clone(), failure.to_string());
        } else if found.mixed.len() < MIXES {
            let (company, text) = company(&tally.runs[sorted[0].run], sorted[0], folder);
            found.mixed.insert([vec![kind.clone()], company].concat(), text);
        }
    }
    found
}

fn snippet(programs: &[Program], (program, snippet): Item) -> &crate::programs::Snippet {
    &programs[program].snippets[snippet]
}

/// The failure that a snippet shows where some others are there, too.
fn with_company(programs: &[Program], item: Item, others: &[Item], folder: &Path) -> Option<Failure> {
    let mut chosen: Vec<Program> = Vec::new();
    let mut place = None;
    for (number, program) in programs.iter().enumerate() {
        let taken = |index: &usize| (number, *index) == item || others.contains(&(number, *index));
        let wanted: Vec<usize> = (0..program.snippets.len()).filter(taken).collect();
        if wanted.is_empty() {
            continue;
        }
        if number == item.0 {
            place = wanted.iter().position(|index| *index == item.1).map(|index| (chosen.len(), index));
        }
        chosen.push(program.only(&wanted));
    }
    let judged = run::judge(&chosen, folder);
    judged.into_iter().find(|one| Some((one.program, one.snippet)) == place)?.failure
}

/// The kinds of the fewest snippets that a failure needs beside it, and how it looks then.
fn company(programs: &[Program], failed: &Failed, folder: &Path) -> (Vec<String>, String) {
    let fails = |others: &[Item]| with_company(programs, failed.item, others, folder);
    let all_of = |number: usize| (0..programs[number].snippets.len()).map(move |index| (number, index));
    let mut others: Vec<Item> = all_of(failed.item.0).filter(|item| *item != failed.item).collect();
    if fails(&others).is_none() {
        others = (0..programs.len()).flat_map(all_of).filter(|item| *item != failed.item).collect();
    }
    let mut chunk = others.len().div_ceil(2);
    while chunk > 0 {
        let mut at = 0;
        while at < others.len() {
            let end = (at + chunk).min(others.len());
            let fewer = [&others[..at], &others[end..]].concat();
            if fails(&fewer).is_some() {
                others = fewer;
            } else {
                at = end;
            }
        }
        chunk = if chunk == 1 { 0 } else { chunk.div_ceil(2) };
    }
    let failure = fails(&others).unwrap_or_else(|| failed.failure.clone());
    let kinds = others.iter().map(|item| snippet(programs, *item).kind.clone()).collect();
    let texts: Vec<String> = others.iter().map(|item| snippet(programs, *item).to_string()).collect();
    (kinds, format!("{failure}\nbeside:\n{}", texts.join("\n")))
}
