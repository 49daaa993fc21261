//! What the binary makes of a text in place of hipify-clang and hipify-perl.

use std::fs;
use std::process::Command;

/// Converts one file with the options of hipify-clang.
#[track_caller]
fn check(options: &str, before: &str, after: &str) {
    assert_eq!(converted("clang", options, before), after);
}

fn converted(tool: &str, options: &str, text: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("a.cu"), text).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_hipshift"));
    command.current_dir(&folder).args(["hipify", "--as", tool, "a.cu", "-o", "b.cu"]).args(options.split_whitespace());
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(fs::read_to_string(path("a.cu")).unwrap(), text, "the source stays");
    fs::read_to_string(path("b.cu")).unwrap()
}

#[test]
fn launches_keep_their_syntax_unless_asked() {
    let launch = "#include <cuda_runtime.h>\n__global__ void k(int);\nvoid f() { k<<<1, n>>>(2); }\n";
    let kept = launch.replace("cuda_runtime.h", "hip/hip_runtime.h");
    check("", launch, &kept);
    check("--cuda-kernel-execution-syntax", launch, &kept);
    let rewritten = kept.replace("k<<<1, n>>>(2)", "hipLaunchKernelGGL(k, dim3(1), dim3(n), 0, 0, 2)");
    check("--hip-kernel-execution-syntax", launch, &rewritten);
}

#[test]
fn names_of_templates_are_wrapped_and_blanks_put_behind_commas() {
    let text = "#include <cuda_runtime.h>\ntemplate <typename T> __global__ void t(T* p, int n) {}\n\
                __global__ void k(int* p, int n) {}\n\
                void f(int* p) {\n    t<int><<<1,2>>>(p,3);\n    t<<<g(1,2),  2>>>(p , 3);\n    k<<<1, 2>>>(p,\n        3);\n}\n";
    let rewritten = text
        .replace("cuda_runtime.h", "hip/hip_runtime.h")
        .replace("t<int><<<1,2>>>(p,3)", "hipLaunchKernelGGL(HIP_KERNEL_NAME(t<int>), dim3(1), dim3(2), 0, 0, p, 3)")
        .replace(
            "t<<<g(1,2),  2>>>(p , 3)",
            "hipLaunchKernelGGL(HIP_KERNEL_NAME(t), dim3(g(1,2)), dim3(2), 0, 0, p, 3)",
        )
        .replace("k<<<1, 2>>>(p,", "hipLaunchKernelGGL(k, dim3(1), dim3(2), 0, 0, p,");
    check("--hip-kernel-execution-syntax", text, &rewritten);
}

#[test]
fn names_follow_library_and_release() {
    let text = "#include <cublas_v2.h>\n#include <cudnn.h>\ncublasHandle_t a;\ncudnnHandle_t b;\ncudaDataType c;\n";
    let replaced = |names: [&str; 5]| {
        let [blas, dnn, handle, dnn_handle, data] = names;
        format!("#include <{blas}>\n#include <{dnn}>\n{handle} a;\n{dnn_handle} b;\n{data} c;\n")
    };
    let hip = ["hipblas/hipblas.h", "hipDNN.h", "hipblasHandle_t", "hipdnnHandle_t", "hipDataType"];
    check("--rocm 6.3", text, &replaced(hip));
    let roc = ["rocblas/rocblas.h", "hipDNN.h", "rocblas_handle", "hipdnnHandle_t", "rocblas_datatype"];
    check("--rocm=6.3 --roc", text, &replaced(roc));
    let miopen = ["hipblas/hipblas.h", "miopen/miopen.h", "hipblasHandle_t", "miopenHandle_t", "hipDataType"];
    check("-miopen", text, &replaced(miopen));
    let data = ["rocblas/rocblas.h", "miopen/miopen.h", "rocblas_handle", "miopenHandle_t", "hipDataType"];
    check("--roc --miopen --use-hip-data-types", text, &replaced(data));
}

#[test]
fn experimental_and_compiler_options_change_nothing() {
    let options = "-experimental --amap --cuda-path=/usr/cuda -DX -D Y -Iz -I w --extra-arg=-x -v --temp-dir t";
    let text = "#include <cuda_runtime.h>\nvoid f(void* p) { cudaFree(p); }\n";
    check(options, text, &text.replace("cuda_runtime", "hip/hip_runtime").replace("cudaFree", "hipFree"));
}

#[test]
fn only_blocks_that_are_never_read_are_skipped() {
    let text = "#if 0\nint a = cudaSuccess;\n#endif\n#ifdef X\nint b = cudaSuccess;\n#endif\n";
    let last = text.rfind("cudaSuccess").unwrap();
    let skipped = format!("{}hipSuccess{}", &text[..last], &text[last + "cudaSuccess".len()..]);
    let with_header = |text: &str| format!("#include <hip/hip_runtime.h>\n{text}");
    check("--amap", text, &with_header(&text.replace("cuda", "hip")));
    check("--skip-excluded-preprocessor-conditional-blocks", text, &with_header(&skipped));
    check("--default-preprocessor", text, &with_header(&skipped));
}

