//! Calls whose result nobody takes, in projects whose builds take warnings for errors.

use crate::diagnostic::{Fix, RuleInfo};
use crate::mapping::{Entry, Kind};
use crate::rules::context::Context;
use crate::rules::meaning::Meaning;
use crate::rules::query::{Name, Names};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;
use crate::syntax::{Call, DirectiveKind, Document, TokenIdx, path_start};

declare_rule! {
    /// ## What it does
    /// Finds calls of functions of the runtime and the driver that are whole statements, in folders whose build files make errors of
    /// warnings (`-Werror`).
    ///
    /// ## Why is this bad?
    /// `hipError_t` is `[[nodiscard]]` in C++17 (`hip/hip_runtime_api.h` of 5.7 to 7.2), and CUDA's type is not: clang warns of each
    /// such call (`-Wunused-value`), GCC as well (`-Wunused-result`), and the project does not compile.
    ///
    /// ## Example
    /// ```cuda
    /// void release(void* p) { cudaFree(p); }
    /// ```
    /// Use instead:
    /// ```hip
    /// void release(void* p) { (void)hipFree(p); }
    /// ```
    ///
    /// ## Fix safety
    /// Safe: the program does the same. Better is to look at the result.
    DroppedResult { code: "A038", name: "dropped-result", severity: Hint, fix: Always, since: "0.2.0" }
}

impl Rule for DroppedResult {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Names;

    fn check<'d>(name: Name<'d>, cx: &mut Context<'d>) {
        let (Meaning::Renamed(_, entry) | Meaning::Same(entry)) = name.meaning else { return };
        if !gives_error(entry) || !cx.project.builds.makes_errors_of_warnings(&cx.document.file().path) {
            return;
        }
        let Some(start) = dropped(cx.document, name.token) else { return };
        let place = cx.document.range_of(start..start + 1).start();
        let fix = Fix::safe("say that it is dropped", vec![Edit::insert(place, "(void)")]);
        cx.report(name.range, "nobody takes this result, of which HIP's compiler warns, and warnings are errors here")
            .fix(fix);
    }
}

/// Whether an entry is a function with an error for its result.
fn gives_error(entry: &Entry) -> bool {
    entry.kind == Kind::Function && matches!(entry.library, "runtime" | "driver")
}

/// Where the statement starts that is nothing but a call.
fn dropped(document: &Document, name: TokenIdx) -> Option<TokenIdx> {
    let call = Call::at(document, name).filter(|call| document.is(call.close + 1, b';'))?;
    let start = path_start(document, name);
    let before = in_front(document, start)?;
    let begins = match document.token_text(before) {
        ";" | "{" | "}" | "else" | "do" => true,
        // `if (done) cudaFree(p);`, and not `(int)cudaFree(p);`
        ")" => {
            let head = document.partner(before).and_then(|open| open.checked_sub(1));
            head.is_some_and(|head| matches!(document.token_text(head), "if" | "while" | "for" | "switch"))
        }
        _ => false,
    };
    // The last statement of `({ … })` is its value.
    let is_value = || {
        let end = call.close + 2;
        let open = document.partner(end).filter(|_| document.is(end, b'}'));
        open.and_then(|open| open.checked_sub(1)).is_some_and(|before| document.is(before, b'('))
    };
    (begins && !is_value()).then_some(start)
}

/// The token before the one at `idx`, over directives that stand between; none where it depends on a condition.
fn in_front(document: &Document, idx: TokenIdx) -> Option<TokenIdx> {
    let own = document.directive_of(idx).map(|directive| directive.tokens.start);
    let mut before = idx.checked_sub(1)?;
    while let Some(directive) = document.directive_of(before).filter(|found| Some(found.tokens.start) != own) {
        if matches!(directive.kind, DirectiveKind::Else | DirectiveKind::Elif) {
            return None;
        }
        before = directive.tokens.start.checked_sub(1)?;
    }
    Some(before)
}
