// contracted-arithmetic: a product and a sum that CUDA keeps apart.
#include <hip/hip_runtime.h>
__global__ void single(float* x) { x[0] = __fadd_rn(__fmul_rn(x[1], x[2]), x[3]); }
__global__ void pragma(float* x) {
#pragma clang fp contract(off)
    x[0] = __fadd_rn(__fmul_rn(x[1], x[2]), x[3]);
}
__global__ void twice(double* x) { x[0] = __dadd_rn(__dmul_rn(x[1], x[2]), x[3]); }
