//! What a name is, judged by its spelling and its neighbours.

use crate::syntax::{DirectiveKind, Document, TokenIdx, TokenKind};

/// What an identifier token stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A name that look-up finds in the global scope, a local scope, or a macro.
    Free,
    /// A name after `outer::`; the token of `outer`.
    Qualified(TokenIdx),
    /// A member after `.` or `->`.
    Member,
    /// The name that a `#define` defines.
    Defined,
    /// A name in `#undef`, `#ifdef`, `#if` or `#elif`.
    Tested,
    /// An operand of `##`, so only a part of a name.
    Pasted,
}

/// The role of the identifier at `idx`.
pub fn role(document: &Document, idx: TokenIdx) -> Role {
    if let Some(role) = role_in_directive(document, idx) {
        return role;
    }
    let Some(before) = document.before(idx) else { return Role::Free };
    match document.token(before).map(|token| token.kind) {
        Some(TokenKind::Arrow | TokenKind::Punct(b'.')) if !is_ellipsis(document, before) => Role::Member,
        Some(TokenKind::PathSep) => match document.before(before) {
            Some(outer) if is_qualifier(document, outer) => Role::Qualified(outer),
            _ => Role::Free,
        },
        _ => Role::Free,
    }
}

fn role_in_directive(document: &Document, idx: TokenIdx) -> Option<Role> {
    let directive = document.directive_of(idx)?;
    let first_operand = directive.tokens.start + 2;
    match directive.kind {
        DirectiveKind::Define if idx == first_operand => Some(Role::Defined),
        DirectiveKind::Define if is_pasted(document, idx) => Some(Role::Pasted),
        DirectiveKind::Undef => Some(Role::Tested),
        kind if kind.has_condition() => Some(Role::Tested),
        _ => None,
    }
}

fn is_pasted(document: &Document, idx: TokenIdx) -> bool {
    let hashes = |at: TokenIdx| document.is(at, b'#') && document.is(at + 1, b'#');
    hashes(idx + 1) || (idx >= 2 && hashes(idx - 2))
}

/// The last `.` of `...` is no member access.
fn is_ellipsis(document: &Document, dot: TokenIdx) -> bool {
    document.is(dot, b'.') && dot >= 1 && document.is(dot - 1, b'.')
}

/// Whether the token before a `::` qualifies what follows: not in `return ::f()` or `(a) ::f()`.
fn is_qualifier(document: &Document, idx: TokenIdx) -> bool {
    match document.token(idx).map(|token| token.kind) {
        Some(TokenKind::Ident) => !matches!(
            document.token_text(idx),
            "return" | "else" | "case" | "throw" | "new" | "delete" | "typename" | "const"
        ),
        Some(TokenKind::Punct(b'>')) => true,
        _ => false,
    }
}

/// Prefixes of CUDA's libraries; a capital letter or `_` follows.
const PREFIXES: &[&str] = &[
    "cuda",
    "cublasLt",
    "cublasXt",
    "cublasMg",
    "cublas",
    "cudnn",
    "cufftXt",
    "cufft",
    "cufile",
    "cuFile",
    "curand",
    "cusolver",
    "cusparseLt",
    "cusparse",
    "cutensor",
    "cupti",
    "CUpti",
    "nvrtc",
    "nvJitLink",
    "nvPTXCompiler",
    "nvjpeg",
    "nvml",
    "nvtx",
    "nccl",
    "npp",
];

/// Prefixes of enumerators and macros.
const CAPITAL_PREFIXES: &[&str] = &[
    "CUDA_",
    "CUDART_",
    "CUDNN_",
    "CUBLAS_",
    "CUBLASLT_",
    "CUFFT_",
    "CURAND_",
    "CUSPARSE_",
    "CUSOLVER_",
    "CUPTI_",
    "NVRTC_",
    "NVML_",
    "NCCL_",
    "CU_",
];

/// Whether a name is spelt like one of CUDA's: `cudaMalloc`, `cuInit`, `CUdevice`, `CU_MEMORYTYPE_HOST`.
pub fn looks_like_cuda(name: &str) -> bool {
    let bytes = name.as_bytes();
    match bytes {
        [b'c', b'u', ..] | [b'n', b'v' | b'c' | b'p', ..] => {
            let api = PREFIXES.iter().filter_map(|prefix| name.strip_prefix(prefix));
            let mut api = api.filter(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()));
            api.next().is_some() || is_driver_function(bytes)
        }
        [b'C' | b'N', ..] => {
            let driver_type = matches!(bytes, [b'C', b'U', b'a'..=b'z', b'a'..=b'z', ..]) && !name.starts_with("CUpti");
            driver_type || CAPITAL_PREFIXES.iter().any(|prefix| name.len() > prefix.len() && name.starts_with(prefix))
        }
        _ => false,
    }
}

fn is_driver_function(name: &[u8]) -> bool {
    matches!(name, [b'c', b'u', b'A'..=b'Z', b'a'..=b'z', ..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceFile;

    #[test]
    fn spelling_tells_cuda_names() {
        for name in [
            "cudaMalloc",
            "cuInit",
            "cublasSgemm",
            "CUdevice",
            "CU_CTX_X",
            "cublasLtMatmul",
            "ncclSend",
            "CUDNN_DATA_FLOAT",
        ] {
            assert!(looks_like_cuda(name), "{name}");
        }
        for name in [
            "cuda",
            "cuda_ptr",
            "cub",
            "cube",
            "cut",
            "CUBE",
            "cudaize",
            "cu_seqlens",
            "custom",
            "CU_",
            "nvidia",
            "CUTE",
        ] {
            assert!(!looks_like_cuda(name), "{name}");
        }
    }

    #[track_caller]
    fn check_role(text: &str, expected: Role) {
        let document = Document::new(SourceFile::from_text("a.cu", text));
        let idx = (0..document.tokens().len()).find(|&idx| document.token_text(idx) == "X").unwrap();
        assert_eq!(role(&document, idx), expected, "{text}");
    }

    #[test]
    fn neighbours_tell_roles() {
        check_role("f(X);", Role::Free);
        check_role("return ::X();", Role::Free);
        check_role("a::X();", Role::Qualified(0));
        check_role("#endif\n::X();", Role::Free);
        check_role("#define A\nX();", Role::Free);
        check_role("a<b>::X();", Role::Qualified(3));
        check_role("p->X;", Role::Member);
        check_role("p.X;", Role::Member);
        check_role("f(T...X);", Role::Free);
        check_role("#define X 1", Role::Defined);
        check_role("#define Y X", Role::Free);
        check_role("#define Y(a) X##a", Role::Pasted);
        check_role("#if A && defined(X)\n#endif", Role::Tested);
    }
}
