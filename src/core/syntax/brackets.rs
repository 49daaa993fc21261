//! Which bracket belongs to which, in the presence of `#if` and of broken code.
//!
//! Brackets of a directive match within that directive only. At `#else` the state of the
//! matching `#if` is restored, and after `#endif` that of the first branch goes on.

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
pub(super) fn match_brackets(tokens: &Tokens, directives: &[Directive]) -> Brackets {
    let mut matcher = Matcher { tokens, out: Brackets { near: vec![NONE; tokens.len()], ..Brackets::default() } };
    let mut open = Vec::new();
    let mut branches = Vec::new();
    let mut at = 0;
    for directive in directives {
        matcher.run(at..directive.tokens.start, &mut open);
        let mut own = Vec::new();
        matcher.run(directive.tokens.clone(), &mut own);
        enter_branch(directive.kind, &mut open, &mut branches);
        at = directive.tokens.end;
    }
    matcher.run(at..tokens.len(), &mut open);
    matcher.out.unmatched += open.len();
    matcher.out.far.sort_unstable();
    matcher.out
}

/// What was open at `#if`, and at the end of its first branch.
struct Branch {
    at_if: Vec<TokenIdx>,
    first_end: Option<Vec<TokenIdx>>,
}

fn enter_branch(kind: DirectiveKind, open: &mut Vec<TokenIdx>, branches: &mut Vec<Branch>) {
    match kind {
        DirectiveKind::If | DirectiveKind::Ifdef | DirectiveKind::Ifndef => {
            branches.push(Branch { at_if: open.clone(), first_end: None });
        }
        DirectiveKind::Elif | DirectiveKind::Else => {
            if let Some(branch) = branches.last_mut() {
                let ended = std::mem::replace(open, branch.at_if.clone());
                branch.first_end.get_or_insert(ended);
            }
        }
        DirectiveKind::Endif => {
            if let Some(Branch { first_end: Some(first_end), .. }) = branches.pop() {
                *open = first_end;
            }
        }
        _ => {}
    }
}

struct Matcher<'t> {
    tokens: &'t Tokens,
    out: Brackets,
}

impl Matcher<'_> {
    fn run(&mut self, tokens: std::ops::Range<TokenIdx>, open: &mut Vec<TokenIdx>) {
        for idx in tokens {
            let Some(TokenKind::Punct(byte)) = self.tokens.kind(idx) else { continue };
            match byte {
                b'(' | b'[' | b'{' => open.push(idx),
                b')' => self.close(idx, b'(', open),
                b']' => self.close(idx, b'[', open),
                b'}' => self.close(idx, b'{', open),
                _ => {}
            }
        }
    }

    /// Closes the nearest bracket of kind `opener`; a brace is a wall for `)` and `]`.
    fn close(&mut self, idx: TokenIdx, opener: u8, open: &mut Vec<TokenIdx>) {
        let reachable = |at: &usize| opener == b'{' || open[at + 1..].iter().all(|&i| !self.is(i, b'{'));
        let found = open.iter().rposition(|&i| self.is(i, opener)).filter(reachable);
        let Some(found) = found else {
            self.out.unmatched += 1;
            return;
        };
        self.out.unmatched += open.len() - found - 1;
        let partner = open[found];
        open.truncate(found);
        self.out.join(idx, partner);
        if self.out.near[partner] == NONE {
            self.out.join(partner, idx);
        }
    }

    fn is(&self, idx: TokenIdx, punct: u8) -> bool {
        self.tokens.kind(idx) == Some(TokenKind::Punct(punct))
    }
}

fn to_u32(idx: TokenIdx) -> u32 {
    u32::try_from(idx).unwrap_or(u32::MAX)
}
