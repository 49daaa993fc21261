#include <cstdio>
struct cell { int value; cell *next; };
__global__ void of_other(int *out);
// Too much to stand in one part with the other kernel.
__device__ __attribute__((noinline)) double first(double x) {
#pragma unroll
    for (int i = 0; i < 24; i++) x += sin(x) + tgamma(x * i);
    return x;
}
__global__ void of_this(int *out) {
    cell *made = new cell;
    made->value = threadIdx.x;
    out[threadIdx.x] = made->value;
    if (out[0] > 999) out[1] = (int)first(out[2]);
    delete made;
}
int main() {
    int *out, seen[2][32];
    cudaMalloc(&out, sizeof(seen));
    of_this<<<1, 32>>>(out);
    of_other<<<1, 32>>>(out + 32);
    cudaMemcpy(seen, out, sizeof(seen), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < 32; i++) wrong += seen[0][i] != i || seen[1][i] != i + 1;
    printf("%d wrong, %s\n", wrong, cudaGetErrorString(cudaGetLastError()));
    return wrong;
}
