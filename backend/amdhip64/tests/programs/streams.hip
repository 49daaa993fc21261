// Streams that work beside the host and beside each other. Prints PASS, or what is wrong.
#include <hip/hip_runtime.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>
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

// Waits until a flag has a value, and answers.
__global__ void answer(volatile int *flag, int wanted, volatile int *reply) {
    while (*flag != wanted) {
    }
    __threadfence_system();
    *reply = wanted;
}

__global__ void add(int *values, int more) { values[blockIdx.x * blockDim.x + threadIdx.x] += more; }

// Not commutative: x becomes 3 x + more.
__global__ void step(int *values, int more) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    values[at] = 3 * values[at] + more;
}

// Plays ball with another kernel: says odd or even numbers, each after the one before it.
__global__ void play(volatile int *ball, int first, int rounds) {
    for (int turn = first; turn < rounds; turn += 2) {
        while (*ball != turn) {
        }
        *ball = turn + 1;
    }
}

struct Stage {
    hipStream_t stream;
    int *flag, *reply;

    explicit Stage(unsigned flags = hipStreamNonBlocking) {
        OK(hipStreamCreateWithFlags(&stream, flags));
        OK(hipHostMalloc(&flag, 2 * sizeof(int), 0));
        reply = flag + 1;
        flag[0] = flag[1] = 0;
    }
    ~Stage() {
        OK(hipStreamDestroy(stream));
        OK(hipHostFree(flag));
    }
    void hold(int wanted = 1) { answer<<<1, 1, 0, stream>>>(flag, wanted, reply); }
    void let_go(int value = 1) { *(volatile int *)flag = value; }
};

