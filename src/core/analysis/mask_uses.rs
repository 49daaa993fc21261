//! What has to change in a file so that its lane masks have 64 bits.

use super::mask_bits::{cuts_32_lanes, is_full_number, tests_bit};
use std::ops::Range;

use rustc_hash::FxHashSet;

use super::functions::Functions;
use super::lane_kinds::takes_mask;
use super::lanes::{Declared, Flow, MaskFunctions, Scope};
use super::mask_width::{MaskWidth, width_of};
use super::statements::Statement;
use crate::syntax::{Arithmetic, Document, Operand, OperandKind, OperatorKind, TokenIdx, TokenKind};

/// The places where a file holds or computes lane masks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MaskUses {
    /// What is declared to hold one.
    pub declarations: Vec<MaskDeclaration>,
    /// Calls that count or find bits of one.
    pub bit_functions: Vec<BitFunction>,
    /// Numbers of 32 bits that masks are made from, such as the `1` of `1 << lane`.
    pub numbers: Vec<TokenIdx>,
    /// All ones of 32 bits that are shifted to make a mask.
    pub shifted: Vec<TokenIdx>,
    /// The `31` or `32` that shifts of a full mask are counted from.
    pub tops: Vec<TokenIdx>,
    /// Types of 32 bits that masks are converted to, as tokens.
    pub conversions: Vec<Range<TokenIdx>>,
    /// Masks that `printf` is given, as tokens.
    pub printed: Vec<Range<TokenIdx>>,
    /// What other files can know of this one.
    pub functions: MaskFunctions,
}

/// A variable, parameter, member or function result that holds a lane mask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MaskDeclaration {
    /// Its name.
    pub name: TokenIdx,
    /// How wide its type is.
    pub width: MaskWidth,
    /// Whether everything that is declared with the same type holds a lane mask, and nothing
    /// points to it.
    pub is_separate: bool,
}

/// A call such as `__popc(mask)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BitFunction {
    /// The name.
    pub name: TokenIdx,
    /// The `31` or `32` that the result is taken from, so that bits are counted from the top.
    pub top: Option<TokenIdx>,
}

impl MaskUses {
    /// Follows the lane masks of a file, which may be HIP already; `known` tells about functions of other files.
    pub fn of(document: &Document, functions: &Functions, known: &MaskFunctions, is_hip: bool) -> MaskUses {
        if *known == MaskFunctions::default() && !may_hold_masks(document) {
            return MaskUses::default();
        }
        let flow = Flow::of(document, functions, (known, is_hip));
        let mut uses = MaskUses { functions: flow.mask_functions(), ..MaskUses::default() };
        let masks: Vec<&Declared> = flow.declared.iter().filter(|declared| flow.is_mask(declared)).collect();
        let names: FxHashSet<TokenIdx> = masks.iter().map(|mask| mask.name).collect();
        for declared in &masks {
            let is_mask = |name: &TokenIdx| names.contains(name);
            uses.declarations.push(MaskDeclaration {
                name: declared.name,
                width: width_of(document, declared.kind.clone()),
                is_separate: !declared.is_compound && declared.others.iter().all(is_mask),
            });
        }
        for scope in &flow.scopes {
            uses.mark_scope(&flow, scope, &names);
        }
        let is_number = |token: &TokenIdx| document.kind(*token) == Some(TokenKind::Number);
        uses.numbers.extend(flow.template_masks().into_iter().filter(is_number));
        uses.numbers.sort_unstable();
        uses.numbers.dedup();
        uses
    }

    fn mark_scope(&mut self, flow: &Flow<'_>, scope: &Scope, masks: &FxHashSet<TokenIdx>) {
        let mut marker = Marker { uses: self, flow, scope };
        for statement in &scope.statements {
            match statement {
                Statement::Declaration(found) => {
                    for declarator in &found.declarators {
                        if let Some(value) = &declarator.value {
                            marker.mark(value, masks.contains(&declarator.name));
                        }
                    }
                }
                Statement::Expression(operand) => marker.mark(operand, false),
                Statement::Return(operand) => {
                    marker.mark(operand, flow.gives_mask(scope));
                }
            }
        }
    }
}

