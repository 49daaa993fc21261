// Directions of rounding and denormals: compiled with OCML_BASIC_ROUNDED_OPERATIONS, so that the device libraries change
// the mode of floats.

#include <hip/hip_runtime.h>

extern "C" __global__ void rounded_singles(const float* a, const float* b, float* to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = a[i], y = b[i];
    float results[12] = {
        __fadd_ru(x, y),      __fadd_rd(x, y),      __fadd_rz(x, y),      __fsub_ru(x, y),
        __fsub_rd(x, y),      __fsub_rz(x, y),      __fmul_ru(x, y),      __fmul_rd(x, y),
        __fmul_rz(x, y),      __fmaf_ru(x, y, 0.1f), __fmaf_rd(x, y, 0.1f), __fmaf_rz(x, y, 0.1f),
    };
    for (int k = 0; k < 12; ++k) to[k * n + i] = results[k];
}

extern "C" __global__ void rounded_doubles(const double* a, const double* b, double* to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double x = a[i], y = b[i];
    double results[12] = {
        __dadd_ru(x, y),     __dadd_rd(x, y),     __dadd_rz(x, y),     __dsub_ru(x, y),
        __dsub_rd(x, y),     __dsub_rz(x, y),     __dmul_ru(x, y),     __dmul_rd(x, y),
        __dmul_rz(x, y),     __fma_ru(x, y, 0.0), __fma_rd(x, y, 0.0), __fma_rz(x, y, 0.0),
    };
    for (int k = 0; k < 12; ++k) to[k * n + i] = results[k];
}

extern "C" __global__ void with_denormals(const float* a, const float* b, float* to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = a[i], y = b[i];
    to[i] = x + y;
    to[n + i] = x * y;
    to[2 * n + i] = fmaf(x, y, x);
    to[3 * n + i] = x / y;
    to[4 * n + i] = x < y ? 1.0f : 2.0f;
    to[5 * n + i] = (float)((double)x * 0.5);
}
