// Arguments that make no sense, and the error that HIP's documents name for each. Prints PASS, or what is wrong.
#include <hip/hip_ext.h>
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstring>

static int failures = 0;

#define CHECK(condition)                                                   \
    do {                                                                   \
        if (!(condition)) {                                                \
            std::printf("line %d: %s\n", __LINE__, #condition);            \
            ++failures;                                                    \
        }                                                                  \
    } while (0)
#define OK(call) CHECK((call) == hipSuccess)
#define FAILS(call, error) CHECK((call) == (error))

__global__ void nothing(int *) {}
__global__ void __launch_bounds__(64) bounded(int *) {}

static hipError_t launched() { return hipGetLastError(); }

static void launches() {
    nothing<<<0, 64>>>(nullptr);
    FAILS(launched(), hipErrorInvalidValue);
    nothing<<<1, 0>>>(nullptr);
    FAILS(launched(), hipErrorInvalidValue);
    nothing<<<1, 2048>>>(nullptr);
    FAILS(launched(), hipErrorInvalidConfiguration);
    nothing<<<1, 64, 1 << 20>>>(nullptr);
    FAILS(launched(), hipErrorInvalidValue);
    bounded<<<1, 128>>>(nullptr);
    FAILS(launched(), hipErrorLaunchFailure);
    nothing<<<dim3(1u << 31, 1, 1), 64>>>(nullptr);
    FAILS(launched(), hipErrorInvalidConfiguration);
    nothing<<<dim3(1, 1u << 30, 1), dim3(1, 4, 1)>>>(nullptr);
    FAILS(launched(), hipErrorInvalidConfiguration);
    // Nothing ran, so nothing lasts.
    OK(hipDeviceSynchronize());
    hipFunction_t function;
    OK(hipGetFuncBySymbol(&function, (const void *)nothing));
    int *none = nullptr;
    void *list[] = {&none}, *extra[] = {HIP_LAUNCH_PARAM_END};
    FAILS(hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, nullptr, list, extra), hipErrorInvalidValue);
    FAILS(hipExtModuleLaunchKernel(function, 100, 1, 1, 64, 1, 1, 0, nullptr, list, nullptr), hipErrorInvalidValue);
    FAILS(hipExtModuleLaunchKernel(function, 128, 1, 1, 0, 1, 1, 0, nullptr, list, nullptr), hipErrorInvalidValue);
}

static void occupancy() {
    int count = 0;
    const void *symbol = (const void *)nothing;
    OK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&count, symbol, 64, 0));
    CHECK(count > 0);
    FAILS(hipOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, symbol, 64, 0), hipErrorInvalidValue);
    FAILS(hipOccupancyMaxActiveBlocksPerMultiprocessor(&count, symbol, 0, 0), hipErrorInvalidValue);
    FAILS(hipOccupancyMaxActiveBlocksPerMultiprocessor(&count, symbol, -1, 0), hipErrorInvalidValue);
    FAILS(hipOccupancyMaxActiveBlocksPerMultiprocessor(&count, (const void *)nullptr, 64, 0), hipErrorInvalidDeviceFunction);
    FAILS(hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&count, symbol, 64, 0, 8), hipErrorInvalidValue);
    size_t bytes = 0;
    OK(hipOccupancyAvailableDynamicSMemPerBlock(&bytes, symbol, 2, 64));
    CHECK(bytes == 32768);
    FAILS(hipOccupancyAvailableDynamicSMemPerBlock(&bytes, symbol, 0, 64), hipErrorInvalidValue);
    FAILS(hipOccupancyAvailableDynamicSMemPerBlock(nullptr, symbol, 2, 64), hipErrorInvalidValue);
}

static void streams_and_events() {
    hipEvent_t event;
    const unsigned both = hipEventReleaseToDevice | hipEventReleaseToSystem;
    FAILS(hipEventCreateWithFlags(&event, both), hipErrorInvalidValue);
    FAILS(hipEventCreateWithFlags(&event, hipEventInterprocess), hipErrorInvalidValue);
    FAILS(hipEventCreateWithFlags(&event, 0x100), hipErrorInvalidValue);
    FAILS(hipEventCreateWithFlags(nullptr, 0), hipErrorInvalidValue);
    OK(hipEventCreateWithFlags(&event, hipEventInterprocess | hipEventDisableTiming));
    FAILS(hipEventRecordWithFlags(event, nullptr, 6), hipErrorInvalidValue);
    FAILS(hipStreamWaitEvent(nullptr, event, 6), hipErrorInvalidValue);
    OK(hipEventDestroy(event));
    FAILS(hipEventDestroy(event), hipErrorInvalidHandle);
    FAILS(hipEventQuery(nullptr), hipErrorInvalidHandle);
    FAILS(hipStreamAddCallback(nullptr, [](hipStream_t, hipError_t, void *) {}, nullptr, 1), hipErrorInvalidValue);
    FAILS(hipStreamAddCallback(nullptr, nullptr, nullptr, 0), hipErrorInvalidValue);
    FAILS(hipSetDeviceFlags(0x80), hipErrorInvalidValue);
    FAILS(hipSetDeviceFlags(hipDeviceScheduleSpin | hipDeviceScheduleYield), hipErrorInvalidValue);
    OK(hipSetDeviceFlags(hipDeviceScheduleSpin | hipDeviceMapHost));
    FAILS(hipDeviceEnablePeerAccess(0, 1), hipErrorInvalidValue);
}

