// Functions of half and bfloat16 over edges and a mixed walk of bit patterns. The output was recorded on an NVIDIA GPU.
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

__device__ unsigned long long mix(unsigned long long hash, unsigned long long value) {
    return (hash ^ value) * 0x100000001b3ull;
}

// All 65,536 patterns of a bfloat16 and of a half, in order, so that a result is one number.
__global__ void to_integers(unsigned long long* out) {
    unsigned long long h[26];
    for (int i = 0; i < 26; i++) h[i] = 0xcbf29ce484222325ull;
    for (unsigned bits = 0; bits < 65536; bits++) {
        __nv_bfloat16 b = __ushort_as_bfloat16((unsigned short)bits);
        __half f = __ushort_as_half((unsigned short)bits);
        h[0] = mix(h[0], (unsigned)__bfloat162int_rn(b));
        h[1] = mix(h[1], (unsigned)__bfloat162int_rz(b));
        h[2] = mix(h[2], (unsigned)__bfloat162int_rd(b));
        h[3] = mix(h[3], (unsigned)__bfloat162int_ru(b));
        h[4] = mix(h[4], __bfloat162uint_rn(b));
        h[5] = mix(h[5], __bfloat162uint_rz(b));
        h[6] = mix(h[6], __bfloat162uint_rd(b));
        h[7] = mix(h[7], __bfloat162uint_ru(b));
        h[8] = mix(h[8], (unsigned short)__bfloat162short_rn(b));
        h[9] = mix(h[9], (unsigned short)__bfloat162short_rz(b));
        h[10] = mix(h[10], (unsigned short)__bfloat162short_rd(b));
        h[11] = mix(h[11], (unsigned short)__bfloat162short_ru(b));
        h[12] = mix(h[12], __bfloat162ushort_rn(b));
        h[13] = mix(h[13], __bfloat162ushort_rz(b));
        h[14] = mix(h[14], __bfloat162ushort_rd(b));
        h[15] = mix(h[15], __bfloat162ushort_ru(b));
        bool is_nan = __hisnan(b);
        h[16] = mix(h[16], is_nan ? 0 : (unsigned long long)__bfloat162ll_rn(b));
        h[17] = mix(h[17], is_nan ? 0 : (unsigned long long)__bfloat162ll_rz(b));
        h[18] = mix(h[18], is_nan ? 0 : (unsigned long long)__bfloat162ll_rd(b));
        h[19] = mix(h[19], is_nan ? 0 : __bfloat162ull_ru(b));
        h[20] = mix(h[20], is_nan ? 0 : __bfloat162ull_rn(b));
        h[21] = mix(h[21], (unsigned char)__bfloat162char_rz(b));
        h[22] = mix(h[22], __bfloat162uchar_rz(b));
        h[23] = mix(h[23], (unsigned char)__half2char_rz(f));
        h[24] = mix(h[24], __half2uchar_rz(f));
    }
    for (int i = 0; i < 25; i++) out[i] = h[i];
}

__device__ unsigned short bits_of(__nv_bfloat16 value) { return __bfloat16_as_ushort(value); }

__global__ void from_integers(unsigned long long* out) {
    unsigned long long h[28];
    for (int i = 0; i < 28; i++) h[i] = 0xcbf29ce484222325ull;
    unsigned long long state = 0x9e3779b97f4a7c15ull;
    for (int n = 0; n < 20000; n++) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        // Of all sizes, and each with its neighbours; ties are met with few bits.
        unsigned long long value = state >> (n % 64);
        if (n % 3 == 0) value &= ~0ull << (n % 61);
        if (n < 70) value = n < 64 ? 1ull << n : n - 66;
        h[0] = mix(h[0], bits_of(__int2bfloat16_rn((int)value)));
        h[1] = mix(h[1], bits_of(__int2bfloat16_rz((int)value)));
        h[2] = mix(h[2], bits_of(__int2bfloat16_rd((int)value)));
        h[3] = mix(h[3], bits_of(__int2bfloat16_ru((int)value)));
        h[4] = mix(h[4], bits_of(__uint2bfloat16_rn((unsigned)value)));
        h[5] = mix(h[5], bits_of(__uint2bfloat16_rz((unsigned)value)));
        h[6] = mix(h[6], bits_of(__uint2bfloat16_rd((unsigned)value)));
        h[7] = mix(h[7], bits_of(__uint2bfloat16_ru((unsigned)value)));
        h[8] = mix(h[8], bits_of(__ll2bfloat16_rn((long long)value)));
        h[9] = mix(h[9], bits_of(__ll2bfloat16_rz((long long)value)));
        h[10] = mix(h[10], bits_of(__ll2bfloat16_rd((long long)value)));
        h[11] = mix(h[11], bits_of(__ll2bfloat16_ru((long long)value)));
        h[12] = mix(h[12], bits_of(__ull2bfloat16_rn(value)));
        h[13] = mix(h[13], bits_of(__ull2bfloat16_rz(value)));
        h[14] = mix(h[14], bits_of(__ull2bfloat16_rd(value)));
        h[15] = mix(h[15], bits_of(__ull2bfloat16_ru(value)));
        h[16] = mix(h[16], bits_of(__short2bfloat16_rn((short)value)));
        h[17] = mix(h[17], bits_of(__short2bfloat16_rd((short)value)));
        h[18] = mix(h[18], bits_of(__ushort2bfloat16_ru((unsigned short)value)));
        h[19] = mix(h[19], bits_of(__ushort2bfloat16_rz((unsigned short)value)));
        float number = __uint_as_float((unsigned)value);
        h[20] = mix(h[20], bits_of(__float2bfloat16_rz(number)));
        h[21] = mix(h[21], bits_of(__float2bfloat16_rd(number)));
        h[22] = mix(h[22], bits_of(__float2bfloat16_ru(number)));
        if (number == number) h[23] = mix(h[23], bits_of(__low2bfloat16(__float2bfloat162_rn(number))));
        double real = __longlong_as_double((long long)value), small = (double)(long long)value / 4294967296.0 / 65536.0;
        if (real == real) h[24] = mix(h[24], __half_as_ushort(__double2half(real)));
        h[25] = mix(h[25], __half_as_ushort(__double2half(small)));
    }
    for (int i = 0; i < 26; i++) out[i] = h[i];
}

