// Atomic operations on shared memory that are loops of compare-and-swap: the load before the loop is a guess, and no race.
#include <cstdio>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__device__ void raise(float *address, float value) {
    int *word = (int *)address;
    int found = *word, seen;
    do {
        seen = found;
        if (__int_as_float(seen) >= value) break;
        found = atomicCAS(word, seen, __float_as_int(value));
    } while (seen != found);
}

__global__ void work(double *sums, float *most, int *counts, float *halves) {
    __shared__ double sum;
    __shared__ float top;
    __shared__ unsigned short count[2];
    __shared__ __half2 pair;
    if (threadIdx.x == 0) {
        sum = 0;
        top = -1;
        count[0] = count[1] = 0;
        pair = __floats2half2_rn(0, 0);
    }
    __syncthreads();
    atomicAdd(&sum, threadIdx.x * 0.25);
    raise(&top, threadIdx.x * 37 % 101);
    atomicAdd(&pair, __floats2half2_rn(1, 2));
    unsigned short found = 0, seen;
    do {
        seen = found;
        found = atomicCAS(&count[threadIdx.x & 1], seen, (unsigned short)(seen + 1));
    } while (seen != found);
    __syncthreads();
    if (threadIdx.x == 0) {
        *sums = sum;
        *most = top;
        *counts = count[0] * 1000 + count[1];
        *halves = __low2float(pair) * 1000 + __high2float(pair);
    }
}

int main() {
    double *sum;
    float *most, *halves;
    int *counts;
    cudaMallocManaged(&sum, sizeof *sum);
    cudaMallocManaged(&most, sizeof *most);
    cudaMallocManaged(&counts, sizeof *counts);
    cudaMallocManaged(&halves, sizeof *halves);
    work<<<1, 128>>>(sum, most, counts, halves);
    cudaDeviceSynchronize();
    printf("%g %g %d %g\n", *sum, *most, *counts, *halves);
    return *sum != 2032 || *most != 100 || *counts != 64064 || *halves != 128256;
}
