//! The same thing in all parts of a run, and how it is joined.

use super::error::{MergeError, unreadable};
use super::node::Node;
use crate::report::part::PartWords;

/// What all parts of one thing are made of; as many as there are reports.
pub(super) struct Parts<'p> {
    pub(super) names: &'p [&'p str],
    pub(super) nodes: Vec<&'p Node>,
}

impl<'p> Parts<'p> {
    /// An object with what `join` makes of each member; all have the same ones.
    pub(super) fn members(
        &self,
        join: impl Fn(&str, Parts<'_>) -> Result<Node, MergeError>,
    ) -> Result<Node, MergeError> {
        let names_of = |node: &Node| match node {
            Node::Object(members) => members.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>(),
            Node::Scalar(_) | Node::List(_) => Vec::new(),
        };
        let Some(first) = self.nodes.first() else { return Err(MergeError::Uneven) };
        let members = names_of(first);
        if let Some(other) = self.nodes.iter().position(|node| names_of(node) != members) {
            return Err(self.different(other, "what they tell"));
        }
        let joined = |name: String| {
            let values = self.nodes.iter().filter_map(|node| node.get(&name)).collect();
            let value = join(&name, Parts { names: self.names, nodes: values })?;
            Ok((name, value))
        };
        Ok(Node::Object(members.into_iter().map(joined).collect::<Result<_, _>>()?))
    }

    fn different(&self, other: usize, what: &str) -> MergeError {
        let name = |at: usize| self.names.get(at).map_or_else(String::new, |name| (*name).to_owned());
        MergeError::Different { first: name(0), second: name(other), what: what.to_owned() }
    }

    /// What is the same in all parts.
    pub(super) fn same(&self, what: &str) -> Result<Node, MergeError> {
        let Some(first) = self.nodes.first() else { return Err(MergeError::Uneven) };
        let text = first.text();
        match self.nodes.iter().position(|node| node.text() != text) {
            Some(other) => Err(self.different(other, &format!("`{what}`"))),
            None => Ok((*first).clone()),
        }
    }

    /// The items of all lists by their places in the whole.
    pub(super) fn in_order(&self, positions: &[&[usize]]) -> Result<Node, MergeError> {
        let mut items = Vec::new();
        for ((node, positions), name) in self.nodes.iter().zip(positions).zip(self.names) {
            match node {
                Node::List(list) if list.len() == positions.len() => items.extend(positions.iter().zip(list)),
                _ => return Err(unreadable(name, "it does not tell the place of each of its entries")),
            }
        }
        // What one file or program has stays in its order.
        items.sort_by_key(|(position, _)| **position);
        Ok(Node::List(items.into_iter().map(|(_, item)| item.clone()).collect()))
    }

    /// Numbers added up, member by member; a member that some parts lack is none there. Fails if something is no number, or
    /// all together are too large.
    pub(super) fn sum(&self) -> Result<Node, MergeError> {
        let mut sums: Vec<(String, Vec<&Node>)> = Vec::new();
        for node in &self.nodes {
            let Node::Object(members) = node else { continue };
            for (name, value) in members {
                match sums.iter_mut().find(|(known, _)| known == name) {
                    Some((_, values)) => values.push(value),
                    None => sums.push((name.clone(), vec![value])),
                }
            }
        }
        let has_all = sums.iter().all(|(_, values)| values.len() == self.nodes.len());
        if !has_all {
            sums.sort_by(|a, b| a.0.cmp(&b.0));
        }
        let sum = |(name, values): (String, Vec<&Node>)| {
            if values.iter().all(|value| matches!(value, Node::Object(_))) {
                return Ok((name, Parts { names: self.names, nodes: values }.sum()?));
            }
            let total = values.iter().try_fold(0, |total: u64, value| total.checked_add(value.number()?));
            let total = total.and_then(|total| Node::of(&total).ok());
            let wrong = || format!("`{name}` is no number, or too large");
            let total = total.ok_or_else(|| unreadable(self.names.first().unwrap_or(&""), &wrong()))?;
            Ok((name, total))
        };
        Ok(Node::Object(sums.into_iter().map(sum).collect::<Result<_, _>>()?))
    }

    /// Properties of a run in SARIF: how many lanes warps have, or how many results there are of each kind.
    pub(super) fn properties(&self) -> Result<Node, MergeError> {
        let bare: Vec<Node> = self.nodes.iter().map(|node| node.without("shard")).collect();
        let parts = Parts { names: self.names, nodes: bare.iter().collect() };
        parts.members(|name, values| match name {
            "wavePolicy" => values.same(name),
            name => {
                let one = |node: &&Node| Node::Object(vec![(name.to_owned(), (*node).clone())]);
                let alone: Vec<Node> = values.nodes.iter().map(one).collect();
                let sum = Parts { names: values.names, nodes: alone.iter().collect() }.sum()?;
                Ok(sum.get(name).cloned().unwrap_or(sum))
            }
        })
    }

    /// Whether all went well, and all that did not.
    pub(super) fn invocations(&self, words: &[PartWords]) -> Result<Node, MergeError> {
        let single = |node: &&Node| match node {
            Node::List(items) => items.first().cloned(),
            Node::Scalar(_) | Node::Object(_) => None,
        };
        let all: Vec<Node> = self.nodes.iter().filter_map(single).collect();
        let unread: Vec<&[usize]> = words.iter().map(|words| words.unread.as_slice()).collect();
        let joined = Parts { names: self.names, nodes: all.iter().collect() }.members(|name, values| match name {
            "executionSuccessful" => {
                let worst = values.nodes.iter().find(|node| node.text() == "false").or(values.nodes.first());
                worst.map(|node| (*node).clone()).ok_or(MergeError::Uneven)
            }
            "toolExecutionNotifications" => values.in_order(&unread),
            name => values.same(name),
        })?;
        Ok(Node::List(vec![joined]))
    }
}
