//! Standard headers that nvcc includes by itself.

use super::missing_runtime_header::{is_fragment, provides_runtime};
use super::place::for_first_include;
use crate::analysis::{Role, Side, regions, role, side_of};
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::mapping::RocmVersion;
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::{Edit, TextSize};
use crate::syntax::{Document, Include, TokenIdx, words};

declare_rule! {
    /// ## What it does
    /// Finds files that use `assert` in device code, `memcpy`, `strlen` and the like, or `isnan` and
    /// its kin in host code without including the C header that declares them. Files that include
    /// other headers than CUDA's and the standard library's are left alone, since those may bring it.
    /// The first place that needs one is reported.
    ///
    /// ## Why is this bad?
    /// nvcc includes these headers into every file. HIP's runtime header does not include
    /// `<math.h>`, and from ROCm 7.0 on neither `<assert.h>` nor `<string.h>`.
    ///
    /// ## Example
    /// ```cuda
    /// #include <cuda_runtime.h>
    /// __global__ void check(int* x) { assert(x[threadIdx.x] > 0); }
    /// ```
    /// Use instead:
    /// ```hip
    /// #include <assert.h>
    /// #include <hip/hip_runtime.h>
    /// __global__ void check(int* x) { assert(x[threadIdx.x] > 0); }
    /// ```
    ///
    /// ## Fix safety
    /// Safe: the include is what nvcc does.
    MissingStandardHeader { code: "H005", name: "missing-standard-header", severity: Hint, fix: Sometimes, since: "0.1.0" }
}

/// Functions and the headers that declare them.
struct Need {
    functions: &'static [&'static str],
    /// As C and as C++ name it.
    headers: [&'static str; 2],
    /// The release from which on HIP's header leaves it out.
    since: RocmVersion,
    /// Whether only uses on this side need it.
    side: fn(Side) -> bool,
}

const NEEDS: &[Need] = &[
    Need {
        functions: &["assert"],
        headers: ["assert.h", "cassert"],
        since: RocmVersion::new(7, 0),
        side: |side| side != Side::Host,
    },
    Need {
        functions: &["isnan", "isinf", "isfinite", "signbit"],
        // `<cmath>` declares them in `std` only.
        headers: ["math.h", "math.h"],
        since: RocmVersion::OLDEST,
        side: |side| side != Side::Device,
    },
    Need {
        functions: &[
            "memcpy", "memset", "memmove", "memcmp", "strlen", "strcmp", "strncmp", "strcpy", "strncpy", "strcat",
            "strstr", "strchr", "strrchr", "strdup", "strtok", "strerror",
        ],
        headers: ["string.h", "cstring"],
        since: RocmVersion::new(7, 0),
        side: |side| side != Side::Device,
    },
];

impl Rule for MissingStandardHeader {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let document: &Document = cx.document;
        let mut includes = document.includes().peekable();
        if includes.peek().is_none() || includes.any(|include| !is_known(&include, cx)) {
            return;
        }
        let missing: Vec<(TokenIdx, &str)> = NEEDS.iter().filter_map(|need| missing(need, cx)).collect();
        let Some(&(first, _)) = missing.iter().min() else { return };
        let headers: Vec<&str> = missing.iter().map(|(_, header)| *header).collect();
        let listed = headers.join("`, `");
        let message = format!("the file needs `{listed}`, which nvcc includes by itself");
        let newline = document.file().newline.as_str();
        let lines: String = headers.iter().flat_map(|header| ["#include <", header, ">", newline]).collect();
        // The runtime header is put at the place for the first include.
        let place = if is_fragment(cx) {
            None
        } else if provides_runtime(cx) {
            Some(for_first_include(document, first))
        } else {
            behind_first_include(document)
        };
        let finding = cx.report(document.range_of(first..first + 1), message);
        match place {
            Some(place) => {
                finding.fix(Fix::safe(format!("include `{listed}`"), vec![Edit::insert(place, lines)]));
            }
            None => {
                finding.severity(Severity::Warning).note("include it by hand");
            }
        }
    }
}

/// The start of the line behind the first include that no condition leaves out.
fn behind_first_include(document: &Document) -> Option<TextSize> {
    let directives = document.directives().iter().zip(regions(document));
    let mut includes =
        directives.filter(|(directive, region)| region.depth == 0 && document.include(directive).is_some());
    let (include, _) = includes.next()?;
    let end = usize::from(document.range_of(include.tokens.clone()).end());
    let line_end = end + document.text()[end..].find('\n')? + 1;
    let is_whole = !document.text()[end..line_end].contains("/*");
    is_whole.then(|| crate::source::range(line_end, line_end).start())
}

/// The first token that needs a header that the file does not include, and the header.
fn missing(need: &Need, cx: &Context<'_>) -> Option<(TokenIdx, &'static str)> {
    let included = cx.document.includes().any(|include| need.headers.contains(&include.path));
    let first = first_use(need, cx).filter(|_| !included && cx.settings.rocm >= need.since)?;
    Some((first, need.headers[0]))
}

fn first_use(need: &Need, cx: &Context<'_>) -> Option<TokenIdx> {
    let document: &Document = cx.document;
    let uses = need.functions.iter().flat_map(|name| words(document, name));
    let calls = uses.filter(|&idx| {
        let name = document.token_text(idx);
        let is_free = role(document, idx) == Role::Free && cx.facts.declared.get(name).is_none();
        document.is(idx + 1, b'(')
            && is_free
            && side_of(document, cx.facts, idx).is_some_and(|(_, side)| (need.side)(side))
    });
    calls.min()
}

/// Whether a header is CUDA's or the standard library's.
fn is_known(include: &Include<'_>, cx: &Context<'_>) -> bool {
    const C_HEADERS: &[&str] = &[
        "assert.h",
        "ctype.h",
        "errno.h",
        "float.h",
        "inttypes.h",
        "limits.h",
        "math.h",
        "stdbool.h",
        "stddef.h",
        "stdint.h",
        "stdio.h",
        "stdlib.h",
        "string.h",
        "time.h",
    ];
    let is_standard = !include.quoted && !include.path.contains(['.', '/']);
    is_standard || C_HEADERS.contains(&include.path) || cx.resolve_header(include.path).is_some()
}
