// Runs kernels on the host, so that programs for AMD GPUs can be tried where there is none.
//
// Each thread of a block is a fibre. A function about lanes waits until all lanes of the wave wait as
// well, have reached a barrier of the block or have ended. Those that wait at the same place then go
// on together, and are the active lanes. If they wait at several places, those furthest behind in the
// text go first: so the lanes of a wave come together again behind a branch or a loop, as on a GPU.
// Places are told apart by the return addresses on the stack: compile without optimisation.
#pragma once

#include <ucontext.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#define __global__
#define __device__
#define __host__
#define __shared__ static
#define __forceinline__ inline
#define __inline__ inline
#define __launch_bounds__(...)

using std::max;
using std::min;

struct dim3 {
    unsigned x, y, z;
    dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};

inline dim3 threadIdx, blockIdx, blockDim, gridDim;

// The lanes of a wave: 64 or 32.
inline int warpSize = 64;

namespace device {

// What the lanes that go on together gave.
struct Meeting {
    uint64_t active = 0;
    uint64_t values[64] = {};
};

enum class State { Runs, Meets, Syncs, Ended };

struct Thread {
    ucontext_t context;
    std::unique_ptr<char[]> stack;
    State state = State::Runs;
    dim3 index;
    int lane;
    std::vector<void*> place;
    uint64_t value;
    Meeting meeting;
};

inline ucontext_t scheduler;
inline Thread* current;
inline const std::function<void()>* kernel;

inline void enter() {
    (*kernel)();
    current->state = State::Ended;
    swapcontext(&current->context, &scheduler);
}

inline void pause(State state) {
    current->state = state;
    swapcontext(&current->context, &scheduler);
}

// The return addresses on the stack of the fibre, the outermost first.
inline std::vector<void*> place() {
    constexpr std::size_t size = 1 << 16;
    std::vector<void*> addresses;
    char* low = current->stack.get();
    for (void** frame = (void**)__builtin_frame_address(0);
         (char*)frame >= low && (char*)frame < low + size - 16; frame = (void**)*frame) {
        addresses.push_back(frame[1]);
    }
    std::reverse(addresses.begin(), addresses.end());
    return addresses;
}

inline const Meeting& meet(uint64_t value) {
    current->place = place();
    current->value = value;
    pause(State::Meets);
    return current->meeting;
}

inline void resume(Thread& thread) {
    current = &thread;
    threadIdx = thread.index;
    swapcontext(&scheduler, &thread.context);
}

// Lets the lanes go on that are furthest behind, if any lane of the wave waits for others.
inline bool gather(Thread* wave, int lanes) {
    Thread* first = nullptr;
    for (Thread* thread = wave; thread < wave + lanes; ++thread) {
        if (thread->state == State::Meets && (first == nullptr || thread->place < first->place)) first = thread;
    }
    if (first == nullptr) return false;
    const std::vector<void*> place = first->place;
    Meeting meeting;
    for (Thread* thread = wave; thread < wave + lanes; ++thread) {
        if (thread->state != State::Meets || thread->place != place) continue;
        meeting.active |= 1ull << thread->lane;
        meeting.values[thread->lane] = thread->value;
    }
    for (Thread* thread = wave; thread < wave + lanes; ++thread) {
        if ((meeting.active >> thread->lane & 1) == 0) continue;
        thread->meeting = meeting;
        thread->state = State::Runs;
    }
    return true;
}

inline void run_block(std::vector<Thread>& threads) {
    const int count = (int)threads.size();
    for (bool goes_on = true; goes_on;) {
        for (Thread& thread : threads) {
            if (thread.state == State::Runs) resume(thread);
        }
        goes_on = false;
        for (int first = 0; first < count; first += warpSize) {
            goes_on |= gather(&threads[first], min(warpSize, count - first));
        }
        if (goes_on) continue;
        for (Thread& thread : threads) {
            if (thread.state != State::Syncs) continue;
            thread.state = State::Runs;
            goes_on = true;
        }
    }
}

inline void launch(dim3 grid, dim3 block, const std::function<void()>& body) {
    kernel = &body;
    gridDim = grid;
    blockDim = block;
    const int count = (int)(block.x * block.y * block.z);
    for (unsigned number = 0; number < grid.x * grid.y * grid.z; ++number) {
        blockIdx = dim3(number % grid.x, number / grid.x % grid.y, number / grid.x / grid.y);
        std::vector<Thread> threads(count);
        for (int i = 0; i < count; ++i) {
            Thread& thread = threads[i];
            thread.index = dim3(i % block.x, i / block.x % block.y, i / block.x / block.y);
            thread.lane = i % warpSize;
            thread.stack = std::make_unique<char[]>(1 << 16);
            getcontext(&thread.context);
            thread.context.uc_stack.ss_sp = thread.stack.get();
            thread.context.uc_stack.ss_size = 1 << 16;
            thread.context.uc_link = nullptr;
            makecontext(&thread.context, enter, 0);
        }
        run_block(threads);
    }
}

// The value of a lane; one that is not active gives zero.
template <typename T> T take(const Meeting& meeting, int lane) {
    T value{};
    if (meeting.active >> lane & 1) std::memcpy(&value, &meeting.values[lane], sizeof(T));
    return value;
}

template <typename T> const Meeting& give(T value) {
    static_assert(sizeof(T) <= 8, "lanes exchange 64 bits at most");
    uint64_t word = 0;
    std::memcpy(&word, &value, sizeof(T));
    return meet(word);
}

}  // namespace device

