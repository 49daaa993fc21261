// Votes and matches of tiles and of the threads that are active, against the same on the host. One block of at most
// 32 threads, so that a group is the same for waves of 32 and 64 lanes.

#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

const int RESULTS = 6;

template <typename Group> __device__ void votes(const Group& group, int value, unsigned* out) {
    int same;
    const unsigned matched = group.match_all(value, same);
    out[0] = group.any(value > 5);
    out[1] = group.all(value > 1);
    out[2] = static_cast<unsigned>(group.ballot(value & 1));
    out[3] = group.match_any(value);
    out[4] = matched;
    out[5] = same;
}

__global__ void kernel(const int* in, unsigned* tiles, unsigned* active) {
    const int value = in[threadIdx.x];
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    votes(tile, value, tiles + RESULTS * threadIdx.x);
    if (value % 3 != 0) {
        cg::coalesced_group group = cg::coalesced_threads();
        votes(group, value, active + RESULTS * threadIdx.x);
    }
}

// What each of the threads in `group` gets, in the order of their ranks.
void expect(const std::vector<int>& in, const std::vector<int>& group, std::vector<unsigned>& out) {
    const unsigned everyone = static_cast<unsigned>((1ull << group.size()) - 1);
    unsigned odd = 0;
    bool any = false, all = true, same = true;
    for (size_t rank = 0; rank < group.size(); ++rank) {
        const int value = in[group[rank]];
        any = any || value > 5;
        all = all && value > 1;
        same = same && value == in[group[0]];
        odd |= static_cast<unsigned>(value & 1) << rank;
    }
    for (int thread : group) {
        unsigned equal = 0;
        for (size_t rank = 0; rank < group.size(); ++rank) equal |= static_cast<unsigned>(in[group[rank]] == in[thread]) << rank;
        const unsigned right[RESULTS] = {any, all, odd, equal, same ? everyone : 0, same};
        for (int i = 0; i < RESULTS; ++i) out[RESULTS * thread + i] = right[i];
    }
}

bool check(const std::vector<int>& in) {
    const int threads = static_cast<int>(in.size());
    std::vector<unsigned> tiles(RESULTS * threads), active(tiles), right_tiles(tiles), right_active(tiles);
    std::vector<int> taking_part;
    for (int first = 0; first < threads; first += 8) {
        std::vector<int> tile;
        for (int i = first; i < first + 8; ++i) tile.push_back(i);
        expect(in, tile, right_tiles);
    }
    for (int i = 0; i < threads; ++i)
        if (in[i] % 3 != 0) taking_part.push_back(i);
    expect(in, taking_part, right_active);

    int* values;
    unsigned *d_tiles, *d_active;
    const size_t bytes = tiles.size() * sizeof(unsigned);
    cudaMalloc(&values, threads * sizeof(int));
    cudaMalloc(&d_tiles, bytes);
    cudaMalloc(&d_active, bytes);
    cudaMemset(d_active, 0, bytes);
    cudaMemcpy(values, in.data(), threads * sizeof(int), cudaMemcpyHostToDevice);
    kernel<<<1, threads>>>(values, d_tiles, d_active);
    cudaMemcpy(tiles.data(), d_tiles, bytes, cudaMemcpyDeviceToHost);
    const bool runs = cudaMemcpy(active.data(), d_active, bytes, cudaMemcpyDeviceToHost) == cudaSuccess;
    cudaFree(values);
    cudaFree(d_tiles);
    cudaFree(d_active);
    return runs && tiles == right_tiles && active == right_active;
}

int main() {
    bool passed = true;
    for (int threads : {32, 24, 8}) {
        std::vector<int> mixed(threads), alike(threads, 4);
        for (int i = 0; i < threads; ++i) mixed[i] = i * 7 % 11;
        passed = check(mixed) && passed;
        passed = check(alike) && passed;
    }
    printf(passed ? "PASS\n" : "FAIL\n");
    return passed ? 0 : 1;
}
