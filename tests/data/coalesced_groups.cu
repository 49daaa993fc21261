#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;
// Groups of the threads of a warp that run together, in divergent code and in a partial warp: size, rank, shuffles, votes.
__global__ void k(int* out, int n) {
    int i = threadIdx.x;
    if (i % 3 == 1 || i > 70) {
        auto g = cg::coalesced_threads();
        int first = g.shfl(i, 0);
        int sum = i;
        for (unsigned d = 1; d < g.size(); d *= 2) { int o = g.shfl_down(sum, d); if (g.thread_rank() + d < g.size()) sum += o; }
        int* o = out + i * 8;
        o[0] = g.size(); o[1] = g.thread_rank(); o[2] = first; o[3] = sum;
        o[4] = g.any(i == 40); o[5] = g.all(i < 64); o[6] = (int)__popc(g.ballot(i & 1));
        g.sync();
    }
}
int main() {
    const int n = 100; int* d; static int h[n * 8];
    cudaMalloc(&d, sizeof h); cudaMemset(d, 0, sizeof h);
    k<<<1, n>>>(d, n); cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int w = 0; w < n; w += 32) {
        int ids[32], m = 0;
        for (int i = w; i < w + 32 && i < n; ++i) if (i % 3 == 1 || i > 70) ids[m++] = i;
        for (int r = 0; r < m; ++r) {
            int i = ids[r], *o = h + i * 8, sum = 0, any = 0, all = 1, odd = 0;
            for (int q = 0; q < m; ++q) { if (q >= r) sum += ids[q]; any |= ids[q] == 40; all &= ids[q] < 64; odd += ids[q] & 1; }
            if (o[0] != m || o[1] != r || o[2] != ids[0] || o[3] != sum || o[4] != any || o[5] != all || o[6] != odd) { if (bad++ < 5) printf("thread %d: size %d/%d rank %d/%d first %d/%d sum %d/%d any %d/%d all %d/%d odd %d/%d\n", i, o[0], m, o[1], r, o[2], ids[0], o[3], sum, o[4], any, o[5], all, o[6], odd); }
        }
    }
    printf(bad ? "FAIL %d\n" : "PASS\n", bad);
    return bad != 0;
}
