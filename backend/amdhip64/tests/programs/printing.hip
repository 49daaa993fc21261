// What kernels print, beside what the program prints meanwhile; and a kernel that runs at the end.
#include <hip/hip_runtime.h>

#include <cstdio>

__global__ void say(int number) { printf("kernel %d\n", number); }

int main() {
    say<<<1, 1>>>(1);
    std::printf("launched 1\n");
    if (hipDeviceSynchronize() != hipSuccess) return 2;
    std::printf("waited\n");
    say<<<1, 1>>>(2);
    std::printf("end\n");
    return 0;
}
