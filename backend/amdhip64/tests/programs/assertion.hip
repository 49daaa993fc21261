// An assertion that does not hold: the program ends, as by a trap; where it is let go on, it is told by an error.
#include <hip/hip_runtime.h>

#include <cassert>
#include <cstdio>

__global__ void claim(int *values) {
    assert(threadIdx.x != 3);
    values[threadIdx.x] = 1;
}

int main() {
    int *values;
    if (hipMalloc(&values, 256) != hipSuccess) return 2;
    claim<<<1, 64>>>(values);
    std::printf("%s\n", hipGetErrorName(hipDeviceSynchronize()));
    return 0;
}
