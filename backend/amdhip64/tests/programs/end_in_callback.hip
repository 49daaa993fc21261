// A function that a stream calls ends the program.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>

__global__ void say() { printf("kernel\n"); }

int main() {
    hipStream_t stream;
    if (hipStreamCreate(&stream) != hipSuccess) return 2;
    say<<<1, 1, 0, stream>>>();
    (void)hipLaunchHostFunc(stream, [](void *) { std::exit(5); }, nullptr);
    (void)hipStreamSynchronize(stream);
    return 1;
}
