// What code for warps of 32 lanes does after its names were changed and its masks widened, and nothing else. Each row is
// one habit; its number is the argument of the program, which prints what one block of 64 threads (or as many as the row
// says) computed, and behind it what 32 lanes in a warp would have given. `tests/wave_rows.rs` knows what comes out.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <hip/hip_cooperative_groups.h>
#include <hip/hip_runtime.h>

namespace cg = cooperative_groups;

__device__ int value(int i) { return i < 32 ? 2 + (i % 4 == 0) : 2 - (i == 32); }
__device__ bool vote(int i) { return i % 7 < 5; }
#define LANE ((int)threadIdx.x)
#define HALF (threadIdx.x & 32)

// --- sums: `out[0]` is the sum of what each leader found ---

__device__ int down(int v, int first) {
    for (int o = first; o > 0; o /= 2) v += __shfl_down(v, o);
    return v;
}

__global__ void row_2(int *out) {
    int v = value(LANE);
    for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(0xffffffffull, v, o);
    if ((LANE & 31) == 0) atomicAdd(out, v);
}

__global__ void row_2_ballot(int *out) {
    const unsigned long long votes = __ballot_sync(0xffffffffull, vote(LANE));
    if ((LANE & 31) == 0) atomicAdd(out, __popc((unsigned)(votes >> (HALF & (warpSize - 1)))));
}

__global__ void row_3(int *out) {
    int v = value(LANE);
    for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(0xffffffffffffffffull, v, o);
    if ((LANE & 31) == 0) atomicAdd(out, v);
}

__global__ void row_3_divergent(int *out) {
    if (LANE % 32 < 16) atomicAdd(out, __shfl_down_sync(0xffffffffffffffffull, value(LANE), 4, 32));
}

__global__ void row_4(int *out) {
    const int v = down(value(LANE), 16);
    if ((LANE & 31) == 0) atomicAdd(out, v);
}

__global__ void row_5(int *out) {
    const int v = down(value(LANE), 16);
    if (LANE % warpSize == 0) atomicAdd(out, v);
}

__global__ void row_6(int *out) {
    const int v = down(value(LANE), warpSize / 2);
    if ((LANE & 31) == 0) atomicAdd(out, v);
}

__global__ void row_6_xor(int *out) {
    int v = value(LANE);
    for (int o = warpSize / 2; o > 0; o /= 2) v += __shfl_xor(v, o);
    if ((LANE & 31) == 0) atomicAdd(out, v);
}

__device__ void two_stages(int *out, int first) {
    __shared__ int s[32];
    const int v = down(value(LANE), first);
    if (LANE < 32) s[LANE] = 0;
    __syncthreads();
    if ((LANE & 31) == 0) s[LANE >> 5] = v;
    __syncthreads();
    if (LANE < 32) {
        const int sum = down(s[LANE], 16);
        if (LANE == 0) out[0] = sum;
    }
}
__global__ void row_16(int *out) { two_stages(out, 16); }
__global__ void row_17(int *out) { two_stages(out, warpSize / 2); }

__global__ void row_19(int *out) {
    __shared__ volatile int s[64];
    s[LANE] = value(LANE);
    __syncthreads();
    if (LANE < 32) {
        for (int o = 32; o > 0; o /= 2) s[LANE] = s[LANE] + (LANE + o < 64 ? s[LANE + o] : 0);
        if (LANE == 0) out[0] = s[0];
    }
}

__global__ void row_20(int *out) {
    __shared__ int s[64];
    s[LANE] = value(LANE);
    __syncthreads();
    if (LANE < 32) {
        s[LANE] += s[LANE + 32];
        s[LANE] += s[LANE + 16];
        s[LANE] += s[LANE + 8];
        s[LANE] += s[LANE + 4];
        s[LANE] += s[LANE + 2];
        s[LANE] += s[LANE + 1];
        if (LANE == 0) out[0] = s[0];
    }
}

__global__ void row_21(int *out) {
    __shared__ int s[64];
    s[LANE] = value(LANE);
    __syncthreads();
    if (LANE < 32) {
        for (int o = 32; o > 0; o /= 2) {
            const int other = s[LANE + o];
            __syncwarp();
            s[LANE] += other;
            __syncwarp();
        }
        if (LANE == 0) out[0] = s[0];
    }
}

