// cuSOLVER: LU and Cholesky factorisations with the solutions of linear equations, in both precisions. The solutions are small
// whole numbers that the host chose.

#include <cuda_runtime.h>
#include <cusolverDn.h>

#include <cstdio>
#include <utility>
#include <vector>

#include "check.h"
#include "transfer.h"

#define SOLVER(call) need((call) == CUSOLVER_STATUS_SUCCESS, #call)

template <typename T> struct Equations {
    int size, right;
    std::vector<T> matrix, solutions, sides;

    // By columns. The largest of each row stands beside the diagonal, so that rows have to change places; a positive definite
    // matrix is the product of a triangle with itself.
    Equations(int size, int right, bool positive) : size(size), right(right), matrix(size * size), solutions(size * right),
                                                    sides(size * right) {
        check::Random random(size);
        std::vector<double> values(size * size);
        for (double& value : values) value = random.below(5) - 2;
        for (int i = 0; i < size; ++i) {
            for (int j = 0; j < size; ++j) {
                double sum = 0;
                for (int k = 0; k <= (i < j ? i : j); ++k)
                    sum += (k == i ? 8 : values[i + k * size]) * (k == j ? 8 : values[j + k * size]);
                const double far = (i + 1) % size == j ? 4 * size : 0;
                matrix[i + j * size] = static_cast<T>(positive ? sum : values[i + j * size] + far);
            }
        }
        for (T& value : solutions) value = static_cast<T>(random.below(9) - 4);
        for (int column = 0; column < right; ++column)
            for (int j = 0; j < size; ++j)
                for (int i = 0; i < size; ++i)
                    sides[i + column * size] += matrix[i + j * size] * solutions[j + column * size];
    }
};

static cusolverStatus_t size_of_lu(cusolverDnHandle_t h, int n, float* a, int* size) { return cusolverDnSgetrf_bufferSize(h, n, n, a, n, size); }
static cusolverStatus_t size_of_lu(cusolverDnHandle_t h, int n, double* a, int* size) { return cusolverDnDgetrf_bufferSize(h, n, n, a, n, size); }
static cusolverStatus_t lu(cusolverDnHandle_t h, int n, float* a, float* work, int* pivots, int* info) {
    return cusolverDnSgetrf(h, n, n, a, n, work, pivots, info);
}
static cusolverStatus_t lu(cusolverDnHandle_t h, int n, double* a, double* work, int* pivots, int* info) {
    return cusolverDnDgetrf(h, n, n, a, n, work, pivots, info);
}
static cusolverStatus_t solve_lu(cusolverDnHandle_t h, int n, int right, float* a, int* pivots, float* b, int* info) {
    return cusolverDnSgetrs(h, CUBLAS_OP_N, n, right, a, n, pivots, b, n, info);
}
static cusolverStatus_t solve_lu(cusolverDnHandle_t h, int n, int right, double* a, int* pivots, double* b, int* info) {
    return cusolverDnDgetrs(h, CUBLAS_OP_N, n, right, a, n, pivots, b, n, info);
}
static cusolverStatus_t size_of_cholesky(cusolverDnHandle_t h, int n, float* a, int* size) {
    return cusolverDnSpotrf_bufferSize(h, CUBLAS_FILL_MODE_LOWER, n, a, n, size);
}
static cusolverStatus_t size_of_cholesky(cusolverDnHandle_t h, int n, double* a, int* size) {
    return cusolverDnDpotrf_bufferSize(h, CUBLAS_FILL_MODE_LOWER, n, a, n, size);
}
static cusolverStatus_t cholesky(cusolverDnHandle_t h, int n, float* a, float* work, int size, int* info) {
    return cusolverDnSpotrf(h, CUBLAS_FILL_MODE_LOWER, n, a, n, work, size, info);
}
static cusolverStatus_t cholesky(cusolverDnHandle_t h, int n, double* a, double* work, int size, int* info) {
    return cusolverDnDpotrf(h, CUBLAS_FILL_MODE_LOWER, n, a, n, work, size, info);
}
static cusolverStatus_t solve_cholesky(cusolverDnHandle_t h, int n, int right, float* a, float* b, int* info) {
    return cusolverDnSpotrs(h, CUBLAS_FILL_MODE_LOWER, n, right, a, n, b, n, info);
}
static cusolverStatus_t solve_cholesky(cusolverDnHandle_t h, int n, int right, double* a, double* b, int* info) {
    return cusolverDnDpotrs(h, CUBLAS_FILL_MODE_LOWER, n, right, a, n, b, n, info);
}

template <typename T> std::vector<double> plain(const std::vector<T>& values) { return {values.begin(), values.end()}; }

template <typename T>
void equations(cusolverDnHandle_t handle, check::Results& results, const char* name, int size, int right, bool positive) {
    const Equations<T> e(size, right, positive);
    T *a = to_device(e.matrix), *b = to_device(e.sides);
    int *pivots = to_device(std::vector<int>(size)), *info = to_device(std::vector<int>(1, 7));
    int room = 0;
    SOLVER(positive ? size_of_cholesky(handle, size, a, &room) : size_of_lu(handle, size, a, &room));
    T* work = nullptr;
    CUDA(cudaMalloc(&work, room * sizeof(T)));
    SOLVER(positive ? cholesky(handle, size, a, work, room, info) : lu(handle, size, a, work, pivots, info));
    results.that(name, to_host(info, 1)[0] == 0);
    SOLVER(positive ? solve_cholesky(handle, size, right, a, b, info) : solve_lu(handle, size, right, a, pivots, b, info));
    results.near(name, plain(to_host(b, size * right)), plain(e.solutions), sizeof(T) == 4 ? 1e-3 : 1e-11);
    // L times U, or L times its transpose, is what was given, with rows in the order of the pivots.
    const auto factors = to_host(a, size * size);
    auto given = e.matrix;
    if (!positive) {
        const auto order = to_host(pivots, size);
        for (int i = 0; i < size; ++i)
            for (int j = 0; j < size; ++j) std::swap(given[i + j * size], given[order[i] - 1 + j * size]);
        results.that("rows change places", order[0] != 1);
    }
    std::vector<double> product;
    for (int j = 0; j < size; ++j) {
        for (int i = 0; i < size; ++i) {
            double sum = 0;
            for (int k = 0; k <= (i < j ? i : j); ++k) {
                const double l = positive || k != i ? factors[i + k * size] : 1;
                sum += l * (positive ? factors[j + k * size] : factors[k + j * size]);
            }
            product.push_back(sum);
        }
    }
    results.near(name, product, plain(given), sizeof(T) == 4 ? 1e-4 : 1e-12);
    for (void* memory : std::vector<void*>{a, b, pivots, info, work}) CUDA(cudaFree(memory));
    std::printf("%s %d, %d: solved\n", name, size, right);
}

// LU, and with an argument Cholesky.
int main(int count, char**) {
    check::Results results;
    cusolverDnHandle_t handle;
    SOLVER(cusolverDnCreate(&handle));
    const bool positive = count > 1;
    equations<float>(handle, results, positive ? "cholesky, single" : "lu, single", 20, 3, positive);
    equations<double>(handle, results, positive ? "cholesky, double" : "lu, double", 70, 2, positive);
    SOLVER(cusolverDnDestroy(handle));
    return results.verdict();
}
