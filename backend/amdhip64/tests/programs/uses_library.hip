// Calls a library, and tells what came of it.
#include <hip/hip_runtime.h>

#include <cstdio>

extern "C" int run_library(float *in, float *out, int which);

int main() {
    float *memory, host[256];
    for (int i = 0; i < 256; ++i) host[i] = i;
    if (hipMalloc(&memory, sizeof host) != hipSuccess) return 2;
    for (int which = 0; which < 2; ++which) {
        (void)hipMemcpy(memory, host, sizeof host, hipMemcpyHostToDevice);
        int error = run_library(memory, memory + 128, which);
        float out[128];
        (void)hipMemcpy(out, memory + 128, sizeof out, hipMemcpyDeviceToHost);
        (void)hipDeviceReset();
        std::printf("%d %g %g %g\n", error, out[0], out[64], out[127]);
    }
    return 0;
}