__global__ void row_22(int *out) {
    const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    int v = value(LANE);
    for (int o = 16; o > 0; o /= 2) v += tile.shfl_down(v, o);
    if (tile.thread_rank() == 0) atomicAdd(out, v);
}

__global__ void row_24(int *out) {
    if (vote(LANE)) {
        const auto active = cg::coalesced_threads();
        if (active.thread_rank() == 0) atomicAdd(out, active.size());
    }
}

__global__ void row_23(int *out) {
    const auto tile = cg::tiled_partition<64>(cg::this_thread_block());
    int v = value(LANE);
    for (int o = 32; o > 0; o /= 2) v += tile.shfl_down(v, o);
    if (tile.thread_rank() == 0) atomicAdd(out, v);
}

// A block of 1024 threads with a slot for each wave: 16 of 64 lanes, or 32 of 32.
template <int SLOTS> __global__ void row_18(int *out) {
    __shared__ int s[SLOTS];
    int v = down(value(LANE), warpSize / 2);
    if (LANE % warpSize == 0) s[LANE / warpSize] = v;
    __syncthreads();
    if (LANE < warpSize) {
        v = down(LANE < (int)blockDim.x / warpSize ? s[LANE] : 0, warpSize / 2);
        if (LANE == 0) out[0] = v;
    }
}

// Aggregated atomics, with lanes that take part.
__device__ void aggregate(int *out, unsigned long long takes_part) {
    if (takes_part >> LANE & 1) {
        const unsigned active = (unsigned)__ballot(1);
        const int leader = __ffs(active) - 1;
        if ((LANE & 31) == leader) atomicAdd(out, __popc(active));
    }
}
__global__ void row_13(int *out) { aggregate(out, 0x0000fff055555554ull); }
__global__ void row_13_both(int *out) { aggregate(out, 0x0000fff455555554ull); }
__global__ void row_13_upper(int *out) { aggregate(out, 0xffffffff00000000ull); }

// --- lanes: `out` counts those that have something else than 32 lanes would have given ---

__device__ void differs(int *out, int seen, int right) { atomicAdd(out, seen != right); }

__device__ int in_half(int from, int to, bool (*holds)(int)) {
    int count = 0;
    for (int i = from; i < to; ++i) count += holds(HALF + i);
    return count;
}

__global__ void row_7(int *out) {
    int sum = value(LANE), all = sum;
    for (int o = 1; o < 32; o *= 2) {
        const int before = __shfl_up(sum, o);
        if ((LANE & 31) >= o) sum += before;
    }
    for (int o = 16; o > 0; o /= 2) all += __shfl_xor(all, o);
    int right = 0, total = 0;
    for (int i = 0; i < 32; ++i) {
        total += value(HALF + i);
        if (i <= (LANE & 31)) right += value(HALF + i);
    }
    differs(out, sum + 1000 * all, right + 1000 * total);
}

__global__ void row_8(int *out) { differs(out, __shfl(LANE, 0), HALF); }
__global__ void row_8_last(int *out) { differs(out, __shfl(LANE, 31), HALF + 31); }
__global__ void row_8_next(int *out) { differs(out, __shfl(LANE, (LANE + 1) & 31), HALF + ((LANE + 1) & 31)); }
__global__ void row_8_width(int *out) { differs(out, __shfl(LANE, 0, 32), HALF); }
__global__ void row_9(int *out) { differs(out, __shfl_down(LANE, 1), (LANE & 31) == 31 ? LANE : LANE + 1); }
__global__ void row_9_width(int *out) { differs(out, __shfl_down(LANE, 1, 32), (LANE & 31) == 31 ? LANE : LANE + 1); }

__global__ void row_10(int *out) {
    const unsigned votes = __ballot(vote(LANE));
    differs(out, __popc(votes & ((1u << (LANE & 31)) - 1)), in_half(0, LANE & 31, vote));
}

__global__ void row_11(int *out) { differs(out, __popc(__ballot(vote(LANE))), in_half(0, 32, vote)); }

__global__ void row_12(int *out) {
    const int leader = __ffs((unsigned)__ballot(LANE >= 32)) - 1;
    differs(out, leader, HALF ? 0 : -1);
}

__global__ void row_14(int *out) {
    // The machine's shift takes five bits; a lane's number beyond 31 is not defined by C++.
    const int lane = LANE % warpSize;
    unsigned one = 1;
    asm volatile("" : "+v"(one));
    const unsigned long long below = (one << lane) - 1;
    differs(out, __popcll(__ballot(true) & below), lane);
}

