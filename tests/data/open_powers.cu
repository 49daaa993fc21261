// Powers whose exponents have types that only the compiler knows: each is a `float` or a `double`.
#include <cmath>
#include <cstdio>
#include <cuda_runtime.h>

struct Term {
    int degree;
    float scale;
    short small;
};
__device__ int degree_of(int i) { return i + 40; }
#define RAISED(v, n) pow(v, n)
template <int N> struct Monomial {
    __device__ static double at(float x) { return pow(x, N); }
};
template <class T, class E> __device__ double bent(T x, E e) { return pow(x, e); }

__global__ void powers(double* out, const int* e, Term t, const Term* p, bool odd, float x) {
    out[0] = pow(x, *e);
    out[1] = pow(x, odd ? 41 : 42);
    out[2] = pow(x, t.degree);
    out[3] = pow(x, p->degree);
    out[4] = pow(x, degree_of(2));
    for (auto i = 40; i < 42; i++) out[5] = pow(x, i);
    out[6] = pow(x, t.scale);
    out[7] = pow(x, t.small);
    out[8] = RAISED(x, 40);
    out[9] = bent(x, 40) + bent(x, 2.5f);
    out[10] = Monomial<40>::at(x);
    const int fixed = 40;
    auto other = fixed;
    out[11] = bent(x, fixed) + pow(x, other);
}

int main() {
    double *out, host[12];
    int* e;
    Term* p;
    Term term = {40, 3.5f, 40};
    int exponent = 40;
    cudaMalloc(&out, sizeof host);
    cudaMalloc(&e, sizeof exponent);
    cudaMalloc(&p, sizeof term);
    cudaMemcpy(e, &exponent, sizeof exponent, cudaMemcpyHostToDevice);
    cudaMemcpy(p, &term, sizeof term, cudaMemcpyHostToDevice);
    powers<<<1, 1>>>(out, e, term, p, true, 10.1f);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    for (double value : host) printf("%.6e\n", value);
}
