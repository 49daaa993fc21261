// cuFFT: transforms of one and two dimensions, batched and in steps, complex and real, in both precisions. Sums in double
// precision on the host say what each of them should give.

#include <cuda_runtime.h>
#include <cufft.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <vector>

#include "check.h"
#include "transfer.h"

#define FFT(call) need((call) == CUFFT_SUCCESS, #call)

using Number = std::complex<double>;

template <typename T> std::vector<T> numbers(int count, unsigned seed) {
    check::Random random(seed);
    std::vector<T> values(count);
    for (T& value : values) value = static_cast<T>(random.below(17) - 8);
    return values;
}

// The transform of rows of a table, and then of its columns; a table of one row is a signal.
static std::vector<Number> transform(const std::vector<Number>& in, int rows, int columns, int sign) {
    const double turn = sign * 2 * std::acos(-1.0);
    std::vector<Number> half(in.size()), out(in.size());
    for (int y = 0; y < rows; ++y)
        for (int k = 0; k < columns; ++k)
            for (int x = 0; x < columns; ++x)
                half[y * columns + k] += in[y * columns + x] * std::polar(1.0, turn * (x * k % columns) / columns);
    for (int x = 0; x < columns; ++x)
        for (int k = 0; k < rows; ++k)
            for (int y = 0; y < rows; ++y)
                out[k * columns + x] += half[y * columns + x] * std::polar(1.0, turn * (y * k % rows) / rows);
    return out;
}

// Both parts of complex numbers, one after the other.
template <typename T> std::vector<double> parts(const std::vector<T>& values) {
    std::vector<double> result;
    for (const T& value : values) {
        result.push_back(value.x);
        result.push_back(value.y);
    }
    return result;
}

static std::vector<double> parts(const std::vector<Number>& values) {
    std::vector<double> result;
    for (const Number& value : values) {
        result.push_back(value.real());
        result.push_back(value.imag());
    }
    return result;
}

template <typename T, typename Part> std::vector<T> paired(const std::vector<Part>& values) {
    std::vector<T> result;
    for (std::size_t i = 0; i < values.size(); i += 2) result.push_back(T{values[i], values[i + 1]});
    return result;
}

static std::vector<Number> numbers_of(const std::vector<double>& values) {
    std::vector<Number> result;
    for (std::size_t i = 0; i < values.size(); i += 2) result.emplace_back(values[i], values[i + 1]);
    return result;
}

static std::vector<Number> tables(const std::vector<Number>& in, int rows, int columns, int batch, int sign) {
    std::vector<Number> out;
    const int size = rows * columns;
    for (int at = 0; at < batch; ++at) {
        const auto one = transform({in.begin() + at * size, in.begin() + (at + 1) * size}, rows, columns, sign);
        out.insert(out.end(), one.begin(), one.end());
    }
    return out;
}

static cufftHandle plan(int rows, int columns, int batch, cufftType type) {
    cufftHandle handle;
    if (batch > 1) {
        int sizes[2] = {rows, columns};
        const int from = rows > 1 ? 0 : 1;
        FFT(cufftPlanMany(&handle, 2 - from, sizes + from, nullptr, 1, 0, nullptr, 1, 0, type, batch));
    } else if (rows > 1) {
        FFT(cufftPlan2d(&handle, rows, columns, type));
    } else {
        FFT(cufftPlan1d(&handle, columns, type, 1));
    }
    return handle;
}

static void run(cufftHandle plan, cufftComplex* in, cufftComplex* out, int way) { FFT(cufftExecC2C(plan, in, out, way)); }
static void run(cufftHandle plan, cufftDoubleComplex* in, cufftDoubleComplex* out, int way) {
    FFT(cufftExecZ2Z(plan, in, out, way));
}
static void run(cufftHandle plan, cufftReal* in, cufftComplex* out) { FFT(cufftExecR2C(plan, in, out)); }
static void run(cufftHandle plan, cufftDoubleReal* in, cufftDoubleComplex* out) { FFT(cufftExecD2Z(plan, in, out)); }
static void run(cufftHandle plan, cufftComplex* in, cufftReal* out) { FFT(cufftExecC2R(plan, in, out)); }
static void run(cufftHandle plan, cufftDoubleComplex* in, cufftDoubleReal* out) { FFT(cufftExecZ2D(plan, in, out)); }

