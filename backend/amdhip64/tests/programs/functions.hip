// Functions beside the well-trodden paths: described copies, hints, copies of graphs, names. Prints PASS, or what is wrong.
#include <hip/hip_ext.h>
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

extern "C" __global__ void add(int *values, int more) { values[blockIdx.x * blockDim.x + threadIdx.x] += more; }

__device__ int variable[4];

static void described_copies() {
    std::vector<char> host(64), back(64);
    for (int i = 0; i < 64; ++i) host[i] = char(i);
    char *device;
    OK(hipMalloc(&device, 256));
    OK(hipMemset(device, 0, 256));
    hip_Memcpy2D plane = {};
    plane.srcMemoryType = hipMemoryTypeHost, plane.srcHost = host.data(), plane.srcPitch = 16;
    plane.srcXInBytes = 4, plane.srcY = 1;
    plane.dstMemoryType = hipMemoryTypeDevice, plane.dstDevice = (hipDeviceptr_t)device, plane.dstPitch = 32;
    plane.WidthInBytes = 8, plane.Height = 2;
    OK(hipMemcpyParam2D(&plane));
    OK(hipMemcpy(back.data(), device, 64, hipMemcpyDeviceToHost));
    CHECK(back[0] == 20 && back[7] == 27 && back[8] == 0 && back[32] == 36 && back[39] == 43 && back[40] == 0);
    plane.dstMemoryType = hipMemoryTypeUnified, plane.dstY = 1;
    OK(hipMemcpyParam2DAsync(&plane, nullptr));
    OK(hipDrvMemcpy2DUnaligned(&plane));
    OK(hipMemcpy(back.data(), device, 64, hipMemcpyDeviceToHost));
    CHECK(back[32] == 20);
    // From the second of two slices of 2 rows of 8 bytes.
    HIP_MEMCPY3D volume = {};
    volume.srcMemoryType = hipMemoryTypeHost, volume.srcHost = host.data(), volume.srcPitch = 8, volume.srcHeight = 2;
    volume.srcZ = 1;
    volume.dstMemoryType = hipMemoryTypeDevice, volume.dstDevice = (hipDeviceptr_t)device, volume.dstPitch = 16;
    volume.dstHeight = 4;
    volume.WidthInBytes = 8, volume.Height = 2, volume.Depth = 2;
    OK(hipDrvMemcpy3D(&volume));
    OK(hipDrvMemcpy3DAsync(&volume, nullptr));
    OK(hipMemcpy(back.data(), device + 64, 32, hipMemcpyDeviceToHost));
    CHECK(back[0] == 32 && back[16] == 40 && back[7] == 39);
    OK(hipMemsetD2D16((hipDeviceptr_t)device, 32, 0x0102, 3, 2));
    OK(hipMemsetD2D32Async((hipDeviceptr_t)(device + 8), 32, 0x05060708, 1, 2, nullptr));
    OK(hipMemsetD2D8((hipDeviceptr_t)(device + 12), 32, 9, 2, 1));
    OK(hipMemcpy(back.data(), device, 64, hipMemcpyDeviceToHost));
    CHECK(back[0] == 2 && back[1] == 1 && back[5] == 1 && back[32] == 2 && back[8] == 8 && back[40] == 8 && back[13] == 9);
    OK(hipFree(device));
}

static void hints() {
    char *managed;
    OK(hipMallocManaged(&managed, 512));
    int answer = 7;
    OK(hipMemRangeGetAttribute(&answer, 4, hipMemRangeAttributeReadMostly, managed, 512));
    CHECK(answer == 0);
    OK(hipMemAdvise(managed, 512, hipMemAdviseSetReadMostly, 0));
    OK(hipMemAdvise(managed, 512, hipMemAdviseSetPreferredLocation, 0));
    OK(hipMemAdvise(managed, 256, hipMemAdviseSetAccessedBy, hipCpuDeviceId));
    OK(hipMemRangeGetAttribute(&answer, 4, hipMemRangeAttributeReadMostly, managed, 512));
    CHECK(answer == 1);
    int devices[2] = {5, 5};
    OK(hipMemRangeGetAttribute(devices, 8, hipMemRangeAttributeAccessedBy, managed, 256));
    CHECK(devices[0] == hipCpuDeviceId && devices[1] == hipInvalidDeviceId);
    // A part is not the whole.
    OK(hipMemRangeGetAttribute(&answer, 4, hipMemRangeAttributeAccessedBy, managed, 512));
    CHECK(answer == hipInvalidDeviceId);
    OK(hipMemPrefetchAsync(managed, 512, 0, nullptr));
    int place = 7;
    void *places[] = {&answer, &place};
    size_t sizes[] = {4, 4};
    hipMemRangeAttribute which[] = {hipMemRangeAttributePreferredLocation, hipMemRangeAttributeLastPrefetchLocation};
    OK(hipMemRangeGetAttributes(places, sizes, which, 2, managed, 512));
    CHECK(answer == 0 && place == 0);
    OK(hipFree(managed));
}

