// Products of matrices whose first factor has two of each four elements of a row, one wave each. A lane fills its
// registers with the elements that the manuals say it holds, as programs do.

typedef _Float16 half4 __attribute__((ext_vector_type(4)));
typedef _Float16 half8 __attribute__((ext_vector_type(8)));
typedef _Float16 half16 __attribute__((ext_vector_type(16)));
typedef short short4_ __attribute__((ext_vector_type(4)));
typedef short short8_ __attribute__((ext_vector_type(8)));
typedef short short16_ __attribute__((ext_vector_type(16)));
typedef __bf16 brain8 __attribute__((ext_vector_type(8)));
typedef __bf16 brain16 __attribute__((ext_vector_type(16)));
typedef float float4_ __attribute__((ext_vector_type(4)));
typedef float float8_ __attribute__((ext_vector_type(8)));
typedef float float16_ __attribute__((ext_vector_type(16)));
typedef int int2_ __attribute__((ext_vector_type(2)));
typedef int int4_ __attribute__((ext_vector_type(4)));
typedef int int8_ __attribute__((ext_vector_type(8)));
typedef int int16_ __attribute__((ext_vector_type(16)));
typedef unsigned short bits16;

template <class V, class E> union Fragment {
    V vector;
    E element[sizeof(V) / sizeof(E)];
};

#if defined(__gfx942__) || defined(__gfx950__)
#define LANES 64
// Row of an element of the result.
template <int M> __device__ int row(int lane, int item) {
    return M == 16 ? 4 * (lane / 16) + item : 8 * (item / 4) + 4 * (lane / 32) + item % 4;
}
#else
#define LANES 32
template <int M> __device__ int row(int lane, int item) { return 8 * (lane / 16) + item; }
#endif

// `a` has K / 2 elements in a row; `which` tells for each where it stands among four. `SHIFT` is where the indices begin in
// their register, whose other bits are set.
#define SPARSE(NAME, AV, BV, ACC, E, O, M, K, SHIFT, CALL)                                                       \
    extern "C" __attribute__((global)) void NAME(const E *a, const unsigned char *which, const E *b, const O *c, O *d) { \
        const int lane = __builtin_amdgcn_workitem_id_x(), turns = LANES / M, items = K / 2 * M / LANES;          \
        const int piece = 8 / sizeof(E);                                                                          \
        Fragment<AV, E> fa;                                                                                       \
        Fragment<BV, E> fb;                                                                                       \
        unsigned long long indices = 0;                                                                           \
        for (int item = 0; item < items; item++) {                                                                \
            int at = lane % M * (K / 2) + item / piece * piece * turns + lane / M * piece + item % piece;         \
            fa.element[item] = a[at];                                                                             \
            indices |= (unsigned long long)which[at] << (2 * item);                                               \
        }                                                                                                         \
        for (int item = 0; item < 2 * items; item++) {                                                            \
            int k = item / (2 * piece) * 2 * piece * turns + lane / M * 2 * piece + item % (2 * piece);           \
            fb.element[item] = b[k * M + lane % M];                                                               \
        }                                                                                                         \
        Fragment<ACC, O> sum;                                                                                     \
        for (int item = 0; item < M * M / LANES; item++) sum.element[item] = c[row<M>(lane, item) * M + lane % M]; \
        unsigned used = 2 * items == 32 ? ~0u : (unsigned)((1ull << (2 * items)) - 1) << SHIFT;                   \
        int index = (unsigned)(indices << SHIFT) | ~used;                                                         \
        AV va = fa.vector;                                                                                        \
        BV vb = fb.vector;                                                                                        \
        ACC vc = sum.vector;                                                                                      \
        sum.vector = CALL;                                                                                        \
        for (int item = 0; item < M * M / LANES; item++) d[row<M>(lane, item) * M + lane % M] = sum.element[item]; \
    }

