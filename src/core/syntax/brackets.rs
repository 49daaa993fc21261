//! Which bracket belongs to which, in the presence of `#if` and of broken code.
//!
//! Brackets of a directive match within that directive only. At `#else` the state of the
//! matching `#if` is restored, and after `#endif` that of the first branch goes on. What no compiler reads, behind
//! `#if 0`, leaves no bracket open.

use super::directive::{Directive, DirectiveKind};
use super::token::{TokenIdx, TokenKind};
use super::tokens::Tokens;

const NONE: i8 = 0;
const FAR: i8 = i8::MIN;

/// For each token the token that closes or opens it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Brackets {
    /// How many tokens further on the partner of each token is, [`NONE`], or [`FAR`].
    near: Vec<i8>,
    /// Tokens with a partner that is far away, sorted.
    far: Vec<(u32, u32)>,
    /// Opening or closing brackets without a partner.
    pub(super) unmatched: usize,
}

impl Brackets {
    /// The other bracket of the pair.
    pub(super) fn partner(&self, idx: TokenIdx) -> Option<TokenIdx> {
        match *self.near.get(idx)? {
            NONE => None,
            FAR => {
                let at = self.far.binary_search_by_key(&idx, |(from, _)| *from as TokenIdx).ok()?;
                self.far.get(at).map(|(_, partner)| *partner as TokenIdx)
            }
            steps => idx.checked_add_signed(isize::from(steps)),
        }
    }

    fn join(&mut self, from: TokenIdx, partner: TokenIdx) {
        let steps = i8::try_from(partner.cast_signed() - from.cast_signed()).ok();
        self.near[from] = steps.filter(|&steps| steps != FAR).unwrap_or(FAR);
        if self.near[from] == FAR {
            self.far.push((to_u32(from), to_u32(partner)));
        }
    }
}

/// Matches `(`, `[` and `{`.
pub(super) fn match_brackets(text: &str, tokens: &Tokens, directives: &[Directive]) -> Brackets {
    let mut matcher = Matcher { tokens, out: Brackets { near: vec![NONE; tokens.len()], ..Brackets::default() } };
    let mut open = OpenBrackets::default();
    let mut at = 0;
    for directive in directives {
        matcher.run(at..directive.tokens.start, &mut open);
        matcher.run(directive.tokens.clone(), &mut OpenBrackets::default());
        open.enter_branch(directive.kind, is_false(text, tokens, directive));
        at = directive.tokens.end;
    }
    matcher.run(at..tokens.len(), &mut open);
    matcher.out.unmatched += open.depth();
    matcher.out.far.sort_unstable();
    matcher.out
}

/// Kinds of brackets: places in [`Node::nearest`].
const PARENTHESIS: usize = 0;
const SQUARE: usize = 1;
const BRACE: usize = 2;

/// An open bracket. It knows the brackets around it by their places in [`OpenBrackets::nodes`], so that a stack is kept
/// by remembering its top, and no bracket has to be looked for.
#[derive(Debug, Clone, Copy)]
struct Node {
    token: TokenIdx,
    /// How many brackets are open with it.
    depth: usize,
    /// The bracket around it.
    outer: Option<usize>,
    /// The nearest brackets of each kind, itself included.
    nearest: [Option<usize>; 3],
}

/// The brackets that are open at a place, and those that were at the `#if`s around it.
#[derive(Debug, Default)]
struct OpenBrackets {
    /// A bracket stands behind those around it.
    nodes: Vec<Node>,
    top: Option<usize>,
    branches: Vec<Branch>,
}

/// What was open at `#if`, and at the end of its first branch.
#[derive(Debug)]
struct Branch {
    at_if: Option<usize>,
    /// Set where `has_ended`.
    first_end: Option<usize>,
    /// Whether the first branch has ended that a compiler may read.
    has_ended: bool,
    /// Whether no compiler reads the branch.
    is_skipped: bool,
    /// The last node that this branch or one around it comes back to.
    kept: Option<usize>,
}