// A function of the program's own that has a name of HIP's.
extern "C" __attribute__((visibility("default"))) void hipNothing() {}

static void launches_and_names() {
    int *values, host[128];
    OK(hipMalloc(&values, 512));
    OK(hipMemset(values, 0, 512));
    hipFunction_t function;
    OK(hipGetFuncBySymbol(&function, (const void *)add));
    CHECK(!std::strcmp(hipKernelNameRef(function), "add"));
    CHECK(!std::strcmp(hipKernelNameRefByPtr((const void *)add, nullptr), "add"));
    int more = 5;
    void *list[] = {&values, &more};
    hipEvent_t start, stop;
    OK(hipEventCreate(&start));
    OK(hipEventCreate(&stop));
    OK(hipExtModuleLaunchKernel(function, 128, 1, 1, 64, 1, 1, 0, nullptr, list, nullptr, start, stop));
    float milliseconds = -1;
    OK(hipEventSynchronize(stop));
    OK(hipEventElapsedTime(&milliseconds, start, stop));
    CHECK(milliseconds >= 0);
    HIP_LAUNCH_CONFIG config = {};
    config.gridDimX = 2, config.gridDimY = config.gridDimZ = 1;
    config.blockDimX = 64, config.blockDimY = config.blockDimZ = 1;
    OK(hipDrvLaunchKernelEx(&config, function, list, nullptr));
    OK(hipMemcpy(host, values, 512, hipMemcpyDeviceToHost));
    CHECK(host[0] == 10 && host[127] == 10);
    void *found = nullptr;
    hipDriverProcAddressQueryResult result;
    OK(hipGetProcAddress("hipMalloc", &found, 702, 0, &result));
    CHECK(found != nullptr && result == HIP_GET_PROC_ADDRESS_SUCCESS);
    void *memory = nullptr;
    OK(((hipError_t(*)(void **, size_t))found)(&memory, 16));
    OK(hipFree(memory));
    CHECK(hipGetProcAddress("hipNothing", &found, 702, 0, &result) == hipErrorInvalidValue);
    CHECK(found == nullptr && result == HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    unsigned long long first = 0, second = 0;
    hipStream_t stream;
    OK(hipStreamCreate(&stream));
    OK(hipStreamGetId(nullptr, &first));
    OK(hipStreamGetId(stream, &second));
    CHECK(first != second);
    OK(hipStreamDestroy(stream));
    OK(hipFree(values));
}

static void copies_of_graphs() {
    int *values, host[4] = {1, 2, 3, 4}, back[4] = {};
    OK(hipMalloc(&values, 16));
    hipGraph_t graph, child, copy, inner;
    hipGraphNode_t to, from, within, found;
    OK(hipGraphCreate(&graph, 0));
    OK(hipGraphCreate(&child, 0));
    OK(hipGraphAddMemcpyNodeToSymbol(&to, graph, nullptr, 0, variable, host, 16, 0, hipMemcpyHostToDevice));
    OK(hipGraphAddMemcpyNodeFromSymbol(&from, child, nullptr, 0, values, variable, 8, 4, hipMemcpyDeviceToDevice));
    OK(hipGraphAddChildGraphNode(&within, graph, &to, 1, child));
    // The node has a copy, so that the child may go.
    OK(hipGraphDestroy(child));
    OK(hipGraphChildGraphNodeGetGraph(within, &inner));
    CHECK(inner != child);
    size_t count = 0;
    OK(hipGraphGetNodes(inner, nullptr, &count));
    CHECK(count == 1);
    OK(hipGraphClone(&copy, graph));
    OK(hipGraphNodeFindInClone(&found, to, copy));
    CHECK(found != to);
    CHECK(hipGraphNodeFindInClone(&found, to, graph) == hipErrorInvalidValue);
    OK(hipGraphDestroy(graph));
    OK(hipGraphGetEdges(copy, nullptr, nullptr, &count));
    CHECK(count == 1);
    hipGraphNode_t starts[2], ends[2], dependents[2];
    count = 2;
    OK(hipGraphGetEdges(copy, starts, ends, &count));
    CHECK(count == 1 && starts[0] == found);
    count = 2;
    OK(hipGraphNodeGetDependentNodes(found, dependents, &count));
    CHECK(count == 1 && dependents[0] == ends[0]);
    hipGraphExec_t plan;
    OK(hipGraphInstantiate(&plan, copy, nullptr, nullptr, 0));
    OK(hipGraphLaunch(plan, nullptr));
    OK(hipMemcpy(back, values, 8, hipMemcpyDeviceToHost));
    CHECK(back[0] == 2 && back[1] == 3);
    OK(hipGraphExecMemcpyNodeSetParamsToSymbol(plan, found, variable, host + 2, 8, 0, hipMemcpyHostToDevice));
    OK(hipGraphLaunch(plan, nullptr));
    OK(hipMemcpy(back, values, 8, hipMemcpyDeviceToHost));
    CHECK(back[0] == 4 && back[1] == 3);
    OK(hipGraphExecDestroy(plan));
    OK(hipGraphDestroy(copy));
    OK(hipFree(values));
}

static void nodes_tell_their_work() {
    int *values;
    OK(hipMalloc(&values, 16));
    hipGraph_t graph;
    OK(hipGraphCreate(&graph, 0));
    hipEvent_t first, second, event;
    OK(hipEventCreate(&first));
    OK(hipEventCreate(&second));
    hipGraphNode_t record, wait, fill, host;
    OK(hipGraphAddEventRecordNode(&record, graph, nullptr, 0, first));
    OK(hipGraphAddEventWaitNode(&wait, graph, nullptr, 0, first));
    OK(hipGraphEventRecordNodeGetEvent(record, &event));
    CHECK(event == first);
    OK(hipGraphEventRecordNodeSetEvent(record, second));
    OK(hipGraphEventRecordNodeGetEvent(record, &event));
    CHECK(event == second);
    OK(hipGraphEventWaitNodeSetEvent(wait, second));
    OK(hipGraphEventWaitNodeGetEvent(wait, &event));
    CHECK(event == second);
    CHECK(hipGraphEventWaitNodeGetEvent(record, &event) == hipErrorInvalidValue);
    hipGraphNodeType type;
    OK(hipGraphNodeGetType(wait, &type));
    CHECK(type == hipGraphNodeTypeWaitEvent);
    hipMemsetParams parameters = {}, seen = {};
    parameters.dst = values, parameters.elementSize = 4, parameters.width = 4, parameters.height = 1;
    parameters.pitch = 16, parameters.value = 9;
    OK(hipGraphAddMemsetNode(&fill, graph, nullptr, 0, &parameters));
    OK(hipGraphMemsetNodeGetParams(fill, &seen));
    CHECK(seen.dst == values && seen.elementSize == 4 && seen.width == 4 && seen.value == 9);
    hipHostNodeParams call = {[](void *) {}, values}, told = {};
    OK(hipGraphAddHostNode(&host, graph, nullptr, 0, &call));
    OK(hipGraphHostNodeGetParams(host, &told));
    CHECK(told.fn == call.fn && told.userData == values);
    uint64_t used = 7;
    OK(hipDeviceGetGraphMemAttribute(0, hipGraphMemAttrUsedMemHigh, &used));
    CHECK(used == 0);
    OK(hipDeviceSetGraphMemAttribute(0, hipGraphMemAttrUsedMemHigh, &used));
    OK(hipDeviceGraphMemTrim(0));
    OK(hipGraphDestroy(graph));
    OK(hipFree(values));
}

// The arguments of a kernel belong to its node: another kernel of a plan takes them over.
static void a_node_tells_its_kernel() {
    int *values, more = 5, after[4];
    OK(hipMalloc(&values, sizeof after));
    OK(hipMemset(values, 0, sizeof after));
    hipGraph_t graph;
    OK(hipGraphCreate(&graph, 0));
    void *arguments[] = {&values, &more};
    hipKernelNodeParams kernel = {}, told = {};
    kernel.func = reinterpret_cast<void *>(add), kernel.gridDim = dim3(2), kernel.blockDim = dim3(2);
    kernel.kernelParams = arguments;
    hipGraphNode_t node, event_node;
    OK(hipGraphAddKernelNode(&node, graph, nullptr, 0, &kernel));
    more = 100;
    OK(hipGraphKernelNodeGetParams(node, &told));
    CHECK(told.func == kernel.func && told.gridDim.x == 2 && told.blockDim.x == 2 && told.extra == nullptr);
    CHECK(*static_cast<int **>(told.kernelParams[0]) == values && *static_cast<int *>(told.kernelParams[1]) == 5);
    hipGraphExec_t plan;
    OK(hipGraphInstantiate(&plan, graph, nullptr, nullptr, 0));
    int twice = 2 * *static_cast<int *>(told.kernelParams[1]);
    void *others[] = {told.kernelParams[0], &twice};
    told.kernelParams = others;
    OK(hipGraphExecKernelNodeSetParams(plan, node, &told));
    OK(hipGraphLaunch(plan, nullptr));
    OK(hipMemcpy(after, values, sizeof after, hipMemcpyDeviceToHost));
    CHECK(after[0] == 10 && after[3] == 10);
    OK(hipGraphAddEmptyNode(&event_node, graph, nullptr, 0));
    CHECK(hipGraphKernelNodeGetParams(event_node, &told) == hipErrorInvalidValue);
    OK(hipGraphExecDestroy(plan));
    OK(hipGraphDestroy(graph));
    OK(hipFree(values));
}

int main() {
    a_node_tells_its_kernel();
    described_copies();
    hints();
    launches_and_names();
    copies_of_graphs();
    nodes_tell_their_work();
    if (failures == 0) std::printf("PASS\n");
    return failures;
}
