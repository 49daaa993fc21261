// hipRAND's generators in kernels. The integers of Philox4x32-10 and XORWOW are compared with both algorithms written anew
// here: Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3" (2011), section 3.3; Marsaglia, "Xorshift RNGs" (2003),
// section 3.1. Sequences of XORWOW lie 2^67 steps apart; the host takes these steps as powers of a matrix of bits.
// Uniform numbers follow from the integers, normal ones are judged by their moments.

#include <hip/hip_runtime.h>
#include <hiprand/hiprand_kernel.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "check.h"

constexpr int THREADS = 96, EACH = 20;
constexpr uint64_t SEED = 0x0123456789abcdefull;

// What each thread draws: some integers, then as many uniform numbers of either precision, then normal ones.
struct Drawn {
    uint32_t integers[EACH];
    float uniform[EACH];
    double precise[EACH];
    float normal[EACH];
};

template <typename State> __global__ void draw(Drawn* all, uint64_t offset) {
    State state;
    hiprand_init(SEED, threadIdx.x, offset, &state);
    const State first = state;
    Drawn& drawn = all[threadIdx.x];
    for (uint32_t& value : drawn.integers) value = hiprand(&state);
    state = first;
    for (float& value : drawn.uniform) value = hiprand_uniform(&state);
    for (double& value : drawn.precise) value = hiprand_uniform_double(&state);
    for (float& value : drawn.normal) value = hiprand_normal(&state);
}

// Four integers at a time, and two normal numbers.
__global__ void draw_four(uint4* integers, float2* normal) {
    hiprandStatePhilox4_32_10_t state;
    hiprand_init(SEED, threadIdx.x, 0, &state);
    integers[threadIdx.x] = hiprand4(&state);
    normal[threadIdx.x] = hiprand_normal2(&state);
}

using Four = std::array<uint32_t, 4>;

// The block of a counter: ten rounds of two products each; the key grows by the golden ratio and the square root of 3.
Four philox(Four counter, std::array<uint32_t, 2> key) {
    for (int round = 0; round < 10; ++round) {
        const uint64_t even = 0xD2511F53ull * counter[0], odd = 0xCD9E8D57ull * counter[2];
        counter = {uint32_t(odd >> 32) ^ counter[1] ^ key[0], uint32_t(odd), uint32_t(even >> 32) ^ counter[3] ^ key[1],
                   uint32_t(even)};
        key = {key[0] + 0x9E3779B9u, key[1] + 0xBB67AE85u};
    }
    return counter;
}

// Element `number` of a sequence. The low half of the counter counts blocks, the high half is the sequence.
uint32_t philox_at(uint64_t sequence, uint64_t number) {
    const uint64_t block = number / 4;
    return philox({uint32_t(block), uint32_t(block >> 32), uint32_t(sequence), uint32_t(sequence >> 32)},
                  {uint32_t(SEED), uint32_t(SEED >> 32)})[number % 4];
}

using Words = std::array<uint32_t, 5>;

// A step of the xorshift generator behind XORWOW: linear over bits.
Words xorshift(const Words& x) {
    const uint32_t t = x[0] ^ (x[0] >> 2);
    return {x[1], x[2], x[3], x[4], (x[4] ^ (x[4] << 4)) ^ (t ^ (t << 1))};
}

// A matrix of bits: what each single bit of the state becomes.
using Matrix = std::vector<Words>;

Words times(const Matrix& matrix, const Words& x) {
    Words sum = {};
    for (int bit = 0; bit < 160; ++bit) {
        if (x[bit / 32] >> (bit % 32) & 1) {
            for (int word = 0; word < 5; ++word) sum[word] ^= matrix[bit][word];
        }
    }
    return sum;
}

// The matrix of 2^67 steps.
Matrix sequence_step() {
    Matrix matrix(160);
    for (int bit = 0; bit < 160; ++bit) {
        Words one = {};
        one[bit / 32] = 1u << (bit % 32);
        matrix[bit] = xorshift(one);
    }
    for (int power = 0; power < 67; ++power) {
        Matrix square(160);
        for (int bit = 0; bit < 160; ++bit) square[bit] = times(matrix, matrix[bit]);
        matrix = square;
    }
    return matrix;
}

// The state that hipRAND makes of a seed.
struct Xorwow {
    Words x = {123456789u, 362436069u, 521288629u, 88675123u, 5783321u};
    uint32_t d = 6615241u;

    explicit Xorwow(uint64_t seed) {
        const uint32_t low = (uint32_t(seed) ^ 0x2c7f967fu) * 0x493c4aa1u;
        const uint32_t high = (uint32_t(seed >> 32) ^ 0xa03697cbu) * 0x7b99840du;
        x = {x[0] + low, x[1] ^ low, x[2] + high, x[3] ^ high, x[4] + low};
        d += low + high;
    }

    uint32_t next() {
        x = xorshift(x);
        d += 362437u;
        return d + x[4];
    }
};

