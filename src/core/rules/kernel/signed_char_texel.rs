//! Textures and surfaces of `signed char`.

use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::rules::context::Context;
use crate::rules::meaning::Meaning;
use crate::rules::query::{Name, Names};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;

declare_rule! {
    /// ## What it does
    /// Finds functions for textures and surfaces that are called for `signed char`: `tex1Dfetch<signed char>`.
    ///
    /// ## Why is this bad?
    /// HIP's functions take `char` and `unsigned char` of the types of 8 bits, and do not compile for this one.
    ///
    /// ## Example
    /// ```cuda
    /// __device__ int score(cudaTextureObject_t table, int at) { return tex1Dfetch<signed char>(table, at); }
    /// ```
    /// Use instead:
    /// ```hip
    /// __device__ int score(hipTextureObject_t table, int at) { return tex1Dfetch<char>(table, at); }
    /// ```
    ///
    /// ## Fix safety
    /// Safe: `char` has a sign in device code for AMD GPUs on x86-64 hosts. Forms that take the address of a `signed char` have no
    /// fix.
    SignedCharTexel { code: "K052", name: "signed-char-texel", severity: Hint, fix: Sometimes, since: "0.2.0" }
}

impl Rule for SignedCharTexel {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Names;

    fn check<'d>(name: Name<'d>, cx: &mut Context<'d>) {
        let (document, at) = (cx.document, name.token + 2);
        let is_of_image = name.text.starts_with("tex") || name.text.starts_with("surf");
        if !is_of_image || !matches!(name.meaning, Meaning::Same(_)) || !document.is(name.token + 1, b'<') {
            return;
        }
        let words = [document.token_text(at), document.token_text(at + 1)];
        let ends = document.is(at + 2, b'>') || document.is(at + 2, b',');
        if ends && matches!(words, ["signed", "char"] | ["char", "signed"]) {
            let range = document.range_of(at..at + 2);
            let message = format!("HIP's `{}` takes `char`, and not `signed char`", name.text);
            let takes_address = name.text.ends_with("read") || document.is(at + 3, b'(') && document.is(at + 4, b'&');
            let finding = cx.report(range, message);
            if takes_address {
                finding.severity(Severity::Error).note("read a `char`, and convert it");
            } else {
                finding.fix(Fix::safe("name it `char`", vec![Edit::replace(range, "char")]));
            }
        }
    }
}
