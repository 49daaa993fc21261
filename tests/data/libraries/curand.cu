// Random numbers by cuRAND's host API: three generators, each the same for the same seed.
#include <cmath>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>
#include <curand.h>

static bool check(const char *name, curandRngType_t type) {
    const size_t count = 8192;
    float *device;
    std::vector<float> first(count), second(count);
    cudaMalloc(&device, count * sizeof(float));
    for (std::vector<float> *host : {&first, &second}) {
        curandGenerator_t generator;
        if (curandCreateGenerator(&generator, type) != CURAND_STATUS_SUCCESS) return false;
        curandSetPseudoRandomGeneratorSeed(generator, 1234ULL);
        if (curandGenerateUniform(generator, device, count) != CURAND_STATUS_SUCCESS) return false;
        cudaMemcpy(host->data(), device, count * sizeof(float), cudaMemcpyDeviceToHost);
        curandDestroyGenerator(generator);
    }
    cudaFree(device);
    double sum = 0, squares = 0;
    bool inside = true;
    for (float value : first) {
        sum += value;
        squares += double(value) * value;
        inside &= value > 0 && value <= 1;
    }
    const double mean = sum / count, variance = squares / count - mean * mean;
    const bool good = inside && first == second && std::fabs(mean - 0.5) < 0.02 && std::fabs(variance - 1.0 / 12) < 0.01;
    std::printf("%s: %s\n", name, good ? "uniform" : "wrong");
    return good;
}

int main() {
    bool good = check("XORWOW", CURAND_RNG_PSEUDO_XORWOW);
    good &= check("MRG32k3a", CURAND_RNG_PSEUDO_MRG32K3A);
    good &= check("Philox4x32-10", CURAND_RNG_PSEUDO_PHILOX4_32_10);
    std::printf(good ? "PASS\n" : "FAIL\n");
    return good ? 0 : 1;
}
