// A kernel that writes behind its memory: the launch fails, and so does all later work until a reset.
#include <hip/hip_runtime.h>

#include <cstdio>

__global__ void write(int *values) { values[threadIdx.x] = 1; }

int main() {
    int *values;
    if (hipMalloc(&values, 32 * sizeof(int)) != hipSuccess) return 2;
    write<<<1, 64>>>(values);
    hipError_t launch = hipGetLastError();
    hipError_t later = hipDeviceSynchronize();
    hipError_t copy = hipMemset(values, 0, 4);
    hipError_t reset = hipDeviceReset();
    hipError_t after = hipMemset(values, 0, 4);
    std::printf("%s\n%s\n%s\n", hipGetErrorName(launch), hipGetErrorName(later), hipGetErrorName(copy));
    std::printf("%s\n%s\n", hipGetErrorName(reset), hipGetErrorName(after));
    return 0;
}
