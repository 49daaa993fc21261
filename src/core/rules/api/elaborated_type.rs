//! `struct` and `enum` in front of types that are plain `typedef`s in HIP.

use std::rc::Rc;

use crate::diagnostic::{Fix, RuleInfo};
use crate::mapping::vector_size;
use crate::rules::context::Context;
use crate::rules::meaning::Meaning;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::{Edit, TextRange};
use crate::syntax::{Document, TokenIdx, words};

declare_rule! {
    /// ## What it does
    /// Finds types of CUDA that are named with `struct` or `enum` in front and whose HIP
    /// counterpart is a `typedef` of something with another name; vectors such as `float4` are among them.
    ///
    /// ## Why is this bad?
    /// C++ does not allow the keyword in front of a `typedef`, so the renamed line does not
    /// compile.
    ///
    /// ## Example
    /// ```cuda
    /// struct cudaGraphicsResource* resource;
    /// ```
    /// Use instead:
    /// ```hip
    /// hipGraphicsResource* resource;
    /// ```
    ///
    /// ## Fix safety
    /// Safe.
    ElaboratedType { code: "A020", name: "elaborated-type", severity: Hint, fix: Always, since: "0.1.0" }
}

/// Types that HIP's headers (5.7 to 7.2) define as `typedef` of an unnamed type or of one with
/// another tag.
const TYPEDEFS: &[&str] = &[
    "hipExternalMemoryBufferDesc",
    "hipExternalMemoryHandleDesc",
    "hipExternalMemoryHandleType",
    "hipExternalMemoryMipmappedArrayDesc",
    "hipExternalSemaphoreHandleDesc",
    "hipExternalSemaphoreHandleType",
    "hipExternalSemaphoreSignalParams",
    "hipExternalSemaphoreWaitParams",
    "hipGraphicsResource",
    "hipLaunchParams",
    "hipLibraryOption",
];

/// The one of which HIP's header declares a class only: `typedef struct _hipGraphicsResource hipGraphicsResource;`.
const RESOURCE: &str = "hipGraphicsResource";

impl Rule for ElaboratedType {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check<'d>(_: WholeFile, cx: &mut Context<'d>) {
        let names = Rc::clone(&cx.names);
        for name in names.iter() {
            match name.meaning {
                Meaning::Renamed(to, _) if TYPEDEFS.contains(&to) => report(name.token, to, cx),
                _ => {}
            }
        }
        let document: &'d Document = cx.document;
        let behind = words(document, "struct").map(|keyword| keyword + 1);
        let vectors: Vec<_> = behind.filter(|&name| is_vector(name, cx) && !cx.is_for_cuda_alone(name)).collect();
        for name in vectors {
            report(name, document.token_text(name), cx);
        }
    }
}

/// Whether a name is one of CUDA's vectors, and no class that is defined here.
fn is_vector(name: TokenIdx, cx: &Context<'_>) -> bool {
    let document = cx.document;
    let is_defined = document.is(name + 1, b'{') || document.is(name + 1, b':');
    vector_size(document.token_text(name)).is_some() && !is_defined
}

/// Removes the keyword in front of a type, and the whole of a declaration that says nothing else.
fn report(name: TokenIdx, to: &str, cx: &mut Context<'_>) {
    let document = cx.document;
    let Some(before) = name.checked_sub(1) else { return };
    let keyword = document.token_text(before);
    if !matches!(keyword, "struct" | "enum" | "union") {
        return;
    }
    let range = document.range_of(before..name);
    if to == RESOURCE && document.is(name + 1, b';') {
        let fix = Fix::safe(
            "declare the type",
            vec![Edit::replace(document.range_of(before..name), format!("typedef struct _{RESOURCE}"))],
        );
        cx.report(range, format!("`{to}` is a `typedef` in HIP, of a class with another name")).fix(fix);
        return;
    }
    let starts = before.checked_sub(1).is_none_or(|end| matches!(document.token_text(end), ";" | "{" | "}"));
    // The name itself is no matter of another rule only where it stays.
    let is_whole = vector_size(to).is_some()
        && document.is(name + 1, b';')
        && (starts || document.directive_of(before - 1).is_some());
    let end =
        if is_whole { document.range_of(name..name + 2).end() } else { document.range_of(name..name + 1).start() };
    let title = if is_whole { "remove the declaration".to_owned() } else { format!("remove `{keyword}`") };
    let fix = Fix::safe(title, vec![Edit::delete(TextRange::new(range.start(), end))]);
    let message = format!("`{to}` is a `typedef` in HIP, so `{keyword}` must not stand in front of it");
    cx.report(range, message).fix(fix);
}
