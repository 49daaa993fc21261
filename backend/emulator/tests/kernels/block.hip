// Kernels whose threads work together: LDS, barriers, lane exchange, atomics.
#include <hip/hip_runtime.h>
#include <hip/hip_cooperative_groups.h>

extern "C" __global__ void block_sum(const float *in, float *out, int n) {
    __shared__ float partial[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = i < n ? in[i] : 0.0f;
    for (int o = warpSize / 2; o > 0; o /= 2) v += __shfl_down(v, o);
    int lane = threadIdx.x % warpSize, wave = threadIdx.x / warpSize;
    if (lane == 0) partial[wave] = v;
    __syncthreads();
    if (wave == 0) {
        v = lane < (int)(blockDim.x / warpSize) ? partial[lane] : 0.0f;
        for (int o = warpSize / 2; o > 0; o /= 2) v += __shfl_xor(v, o);
        if (lane == 0) out[blockIdx.x] = v;
    }
}

extern "C" __global__ void scan(const int *in, int *out, int n) {
    extern __shared__ int buffer[];
    int i = threadIdx.x;
    buffer[i] = i < n ? in[i] : 0;
    __syncthreads();
    for (int o = 1; o < (int)blockDim.x; o *= 2) {
        int v = i >= o ? buffer[i - o] : 0;
        __syncthreads();
        buffer[i] += v;
        __syncthreads();
    }
    if (i < n) out[i] = buffer[i];
}

#define TILE 16
extern "C" __global__ void matmul(const float *a, const float *b, float *c, int n) {
    __shared__ float sa[TILE][TILE], sb[TILE][TILE + 1];
    int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int t = 0; t < n / TILE; t++) {
        sa[threadIdx.y][threadIdx.x] = a[row * n + t * TILE + threadIdx.x];
        sb[threadIdx.y][threadIdx.x] = b[(t * TILE + threadIdx.y) * n + col];
        __syncthreads();
        for (int k = 0; k < TILE; k++) sum = fmaf(sa[threadIdx.y][k], sb[k][threadIdx.x], sum);
        __syncthreads();
    }
    c[row * n + col] = sum;
}

extern "C" __global__ void histogram(const unsigned char *in, unsigned *bins, int n) {
    __shared__ unsigned local[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) local[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&local[in[i]], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x) if (local[i]) atomicAdd(&bins[i], local[i]);
}

extern "C" __global__ void softmax(const float *in, float *out, int n) {
    __shared__ float shared[256];
    const float *row = in + (size_t)blockIdx.x * n;
    float best = -INFINITY;
    for (int i = threadIdx.x; i < n; i += blockDim.x) best = fmaxf(best, row[i]);
    shared[threadIdx.x] = best;
    __syncthreads();
    for (int o = blockDim.x / 2; o > 0; o /= 2) {
        if (threadIdx.x < o) shared[threadIdx.x] = fmaxf(shared[threadIdx.x], shared[threadIdx.x + o]);
        __syncthreads();
    }
    best = shared[0];
    __syncthreads();
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) sum += expf(row[i] - best);
    shared[threadIdx.x] = sum;
    __syncthreads();
    for (int o = blockDim.x / 2; o > 0; o /= 2) {
        if (threadIdx.x < o) shared[threadIdx.x] += shared[threadIdx.x + o];
        __syncthreads();
    }
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[(size_t)blockIdx.x * n + i] = expf(row[i] - best) / shared[0];
}

extern "C" __global__ void votes(const int *in, unsigned long long *out) {
    int i = threadIdx.x;
    bool odd = in[i] & 1;
    unsigned long long mask = __ballot(odd);
    int rank = __popcll(mask & ((1ull << (i % warpSize)) - 1));
    out[i] = mask ^ ((unsigned long long)rank << 40) ^ (__any(in[i] > 90) ? 1ull << 62 : 0) ^ (__all(in[i] >= 0) ? 1ull << 63 : 0);
}

extern "C" __global__ void shuffles(const int *in, int *out) {
    int v = in[threadIdx.x], n = blockDim.x;
    out[threadIdx.x] = __shfl(v, 5);
    out[threadIdx.x + n] = __shfl_up(v, 3);
    out[threadIdx.x + 2 * n] = __shfl_down(v, 7);
    out[threadIdx.x + 3 * n] = __shfl_xor(v, 9);
    out[threadIdx.x + 4 * n] = __shfl(v, threadIdx.x * 3, 8);
    double d = __shfl_xor((double)v * 0.5, 1);
    out[threadIdx.x + 5 * n] = (int)(d * 4);
    if (threadIdx.x % 3 == 0) out[threadIdx.x + 6 * n] = __shfl(v, (threadIdx.x + 3) % warpSize);
}

extern "C" __global__ void atomics(int *ints, unsigned long long *longs, float *floats, double *doubles) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    atomicAdd(&ints[0], i); atomicSub(&ints[1], i); atomicMax(&ints[2], i * 7 % 1000); atomicMin(&ints[3], -i);
    atomicAnd(&ints[4], ~(1 << (i & 15))); atomicOr(&ints[5], 1 << (i & 31)); atomicXor(&ints[6], i);
    atomicInc((unsigned *)&ints[7], 12); atomicDec((unsigned *)&ints[8], 100);
    atomicExch(&ints[9], 77); atomicCAS(&ints[10], i, i + 1);
    atomicAdd(&longs[0], (unsigned long long)i << 33); atomicMax(&longs[1], (unsigned long long)i * 5000000000ull);
    atomicCAS(&longs[2], 0ull, 99ull);
    atomicAdd(&floats[0], 0.5f); atomicAdd(&doubles[0], 0.25);
    ints[16 + i] = atomicAdd(&ints[11], 1);
}

namespace cg = cooperative_groups;

extern "C" __global__ void tiles(const int *in, int *out) {
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    int v = in[threadIdx.x];
    for (int o = tile.size() / 2; o > 0; o /= 2) v += tile.shfl_down(v, o);
    if (tile.thread_rank() == 0) out[threadIdx.x / 16] = v;
}

extern "C" __global__ void grid_sync(int *data, int rounds) {
    auto grid = cg::this_grid();
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    for (int r = 0; r < rounds; r++) {
        int v = data[(i + 1) % n];
        grid.sync();
        data[i] = v + 1;
        grid.sync();
    }
}
