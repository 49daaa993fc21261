//! Scalar floats in another mode than the usual one.

use super::scalar_values::{Operation, Values};
use crate::exec::number::directed::{self, Effect};
use crate::exec::number::element::Kind;
use crate::exec::number::float_mode::{FloatMode, flushed};

/// What the mode of floats changes about a scalar instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ScalarEffect {
    effect: Effect,
    source: Kind,
    result: Kind,
    third: Third,
}

/// Where the third operand of a product and sum lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Third {
    Destination,
    Literal,
    /// The literal is the second one.
    Second,
}

impl ScalarEffect {
    /// `None` for what does not work on floats.
    pub(super) fn of(base: &str) -> Option<ScalarEffect> {
        let kind = |name: &str| match name {
            "f16" => Some(Kind::Float(16)),
            "f32" => Some(Kind::Float(32)),
            "i32" | "u32" => Some(Kind::Int(32)),
            _ => None,
        };
        let mut kinds = base.split('_').filter_map(kind);
        let (first, last) = (kinds.next()?, kinds.next());
        if !matches!((first, last), (Kind::Float(_), _) | (_, Some(Kind::Float(_)))) {
            return None;
        }
        let is_pair = base.contains("_pk_");
        let third = match base {
            "s_fmaak_f32" => Third::Literal,
            "s_fmamk_f32" => Third::Second,
            _ => Third::Destination,
        };
        Some(ScalarEffect {
            effect: Effect::of(base),
            // The upper half is not lost where it is the one that counts.
            source: if base.starts_with("s_cvt_hi") { Kind::PackedHalf } else { last.unwrap_or(first) },
            result: if is_pair { Kind::PackedHalf } else { first },
            third,
        })
    }

    /// Runs an operation.
    #[cold]
    pub(super) fn run(self, operation: Operation, values: &mut Values, mode: FloatMode) {
        if mode.flushes_sources(self.source) {
            let number = |bits: u64| flushed(self.source, bits);
            (values.a, values.b, values.d) = (number(values.a), number(values.b), number(values.d));
            values.k = number(values.k.into()) as u32;
        }
        match self.effect {
            Effect::Rounds(rounded) if !mode.is_nearest(rounded.is_single(self.result)) => {
                let k = u64::from(values.k);
                let operands = match self.third {
                    Third::Destination => [values.a, values.b, values.d],
                    Third::Literal => [values.a, values.b, k],
                    Third::Second => [values.a, k, values.b],
                };
                values.d = directed::result(rounded, self.result, operands, false, mode);
            }
            _ => operation(values),
        }
        if mode.flushes_results(self.result) {
            values.d = flushed(self.result, values.d);
        }
    }
}
