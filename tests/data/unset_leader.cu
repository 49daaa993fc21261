// The lanes that have something to store take their places with one atomic addition of the first of them, whose result is in a
// variable that the other lanes never set. Clang takes an argument for set, so that each lane would add.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include "check.h"

namespace cg = cooperative_groups;

__device__ int broadcast(unsigned lanes, int value, int lane) { return __shfl_sync(lanes, value, lane); }

__device__ int by_lanes(int* counter) {
    unsigned active = __activemask();
    int lane = threadIdx.x & 31, leader = __ffs(active) - 1;
    int first;
    if (lane == leader) first = atomicAdd(counter, __popc(active));
    first = broadcast(active, first, leader);
    return first + __popc(active & ((1u << lane) - 1));
}

__device__ int by_group(int* counter) {
    auto active = cg::coalesced_threads();
    int first;
    if (active.thread_rank() == 0) {
        first = atomicAdd(counter, active.size());
    }
    return active.shfl(first, 0) + active.thread_rank();
}

__global__ void store(const int* in, int* out, int* counters, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (in[i] % 3 == 0) out[by_lanes(counters)] = i;
    if (in[i] % 5 < 2) out[n + by_group(counters + 1)] = i;
}

int main() {
    const int n = 1000;
    Check check;
    for (int threads : {32, 64, 96, 256}) {
        std::vector<int> in(n), seen(2 * n), times(2 * n), right(2 * n);
        int expected[2] = {}, found[2] = {};
        for (int i = 0; i < n; ++i) {
            in[i] = i * 7 % 64;
            right[i] = in[i] % 3 == 0;
            right[n + i] = in[i] % 5 < 2;
            expected[0] += right[i];
            expected[1] += right[n + i];
        }
        int *values, *out, *counters;
        cudaMalloc((void**)&values, n * sizeof(int));
        cudaMalloc((void**)&out, 64 * n * sizeof(int));
        cudaMalloc((void**)&counters, 2 * sizeof(int));
        cudaMemcpy(values, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
        cudaMemset(counters, 0, 2 * sizeof(int));
        store<<<(n + threads - 1) / threads, threads>>>(values, out, counters, n);
        cudaError_t status = cudaMemcpy(found, counters, sizeof(found), cudaMemcpyDeviceToHost);
        check.that("the kernel runs", status == cudaSuccess);
        check.that("places by lanes", found[0] == expected[0]);
        check.that("places by groups", found[1] == expected[1]);
        cudaMemcpy(seen.data(), out, 2 * n * sizeof(int), cudaMemcpyDeviceToHost);
        for (int way = 0; way < 2; ++way) {
            for (int place = 0; place < expected[way]; ++place) ++times[way * n + seen[way * n + place]];
        }
        check.same("each one once", threads, times, right);
        cudaFree(values);
        cudaFree(out);
        cudaFree(counters);
    }
    return check.verdict();
}
