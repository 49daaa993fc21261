// What `nvcc --use_fast_math` leaves as it is: NaN, infinity and the order of sums. What it changes: denormals count as zero.
#include <cmath>
#include <cstdio>
#include <cuda_runtime.h>

struct Found {
    int nan, infinite, below, unequal, zero;
    float least, greatest, compensated;
};

__global__ void look(const float* values, int count, Found* found, float infinity) {
    Found here = {0, 0, 0, 0, 0, infinity, -infinity, 0.0f};
    float lost = 0.0f;
    for (int at = 0; at < count; at++) {
        float value = values[at];
        here.nan += isnan(value);
        here.infinite += isinf(value);
        here.below += value < infinity;
        here.unequal += value != value;
        here.zero += value * 2.0f == 0.0f;
        if (isnan(value) || isinf(value)) continue;
        here.least = fminf(here.least, value);
        here.greatest = value > here.greatest ? value : here.greatest;
        // Kahan's sum is nothing but the order of its operations.
        float more = value - lost;
        float sum = here.compensated + more;
        lost = (sum - here.compensated) - more;
        here.compensated = sum;
    }
    found[threadIdx.x] = here;
}

int main() {
    const float values[] = {1.0e7f, 0.25f, NAN, 0.5f, INFINITY, 0.25f, -INFINITY, 1.0e-40f, 0.125f, 0.125f, -3.0f, 0.75f};
    const int count = sizeof values / sizeof values[0];
    float* device_values;
    Found *device_found, found[2];
    cudaMalloc(&device_values, sizeof values);
    cudaMalloc(&device_found, sizeof found);
    cudaMemcpy(device_values, values, sizeof values, cudaMemcpyHostToDevice);
    look<<<1, 2>>>(device_values, count, device_found, INFINITY);
    cudaMemcpy(found, device_found, sizeof found, cudaMemcpyDeviceToHost);
    for (const Found& one : found) {
        std::printf("%d %d %d %d %d %g %g %.1f\n", one.nan, one.infinite, one.below, one.unequal, one.zero, one.least,
                    one.greatest, one.compensated);
    }
    return 0;
}
