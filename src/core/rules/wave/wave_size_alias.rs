//! Macros that stand for the size of a wave: `#define WARP warpSize`.

use crate::analysis::WAVE_SIZE;
use crate::syntax::{DirectiveKind, Document, TokenIdx};

/// What compilers for AMD GPUs define.
pub(super) const OF_COMPILER: &[&str] = &["__AMDGCN_WAVEFRONT_SIZE", "__AMDGCN_WAVEFRONT_SIZE__"];

/// What a macro stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AliasOf {
    /// `warpSize`
    WaveSize,
    /// A macro of the compiler, which is 64 for the host whatever the GPU.
    Compiler,
}

/// The macros of a file that are the size of a wave and nothing else, in parentheses or not.
pub(super) fn aliases(document: &Document) -> Vec<(&str, AliasOf)> {
    let defines = document.directives().iter().filter(|directive| directive.kind == DirectiveKind::Define);
    let aliases = defines.filter_map(|directive| {
        let name = directive.tokens.start + 2;
        let body = (name + 1..directive.tokens.end).filter(|&idx| !document.is(idx, b'(') && !document.is(idx, b')'));
        let body: Vec<TokenIdx> = body.collect();
        let [only] = body.as_slice() else { return None };
        Some((document.token_text(name), alias_of(document.token_text(*only))?))
    });
    aliases.collect()
}

fn alias_of(word: &str) -> Option<AliasOf> {
    match word {
        WAVE_SIZE => Some(AliasOf::WaveSize),
        _ => OF_COMPILER.contains(&word).then_some(AliasOf::Compiler),
    }
}
