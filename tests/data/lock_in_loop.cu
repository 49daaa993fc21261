// The lock that the page of `spin-lock` advises: taken and released within a loop, whose body ends where the lanes meet.
#include <cstdio>
#include <cuda_runtime.h>

__device__ int mutex, counter;

__global__ void count() {
    bool done = false;
    while (!done) {
        if (atomicCAS(&mutex, 0, 1) == 0) {
            ++*(volatile int*)&counter;
            __threadfence();
            atomicExch(&mutex, 0);
            done = true;
        }
        __syncwarp();
    }
}

int main() {
    count<<<2, 128>>>();
    int counted = 0;
    bool runs = cudaMemcpyFromSymbol(&counted, counter, sizeof counted) == cudaSuccess;
    bool passes = runs && counted == 256;
    std::printf(passes ? "PASS\n" : "FAIL %d\n", counted);
    return passes ? 0 : 1;
}
