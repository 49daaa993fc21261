// rocPRIM, and hipCUB on top of it: sums, scans and sorts of warps and blocks; sums, scans, sorts and selections of the
// device. Both sort with the same types, so that the compiler makes these kernels, the largest, once. What
// `fixtures/programs/cub_reduce` has, hipCUB's sums and scans of blocks and of the device, is not repeated.

#include <hip/hip_runtime.h>
#include <hipcub/block/block_radix_sort.hpp>
#include <hipcub/device/device_radix_sort.hpp>
#include <hipcub/warp/warp_merge_sort.hpp>
#include <hipcub/warp/warp_reduce.hpp>
#include <hipcub/warp/warp_scan.hpp>
#include <rocprim/block/block_radix_sort.hpp>
#include <rocprim/block/block_reduce.hpp>
#include <rocprim/block/block_scan.hpp>
#include <rocprim/device/device_radix_sort.hpp>
#include <rocprim/device/device_reduce.hpp>
#include <rocprim/device/device_scan.hpp>
#include <rocprim/device/device_select.hpp>
#include <rocprim/warp/warp_reduce.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "check.h"

using Value = int;

constexpr int THREADS = 128;

inline void must(hipError_t error) {
    if (error != hipSuccess) {
        std::printf("%s\n", hipGetErrorString(error));
        std::exit(1);
    }
}

// Memory of the device that goes away by itself.
template <typename T> class Device {
public:
    explicit Device(size_t count) : count(count) { must(hipMalloc(reinterpret_cast<void**>(&data), count * sizeof(T))); }
    explicit Device(const std::vector<T>& values) : Device(values.size()) {
        must(hipMemcpy(data, values.data(), count * sizeof(T), hipMemcpyHostToDevice));
    }
    Device(const Device&) = delete;
    ~Device() { must(hipFree(data)); }

    T* get() const { return data; }

    // Waits for kernels, and tells of their faults.
    std::vector<T> host() const {
        std::vector<T> values(count);
        must(hipMemcpy(values.data(), data, count * sizeof(T), hipMemcpyDeviceToHost));
        return values;
    }

private:
    T* data = nullptr;
    size_t count;
};

// Calls an algorithm twice: for the size of its storage, then to work.
template <typename Algorithm> void with_storage(check::Results& results, Algorithm algorithm) {
    size_t bytes = 0;
    results.that("size of storage", algorithm(nullptr, bytes) == hipSuccess);
    Device<char> storage(bytes);
    results.that("algorithm", algorithm(storage.get(), bytes) == hipSuccess);
}

// Sums and scans of groups of 16 and of 32 lanes: whole ones, and one with 3 lanes that count.
template <int LANES> __global__ void warps(const Value* in, Value* sums, Value* partial, Value* scanned) {
    using Reduce = hipcub::WarpReduce<Value, LANES>;
    using Scan = hipcub::WarpScan<Value, LANES>;
    __shared__ typename Reduce::TempStorage reduce[THREADS / LANES];
    __shared__ typename Scan::TempStorage scan[THREADS / LANES];
    const int i = threadIdx.x, group = i / LANES;
    const Value sum = Reduce(reduce[group]).Sum(in[i]);
    const Value first = Reduce(reduce[group]).Reduce(in[i], hipcub::Max(), 3);
    if (i % LANES == 0) {
        sums[group] = sum;
        partial[group] = first;
    }
    Scan(scan[group]).InclusiveSum(in[i], scanned[i]);
}

// Every thread brings two keys; a block sorts all of them downwards, groups of 32 lanes theirs upwards.
__global__ void sorts(const Value* in, Value* by_block, Value* by_warp) {
    using Block = hipcub::BlockRadixSort<Value, THREADS, 2>;
    using Warp = hipcub::WarpMergeSort<Value, 2, 32>;
    __shared__ typename Block::TempStorage block;
    __shared__ typename Warp::TempStorage warp[THREADS / 32];
    const int i = 2 * threadIdx.x;
    Value keys[2] = {in[i], in[i + 1]}, mine[2] = {keys[0], keys[1]};
    Block(block).SortDescending(keys);
    Warp(warp[threadIdx.x / 32]).Sort(mine, [](Value a, Value b) { return a < b; });
    for (int item = 0; item < 2; ++item) {
        by_block[i + item] = keys[item];
        by_warp[i + item] = mine[item];
    }
}

