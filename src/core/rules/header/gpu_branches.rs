//! Branches that compilers for GPUs alone read, in files that other compilers read, too.

use crate::analysis::{Definition, Expression, evaluate};
use crate::rules::context::Context;
use crate::source::Spans;
use crate::syntax::{DirectiveKind, Document, TokenIdx};

/// Macros that compilers for GPUs define, in CUDA and in HIP, and no other compiler does.
const COMPILERS: &[&str] =
    &["__CUDACC__", "__NVCC__", "__HIPCC__", "__HIP__", "__CUDA_ARCH__", "__HIP_DEVICE_COMPILE__"];

/// What holds for compilers of HIP, and for those of the host where HIP's headers are to be found, which ask for that macro.
pub(in crate::rules) const WITH_HEADERS: &str = "#if defined(__HIPCC__) || defined(__HIP_PLATFORM_AMD__)";

/// The tokens of the file that no other compiler reads.
fn gpu_branches(cx: &Context<'_>) -> Spans<TokenIdx> {
    cx.facts
        .conditions
        .chains()
        .iter()
        .flat_map(|chain| chain.skipped(|condition| without_gpu(condition, cx)))
        .collect()
}

/// Whether other compilers than those for GPUs may read a file: all but what nvcc compiles.
pub(in crate::rules) fn is_read_by_others(document: &Document) -> bool {
    document.file().path.extension() != Some("cu")
}

/// Whether no other compiler reads any of `tokens`, in a file that other compilers may read.
pub(in crate::rules) fn read_by_gpu_compilers_alone(
    mut tokens: impl Iterator<Item = TokenIdx>,
    cx: &Context<'_>,
) -> bool {
    is_read_by_others(cx.document) && {
        let for_gpus = cx.for_gpus.get_or_init(|| gpu_branches(cx));
        tokens.all(|token| for_gpus.contains(token))
    }
}

/// Whether no other compiler expands any of `tokens`, in a file that other compilers may read: not even a macro that names one, which
/// is nothing to a compiler before it is used. Where another compiler uses it, that file includes CUDA's headers itself.
pub(in crate::rules) fn expanded_by_gpu_compilers_alone(
    tokens: impl Iterator<Item = TokenIdx>,
    cx: &Context<'_>,
) -> bool {
    let is_in_macro =
        |token: TokenIdx| cx.document.directive_of(token).is_some_and(|one| one.kind == DirectiveKind::Define);
    read_by_gpu_compilers_alone(tokens.filter(|token| !is_in_macro(*token)), cx)
}

/// Whether a condition holds for a compiler that knows no GPU, as far as that can be said.
fn without_gpu(condition: &Expression, cx: &Context<'_>) -> Option<bool> {
    let known = |token: TokenIdx| {
        let is_compiler = COMPILERS.contains(&&*cx.document.name(token));
        if is_compiler { Definition::Undefined } else { Definition::Unknown }
    };
    evaluate(condition, &known).truth()
}