#if LANES == 64
#define CALL(NAME, CBSZ, ABID) __builtin_amdgcn_smfmac_##NAME(va, vb, vc, index, CBSZ, ABID)
#define FP8(A, B, SIZE, AV, BV, ACC, M, K) \
    SPARSE(A##_##B##_##SIZE, AV, BV, ACC, unsigned char, float, M, K, 0, CALL(f32_##SIZE##_##A##_##B, 0, 0))
#define ALL_FP8(SIZE, AV, BV, ACC, M, K)   \
    FP8(fp8, fp8, SIZE, AV, BV, ACC, M, K) \
    FP8(fp8, bf8, SIZE, AV, BV, ACC, M, K) \
    FP8(bf8, fp8, SIZE, AV, BV, ACC, M, K) \
    FP8(bf8, bf8, SIZE, AV, BV, ACC, M, K)

SPARSE(f16_16x16x32, half4, half8, float4_, bits16, float, 16, 32, 0, CALL(f32_16x16x32_f16, 0, 0))
SPARSE(f16_16x16x32_set1, half4, half8, float4_, bits16, float, 16, 32, 8, CALL(f32_16x16x32_f16, 0, 1))
SPARSE(f16_16x16x32_set3, half4, half8, float4_, bits16, float, 16, 32, 24, CALL(f32_16x16x32_f16, 0, 3))
SPARSE(f16_16x16x32_first, half4, half8, float4_, bits16, float, 16, 32, 0, CALL(f32_16x16x32_f16, 1, 3))
SPARSE(f16_32x32x16, half4, half8, float16_, bits16, float, 32, 16, 0, CALL(f32_32x32x16_f16, 0, 0))
SPARSE(bf16_16x16x32, short4_, short8_, float4_, bits16, float, 16, 32, 0, CALL(f32_16x16x32_bf16, 0, 0))
SPARSE(bf16_32x32x16, short4_, short8_, float16_, bits16, float, 32, 16, 16, CALL(f32_32x32x16_bf16, 0, 2))
SPARSE(i8_16x16x64, int2_, int4_, int4_, signed char, int, 16, 64, 0, CALL(i32_16x16x64_i8, 0, 0))
SPARSE(i8_16x16x64_set1, int2_, int4_, int4_, signed char, int, 16, 64, 16, CALL(i32_16x16x64_i8, 0, 1))
SPARSE(i8_32x32x32, int2_, int4_, int16_, signed char, int, 32, 32, 0, CALL(i32_32x32x32_i8, 0, 0))
ALL_FP8(16x16x64, int2_, int4_, float4_, 16, 64)
ALL_FP8(32x32x32, int2_, int4_, float16_, 32, 32)
#if defined(__gfx950__)
SPARSE(f16_16x16x64, half8, half16, float4_, bits16, float, 16, 64, 0, CALL(f32_16x16x64_f16, 0, 0))
SPARSE(f16_16x16x64_set1, half8, half16, float4_, bits16, float, 16, 64, 16, CALL(f32_16x16x64_f16, 0, 1))
SPARSE(f16_32x32x32, half8, half16, float16_, bits16, float, 32, 32, 0, CALL(f32_32x32x32_f16, 0, 0))
SPARSE(bf16_16x16x64, brain8, brain16, float4_, bits16, float, 16, 64, 0, CALL(f32_16x16x64_bf16, 0, 0))
SPARSE(bf16_32x32x32, brain8, brain16, float16_, bits16, float, 32, 32, 0, CALL(f32_32x32x32_bf16, 0, 0))
SPARSE(i8_16x16x128, int4_, int8_, int4_, signed char, int, 16, 128, 0, CALL(i32_16x16x128_i8, 0, 0))
SPARSE(i8_32x32x64, int4_, int8_, int16_, signed char, int, 32, 64, 0, CALL(i32_32x32x64_i8, 0, 0))
ALL_FP8(16x16x128, int4_, int8_, float4_, 16, 128)
ALL_FP8(32x32x64, int4_, int8_, float16_, 32, 64)
#endif
#else
#define CALL(NAME) __builtin_amdgcn_swmmac_##NAME##_w32(va, vb, vc, index)
// The builtins have no argument for the half of the register.
#define HIGH(TEXT)                                                                                                   \
    ({                                                                                                               \
        asm volatile("v_swmmac_" TEXT : "+v"(vc) : "v"(va), "v"(vb), "v"(index));                                    \
        vc;                                                                                                          \
    })
#define FP8(A, B) \
    SPARSE(A##_##B, int2_, int4_, float8_, unsigned char, float, 16, 32, 0, CALL(f32_16x16x32_##A##_##B))

SPARSE(f16, half8, half16, float8_, bits16, float, 16, 32, 0, CALL(f32_16x16x32_f16))
SPARSE(f16_set1, half8, half16, float8_, bits16, float, 16, 32, 16, HIGH("f32_16x16x32_f16 %0, %1, %2, %3 index_key:1"))
SPARSE(bf16, short8_, short16_, float8_, bits16, float, 16, 32, 0, CALL(f32_16x16x32_bf16))
SPARSE(f16_f16, half8, half16, half8, bits16, bits16, 16, 32, 0, CALL(f16_16x16x32_f16))
SPARSE(bf16_bf16, short8_, short16_, short8_, bits16, bits16, 16, 32, 0, CALL(bf16_16x16x32_bf16))
SPARSE(i8, int2_, int4_, int8_, signed char, int, 16, 32, 0, __builtin_amdgcn_swmmac_i32_16x16x32_iu8_w32(true, va, true, vb, vc, index, false))
SPARSE(u8_set1, int2_, int4_, int8_, unsigned char, int, 16, 32, 16, HIGH("i32_16x16x32_iu8 %0, %1, %2, %3 index_key:1"))
FP8(fp8, fp8)
FP8(fp8, bf8)
FP8(bf8, fp8)
FP8(bf8, bf8)
#endif
