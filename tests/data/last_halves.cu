// Atomic operations on the last 16 bits of an allocation of half words: processors swap whole words, so that what lies behind is
// taken along.
#include <cstdio>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void work(unsigned short *counts, __half *sum, int last) {
    unsigned short found = counts[last], seen;
    do {
        seen = found;
        found = atomicCAS(&counts[last], seen, (unsigned short)(seen + 1));
    } while (seen != found);
    atomicAdd(sum, __float2half(0.5f));
}

int main() {
    unsigned short *counts, count = 0;
    __half *sum, total;
    const int length = 3;
    cudaMalloc(&counts, length * sizeof *counts);
    cudaMalloc(&sum, sizeof *sum);
    cudaMemset(counts, 0, length * sizeof *counts);
    cudaMemset(sum, 0, sizeof *sum);
    work<<<2, 64>>>(counts, sum, length - 1);
    cudaMemcpy(&count, counts + length - 1, sizeof count, cudaMemcpyDeviceToHost);
    cudaMemcpy(&total, sum, sizeof total, cudaMemcpyDeviceToHost);
    printf("%d %g\n", count, __half2float(total));
    return count != 128 || __half2float(total) != 64;
}
