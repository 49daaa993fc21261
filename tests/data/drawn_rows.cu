// Warps and blocks that draw their work until none is left, in the spellings that projects use. Each row is done once, whoever draws it.
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

const int ROWS = 100;
__device__ int next_row[8];

__device__ int fetch(int* next) {
    int row = 0;
    if (threadIdx.x % 32 == 0) row = atomicAdd(next, 1);
    return __shfl_sync(0xffffffff, row, 0);
}

__device__ int sum(int v) {
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffff, v, o);
    return v;
}

__global__ void endless(int* out) {
    int lane = threadIdx.x & 31;
    for (;;) {
        int row = 0;
        if (lane == 0) row = atomicAdd(&next_row[0], 1);
        row = __shfl_sync(0xffffffff, row, 0);
        if (row >= ROWS) return;
        int all = sum(lane + row);
        if (lane == 0) out[row] = all;
    }
}

__global__ void unset(int* out) {
    bool leader = threadIdx.x % 32 == 0;
    while (true) {
        int row;
        if (leader) row = atomicAdd(&next_row[1], 1);
        row = __shfl_sync(0xffffffff, row, 0);
        if (row >= ROWS) break;
        int all = sum(row);
        if (!leader) continue;
        out[row] = all;
    }
}

__global__ void by_function(int* out) {
    bool done = false;
    while (!done) {
        int row = fetch(&next_row[2]);
        done = row >= ROWS;
        if (!done) {
            int all = sum(1);
            if (threadIdx.x % 32 == 0) out[row] = all;
        }
    }
}

__global__ void at_the_end(int* out) {
    int lane = threadIdx.x & 31, row;
    do {
        row = 0;
        if (lane == 0) row = atomicAdd(&next_row[3], 1);
        row = __shfl_sync(0xffffffff, row, 0);
        if (row < ROWS) {
            int all = sum(row * lane);
            if (lane == 0) out[row] = all;
        }
    } while (row < ROWS);
}

__global__ void tiles(int* out) {
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    for (;;) {
        int row = 0;
        if (tile.thread_rank() == 0) row = atomicAdd(&next_row[4], 1);
        row = tile.shfl(row, 0);
        if (row >= ROWS) return;
        int all = row;
        for (int o = 16; o > 0; o >>= 1) all += tile.shfl_xor(all, o);
        if (tile.thread_rank() == 0) out[row] = all;
    }
}

__global__ void blocks(int* out) {
    __shared__ int drawn, total;
    for (;;) {
        if (threadIdx.x == 0) {
            drawn = atomicAdd(&next_row[5], 1);
            total = 0;
        }
        __syncthreads();
        int row = drawn;
        if (row >= ROWS) return;
        atomicAdd(&total, row);
        __syncthreads();
        if (threadIdx.x == 0) out[row] = total;
    }
}

int main() {
    void (*kernels[])(int*) = {endless, unset, by_function, at_the_end, tiles, blocks};
    int* out;
    cudaMalloc(&out, ROWS * sizeof(int));
    for (auto kernel : kernels) {
        cudaMemset(out, 0, ROWS * sizeof(int));
        kernel<<<3, 96>>>(out);
        if (cudaDeviceSynchronize() != cudaSuccess) return 1;
        int host[ROWS];
        cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
        unsigned mixed = 0;
        for (int value : host) mixed = mixed * 31 + value;
        printf("%d %d %d %u\n", host[0], host[1], host[ROWS - 1], mixed);
    }
}