// Rounding grows with the values, of which there are as many as the sum has parts.
template <typename Part> double tolerance(int size) { return (sizeof(Part) == 4 ? 2e-6 : 1e-14) * size; }

// There and back, in place; the way back multiplies by the number of values.
template <typename T, typename Part>
void complex_numbers(check::Results& results, const char* name, int rows, int columns, int batch, cufftType type) {
    const int size = rows * columns, count = size * batch;
    const auto in = numbers<Part>(2 * count, columns);
    T* data = to_device(paired<T>(in));
    const cufftHandle handle = plan(rows, columns, batch, type);
    run(handle, data, data, CUFFT_FORWARD);
    const std::vector<double> plain(in.begin(), in.end());
    const auto right = tables(numbers_of(plain), rows, columns, batch, -1);
    results.near(name, parts(to_host(data, count)), parts(right), tolerance<Part>(size));
    run(handle, data, data, CUFFT_INVERSE);
    auto back = parts(to_host(data, count));
    for (double& value : back) value /= size;
    results.near(name, back, plain, tolerance<Part>(size));
    FFT(cufftDestroy(handle));
    CUDA(cudaFree(data));
    std::printf("%s %dx%d, %d: %s\n", name, rows, columns, batch, "there and back");
}

// Real numbers to half of the complex ones, and back.
template <typename Real, typename T>
void real_numbers(check::Results& results, const char* name, int rows, int columns, int batch, cufftType there, cufftType back) {
    const int size = rows * columns, half = columns / 2 + 1;
    const auto in = numbers<Real>(size * batch, columns);
    Real* real = to_device(in);
    T* complex = to_device(std::vector<T>(rows * half * batch));
    const cufftHandle forward = plan(rows, columns, batch, there), inverse = plan(rows, columns, batch, back);
    run(forward, real, complex);
    const auto whole = tables({in.begin(), in.end()}, rows, columns, batch, -1);
    std::vector<Number> right;
    for (int row = 0; row < rows * batch; ++row)
        right.insert(right.end(), whole.begin() + row * columns, whole.begin() + row * columns + half);
    results.near(name, parts(to_host(complex, rows * half * batch)), parts(right), tolerance<Real>(size));
    run(inverse, complex, real);
    std::vector<double> again;
    for (Real value : to_host(real, size * batch)) again.push_back(static_cast<double>(value) / size);
    results.near(name, again, {in.begin(), in.end()}, tolerance<Real>(size));
    FFT(cufftDestroy(forward));
    FFT(cufftDestroy(inverse));
    CUDA(cudaFree(real));
    CUDA(cudaFree(complex));
    std::printf("%s %dx%d, %d: %s\n", name, rows, columns, batch, "there and back");
}

int main() {
    check::Results results;
    complex_numbers<cufftComplex, float>(results, "c2c", 1, 64, 1, CUFFT_C2C);
    complex_numbers<cufftComplex, float>(results, "c2c", 1, 60, 5, CUFFT_C2C);
    complex_numbers<cufftDoubleComplex, double>(results, "z2z", 16, 12, 1, CUFFT_Z2Z);
    complex_numbers<cufftDoubleComplex, double>(results, "z2z", 1, 17, 2, CUFFT_Z2Z);
    real_numbers<cufftReal, cufftComplex>(results, "r2c", 1, 128, 3, CUFFT_R2C, CUFFT_C2R);
    real_numbers<cufftDoubleReal, cufftDoubleComplex>(results, "d2z", 8, 20, 1, CUFFT_D2Z, CUFFT_Z2D);
    return results.verdict();
}
