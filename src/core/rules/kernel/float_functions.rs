//! Functions of floating-point numbers: what they give, and between which bounds.

/// How a function bounds what it gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bound {
    Above,
    Below,
    Both,
    /// It rounds.
    None,
}

impl Bound {
    pub(super) fn of(function: &str) -> Option<Bound> {
        Some(match function {
            "min" | "fmin" | "fminf" => Bound::Above,
            "max" | "fmax" | "fmaxf" => Bound::Below,
            "clamp" | "__saturatef" => Bound::Both,
            "rint" | "round" | "floor" | "ceil" | "trunc" | "rintf" | "roundf" | "floorf" | "ceilf" | "truncf" => {
                Bound::None
            }
            _ => return None,
        })
    }

    pub(super) fn opposite(self) -> Bound {
        match self {
            Bound::Above => Bound::Below,
            Bound::Below => Bound::Above,
            other => other,
        }
    }
}

/// Functions whose result is a floating-point number, whatever they take in device code.
pub(super) const REAL_FUNCTIONS: &[&str] = &[
    "rintf",
    "roundf",
    "floorf",
    "ceilf",
    "truncf",
    "nearbyintf",
    "fabsf",
    "fminf",
    "fmaxf",
    "fmodf",
    "sqrtf",
    "rsqrtf",
    "powf",
    "expf",
    "exp2f",
    "logf",
    "log2f",
    "log10f",
    "sinf",
    "cosf",
    "tanf",
    "tanhf",
    "fmaf",
    "__fdividef",
    "__expf",
    "__logf",
    "__log2f",
    "__powf",
    "__sinf",
    "__cosf",
    "__fmul_rn",
    "__fadd_rn",
    "__fmaf_rn",
    "__fdiv_rn",
    "__int2float_rn",
    "__uint2float_rn",
    "__half2float",
    "rint",
    "round",
    "floor",
    "ceil",
    "trunc",
    "nearbyint",
    "fabs",
    "fmin",
    "fmax",
    "fmod",
    "sqrt",
    "rsqrt",
    "pow",
    "exp",
    "exp2",
    "log",
    "log2",
    "log10",
    "sin",
    "cos",
    "tan",
    "tanh",
    "fma",
];
