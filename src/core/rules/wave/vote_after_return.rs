//! Votes of groups that some of their lanes do not come to, as they have returned or go another way.

use std::collections::BTreeMap;
use std::ops::Range;

use super::called_places::with_callers;
use super::divergent_collective::{WARP, parts_lanes};
use super::group_vote::{VOTES, group_votes};
use crate::analysis::{Function, If, Loop};
use crate::diagnostic::RuleInfo;
use crate::rules::context::Context;
use crate::rules::groups::{GroupKind, group_of_member, is_group};
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::syntax::{Call, Document, Operand, OperandKind, TokenIdx, TokenKind, among, words_in};

declare_rule! {
    /// ## What it does
    /// Finds `any`, `all`, `ballot`, `match_any` and `match_all` of cooperative groups behind an `if` that lets some lanes of
    /// a warp return, such as `if (i >= n) return;`, and within an `if` or a loop that some lanes do not come to, such as
    /// `if (i < n) { … }` and `for (int j = i; j < n; j += stride) { … }`; also where a function of the file that votes is called so.
    ///
    /// A return of whole tiles is none of some of their lanes: `int i = thread / 8; if (i >= n) return;` in front of a vote of
    /// `tiled_partition<8>`. Groups of `cg::coalesced_threads()` are those who are there.
    ///
    /// ## Why is this bad?
    /// CUDA's groups vote among the lanes that are left, and wait for others until these end. HIP's votes ask for all lanes of the group
    /// (`amd_hip_cooperative_groups.h`, `build_mask`): where one of them has returned or goes another way, the kernel ends with a trap,
    /// and in programs compiled with `NDEBUG` `all` is false.
    ///
    /// ## Example
    /// ```cuda
    /// #include <cooperative_groups.h>
    /// namespace cg = cooperative_groups;
    /// __global__ void count(unsigned* out, int n) {
    ///     auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    ///     int i = blockIdx.x * blockDim.x + threadIdx.x;
    ///     if (i >= n) return;
    ///     out[i] = tile.ballot(i % 3 == 0);
    /// }
    /// ```
    ///
    /// ## What to do
    /// Let all lanes come to the vote, with a predicate that holds for none of those beyond the end: `bool in = i < n; unsigned votes
    /// = tile.ballot(in && i % 3 == 0); if (!in) return;`. Or vote among `cg::coalesced_threads()`.
    VoteAfterReturn { code: "W038", name: "vote-after-return", severity: Warning, fix: None, since: "0.2.0" }
}

impl Rule for VoteAfterReturn {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let votes = votes(cx);
        let mut rest = votes.as_slice();
        while let Some(&first) = rest.first() {
            let Some(function) = cx.facts.functions.around(first) else { return };
            let (here, behind) = rest.split_at(rest.partition_point(|&vote| vote < function.body.end).max(1));
            rest = behind;
            let mut of_groups: BTreeMap<Group<'_>, Vec<TokenIdx>> = BTreeMap::new();
            for &vote in here {
                of_groups.entry(Group::of(cx, function, vote)).or_default().push(vote);
            }
            let found = of_groups.iter().filter_map(|(group, votes)| first_missed(cx, function, *group, votes));
            let found = found.min_by_key(|missed| missed.vote);
            if let Some(missed) = found {
                report(cx, &missed);
            }
        }
    }
}

/// The votes of a file, and the calls that come to one of a group of all its lanes, in the order of the text.
fn votes(cx: &Context<'_>) -> Vec<TokenIdx> {
    let of_group = |vote: &TokenIdx| {
        let group = vote.checked_sub(2);
        group_of_member(*vote, cx).is_some() || group.is_some_and(|group| is_group(cx.document, group, *vote, cx))
    };
    let is_of_tile = |vote: &TokenIdx| {
        let kind = group_of_member(*vote, cx).map(|(_, kind)| kind);
        !matches!(kind, Some(GroupKind::Coalesced | GroupKind::Part))
    };
    let (of_tiles, others): (Vec<_>, Vec<_>) = group_votes(cx).into_iter().filter(of_group).partition(is_of_tile);
    let mut all = with_callers(cx, of_tiles);
    all.extend(others);
    all.sort_unstable();
    all
}

/// What votes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Group<'d> {
    /// How the size of the tile is written.
    tile: Option<&'d str>,
    /// Where a group was made of the lanes that were there.
    made: Option<TokenIdx>,
}

