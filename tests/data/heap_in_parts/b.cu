// Too much to stand in one part with the other kernel.
__device__ __attribute__((noinline)) double second(double x) {
#pragma unroll
    for (int i = 0; i < 24; i++) x += cos(x) + lgamma(x * i);
    return x;
}
__global__ void of_other(int *out) {
    int *made = (int *)malloc(40 + threadIdx.x);
    made[9] = threadIdx.x + 1;
    out[threadIdx.x] = made[9];
    if (out[0] > 999) out[1] = (int)second(out[2]);
    free(made);
}
