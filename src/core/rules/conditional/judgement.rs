//! What a condition says on AMD GPUs, as it is and as it was meant.

use std::cell::OnceCell;
use std::rc::Rc;

use crate::analysis::{Binary, Branch, Chain, Expression, Node, Unary, Value, evaluate};
use crate::rules::context::Context;
use crate::rules::query::Name;
use crate::source::{Edit, Spans, TextRange};
use crate::syntax::{Document, TokenIdx, TokenKind};

use super::macros::{ARCH, Macro, Pass, Reading, classify, definition};
use super::parts::{Place, place_of};

/// The truth of a condition in the two passes, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Truth {
    pub(super) host: Option<bool>,
    pub(super) device: Option<bool>,
}

impl Truth {
    /// The truth of `expression` when its macros are read like this.
    pub(super) fn of(expression: &Expression, reading: Reading, cx: &Context<'_>) -> Truth {
        let in_pass = |pass| value(expression, pass, reading, cx).truth();
        Truth { host: in_pass(Pass::Host), device: in_pass(Pass::Device) }
    }

    /// Whether it is known for both passes.
    pub(super) fn is_known(self) -> bool {
        self.host.is_some() && self.device.is_some()
    }

    /// The truth, if it is known and the same in both passes.
    pub(super) fn constant(self) -> Option<bool> {
        self.device.filter(|_| self.host == self.device)
    }
}

/// The value of `expression` in `pass`.
pub(super) fn value(expression: &Expression, pass: Pass, reading: Reading, cx: &Context<'_>) -> Value {
    evaluate(expression, &|name| definition(&cx.document.name(name), pass, reading, cx))
}

/// A condition with what decides about it.
pub(super) struct Case<'d> {
    pub(super) chain: &'d Chain,
    pub(super) branch: usize,
    pub(super) expression: &'d Expression,
    /// Somebody wrote a branch or an operand for HIP, so no compiler macro is renamed here.
    pub(super) names_hip: bool,
    /// What is known of the chain.
    pub(super) of_chain: Rc<OfChain>,
    /// How the text is read once all safe fixes are applied.
    pub(super) reading: Reading,
}

/// What the conditions of a chain have in common, each worked out on the first question.
#[derive(Debug, Default)]
pub(super) struct OfChain {
    /// The number of the first branch whose condition is true of HIP code as it stands.
    taken: OnceCell<Option<usize>>,
    /// The number of the first branch that is for HIP.
    pub(super) for_hip: OnceCell<Option<usize>>,
    /// Whether it is about `__CUDA_ARCH__` alone, and holds host functions alone.
    pub(super) is_about_host: OnceCell<bool>,
    /// Whether no branch holds anything.
    pub(super) is_empty: OnceCell<bool>,
}

