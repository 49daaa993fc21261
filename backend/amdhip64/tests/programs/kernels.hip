// Launches of kernels and what belongs to them. Prints PASS, or what is wrong.
#include <hip/hip_cooperative_groups.h>
#include <hip/hip_runtime.h>

#include <cstdio>
#include <vector>

static int failures = 0;

#define CHECK(condition)                                                   \
    do {                                                                   \
        if (!(condition)) {                                                \
            std::printf("line %d: %s\n", __LINE__, #condition);            \
            ++failures;                                                    \
        }                                                                  \
    } while (0)
#define OK(call) CHECK((call) == hipSuccess)

__constant__ int table[4];
__device__ int counter = 40;
__managed__ int shared_value = 7;

struct Pair {
    char tag;
    double value;
};

__global__ void scale(float *values, int n, Pair pair, float factor) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] = values[i] * factor + float(pair.value) + pair.tag;
}

__global__ void use_symbols(int *out) {
    out[threadIdx.x] = table[threadIdx.x % 4];
    if (threadIdx.x == 0) {
        counter += 2;
        shared_value *= 6;
    }
}

__global__ void sum_blocks(const int *in, int *out) {
    extern __shared__ int part[];
    part[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}

__global__ void sum_grid(int *values, int *total) {
    auto grid = cooperative_groups::this_grid();
    values[grid.thread_rank()] = int(grid.thread_rank());
    grid.sync();
    if (grid.thread_rank() == 0) {
        int sum = 0;
        for (unsigned i = 0; i < grid.size(); ++i) sum += values[i];
        *total = sum;
    }
}

__global__ void speak(int n) {
    if (threadIdx.x < n) printf("thread %d of %s: %.2f\n", int(threadIdx.x), "block", threadIdx.x / 4.0);
}

static void launches() {
    const int n = 1000;
    std::vector<float> host(n);
    for (int i = 0; i < n; ++i) host[i] = float(i);
    float *device;
    OK(hipMalloc(&device, n * sizeof(float)));
    OK(hipMemcpy(device, host.data(), n * sizeof(float), hipMemcpyHostToDevice));
    scale<<<(n + 127) / 128, 128>>>(device, n, Pair{2, 0.5}, 3.0f);
    OK(hipGetLastError());
    hipLaunchKernelGGL(scale, dim3(8), dim3(128), 0, 0, device, 500, Pair{0, 1.0}, 1.0f);
    OK(hipDeviceSynchronize());
    OK(hipMemcpy(host.data(), device, n * sizeof(float), hipMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < n; ++i) wrong += host[i] != i * 3.0f + 2.5f + (i < 500 ? 1.0f : 0.0f);
    CHECK(wrong == 0);
    // More threads than a block can have.
    scale<<<1, 2048>>>(device, n, Pair{0, 0}, 1.0f);
    CHECK(hipGetLastError() == hipErrorInvalidConfiguration);
    OK(hipFree(device));
}

static void symbols() {
    int values[4] = {3, 1, 4, 1}, seen[64], count = 0, *out;
    OK(hipMalloc(&out, sizeof seen));
    OK(hipMemcpyToSymbol(HIP_SYMBOL(table), values, sizeof values));
    CHECK(shared_value == 7);
    use_symbols<<<1, 64>>>(out);
    OK(hipMemcpy(seen, out, sizeof seen, hipMemcpyDeviceToHost));
    CHECK(seen[0] == 3 && seen[62] == 4 && seen[63] == 1);
    OK(hipMemcpyFromSymbol(&count, HIP_SYMBOL(counter), sizeof count));
    CHECK(count == 42);
    CHECK(shared_value == 42);
    size_t bytes = 0;
    OK(hipGetSymbolSize(&bytes, HIP_SYMBOL(table)));
    CHECK(bytes == sizeof values);
    CHECK(hipMemcpyToSymbol(HIP_SYMBOL(table), values, 20) == hipErrorInvalidValue);
    OK(hipFree(out));
}

static void dynamic_lds_and_occupancy() {
    const int blocks = 5, threads = 96;
    std::vector<int> in(blocks * 128), out(blocks);
    for (size_t i = 0; i < in.size(); ++i) in[i] = int(i);
    int *device_in, *device_out;
    OK(hipMalloc(&device_in, in.size() * sizeof(int)));
    OK(hipMalloc(&device_out, out.size() * sizeof(int)));
    OK(hipMemcpy(device_in, in.data(), in.size() * sizeof(int), hipMemcpyHostToDevice));
    sum_blocks<<<blocks, 128, 128 * sizeof(int)>>>(device_in, device_out);
    OK(hipMemcpy(out.data(), device_out, out.size() * sizeof(int), hipMemcpyDeviceToHost));
    for (int block = 0; block < blocks; ++block) CHECK(out[block] == 128 * 128 * block + 127 * 64);
    int active = 0, grid = 0, block = 0;
    OK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&active, sum_blocks, threads, 0));
    CHECK(active > 0);
    OK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&active, sum_blocks, threads, 64 * 1024));
    CHECK(active == 1);
    OK(hipOccupancyMaxPotentialBlockSize(&grid, &block, sum_blocks, 0, 0));
    CHECK(grid > 0 && block >= 64 && block <= 1024);
    hipFuncAttributes attributes;
    OK(hipFuncGetAttributes(&attributes, reinterpret_cast<const void *>(sum_blocks)));
    CHECK(attributes.maxThreadsPerBlock == 1024 && attributes.numRegs > 0);
    OK(hipFree(device_in));
    OK(hipFree(device_out));
}

static void cooperative_launch() {
    const int blocks = 3, threads = 128;
    int *values, *total, sum = 0;
    OK(hipMalloc(&values, blocks * threads * sizeof(int)));
    OK(hipMalloc(&total, sizeof(int)));
    void *arguments[] = {&values, &total};
    OK(hipLaunchCooperativeKernel(sum_grid, dim3(blocks), dim3(threads), arguments, 0, 0));
    OK(hipMemcpy(&sum, total, sizeof sum, hipMemcpyDeviceToHost));
    CHECK(sum == blocks * threads * (blocks * threads - 1) / 2);
    OK(hipFree(values));
    OK(hipFree(total));
}

static void captured_kernel() {
    float *device, host[4] = {1, 2, 3, 4};
    OK(hipMalloc(&device, sizeof host));
    OK(hipMemcpy(device, host, sizeof host, hipMemcpyHostToDevice));
    hipStream_t stream;
    OK(hipStreamCreate(&stream));
    OK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
    scale<<<1, 64, 0, stream>>>(device, 4, Pair{1, 0}, 2.0f);
    hipGraph_t graph;
    OK(hipStreamEndCapture(stream, &graph));
    hipGraphExec_t plan;
    OK(hipGraphInstantiate(&plan, graph, nullptr, nullptr, 0));
    OK(hipGraphLaunch(plan, stream));
    OK(hipGraphLaunch(plan, stream));
    OK(hipMemcpy(host, device, sizeof host, hipMemcpyDeviceToHost));
    CHECK(host[0] == 7 && host[3] == 19);
    OK(hipFree(device));
}

int main() {
    launches();
    symbols();
    dynamic_lds_and_occupancy();
    cooperative_launch();
    captured_kernel();
    std::printf("before\n");
    speak<<<1, 64>>>(2);
    OK(hipDeviceSynchronize());
    std::puts(failures == 0 ? "PASS" : "FAIL");
    return failures != 0;
}
