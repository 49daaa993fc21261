// Put in front of programs that were only renamed: masks get 64 bits where a function takes them, and nothing else changes.
// A mask of 32 ones becomes one of 64, as people widen it; others keep their value.
#pragma once

#include <hip/hip_runtime.h>

template <typename T> __device__ unsigned long long widened(T mask) {
    return (unsigned)mask == 0xffffffffu ? ~0ull : (unsigned long long)mask;
}

__device__ inline void sync_lanes() { __syncwarp(); }
template <typename T> __device__ void sync_lanes(T mask) { __syncwarp(widened(mask)); }

#define __syncwarp(...) sync_lanes(__VA_ARGS__)
#define __shfl_sync(mask, ...) __shfl_sync(widened(mask), __VA_ARGS__)
#define __shfl_up_sync(mask, ...) __shfl_up_sync(widened(mask), __VA_ARGS__)
#define __shfl_down_sync(mask, ...) __shfl_down_sync(widened(mask), __VA_ARGS__)
#define __shfl_xor_sync(mask, ...) __shfl_xor_sync(widened(mask), __VA_ARGS__)
#define __ballot_sync(mask, ...) __ballot_sync(widened(mask), __VA_ARGS__)
#define __any_sync(mask, ...) __any_sync(widened(mask), __VA_ARGS__)
#define __all_sync(mask, ...) __all_sync(widened(mask), __VA_ARGS__)
#define __match_any_sync(mask, ...) __match_any_sync(widened(mask), __VA_ARGS__)
#define __match_all_sync(mask, ...) __match_all_sync(widened(mask), __VA_ARGS__)
#define __reduce_add_sync(mask, ...) __reduce_add_sync(widened(mask), __VA_ARGS__)
#define __reduce_min_sync(mask, ...) __reduce_min_sync(widened(mask), __VA_ARGS__)
#define __reduce_max_sync(mask, ...) __reduce_max_sync(widened(mask), __VA_ARGS__)
#define __reduce_and_sync(mask, ...) __reduce_and_sync(widened(mask), __VA_ARGS__)
#define __reduce_or_sync(mask, ...) __reduce_or_sync(widened(mask), __VA_ARGS__)
#define __reduce_xor_sync(mask, ...) __reduce_xor_sync(widened(mask), __VA_ARGS__)
