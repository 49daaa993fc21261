// A library for GPUs of AMD alone: a race that no GPU shows, and a read past what it asked for. Built as a shared library.
#include <hip/hip_runtime.h>

// All waves read the first element; the first wave writes it a while later, without a barrier in between.
__global__ void root(float *out) {
    __shared__ float value[1];
    if (threadIdx.x == 0) value[0] = 2;
    __syncthreads();
    float seen = value[0];
    float made = __fsqrt_rn(seen);
    if (threadIdx.x == 0) value[0] = made;
    __syncthreads();
    out[threadIdx.x] = seen;
}

__global__ void past(const float *in, float *out) {
    extern __shared__ float tile[];
    tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    // The last lane reads one element too many, and does not use it.
    float next = tile[threadIdx.x + 1];
    out[threadIdx.x] = threadIdx.x == 127 ? -1 : next;
}

extern "C" int run_library(float *in, float *out, int which) {
    if (which == 0) {
        root<<<1, 128>>>(out);
    } else {
        past<<<1, 128, 128 * sizeof(float)>>>(in, out);
    }
    return hipDeviceSynchronize();
}
