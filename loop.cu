#include <cuda_runtime.h>
__device__ void a(float* s, int tid) {
    for (int d = 16; d > 0; d /= 2) s[tid] += s[tid + d];
}
__device__ void b(volatile float* s, int tid) {
    for (int d = 16; d > 0; d >>= 1) { if (tid < d) s[tid] += s[tid + d]; }
}
__global__ void c(float* out) {
    __shared__ float s[64];
    int tid = threadIdx.x;
    int d = 32;
    while (d > 0) { if (tid < d) s[tid] = s[tid] + s[tid + d]; d /= 2; }
}
