// Where all of a program asks for blocks of one size, the function that gives them out has no argument.
#include <cstdio>
struct shape { virtual __device__ double area() const = 0; __device__ virtual ~shape() {} };
struct circle : shape { double r, x; __device__ circle(double r) : r(r), x(0) {} __device__ double area() const override { return 3 * r * r; } };
struct square : shape { double a, b; __device__ square(double a) : a(a), b(a) {} __device__ double area() const override { return a * b; } };
__global__ void make(shape **all, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    switch (i % 3) {
    case 0: all[i] = new square(i); break;
    case 1: all[i] = new circle(i); break;
    case 2: all[i] = new circle(i); break;
    }
}
__global__ void measure(shape **all, double *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = all[i]->area();
    delete all[i];
}
int main() {
    const int n = 90;
    shape **all;
    double *out, seen[n];
    cudaMalloc(&all, n * sizeof(shape *));
    cudaMalloc(&out, sizeof(seen));
    make<<<2, 64>>>(all, n);
    measure<<<2, 64>>>(all, out, n);
    cudaMemcpy(seen, out, sizeof(seen), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < n; i++) wrong += seen[i] != (i % 3 ? 3.0 : 1.0) * i * i;
    printf("%d wrong, %s\n", wrong, cudaGetErrorString(cudaGetLastError()));
    return wrong;
}
