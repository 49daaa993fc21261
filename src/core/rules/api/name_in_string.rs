//! String literals that name CUDA.

use super::program_pieces::check_piece;
use crate::analysis::{looks_like_cuda, program_text};
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::mapping::{Kind, Resolution};
use crate::rules::context::Context;
use crate::rules::query::{TextLiteral, Texts};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::{Edit, TextRange};
use crate::syntax::{Document, Literals, TokenIdx, opening};

declare_rule! {
    /// ## What it does
    /// Finds string literals that mean something to CUDA: the name of a function that is looked up at run time, that of a result
    /// which is compared with what `cudaGetErrorName` gives, the name of one of its libraries, the text of a device program, and
    /// options of the run-time compiler. In files with such programs, names in pieces of code are found as well.
    /// Messages that only mention a name are plain text and left alone.
    ///
    /// ## Why is this bad?
    /// Nothing but running the program shows that the name, library or option does not exist.
    ///
    /// ## Example
    /// ```cuda
    /// void* init = dlsym(driver, "cuInit");
    /// ```
    /// Use instead:
    /// ```hip
    /// void* init = dlsym(driver, "hipInit");
    /// ```
    ///
    /// ## Fix safety
    /// Unsafe: the string may serve another purpose, and the arguments of the function may have
    /// changed. Device programs are converted with the setting for strings; without it they are
    /// reported.
    NameInString { code: "A010", name: "name-in-string", severity: Warning, fix: Sometimes, since: "0.1.0" }
}

impl Rule for NameInString {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Texts;

    fn check(literal: TextLiteral, cx: &mut Context<'_>) {
        let document = cx.document;
        if let Some(program) = program_text(document, literal.token) {
            let is_for_hip = || cx.facts.is_hip && is_hip(&program.text, cx);
            if !cx.settings.strings && !is_for_hip() {
                let Some(token) = document.token(literal.token) else { return };
                let finding = cx.report(token.range(), "program text for run-time compilation was not converted");
                finding.note("convert it with `strings = true` in `hipshift.toml`, or by hand");
            }
            return;
        }
        // Literals that are joined say something together only.
        let Some(whole) = Literals::starting_at(document, literal.token) else { return };
        if !in_include(document, literal.token) {
            check_piece(&whole, cx);
        }
        if whole.tokens.len() > 1 {
            return;
        }
        let inner = whole.range;
        let text = document.slice(inner);
        let of_nvrtc = || {
            let is_for_nvrtc = cx.has_word("nvrtcCompileProgram") && !is_compared(document, literal.token);
            if is_for_nvrtc { nvrtc_advice(text) } else { None }
        };
        if let Some(advice) = option_advice(text).or_else(of_nvrtc) {
            cx.report(inner, format!("`{text}` is an option of NVIDIA's compilers")).note(advice);
        } else if let Some(library) = hip_library(text) {
            cx.report(inner, format!("`{text}` is a library of CUDA's")).note(format!("in HIP it is `{library}`"));
        } else if !in_include(document, literal.token) {
            check_name(text, (literal.token, inner), cx);
        }
    }
}

/// Whether the program of a file for HIP names nothing that only CUDA has.
fn is_hip(program: &str, cx: &Context<'_>) -> bool {
    let is_part = |sign: char| sign.is_ascii_alphanumeric() || sign == '_';
    let is_renamed = |word: &str| matches!(cx.resolve(word), Some(Resolution::Name(to, _)) if to != word);
    program.split(|sign| !is_part(sign)).all(|word| !is_renamed(word) && !looks_like_cuda(word))
}

/// Functions that give the names of results.
const NAMING: [&str; 2] = ["cudaGetErrorName", "cuGetErrorName"];

