//! Whether a name is spelt like one of CUDA's.

/// CUDA's name for the size of a warp in device code.
pub const WAVE_SIZE: &str = "warpSize";

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
        // Pointers to functions of the driver and the runtime (`cudaTypedefs.h`).
        _ => name.strip_prefix("PFN_").is_some_and(|rest| rest.starts_with("cu") && looks_like_cuda(rest)),
    }
}

fn is_driver_function(name: &[u8]) -> bool {
    matches!(name, [b'c', b'u', b'A'..=b'Z', b'a'..=b'z', ..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spelling_tells_cuda_names() {
        for name in [
            "cudaMalloc",
            "cuInit",
            "PFN_cuMemAlloc_v3020",
            "PFN_cudaMalloc",
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
}
