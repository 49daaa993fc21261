//! Names of CUDA that a conversion of real sources leaves without a word.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::lexer::{Sort, Token, tokens};
use crate::run;
use crate::verdict::{Finding, Severity};

/// How names of CUDA's libraries begin; a capital letter, a digit or `_` follows the small ones.
const SMALL: &[&str] = &[
    "cuda",
    "cublas",
    "cublasLt",
    "cublasXt",
    "cusparse",
    "cufft",
    "curand",
    "cusolver",
    "cusolverDn",
    "cudnn",
    "nvrtc",
    "nvml",
    "cutensor",
    "cupti",
    "nvjpeg",
    "nppi",
    "npps",
    "optix",
    "cu",
];

const CAPITAL: &[&str] = &[
    "CUBLAS_",
    "CUSPARSE_",
    "CUFFT_",
    "CURAND_",
    "CUSOLVER_",
    "CUDNN_",
    "NVRTC_",
    "NVML_",
    "NPP_",
    "CUDART_",
    "CUDA_R_",
    "CUDA_C_",
    "CUDA_ERROR_",
    "CU_",
    "cudaDev",
    "__nv_",
    "CUdevice",
    "CUmodule",
    "CUfunction",
    "CUcontext",
    "CUstream",
    "CUevent",
    "CUresult",
    "CUtensorMap",
];

/// Whether a word is spelt like a name of CUDA's.
fn is_cuda(word: &str) -> bool {
    let small = SMALL.iter().any(|prefix| {
        word.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(|letter: char| letter.is_ascii_uppercase()))
    });
    let tail =
        ["curand_", "cublas_", "cuda_"].iter().any(|prefix| word.starts_with(prefix)) && word.starts_with("curand_");
    small || tail || CAPITAL.iter().any(|prefix| word.starts_with(prefix))
}

/// Words that stand before a name in an expression or a statement and declare nothing.
const NO_TYPES: &[&str] = &[
    "return",
    "else",
    "do",
    "case",
    "throw",
    "new",
    "delete",
    "goto",
    "sizeof",
    "and",
    "or",
    "not",
    "co_return",
    "in",
    "defined",
    "if",
    "elif",
    "ifdef",
    "ifndef",
    "co_await",
    "co_yield",
    "operator",
    "public",
    "private",
    "protected",
    "typename",
    "const",
    "constexpr",
    "static",
    "inline",
    "extern",
    "mutable",
    "volatile",
    "__device__",
    "__host__",
    "__global__",
    "__forceinline__",
    "typedef",
    "friend",
    "undef",
    "include",
];

/// The names that a text declares, more of them rather than fewer.
/// Macros that stand for one other name are shims: they count `with_shims` only.
fn declared<'a>(tokens: &[Token<'a>], with_shims: bool, into: &mut BTreeSet<&'a str>) {
    let mut enums = 0_usize;
    for (index, token) in tokens.iter().enumerate() {
        let before = index.checked_sub(1).map_or("", |at| tokens[at].text);
        let after = tokens.get(index + 1).map_or("", |token| token.text);
        match token.text {
            "enum" => enums = 1,
            "{" if enums == 1 => enums = 2,
            ";" | "}" | ")" => enums = 0,
            _ => {}
        }
        if token.sort != Sort::Word || token.directive && before != "define" {
            continue;
        }
        let typed = index > 0 && tokens[index - 1].sort == Sort::Word && !NO_TYPES.contains(&before);
        let starred = matches!(before, "*" | "&" | ">")
            && tokens[..index]
                .iter()
                .rev()
                .find(|t| !matches!(t.text, "*" | "&"))
                .is_some_and(|t| t.sort == Sort::Word || t.text == ">");
        let ends = matches!(after, ";" | "=" | "," | ")" | "[" | "{" | ":");
        let function = after == "(" && defines(&tokens[index + 1..]);
        let listed = enums == 2 && matches!(before, "{" | ",") && matches!(after, "," | "}" | "=");
        let macro_ = before == "define" && (with_shims || !is_shim(&tokens[index..]));
        let named = macro_ || matches!(before, "struct" | "class" | "union" | "enum" | "namespace" | "using");
        if named || listed || (typed || starred) && (ends || function) {
            into.insert(token.text);
        }
    }
}

