// Groups of threads within a wave, as far as the programs use them.
#pragma once

#include "hip_runtime.h"

namespace cooperative_groups {

struct thread_block {};

inline thread_block this_thread_block() { return {}; }

template <int Size> struct thread_block_tile {
    unsigned size() const { return Size; }
    unsigned thread_rank() const { return __lane_id() % Size; }
    void sync() const { __syncwarp(); }
    template <typename T> T shfl_down(T value, unsigned delta) const { return __shfl_down(value, delta, Size); }
    template <typename T> T shfl_xor(T value, int lanes) const { return __shfl_xor(value, lanes, Size); }
};

template <int Size> thread_block_tile<Size> tiled_partition(const thread_block&) { return {}; }

struct coalesced_group {
    unsigned long long lanes;
    unsigned size() const { return __popcll(lanes); }
    unsigned thread_rank() const { return __popcll(lanes & ((1ull << __lane_id()) - 1)); }
};

inline coalesced_group coalesced_threads() { return {__activemask()}; }

inline coalesced_group binary_partition(const coalesced_group& group, bool predicate) {
    unsigned long long holding = __ballot(predicate) & group.lanes;
    return {predicate ? holding : group.lanes & ~holding};
}

}  // namespace cooperative_groups
