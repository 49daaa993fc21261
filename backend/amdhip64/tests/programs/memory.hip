// Memory, streams, events and graphs of the runtime, without a kernel. Prints PASS, or what is wrong.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstring>
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

static void linear_memory() {
    std::vector<int> host(1000), back(1000);
    for (int i = 0; i < 1000; ++i) host[i] = i * 3;
    int *device = nullptr;
    OK(hipMalloc(&device, 4000));
    OK(hipMemcpy(device, host.data(), 4000, hipMemcpyHostToDevice));
    OK(hipMemcpy(back.data(), device, 4000, hipMemcpyDeviceToHost));
    CHECK(host == back);
    // A copy that would leave its allocation, a direction that cannot be, and an address nobody knows.
    CHECK(hipMemcpy(device, host.data(), 4004, hipMemcpyHostToDevice) == hipErrorInvalidValue);
    CHECK(hipMemcpy(device, host.data(), 4, (hipMemcpyKind)9) == hipErrorInvalidMemcpyDirection);
    CHECK(hipMemcpy(back.data(), host.data(), 4, hipMemcpyDeviceToHost) == hipErrorInvalidValue);
    CHECK(hipGetLastError() == hipErrorInvalidValue);
    CHECK(hipGetLastError() == hipSuccess);
    OK(hipMemset(device, 0x11, 4000));
    OK(hipMemsetD32((hipDeviceptr_t)(device + 10), 7, 5));
    OK(hipMemcpyDtoH(back.data(), (hipDeviceptr_t)device, 4000));
    CHECK(back[9] == 0x11111111 && back[10] == 7 && back[14] == 7 && back[15] == 0x11111111);
    hipPointerAttribute_t attributes;
    OK(hipPointerGetAttributes(&attributes, device + 5));
    CHECK(attributes.type == hipMemoryTypeDevice && attributes.device == 0);
    OK(hipPointerGetAttributes(&attributes, host.data()));
    CHECK(attributes.type == hipMemoryTypeUnregistered);
    hipDeviceptr_t base = nullptr;
    size_t bytes = 0;
    OK(hipMemGetAddressRange(&base, &bytes, (hipDeviceptr_t)(device + 5)));
    CHECK(base == (hipDeviceptr_t)device && bytes == 4000);
    OK(hipFree(device));
    CHECK(hipFree(device) == hipErrorInvalidValue);
    OK(hipFree(nullptr));
}

static void pitched_memory() {
    char *device = nullptr;
    size_t pitch = 0;
    OK(hipMallocPitch((void **)&device, &pitch, 100, 8));
    CHECK(pitch >= 100 && pitch % 256 == 0);
    std::vector<char> host(100 * 8), back(100 * 8, 0);
    for (size_t i = 0; i < host.size(); ++i) host[i] = char(i % 127);
    OK(hipMemcpy2D(device, pitch, host.data(), 100, 100, 8, hipMemcpyHostToDevice));
    OK(hipMemcpy2D(back.data(), 100, device, pitch, 100, 8, hipMemcpyDeviceToHost));
    CHECK(host == back);
    OK(hipMemset2D(device, pitch, 5, 10, 3));
    OK(hipMemcpy2D(back.data(), 100, device, pitch, 100, 8, hipMemcpyDeviceToHost));
    CHECK(back[209] == 5 && back[210] == host[210] && back[300] == host[300]);
    CHECK(hipMemcpy2D(device, 50, host.data(), 100, 100, 8, hipMemcpyHostToDevice) == hipErrorInvalidPitchValue);
    OK(hipFree(device));
}

static void symbols_of_streams() {
    hipStream_t first, second;
    OK(hipStreamCreate(&first));
    OK(hipStreamCreateWithFlags(&second, hipStreamNonBlocking));
    unsigned flags = 9;
    OK(hipStreamGetFlags(second, &flags));
    CHECK(flags == hipStreamNonBlocking);
    hipEvent_t start, stop;
    OK(hipEventCreate(&start));
    OK(hipEventCreate(&stop));
    float milliseconds = -1;
    CHECK(hipEventElapsedTime(&milliseconds, start, stop) == hipErrorInvalidHandle);
    OK(hipEventRecord(start, first));
    OK(hipEventRecord(stop, first));
    OK(hipEventSynchronize(stop));
    OK(hipEventElapsedTime(&milliseconds, start, stop));
    CHECK(milliseconds >= 0);
    OK(hipStreamWaitEvent(second, stop, 0));
    OK(hipStreamSynchronize(first));
    OK(hipStreamDestroy(first));
    CHECK(hipStreamSynchronize(first) == hipErrorInvalidHandle);
    OK(hipStreamDestroy(second));
    OK(hipEventDestroy(start));
    OK(hipEventDestroy(stop));
}

static void count_up(void *counter) { ++*(int *)counter; }