impl<'d> Case<'d> {
    /// Every condition of the file.
    pub(super) fn all(cx: &Context<'d>) -> Vec<Case<'d>> {
        let mut cases = Vec::new();
        let arch_values = arch_values(cx);
        for chain in cx.facts.conditions.chains() {
            let names_hip = chain.branches.iter().filter_map(|branch| branch.condition.as_ref()).any(|condition| {
                names(cx.document, condition).any(|name| classify(&cx.document.name(name), cx) == Macro::Hip)
            });
            let of_chain = Rc::new(OfChain::default());
            let holds_value = chain.branches.iter().any(|branch| arch_values.meets(&branch.body));
            for (idx, branch) in chain.branches.iter().enumerate() {
                let Some(expression) = &branch.condition else { continue };
                let reading = match reading_of(expression, names_hip, cx) {
                    // The guarded code needs the number, which HIP has not: its other branch is taken.
                    Reading::RenamedWithArch if holds_value => Reading::Renamed,
                    reading => reading,
                };
                cases.push(Case { chain, branch: idx, expression, names_hip, of_chain: Rc::clone(&of_chain), reading });
            }
        }
        cases.sort_by_key(|case| case.expression.tokens.start);
        cases
    }

    /// The truth of the converted text.
    pub(super) fn as_converted(&self, cx: &Context<'_>) -> Truth {
        Truth::of(self.expression, self.reading, cx)
    }

    /// The truth that was meant.
    pub(super) fn as_meant(&self, cx: &Context<'_>) -> Truth {
        Truth::of(self.expression, Reading::Meant, cx)
    }

    /// The names that the condition holds and that `wanted` accepts.
    pub(super) fn names_of(
        &self,
        cx: &Context<'d>,
        wanted: impl Fn(&Macro<'_>) -> bool,
    ) -> impl Iterator<Item = TokenIdx> {
        names(cx.document, self.expression).filter(move |&name| wanted(&classify(&cx.document.name(name), cx)))
    }

    /// Whether HIP code was written by hand here and the CUDA names are without effect.
    pub(super) fn is_settled(&self, cx: &Context<'_>) -> bool {
        if !self.names_hip {
            return false;
        }
        let is_taken = |branch: &Branch| {
            let truth = |condition| Truth::of(condition, reading_of(condition, true, cx), cx).constant();
            branch.condition.as_ref().and_then(truth) == Some(true)
        };
        let first_taken = *self.of_chain.taken.get_or_init(|| self.chain.branches.iter().position(is_taken));
        let is_dead = first_taken.is_some_and(|first| first < self.branch);
        let (converted, meant) = (self.as_converted(cx), self.as_meant(cx));
        let is_right = converted == meant && converted.is_known();
        is_dead
            || converted.constant() == Some(false)
            || is_right
            || self.operands_are_right(cx)
            || self.hip_decides(cx)
    }

    /// `(… && defined(__NVCC__)) || defined(OWN_HIP)`: whether all operands of `||` that do not name HIP
    /// are false, and one names HIP alone.
    fn hip_decides(&self, cx: &Context<'_>) -> bool {
        let mut operands = vec![self.expression];
        let mut is_named = false;
        while let Some(part) = operands.pop() {
            if let Node::Binary(Binary::Or, sides) = &part.node {
                operands.extend(sides.iter());
                continue;
            }
            if names(cx.document, part).all(|name| classify(&cx.document.name(name), cx) == Macro::Hip) {
                is_named = true;
            } else if Truth::of(part, self.reading, cx).constant() != Some(false) {
                return false;
            }
        }
        is_named
    }

    /// Whether all operands of `&&` that are about CUDA come out as they were meant.
    fn operands_are_right(&self, cx: &Context<'_>) -> bool {
        let mut operands = vec![self.expression];
        let mut is_any = false;
        while let Some(part) = operands.pop() {
            if let Node::Binary(Binary::And, sides) = &part.node {
                operands.extend(sides.iter());
                continue;
            }
            let is_foreign = |name| matches!(classify(&cx.document.name(name), cx), Macro::Foreign | Macro::Hip);
            if names(cx.document, part).all(is_foreign) {
                continue;
            }
            let (converted, meant) = (Truth::of(part, self.reading, cx), Truth::of(part, Reading::Meant, cx));
            if !converted.is_known() || converted != meant {
                return false;
            }
            is_any = true;
        }
        is_any
    }

    /// The branches that are compiled although they are not to be, when the condition is to turn
    /// out as `wanted` and does not.
    pub(super) fn wrongly_compiled(&self, wanted: bool) -> &'d [Branch] {
        let later = self.branch + 1;
        let range = if wanted { later..self.chain.branches.len() } else { self.branch..later };
        self.chain.branches.get(range).unwrap_or_default()
    }

    /// The edits that make the condition true, or false, wherever `guard` is defined.
    pub(super) fn forced(&self, part: &Expression, truth: bool, guard: &str, document: &Document) -> Vec<Edit> {
        let range = document.range_of(part.tokens.clone());
        let (operator, test) = if truth { ("||", "defined") } else { ("&&", "!defined") };
        let whole = part.tokens == self.expression.tokens;
        let opens_with = |idx| document.is(part.tokens.start, b'(') && document.partner(part.tokens.start) == Some(idx);
        let is_closed = part.tokens.end.checked_sub(1).is_some_and(opens_with);
        let loose = match part.node {
            Node::Choice(_) => !is_closed,
            Node::Binary(Binary::Or, _) => !is_closed && !truth,
            // Not needed, but `a || b && c` reads badly.
            Node::Binary(Binary::And, _) => !is_closed && truth,
            _ => false,
        };
        let (before, after) = match (whole, loose) {
            (true, false) => ("", ""),
            (false, false) => ("(", ")"),
            (true, true) => ("", ")"),
            (false, true) => ("(", "))"),
        };
        let inner = if loose { "(" } else { "" };
        let mut edits = Vec::new();
        let mut start = format!("{before}{test}({guard}) {operator} {inner}");
        if let Some(keyword) = short_keyword(self.expression, document) {
            edits.push(Edit::replace(keyword.range, keyword.long));
            let defined = if keyword.negated { "!defined(" } else { "defined(" };
            start.push_str(defined);
            edits.push(Edit::insert(range.start(), start));
            edits.push(Edit::insert(range.end(), ")"));
            return edits;
        }
        edits.push(Edit::insert(range.start(), start));
        if !after.is_empty() {
            edits.push(Edit::insert(range.end(), after));
        }
        edits
    }
}

/// How the text is read after the safe fixes of this group.
fn reading_of(expression: &Expression, names_hip: bool, cx: &Context<'_>) -> Reading {
    if names_hip {
        Reading::Unchanged
    } else if uses_arch_number(expression, cx.document) {
        Reading::Renamed
    } else {
        Reading::RenamedWithArch
    }
}

/// Where the number of the architecture stands in code or in the body of a macro.
fn arch_values(cx: &Context<'_>) -> Spans<TokenIdx> {
    let is_value = |name: &Name<'_>| {
        name.text == ARCH && matches!(place_of(cx.document, name.token), Some(Place::Code | Place::MacroBody))
    };
    cx.names.iter().filter(is_value).map(|name| name.token..name.token + 1).collect()
}

