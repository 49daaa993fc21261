// Groups move structures, values of templates and numbers between lanes.
#include <cstdio>
#include <cuda_runtime.h>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
struct entry { double value; int at; char c; };
template <class T> struct range_of { T low, high; };
template <class Tile, class T> __device__ T last(const Tile &tile, T value) { return tile.shfl(value, 31); }
__global__ void k(entry *e, int *o) {
    cg::thread_block_tile<32> tile = cg::tiled_partition<32>(cg::this_thread_block());
    entry mine = {threadIdx.x * 1.5, (int)threadIdx.x, (char)threadIdx.x};
    entry next = tile.shfl_down(mine, 1);
    entry before = tile.shfl_up(mine, 1);
    range_of<long long> r = {threadIdx.x, -(int)threadIdx.x};
    r = tile.shfl_xor(r, 1);
    entry end = last(tile, mine);
    e[threadIdx.x] = next;
    o[threadIdx.x] = before.at + 1000 * (int)r.high + 1000000 * end.at + (int)last(tile, 7.5f);
}
int main() {
    entry *e; int *o; cudaMallocManaged(&e, 64 * sizeof(entry)); cudaMallocManaged(&o, 256);
    k<<<1, 64>>>(e, o); cudaDeviceSynchronize();
    for (int i = 0; i < 64; i++) printf("%g %d %d %d\n", e[i].value, e[i].at, e[i].c, o[i]);
}
