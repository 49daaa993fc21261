// What `hipshift self-check` converts, compiles and runs: it adds up the numbers below 4096, warp by warp.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) sum(int* total, int n) {
    int number = blockIdx.x * blockDim.x + threadIdx.x;
    int value = number < n ? number : 0;
    for (int offset = 16; offset > 0; offset /= 2) {
        value += __shfl_down_sync(0xffffffffu, value, offset);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(total, value);
    }
}

int main() {
    const int n = 4096;
    int total = 0;
    int* on_gpu = nullptr;
    if (cudaMalloc(&on_gpu, sizeof(int)) != cudaSuccess) {
        return 1;
    }
    cudaMemset(on_gpu, 0, sizeof(int));
    sum<<<n / 256, 256>>>(on_gpu, n);
    cudaMemcpy(&total, on_gpu, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(on_gpu);
    std::printf("sum %d\n", total);
    return 0;
}
