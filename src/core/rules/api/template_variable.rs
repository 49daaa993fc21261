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
    /// Safe: the variable is the one that takes this one's place in the build files, and a version is that of CUDA 12, as in conditions of
    /// build files: HIP follows its interface.
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
            if let Some(release) = release(name) {
                let fix = Fix::safe(
                    "write the release whose interface HIP follows",
                    vec![Edit::replace(with_signs(document, place), release)],
                );
                cx.report(place, format!("a build for HIP has no `{name}`; it is that of CUDA 12")).fix(fix);
            } else if let Some(hip) = &variable.hip {
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

/// What a variable for a version of CUDA's is in the release that conditions of build files are decided for.
fn release(variable: &str) -> Option<&'static str> {
    match variable.strip_prefix("CUDAToolkit_VERSION").or_else(|| variable.strip_prefix("CUDA_VERSION"))? {
        "" | "_STRING" => Some("12.0"),
        "_MAJOR" => Some("12"),
        "_MINOR" => Some("0"),
        _ => None,
    }
}

/// The place of a variable with the signs around its name: `@NAME@`, `${NAME}`.
fn with_signs(document: &Document, name: TextRange) -> TextRange {
    let (start, end) = (usize::from(name.start()), usize::from(name.end()));
    let front = if document.text()[..start].ends_with('{') { "${".len() } else { "@".len() };
    range(start - front, end + 1)
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