struct Marker<'m, 'd> {
    uses: &'m mut MaskUses,
    flow: &'m Flow<'d>,
    scope: &'m Scope,
}

impl Marker<'_, '_> {
    fn is_mask(&self, operand: &Operand) -> bool {
        self.flow.kinds_of(self.scope, operand).mask
    }

    /// Notes what has to change in `operand`, whose value is a mask if `wanted` says so.
    fn mark(&mut self, operand: &Operand, wanted: bool) {
        let is_mask = wanted || self.is_mask(operand);
        match &operand.kind {
            OperandKind::Number(token) if wanted => self.mark_number(*token),
            OperandKind::Call(name, arguments) => self.mark_call(*name, arguments),
            OperandKind::Member(object, _) => self.mark(object, false),
            OperandKind::Index(parts) => {
                self.mark(&parts[0], false);
                self.mark(&parts[1], false);
            }
            OperandKind::Unary(sign, inner) => {
                let is_logic = self.flow.document.is(*sign, b'!');
                self.mark(inner, is_mask && !is_logic);
            }
            OperandKind::Cast(inner) => {
                let is_mask = wanted || self.is_mask(inner);
                if is_mask && !chooses_half(inner) {
                    self.mark_conversion(operand, inner);
                }
                self.mark(inner, is_mask && !self.makes_wide(operand, inner));
            }
            OperandKind::Choice(parts) => {
                self.mark(&parts[0], false);
                self.mark(&parts[1], is_mask);
                self.mark(&parts[2], is_mask);
            }
            OperandKind::Binary(operator, parts) => self.mark_binary(operator.kind, (&parts[0], &parts[1]), is_mask),
            OperandKind::Name(_) | OperandKind::Number(_) | OperandKind::Other => {}
        }
    }

    fn mark_binary(&mut self, operator: OperatorKind, (left, right): (&Operand, &Operand), is_mask: bool) {
        match operator {
            OperatorKind::Arithmetic(Arithmetic::BitAnd)
                if cuts_32_lanes(self.flow.document, left, right) || tests_bit(self.flow.document, right) =>
            {
                self.mark(left, is_mask);
            }
            OperatorKind::Arithmetic(Arithmetic::BitAnd | Arithmetic::BitOr | Arithmetic::BitXor) => {
                self.mark(left, is_mask);
                self.mark(right, is_mask);
            }
            OperatorKind::Arithmetic(Arithmetic::ShiftRight) if is_mask && is_full_number(self.flow.document, left) => {
                self.uses.shifted.push(left.tokens.end - 1);
                self.mark_top(right);
            }
            OperatorKind::Arithmetic(Arithmetic::ShiftLeft) if is_mask && is_full_number(self.flow.document, left) => {
                self.uses.shifted.push(left.tokens.end - 1);
            }
            OperatorKind::Arithmetic(Arithmetic::Subtract) if self.counts_from_top(left, right) => {}
            OperatorKind::Arithmetic(
                Arithmetic::ShiftLeft | Arithmetic::ShiftRight | Arithmetic::Subtract | Arithmetic::Add,
            ) => {
                self.mark(left, is_mask);
                self.mark(right, false);
            }
            OperatorKind::Arithmetic(_)
            | OperatorKind::Assign(Some(Arithmetic::ShiftLeft | Arithmetic::ShiftRight)) => {
                self.mark(left, false);
                self.mark(right, false);
            }
            OperatorKind::Assign(_) => {
                let holds_mask = self.is_mask(left);
                self.mark(left, false);
                self.mark(right, holds_mask);
            }
            OperatorKind::Logic => {
                let compares_masks = self.is_mask(left) || self.is_mask(right);
                self.mark(left, compares_masks);
                self.mark(right, compares_masks);
            }
            OperatorKind::Comma => {
                self.mark(left, false);
                self.mark(right, is_mask);
            }
        }
    }

    /// `31 - __clz(mask)`
    fn counts_from_top(&mut self, left: &Operand, right: &Operand) -> bool {
        let document = self.flow.document;
        let OperandKind::Number(top) = left.kind else { return false };
        let OperandKind::Call(name, arguments) = &right.kind else { return false };
        let [mask] = arguments.as_slice() else { return false };
        let is_top = matches!(document.token_text(top), "31" | "32");
        if !is_top || document.token_text(*name) != "__clz" || !self.is_mask(mask) {
            return false;
        }
        self.uses.bit_functions.push(BitFunction { name: *name, top: Some(top) });
        self.mark(mask, true);
        true
    }

