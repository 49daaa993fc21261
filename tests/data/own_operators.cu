// Operators of a program on CUDA's vectors, which are those of complex numbers: HIP's headers have others for the same types.
// Exits with 1 where one of HIP's is taken.
#include <cuComplex.h>
#include <cuda_runtime.h>

#include <cstdio>

typedef float2 Complex;

inline __host__ __device__ Complex operator*(const Complex& a, const Complex& b) {
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
inline __host__ __device__ Complex& operator*=(Complex& a, Complex b) { return a = a * b; }
inline __host__ __device__ cuDoubleComplex operator/(cuDoubleComplex a, cuDoubleComplex b) { return cuCdiv(a, b); }
inline __host__ __device__ float4 operator*(float4 a, float4 b) {
    return make_float4(a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w);
}
__device__ float3 operator*(float3 a, float3 b) {
    return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

template <class T> inline __host__ __device__ T square(T a) { return a * a; }

struct Results {
    Complex product, square, compound;
    cuDoubleComplex quotient;
    float4 scaled;
};

inline __host__ __device__ void compute(Results& r, Complex a, Complex b) {
    r.product = a * b;
    r.square = square(a);
    r.compound = a;
    r.compound *= b;
    r.quotient = make_cuDoubleComplex(-5, 10) / make_cuDoubleComplex(1, 2);
    r.scaled = make_float4(1, 2, 3, 4) * make_float4(2, 2, 2, 2);
}

__global__ void on_device(Results* r, float3* cross) {
    compute(*r, make_float2(1, 2), make_float2(3, 4));
    *cross = make_float3(1, 0, 0) * make_float3(0, 1, 0);
}

static bool is_right(const Results& r) {
    return r.product.x == -5 && r.product.y == 10 && r.square.x == -3 && r.square.y == 4 && r.compound.x == -5 &&
           r.compound.y == 10 && r.quotient.x == 3 && r.quotient.y == 4 && r.scaled.x == 2 && r.scaled.w == 8;
}

int main() {
    Results here{}, there{};
    float3 cross{};
    Results* results;
    float3* vector;
    cudaMalloc(&results, sizeof(Results));
    cudaMalloc(&vector, sizeof(float3));
    on_device<<<1, 1>>>(results, vector);
    cudaMemcpy(&there, results, sizeof(there), cudaMemcpyDeviceToHost);
    cudaMemcpy(&cross, vector, sizeof(cross), cudaMemcpyDeviceToHost);
    compute(here, make_float2(1, 2), make_float2(3, 4));
    const bool passed = is_right(here) && is_right(there) && cross.x == 0 && cross.y == 0 && cross.z == 1;
    std::printf("%s\n", passed ? "PASS" : "FAIL");
    return passed ? 0 : 1;
}
