//! Votes of groups that some of their lanes do not come to, as they have returned.

use rustc_hash::FxHashMap;

use super::divergent_collective::{WARP, parts_lanes};
use super::group_vote::group_votes;
use crate::analysis::Function;
use crate::diagnostic::RuleInfo;
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::TextRange;
use crate::syntax::{Document, Operand, OperandKind, TokenIdx, TokenKind};

declare_rule! {
    /// ## What it does
    /// Finds `any`, `all`, `ballot`, `match_any` and `match_all` of cooperative groups behind an `if` that lets some lanes of
    /// a warp return, such as `if (i >= n) return;`.
    ///
    /// A return of whole tiles is none of some of their lanes: `int i = thread / 8; if (i >= n) return;` in front of a vote of
    /// `tiled_partition<8>`.
    ///
    /// ## Why is this bad?
    /// CUDA's groups vote among the lanes that are left. HIP's votes ask for all lanes of the group
    /// (`amd_hip_cooperative_groups.h`, `build_mask`): where one of them has returned, the kernel ends with a trap, and
    /// in programs compiled with `NDEBUG` `all` is false.
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
        let votes = group_votes(cx);
        let mut rest = votes.as_slice();
        while let Some(&first) = rest.first() {
            let Some(function) = cx.facts.functions.around(first) else { return };
            let (here, behind) = rest.split_at(rest.partition_point(|&vote| vote < function.body.end).max(1));
            rest = behind;
            let mut returns = FxHashMap::default();
            let found = here.iter().find_map(|&vote| {
                let tile = tile_size(cx, function, vote);
                let first = returns.entry(tile).or_insert_with(|| first_return(cx, function, tile));
                first.filter(|(end, _)| vote >= *end).map(|(_, condition)| (vote, condition))
            });
            if let Some((vote, condition)) = found {
                report(cx, vote, condition);
            }
        }
    }
}

fn report(cx: &mut Context<'_>, vote: TokenIdx, condition: TextRange) {
    let message = format!("`{}` of a group comes behind a return of some of its lanes", cx.document.token_text(vote));
    let finding = cx.report(cx.document.range_of(vote..vote + 1), message);
    finding.label(condition, "lanes return here");
    finding.note("HIP's votes ask for all lanes of the group: let them come here, and return behind it");
}

/// Where the first statement of a function ends by which some lanes return, and its condition. Tiles of the size `tile` are whole where
/// they return by their own number.
fn first_return(cx: &Context<'_>, function: &Function, tile: Option<&str>) -> Option<(TokenIdx, TextRange)> {
    let document = cx.document;
    let flow = cx.control_flow(function);
    let found = flow.ifs.iter().find(|found| {
        let mut then = found.then.clone();
        let first = found.then.start + usize::from(document.is(found.then.start, b'{'));
        let returns = then.any(|idx| document.token_text(idx) == "return");
        let condition = || Operand::read(document, found.condition.clone());
        let asks_for_tile = || {
            let tile = tile.filter(|_| document.token_text(first) == "return");
            tile.is_some_and(|tile| asks_for_tile(cx, function, &condition(), tile))
        };
        returns && parts_lanes(cx, function, &condition(), WARP) && !asks_for_tile()
    })?;
    Some((found.then.end, document.range_of(found.condition.clone())))
}

/// How the size of the tile is written that votes, if it is the argument of a template: `TS` of `tiled_partition<TS>(…)`.
fn tile_size<'d>(cx: &Context<'d>, function: &Function, vote: TokenIdx) -> Option<&'d str> {
    let document = cx.document;
    let name = document.token_text(vote.checked_sub(2)?);
    let made = cx.thread_numbers().only_value(name, function).and_then(|value| match value.kind {
        OperandKind::Call(made, _) if document.token_text(made) == "tiled_partition" => Some(made),
        _ => None,
    });
    let taken = || {
        let mut head = function.head.clone();
        head.find(|&idx| document.token_text(idx) == "thread_block_tile" && names_behind(document, idx, name))
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
            let is_size = divisor.tokens.len() == 1 && document.token_text(divisor.tokens.start) == size;
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

/// Whether an expression is the number of a thread, or a variable that is throughout.
fn is_thread(cx: &Context<'_>, function: &Function, number: &Operand) -> bool {
    let document = cx.document;
    let value = match number.kind {
        OperandKind::Name(name) => cx.thread_numbers().only_value(document.token_text(name), function),
        _ => Some(number.clone()),
    };
    value.is_some_and(|value| {
        let words: String = value.tokens.clone().map(|idx| document.token_text(idx)).collect();
        THREADS.contains(&words.trim_start_matches('(').trim_end_matches(')'))
    })
}
