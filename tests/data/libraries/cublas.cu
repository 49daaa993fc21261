// cuBLAS: products of matrices in three precisions, batched and in strides, a matrix and a vector, and vectors. All numbers
// are small whole ones, so that every order of summation gives the same, and the host knows each result.

#include <cublas_v2.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

#include "check.h"
#include "transfer.h"

#define BLAS(call) need((call) == CUBLAS_STATUS_SUCCESS, #call)

static float plain(float value) { return value; }
static double plain(double value) { return value; }
static float plain(__half value) { return __half2float(value); }

template <typename T> T made(int value) { return static_cast<T>(static_cast<float>(value)); }

template <typename T> std::vector<T> numbers(int count, unsigned seed) {
    check::Random random(seed);
    std::vector<T> values;
    for (int i = 0; i < count; ++i) values.push_back(made<T>(random.below(7) - 3));
    return values;
}

template <typename T> std::vector<double> doubles(const T* device, int count) {
    std::vector<double> result;
    for (const T& value : to_host(device, count)) result.push_back(plain(value));
    return result;
}

// C = 2 A B - C by columns, with A and B as they are or transposed.
struct Shape {
    int m, n, k;
    bool ta, tb;
    cublasOperation_t a() const { return ta ? CUBLAS_OP_T : CUBLAS_OP_N; }
    cublasOperation_t b() const { return tb ? CUBLAS_OP_T : CUBLAS_OP_N; }
    int lda() const { return ta ? k : m; }
    int ldb() const { return tb ? n : k; }
};

template <typename T>
std::vector<double> product(Shape s, const std::vector<T>& a, const std::vector<T>& b, const std::vector<T>& c, int batch) {
    std::vector<double> result(static_cast<std::size_t>(s.m) * s.n * batch);
    for (int at = 0; at < batch; ++at)
        for (int j = 0; j < s.n; ++j)
            for (int i = 0; i < s.m; ++i) {
                const T* one = a.data() + at * s.m * s.k;
                const T* other = b.data() + at * s.k * s.n;
                double sum = 0;
                for (int l = 0; l < s.k; ++l) {
                    sum += static_cast<double>(plain(one[s.ta ? l + i * s.k : i + l * s.m])) *
                           static_cast<double>(plain(other[s.tb ? j + l * s.n : l + j * s.k]));
                }
                const int place = i + j * s.m + at * s.m * s.n;
                result[place] = 2 * sum - plain(c[place]);
            }
    return result;
}

template <typename T, typename Call>
void gemm(check::Results& results, const char* name, Shape s, int batch, Call call) {
    const auto a = numbers<T>(s.m * s.k * batch, 1), b = numbers<T>(s.k * s.n * batch, 2), c = numbers<T>(s.m * s.n * batch, 3);
    T *da = to_device(a), *db = to_device(b), *dc = to_device(c);
    call(s, da, db, dc);
    const auto seen = doubles(dc, s.m * s.n * batch);
    results.equal(name, seen, product(s, a, b, c, batch));
    std::printf("%s %dx%dx%d %c%c: %u\n", name, s.m, s.n, s.k, s.ta ? 't' : 'n', s.tb ? 't' : 'n', check::fingerprint(seen));
    CUDA(cudaFree(da));
    CUDA(cudaFree(db));
    CUDA(cudaFree(dc));
}

