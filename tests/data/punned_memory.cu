// One memory that is used as several types, where a thread reads what it wrote as another one.
#include <cstdio>
#include <cstring>

struct Item {
    float weight;
    int index;
    float rest;
    int flags;
};

__global__ void shared_by_turns(const float* in, float* out) {
    extern __shared__ char memory[];
    float* values = (float*)memory;
    int* words = (int*)memory;
    volatile int* watched = reinterpret_cast<volatile int*>(memory);
    unsigned* counts = (unsigned*)&memory[0];
    const int t = threadIdx.x;
    values[t] = in[t];
    out[t * 8] = __int_as_float(words[t]) + 1;
    __syncthreads();
    values[t] = t;
    watched[t] = watched[t] + 1;
    out[t * 8 + 1] = values[t];
    __syncthreads();
    values[t] = 0;
    atomicAdd(&counts[t & 7], 1u);
    __syncthreads();
    out[t * 8 + 2] = __float_as_int(values[t]);
    __syncthreads();
    values[t] = in[t];
    words[t] += 1 << 20;
    out[t * 8 + 3] = values[t];

    __shared__ float tile[32];
    int* bits = (int*)tile;
    tile[t] = 2.0f;
    for (int i = 0; i < 3; i++) bits[t] += i << 20;
    out[t * 8 + 4] = tile[t];
    tile[t] = 4.0f;
    *((int*)tile) = __float_as_int(5.0f);
    out[t * 8 + 5] = tile[t & 1];
    out[t * 8 + 6] = out[t * 8 + 7] = 0;
}

__global__ void global_by_turns(float* data, Item* items, float* out, int n) {
    const int t = threadIdx.x;
    unsigned* words = (unsigned*)data;
    for (int i = 0; i < n; i++) {
        data[t] = data[t] + 1.0f;
        words[t] ^= 0x80000000u;
    }
    out[t * 8] = data[t];
    int* all = (int*)items;
    for (int i = 0; i < 4; i++) all[t * 4 + i] = i + t;
    items[t].index += 1;
    out[t * 8 + 1] = items[t].index;
    items[t].weight = 1.0f;
    out[t * 8 + 2] = __int_as_float(all[t * 4]);
    all[t * 4 + 2] = __float_as_int(3.0f);
    items[t].rest *= 2.0f;
    out[t * 8 + 3] = __int_as_float(all[t * 4 + 2]);
    double sums[4];
    unsigned* halves = (unsigned*)sums;
    for (int i = 0; i < 8; i++) halves[i] = i % 2 ? 0x3ff00000u + (t << 16) : n;
    double sum = 0;
    for (int i = 0; i < 4; i++) sum += sums[i] * (i + 1);
    out[t * 8 + 4] = (float)sum;
    out[t * 8 + 5] = out[t * 8 + 6] = out[t * 8 + 7] = 0;
}

int main() {
    float values[64];
    for (int i = 0; i < 64; i++) values[i] = 0.25f * (i + 3);
    float *in, *out;
    Item* items;
    cudaMalloc(&in, sizeof values);
    cudaMalloc(&out, 32 * 8 * sizeof(float));
    cudaMalloc(&items, 32 * sizeof(Item));
    for (int k = 0; k < 2; k++) {
        cudaMemcpy(in, values, sizeof values, cudaMemcpyHostToDevice);
        cudaMemset(items, 0, 32 * sizeof(Item));
        if (k == 0) shared_by_turns<<<1, 32, 256>>>(in, out);
        if (k == 1) global_by_turns<<<1, 32>>>(in, items, out, 3);
        float found[32 * 8];
        cudaMemcpy(found, out, sizeof found, cudaMemcpyDeviceToHost);
        for (int t = 0; t < 32; t++) {
            printf("%d.%02d:", k, t);
            for (int i = 0; i < 6; i++) printf(" %.9g", found[t * 8 + i]);
            printf("\n");
        }
    }
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