template <typename State> std::vector<Drawn> drawn(uint64_t offset) {
    Drawn* device;
    std::vector<Drawn> all(THREADS);
    const size_t bytes = THREADS * sizeof(Drawn);
    if (hipMalloc(reinterpret_cast<void**>(&device), bytes) != hipSuccess) return {};
    draw<State><<<1, THREADS>>>(device, offset);
    if (hipMemcpy(all.data(), device, bytes, hipMemcpyDeviceToHost) != hipSuccess) return {};
    (void)hipFree(device);
    return all;
}

// Uniform numbers lie above 0, up to 1, where their integers do; normal ones have the moments that they should have.
void judge(check::Results& results, const char* name, const std::vector<Drawn>& all) {
    double moments[4] = {}, tail = 0;
    bool right = true;
    for (const Drawn& drawn : all) {
        for (int i = 0; i < EACH; ++i) {
            const double expected = (drawn.integers[i] + 1.0) / 4294967296.0;
            right = right && drawn.uniform[i] > 0 && drawn.uniform[i] <= 1 && std::fabs(drawn.uniform[i] - expected) < 1e-7;
            right = right && drawn.precise[i] > 0 && drawn.precise[i] <= 1;
            moments[0] += drawn.precise[i];
            for (int power = 1; power < 4; ++power) moments[power] += std::pow(drawn.normal[i], power);
            tail += std::fabs(drawn.normal[i]) > 1.959964;
        }
    }
    const double count = double(all.size()) * EACH, error = 1 / std::sqrt(count);
    results.that(name, right && !all.empty());
    // Four standard errors each.
    results.near("mean of uniform numbers", moments[0] / count, 0.5, 4 * error * std::sqrt(1.0 / 12));
    results.near("mean of normal numbers", moments[1] / count, 0, 4 * error);
    results.near("their variance", moments[2] / count, 1, 4 * error * std::sqrt(2.0));
    results.near("their skewness", moments[3] / count, 0, 4 * error * std::sqrt(15.0));
    results.near("beyond 1.96", tail / count, 0.05, 4 * error * std::sqrt(0.05 * 0.95));
    std::printf("%s: mean %.2f, normal %.2f\n", name, moments[0] / count, moments[1] / count);
}

template <typename Right> void compare(check::Results& results, const char* name, const std::vector<Drawn>& all, Right right) {
    std::vector<uint32_t> seen, wanted;
    for (int thread = 0; thread < int(all.size()); ++thread) {
        right(thread, wanted);
        seen.insert(seen.end(), all[thread].integers, all[thread].integers + EACH);
    }
    results.equal(name, seen, wanted);
    results.that(name, seen.size() == size_t(THREADS) * EACH);
}

void test_philox(check::Results& results) {
    for (const uint64_t offset : {uint64_t(0), uint64_t(7), (uint64_t(1) << 34) - 6}) {
        const std::vector<Drawn> all = drawn<hiprandStatePhilox4_32_10_t>(offset);
        compare(results, "integers of Philox", all, [=](int thread, std::vector<uint32_t>& wanted) {
            for (int i = 0; i < EACH; ++i) wanted.push_back(philox_at(thread, offset + i));
        });
        judge(results, "Philox", all);
    }
}

void test_four(check::Results& results) {
    uint4* integers;
    float2* normal;
    if (hipMallocManaged(reinterpret_cast<void**>(&integers), THREADS * sizeof(uint4)) != hipSuccess) return;
    if (hipMallocManaged(reinterpret_cast<void**>(&normal), THREADS * sizeof(float2)) != hipSuccess) return;
    draw_four<<<1, THREADS>>>(integers, normal);
    results.that("four at a time", hipDeviceSynchronize() == hipSuccess);
    bool right = true;
    std::vector<double> radii, wanted;
    for (int thread = 0; thread < THREADS; ++thread) {
        const uint4 four = integers[thread];
        right = right && four.x == philox_at(thread, 0) && four.y == philox_at(thread, 1) &&
                four.z == philox_at(thread, 2) && four.w == philox_at(thread, 3);
        // Box and Muller: the distance from the origin comes from the first of two uniform numbers.
        const double first = (philox_at(thread, 4) + 1.0) / 4294967296.0;
        radii.push_back(std::hypot(normal[thread].x, normal[thread].y));
        wanted.push_back(std::sqrt(-2 * std::log(first)));
    }
    results.that("integers by four", right);
    results.near("radii of normal pairs", radii, wanted, 1e-4);
    (void)hipFree(integers);
    (void)hipFree(normal);
}

void test_xorwow(check::Results& results) {
    const Matrix step = sequence_step();
    for (const int offset : {0, 1000}) {
        Xorwow state(SEED);
        const std::vector<Drawn> all = drawn<hiprandStateXORWOW_t>(offset);
        compare(results, "integers of XORWOW", all, [&](int, std::vector<uint32_t>& wanted) {
            Xorwow mine = state;
            for (int i = 0; i < offset; ++i) mine.next();
            for (int i = 0; i < EACH; ++i) wanted.push_back(mine.next());
            state.x = times(step, state.x);
        });
        judge(results, "XORWOW", all);
    }
}

int main() {
    check::Results results;
    test_philox(results);
    test_four(results);
    test_xorwow(results);
    return results.verdict();
}
