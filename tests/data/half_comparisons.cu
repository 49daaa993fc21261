// Comparisons by operators of half and bfloat16 and of pairs of them, among numbers, infinities and what is no number. The output
// was recorded on an NVIDIA GPU.
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

static const int COUNT = 12;
__constant__ unsigned short halves[COUNT] = {0, 0x8000, 0x3c00, 0xbc00, 0x3c01, 0x7c00, 0xfc00, 0x7e00, 0x0001, 0x4200, 0xc780, 0x7bff};
__constant__ unsigned short brains[COUNT] = {0, 0x8000, 0x3f80, 0xbf80, 0x3f81, 0x7f80, 0xff80, 0x7fc0, 0x0001, 0x4040, 0xc0f0, 0x7f7f};

__device__ void count(unsigned* found, int place, bool holds) { found[place] = found[place] * 31 + holds; }

__global__ void single(unsigned* found) {
    for (int i = 0; i < COUNT * COUNT; i++) {
        __half a = __ushort_as_half(halves[i % COUNT]), b = __ushort_as_half(halves[i / COUNT]);
        __nv_bfloat16 c = __ushort_as_bfloat16(brains[i % COUNT]), d = __ushort_as_bfloat16(brains[i / COUNT]);
        count(found, 0, a < b);
        count(found, 1, a <= b);
        count(found, 2, a > b);
        count(found, 3, a >= b);
        count(found, 4, a == b);
        count(found, 5, a != b);
        count(found, 6, c < d);
        count(found, 7, c <= d);
        count(found, 8, c > d);
        count(found, 9, c >= d);
        count(found, 10, c == d);
        count(found, 11, c != d);
    }
}

__global__ void pairs(unsigned* found) {
    for (int i = 0; i < COUNT * COUNT * COUNT * COUNT; i++) {
        const int p = i % COUNT, q = i / COUNT % COUNT, r = i / (COUNT * COUNT) % COUNT, s = i / (COUNT * COUNT * COUNT);
        const __half2 a = __halves2half2(__ushort_as_half(halves[p]), __ushort_as_half(halves[q]));
        const __half2 b = __halves2half2(__ushort_as_half(halves[r]), __ushort_as_half(halves[s]));
        __nv_bfloat162 c = __halves2bfloat162(__ushort_as_bfloat16(brains[p]), __ushort_as_bfloat16(brains[q]));
        __nv_bfloat162 d = __halves2bfloat162(__ushort_as_bfloat16(brains[r]), __ushort_as_bfloat16(brains[s]));
        count(found, 12, a < b);
        count(found, 13, a <= b);
        count(found, 14, a > b);
        count(found, 15, a >= b);
        count(found, 16, a == b);
        count(found, 17, c < d);
        count(found, 18, c <= d);
        count(found, 19, c > d);
        count(found, 20, c >= d);
        count(found, 21, c == d);
    }
}

int main() {
    unsigned *d, found[22];
    cudaMalloc((void**)&d, sizeof found);
    cudaMemset(d, 0, sizeof found);
    single<<<1, 1>>>(d);
    pairs<<<1, 1>>>(d);
    cudaError_t status = cudaMemcpy(found, d, sizeof found, cudaMemcpyDeviceToHost);
    if (status != cudaSuccess) std::printf("%s\n", cudaGetErrorString(status));
    for (int i = 0; i < 22; i++) std::printf("%d %08x\n", i, found[i]);
    cudaFree(d);
    return 0;
}
