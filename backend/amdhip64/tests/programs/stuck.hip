// Kernels that wait for what nobody does: two for each other in one stream order, one for the program, which waits for it.
#include <hip/hip_runtime.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>

__global__ void await(volatile int *flag, int wanted) {
    while (*flag != wanted) {
    }
}

// Waits, says so, and waits for the answer.
__global__ void ask(volatile int *flags, int own) {
    flags[own] = 1;
    while (flags[1 - own] != 2) {
    }
}

int main(int count, char **words) {
    const char *kind = count > 1 ? words[1] : "host";
    int *flags;
    if (hipHostMalloc(&flags, 2 * sizeof(int), 0) != hipSuccess) return 2;
    flags[0] = flags[1] = 0;
    hipStream_t streams[2];
    for (hipStream_t &stream : streams) (void)hipStreamCreate(&stream);
    std::thread late;
    if (!std::strcmp(kind, "kernels")) {
        for (int i = 0; i < 2; ++i) ask<<<1, 64, 0, streams[i]>>>(flags, i);
    } else {
        await<<<1, 64, 0, streams[0]>>>(flags, 1);
        if (!std::strcmp(kind, "thread")) {
            late = std::thread([flags] {
                std::this_thread::sleep_for(std::chrono::milliseconds(300));
                *(volatile int *)flags = 1;
            });
        }
    }
    std::printf("%s\n", hipGetErrorName(hipDeviceSynchronize()));
    if (late.joinable()) late.join();
    return 0;
}