fn check_name(text: &str, (token, inner): (TokenIdx, TextRange), cx: &mut Context<'_>) {
    let is_of = |kind: Kind| cx.table.get(text).iter().any(|entry| entry.kind == kind);
    let is_result = || is_of(Kind::Constant) && NAMING.iter().any(|name| cx.has_word(name));
    let is_compared_result = is_result() && is_compared(cx.document, token);
    if !is_of(Kind::Function) && !is_compared_result {
        return;
    }
    let severity =
        if is_compared_result || is_looked_up(cx.document, token) { Severity::Warning } else { Severity::Info };
    match cx.resolve(text) {
        Some(Resolution::Name(to, entry)) if to != text => {
            let fix = Fix::risky(format!("write `{to}`"), vec![Edit::replace(inner, to)]);
            let finding = cx.report(inner, format!("`{text}` is `{to}` in HIP; the string was left as it is"));
            finding.severity(severity).note(entry.note).fix(fix);
        }
        Some(Resolution::Missing(entry) | Resolution::OtherRelease(entry)) => {
            let finding = cx.report(inner, format!("`{text}` does not exist in HIP; the string was left as it is"));
            finding.severity(severity).note(entry.note);
        }
        _ => {}
    }
}

fn in_include(document: &Document, token: TokenIdx) -> bool {
    document.directive_of(token).is_some_and(|directive| document.include(directive).is_some())
}

/// Whether the literal is an argument of a function that looks names up.
fn is_looked_up(document: &Document, literal: TokenIdx) -> bool {
    // The nearest parenthesis that is open here; further than any argument list of such a call
    // there is none.
    let first = literal.saturating_sub(32);
    let open = (first..literal)
        .rev()
        .find(|&idx| document.is(idx, b'(') && document.partner(idx).is_some_and(|close| close > literal));
    let callee = open.and_then(|open| open.checked_sub(1)).map_or("", |idx| document.token_text(idx));
    let lower = callee.to_ascii_lowercase();
    ["sym", "procaddress", "entrypoint"].iter().any(|part| lower.contains(part))
}

/// Whether a literal is compared with something, as the options of a program are: `strcmp(argv[1], "-G")`, `option == "-G"`.
fn is_compared(document: &Document, literal: TokenIdx) -> bool {
    let callee = opening(document, literal).and_then(|open| open.checked_sub(1));
    let is_equal = |first: Option<TokenIdx>| first.is_some_and(|at| document.is(at, b'=') && document.is(at + 1, b'='));
    callee.is_some_and(|name| document.token_text(name).contains("cmp"))
        || is_equal(literal.checked_sub(2))
        || is_equal(Some(literal + 1))
}

/// What to do with an option of nvcc or NVRTC.
fn option_advice(text: &str) -> Option<&'static str> {
    let text = text.trim();
    let names_gpu = || text.contains("sm_") || text.contains("compute_");
    let is_option = |option: &str| {
        text.strip_prefix(option).is_some_and(|rest| rest.is_empty() || rest.starts_with(['=', ' ', '%', '{']))
    };
    if is_option("--gpu-architecture")
        || is_option("--gpu-code")
        || is_option("-gencode")
        || is_option("--generate-code")
    {
        return Some("write `--offload-arch=gfx…` with a name such as gfx90a; `gcnArchName` of the properties has it");
    }
    if is_option("-arch") && (names_gpu() || text == "-arch" || text == "-arch=") {
        return Some("write `--offload-arch=gfx…` with a name such as gfx90a; `gcnArchName` of the properties has it");
    }
    if is_option("-maxrregcount") || is_option("--maxrregcount") {
        return Some(
            "bound the registers of each kernel with `__launch_bounds__`; HIP's compilers have no such option",
        );
    }
    match text {
        "-use_fast_math" | "--use_fast_math" => Some(
            "write `-fgpu-approx-transcendentals`, `-fgpu-flush-denormals-to-zero` and `-fno-hip-fp32-correctly-rounded-divide-sqrt`",
        ),
        "--fmad=false" | "-fmad=false" => Some("write `-ffp-contract=off`"),
        "--fmad=true" | "-fmad=true" => Some("write `-ffp-contract=fast`"),
        "-default-device" | "--device-as-default-execution-space" => Some("hiprtc has no such option; remove it"),
        _ => None,
    }
}

