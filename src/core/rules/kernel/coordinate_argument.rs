//! Coordinates as arguments.

use std::ops::Range;

use crate::analysis::Function;
use crate::diagnostic::{Fix, RuleInfo};
use crate::mapping::RocmVersion;
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;
use crate::syntax::{Call, Document, TokenIdx, words};

declare_rule! {
    /// ## What it does
    /// Finds members of `threadIdx` and the like that are handed to `printf`, `min` or `max` as they
    /// are, for releases before ROCm 6.4.
    ///
    /// ## Why is this bad?
    /// In the headers of HIP 5.7 they are objects that convert to a number. `printf` takes no
    /// objects, and several functions `min` fit one: the call does not compile. The headers of 6.4
    /// do without the objects.
    ///
    /// ## Example
    /// With `--rocm 5.7`:
    /// ```cuda
    /// __global__ void k() { printf("%u", threadIdx.x); }
    /// ```
    ///
    /// ## Fix safety
    /// Safe: `(unsigned)` in front is the type that the member has in CUDA.
    CoordinateArgument { code: "K035", name: "coordinate-argument", severity: Hint, fix: Always, since: "0.1.0" }
}

const FUNCTIONS: &[&str] = &["printf", "min", "max"];

impl Rule for CoordinateArgument {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        if cx.settings.rocm >= RocmVersion::new(6, 4) {
            return;
        }
        let document: &Document = cx.document;
        for name in FUNCTIONS.iter().flat_map(|function| words(document, function)) {
            let is_device = cx.facts.functions.around(name).is_some_and(Function::runs_on_device);
            let Some(call) = Call::at(document, name).filter(|_| is_device) else { continue };
            for &argument in &call.arguments {
                let tokens = document.tokens_in(argument);
                if is_coordinate(document, &tokens) {
                    let edits = vec![Edit::insert(argument.start(), "(unsigned)")];
                    let (what, function) = (document.slice(argument), document.token_text(name));
                    let message = format!("`{what}` is an object in HIP, which `{function}` does not take");
                    cx.report(argument, message).fix(Fix::safe("cast it to a number", edits));
                }
            }
        }
    }
}

/// CUDA's variables for the place of a thread.
pub(super) const COORDINATES: &[&str] = &["threadIdx", "blockIdx", "blockDim", "gridDim"];

/// Whether tokens are a member of CUDA's variables for the place of a thread: `threadIdx.x`.
pub(super) fn is_coordinate(document: &Document, tokens: &Range<TokenIdx>) -> bool {
    let object = document.token_text(tokens.start);
    tokens.len() == 3 && COORDINATES.contains(&object) && document.is(tokens.start + 1, b'.')
}