impl<'d> Group<'d> {
    /// The group of a vote, or the one that a call is given.
    fn of(cx: &Context<'d>, function: &Function, vote: TokenIdx) -> Group<'d> {
        let document = cx.document;
        let is_member = vote > 1
            && matches!(document.token_text(vote - 1), "." | "->")
            && VOTES.contains(&document.token_text(vote));
        if !is_member {
            let given = Call::at(document, vote).and_then(|call| {
                call.arguments.iter().find_map(|&argument| tile_size(cx, function, vote, document.slice(argument)))
            });
            return Group { tile: given, made: None };
        }
        match group_of_member(vote, cx) {
            Some((name, GroupKind::Coalesced | GroupKind::Part)) => {
                let declared = words_in(document, document.token_text(name), function.head.start..vote).next();
                Group { tile: None, made: declared.filter(|_| !document.is(name + 1, b'(')).or(Some(name)) }
            }
            _ => Group { tile: tile_size(cx, function, vote, document.token_text(vote - 2)), made: None },
        }
    }
}

/// A vote that some lanes of its group do not come to.
struct Missed {
    vote: TokenIdx,
    condition: Range<TokenIdx>,
    /// Whether the lanes have returned.
    is_behind: bool,
}

fn report(cx: &mut Context<'_>, missed: &Missed) {
    let document = cx.document;
    let name = document.token_text(missed.vote);
    let what = if VOTES.contains(&name) { "of a group comes" } else { "comes to the vote of a group" };
    let place =
        if missed.is_behind { "behind a return of some of its lanes" } else { "where some of its lanes are not" };
    let finding = cx.report(document.range_of(missed.vote..missed.vote + 1), format!("`{name}` {what} {place}"));
    let label = if missed.is_behind { "lanes return here" } else { "lanes go another way here" };
    finding.label(document.range_of(missed.condition.clone()), label);
    finding.note("HIP's votes ask for all lanes of the group: let them come here, and part behind it");
}

/// The first vote of a group in a function that some of its lanes miss. Tiles are whole where they part by their own number, and so is
/// what was made of the lanes behind the condition.
fn first_missed(cx: &Context<'_>, function: &Function, group: Group<'_>, votes: &[TokenIdx]) -> Option<Missed> {
    let flow = cx.control_flow(function);
    let first_in = |tokens: Range<TokenIdx>| among(votes, tokens, |&vote| vote).first().copied();
    let parts = |condition: &Range<TokenIdx>, keeps_tiles: bool| {
        let is_older = group.made.is_none_or(|made| made < condition.start);
        let tile = group.tile.filter(|_| keeps_tiles);
        let condition = Operand::read(cx.document, condition.clone());
        is_older
            && parts_lanes(cx, function, &condition, WARP)
            && !tile.is_some_and(|tile| asks_for_tile(cx, function, &condition, tile))
    };
    let mut missed: Option<Missed> = None;
    for found in &flow.ifs {
        let within = first_in(found.then.clone()).or_else(|| first_in(found.other.clone()));
        let end = found.then.end.max(found.other.end);
        let behind = || {
            let rest = if holds(cx.document, found, "return") {
                Some(function.body.end)
            } else {
                rest_of_loop(cx.document, found, &flow.loops)
            };
            first_in(end..rest?.max(end))
        };
        let Some(vote) = within.or_else(behind) else { continue };
        let first = found.then.start + usize::from(cx.document.is(found.then.start, b'{'));
        let keeps_tiles = within.is_some() || cx.document.token_text(first) == "return";
        if missed.as_ref().is_none_or(|missed| vote < missed.vote) && parts(&found.condition, keeps_tiles) {
            missed = Some(Missed { vote, condition: found.condition.clone(), is_behind: within.is_none() });
        }
    }
    for looped in &flow.loops {
        let Some(vote) = first_in(looped.body.clone()) else { continue };
        if missed.as_ref().is_none_or(|missed| vote < missed.vote) && parts(&looped.condition, true) {
            missed = Some(Missed { vote, condition: looped.condition.clone(), is_behind: false });
        }
    }
    missed
}

/// Whether a word stands in one of the ways of an `if`.
fn holds(document: &Document, found: &If, word: &str) -> bool {
    [&found.then, &found.other].into_iter().any(|way| words_in(document, word, way.clone()).next().is_some())
}

/// Where the round of a loop ends that lanes leave within an `if`, by `break` or `continue`.
fn rest_of_loop(document: &Document, found: &If, loops: &[Loop]) -> Option<TokenIdx> {
    let leaves = ["break", "continue"].into_iter().any(|word| holds(document, found, word));
    let around = loops.iter().filter(|looped| leaves && looped.body.contains(&found.keyword));
    around.map(|looped| looped.body.end).min()
}

/// How the size of the tile is written that votes, if it is the argument of a template: `TS` of `tiled_partition<TS>(…)`.
fn tile_size<'d>(cx: &Context<'d>, function: &Function, vote: TokenIdx, name: &str) -> Option<&'d str> {
    let document = cx.document;
    let made = cx.thread_numbers().only_value(name, function).and_then(|value| match value.kind {
        OperandKind::Call(made, _) if document.token_text(made) == "tiled_partition" => Some(made),
        _ => None,
    });
    let taken = || {
        let mut types = words_in(document, "thread_block_tile", function.head.start..vote);
        types.find(|&idx| names_behind(document, idx, name))
    };
    let size = made.or_else(taken)? + 2;
    let text = document.token_text(size);
    let is_of_template = || function.head.clone().any(|idx| document.token_text(idx) == text);
    let is_known = document.kind(size) == Some(TokenKind::Number) || is_of_template();
    (document.is(size - 1, b'<') && document.is(size + 1, b'>') && is_known).then_some(text)
}

