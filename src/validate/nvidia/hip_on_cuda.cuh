// HIP on CUDA, for nvcc: what differs from HIP by more than a name. The names follow, made from hipshift's tables.
//
// It serves to run converted programs on an NVIDIA GPU. Warps have 32 lanes there, so it tells nothing about waves of 64.
#pragma once

// Before the macros below, whose names these headers use.
#if __has_include(<cuda/std/functional>)
#include <cuda/std/functional>
#endif
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define __HIP_PLATFORM_NVIDIA__ 1
#ifdef __CUDA_ARCH__
#define __HIP_DEVICE_COMPILE__ 1
#endif

#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define HIP_SYMBOL(symbol) symbol
#define HIP_DYNAMIC_SHARED(type, variable) extern __shared__ type variable[];

#define hipLaunchKernelGGL(kernel, grid, block, shared, stream, ...)                                                   \
    do {                                                                                                               \
        kernel<<<(grid), (block), (shared), (stream)>>>(__VA_ARGS__);                                                  \
    } while (0)

// The conversion counts waves of an execution unit here; CUDA counts blocks, and has its own number.
#define HIPSHIFT_WAVES_PER_EU(threads, blocks) (blocks)

namespace hip_on_cuda {

// Functions without a mask are about the lanes that are active.
__device__ __forceinline__ unsigned lane_id() {
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

__device__ __forceinline__ unsigned long long ballot(int predicate) {
    return __ballot_sync(__activemask(), predicate);
}

__device__ __forceinline__ int any(int predicate) { return __any_sync(__activemask(), predicate); }

__device__ __forceinline__ int all(int predicate) { return __all_sync(__activemask(), predicate); }

// Widths above 32 are those of a whole wave.
__device__ __forceinline__ int width_of(int width) { return width > 32 ? 32 : width; }

template <typename T> __device__ __forceinline__ T shfl(T value, int lane, int width = 32) {
    return __shfl_sync(__activemask(), value, lane, width_of(width));
}

template <typename T> __device__ __forceinline__ T shfl_up(T value, unsigned delta, int width = 32) {
    return __shfl_up_sync(__activemask(), value, delta, width_of(width));
}

template <typename T> __device__ __forceinline__ T shfl_down(T value, unsigned delta, int width = 32) {
    return __shfl_down_sync(__activemask(), value, delta, width_of(width));
}

template <typename T> __device__ __forceinline__ T shfl_xor(T value, int mask, int width = 32) {
    return __shfl_xor_sync(__activemask(), value, mask, width_of(width));
}

template <typename T> __device__ __forceinline__ unsigned long long match_any(T value) {
    return __match_any_sync(__activemask(), value);
}

template <typename T> __device__ __forceinline__ unsigned long long match_all(T value, int *same) {
    return __match_all_sync(__activemask(), value, same);
}

#if CUDART_VERSION >= 13000
inline cudaMemLocation location(int device) {
    cudaMemLocation place{};
    place.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
    place.id = device == cudaCpuDeviceId ? 0 : device;
    return place;
}

inline cudaError_t prefetch(const void *memory, std::size_t count, int device, cudaStream_t stream = nullptr) {
    return cudaMemPrefetchAsync(memory, count, location(device), 0, stream);
}

inline cudaError_t advise(const void *memory, std::size_t count, cudaMemoryAdvise advice, int device) {
    return cudaMemAdvise(memory, count, advice, location(device));
}

inline cudaError_t advise(const void *memory, std::size_t count, cudaMemoryAdvise advice, cudaMemLocation place) {
    return cudaMemAdvise(memory, count, advice, place);
}
#endif

}  // namespace hip_on_cuda

#define __lane_id() hip_on_cuda::lane_id()
#define __ballot(...) hip_on_cuda::ballot(__VA_ARGS__)
#define __any(...) hip_on_cuda::any(__VA_ARGS__)
#define __all(...) hip_on_cuda::all(__VA_ARGS__)
#define __match_any(...) hip_on_cuda::match_any(__VA_ARGS__)
#define __match_all(...) hip_on_cuda::match_all(__VA_ARGS__)
#define __shfl(...) hip_on_cuda::shfl(__VA_ARGS__)
#define __shfl_up(...) hip_on_cuda::shfl_up(__VA_ARGS__)
#define __shfl_down(...) hip_on_cuda::shfl_down(__VA_ARGS__)
#define __shfl_xor(...) hip_on_cuda::shfl_xor(__VA_ARGS__)

#if CUDART_VERSION >= 13000
// The functions of CUDA 13 are those that HIP calls the second version.
#define hipMemPrefetchAsync hip_on_cuda::prefetch
#define hipMemPrefetchAsync_v2 cudaMemPrefetchAsync
#define hipMemAdvise hip_on_cuda::advise
#define hipMemAdvise_v2 cudaMemAdvise
#endif