static void the_host_goes_on_while_a_kernel_waits_for_it() {
    Stage stage;
    hipEvent_t before, behind;
    OK(hipEventCreate(&before));
    OK(hipEventCreate(&behind));
    OK(hipEventQuery(behind));
    OK(hipEventSynchronize(behind));
    OK(hipEventRecord(before, stage.stream));
    stage.hold();
    OK(hipEventRecord(behind, stage.stream));
    OK(hipEventSynchronize(before));
    float milliseconds = -1;
    for (int i = 0; i < 5; ++i) {
        CHECK(hipStreamQuery(stage.stream) == hipErrorNotReady);
        CHECK(hipEventQuery(behind) == hipErrorNotReady);
        CHECK(hipEventElapsedTime(&milliseconds, before, behind) == hipErrorNotReady);
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    // "Not yet" is no error.
    OK(hipGetLastError());
    CHECK(*(volatile int *)stage.reply == 0);
    stage.let_go();
    OK(hipEventSynchronize(behind));
    CHECK(*(volatile int *)stage.reply == 1);
    OK(hipStreamQuery(stage.stream));
    OK(hipEventElapsedTime(&milliseconds, before, behind));
    CHECK(milliseconds >= 9);
    OK(hipEventDestroy(before));
    OK(hipEventDestroy(behind));
}

static void kernels_wait_for_each_other() {
    hipStream_t streams[2];
    int *ball;
    OK(hipMalloc(&ball, sizeof(int)));
    OK(hipMemset(ball, 0, sizeof(int)));
    for (hipStream_t &stream : streams) OK(hipStreamCreate(&stream));
    for (int i = 0; i < 2; ++i) play<<<1, 1, 0, streams[i]>>>(ball, i, 100);
    int last = 0;
    OK(hipMemcpy(&last, ball, sizeof(int), hipMemcpyDeviceToHost));
    CHECK(last == 100);
    for (hipStream_t stream : streams) OK(hipStreamDestroy(stream));
    OK(hipFree(ball));
}

static void the_default_stream_is_ordered_with_those_that_block() {
    Stage blocking(hipStreamDefault), free(hipStreamNonBlocking);
    int *values, host[64];
    OK(hipMalloc(&values, sizeof host));
    OK(hipMemset(values, 0, sizeof host));
    blocking.hold();
    add<<<1, 64>>>(values, 1);
    step<<<1, 64, 0, blocking.stream>>>(values, 5);
    // The other one waits for none of them.
    add<<<1, 64, 0, free.stream>>>(values, 0);
    OK(hipStreamSynchronize(free.stream));
    CHECK(hipStreamQuery(blocking.stream) == hipErrorNotReady);
    CHECK(hipStreamQuery(nullptr) == hipErrorNotReady);
    blocking.let_go();
    // A copy of the host is one of the default stream.
    OK(hipMemcpy(host, values, sizeof host, hipMemcpyDeviceToHost));
    CHECK(host[0] == 8 && host[63] == 8);
    OK(hipFree(values));
}

static void the_default_stream_of_a_thread_is_its_own() {
    Stage stage;
    answer<<<1, 1, 0, hipStreamPerThread>>>(stage.flag, 1, stage.reply);
    std::thread other([] {
        int *value, host = 0;
        OK(hipMalloc(&value, sizeof(int)));
        OK(hipMemset_spt(value, 1, sizeof(int)));
        add<<<1, 1, 0, hipStreamPerThread>>>(value, 1);
        OK(hipMemcpyAsync_spt(&host, value, sizeof(int), hipMemcpyDeviceToHost, nullptr));
        OK(hipStreamSynchronize(hipStreamPerThread));
        CHECK(host == 0x01010102);
    });
    other.join();
    CHECK(hipStreamQuery(hipStreamPerThread) == hipErrorNotReady);
    CHECK(hipStreamQuery_spt(nullptr) == hipErrorNotReady);
    stage.let_go();
    OK(hipStreamSynchronize(hipStreamPerThread));
}

static void events_order_streams_and_take_the_newest_record() {
    Stage first, second;
    hipEvent_t event;
    OK(hipEventCreate(&event));
    first.hold();
    OK(hipEventRecord(event, first.stream));
    OK(hipStreamWaitEvent(second.stream, event, 0));
    std::atomic<int> seen{0};
    OK(hipLaunchHostFunc(second.stream, [](void *seen) { ++*static_cast<std::atomic<int> *>(seen); }, &seen));
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    CHECK(seen == 0 && hipStreamQuery(second.stream) == hipErrorNotReady);
    // A later record does not change what was waited for.
    Stage third;
    OK(hipEventRecord(event, third.stream));
    OK(hipEventSynchronize(event));
    CHECK(seen == 0);
    first.let_go();
    OK(hipStreamSynchronize(second.stream));
    CHECK(seen == 1);
    OK(hipEventDestroy(event));
}

static std::thread::id caller;
static std::atomic<int> calls{0};

static void callbacks_come_from_another_thread() {
    Stage stage;
    stage.hold();
    OK(hipStreamAddCallback(
        stage.stream,
        [](hipStream_t stream, hipError_t status, void *expected) {
            CHECK(stream == *static_cast<hipStream_t *>(expected) && status == hipSuccess);
            caller = std::this_thread::get_id();
            ++calls;
        },
        &stage.stream, 0));
    CHECK(calls == 0);
    stage.let_go();
    OK(hipStreamSynchronize(stage.stream));
    CHECK(calls == 1 && caller != std::this_thread::get_id());
}

static void streams_wait_for_values() {
    Stage stage;
    OK(hipStreamWaitValue32(stage.stream, stage.flag, 7, hipStreamWaitValueEq, 0xffffffff));
    OK(hipStreamWriteValue32(stage.stream, stage.reply, 9, 0));
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    CHECK(*(volatile int *)stage.reply == 0);
    stage.let_go(7);
    OK(hipStreamSynchronize(stage.stream));
    CHECK(*stage.reply == 9);
    CHECK(hipStreamWaitValue32(stage.stream, stage.flag, 7, 4, 0xffffffff) == hipErrorInvalidValue);
    CHECK(hipStreamWaitValue64(stage.stream, stage.flag + 1, 7, hipStreamWaitValueGte, ~0ull) == hipErrorInvalidValue);
}

static void memory_that_the_gpu_cannot_reach_is_free_when_a_copy_returns() {
    hipStream_t stream;
    OK(hipStreamCreate(&stream));
    int *device, *pinned;
    OK(hipMalloc(&device, 4096 * sizeof(int)));
    OK(hipHostMalloc(&pinned, 4096 * sizeof(int), 0));
    {
        std::vector<int> pageable(4096, 3);
        OK(hipMemcpyAsync(device, pageable.data(), 4096 * sizeof(int), hipMemcpyHostToDevice, stream));
        pageable.assign(4096, 4);
    }
    add<<<64, 64, 0, stream>>>(device, 10);
    OK(hipMemcpyAsync(pinned, device, 4096 * sizeof(int), hipMemcpyDeviceToHost, stream));
    std::vector<int> back(4096);
    OK(hipMemcpyAsync(back.data(), device, 4096 * sizeof(int), hipMemcpyDeviceToHost, stream));
    // The last copy was waited for, and so was what came before it.
    CHECK(back[0] == 13 && back[4095] == 13 && pinned[4095] == 13);
    // What goes on keeps memory that is freed behind it.
    add<<<64, 64, 0, stream>>>(device, 1);
    OK(hipFreeAsync(device, stream));
    OK(hipStreamDestroy(stream));
    OK(hipDeviceSynchronize());
    OK(hipHostFree(pinned));
}

static void a_graph_is_launched_without_waiting() {
    Stage stage;
    int host = 0, *device;
    OK(hipMalloc(&device, sizeof(int)));
    OK(hipMemset(device, 0, sizeof(int)));
    hipGraph_t graph;
    hipGraphExec_t plan;
    OK(hipStreamBeginCapture(stage.stream, hipStreamCaptureModeRelaxed));
    stage.hold();
    add<<<1, 1, 0, stage.stream>>>(device, 5);
    OK(hipMemcpyAsync(&host, device, sizeof(int), hipMemcpyDeviceToHost, stage.stream));
    OK(hipStreamEndCapture(stage.stream, &graph));
    OK(hipGraphInstantiate(&plan, graph, nullptr, nullptr, 0));
    OK(hipGraphLaunch(plan, stage.stream));
    CHECK(hipStreamQuery(stage.stream) == hipErrorNotReady);
    stage.let_go();
    OK(hipStreamSynchronize(stage.stream));
    CHECK(host == 5);
    OK(hipGraphExecDestroy(plan));
    OK(hipGraphDestroy(graph));
    OK(hipFree(device));
}

static unsigned state;

static unsigned draw(unsigned bound) {
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % bound;
}

// Steps of many streams over a few buffers, ordered by events alone: each step waits for the one before on the same buffer.
static void random_orders(unsigned seed) {
    constexpr int STREAMS = 6, BUFFERS = 4, STEPS = 80, COUNT = 96;
    state = seed;
    hipStream_t streams[STREAMS];
    for (int i = 0; i < STREAMS; ++i) {
        OK(hipStreamCreateWithFlags(&streams[i], i % 3 == 2 ? hipStreamDefault : hipStreamNonBlocking));
    }
    int *buffers[BUFFERS];
    unsigned expected[BUFFERS] = {};
    std::vector<hipEvent_t> last(BUFFERS);
    for (int i = 0; i < BUFFERS; ++i) {
        OK(hipMalloc(&buffers[i], COUNT * sizeof(int)));
        OK(hipMemset(buffers[i], 0, COUNT * sizeof(int)));
        OK(hipEventCreateWithFlags(&last[i], hipEventDisableTiming));
    }
    for (int i = 0; i < STEPS; ++i) {
        const unsigned buffer = draw(BUFFERS), more = draw(1000);
        const hipStream_t stream = streams[draw(STREAMS)];
        OK(hipStreamWaitEvent(stream, last[buffer], 0));
        if (draw(5) == 0) {
            OK(hipMemsetAsync(buffers[buffer], more % 256, COUNT * sizeof(int), stream));
            expected[buffer] = more % 256 * 0x01010101u;
        } else {
            step<<<3, 32, 0, stream>>>(buffers[buffer], more);
            expected[buffer] = 3 * expected[buffer] + more;
        }
        OK(hipEventRecord(last[buffer], stream));
        if (draw(20) == 0) OK(hipStreamSynchronize(stream));
        if (draw(40) == 0) {
            // The stream goes, its work does not.
            OK(hipStreamDestroy(streams[0]));
            OK(hipStreamCreateWithFlags(&streams[0], hipStreamNonBlocking));
        }
    }
    OK(hipDeviceSynchronize());
    for (int i = 0; i < BUFFERS; ++i) {
        std::vector<int> host(COUNT);
        OK(hipMemcpy(host.data(), buffers[i], COUNT * sizeof(int), hipMemcpyDeviceToHost));
        for (int value : host) CHECK(unsigned(value) == expected[i]);
        OK(hipFree(buffers[i]));
        OK(hipEventDestroy(last[i]));
    }
    for (hipStream_t stream : streams) OK(hipStreamDestroy(stream));
}

int main() {
    the_host_goes_on_while_a_kernel_waits_for_it();
    kernels_wait_for_each_other();
    the_default_stream_is_ordered_with_those_that_block();
    the_default_stream_of_a_thread_is_its_own();
    events_order_streams_and_take_the_newest_record();
    callbacks_come_from_another_thread();
    streams_wait_for_values();
    memory_that_the_gpu_cannot_reach_is_free_when_a_copy_returns();
    a_graph_is_launched_without_waiting();
    for (unsigned seed = 1; seed <= 10; ++seed) random_orders(seed);
    std::puts(failures == 0 ? "PASS" : "FAIL");
    return failures != 0;
}
