// A structure that goes from lane to lane word by word, through a pointer to `int`. Clang takes it that such a pointer does not
// point to the `float`, so that the words come back as they were, on waves of either width.
#include <cuda_runtime.h>

#include "check.h"

struct Best {
    float weight;
    int index;
};

template <typename T> __device__ T from_lane_behind(T value, int distance) {
    int* words = reinterpret_cast<int*>(&value);
    for (int i = 0; i < (int)(sizeof(T) / sizeof(int)); ++i) words[i] = __shfl_down_sync(0xffffffff, words[i], distance);
    return value;
}

__global__ void find_best(const float* weights, int* out) {
    Best best{weights[threadIdx.x], (int)threadIdx.x};
    for (int offset = 16; offset > 0; offset /= 2) {
        Best other = from_lane_behind(best, offset);
        if (other.weight > best.weight) best = other;
    }
    if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = best.index;
}

int main() {
    Check check;
    for (int threads : {32, 64, 128}) {
        std::vector<float> weights(threads);
        std::vector<int> seen(threads / 32), right(threads / 32);
        for (int i = 0; i < threads; ++i) {
            weights[i] = (float)(i * 37 % 128);
            if (weights[i] > weights[right[i / 32]] || i % 32 == 0) right[i / 32] = i;
        }
        float* in;
        int* out;
        cudaMalloc((void**)&in, threads * sizeof(float));
        cudaMalloc((void**)&out, seen.size() * sizeof(int));
        cudaMemcpy(in, weights.data(), threads * sizeof(float), cudaMemcpyHostToDevice);
        find_best<<<1, threads>>>(in, out);
        cudaError_t status = cudaMemcpy(seen.data(), out, seen.size() * sizeof(int), cudaMemcpyDeviceToHost);
        check.that("the kernel runs", status == cudaSuccess);
        check.same("index", threads, seen, right);
        cudaFree(in);
        cudaFree(out);
    }
    return check.verdict();
}
