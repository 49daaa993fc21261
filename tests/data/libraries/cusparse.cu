// cuSPARSE: a matrix in compressed rows times a vector and times a matrix, as it is and transposed, in both precisions. All
// numbers are small whole ones, so that every order of summation gives the same, and the host knows each result.

#include <cuda_runtime.h>
#include <cusparse.h>

#include <cstdio>
#include <vector>

#include "check.h"
#include "transfer.h"

#define SPARSE(call) need((call) == CUSPARSE_STATUS_SUCCESS, #call)

template <typename T> constexpr cudaDataType type_of() { return sizeof(T) == 4 ? CUDA_R_32F : CUDA_R_64F; }

template <typename T> std::vector<T> numbers(int count, unsigned seed) {
    check::Random random(seed);
    std::vector<T> values(count);
    for (T& value : values) value = static_cast<T>(random.below(7) - 3);
    return values;
}

template <typename T> std::vector<double> doubles(const T* device, int count) {
    const auto values = to_host(device, count);
    return {values.begin(), values.end()};
}

// Compressed rows, of which some are empty and one is full.
template <typename T> struct Matrix {
    int rows, columns;
    std::vector<int> starts{0}, places;
    std::vector<T> values;

    Matrix(int rows, int columns) : rows(rows), columns(columns) {
        check::Random random(7);
        for (int row = 0; row < rows; ++row) {
            for (int column = 0; column < columns; ++column) {
                const bool is_there = row == 3 || (row % 5 != 4 && random.below(6) == 0);
                if (!is_there) continue;
                places.push_back(column);
                values.push_back(static_cast<T>(random.below(9) - 4));
            }
            starts.push_back(static_cast<int>(places.size()));
        }
    }

    // 2 A x - y, or 2 A' x - y, for one column of each.
    std::vector<double> product(const T* x, const T* y, bool transposed) const {
        std::vector<double> result;
        for (int i = 0; i < (transposed ? columns : rows); ++i) result.push_back(-y[i]);
        for (int row = 0; row < rows; ++row)
            for (int at = starts[row]; at < starts[row + 1]; ++at) {
                const int to = transposed ? places[at] : row, from = transposed ? row : places[at];
                result[to] += 2 * static_cast<double>(values[at]) * x[from];
            }
        return result;
    }
};

// A matrix as the library knows it.
template <typename T> struct Device {
    int *starts, *places;
    T* values;
    cusparseSpMatDescr_t matrix;

    explicit Device(const Matrix<T>& m) : starts(to_device(m.starts)), places(to_device(m.places)), values(to_device(m.values)) {
        SPARSE(cusparseCreateCsr(&matrix, m.rows, m.columns, m.values.size(), starts, places, values, CUSPARSE_INDEX_32I,
                                 CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type_of<T>()));
    }

    ~Device() {
        SPARSE(cusparseDestroySpMat(matrix));
        CUDA(cudaFree(starts));
        CUDA(cudaFree(places));
        CUDA(cudaFree(values));
    }
};

