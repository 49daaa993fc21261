//! cuDNN's calls become MIOpen's. Where MIOpen takes strides for a layout, or coefficients by the kind of a function, a
//! stand-in for its header tells what the converted program passes on.

use crate::common::folder::Folder;
use crate::common::{json, validate};

/// Keeps what it is given.
const STAND_IN: &str = r"
#pragma once
#include <vector>
typedef struct miopenTensor* miopenTensorDescriptor_t;
typedef struct miopenActivation* miopenActivationDescriptor_t;
enum miopenStatus_t { miopenStatusSuccess = 0, miopenStatusUnsupportedOp = 7 };
enum miopenDataType_t { miopenHalf = 0, miopenFloat = 1 };
enum miopenTensorLayout_t { miopenTensorNCHW = 0, miopenTensorNHWC = 1, miopenTensorCHWN = 2 };
enum miopenActivationMode_t { miopenActivationTANH = 2, miopenActivationRELU = 3, miopenActivationELU = 9 };
inline std::vector<double> seen;
inline miopenStatus_t miopenSetTensorDescriptor(
    miopenTensorDescriptor_t, miopenDataType_t type, int count, const int* lengths, const int* strides) {
    seen = {double(type)};
    seen.insert(seen.end(), lengths, lengths + count);
    seen.insert(seen.end(), strides, strides + count);
    return miopenStatusSuccess;
}
inline miopenStatus_t miopenSet4dTensorDescriptor(miopenTensorDescriptor_t, miopenDataType_t type, int n, int c, int h, int w) {
    seen = {double(type), double(n), double(c), double(h), double(w)};
    return miopenStatusSuccess;
}
inline miopenStatus_t miopenSetActivationDescriptor(
    miopenActivationDescriptor_t, miopenActivationMode_t mode, double alpha, double beta, double gamma) {
    seen = {double(mode), alpha, beta, gamma};
    return miopenStatusSuccess;
}
";

const PROGRAM: &str = r#"
#include <cuda_runtime.h>
#include <cudnn.h>
#include <iostream>
#include <sstream>
#include <string>

static std::ostringstream shown;

static void show(cudnnStatus_t status) {
    shown << int(status) << ":";
    for (double value : seen) shown << " " << value;
    shown << "\n";
}

int main() {
    cudnnTensorDescriptor_t tensor = nullptr;
    cudnnFilterDescriptor_t filter = nullptr;
    cudnnActivationDescriptor_t activation = nullptr;
    cudnnTensorFormat_t formats[] = {CUDNN_TENSOR_NCHW, CUDNN_TENSOR_NHWC};
    show(cudnnSetTensor4dDescriptor(tensor, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 2, 3, 4, 5));
    for (cudnnTensorFormat_t format : formats) {
        show(cudnnSetTensor4dDescriptor(tensor, format, CUDNN_DATA_HALF, 2, 3, 4, 5));
        show(cudnnSetFilter4dDescriptor(filter, CUDNN_DATA_FLOAT, format, 8, 3, 1, 7));
        const int lengths[] = {2, 3, 4, 5, 6};
        show(cudnnSetTensorNdDescriptorEx(tensor, format, CUDNN_DATA_FLOAT, 5, lengths));
        show(cudnnSetFilterNdDescriptor(filter, CUDNN_DATA_FLOAT, format, 5, lengths));
    }
    show(cudnnSetActivationDescriptor(activation, CUDNN_ACTIVATION_TANH, CUDNN_NOT_PROPAGATE_NAN, 0.25));
    show(cudnnSetActivationDescriptor(activation, CUDNN_ACTIVATION_ELU, CUDNN_NOT_PROPAGATE_NAN, 0.25));
    std::cout << shown.str();
    return shown.str() == PASSED_ON ? 0 : 1;
}
"#;

/// Type, lengths and strides: cuDNN's documents of `cudnnTensorFormat_t` say which dimension lies closest together.
const PASSED_ON: &str = "\
0: 1 2 3 4 5
0: 0 2 3 4 5 60 20 5 1
0: 1 8 3 1 7 21 7 7 1
0: 1 2 3 4 5 6 360 120 30 6 1
0: 1 2 3 4 5 6 360 120 30 6 1
0: 0 2 3 4 5 60 1 15 3
0: 1 8 3 1 7 21 1 21 3
0: 1 2 3 4 5 6 360 1 90 18 3
0: 1 2 3 4 5 6 360 1 90 18 3
0: 2 1 1 0
0: 9 0.25 0 0
";

#[test]
fn layouts_become_strides_and_coefficients_stand_where_miopen_wants_them() {
    let program = format!("#define PASSED_ON R\"({PASSED_ON})\"\n{PROGRAM}");
    let folder = Folder::new(&[("p/program.cu", &program), ("p/include/miopen/miopen.h", STAND_IN)]);
    let program = folder.path("p/program.cu");
    let include = format!("-I{}", folder.path("p/include").display());
    let Some(output) = validate(&[program.to_str().unwrap(), "--arch=gfx90a", &include, "--format=json"]) else {
        return;
    };
    let document = json(&output);
    let result = &document["programs"][0]["targets"][0];
    assert_eq!(result["verdict"].as_str(), Some("ran"), "{document:#}");
}
