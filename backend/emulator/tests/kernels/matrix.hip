// Products of matrices, one wave each. A lane fills its registers with the elements that the manuals say it holds, as
// programs do: element `item` of a lane is computed from the lane, not the lane from the element.

typedef _Float16 half4 __attribute__((ext_vector_type(4)));
typedef _Float16 half8 __attribute__((ext_vector_type(8)));
typedef _Float16 half16 __attribute__((ext_vector_type(16)));
typedef short short2_ __attribute__((ext_vector_type(2)));
typedef short short4_ __attribute__((ext_vector_type(4)));
typedef short short8_ __attribute__((ext_vector_type(8)));
typedef short short16_ __attribute__((ext_vector_type(16)));
typedef __bf16 bf8 __attribute__((ext_vector_type(8)));
typedef float float2_ __attribute__((ext_vector_type(2)));
typedef float float4_ __attribute__((ext_vector_type(4)));
typedef float float8_ __attribute__((ext_vector_type(8)));
typedef float float16_ __attribute__((ext_vector_type(16)));
typedef float float32_ __attribute__((ext_vector_type(32)));
typedef int int2_ __attribute__((ext_vector_type(2)));
typedef int int4_ __attribute__((ext_vector_type(4)));
typedef int int8_ __attribute__((ext_vector_type(8)));
typedef int int16_ __attribute__((ext_vector_type(16)));
typedef int int32_ __attribute__((ext_vector_type(32)));
typedef double double4_ __attribute__((ext_vector_type(4)));
typedef unsigned short bits16;

template <class V, class E> union Fragment {
    V vector;
    E element[sizeof(V) / sizeof(E)];
};

#if defined(__gfx908__) || defined(__gfx90a__) || defined(__gfx942__) || defined(__gfx950__)

// Row of an element of the result, and block.
template <int M, int B, class O> __device__ void place(int lane, int item, int &i, int &block) {
    if (sizeof(O) == 8) {
        i = M == 16 ? 4 * item + lane / 16 : lane / 16;
        block = M == 16 ? 0 : lane / 4 % 4;
    } else if (M == 4) {
        i = item;
        block = lane / 4;
    } else if (M == 16) {
        i = 4 * (lane / 16) + item % 4;
        block = item / 4;
    } else {
        i = 8 * (item / 4 % 4) + 4 * (lane / 32) + item % 4;
        block = item / 16;
    }
}

#define MFMA(NAME, V, ACC, E, O, M, K, B, BUILTIN)                                                    \
    extern "C" __attribute__((global)) void NAME(const E *a, const E *b, const O *c, O *d) {           \
        const int lane = __builtin_amdgcn_workitem_id_x(), items = M * K * B / 64;                     \
        Fragment<V, E> fa, fb;                                                                         \
        for (int item = 0; item < items; item++) {                                                     \
            int block = lane / M % B, k = lane / (M * B) * items + item;                               \
            fa.element[item] = a[(block * M + lane % M) * K + k];                                      \
            fb.element[item] = b[(block * K + k) * M + lane % M];                                      \
        }                                                                                              \
        Fragment<ACC, O> sum;                                                                          \
        int i, block;                                                                                  \
        for (int item = 0; item < M * M * B / 64; item++) {                                            \
            place<M, B, O>(lane, item, i, block);                                                      \
            sum.element[item] = c[(block * M + i) * M + lane % M];                                     \
        }                                                                                              \
        sum.vector = BUILTIN(fa.vector, fb.vector, sum.vector, 0, 0, 0);                               \
        for (int item = 0; item < M * M * B / 64; item++) {                                            \
            place<M, B, O>(lane, item, i, block);                                                      \
            d[(block * M + i) * M + lane % M] = sum.element[item];                                     \
        }                                                                                              \
    }