template <typename T>
void vector(cusparseHandle_t handle, check::Results& results, const char* name, int rows, int columns, bool transposed) {
    const Matrix<T> m(rows, columns);
    const Device<T> a(m);
    const int from = transposed ? rows : columns, to = transposed ? columns : rows;
    const auto x = numbers<T>(from, 1), y = numbers<T>(to, 2);
    T *dx = to_device(x), *dy = to_device(y);
    cusparseDnVecDescr_t vx, vy;
    SPARSE(cusparseCreateDnVec(&vx, from, dx, type_of<T>()));
    SPARSE(cusparseCreateDnVec(&vy, to, dy, type_of<T>()));
    const auto way = transposed ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE;
    // rocSPARSE's usual algorithm knows no transposed matrices.
    const auto algorithm = transposed ? CUSPARSE_SPMV_CSR_ALG2 : CUSPARSE_SPMV_ALG_DEFAULT;
    const T alpha = 2, beta = -1;
    std::size_t size = 0;
    void* buffer = nullptr;
    SPARSE(cusparseSpMV_bufferSize(handle, way, &alpha, a.matrix, vx, &beta, vy, type_of<T>(), algorithm, &size));
    // A buffer is there also where none is needed, and for more than one product.
    CUDA(cudaMalloc(&buffer, size + 8));
    T* dz = to_device(y);
    cusparseDnVecDescr_t vz;
    SPARSE(cusparseCreateDnVec(&vz, to, dz, type_of<T>()));
    for (auto result : {vz, vy}) {
        SPARSE(cusparseSpMV(handle, way, &alpha, a.matrix, vx, &beta, result, type_of<T>(), algorithm, buffer));
    }
    SPARSE(cusparseDestroyDnVec(vz));
    CUDA(cudaFree(dz));
    const auto seen = doubles(dy, to);
    results.equal(name, seen, m.product(x.data(), y.data(), transposed));
    std::printf("%s %dx%d%s: %u\n", name, rows, columns, transposed ? " transposed" : "", check::fingerprint(seen));
    SPARSE(cusparseDestroyDnVec(vx));
    SPARSE(cusparseDestroyDnVec(vy));
    CUDA(cudaFree(dx));
    CUDA(cudaFree(dy));
    CUDA(cudaFree(buffer));
}

template <typename T>
void matrix(cusparseHandle_t handle, check::Results& results, const char* name, int rows, int columns, int width) {
    const Matrix<T> m(rows, columns);
    const Device<T> a(m);
    const auto b = numbers<T>(columns * width, 3), c = numbers<T>(rows * width, 4);
    T *db = to_device(b), *dc = to_device(c);
    cusparseDnMatDescr_t mb, mc;
    SPARSE(cusparseCreateDnMat(&mb, columns, width, columns, db, type_of<T>(), CUSPARSE_ORDER_COL));
    SPARSE(cusparseCreateDnMat(&mc, rows, width, rows, dc, type_of<T>(), CUSPARSE_ORDER_COL));
    const auto way = CUSPARSE_OPERATION_NON_TRANSPOSE;
    const T alpha = 2, beta = -1;
    std::size_t size = 0;
    void* buffer = nullptr;
    SPARSE(cusparseSpMM_bufferSize(handle, way, way, &alpha, a.matrix, mb, &beta, mc, type_of<T>(), CUSPARSE_SPMM_ALG_DEFAULT,
                                   &size));
    CUDA(cudaMalloc(&buffer, size));
    SPARSE(cusparseSpMM(handle, way, way, &alpha, a.matrix, mb, &beta, mc, type_of<T>(), CUSPARSE_SPMM_ALG_DEFAULT, buffer));
    const auto seen = doubles(dc, rows * width);
    std::vector<double> right;
    for (int column = 0; column < width; ++column) {
        const auto one = m.product(b.data() + column * columns, c.data() + column * rows, false);
        right.insert(right.end(), one.begin(), one.end());
    }
    results.equal(name, seen, right);
    std::printf("%s %dx%dx%d: %u\n", name, rows, columns, width, check::fingerprint(seen));
    SPARSE(cusparseDestroyDnMat(mb));
    SPARSE(cusparseDestroyDnMat(mc));
    CUDA(cudaFree(db));
    CUDA(cudaFree(dc));
    CUDA(cudaFree(buffer));
}

int main() {
    check::Results results;
    cusparseHandle_t handle;
    SPARSE(cusparseCreate(&handle));
    vector<float>(handle, results, "spmv, single", 50, 40, false);
    vector<double>(handle, results, "spmv, double", 33, 70, false);
    vector<double>(handle, results, "spmv, double", 33, 70, true);
    matrix<float>(handle, results, "spmm, single", 50, 40, 9);
    matrix<double>(handle, results, "spmm, double", 33, 70, 4);
    SPARSE(cusparseDestroy(handle));
    return results.verdict();
}