/// Whether a parameter with the type at `kind` has the name: `thread_block_tile<8> tile`, `const thread_block_tile<TS>& tile`.
fn names_behind(document: &Document, kind: TokenIdx, name: &str) -> bool {
    let behind = kind + 4 + usize::from(document.is(kind + 4, b'&'));
    document.token_text(behind) == name
}

/// Whether a condition compares the number of a tile of this size with what is the same for all of its lanes, and none of it changes before.
fn asks_for_tile(cx: &Context<'_>, function: &Function, condition: &Operand, size: &str) -> bool {
    let OperandKind::Binary(operator, sides) = &condition.kind else { return false };
    let compares = matches!(operator.text(cx.document), "<" | ">" | "<=" | ">=");
    let start = condition.tokens.start;
    let is_kept = |name: &str| cx.thread_numbers().changes_of(name, function).iter().all(|change| *change > start);
    let mut names = condition.tokens.clone().filter(|&idx| cx.document.kind(idx) == Some(TokenKind::Ident));
    let [left, right] = &**sides;
    let is_number = |side: &Operand| numbers_tiles(cx, function, side, size);
    let is_same = |side: &Operand| !parts_lanes(cx, function, side, WARP);
    compares
        && names.all(|idx| is_kept(cx.document.token_text(idx)))
        && (is_number(left) && is_same(right) || is_number(right) && is_same(left))
}

/// Whether an expression, or what an integer starts with, divides the number of a thread by the size of the tiles.
fn numbers_tiles(cx: &Context<'_>, function: &Function, number: &Operand, size: &str) -> bool {
    let document = cx.document;
    let value = match number.kind {
        OperandKind::Name(name) => {
            let words = cx.variable_types().of_variable(function, name).unwrap_or_default();
            let is_float = words.iter().any(|word| matches!(*word, "double" | "float" | "half" | "__half"));
            cx.thread_numbers().first_value(name, function).filter(|_| !is_float)
        }
        _ => Some(number.clone()),
    };
    value.is_some_and(|value| match &value.kind {
        OperandKind::Binary(operator, sides) => {
            let [thread, divisor] = &**sides;
            let text = document.slice(document.range_of(divisor.tokens.clone()));
            let is_size = text == size || text.ends_with(".size()") || text.ends_with(".num_threads()");
            operator.text(document) == "/" && is_size && is_thread(cx, function, thread)
        }
        _ => false,
    })
}

/// The number of a thread in its block or in the grid, as programs write it, without blanks.
const THREADS: &[&str] = &[
    "threadIdx.x",
    "blockIdx.x*blockDim.x+threadIdx.x",
    "blockDim.x*blockIdx.x+threadIdx.x",
    "threadIdx.x+blockIdx.x*blockDim.x",
    "threadIdx.x+blockDim.x*blockIdx.x",
];

/// The rank of a thread in its block or in the grid: `block.thread_rank()`.
fn is_rank(cx: &Context<'_>, value: &Operand) -> bool {
    let OperandKind::Call(name, _) = value.kind else { return false };
    let kind = group_of_member(name, cx).map(|(_, kind)| kind);
    cx.document.token_text(name) == "thread_rank" && matches!(kind, Some(GroupKind::Block | GroupKind::Grid))
}

/// Whether an expression is the number of a thread, or a variable that is throughout.
fn is_thread(cx: &Context<'_>, function: &Function, number: &Operand) -> bool {
    let document = cx.document;
    let value = match number.kind {
        OperandKind::Name(name) => cx.thread_numbers().only_value(document.token_text(name), function),
        _ => Some(number.clone()),
    };
    value.is_some_and(|value| {
        let words: String = value.tokens.clone().map(|idx| document.token_text(idx)).collect();
        THREADS.contains(&words.trim_start_matches('(').trim_end_matches(')')) || is_rank(cx, &value)
    })
}