// --- functions about lanes, as in HIP ---

inline unsigned __lane_id() { return device::current->lane; }
inline unsigned __builtin_amdgcn_wavefrontsize() { return warpSize; }

inline unsigned long long __ballot(int predicate) {
    const device::Meeting& meeting = device::meet(predicate != 0);
    unsigned long long votes = 0;
    for (int lane = 0; lane < warpSize; ++lane) votes |= (unsigned long long)meeting.values[lane] << lane;
    return votes;
}

inline unsigned long long __activemask() { return device::meet(0).active; }

inline int __any(int predicate) {
    const device::Meeting& meeting = device::meet(predicate != 0);
    return std::any_of(meeting.values, meeting.values + 64, [](uint64_t vote) { return vote != 0; });
}

inline int __all(int predicate) {
    const device::Meeting& meeting = device::meet(predicate == 0);
    return std::all_of(meeting.values, meeting.values + 64, [](uint64_t against) { return against == 0; });
}

template <typename T> T __shfl(T value, int from, int width = warpSize) {
    const device::Meeting& meeting = device::give(value);
    const int lane = __lane_id();
    return device::take<T>(meeting, (from & (width - 1)) + (lane & ~(width - 1)));
}

template <typename T> T __shfl_up(T value, unsigned delta, int width = warpSize) {
    const device::Meeting& meeting = device::give(value);
    const int lane = __lane_id(), from = lane - (int)delta;
    return device::take<T>(meeting, from < (lane & ~(width - 1)) ? lane : from);
}

template <typename T> T __shfl_down(T value, unsigned delta, int width = warpSize) {
    const device::Meeting& meeting = device::give(value);
    const int lane = __lane_id(), within = (lane & (width - 1)) + (int)delta;
    return device::take<T>(meeting, within >= width ? lane : lane + (int)delta);
}

template <typename T> T __shfl_xor(T value, int lanes, int width = warpSize) {
    const device::Meeting& meeting = device::give(value);
    const int lane = __lane_id(), from = lane ^ lanes;
    return device::take<T>(meeting, from >= ((lane + width) & ~(width - 1)) ? lane : from);
}

inline void __syncwarp() { device::meet(0); }

inline void __syncthreads() { device::pause(device::State::Syncs); }

// What a definition of `__syncwarp` is made from before ROCm 7.0.
inline void __builtin_amdgcn_fence(int, const char*) {}
inline void __builtin_amdgcn_wave_barrier() { device::meet(0); }

// --- other functions of the device ---

inline int __popc(unsigned bits) { return __builtin_popcount(bits); }
inline int __popcll(unsigned long long bits) { return __builtin_popcountll(bits); }
inline int __ffs(int bits) { return __builtin_ffs(bits); }
inline int __ffs(unsigned bits) { return __builtin_ffs((int)bits); }
inline int __ffsll(long long bits) { return __builtin_ffsll(bits); }
inline int __ffsll(unsigned long long bits) { return __builtin_ffsll((long long)bits); }

template <typename T> T atomicAdd(T* place, T value) {
    const T before = *place;
    *place += value;
    return before;
}

template <typename T> T atomicMax(T* place, T value) {
    const T before = *place;
    *place = max(before, value);
    return before;
}

// --- the host's side ---

enum hipError_t { hipSuccess };
enum hipMemcpyKind { hipMemcpyHostToDevice, hipMemcpyDeviceToHost };

struct hipDeviceProp_t {
    int warpSize;
};

inline hipError_t hipMalloc(void** memory, std::size_t size) {
    *memory = std::malloc(size);
    // What a kernel does not write is seen.
    std::memset(*memory, 0x5a, size);
    return hipSuccess;
}

inline hipError_t hipFree(void* memory) {
    std::free(memory);
    return hipSuccess;
}

inline hipError_t hipMemcpy(void* to, const void* from, std::size_t size, hipMemcpyKind) {
    std::memcpy(to, from, size);
    return hipSuccess;
}

inline hipError_t hipMemset(void* memory, int value, std::size_t size) {
    std::memset(memory, value, size);
    return hipSuccess;
}

inline hipError_t hipGetDeviceProperties(hipDeviceProp_t* properties, int) {
    properties->warpSize = warpSize;
    return hipSuccess;
}

#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define hipLaunchKernelGGL(kernel, grid, block, shared, stream, ...) \
    device::launch(grid, block, [&] { kernel(__VA_ARGS__); })