static void products(cublasHandle_t handle, check::Results& results, Shape s) {
    gemm<float>(results, "sgemm", s, 1, [&](Shape s, float* a, float* b, float* c) {
        const float alpha = 2, beta = -1;
        BLAS(cublasSgemm(handle, s.a(), s.b(), s.m, s.n, s.k, &alpha, a, s.lda(), b, s.ldb(), &beta, c, s.m));
    });
    gemm<double>(results, "dgemm", s, 1, [&](Shape s, double* a, double* b, double* c) {
        const double alpha = 2, beta = -1;
        BLAS(cublasDgemm(handle, s.a(), s.b(), s.m, s.n, s.k, &alpha, a, s.lda(), b, s.ldb(), &beta, c, s.m));
    });
    gemm<__half>(results, "hgemm", s, 1, [&](Shape s, __half* a, __half* b, __half* c) {
        const float alpha = 2, beta = -1;
        BLAS(cublasGemmEx(handle, s.a(), s.b(), s.m, s.n, s.k, &alpha, a, CUDA_R_16F, s.lda(), b, CUDA_R_16F, s.ldb(), &beta,
                          c, CUDA_R_16F, s.m, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
    });
}

static void batches(cublasHandle_t handle, check::Results& results, Shape s) {
    const int batch = 3;
    gemm<float>(results, "batched", s, batch, [&](Shape s, float* a, float* b, float* c) {
        const float alpha = 2, beta = -1;
        std::vector<float*> as, bs, cs;
        for (int at = 0; at < batch; ++at) {
            as.push_back(a + at * s.m * s.k);
            bs.push_back(b + at * s.k * s.n);
            cs.push_back(c + at * s.m * s.n);
        }
        float **da = to_device(as), **db = to_device(bs), **dc = to_device(cs);
        BLAS(cublasSgemmBatched(handle, s.a(), s.b(), s.m, s.n, s.k, &alpha, da, s.lda(), db, s.ldb(), &beta, dc, s.m, batch));
        CUDA(cudaDeviceSynchronize());
        CUDA(cudaFree(da));
        CUDA(cudaFree(db));
        CUDA(cudaFree(dc));
    });
    gemm<float>(results, "strided", s, batch, [&](Shape s, float* a, float* b, float* c) {
        const float alpha = 2, beta = -1;
        BLAS(cublasSgemmStridedBatched(handle, s.a(), s.b(), s.m, s.n, s.k, &alpha, a, s.lda(), s.m * s.k, b, s.ldb(),
                                       s.k * s.n, &beta, c, s.m, s.m * s.n, batch));
    });
}

static void vectors(cublasHandle_t handle, check::Results& results) {
    const int count = 1000, rows = 33, columns = 20;
    const auto x = numbers<float>(count, 4), y = numbers<float>(count, 5), matrix = numbers<float>(rows * columns, 6);
    float *dx = to_device(x), *dy = to_device(y), *dm = to_device(matrix);
    const float three = 3, one = 1;
    float dot = 0, norm = 0;
    BLAS(cublasSdot(handle, count, dx, 1, dy, 1, &dot));
    BLAS(cublasSnrm2(handle, count, dx, 1, &norm));
    double right = 0, squares = 0;
    for (int i = 0; i < count; ++i) {
        right += x[i] * y[i];
        squares += x[i] * x[i];
    }
    results.that("dot", dot == right);
    results.near("nrm2", norm, std::sqrt(squares), 1e-6);
    BLAS(cublasSaxpy(handle, count, &three, dx, 1, dy, 1));
    std::vector<double> sums;
    for (int i = 0; i < count; ++i) sums.push_back(3 * x[i] + y[i]);
    results.equal("axpy", doubles(dy, count), sums);
    BLAS(cublasSgemv(handle, CUBLAS_OP_N, rows, columns, &three, dm, rows, dx, 1, &one, dy, 1));
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j) sums[i] += 3 * matrix[i + j * rows] * x[j];
    results.equal("gemv", doubles(dy, count), sums);
    std::printf("dot %g, squares %g, sums %u\n", static_cast<double>(dot), squares, check::fingerprint(sums));
    CUDA(cudaFree(dx));
    CUDA(cudaFree(dy));
    CUDA(cudaFree(dm));
}

int main() {
    check::Results results;
    cublasHandle_t handle;
    BLAS(cublasCreate(&handle));
    vectors(handle, results);
    products(handle, results, {64, 64, 32, false, false});
    products(handle, results, {37, 21, 19, true, false});
    products(handle, results, {16, 50, 33, false, true});
    batches(handle, results, {24, 17, 9, false, false});
    BLAS(cublasDestroy(handle));
    return results.verdict();
}
