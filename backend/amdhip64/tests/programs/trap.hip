// A kernel that gives up. By HIP's documents the whole program ends; where it is let go on, it is told by an error.
#include <hip/hip_runtime.h>

#include <cstdio>

__global__ void give_up(int *values) {
    if (threadIdx.x == 3) abort();
    values[threadIdx.x] = 1;
}

int main() {
    int *values;
    if (hipMalloc(&values, 256) != hipSuccess) return 2;
    std::printf("before\n");
    give_up<<<1, 64>>>(values);
    std::printf("%s\n", hipGetErrorName(hipDeviceSynchronize()));
    return 0;
}