impl OpenBrackets {
    fn depth(&self) -> usize {
        self.top.map_or(0, |top| self.nodes[top].depth)
    }

    fn push(&mut self, token: TokenIdx, kind: usize) {
        let kept = self.branches.last().and_then(|branch| branch.kept).max(self.top);
        self.nodes.truncate(kept.map_or(0, |kept| kept + 1));
        let mut nearest = self.top.map_or([None; 3], |top| self.nodes[top].nearest);
        nearest[kind] = Some(self.nodes.len());
        self.nodes.push(Node { token, depth: self.depth() + 1, outer: self.top, nearest });
        self.top = Some(self.nodes.len() - 1);
    }

    /// Takes the nearest bracket of a kind away with all in it; a brace is a wall for the other kinds.
    fn pop(&mut self, kind: usize) -> Option<Node> {
        let nearest = self.nodes[self.top?].nearest;
        let found = nearest[kind].filter(|_| nearest[kind] >= nearest[BRACE])?;
        self.top = self.nodes[found].outer;
        Some(self.nodes[found])
    }

    fn enter_branch(&mut self, kind: DirectiveKind, is_skipped: bool) {
        match kind {
            DirectiveKind::If | DirectiveKind::Ifdef | DirectiveKind::Ifndef => {
                let kept = self.branches.last().and_then(|branch| branch.kept).max(self.top);
                self.branches.push(Branch { at_if: self.top, first_end: None, has_ended: false, is_skipped, kept });
            }
            DirectiveKind::Elif | DirectiveKind::Else => self.end_branch(is_skipped),
            DirectiveKind::Endif => {
                self.end_branch(false);
                if let Some(branch) = self.branches.pop().filter(|branch| branch.has_ended) {
                    self.top = branch.first_end;
                }
            }
            _ => {}
        }
    }

    /// Goes back to what was open at `#if`, for the next branch.
    fn end_branch(&mut self, is_next_skipped: bool) {
        let Some(branch) = self.branches.last_mut() else { return };
        let ended = std::mem::replace(&mut self.top, branch.at_if);
        if !std::mem::replace(&mut branch.is_skipped, is_next_skipped) && !branch.has_ended {
            branch.has_ended = true;
            branch.first_end = ended;
            branch.kept = branch.kept.max(ended);
        }
    }
}

/// Whether the condition of a directive is a literal that never holds.
fn is_false(text: &str, tokens: &Tokens, directive: &Directive) -> bool {
    let literal = directive.tokens.start + 2;
    let has_condition = matches!(directive.kind, DirectiveKind::If | DirectiveKind::Elif);
    has_condition
        && literal + 1 == directive.tokens.end
        && tokens.get(literal).is_some_and(|token| matches!(&text[token.range()], "0" | "false"))
}

struct Matcher<'t> {
    tokens: &'t Tokens,
    out: Brackets,
}

impl Matcher<'_> {
    fn run(&mut self, tokens: std::ops::Range<TokenIdx>, open: &mut OpenBrackets) {
        for idx in tokens {
            let Some(TokenKind::Punct(byte)) = self.tokens.kind(idx) else { continue };
            match byte {
                b'(' => open.push(idx, PARENTHESIS),
                b'[' => open.push(idx, SQUARE),
                b'{' => open.push(idx, BRACE),
                b')' => self.close(idx, PARENTHESIS, open),
                b']' => self.close(idx, SQUARE, open),
                b'}' => self.close(idx, BRACE, open),
                _ => {}
            }
        }
    }

    /// Closes the nearest bracket of a kind.
    fn close(&mut self, idx: TokenIdx, kind: usize, open: &mut OpenBrackets) {
        let depth = open.depth();
        let Some(opener) = open.pop(kind) else {
            self.out.unmatched += 1;
            return;
        };
        self.out.unmatched += depth - opener.depth;
        self.out.join(idx, opener.token);
        if self.out.near[opener.token] == NONE {
            self.out.join(opener.token, idx);
        }
    }
}

fn to_u32(idx: TokenIdx) -> u32 {
    u32::try_from(idx).unwrap_or(u32::MAX)
}