static void captured_graph() {
    int counter = 0, value = 0;
    int *device = nullptr;
    OK(hipMalloc(&device, sizeof(int)));
    hipStream_t main_stream, side;
    OK(hipStreamCreate(&main_stream));
    OK(hipStreamCreate(&side));
    hipEvent_t fork, join;
    OK(hipEventCreateWithFlags(&fork, hipEventDisableTiming));
    OK(hipEventCreateWithFlags(&join, hipEventDisableTiming));
    OK(hipStreamBeginCapture(main_stream, hipStreamCaptureModeGlobal));
    OK(hipMemsetAsync(device, 0x22, sizeof(int), main_stream));
    OK(hipEventRecord(fork, main_stream));
    OK(hipStreamWaitEvent(side, fork, 0));
    OK(hipLaunchHostFunc(side, count_up, &counter));
    OK(hipEventRecord(join, side));
    OK(hipStreamWaitEvent(main_stream, join, 0));
    OK(hipMemcpyAsync(&value, device, sizeof(int), hipMemcpyDeviceToHost, main_stream));
    CHECK(hipStreamSynchronize(main_stream) == hipErrorStreamCaptureUnsupported);
    CHECK(counter == 0 && value == 0);
    hipGraph_t graph;
    OK(hipStreamEndCapture(main_stream, &graph));
    size_t nodes = 0;
    OK(hipGraphGetNodes(graph, nullptr, &nodes));
    CHECK(nodes == 3);
    hipGraphExec_t plan;
    OK(hipGraphInstantiate(&plan, graph, nullptr, nullptr, 0));
    for (int i = 0; i < 4; ++i) OK(hipGraphLaunch(plan, main_stream));
    OK(hipStreamSynchronize(main_stream));
    CHECK(counter == 4 && value == 0x22222222);
    // Work goes on at once after the capture, also on the stream that took part in it.
    OK(hipLaunchHostFunc(side, count_up, &counter));
    OK(hipStreamSynchronize(side));
    CHECK(counter == 5);
    OK(hipGraphExecDestroy(plan));
    OK(hipGraphDestroy(graph));
    OK(hipFree(device));
}

static void built_graph() {
    int order[3] = {0, 0, 0}, source[2] = {5, 6};
    hipGraph_t graph;
    OK(hipGraphCreate(&graph, 0));
    hipGraphNode_t last, first;
    OK(hipGraphAddMemcpyNode1D(&last, graph, nullptr, 0, &order[1], &order[0], sizeof(int), hipMemcpyHostToHost));
    OK(hipGraphAddMemcpyNode1D(&first, graph, nullptr, 0, &order[0], &source[1], sizeof(int), hipMemcpyHostToHost));
    OK(hipGraphAddDependencies(graph, &first, &last, 1));
    hipGraphExec_t plan;
    OK(hipGraphInstantiate(&plan, graph, nullptr, nullptr, 0));
    OK(hipGraphLaunch(plan, 0));
    OK(hipStreamSynchronize(0));
    CHECK(order[0] == 6 && order[1] == 6);
    OK(hipGraphExecMemcpyNodeSetParams1D(plan, first, &order[0], &source[0], sizeof(int), hipMemcpyHostToHost));
    OK(hipGraphLaunch(plan, 0));
    OK(hipDeviceSynchronize());
    CHECK(order[1] == 5);
    // Nodes that wait for each other cannot be ordered.
    OK(hipGraphAddDependencies(graph, &last, &first, 1));
    CHECK(hipGraphInstantiate(&plan, graph, nullptr, nullptr, 0) == hipErrorInvalidValue);
    OK(hipGraphDestroy(graph));
}

static void host_memory() {
    int *pinned = nullptr, *device = nullptr;
    OK(hipHostMalloc((void **)&pinned, 64, hipHostMallocDefault));
    OK(hipHostGetDevicePointer((void **)&device, pinned, 0));
    CHECK(pinned == device);
    CHECK(hipFree(nullptr) == hipSuccess);
    OK(hipHostFree(pinned));
    static int own[16];
    OK(hipHostRegister(own, sizeof own, hipHostRegisterDefault));
    CHECK(hipHostRegister(own, sizeof own, hipHostRegisterDefault) == hipErrorHostMemoryAlreadyRegistered);
    OK(hipHostUnregister(own));
    CHECK(hipHostUnregister(own) == hipErrorHostMemoryNotRegistered);
}

static void device_questions() {
    int count = 0, device = 5, warp = 0;
    OK(hipGetDeviceCount(&count));
    CHECK(count == 1);
    OK(hipGetDevice(&device));
    CHECK(device == 0);
    CHECK(hipSetDevice(1) == hipErrorInvalidDevice);
    hipDeviceProp_t properties;
    OK(hipGetDeviceProperties(&properties, 0));
    OK(hipDeviceGetAttribute(&warp, hipDeviceAttributeWarpSize, 0));
    CHECK(properties.warpSize == warp && (warp == 64 || warp == 32));
    CHECK(std::strncmp(properties.gcnArchName, "gfx", 3) == 0);
    CHECK(std::strcmp(hipGetErrorString(hipErrorOutOfMemory), "out of memory") == 0);
    CHECK(std::strcmp(hipGetErrorName(hipErrorNotReady), "hipErrorNotReady") == 0);
    void *huge = nullptr;
    CHECK(hipMalloc(&huge, size_t(1) << 50) == hipErrorOutOfMemory);
}

int main() {
    linear_memory();
    pitched_memory();
    symbols_of_streams();
    captured_graph();
    built_graph();
    host_memory();
    device_questions();
    std::puts(failures == 0 ? "PASS" : "FAIL");
    return failures != 0;
}