/// Options of NVRTC that clang, which compiles for hiprtc, does not know, with what to do about them (NVRTC documentation, "Supported
/// Compile Options"). They are called as they are written, with one dash or two.
const OF_NVRTC: &[(&str, &str)] = &[
    ("-G", "hiprtc has no such option; remove it"),
    ("-Xptxas", "AMD's compilers have no ptxas; remove it"),
    ("-err-no", "hiprtc has no such option; remove it"),
    ("-ewp", "hiprtc has no such option; remove it"),
    ("-ftz", "write `-fgpu-flush-denormals-to-zero` for true, and nothing for false"),
    ("-lineinfo", "write `-gline-tables-only`"),
    ("-prec-div", "write `-fno-hip-fp32-correctly-rounded-divide-sqrt` for false, and nothing for true"),
    ("-prec-sqrt", "write `-fno-hip-fp32-correctly-rounded-divide-sqrt` for false, and nothing for true"),
    ("-rdc", "write `-fgpu-rdc` for true, and nothing for false"),
    ("-restrict", "hiprtc has no such option: write `__restrict__` at the parameters"),
    ("--brief-diagnostics", "hiprtc has no such option; remove it"),
    ("--builtin-initializer-list", "hiprtc has no such option; remove it"),
    ("--builtin-move-forward", "hiprtc has no such option; remove it"),
    ("--device-c", "write `-fgpu-rdc`"),
    ("--device-debug", "hiprtc has no such option; remove it"),
    ("--device-int128", "the type is there without an option; remove it"),
    ("--diag-error", "hiprtc has no such option; remove it"),
    ("--diag-suppress", "hiprtc has no such option; remove it"),
    ("--diag-warn", "hiprtc has no such option; remove it"),
    ("--disable-warnings", "write `-w`"),
    ("--display-error-number", "hiprtc has no such option; remove it"),
    ("--dlink-time-opt", "hiprtc has no such option; remove it"),
    ("--extensible-whole-program", "hiprtc has no such option; remove it"),
    ("--extra-device-vectorization", "hiprtc has no such option; remove it"),
    ("--fdevice-syntax-only", "write `-fsyntax-only`"),
    ("--ftz", "write `-fgpu-flush-denormals-to-zero` for true, and nothing for false"),
    ("--generate-line-info", "write `-gline-tables-only`"),
    ("--include-path", "write `-I` and the folder"),
    ("--minimal", "hiprtc has no such option; remove it"),
    ("--modify-stack-limit", "hiprtc has no such option; remove it"),
    ("--no-display-error-number", "hiprtc has no such option; remove it"),
    ("--no-source-include", "hiprtc has no such option; remove it"),
    ("--pre-include", "write `-include` and the header as two options"),
    ("--prec-div", "write `-fno-hip-fp32-correctly-rounded-divide-sqrt` for false, and nothing for true"),
    ("--prec-sqrt", "write `-fno-hip-fp32-correctly-rounded-divide-sqrt` for false, and nothing for true"),
    ("--ptxas-options", "AMD's compilers have no ptxas; remove it"),
    ("--relocatable-device-code", "write `-fgpu-rdc` for true, and nothing for false"),
    ("--restrict", "hiprtc has no such option: write `__restrict__` at the parameters"),
    ("--split-compile", "hiprtc has no such option; remove it"),
    ("--time", "hiprtc has no such option; remove it"),
];

/// What to do with an option in a program that compiles with NVRTC.
fn nvrtc_advice(text: &str) -> Option<&'static str> {
    let name = text.trim().split(['=', ' ']).next()?;
    OF_NVRTC.iter().find(|(option, _)| *option == name).map(|(_, advice)| *advice)
}

/// Libraries by the start of their file names.
const LIBRARIES: &[(&str, &str)] = &[
    ("libcuda.so", "libamdhip64.so"),
    ("libcudart.so", "libamdhip64.so"),
    ("libnvrtc.so", "libhiprtc.so"),
    ("libcublas.so", "libhipblas.so"),
    ("libcublasLt.so", "libhipblaslt.so"),
    ("libcufft.so", "libhipfft.so"),
    ("libcurand.so", "libhiprand.so"),
    ("libcusparse.so", "libhipsparse.so"),
    ("libcusolver.so", "libhipsolver.so"),
    ("libcudnn.so", "libMIOpen.so"),
    ("libnccl.so", "librccl.so"),
    ("nvcuda.dll", "amdhip64.dll"),
];

fn hip_library(text: &str) -> Option<&'static str> {
    let file = text.rsplit(['/', '\\']).next().unwrap_or(text);
    LIBRARIES.iter().find(|(cuda, _)| file.starts_with(cuda)).map(|(_, hip)| *hip)
}
