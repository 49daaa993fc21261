// Arithmetic that is rounded in a direction, against the processor of the host in the same mode.
#include <cfenv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

constexpr int SINGLES = 21, DOUBLES = 21, COUNT = 1 << 13;

__global__ void singles(const float* a, const float* b, const float* c, float* to) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[i], y = b[i], z = c[i];
    float results[SINGLES] = {
        __fadd_rd(x, y),          __fadd_ru(x, y),          __fadd_rz(x, y),          __fsub_rd(x, y),
        __fsub_ru(x, y),          __fsub_rz(x, y),          __fmul_rd(x, y),          __fmul_ru(x, y),
        __fmul_rz(x, y),          __fmaf_rd(x, y, z),       __fmaf_ru(x, y, z),       __fmaf_rz(x, y, z),
        __fdiv_rd(x, y),          __fdiv_ru(x, y),          __fdiv_rz(x, y),          __frcp_rd(x),
        __frcp_ru(x),             __frcp_rz(x),             __fsqrt_rd(x),            __fsqrt_ru(x),
        __fsqrt_rz(x),
    };
    for (int k = 0; k < SINGLES; ++k) to[k * COUNT + i] = results[k];
}

__global__ void doubles(const double* a, const double* b, const double* c, double* to) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double x = a[i], y = b[i], z = c[i];
    double results[DOUBLES] = {
        __dadd_rd(x, y),          __dadd_ru(x, y),          __dadd_rz(x, y),          __dsub_rd(x, y),
        __dsub_ru(x, y),          __dsub_rz(x, y),          __dmul_rd(x, y),          __dmul_ru(x, y),
        __dmul_rz(x, y),          __fma_rd(x, y, z),        __fma_ru(x, y, z),        __fma_rz(x, y, z),
        __ddiv_rd(x, y),          __ddiv_ru(x, y),          __ddiv_rz(x, y),          __drcp_rd(x),
        __drcp_ru(x),             __drcp_rz(x),             __dsqrt_rd(x),            __dsqrt_ru(x),
        __dsqrt_rz(x),
    };
    for (int k = 0; k < DOUBLES; ++k) to[k * COUNT + i] = results[k];
}

// What the host computes in the mode that is set. Its operands are volatile, so that nothing is computed before.
template <typename T> T expected(int function, T a, T b, T c) {
    volatile T x = a, y = b, z = c, one = 1;
    volatile T result = 0;
    switch (function) {
    case 0: result = x + y; break;
    case 1: result = x - y; break;
    case 2: result = x * y; break;
    case 3: result = std::fma((T)x, (T)y, (T)z); break;
    case 4: result = x / y; break;
    case 5: result = one / x; break;
    default: result = std::sqrt((T)x); break;
    }
    return result;
}

unsigned long long state = 7;

unsigned long long random_bits() {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return state ^ state >> 29;
}

// Bits of all kinds: denormals, infinities and numbers near to each other among them.
template <typename T, typename Bits> T number(int i, Bits exponent) {
    Bits bits = (Bits)random_bits();
    if (i % 4 == 1) bits = (bits & ~exponent) | (exponent & (exponent >> 1));
    if (i % 16 == 2) bits &= ~exponent;
    if (i % 64 == 3) bits |= exponent;
    T value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

template <typename T> bool same(T a, T b) {
    return std::memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b);
}

template <typename T, typename Bits, typename Kernel>
int check(const char* name, int functions, Bits exponent, Kernel kernel) {
    T *values[3], *to;
    for (T*& value : values) {
        cudaMallocManaged(&value, COUNT * sizeof(T));
        for (int i = 0; i < COUNT; ++i) value[i] = number<T, Bits>(i, exponent);
    }
    cudaMallocManaged(&to, functions * COUNT * sizeof(T));
    kernel<<<COUNT / 256, 256>>>(values[0], values[1], values[2], to);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    const int modes[] = {FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
    int wrong = 0;
    for (int k = 0; k < functions; ++k) {
        for (int i = 0; i < COUNT; ++i) {
            T x = values[0][i], y = values[1][i], z = values[2][i];
            std::fesetround(modes[k % 3]);
            T want = expected(k / 3, x, y, z);
            std::fesetround(FE_TONEAREST);
            if (!same(to[k * COUNT + i], want) && wrong++ < 5) {
                std::printf("%s %d of %a %a %a: %a, not %a\n", name, k, x, y, z, to[k * COUNT + i], want);
            }
        }
    }
    return wrong;
}

int main() {
    int wrong = check<float, unsigned>("single", SINGLES, 0x7f800000u, singles);
    wrong += check<double, unsigned long long>("double", DOUBLES, 0x7ff0000000000000ull, doubles);
    std::printf("%d are not what the host computes\n", wrong);
    return 0;
}