#[test]
fn text_that_is_no_code_stays() {
    let text = "#include <hip/hip_runtime.h>\n// cudaMalloc\nauto raw = R\"(cudaStream_t s)\";\n\
                auto message = \"cudaMalloc failed\";\n/* cudaFree */ int own::cudaFree();\n";
    check("", text, text);
    assert_eq!(converted("perl", "", text), text);
}

#[test]
fn the_name_of_a_function_is_renamed_in_a_string() {
    let text = "#include <hip/hip_runtime.h>\nvoid* f() { return dlsym(library, \"cuInit\"); }\n";
    check("", text, &text.replace("cuInit", "hipInit"));
}

#[test]
fn the_compiler_macro_is_renamed() {
    check("", "#ifdef __CUDACC__\n#endif\n", "#ifdef __HIPCC__\n#endif\n");
}

#[test]
fn repeated_and_empty_headers_go() {
    let text = "#include <cuda.h>\n#include <device_launch_parameters.h>\n#include \"cuda_runtime.h\"\nint i;\n";
    check("", text, "#include <hip/hip_runtime.h>\nint i;\n");
}

#[test]
fn a_macro_that_launches_stays_balanced() {
    let text = "#include <hip/hip_runtime.h>\n#define LAUNCH(k, g, b, ...) k<<<g, b>>>(__VA_ARGS__)\n\
                void f() { LAUNCH(k, g, b, p); }\n";
    let launch = "hipLaunchKernelGGL(k, dim3(g), dim3(b), 0, 0, __VA_ARGS__)";
    check("--hip-kernel-execution-syntax", text, &text.replace("k<<<g, b>>>(__VA_ARGS__)", launch));
}

#[test]
fn cub_becomes_hipcub_everywhere() {
    let text = "#include <cub/cub.cuh>\nusing namespace cub;\nnamespace c = cub;\ncub::CachingDeviceAllocator a;\n\
                void f() { cub::DeviceReduce::Sum(p, n, in, out, m); }\n";
    let hip = text.replace("cub/cub.cuh", "hipcub/hipcub.hpp").replace("cub::", "hipcub::");
    check("", text, &hip.replace("namespace cub", "namespace hipcub").replace("= cub", "= hipcub"));
}

/// Calls whose arguments change; the second and third are damaged by hipify-clang and hipify-perl.
#[test]
fn arguments_change_with_the_call() {
    let calls = [
        ("", "cudaMallocHost(&p, n);", "hipHostMalloc(&p, n, hipHostMallocDefault);"),
        ("", "cudaMallocHost(&p, n, flags);", "hipHostMalloc(&p, n, flags);"),
        (
            "",
            "cuOccupancyMaxPotentialBlockSizeWithFlags(&g, &b, f, size_of, s, l, flags);",
            "hipModuleOccupancyMaxPotentialBlockSizeWithFlags(&g, &b, f, s, l, flags);",
        ),
        ("", "cudaMemcpyToSymbol(T::table, h, n);", "hipMemcpyToSymbol(HIP_SYMBOL(T::table), h, n);"),
        ("", "cudaEventCreate(&e, cudaEventDefault);", "hipEventCreateWithFlags(&e, hipEventDefault);"),
        (
            "--roc",
            "cusparseSpMV(h, op, &a, m, x, &b, y, t, alg, buffer);",
            "rocsparse_spmv(h, op, &a, m, x, &b, y, t, alg, rocsparse_spmv_stage_compute, nullptr, buffer);",
        ),
        (
            "--miopen",
            "cudnnConvolutionForward(h, &a, xd, x, wd, w, c, g, s, n, &b, yd, y);",
            "miopenConvolutionForward(h, &a, xd, x, wd, w, c, g, &b, yd, y, s, n);",
        ),
    ];
    for (options, cuda, hip) in calls {
        let around = |call: &str| format!("#include <hip/hip_runtime.h>\nvoid f() {{ {call} }}\n");
        check(options, &around(cuda), &around(hip));
    }
}

/// HIPIFY names these although it cannot change their calls.
#[test]
fn roc_functions_with_other_arguments_are_named() {
    let text = "#include <cublas_v2.h>\nvoid f() { cublasGemmEx(handle); }\n";
    check("--roc", text, "#include <rocblas/rocblas.h>\nvoid f() { rocblas_gemm_ex(handle); }\n");
    check("", text, "#include <hipblas/hipblas.h>\nvoid f() { hipblasGemmEx(handle); }\n");
}
