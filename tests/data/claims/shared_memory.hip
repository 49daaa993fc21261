// shared-memory-limit: one byte more than 64 KiB.
#include <hip/hip_runtime.h>
__global__ void k(char* x) {
    __shared__ char s[65537];
    s[threadIdx.x] = x[0];
    __syncthreads();
    x[1] = s[threadIdx.x ^ 1];
}