template <int LANES> void test_warps(check::Results& results, const std::vector<Value>& in) {
    const int groups = THREADS / LANES;
    Device<Value> values(in), sums(groups), partial(groups), scanned(THREADS);
    warps<LANES><<<1, THREADS>>>(values.get(), sums.get(), partial.get(), scanned.get());
    std::vector<Value> right_sums, right_partial, right_scanned(THREADS);
    for (int group = 0; group < groups; ++group) {
        const auto begin = in.begin() + group * LANES, end = begin + LANES;
        right_sums.push_back(std::accumulate(begin, end, 0));
        right_partial.push_back(*std::max_element(begin, begin + 3));
        std::partial_sum(begin, end, right_scanned.begin() + group * LANES);
    }
    results.equal("sums of warps", sums.host(), right_sums);
    results.equal("largest of three lanes", partial.host(), right_partial);
    results.equal("scans of warps", scanned.host(), right_scanned);
}

void test_block_sorts(check::Results& results, const std::vector<Value>& in) {
    Device<Value> values(in), by_block(2 * THREADS), by_warp(2 * THREADS);
    sorts<<<1, THREADS>>>(values.get(), by_block.get(), by_warp.get());
    std::vector<Value> right(in.begin(), in.begin() + 2 * THREADS), warps = right;
    std::sort(right.begin(), right.end(), std::greater<Value>());
    for (auto warp = warps.begin(); warp != warps.end(); warp += 64) std::sort(warp, warp + 64);
    results.equal("sort of a block", by_block.host(), right);
    results.equal("sorts of warps", by_warp.host(), warps);
}

struct Sums {
    Value block, warps, scanned[THREADS], sorted[THREADS];
};

__global__ void blocks(const Value* in, Sums* out) {
    using Reduce = rocprim::block_reduce<Value, THREADS>;
    using Scan = rocprim::block_scan<Value, THREADS>;
    using Sort = rocprim::block_radix_sort<Value, THREADS, 1>;
    using Warp = rocprim::warp_reduce<Value, 32>;
    __shared__ union {
        typename Reduce::storage_type reduce;
        typename Scan::storage_type scan;
        typename Sort::storage_type sort;
        typename Warp::storage_type warp[THREADS / 32];
    } storage;
    const int i = threadIdx.x;
    Value value[1] = {in[blockIdx.x * THREADS + i]}, sum;
    Sums& mine = out[blockIdx.x];
    Reduce().reduce(value[0], sum, storage.reduce);
    if (i == 0) mine.block = sum;
    __syncthreads();
    Warp().reduce(value[0], sum, storage.warp[i / 32], rocprim::maximum<Value>());
    if (i % 32 == 0) atomicAdd(&mine.warps, sum);
    __syncthreads();
    Scan().exclusive_scan(value[0], mine.scanned[i], 100, storage.scan);
    __syncthreads();
    Sort().sort(value, storage.sort);
    mine.sorted[i] = value[0];
}

void test_blocks(check::Results& results, const std::vector<Value>& in) {
    const size_t count = in.size() / THREADS;
    Device<Value> values(in);
    Device<Sums> sums(std::vector<Sums>(count, Sums{}));
    blocks<<<count, THREADS>>>(values.get(), sums.get());
    const std::vector<Sums> out = sums.host();
    for (size_t block = 0; block < count; ++block) {
        std::vector<Value> mine(in.begin() + block * THREADS, in.begin() + (block + 1) * THREADS), scanned(THREADS);
        Value largest = 0, sum = 100;
        for (int first = 0; first < THREADS; first += 32) {
            largest += *std::max_element(mine.begin() + first, mine.begin() + first + 32);
        }
        for (int i = 0; i < THREADS; ++i) {
            scanned[i] = sum;
            sum += mine[i];
        }
        results.that("sum of a block", out[block].block == sum - 100);
        results.that("largest of warps", out[block].warps == largest);
        results.equal("scan of a block", std::vector<Value>(out[block].scanned, out[block].scanned + THREADS), scanned);
        std::sort(mine.begin(), mine.end());
        results.equal("sort of a block", std::vector<Value>(out[block].sorted, out[block].sorted + THREADS), mine);
    }
}

