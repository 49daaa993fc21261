// Products of matrices whose formats the instruction chooses (gfx950), one wave each. The elements come one in a byte.

typedef int int8_ __attribute__((ext_vector_type(8)));
typedef float float4_ __attribute__((ext_vector_type(4)));
typedef float float16_ __attribute__((ext_vector_type(16)));

// The 32 elements of a lane side by side; `step` is from one to the next `k` in memory. Bytes lie in two pieces of 16.
template <int FORMAT, int M> __device__ int8_ packed(const unsigned char *first, int lane, int step) {
    const int width = FORMAT < 2 ? 8 : FORMAT < 4 ? 6 : 4, turns = 64 / M;
    unsigned long long words[5] = {};
    for (int item = 0; item < 32; item++) {
        int k = FORMAT < 2 ? item / 16 * 16 * turns + lane / M * 16 + item % 16 : lane / M * 32 + item;
        unsigned long long element = first[k * step];
        int at = width * item;
        words[at / 64] |= element << (at % 64);
        if (at % 64 + width > 64) words[at / 64 + 1] |= element >> (64 - at % 64);
    }
    int8_ result;
    for (int word = 0; word < 8; word++) result[word] = (int)(words[word / 2] >> (word % 2 * 32));
    return result;
}

template <int M> __device__ int row(int lane, int item) {
    return M == 16 ? 4 * (lane / 16) + item : 8 * (item / 4) + 4 * (lane / 32) + item % 4;
}

#define CHOSEN(A, B, M, K, ACC)                                                                                      \
    extern "C" __attribute__((global)) void chosen_##A##_##B##_##M(const unsigned char *a, const unsigned char *b,   \
                                                                   const float *c, float *d) {                       \
        const int lane = __builtin_amdgcn_workitem_id_x();                                                           \
        int8_ fa = packed<A, M>(a + lane % M * K, lane, 1), fb = packed<B, M>(b + lane % M, lane, M);                 \
        ACC sum;                                                                                                     \
        for (int item = 0; item < M * M / 64; item++) sum[item] = c[row<M>(lane, item) * M + lane % M];              \
        sum = __builtin_amdgcn_mfma_scale_f32_##M##x##M##x##K##_f8f6f4(fa, fb, sum, A, B, 0, 0, 0, 0);               \
        for (int item = 0; item < M * M / 64; item++) d[row<M>(lane, item) * M + lane % M] = sum[item];              \
    }
#define BOTH(A, B) CHOSEN(A, B, 16, 128, float4_) CHOSEN(A, B, 32, 64, float16_)
#define ALL(A) BOTH(A, 0) BOTH(A, 1) BOTH(A, 2) BOTH(A, 3) BOTH(A, 4)
ALL(0)
ALL(1)
ALL(2)
ALL(3)
ALL(4)