__global__ void compare(unsigned long long* out) {
    unsigned long long h[18];
    for (int i = 0; i < 18; i++) h[i] = 0xcbf29ce484222325ull;
    // Not known to the compiler, which would compute some of it by itself.
    const volatile unsigned short edges[] = {0, 0x8000, 1, 0x8001, 0x3c00, 0xbc00, 0x3f80, 0x7bff, 0x7c00, 0xfc00, 0x7e00, 0xfe00, 0x7f80, 0xff80, 0x7fc0};
    for (int i = 0; i < 15; i++) {
        for (int j = 0; j < 15; j++) {
            __half2 a = __halves2half2(__ushort_as_half(edges[i]), __ushort_as_half(edges[j]));
            __half2 b = __halves2half2(__ushort_as_half(edges[j]), __ushort_as_half(edges[(i + j) % 15]));
            __nv_bfloat162 c = __halves2bfloat162(__ushort_as_bfloat16(edges[i]), __ushort_as_bfloat16(edges[j]));
            __nv_bfloat162 d = __halves2bfloat162(__ushort_as_bfloat16(edges[j]), __ushort_as_bfloat16(edges[(i + j) % 15]));
            h[0] = mix(mix(h[0], __heq2_mask(a, b)), __heq2_mask(c, d));
            h[1] = mix(mix(h[1], __hne2_mask(a, b)), __hne2_mask(c, d));
            h[2] = mix(mix(h[2], __hlt2_mask(a, b)), __hlt2_mask(c, d));
            h[3] = mix(mix(h[3], __hle2_mask(a, b)), __hle2_mask(c, d));
            h[4] = mix(mix(h[4], __hgt2_mask(a, b)), __hgt2_mask(c, d));
            h[5] = mix(mix(h[5], __hge2_mask(a, b)), __hge2_mask(c, d));
            h[6] = mix(mix(h[6], __hequ2_mask(a, b)), __hequ2_mask(c, d));
            h[7] = mix(mix(h[7], __hneu2_mask(a, b)), __hneu2_mask(c, d));
            h[8] = mix(mix(h[8], __hltu2_mask(a, b)), __hltu2_mask(c, d));
            h[9] = mix(mix(h[9], __hleu2_mask(a, b)), __hleu2_mask(c, d));
            h[10] = mix(mix(h[10], __hgtu2_mask(a, b)), __hgtu2_mask(c, d));
            h[11] = mix(mix(h[11], __hgeu2_mask(a, b)), __hgeu2_mask(c, d));
            __half2 most = __hmax2_nan(a, b), least = __hmin2_nan(a, b);
            h[12] = mix(mix(h[12], __half_as_ushort(__low2half(most))), __half_as_ushort(__high2half(most)));
            h[13] = mix(mix(h[13], __half_as_ushort(__low2half(least))), __half_as_ushort(__high2half(least)));
            h[14] = mix(h[14], __half_as_ushort(__hfma_relu(__low2half(a), __low2half(b), __high2half(a))));
        }
    }
    for (int i = 0; i < 15; i++) out[i] = h[i];
    __half2 x = __floats2half2_rn(1.5f, -2.25f), y = __floats2half2_rn(0.5f, 3.0f), z = __hcmadd(x, y, x);
    out[16] = __half_as_ushort(__low2half(z)) | (unsigned long long)__half_as_ushort(__high2half(z)) << 16;
    out[17] = umin(3u, 0xfffffff0u) + 10 * umax(3u, 5u) + 1000 * llmin(-3ll, 4ll) + 100000 * ullmax(7ull, 2ull);
}