/// `ifdef`, `ifndef`, `elifdef` or `elifndef`.
struct ShortKeyword {
    range: TextRange,
    long: &'static str,
    negated: bool,
}

fn short_keyword(expression: &Expression, document: &Document) -> Option<ShortKeyword> {
    let keyword = expression.tokens.start.checked_sub(1)?;
    let (long, negated) = match document.token_text(keyword) {
        "ifdef" => ("if", false),
        "ifndef" => ("if", true),
        "elifdef" => ("elif", false),
        "elifndef" => ("elif", true),
        _ => return None,
    };
    Some(ShortKeyword { range: document.token(keyword)?.range(), long, negated })
}

/// The macros that an expression names.
pub(super) fn names(document: &Document, expression: &Expression) -> impl Iterator<Item = TokenIdx> {
    expression.tokens.clone().filter(|&idx| {
        document.token(idx).is_some_and(|token| token.kind == TokenKind::Ident) && document.token_text(idx) != "defined"
    })
}

/// Whether `__CUDA_ARCH__` is used as a number, so that putting a macro with the value 1 in its
/// place would change the condition.
pub(super) fn uses_arch_number(expression: &Expression, document: &Document) -> bool {
    let is_arch = |name: TokenIdx| document.name(name) == ARCH;
    let mut presence = 0;
    count_presence(expression, true, &is_arch, &mut presence);
    names(document, expression).filter(|&name| is_arch(name)).count() > presence
}

/// Counts the uses that ask only whether the macro is defined (and not 0).
fn count_presence(part: &Expression, as_truth: bool, wanted: &dyn Fn(TokenIdx) -> bool, found: &mut usize) {
    match &part.node {
        Node::Defined(name) => *found += usize::from(wanted(*name)),
        Node::Name(name) => *found += usize::from(as_truth && wanted(*name)),
        Node::Unary(Unary::Not, operand) => count_presence(operand, true, wanted, found),
        Node::Binary(Binary::And | Binary::Or, operands) => {
            operands.iter().for_each(|operand| count_presence(operand, true, wanted, found));
        }
        Node::Binary(operator, operands) => {
            let as_truth = compares_with_nothing(*operator, operands);
            operands.iter().for_each(|operand| count_presence(operand, as_truth, wanted, found));
        }
        _ => part.parts().iter().for_each(|operand| count_presence(operand, false, wanted, found)),
    }
}

/// `X > 0`, `X != 0`, `X >= 1`, `X < 1`, `X == 0`: the same for 1 and for any greater number.
fn compares_with_nothing(operator: Binary, [left, right]: &[Expression; 2]) -> bool {
    matches!(
        (operator, &left.node, &right.node),
        (Binary::Greater | Binary::Unequal | Binary::Equal, Node::Name(_), Node::Number(0))
            | (Binary::GreaterOrEqual | Binary::Less, Node::Name(_), Node::Number(1))
    )
}