    /// The `31` of `0xffffffff >> (31 - lane)`.
    fn mark_top(&mut self, shift: &Operand) {
        let document = self.flow.document;
        if let OperandKind::Binary(operator, parts) = &shift.kind
            && operator.kind == OperatorKind::Arithmetic(Arithmetic::Subtract)
            && let OperandKind::Number(top) = parts[0].kind
            && matches!(document.token_text(top), "31" | "32")
        {
            self.uses.tops.push(top);
        }
    }

    fn mark_call(&mut self, name: TokenIdx, arguments: &[Operand]) {
        let function = self.flow.document.token_text(name);
        let is_bit_function = matches!(function, "__popc" | "__ffs" | "__clz" | "__brev" | "__fns");
        for (number, argument) in arguments.iter().enumerate() {
            let is_parameter = self.flow.takes_mask(name, number);
            let is_mask = self.is_mask(argument);
            if is_bit_function && number == 0 && is_mask {
                self.uses.bit_functions.push(BitFunction { name, top: None });
            }
            if function == "printf" && is_mask {
                self.uses.printed.push(argument.tokens.clone());
            }
            // The masks of CUDA's own functions are a rule's of their own.
            let wanted = (is_mask || is_parameter) && !takes_mask(function);
            self.mark(argument, wanted);
        }
    }

    /// A number that becomes a part of a mask.
    fn mark_number(&mut self, token: TokenIdx) {
        let text = self.flow.document.token_text(token).to_ascii_lowercase();
        let is_narrow = !text.contains("ll") && !text.contains('.');
        if is_narrow && text != "0" {
            self.uses.numbers.push(token);
        }
    }

    /// Whether a number has the width of a type that is not narrow: `uint64_t(1)`, `(mask_t)1`.
    fn makes_wide(&self, cast: &Operand, inner: &Operand) -> bool {
        let kind = cast.tokens.start..inner.tokens.start;
        let is_narrow = matches!(width_of(self.flow.document, kind), MaskWidth::Narrow(_));
        matches!(inner.kind, OperandKind::Number(_)) && !is_narrow
    }

    fn mark_conversion(&mut self, cast: &Operand, inner: &Operand) {
        let kind = cast.tokens.start..inner.tokens.start;
        if let MaskWidth::Narrow(tokens) = width_of(self.flow.document, kind) {
            self.uses.conversions.push(tokens);
        }
    }
}

/// Whether a conversion to 32 bits is of one half of a mask: `(unsigned)(mask >> 32)`.
fn chooses_half(operand: &Operand) -> bool {
    match &operand.kind {
        OperandKind::Choice(_) => true,
        OperandKind::Binary(operator, _) => operator.kind == OperatorKind::Arithmetic(Arithmetic::ShiftRight),
        _ => false,
    }
}