// What does not fit becomes the nearest integer that there is.
__global__ void wide_integers(unsigned long long* out) {
    unsigned long long h[20], state = 0x2545f4914f6cdd1dull;
    for (int i = 0; i < 20; i++) h[i] = 0xcbf29ce484222325ull;
    for (int n = 0; n < 4000; n++) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        // Exponents around those of integers, and some of all.
        unsigned exponent = n % 5 ? 100 + n % 100 : (unsigned)(state >> 40) & 0xff;
        float f = __uint_as_float((unsigned)(state >> 32 & 0x807fffff) | exponent << 23);
        double d = n % 7 ? (double)f * 1.0000001 : __longlong_as_double((long long)state);
        h[0] = mix(h[0], __float2ll_rn(f));
        h[1] = mix(h[1], __float2ll_rz(f));
        h[2] = mix(h[2], __float2ll_rd(f));
        h[3] = mix(h[3], __float2ll_ru(f));
        h[4] = mix(h[4], __float2ull_rn(f));
        h[5] = mix(h[5], __float2ull_rz(f));
        h[6] = mix(h[6], __float2ull_rd(f));
        h[7] = mix(h[7], __float2ull_ru(f));
        h[8] = mix(h[8], __double2ll_rn(d));
        h[9] = mix(h[9], __double2ll_rz(d));
        h[10] = mix(h[10], __double2ll_rd(d));
        h[11] = mix(h[11], __double2ll_ru(d));
        h[12] = mix(h[12], __double2ull_rn(d));
        h[13] = mix(h[13], __double2ull_rz(d));
        h[14] = mix(h[14], __double2ull_rd(d));
        h[15] = mix(h[15], __double2ull_ru(d));
        __half s = __ushort_as_half((unsigned short)(state >> 48));
        h[16] = mix(mix(h[16], __half2ll_rn(s)), __half2ll_rz(s));
        h[17] = mix(mix(h[17], __half2ll_rd(s)), __half2ll_ru(s));
        h[18] = mix(mix(h[18], __half2ull_rn(s)), __half2ull_rz(s));
        h[19] = mix(mix(h[19], __half2ull_rd(s)), __half2ull_ru(s));
    }
    for (int i = 0; i < 20; i++) out[i] = h[i];
    // Those of 32 bits and less, and of halves.
    unsigned long long small = 0xcbf29ce484222325ull;
    for (unsigned bits = 0; bits < 65536; bits++) {
        __half s = __ushort_as_half((unsigned short)bits);
        float f = __uint_as_float(bits << 16 | 0x1234);
        double d = (double)f;
        small = mix(mix(small, (unsigned)__half2int_rn(s)), __half2uint_rz(s));
        small = mix(mix(small, (unsigned short)__half2short_rd(s)), __half2ushort_ru(s));
        small = mix(mix(small, (unsigned)__float2int_rn(f)), __float2uint_ru(f));
        if (d == d) small = mix(mix(small, (unsigned)__double2int_rd(d)), __double2uint_rz(d));
    }
    out[20] = small;
}

// Each thread copies what another one reads.
__global__ void copies(const float4* from, unsigned long long* out) {
    __shared__ float4 wide[64];
    __shared__ float narrow[64];
    int at = threadIdx.x;
    __pipeline_memcpy_async(&wide[at], &from[at], sizeof(float4));
    __pipeline_commit();
    __pipeline_memcpy_async(&narrow[at], &from[at].y, sizeof(float), at % 2 ? 4 : 0);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    float4 mine = wide[63 - at];
    atomicAdd(out, (unsigned long long)(mine.x * 3 + mine.w + narrow[(at * 7) % 64] * at));
}

int main() {
    unsigned long long *out, host[128] = {};
    float4 *from, values[64];
    for (int i = 0; i < 64; i++) values[i] = make_float4(i, i + 100, i * 2, i * i);
    cudaMalloc(&out, sizeof host);
    cudaMalloc(&from, sizeof values);
    cudaMemcpy(from, values, sizeof values, cudaMemcpyHostToDevice);
    cudaMemset(out, 0, sizeof host);
    to_integers<<<1, 1>>>(out);
    from_integers<<<1, 1>>>(out + 32);
    compare<<<1, 1>>>(out + 64);
    copies<<<1, 64>>>(from, out + 96);
    wide_integers<<<1, 1>>>(out + 100);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 128; i++)
        if (host[i]) printf("%d %016llx\n", i, host[i]);
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