void test_sums(check::Results& results, const std::vector<Value>& in) {
    Device<Value> values(in), sum(1), scanned(in.size());
    with_storage(results, [&](void* storage, size_t& bytes) {
        return rocprim::reduce(storage, bytes, values.get(), sum.get(), Value(5), in.size(), rocprim::plus<Value>());
    });
    with_storage(results, [&](void* storage, size_t& bytes) {
        return rocprim::inclusive_scan(storage, bytes, values.get(), scanned.get(), in.size(), rocprim::plus<Value>());
    });
    std::vector<Value> right(in.size());
    std::partial_sum(in.begin(), in.end(), right.begin());
    results.that("sum of the device", sum.host()[0] == right.back() + 5);
    results.equal("scan of the device", scanned.host(), right);
}

void test_select(check::Results& results, const std::vector<Value>& in) {
    const auto is_wanted = [] __host__ __device__(Value value) { return value % 3 == 0; };
    Device<Value> values(in), kept(std::vector<Value>(in.size(), -1));
    Device<size_t> number(1);
    with_storage(results, [&](void* storage, size_t& bytes) {
        return rocprim::select(storage, bytes, values.get(), kept.get(), number.get(), in.size(), is_wanted);
    });
    std::vector<Value> right;
    std::copy_if(in.begin(), in.end(), std::back_inserter(right), is_wanted);
    results.that("number kept", number.host()[0] == right.size());
    right.resize(in.size(), -1);
    results.equal("values kept", kept.host(), right);
}

// Keys with negative ones among them, and the places where they were: by hipCUB and by rocPRIM.
void test_device_sort(check::Results& results, const std::vector<Value>& in) {
    std::vector<int> places(in.size());
    std::vector<Value> right(in.size());
    std::iota(places.begin(), places.end(), 0);
    Device<Value> keys(in), sorted(in.size()), sorted_again(in.size());
    Device<int> values(places), moved(in.size()), moved_again(in.size());
    with_storage(results, [&](void* storage, size_t& bytes) {
        return hipcub::DeviceRadixSort::SortPairs(storage, bytes, keys.get(), sorted.get(), values.get(), moved.get(),
                                                  in.size());
    });
    with_storage(results, [&](void* storage, size_t& bytes) {
        return rocprim::radix_sort_pairs(storage, bytes, keys.get(), sorted_again.get(), values.get(), moved_again.get(),
                                         in.size());
    });
    std::stable_sort(places.begin(), places.end(), [&](int a, int b) { return in[a] < in[b]; });
    for (size_t i = 0; i < in.size(); ++i) right[i] = in[places[i]];
    results.equal("keys by hipCUB", sorted.host(), right);
    results.equal("places by hipCUB", moved.host(), places);
    results.equal("keys by rocPRIM", sorted_again.host(), right);
    results.equal("places by rocPRIM", moved_again.host(), places);
}

int main() {
    check::Results results;
    check::Random random(13);
    std::vector<Value> in(9000);
    for (Value& value : in) value = random.below(5000) - 1000;
    test_warps<32>(results, in);
    test_warps<16>(results, in);
    test_block_sorts(results, in);
    test_blocks(results, std::vector<Value>(in.begin(), in.begin() + 3 * THREADS));
    test_sums(results, in);
    test_select(results, in);
    // Of one block, and of several.
    test_device_sort(results, std::vector<Value>(in.begin(), in.begin() + 700));
    test_device_sort(results, in);
    return results.verdict();
}