/// Whether the file calls a function of CUDA's that gives or takes lane masks.
fn may_hold_masks(document: &Document) -> bool {
    let text = document.text().as_bytes();
    [&b"__ballot"[..], b"_sync", b"__activemask", b"__syncwarp", b"__match_"]
        .iter()
        .any(|word| memchr::memmem::find(text, word).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceFile;

    /// What was found, as texts: `type name`, `function`, `number`.
    fn seen(text: &str, known: &MaskFunctions) -> Vec<String> {
        let document = Document::new(SourceFile::from_text("a.cu", text));
        let uses = MaskUses::of(&document, &Functions::of(&document), known, false);
        let token = |idx: TokenIdx| document.token_text(idx).to_owned();
        let tokens = |range: &Range<TokenIdx>| document.slice(document.range_of(range.clone())).to_owned();
        let declared = uses.declarations.iter().map(|found| {
            let width = match &found.width {
                MaskWidth::Narrow(kind) => tokens(kind),
                MaskWidth::Wide => "wide".to_owned(),
                MaskWidth::Unknown => "unknown".to_owned(),
            };
            format!("{width} {}{}", token(found.name), if found.is_separate { "" } else { " with others" })
        });
        let functions = uses.bit_functions.iter().map(|found| token(found.name));
        let conversions = uses.conversions.iter().map(|kind| format!("({})", tokens(kind)));
        let all = declared
            .chain(functions)
            .chain(uses.numbers.iter().chain(&uses.shifted).chain(&uses.tops).map(|&number| token(number)))
            .chain(conversions);
        all.collect()
    }

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(seen(text, &MaskFunctions::default()), expected, "{text}");
    }

    #[test]
    fn masks_are_followed_through_variables() {
        check("__device__ int f(int p) { unsigned m = __ballot(p); return __popc(m); }", &["unsigned m", "__popc"]);
        check("__device__ int f(int p) { auto m = __ballot(p); return __ffs(m) - 1; }", &["wide m", "__ffs"]);
        check("__device__ void f(int p) { uint32_t m; m = __activemask(); g(m); }", &["uint32_t m"]);
        check("__device__ int f(int p) { int n = __popc(p); return n; }", &[]);
        check(
            "__device__ void f(int p) { unsigned m = 0xff, n = p; __shfl_sync(m, p, 0); }",
            &["unsigned m with others", "0xff"],
        );
    }

    #[test]
    fn masks_are_followed_through_functions_and_members() {
        check(
            "__device__ unsigned ballot(int p) { return __ballot_sync(~0u, p); } \
             __device__ int f(int p) { unsigned m = ballot(p); return __popc(m); }",
            &["unsigned ballot", "unsigned m", "__popc"],
        );
        check(
            "__device__ int g(int v, unsigned m) { return __shfl_sync(m, v, 0); } \
             __device__ int f(unsigned q) { return g(1, q); }",
            &["unsigned m", "unsigned q"],
        );
        check(
            "struct S { unsigned mask; }; __device__ void f(S& s, int p) { s.mask = __ballot(p); }",
            &["unsigned mask"],
        );
        let mut known = MaskFunctions::default();
        known.returned.insert("peers".to_owned());
        assert_eq!(seen("__device__ void f() { unsigned m = peers(); }", &known), ["unsigned m"]);
    }

    #[test]
    fn masks_are_followed_into_templates() {
        check(
            "template <int N, unsigned M> __device__ int f(int v) { return __shfl_sync(M, v, N); } \
             __device__ int g(int v) { return f<0, 0xffffffff>(v); }",
            &["unsigned M", "0xffffffff"],
        );
        check(
            "#define ALL 0xffffffffu\n\
             template <unsigned M> __device__ int f(int v) { return __shfl_sync(M, v, 0); } \
             __device__ int g(int v) { return f<ALL>(v) + other<1>(v); }",
            &["unsigned M", "0xffffffffu"],
        );
    }

    #[test]
    fn numbers_and_conversions_that_masks_are_made_from_are_found() {
        check(
            "__device__ int f(int p, int lane) { return __popc(__ballot(p) & ((1u << lane) - 1)); }",
            &["__popc", "1u"],
        );
        check("__device__ int f(int p) { return (unsigned)__ballot(p) != 0xffffffff; }", &["0xffffffff", "(unsigned)"]);
        check("__device__ int f(int p) { return 31 - __clz(__ballot(p)); }", &["__clz"]);
        check("__device__ int f(int p, int lane) { int x = __ballot(p) >> lane & 1; return x; }", &[]);
        check("__device__ int f(int p, int lane) { return !((__ballot(p) >> lane) & 1); }", &[]);
        check("__device__ int f(int p, int lane) { int x = __ballot(p) & 3; return x; }", &["int f", "int x", "3"]);
        check("__device__ int f(int p) { return g((unsigned)(__ballot(p) >> 32)); }", &[]);
        check(
            "__device__ unsigned below(int lane) { return __ballot(1) & (0xffffffffu >> (31 - lane)); }",
            &["unsigned below", "0xffffffffu", "31"],
        );
    }

    #[test]
    fn words_of_data_are_no_masks() {
        check("__device__ int f(unsigned bits, int i) { return bits & (1u << i); }", &[]);
        check("__device__ int f(unsigned bits) { return __popc(bits) + __clz(bits); }", &[]);
        check("int host(unsigned mask) { return mask & 1; }", &[]);
    }
}
