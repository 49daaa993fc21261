// Floats of eight bits in both formats, there and back. What it prints on an NVIDIA H200 is in eight_bit_floats.txt.
#include <cstdio>
#include <cuda_fp8.h>
#include <cuda_runtime.h>
__global__ void k(const float* x, float* y, unsigned char* b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    __nv_fp8_e4m3 a(x[i]);
    __nv_fp8_e5m2 c(x[i]);
    y[2 * i] = float(a);
    y[2 * i + 1] = float(c);
    b[i] = a.__x ^ (c.__x << 1);
}
int main() {
    const int n = 256;
    float *x, *y; unsigned char* b;
    cudaMallocManaged(&x, n * 4); cudaMallocManaged(&y, n * 8); cudaMallocManaged(&b, n);
    for (int i = 0; i < n; ++i) x[i] = (i - 128) * (i % 7 == 0 ? 17.3f : i % 5 == 0 ? 0.0013f : 0.37f);
    k<<<1, 256>>>(x, y, b, n);
    if (cudaDeviceSynchronize() != cudaSuccess) { printf("error\n"); return 1; }
    double s = 0, t = 0; unsigned h = 7;
    for (int i = 0; i < n; ++i) { s += y[2*i] * (i + 1); t += y[2*i+1] * (i + 3); h = h * 31 + b[i]; }
    printf("%.9g %.9g %u\n", s, t, h);
    return 0;
}