__global__ void row_15(int *out) {
    __shared__ int s[2];
    const int lane = LANE & 31, warp = LANE >> 5;
    const int v = down(value(LANE), 16);
    if (lane == 0) s[warp] = v;
    __syncthreads();
    differs(out, s[warp], warp ? 63 : 72);
}

__device__ bool low(int i) { return i < 32; }
__global__ void row_25(int *out) { differs(out, __any(low(LANE)) + 2 * __all(low(LANE)), HALF ? 0 : 3); }

__global__ void row_26(int *out) {
    const unsigned same = (unsigned)__match_any_sync(__activemask(), LANE / 8);
    differs(out, same, 0xffu << (LANE & 24));
}

__global__ void row_30(int *out) {
    int seen = -1;
    if ((LANE & 31) < 16) seen = __shfl(LANE + 1, 20);
    differs(out, seen, (LANE & 31) < 16 ? 0 : -1);
}

// --- a program that has a name for 32, in place of the one of HIP ---

#define warpSize 32

__global__ void row_29(int *out) {
    const int v = down(value(LANE), warpSize / 2);
    if (LANE % warpSize == 0) atomicAdd(out, v);
}
__global__ void row_29_broadcast(int *out) { differs(out, __shfl(LANE, 0), LANE / warpSize * warpSize); }
__global__ void row_29_votes(int *out) {
    const unsigned votes = __ballot(vote(LANE));
    differs(out, __popc(votes & ((1u << (LANE % warpSize)) - 1)), in_half(0, LANE % warpSize, vote));
}

#undef warpSize

struct Row {
    const char *name;
    void (*kernel)(int *);
    int threads, right;
};

static const Row ROWS[] = {
    {"2", row_2, 64, 135},
    {"2-ballot", row_2_ballot, 64, 46},
    {"3", row_3, 64, 135},
    {"3-partial", row_3, 32, 72},
    {"3-divergent", row_3_divergent, 64, 67},
    {"4", row_4, 64, 135},
    {"5", row_5, 64, 135},
    {"6", row_6, 64, 135},
    {"6-xor", row_6_xor, 64, 135},
    {"7", row_7, 64, 0},
    {"8", row_8, 64, 0},
    {"8-last", row_8_last, 64, 0},
    {"8-next", row_8_next, 64, 0},
    {"8-width", row_8_width, 64, 0},
    {"9", row_9, 64, 0},
    {"9-width", row_9_width, 64, 0},
    {"10", row_10, 64, 0},
    {"11", row_11, 64, 0},
    {"12", row_12, 64, 0},
    {"13", row_13, 64, 27},
    {"13-both", row_13_both, 64, 28},
    {"13-upper", row_13_upper, 64, 32},
    {"14", row_14, 64, 0},
    {"15", row_15, 64, 0},
    {"16", row_16, 64, 135},
    {"17", row_17, 64, 135},
    {"18", row_18<32>, 1024, 2055},
    {"18-half", row_18<16>, 1024, 2055},
    {"19", row_19, 64, 135},
    {"20", row_20, 64, 135},
    {"21", row_21, 64, 135},
    {"22", row_22, 64, 135},
    {"23", row_23, 64, 135},
    {"24", row_24, 64, 46},
    {"25", row_25, 64, 0},
    {"26", row_26, 64, 0},
    {"27", row_4, 32, 72},
    {"29", row_29, 64, 135},
    {"29-broadcast", row_29_broadcast, 64, 0},
    {"29-votes", row_29_votes, 64, 0},
    {"30", row_30, 64, 0},
};

static int run(const Row &row) {
    int *out;
    if (hipMallocManaged((void **)&out, sizeof(int)) != hipSuccess) return 1;
    *out = 0;
    row.kernel<<<1, row.threads>>>(out);
    const hipError_t error = hipDeviceSynchronize();
    if (error != hipSuccess) {
        std::printf("%s: %s\n", row.name, hipGetErrorName(error));
    } else {
        std::printf("%s: %d, %d\n", row.name, *out, row.right);
    }
    return 0;
}

int main(int count, char **arguments) {
    for (const Row &row : ROWS) {
        if (count > 1 && std::strcmp(row.name, arguments[1]) == 0) return run(row);
    }
    return count > 1;
}
