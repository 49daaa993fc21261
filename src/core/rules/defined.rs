//! What a file uses that has to be defined, as the rules of all groups say.

use super::context::Context;
use super::header::{
    WITH_HEADERS, expanded_by_gpu_compilers_alone, insert_definitions, lacks_runtime, read_by_gpu_compilers_alone,
};
use super::query::Name;
use super::{api, kernel, ptx, wave};
use crate::mapping::{Intrinsic, IntrinsicKind, Intrinsics};
use crate::source::Edit;
use crate::syntax::{Document, TokenIdx, TokenKind, words};

/// The edit that defines all that the converted file uses.
pub(crate) fn define_all(cx: &Context<'_>) -> Option<Edit> {
    let document = cx.document;
    let is_read = |name: &Name<'_>| !cx.skips(name.range.start());
    let by_name = cx.names.iter().filter(is_read).filter_map(|name| Some((name.token, defined(&name, cx)?)));
    let mut uses: Vec<(TokenIdx, &Intrinsic)> = by_name.collect();
    uses.extend(wave::defined_votes(cx));
    uses.extend(wave::defined_shuffles(cx));
    uses.extend(kernel::defined_for_host(cx));
    uses.extend(kernel::defined_extrema(cx));
    uses.extend(kernel::defined_powers(cx));
    uses.extend(ptx::defined_for_ptx(cx));
    let tokens = || uses.iter().map(|(token, _)| *token);
    let in_macro = tokens().find(|token| document.directive_of(*token).is_some());
    let first = in_macro.or_else(|| tokens().min())?;
    let mut intrinsics: Vec<&Intrinsic> = uses.iter().map(|(_, intrinsic)| *intrinsic).collect();
    intrinsics.sort_unstable_by_key(|intrinsic| &intrinsic.cuda);
    let mut text = if lacks_runtime(cx) && expanded_by_gpu_compilers_alone(tokens(), cx) {
        text_for_macros(&intrinsics, cx)?
    } else {
        text_of(&intrinsics, cx)?
    };
    let has_atomics = uses.iter().any(|(_, intrinsic)| intrinsic.kind == IntrinsicKind::Atomic);
    if has_atomics && names_libcu(document) {
        text.push_str("namespace cuda {\nnamespace std {}\n}\n");
    }
    // Other compilers know no `__device__`.
    if read_by_gpu_compilers_alone(tokens(), cx) {
        text = format!("#ifdef __HIPCC__\n{text}#endif\n");
    }
    Some(insert_definitions(document, first, &text))
}

/// The definitions for macros of a file without CUDA's headers: compilers for the host expand those that name functions for the host.
fn text_for_macros(intrinsics: &[&Intrinsic], cx: &Context<'_>) -> Option<String> {
    let (for_gpus, for_all): (Vec<_>, Vec<_>) =
        intrinsics.iter().partition(|intrinsic| intrinsic.code.contains("__device__"));
    let mut text = String::new();
    for (guard, intrinsics) in [("#ifdef __HIPCC__", for_gpus), (WITH_HEADERS, for_all)] {
        if !intrinsics.is_empty() {
            text.extend([guard, "\n", &text_of(&intrinsics, cx)?, "#endif\n"]);
        }
    }
    Some(text)
}

/// Whether the file names a namespace of libcu++ where it has to be one: `using namespace cuda;`, `namespace x = cuda::std;`.
fn names_libcu(document: &Document) -> bool {
    words(document, "namespace").any(|keyword| {
        let is_used = keyword > 0 && document.token_text(keyword - 1) == "using";
        let path = keyword + if is_used { 1 } else { 3 };
        let first = path + usize::from(document.kind(path) == Some(TokenKind::PathSep));
        (is_used || document.is(keyword + 2, b'=')) && document.token_text(first) == "cuda"
    })
}

/// The definitions, or the include of the header that has them and those that it has not.
fn text_of(intrinsics: &[&Intrinsic], cx: &Context<'_>) -> Option<String> {
    let intrinsics = intrinsics.iter().map(|intrinsic| &*intrinsic.cuda);
    let table = Intrinsics::builtin().ok()?;
    let header = cx.project.helper_header.as_ref();
    let include = header.and_then(|header| header.include_in(&cx.document.file().path));
    let Some(include) = include else { return Some(table.definitions(intrinsics)) };
    let (own, needs_header) = table.definitions_beside_header(intrinsics);
    Some(if needs_header { include + &own } else { own })
}

/// The definition that takes the place of `name`.
fn defined(name: &Name<'_>, cx: &Context<'_>) -> Option<&'static Intrinsic> {
    let of_lanes = || wave::stand_in(name, cx).or_else(|| wave::shuffle_overload(name, cx));
    let in_place = || kernel::emulated(name, cx).or_else(of_lanes).or_else(|| kernel::overload(name, cx));
    in_place().or_else(|| api::called_definition(name, cx))
}
