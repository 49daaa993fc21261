//! Joins documents of JSON: reports of our own and SARIF.

use super::error::{MergeError, unreadable};
use super::node::Node;
use super::parts::Parts;
use super::whole::{check_complete, check_each_once};
use crate::report::part::PartWords;

/// Joins reports of our own.
pub(super) fn json(names: &[&str], nodes: &[Node]) -> Result<Node, MergeError> {
    let words = part_words(names, nodes.iter().map(|node| node.get("shard")))?;
    check_complete(names, &words)?;
    let bare: Vec<Node> = nodes.iter().map(|node| node.without("shard")).collect();
    let parts = Parts { names, nodes: bare.iter().collect() };
    parts.members(|name, values| match name {
        "files" | "programs" => {
            let positions: Vec<&[usize]> = words.iter().map(|words| words.positions.as_slice()).collect();
            check_each_once(&positions, words.first().map_or(0, |words| words.entries))?;
            values.in_order(&positions)
        }
        "summary" | "sums" => values.sum(),
        name => values.same(name),
    })
}

/// Joins logs of SARIF.
pub(super) fn sarif(names: &[&str], nodes: &[Node]) -> Result<Node, MergeError> {
    let runs: Vec<Node> = nodes.iter().zip(names).map(only_run).collect::<Result<_, _>>()?;
    let words = part_words(names, runs.iter().map(|run| run.get("properties")?.get("shard")))?;
    check_complete(names, &words)?;
    let parts = Parts { names, nodes: runs.iter().collect() };
    let positions: Vec<&[usize]> = words.iter().map(|words| words.positions.as_slice()).collect();
    let run = parts.members(|name, values| match name {
        "results" => values.in_order(&positions),
        "properties" => values.properties(),
        "invocations" => values.invocations(&words),
        name => values.same(name),
    })?;
    // Whoever has nothing else to say has no properties.
    let run =
        if run.get("properties").is_some_and(|left| left.text() == "{}") { run.without("properties") } else { run };
    let logs = Parts { names, nodes: nodes.iter().collect() };
    logs.members(|name, values| if name == "runs" { Ok(Node::List(vec![run.clone()])) } else { values.same(name) })
}

fn only_run((log, name): (&Node, &&str)) -> Result<Node, MergeError> {
    match log.get("runs") {
        Some(Node::List(runs)) if runs.len() == 1 => Ok(runs[0].clone()),
        _ => Err(unreadable(name, "it does not hold one run")),
    }
}

fn part_words<'n>(names: &[&str], found: impl Iterator<Item = Option<&'n Node>>) -> Result<Vec<PartWords>, MergeError> {
    let read = |(name, words): (&&str, Option<&Node>)| {
        let words = words.ok_or_else(|| MergeError::Whole((*name).to_owned()))?;
        words.parse().map_err(|error| unreadable(name, &error))
    };
    names.iter().zip(found).map(read).collect()
}