static void memory() {
    char *device, *managed, host[256];
    OK(hipMalloc(&device, 256));
    OK(hipMallocManaged(&managed, 256));
    FAILS(hipMemcpyPeer(device, 0, device, 7, 16), hipErrorInvalidDevice);
    FAILS(hipMemcpyPeerAsync(device, 7, device, 0, 16, nullptr), hipErrorInvalidDevice);
    FAILS(hipMemAdvise(managed, 256, (hipMemoryAdvise)50, 0), hipErrorInvalidValue);
    FAILS(hipMemAdvise(managed, 0, hipMemAdviseSetReadMostly, 0), hipErrorInvalidValue);
    FAILS(hipMemAdvise(managed, 256, hipMemAdviseSetPreferredLocation, 7), hipErrorInvalidDevice);
    FAILS(hipMemPrefetchAsync(managed, 256, 7, nullptr), hipErrorInvalidDevice);
    FAILS(hipMemPrefetchAsync(managed, 257, 0, nullptr), hipErrorInvalidValue);
    int answer = 0;
    FAILS(hipMemRangeGetAttribute(&answer, 3, hipMemRangeAttributeReadMostly, managed, 256), hipErrorInvalidValue);
    FAILS(hipMemRangeGetAttribute(&answer, 4, hipMemRangeAttributeReadMostly, device, 256), hipErrorInvalidValue);
    FAILS(hipMemRangeGetAttribute(nullptr, 4, hipMemRangeAttributeReadMostly, managed, 256), hipErrorInvalidValue);
    hip_Memcpy2D copy = {};
    FAILS(hipMemcpyParam2D(nullptr), hipErrorInvalidValue);
    copy.srcMemoryType = hipMemoryTypeHost, copy.srcHost = host, copy.srcPitch = 8;
    copy.dstMemoryType = hipMemoryTypeDevice, copy.dstDevice = (hipDeviceptr_t)device, copy.dstPitch = 32;
    copy.WidthInBytes = 16, copy.Height = 2;
    FAILS(hipMemcpyParam2D(&copy), hipErrorInvalidPitchValue);
    copy.srcPitch = 16, copy.Height = 9;
    FAILS(hipMemcpyParam2D(&copy), hipErrorInvalidValue);
    uint64_t used = 0;
    FAILS(hipDeviceGetGraphMemAttribute(7, hipGraphMemAttrUsedMemHigh, &used), hipErrorInvalidDevice);
    FAILS(hipDeviceGetGraphMemAttribute(0, (hipGraphMemAttributeType)9, &used), hipErrorInvalidValue);
    FAILS(hipDeviceGetGraphMemAttribute(0, hipGraphMemAttrUsedMemHigh, nullptr), hipErrorInvalidValue);
    OK(hipFree(device));
    OK(hipFree(managed));
}

static void graphs() {
    char *device, host[300];
    OK(hipMalloc(&device, 256));
    hipGraph_t graph, copy;
    hipGraphNode_t node;
    OK(hipGraphCreate(&graph, 0));
    // A copy and a fill that would leave their allocation are refused when they are put in, not when they run.
    FAILS(hipGraphAddMemcpyNode1D(&node, graph, nullptr, 0, device, host, 257, hipMemcpyHostToDevice), hipErrorInvalidValue);
    OK(hipGraphAddMemcpyNode1D(&node, graph, nullptr, 0, device, host, 256, hipMemcpyHostToDevice));
    FAILS(hipGraphMemcpyNodeSetParams1D(node, device + 1, host, 256, hipMemcpyHostToDevice), hipErrorInvalidValue);
    hipGraphExec_t plan;
    OK(hipGraphInstantiate(&plan, graph, nullptr, nullptr, 0));
    FAILS(hipGraphExecMemcpyNodeSetParams1D(plan, node, device + 1, host, 256, hipMemcpyHostToDevice), hipErrorInvalidValue);
    hipMemsetParams fill = {};
    fill.dst = device, fill.elementSize = 4, fill.width = 65, fill.height = 1, fill.pitch = 260;
    FAILS(hipGraphAddMemsetNode(&node, graph, nullptr, 0, &fill), hipErrorInvalidValue);
    FAILS(hipGraphClone(nullptr, graph), hipErrorInvalidValue);
    FAILS(hipGraphClone(&copy, nullptr), hipErrorInvalidValue);
    OK(hipGraphExecDestroy(plan));
    FAILS(hipGraphExecDestroy(plan), hipErrorInvalidValue);
    FAILS(hipGraphLaunch(plan, nullptr), hipErrorInvalidValue);
    OK(hipGraphDestroy(graph));
    FAILS(hipGraphDestroy(graph), hipErrorInvalidValue);
    hipGraphNodeType type;
    FAILS(hipGraphNodeGetType(node, &type), hipErrorInvalidValue);
    OK(hipFree(device));
}

static void texts() {
    CHECK(!std::strcmp(hipGetErrorString(hipErrorInvalidValue), "invalid argument"));
    CHECK(!std::strcmp(hipGetErrorString(hipErrorIllegalAddress), "an illegal memory access was encountered"));
    CHECK(!std::strcmp(hipGetErrorString((hipError_t)31337), "unknown error"));
    CHECK(!std::strcmp(hipGetErrorName((hipError_t)31337), "hipErrorUnknown"));
    const char *text = nullptr;
    FAILS(hipDrvGetErrorString((hipError_t)31337, &text), hipErrorInvalidValue);
}

int main() {
    launches();
    occupancy();
    streams_and_events();
    memory();
    graphs();
    texts();
    if (failures == 0) std::printf("PASS\n");
    return failures;
}
