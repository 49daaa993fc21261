//! Variables of `CMake` that a template for a source asks for.

use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::mapping::{BuildName, build_variable};
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::{Edit, TextRange, TextSize, range};
use crate::syntax::Document;

declare_rule! {
    /// ## What it does
    /// Finds `CMake`'s variables about CUDA in templates for headers and sources (`config.h.in`, `config.h.cmake`), as `configure_file`
    /// fills them in: `@CUDAToolkit_VERSION@` and `${CUDAToolkit_VERSION}`.
    ///
    /// ## Why is this bad?
    /// A build for HIP does not set them, and `configure_file` writes nothing in their place, without a word.
    ///
    /// ## Example
    /// ```cuda
    /// static const char gpus[] = "@CMAKE_CUDA_ARCHITECTURES@";
    /// ```
    /// Use instead:
    /// ```hip
    /// static const char gpus[] = "@CMAKE_HIP_ARCHITECTURES@";
    /// ```
    ///
    /// ## Fix safety
    /// Safe: the variable is the one that takes this one's place in the build files. A version has no fix, as HIP and clang count others.
    TemplateVariable { code: "A039", name: "template-variable", severity: Hint, fix: Sometimes, since: "0.2.0" }
}

impl Rule for TemplateVariable {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let document = cx.document;
        if !matches!(document.file().path.extension(), Some("in" | "cmake" | "tmpl" | "template")) {
            return;
        }
        for (place, variable) in variables(document.text()) {
            // `#cmakedefine` asks for the variable that it names itself, and gives its macro the name.
            if is_in_comment(document, place)
                || document.line_text(place.start()).trim_start().starts_with("#cmakedefine")
            {
                continue;
            }
            let name = document.slice(place);
            if let Some(hip) = &variable.hip {
                let fix = Fix::safe(format!("ask for `{hip}`"), vec![Edit::replace(place, hip.as_str())]);
                cx.report(place, format!("`{name}` is `{hip}` in a build for HIP")).fix(fix);
            } else {
                let message = format!("a build for HIP has no `{name}`, so that nothing is written here");
                let advice = variable.advice.clone().unwrap_or_default();
                cx.report(place, message).severity(Severity::Warning).note(advice);
            }
        }
    }
}

/// Whether a place is in no token.
fn is_in_comment(document: &Document, place: TextRange) -> bool {
    let before = document.token_at(place.start() + TextSize::from(1)).checked_sub(1);
    before.and_then(|before| document.token(before)).is_none_or(|token| token.end <= u32::from(place.start()))
}

/// The variables about CUDA between signs, and their names' places.
fn variables(text: &str) -> impl Iterator<Item = (TextRange, &'static BuildName)> {
    let at_signs = memchr::memchr_iter(b'@', text.as_bytes()).map(|at| (at + 1, b'@'));
    let braces = memchr::memmem::find_iter(text.as_bytes(), b"${").map(|at| (at + 2, b'}'));
    at_signs.chain(braces).filter_map(|(start, end)| {
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let length = text.as_bytes()[start..].iter().take_while(|byte| is_name(byte)).count();
        let closes = text.as_bytes().get(start + length) == Some(&end);
        let variable = build_variable(&text[start..start + length]).filter(|_| closes)?;
        Some((range(start, start + length), variable))
    })
}
