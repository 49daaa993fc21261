// Memory that one function gets under two types: nothing in it says that both lead to the same place.
#include <cstdio>
#include <cstring>

constexpr int kThreads = 32;

__device__ void step(float *value, int *bits, int at) {
    value[at] = 2.0f;
    bits[at] += 1;
    value[at] *= 2.0f;
}

__global__ void from_launch(float *value, int *bits) { step(value, bits, threadIdx.x); }

__global__ void sum(unsigned long long *wide, const unsigned *halves, unsigned *result) {
    wide[threadIdx.x] = 0x100000003ull * (threadIdx.x + 1);
    result[threadIdx.x] = halves[2 * threadIdx.x] + halves[2 * threadIdx.x + 1];
    wide[threadIdx.x] = 0;
    result[threadIdx.x] += halves[2 * threadIdx.x];
}

static unsigned checksum(const void *device) {
    unsigned words[kThreads];
    cudaMemcpy(words, device, sizeof words, cudaMemcpyDeviceToHost);
    unsigned all = 0;
    for (unsigned word : words) all = all * 31 + word;
    return all;
}

int main() {
    void *memory;
    unsigned long long *wide;
    unsigned *result;
    cudaMalloc(&memory, kThreads * sizeof(float));
    cudaMalloc(&wide, kThreads * sizeof *wide);
    cudaMalloc(&result, kThreads * sizeof *result);

    from_launch<<<1, kThreads>>>((float *)memory, (int *)memory);
    printf("launch %08x\n", checksum(memory));

    float *value = static_cast<float *>(memory);
    int *bits = reinterpret_cast<int *>(memory);
    from_launch<<<1, kThreads>>>(value, bits);
    printf("variables %08x\n", checksum(memory));

    sum<<<1, kThreads>>>(wide, (const unsigned *)wide, result);
    printf("halves %08x\n", checksum(result));
}
