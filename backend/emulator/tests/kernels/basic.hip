// Simple kernels: one element for each thread, loops, integer arithmetic.
#include <hip/hip_runtime.h>

extern "C" __global__ void vector_add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

extern "C" __global__ void grid_stride(const double *x, double *y, double f, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = f * x[i] + y[i];
}

extern "C" __global__ void divide(const long long *a, const long long *b, long long *q, long long *r,
                                  unsigned *u, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    q[i] = a[i] / b[i];
    r[i] = a[i] % b[i];
    u[i] = (unsigned)a[i] / (unsigned)b[i] + (unsigned)((int)a[i] % (int)b[i]);
}

struct Point { float x; double y; short z; char w[5]; };

extern "C" __global__ void structs(const Point *in, Point *out, Point add, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Point p = in[i];
    p.x += add.x; p.y *= add.y; p.z = (short)(p.z - add.z);
    for (int k = 0; k < 5; k++) p.w[k] = (char)(p.w[k] ^ add.w[k]);
    out[i] = p;
}

extern "C" __global__ void coordinates(unsigned *out) {
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
             z = blockIdx.z * blockDim.z + threadIdx.z;
    unsigned w = gridDim.x * blockDim.x, h = gridDim.y * blockDim.y;
    out[(z * h + y) * w + x] = x | y << 8 | z << 16 | threadIdx.z << 28;
}

extern "C" __global__ void collatz(const unsigned *start, unsigned *steps, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long v = start[i];
    unsigned count = 0;
    while (v != 1) { v = v & 1 ? 3 * v + 1 : v / 2; count++; }
    steps[i] = count;
}

extern "C" __global__ void local_array(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int heap[33];
    for (int k = 0; k < 33; k++) heap[k] = in[i] * (k + 1) % 101;
    int at = in[i] & 31;
    for (int k = 0; k < 40; k++) { heap[at] += k; at = (heap[at] & 0x7fffffff) % 33; heap[32 - at] ^= i; }
    int sum = 0;
    for (int k = 0; k < 33; k++) sum = sum * 31 + heap[k];
    out[i] = sum;
}

__device__ __noinline__ int ackermann(int m, int n) {
    if (m == 0) return n + 1;
    if (n == 0) return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}

extern "C" __global__ void recursion(int *out) { out[threadIdx.x] = ackermann(2, threadIdx.x % 5); }

struct Shape { __device__ virtual int area() const = 0; };
struct Square : Shape { int a; __device__ Square(int s) : a(s) {} __device__ int area() const override { return a * a; } };
struct Strip : Shape { int a, b; __device__ Strip(int x, int y) : a(x), b(y) {} __device__ int area() const override { return a * b + 1; } };

__device__ __noinline__ int area_of(const Shape *s) { return s->area(); }

extern "C" __global__ void virtual_call(int *out) {
    Square square(threadIdx.x);
    Strip strip(threadIdx.x, 3);
    const Shape *shapes[2] = {&square, &strip};
    out[threadIdx.x] = area_of(shapes[threadIdx.x & 1]);
}

__constant__ int table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
__device__ unsigned long long counter;
__device__ int *pointer_to_table = const_cast<int *>(table);

extern "C" __global__ void constants(int *out) {
    out[threadIdx.x] = table[threadIdx.x & 15] + pointer_to_table[(threadIdx.x + 1) & 15];
    atomicAdd(&counter, (unsigned long long)out[threadIdx.x]);
}
