//! Every name that HIPIFY knows becomes the name that HIPIFY gives it, up to the differences that
//! are listed here. `tests/data/hipify_names.csv` holds what HIPIFY for ROCm 6.3 knows.

use std::fs;
use std::process::Command;

use serde::Deserialize;

/// Names that become something else on purpose: the CUDA name, and the name here. The same name
/// twice means that it stays.
const DIFFERENT: &[(&str, &str)] = &[
    // Spelt otherwise in every header of HIP.
    ("CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR", "hipDeviceAttributeMaxBlocksPerMultiProcessor"),
    ("CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD_GROUP_ID", "hipDeviceAttributeMultiGpuBoardGroupID"),
    ("cudaDevAttrMaxBlocksPerMultiprocessor", "hipDeviceAttributeMaxBlocksPerMultiProcessor"),
    // In no header of HIP or MIOpen.
    ("CU_GRAPH_DEBUG_DOT_FLAGS_RUNTIME_TYPES", "CU_GRAPH_DEBUG_DOT_FLAGS_RUNTIME_TYPES"),
    ("cudaErrorLossyQuery", "cudaErrorLossyQuery"),
    ("cudaGraphNodeTypeConditional", "cudaGraphNodeTypeConditional"),
    ("CUDNN_DATA_INT8x4", "CUDNN_DATA_INT8x4"),
    // Marked deprecated in favour of the other.
    ("cuMemAllocHost", "hipHostMalloc"),
    ("cuMemAllocHost_v2", "hipHostMalloc"),
    // `__hip_bfloat16` has the operators and functions of CUDA's type, `hip_bfloat16` has not.
    ("__nv_bfloat16", "__hip_bfloat16"),
    // A callback that becomes `void*` is no callback.
    ("CUoccupancyB2DSize", "CUoccupancyB2DSize"),
    // Too common a word to belong to Caffe2.
    ("cuda_stream", "cuda_stream"),
    // Code that a module can be loaded from; bitcode has to be linked first, and exists with `-fgpu-rdc` only.
    ("nvrtcGetCUBIN", "hiprtcGetCode"),
    ("nvrtcGetCUBINSize", "hiprtcGetCodeSize"),
    // One type with `curandState` in CUDA (`curand_kernel.h`), two structures in hipRAND that are not converted to each other.
    ("curandStateXORWOW", "hiprandState"),
    ("curandStateXORWOW_t", "hiprandState_t"),
    // The same type as `miopenAcceleratorQueue_t`, and there without MIOpen's header.
    ("cudaStream_t", "hipStream_t"),
    // HIP's linker takes bitcode of LLVM's and no code of NVIDIA's.
    ("CU_JIT_INPUT_CUBIN", "CU_JIT_INPUT_CUBIN"),
    ("CU_JIT_INPUT_FATBINARY", "CU_JIT_INPUT_FATBINARY"),
    ("CU_JIT_INPUT_LIBRARY", "CU_JIT_INPUT_LIBRARY"),
    ("CU_JIT_INPUT_NVVM", "CU_JIT_INPUT_NVVM"),
    ("CU_JIT_INPUT_OBJECT", "CU_JIT_INPUT_OBJECT"),
    ("CU_JIT_INPUT_PTX", "CU_JIT_INPUT_PTX"),
    // Headers lie in folders of their libraries.
    ("cublas.h", "hipblas/hipblas.h"),
    ("cublas_api.h", "hipblas/hipblas.h"),
    ("cublas_v2.h", "hipblas/hipblas.h"),
    ("cublasLt.h", "hipblaslt/hipblaslt.h"),
    ("cusolverDn.h", "hipsolver/hipsolver.h"),
    ("cusolverMg.h", "hipsolver/hipsolver.h"),
    ("cusolverRf.h", "hipsolver/hipsolver.h"),
    ("cusolverSp.h", "hipsolver/hipsolver.h"),
    ("cusolverSp_LOWLEVEL_PREVIEW.h", "hipsolver/hipsolver.h"),
    ("cusolver_common.h", "hipsolver/hipsolver.h"),
    ("cusparse.h", "hipsparse/hipsparse.h"),
    ("cusparse_v2.h", "hipsparse/hipsparse.h"),
    ("nvrtc.h", "hip/hiprtc.h"),
    // These do not compile without others before them.
    ("channel_descriptor.h", "hip/hip_runtime_api.h"),
    ("cuda_texture_types.h", "hip/hip_runtime_api.h"),
    ("driver_types.h", "hip/hip_runtime_api.h"),
    ("cublas.h", "rocblas/rocblas.h"),
    ("cublas_api.h", "rocblas/rocblas.h"),
    ("cublas_v2.h", "rocblas/rocblas.h"),
    ("cusparse.h", "rocsparse/rocsparse.h"),
    ("cusparse_v2.h", "rocsparse/rocsparse.h"),
];

