// Ranges for profilers, which nobody reads.
#include <cstdio>
#include <cuda_runtime.h>
#include <nvToolsExt.h>

__global__ void fill(int *out) { out[threadIdx.x] = threadIdx.x; }

int main() {
    int *out, host[32];
    int outer = nvtxRangePushA("all");
    cudaMalloc(&out, sizeof host);
    int inner = nvtxRangePushA("kernel");
    fill<<<1, 32>>>(out);
    int ended = nvtxRangePop();
    nvtxMarkA("copied");
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d in %d, %d, %d\n", inner, outer, ended, host[31]);
    return nvtxRangePop();
}
