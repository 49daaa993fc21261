// Kernels as text: compiled while the program runs, found by their names and by name expressions, with a header and an
// option of the program's own; and text that is no program.

#include <cuda.h>
#include <cuda_runtime.h>
#include <nvrtc.h>

#include <cstdio>
#include <string>
#include <vector>

#define CHECK(call)                                                          \
    do {                                                                     \
        const int status = static_cast<int>(call);                           \
        if (status != 0) {                                                   \
            printf("%s:%d: %s gives %d\n", __FILE__, __LINE__, #call, status); \
            return false;                                                    \
        }                                                                    \
    } while (0)

const char* const SOURCE = R"(
#include "factor.h"
__constant__ float offset = 3.0f;
extern "C" __global__ void scale(float* x, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = x[i] * FACTOR * STEP + offset;
}
template <typename T, int N> __global__ void add(T* x, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += N;
}
)";

bool log_of(nvrtcProgram program, std::string& log) {
    size_t size = 0;
    CHECK(nvrtcGetProgramLogSize(program, &size));
    log.resize(size);
    CHECK(nvrtcGetProgramLog(program, &log[0]));
    return true;
}

bool launch(CUfunction kernel, float* data, int n) {
    void* arguments[] = {&data, &n};
    CHECK(cuLaunchKernel(kernel, (n + 63) / 64, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr));
    return true;
}

bool runs() {
    const char* headers[] = {"#define FACTOR 2.0f\n"};
    const char* names[] = {"factor.h"};
    const char* const expression = "add<float, 5>";
    nvrtcProgram program;
    CHECK(nvrtcCreateProgram(&program, SOURCE, "scale.cu", 1, headers, names));
    CHECK(nvrtcAddNameExpression(program, expression));
    CHECK(nvrtcAddNameExpression(program, "&offset"));
    const char* options[] = {"-DSTEP=10"};
    const nvrtcResult result = nvrtcCompileProgram(program, 1, options);
    std::string log;
    if (!log_of(program, log)) return false;
    if (result != NVRTC_SUCCESS) printf("%s", log.c_str());
    CHECK(result);
    size_t size = 0;
#ifdef __HIP__
    CHECK(nvrtcGetCUBINSize(program, &size));
    std::vector<char> code(size);
    CHECK(nvrtcGetCUBIN(program, code.data()));
#else
    CHECK(nvrtcGetPTXSize(program, &size));
    std::vector<char> code(size);
    CHECK(nvrtcGetPTX(program, code.data()));
#endif
    const char *lowered, *variable;
    CHECK(nvrtcGetLoweredName(program, expression, &lowered));
    CHECK(nvrtcGetLoweredName(program, "&offset", &variable));

    CUmodule module;
    CUfunction scale, add;
    CHECK(cuModuleLoadData(&module, code.data()));
    CHECK(cuModuleGetFunction(&scale, module, "scale"));
    CHECK(cuModuleGetFunction(&add, module, lowered));
    CUdeviceptr place;
    CHECK(cuModuleGetGlobal(&place, &size, module, variable));
    const float four = 4.0f;
    CHECK(cudaMemcpy(reinterpret_cast<void*>(place), &four, sizeof(four), cudaMemcpyHostToDevice));

    const int n = 100;
    std::vector<float> x(n);
    for (int i = 0; i < n; ++i) x[i] = static_cast<float>(i);
    float* data;
    CHECK(cudaMalloc(&data, n * sizeof(float)));
    CHECK(cudaMemcpy(data, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    if (!launch(scale, data, n) || !launch(add, data, n)) return false;
    CHECK(cudaMemcpy(x.data(), data, n * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) {
        if (x[i] != 20.0f * i + 4.0f + 5.0f) {
            printf("x[%d] is %g\n", i, x[i]);
            return false;
        }
    }
    CHECK(cudaFree(data));
    CHECK(cuModuleUnload(module));
    CHECK(nvrtcDestroyProgram(&program));
    return true;
}

bool refuses() {
    nvrtcProgram program;
    CHECK(nvrtcCreateProgram(&program, "__global__ void f() { undeclared(); }", "wrong.cu", 0, nullptr, nullptr));
    if (nvrtcCompileProgram(program, 0, nullptr) != NVRTC_ERROR_COMPILATION) return false;
    std::string log;
    if (!log_of(program, log)) return false;
    CHECK(nvrtcDestroyProgram(&program));
    return log.find("wrong.cu") != std::string::npos && log.find("undeclared") != std::string::npos;
}

int main() {
    if (cudaFree(nullptr) != cudaSuccess) return 1;
    const bool passed = runs() && refuses();
    printf(passed ? "PASS\n" : "FAIL\n");
    return passed ? 0 : 1;
}