/// Whether the macro that begins here stands for one name and nothing else.
fn is_shim(tokens: &[Token]) -> bool {
    let body: Vec<&Token> = tokens[1..].iter().take_while(|token| token.line == tokens[0].line).take(2).collect();
    matches!(body[..], [token] if token.sort == Sort::Word)
}

/// Whether a parenthesis holds parameters: a body follows it, or two words follow each other in it.
fn defines(tokens: &[Token]) -> bool {
    let mut depth = 0_usize;
    for (index, token) in tokens.iter().enumerate() {
        match token.text {
            "(" => depth += 1,
            ")" if depth == 1 => {
                return matches!(
                    tokens.get(index + 1).map(|t| t.text),
                    Some("{" | "const" | "override" | "noexcept" | ":" | ";" | "->" | "=")
                ) && tokens.get(index + 1).is_some_and(|t| t.text != ";" || two_words(&tokens[..index]));
            }
            ")" => depth -= 1,
            _ => {}
        }
    }
    false
}

fn two_words(tokens: &[Token]) -> bool {
    tokens.windows(2).any(|pair| pair[0].sort == Sort::Word && pair[1].sort == Sort::Word)
        || tokens
            .windows(3)
            .any(|t| t[0].sort == Sort::Word && matches!(t[1].text, "*" | "&") && t[2].sort == Sort::Word)
}

/// All files below a folder, by their paths in it.
fn files(folder: &Path, below: &Path, into: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder.join(below)).unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let inner = path.strip_prefix(folder).unwrap().to_owned();
        if path.is_dir() {
            files(folder, &inner, into);
        } else {
            into.push(inner);
        }
    }
}

/// Four tokens that follow each other.
type Window<'a> = [&'a str; 4];

fn window<'a>(tokens: &[Token<'a>], at: usize) -> Option<Window<'a>> {
    tokens.get(at..at + 4).map(|four| [four[0].text, four[1].text, four[2].text, four[3].text])
}

/// For each token of `after` the lines of `before` that it came from. Definitions that the conversion has put in came from none, and
/// stand where the token before them does.
fn origins(before: &[Token], after: &[Token]) -> Vec<(usize, usize)> {
    let (mut kept, mut is_kept) = (Vec::new(), Vec::new());
    while let Some(token) = after.get(is_kept.len()) {
        if let Some(end) = definition_end(after, is_kept.len()) {
            is_kept.resize(end, false);
        } else {
            kept.push(*token);
            is_kept.push(true);
        }
    }
    let mut aligned = aligned(before, &kept).into_iter();
    let mut last = (0, 0);
    is_kept
        .into_iter()
        .map(|is_kept| {
            if is_kept {
                last = aligned.next().unwrap_or(last);
                last
            } else {
                last
            }
        })
        .collect()
}

/// Both texts are walked in step, and where they differ, they go on at the nearest four tokens that both have.
fn aligned(before: &[Token], after: &[Token]) -> Vec<(usize, usize)> {
    let mut places: BTreeMap<Window, Vec<usize>> = BTreeMap::new();
    for at in 0..before.len() {
        if let Some(window) = window(before, at) {
            places.entry(window).or_default().push(at);
        }
    }
    let next = |i: usize, j: usize| {
        let all = places.get(&window(after, j)?)?;
        all.get(all.partition_point(|at| *at < i)).copied()
    };
    let line = |at: usize| before.get(at).or(before.last()).map_or(0, |token| token.line);
    let mut lines = Vec::new();
    let (mut i, mut j) = (0, 0);
    while j < after.len() {
        if i < before.len() && before[i].text == after[j].text {
            lines.push((line(i), line(i)));
            (i, j) = (i + 1, j + 1);
            continue;
        }
        let (mut skip, mut put) = (before.len() - i, after.len() - j);
        let mut ahead = 0;
        while ahead < skip + put && j + ahead < after.len() {
            if let Some(found) = next(i, j + ahead)
                && found - i + ahead < skip + put
            {
                (skip, put) = (found - i, ahead);
            }
            ahead += 1;
        }
        lines.extend((0..put).map(|_| (line(i.saturating_sub(1)), line(i + skip))));
        (i, j) = (i + skip, j + put);
    }
    lines
}