#[derive(Deserialize)]
struct Row {
    cuda: String,
    hip: String,
    roc: String,
    kind: String,
}

fn rows() -> Vec<Row> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/hipify_names.csv");
    csv::Reader::from_path(path).unwrap().deserialize().map(Result::unwrap).collect()
}

/// One line of a source that uses the name.
fn use_of(row: &Row, name: &str) -> String {
    match (row.kind.as_str(), row.cuda.as_str()) {
        // Each in a region of its own, so that none repeats another.
        ("header", _) => format!("#ifdef MACRO // {}\n#include <{name}>\n#endif\n", row.cuda),
        (_, "cub") => format!("use({name}::value);\n"),
        _ => format!("use({name});\n"),
    }
}

fn source_of(rows: &[Row], name: impl Fn(&Row) -> String) -> String {
    let (headers, names): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(|row| row.kind == "header");
    let lines = |rows: Vec<&Row>| rows.into_iter().map(|row| use_of(row, &name(row))).collect::<String>();
    format!("{}__global__ void uses() {{\n{}}}\n", lines(headers), lines(names))
}

fn converted(source: &str, options: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("all.cu"), source).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_hipshift"));
    command.current_dir(&folder).args(["hipify", "--rocm", "6.3", "all.cu"]).args(options);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    fs::read_to_string(folder.path().join("all.cu.hip")).unwrap()
}

#[track_caller]
fn check_names(options: &[&str], wanted: fn(&Row) -> &str) {
    let rows: Vec<Row> = rows().into_iter().filter(|row| !wanted(row).is_empty()).collect();
    let result = converted(&source_of(&rows, |row| row.cuda.clone()), options);
    let expected = source_of(&rows, |row| wanted(row).to_owned());
    let lines = result.lines().zip(expected.lines());
    let is_known = |seen: &str, expected: &str| {
        let row = |cuda: &str| rows.iter().find(|row| row.cuda == cuda);
        let mut different = DIFFERENT.iter().filter_map(|(cuda, here)| Some((row(cuda)?, here)));
        different.any(|(row, here)| {
            let line = |name: &str| use_of(row, name).lines().any(|line| line == seen && name == *here);
            line(here) && use_of(row, wanted(row)).contains(expected)
        })
    };
    let wrong: Vec<_> = lines.filter(|(seen, expected)| seen != expected && !is_known(seen, expected)).collect();
    assert!(wrong.is_empty(), "{} names differ: {:#?}", wrong.len(), &wrong[..wrong.len().min(40)]);
    assert_eq!(result.lines().count(), expected.lines().count());
}

#[test]
fn names_are_those_of_hipify() {
    check_names(&[], |row| &row.hip);
}

#[test]
fn roc_names_are_those_of_hipify() {
    check_names(&["--roc", "--miopen"], |row| if row.roc.is_empty() && !is_dnn(row) { &row.hip } else { &row.roc });
}

fn is_dnn(row: &Row) -> bool {
    row.hip.to_ascii_lowercase().starts_with("hipdnn")
}

/// hipDNN's names among those of MIOpen would compile with neither.
#[test]
fn no_name_of_hipdnn_stands_among_those_of_miopen() {
    let rows: Vec<Row> = rows().into_iter().filter(|row| row.roc.is_empty() && is_dnn(row)).collect();
    assert!(rows.len() > 50);
    let result = converted(&source_of(&rows, |row| row.cuda.clone()), &["--miopen"]);
    assert!(!result.to_ascii_lowercase().contains("hipdnn"), "{result}");
}

#[test]
fn listed_differences_are_differences() {
    let rows = rows();
    for (cuda, here) in DIFFERENT {
        let differs = |row: &Row| row.hip != *here || (!row.roc.is_empty() && row.roc != *here);
        assert!(rows.iter().any(|row| row.cuda == *cuda && differs(row)), "{cuda}");
    }
}
