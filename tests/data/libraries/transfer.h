// Values to the GPU and back, for the programs beside; a call that fails ends them.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

inline void need(bool good, const char* what) {
    if (!good) {
        std::printf("%s failed\n", what);
        std::exit(1);
    }
}
#define CUDA(call) need((call) == cudaSuccess, #call)

template <typename T> T* to_device(const std::vector<T>& values) {
    T* device = nullptr;
    CUDA(cudaMalloc(&device, values.size() * sizeof(T)));
    CUDA(cudaMemcpy(device, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    return device;
}

template <typename T> std::vector<T> to_host(const T* device, int count) {
    std::vector<T> values(count);
    CUDA(cudaMemcpy(values.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
}