/// Where a definition that the conversion has put in ends: `#ifndef HIPSHIFT_… #endif`. It has words that the source has, too.
fn definition_end(tokens: &[Token], start: usize) -> Option<usize> {
    let directive = |at: usize| {
        let sign = tokens.get(at).filter(|token| token.directive && token.text == "#");
        sign.and_then(|_| tokens.get(at + 1)).map_or("", |word| word.text)
    };
    let name = tokens.get(start + 2).filter(|_| directive(start) == "ifndef");
    name.filter(|name| name.text.starts_with("HIPSHIFT_"))?;
    let mut depth = 0_usize;
    for at in start..tokens.len() {
        match directive(at) {
            "if" | "ifdef" | "ifndef" => depth += 1,
            "endif" if depth == 1 => return Some(at + 2),
            "endif" => depth -= 1,
            _ => {}
        }
    }
    None
}

fn told(findings: &[Finding], name: &str, (first, last): (usize, usize)) -> bool {
    findings.iter().any(|finding| finding.severity != Severity::Hint && finding.concerns(name, first, last))
}

/// Converts all projects below a folder, and lists what is left without a word.
pub(crate) fn silent(sources: &Path, folder: &Path) -> Vec<String> {
    let mut projects: Vec<PathBuf> = fs::read_dir(sources).unwrap().map(|entry| entry.unwrap().path()).collect();
    projects.retain(|path| path.is_dir());
    projects.sort();
    let mut left = Vec::new();
    for project in projects {
        let to = folder.join(project.file_name().unwrap());
        let findings = run::convert(&project, &to);
        let texts = read(&project, &to);
        left.extend(silent_in(&project, &texts, &findings));
    }
    left
}

/// The files that a second conversion of real sources changes.
pub(crate) fn changed_again(sources: &Path, folder: &Path) -> Vec<String> {
    let (once, twice) = (folder.join("once"), folder.join("twice"));
    run::convert(sources, &once);
    run::convert(&once, &twice);
    let mut paths = Vec::new();
    files(&once, Path::new(""), &mut paths);
    let differs = |path: &&PathBuf| fs::read(once.join(path)).ok() != fs::read(twice.join(path)).ok();
    paths
        .iter()
        .filter(|path| !path.starts_with(".hipshift"))
        .filter(differs)
        .map(|path| path.display().to_string())
        .collect()
}

/// The converted files of a project, before and after.
fn read(project: &Path, to: &Path) -> BTreeMap<String, (String, String)> {
    let mut paths = Vec::new();
    files(to, Path::new(""), &mut paths);
    let text = |path: PathBuf| String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned();
    let both = |path: PathBuf| (path.display().to_string(), (text(project.join(&path)), text(to.join(&path))));
    paths.into_iter().filter(|path| !path.starts_with(".hipshift")).map(both).collect()
}

fn silent_in(
    project: &Path,
    texts: &BTreeMap<String, (String, String)>,
    findings: &BTreeMap<String, Vec<Finding>>,
) -> Vec<String> {
    let mut all = Vec::new();
    files(project, Path::new(""), &mut all);
    let own_texts: Vec<String> =
        all.iter().map(|path| String::from_utf8_lossy(&fs::read(project.join(path)).unwrap()).into_owned()).collect();
    let mut own = BTreeSet::new();
    for text in &own_texts {
        declared(&tokens(text), false, &mut own);
    }
    let name = project.file_name().unwrap().to_string_lossy();
    let mut left = Vec::new();
    for (path, (before, after)) in texts {
        let (before, after) = (tokens(before), tokens(after));
        let mut here = own.clone();
        declared(&before, true, &mut here);
        let found = findings.get(path).map(Vec::as_slice).unwrap_or_default();
        for (token, lines) in after.iter().zip(origins(&before, &after)) {
            let cuda = token.sort == Sort::Word && !token.aside && is_cuda(token.text) && !here.contains(token.text);
            if cuda && !told(found, token.text, lines) {
                left.push(format!("{name}/{path}:{}: {} (now line {})", lines.0, token.text, token.line));
            }
        }
    }
    left
}