MFMA(f32_32x32x1, float, float32_, float, float, 32, 1, 2, __builtin_amdgcn_mfma_f32_32x32x1f32)
MFMA(f32_16x16x1, float, float16_, float, float, 16, 1, 4, __builtin_amdgcn_mfma_f32_16x16x1f32)
MFMA(f32_4x4x1, float, float4_, float, float, 4, 1, 16, __builtin_amdgcn_mfma_f32_4x4x1f32)
MFMA(f32_32x32x2, float, float16_, float, float, 32, 2, 1, __builtin_amdgcn_mfma_f32_32x32x2f32)
MFMA(f32_16x16x4, float, float4_, float, float, 16, 4, 1, __builtin_amdgcn_mfma_f32_16x16x4f32)
MFMA(f16_32x32x4, half4, float32_, bits16, float, 32, 4, 2, __builtin_amdgcn_mfma_f32_32x32x4f16)
MFMA(f16_16x16x4, half4, float16_, bits16, float, 16, 4, 4, __builtin_amdgcn_mfma_f32_16x16x4f16)
MFMA(f16_4x4x4, half4, float4_, bits16, float, 4, 4, 16, __builtin_amdgcn_mfma_f32_4x4x4f16)
MFMA(f16_32x32x8, half4, float16_, bits16, float, 32, 8, 1, __builtin_amdgcn_mfma_f32_32x32x8f16)
MFMA(f16_16x16x16, half4, float4_, bits16, float, 16, 16, 1, __builtin_amdgcn_mfma_f32_16x16x16f16)
MFMA(i8_32x32x4, int, int32_, signed char, int, 32, 4, 2, __builtin_amdgcn_mfma_i32_32x32x4i8)
MFMA(i8_16x16x4, int, int16_, signed char, int, 16, 4, 4, __builtin_amdgcn_mfma_i32_16x16x4i8)
MFMA(i8_4x4x4, int, int4_, signed char, int, 4, 4, 16, __builtin_amdgcn_mfma_i32_4x4x4i8)
#if defined(__gfx908__) || defined(__gfx90a__)
MFMA(bf16_32x32x2, short2_, float32_, bits16, float, 32, 2, 2, __builtin_amdgcn_mfma_f32_32x32x2bf16)
MFMA(bf16_16x16x2, short2_, float16_, bits16, float, 16, 2, 4, __builtin_amdgcn_mfma_f32_16x16x2bf16)
MFMA(bf16_4x4x2, short2_, float4_, bits16, float, 4, 2, 16, __builtin_amdgcn_mfma_f32_4x4x2bf16)
MFMA(bf16_32x32x4, short2_, float16_, bits16, float, 32, 4, 1, __builtin_amdgcn_mfma_f32_32x32x4bf16)
MFMA(bf16_16x16x8, short2_, float4_, bits16, float, 16, 8, 1, __builtin_amdgcn_mfma_f32_16x16x8bf16)
MFMA(i8_32x32x8, int, int16_, signed char, int, 32, 8, 1, __builtin_amdgcn_mfma_i32_32x32x8i8)
MFMA(i8_16x16x16, int, int4_, signed char, int, 16, 16, 1, __builtin_amdgcn_mfma_i32_16x16x16i8)
#else
MFMA(i8_32x32x16, long, int16_, signed char, int, 32, 16, 1, __builtin_amdgcn_mfma_i32_32x32x16_i8)
MFMA(i8_16x16x32, long, int4_, signed char, int, 16, 32, 1, __builtin_amdgcn_mfma_i32_16x16x32_i8)
#endif
#if !defined(__gfx908__)
MFMA(bf16_32x32x4_1k, short4_, float32_, bits16, float, 32, 4, 2, __builtin_amdgcn_mfma_f32_32x32x4bf16_1k)
MFMA(bf16_16x16x4_1k, short4_, float16_, bits16, float, 16, 4, 4, __builtin_amdgcn_mfma_f32_16x16x4bf16_1k)
MFMA(bf16_4x4x4_1k, short4_, float4_, bits16, float, 4, 4, 16, __builtin_amdgcn_mfma_f32_4x4x4bf16_1k)
MFMA(bf16_32x32x8_1k, short4_, float16_, bits16, float, 32, 8, 1, __builtin_amdgcn_mfma_f32_32x32x8bf16_1k)
MFMA(bf16_16x16x16_1k, short4_, float4_, bits16, float, 16, 16, 1, __builtin_amdgcn_mfma_f32_16x16x16bf16_1k)
MFMA(f64_16x16x4, double, double4_, double, double, 16, 4, 1, __builtin_amdgcn_mfma_f64_16x16x4f64)
MFMA(f64_4x4x4, double, double, double, double, 4, 4, 4, __builtin_amdgcn_mfma_f64_4x4x4f64)
#endif
#if defined(__gfx942__) || defined(__gfx950__)
#define FP8_MFMA(A, B)                                                                                                   \
    MFMA(A##_##B##_16x16x32, long, float4_, unsigned char, float, 16, 32, 1, __builtin_amdgcn_mfma_f32_16x16x32_##A##_##B) \
    MFMA(A##_##B##_32x32x16, long, float16_, unsigned char, float, 32, 16, 1, __builtin_amdgcn_mfma_f32_32x32x16_##A##_##B)
FP8_MFMA(fp8, fp8)
FP8_MFMA(fp8, bf8)
FP8_MFMA(bf8, fp8)
FP8_MFMA(bf8, bf8)
#endif
#if defined(__gfx942__)
MFMA(xf32_16x16x8, float2_, float4_, float, float, 16, 8, 1, __builtin_amdgcn_mfma_f32_16x16x8_xf32)
MFMA(xf32_32x32x4, float2_, float16_, float, float, 32, 4, 1, __builtin_amdgcn_mfma_f32_32x32x4_xf32)
#endif
#if defined(__gfx950__)
MFMA(f16_16x16x32, half8, float4_, bits16, float, 16, 32, 1, __builtin_amdgcn_mfma_f32_16x16x32_f16)
MFMA(f16_32x32x16, half8, float16_, bits16, float, 32, 16, 1, __builtin_amdgcn_mfma_f32_32x32x16_f16)
MFMA(bf16_16x16x32, bf8, float4_, bits16, float, 16, 32, 1, __builtin_amdgcn_mfma_f32_16x16x32_bf16)
MFMA(bf16_32x32x16, bf8, float16_, bits16, float, 32, 16, 1, __builtin_amdgcn_mfma_f32_32x32x16_bf16)
MFMA(i8_32x32x32, int4_, int16_, signed char, int, 32, 32, 1, __builtin_amdgcn_mfma_i32_32x32x32_i8)
MFMA(i8_16x16x64, int4_, int4_, signed char, int, 16, 64, 1, __builtin_amdgcn_mfma_i32_16x16x64_i8)
#endif

#else

#if defined(__gfx12__) || defined(__gfx1200__) || defined(__gfx1201__)
#define ITEMS 8
#define FIRST(lane) (8 * ((lane) / 16))
#define ROW(lane, item) (8 * ((lane) / 16) + (item))
#else
#define ITEMS 16
#define FIRST(lane) 0
#define ROW(lane, item) (2 * (item) + (lane) / 16)
#endif

// The result has one element per register on gfx11, where `SKIP` is 2 for those of 16 bits.
#define WMMA(NAME, V, ACC, E, O, SKIP, CALL)                                                          \
    extern "C" __attribute__((global)) void NAME(const E *a, const E *b, const O *c, O *d) {           \
        const int lane = __builtin_amdgcn_workitem_id_x();                                             \
        Fragment<V, E> fa, fb;                                                                         \
        for (int item = 0; item < ITEMS; item++) {                                                     \
            fa.element[item] = a[lane % 16 * 16 + FIRST(lane) + item];                                 \
            fb.element[item] = b[(FIRST(lane) + item) * 16 + lane % 16];                               \
        }                                                                                              \
        Fragment<ACC, O> sum = {};                                                                     \
        for (int item = 0; item < 8; item++) sum.element[item * SKIP] = c[ROW(lane, item) * 16 + lane % 16]; \
        V va = fa.vector, vb = fb.vector;                                                              \
        ACC vc = sum.vector;                                                                           \
        sum.vector = CALL;                                                                             \
        for (int item = 0; item < 8; item++) d[ROW(lane, item) * 16 + lane % 16] = sum.element[item * SKIP]; \
    }

// Elements of four bits, which memory has in bytes.
#if ITEMS == 8
typedef int nibbles;
#define IU4(SIGNED, A, B, C) __builtin_amdgcn_wmma_i32_16x16x16_iu4_w32_gfx12(SIGNED, A, SIGNED, B, C, false)
#else
typedef int2_ nibbles;
#define IU4(SIGNED, A, B, C) __builtin_amdgcn_wmma_i32_16x16x16_iu4_w32(SIGNED, A, SIGNED, B, C, false)
#endif

#define WMMA4(NAME, SIGNED)                                                                           \
    extern "C" __attribute__((global)) void NAME(const char *a, const char *b, const int *c, int *d) { \
        const int lane = __builtin_amdgcn_workitem_id_x();                                             \
        unsigned long bits[2] = {};                                                                    \
        for (int item = 0; item < ITEMS; item++) {                                                     \
            bits[0] |= (a[lane % 16 * 16 + FIRST(lane) + item] & 15ul) << (4 * item);                  \
            bits[1] |= (b[(FIRST(lane) + item) * 16 + lane % 16] & 15ul) << (4 * item);                \
        }                                                                                              \
        Fragment<nibbles, int> fa = {}, fb = {};                                                       \
        for (int word = 0; word < ITEMS / 8; word++) {                                                 \
            fa.element[word] = (int)(bits[0] >> (32 * word));                                          \
            fb.element[word] = (int)(bits[1] >> (32 * word));                                          \
        }                                                                                              \
        Fragment<int8_, int> sum;                                                                      \
        for (int item = 0; item < 8; item++) sum.element[item] = c[ROW(lane, item) * 16 + lane % 16];  \
        sum.vector = IU4(SIGNED, fa.vector, fb.vector, sum.vector);                                    \
        for (int item = 0; item < 8; item++) d[ROW(lane, item) * 16 + lane % 16] = sum.element[item];  \
    }

WMMA4(i4, true)
WMMA4(u4, false)

#if ITEMS == 8
WMMA(f16, half8, float8_, bits16, float, 1, __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(va, vb, vc))
WMMA(bf16, short8_, float8_, bits16, float, 1, __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32_gfx12(va, vb, vc))
WMMA(f16_f16, half8, half8, bits16, bits16, 1, __builtin_amdgcn_wmma_f16_16x16x16_f16_w32_gfx12(va, vb, vc))
WMMA(bf16_bf16, short8_, short8_, bits16, bits16, 1, __builtin_amdgcn_wmma_bf16_16x16x16_bf16_w32_gfx12(va, vb, vc))
WMMA(i8, int2_, int8_, signed char, int, 1, __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32_gfx12(true, va, true, vb, vc, false))
WMMA(u8, int2_, int8_, unsigned char, int, 1, __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32_gfx12(false, va, false, vb, vc, true))
#define FP8_WMMA(A, B) \
    WMMA(A##_##B, int2_, float8_, unsigned char, float, 1, __builtin_amdgcn_wmma_f32_16x16x16_##A##_##B##_w32_gfx12(va, vb, vc))
FP8_WMMA(fp8, fp8)
FP8_WMMA(fp8, bf8)
FP8_WMMA(bf8, fp8)
FP8_WMMA(bf8, bf8)
#else
WMMA(f16, half16, float8_, bits16, float, 1, __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(va, vb, vc))
WMMA(bf16, short16_, float8_, bits16, float, 1, __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(va, vb, vc))
WMMA(f16_f16, half16, half16, bits16, bits16, 2, __builtin_amdgcn_wmma_f16_16x16x16_f16_w32(va, vb, vc, false))
WMMA(bf16_bf16, short16_, short16_, bits16, bits16, 2, __builtin_amdgcn_wmma_bf16_16x16x16_bf16_w32(va, vb, vc, false))
WMMA(i8, int4_, int8_, signed char, int, 1, __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32(true, va, true, vb, vc, false))
WMMA(u8, int4_, int8_, unsigned char, int, 1, __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32(false, va, false, vb, vc, true))
#endif
#endif
