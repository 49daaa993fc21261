//! Modules with code for NVIDIA GPUs that a program loads.

use crate::analysis::{Role, role};
use crate::diagnostic::{RuleInfo, Severity};
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::syntax::{Document, Literals, TokenIdx, TokenKind, words};

declare_rule! {
    /// ## What it does
    /// Finds calls of `cuModuleLoad`, `cuLibraryLoadFromFile`, `cuLinkAddFile` and the like, also under their names in HIP,
    /// where the file names a PTX file, a cubin or a fat binary; in CUDA sources for information also those
    /// that do not tell what they load. Programs that HIP RTC compiles at run time are not found.
    ///
    /// ## Why is this bad?
    /// The call is converted and compiles, and fails when the program runs: AMD GPUs run code objects.
    ///
    /// ## Example
    /// ```cuda
    /// #include <cuda.h>
    /// CUresult load(CUmodule* module) { return cuModuleLoad(module, "kernel.ptx"); }
    /// ```
    ///
    /// ## What to do
    /// Build a code object with `hipcc --genco --offload-arch=gfx… kernel.hip -o kernel.co`, and load that. The names of its
    /// kernels are those of the source where they are `extern "C"`. Source: ROCm documentation, "HIP C++ language
    /// extensions", "Kernel compilation".
    NvidiaModule { code: "A031", name: "nvidia-module", severity: Warning, fix: None, since: "0.1.0" }
}

/// Functions that load code, and whether an argument names its file.
const LOADERS: &[(&str, bool)] = &[
    ("cuModuleLoad", true),
    ("hipModuleLoad", true),
    ("cuLibraryLoadFromFile", true),
    ("cudaLibraryLoadFromFile", true),
    ("hipLibraryLoadFromFile", true),
    ("cuLinkAddFile", true),
    ("cuLinkAddFile_v2", true),
    ("hipLinkAddFile", true),
    ("cuModuleLoadData", false),
    ("cuModuleLoadDataEx", false),
    ("cuModuleLoadFatBinary", false),
    ("cuLibraryLoadData", false),
    ("cudaLibraryLoadData", false),
];

/// Ends of the names of files with code for NVIDIA GPUs.
const EXTENSIONS: [&str; 3] = [".ptx", ".cubin", ".fatbin"];

/// Functions that give what was compiled at run time, which HIP RTC compiles for the GPU at hand.
const COMPILED: [&str; 6] =
    ["nvrtcGetPTX", "nvrtcGetCUBIN", "nvrtcGetPTXSize", "cuLinkComplete", "hiprtcGetCode", "hipLinkComplete"];

impl Rule for NvidiaModule {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let document: &Document = cx.document;
        let calls: Vec<(TokenIdx, bool)> = LOADERS.iter().flat_map(|loader| calls_of(loader, cx)).collect();
        let Some((first, _)) = calls.iter().min() else { return };
        let files: Vec<TokenIdx> =
            if calls.iter().any(|(_, names_file)| *names_file) { nvidia_files(document) } else { Vec::new() };
        for literal in &files {
            let message = format!("{} is code for NVIDIA GPUs", document.token_text(*literal).replace('"', "`"));
            let finding = cx.report(document.range_of(*literal..*literal + 1), message);
            finding.label(document.range_of(*first..*first + 1), "loaded here");
            finding.note(BUILD);
        }
        let is_compiled = COMPILED.iter().any(|name| words(document, name).next().is_some());
        if cx.facts.is_hip || !files.is_empty() || is_compiled {
            return;
        }
        for (call, _) in calls {
            let finding =
                cx.report(document.range_of(call..call + 1), "what is loaded here has to be a code object of HIP's");
            finding.severity(Severity::Info).note(BUILD);
        }
    }
}

const BUILD: &str = "build one with `hipcc --genco --offload-arch=gfx…`, and load that";

/// The calls of a function that loads code, and whether they name a file.
fn calls_of(&(name, names_file): &(&'static str, bool), cx: &Context<'_>) -> Vec<(TokenIdx, bool)> {
    let document = cx.document;
    if cx.facts.declared.get(name).is_some() {
        return Vec::new();
    }
    let is_call = |idx: &TokenIdx| document.is(idx + 1, b'(') && role(document, *idx) == Role::Free;
    words(document, name).filter(is_call).map(|idx| (idx, names_file)).collect()
}

/// The string literals that name files with code for NVIDIA GPUs, and no more: no sentence, no part of several literals.
fn nvidia_files(document: &Document) -> Vec<TokenIdx> {
    let names_file = |text: &str| {
        let is_path = !text.contains(|c: char| c.is_whitespace() || c == '%' || c == '{');
        is_path && EXTENSIONS.iter().any(|end| text.strip_suffix(end).is_some_and(|stem| !stem.is_empty()))
    };
    let is_text = |idx: &TokenIdx| matches!(document.kind(*idx), Some(TokenKind::Str | TokenKind::RawStr));
    let all = (0..document.tokens().len()).filter(is_text);
    all.filter(|&idx| {
        let literals = Literals::starting_at(document, idx);
        literals.is_some_and(|whole| whole.tokens.len() == 1 && names_file(document.slice(whole.range)))
    })
    .collect()
}
