// Functions of CUDA for half and bfloat16 that give the same bits on every GPU, over edges and mixed values. The output was recorded on
// an NVIDIA GPU.
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

static const int COUNT = 64;
__constant__ double reals[COUNT] = {
    0.0, -0.0, 1.0, -1.0, 0.5, -1.5, 2.5, 1e300, -0.1, 3.0, 100.7, -7.25, 1.0 / 3, 1e-8, -1e10, 65504.0, 65520.0, 2147483648.0, -2147483649.0,
    4294967296.0, 1e-310, 1.4e-45, 1e-39, 9.3e18, -9.3e18, 1.9e19, 255.5, -128.5, 32767.5, 3.4e38, -3.4e38, 1.0000001, 0.99999994, 6e-8, 3e-8,
    6.1e-5, 5.9e-5, 1024.5, 2049.0, 2047.5, 0.7, 1.7, -2.7, 4.4, 10.0, 20.5, -88.0, 89.0, -0.3, 0.25, 12345.678, -9876.5, 1e5, 1e6, -1e6, 31.0, 63.0,
    1e15, -1e15, 123456789.0};
__constant__ unsigned long long words[COUNT] = {
    0, 1, 0xffffffffffffffffull, 0x80000000ull, 0x7fffffffull, 0x8000000000000000ull, 0x7fffffffffffffffull, 31, 32, 33, 5, 255, 256, 0xff00ff00ull,
    0x12345678ull, 0x80808080ull, 0x7f7f7f7full, 0x01020304ull, 0x0123456789abcdefull, 0xfedcba9876543210ull, 16, 8, 63, 64, 0xffffull, 0x8000ull,
    0x7fffull, 0x80ff7f01ull, 0x55555555ull, 0xaaaaaaaaull, 0xfffffff0ull, 1000, 7, 3, 2, 4, 0xdeadbeefull, 0xcafebabe00000001ull, 0x100000000ull,
    0xffffffff00000000ull, 24, 23, 12, 100, 0x00800000ull, 0xff7fffffull, 0x3f800000ull, 0xbf800000ull, 0x7f800000ull, 0x7fc00000ull, 0x00000100ull,
    0x10000ull, 0xfffeull, 0x0101ull, 0x80010002ull, 0x7f80807full, 48, 17, 15, 9, 6, 10, 11, 13};
__constant__ unsigned short halves[COUNT] = {
    0, 0x8000, 0x3c00, 0xbc00, 0x3800, 0x7c00, 0xfc00, 0x7e00, 0x0001, 0x8001, 0x03ff, 0x0400, 0x7bff, 0xfbff, 0x4200, 0xc780, 0x3555, 0x3c01,
    0x3bff, 0x6400, 0x6401, 0x5640, 0xd640, 0x1000, 0x4900, 0x4248, 0xc248, 0x2e66, 0x3e00, 0xbe00, 0x4100, 0xc100, 0x7bfe, 0x7000, 0xf000, 0x0200,
    0x8200, 0x4580, 0x3a00, 0xba00, 0x5bf8, 0xdbf8, 0x77ff, 0x7800, 0x0010, 0x8010, 0x3fff, 0xbfff, 0x4c00, 0xcc00, 0x2000, 0xa000, 0x1400, 0x9400,
    0x6bff, 0x6c00, 0x4800, 0xc800, 0x4880, 0x3c80, 0x3d00, 0x3b00, 0x3000, 0xb000};
__constant__ unsigned short brains[COUNT] = {
    0, 0x8000, 0x3f80, 0xbf80, 0x3f00, 0x7f80, 0xff80, 0x7fc0, 0x0001, 0x8001, 0x007f, 0x0080, 0x7f7f, 0xff7f, 0x4040, 0xc0f0, 0x3eab, 0x3f81,
    0x3f7f, 0x4480, 0x4481, 0x42c8, 0xc2c8, 0x3a00, 0x4120, 0x4049, 0xc049, 0x3dcd, 0x3fc0, 0xbfc0, 0x4020, 0xc020, 0x7f00, 0x7e00, 0xfe00, 0x0040,
    0x8040, 0x40b0, 0x3f40, 0xbf40, 0x437f, 0xc37f, 0x46ff, 0x4700, 0x0010, 0x8010, 0x3fff, 0xbfff, 0x4180, 0xc180, 0x3c00, 0xbc00, 0x3a80, 0xba80,
    0x4f00, 0xcf00, 0x5f00, 0xdf00, 0x4b00, 0x3f90, 0x3fa0, 0x3f60, 0x3e00, 0xbe00};
// The number for place `i` of `of`.
template <typename T> __device__ T val(int i, int of);
__device__ int place(int i, int of) { return of == COUNT ? i : (i * 37 + of) % COUNT; }
template <> __device__ double val<double>(int i, int of) {
    int p = place(i, of);
    if (p < 60) return reals[p];
    return __longlong_as_double(p == 60 ? 0x7ff8000000000000ll : p == 61 ? 0x7ff0000000000000ll : p == 62 ? 0xfff0000000000000ll : 0);
}
template <> __device__ float val<float>(int i, int of) { return (float)val<double>(i, of); }
#define WHOLE(T) template <> __device__ T val<T>(int i, int of) { return (T)words[place(i, of)]; }
WHOLE(int)
WHOLE(unsigned int)
WHOLE(long)
WHOLE(unsigned long)
WHOLE(long long)
WHOLE(unsigned long long)
WHOLE(short)
WHOLE(unsigned short)
WHOLE(char)
WHOLE(signed char)
WHOLE(unsigned char)
template <> __device__ bool val<bool>(int i, int of) { return place(i, of) % 2; }
template <> __device__ __half val<__half>(int i, int of) { return __ushort_as_half(halves[place(i, of)]); }
template <> __device__ __half2 val<__half2>(int i, int of) { return __halves2half2(val<__half>(i, of), val<__half>((i * 5 + 3) % of, of)); }
template <> __device__ __nv_bfloat16 val<__nv_bfloat16>(int i, int of) { return __ushort_as_bfloat16(brains[place(i, of)]); }
template <> __device__ __nv_bfloat162 val<__nv_bfloat162>(int i, int of) { return __halves2bfloat162(val<__nv_bfloat16>(i, of), val<__nv_bfloat16>((i * 5 + 3) % of, of)); }

// What is no number has many patterns, and which one comes out is not promised.
__device__ unsigned long long bits(float a) { return a != a ? 0x7fc00000u : __float_as_uint(a); }
__device__ unsigned long long bits(double a) { return a != a ? 0x7ff8000000000000ull : (unsigned long long)__double_as_longlong(a); }
__device__ unsigned long long bits(int a) { return (unsigned long long)a; }
__device__ unsigned long long bits(unsigned int a) { return (unsigned long long)a; }
__device__ unsigned long long bits(long a) { return (unsigned long long)a; }
__device__ unsigned long long bits(unsigned long a) { return (unsigned long long)a; }
__device__ unsigned long long bits(long long a) { return (unsigned long long)a; }
__device__ unsigned long long bits(unsigned long long a) { return (unsigned long long)a; }
__device__ unsigned long long bits(short a) { return (unsigned long long)a; }
__device__ unsigned long long bits(unsigned short a) { return (unsigned long long)a; }
__device__ unsigned long long bits(char a) { return (unsigned long long)a; }
__device__ unsigned long long bits(signed char a) { return (unsigned long long)a; }
__device__ unsigned long long bits(unsigned char a) { return (unsigned long long)a; }
__device__ unsigned long long bits(bool a) { return (unsigned long long)a; }
__device__ unsigned long long bits(__half a) { return __hisnan(a) ? 0x7e00 : __half_as_ushort(a); }
__device__ unsigned long long bits(__nv_bfloat16 a) { return __hisnan(a) ? 0x7fc0 : __bfloat16_as_ushort(a); }
__device__ unsigned long long bits(__half2 a) { return bits(__low2half(a)) | bits(__high2half(a)) << 16; }
__device__ unsigned long long bits(__nv_bfloat162 a) { return bits(__low2bfloat16(a)) | bits(__high2bfloat16(a)) << 16; }
__device__ unsigned long long bits(float2 a) { return bits(a.x) | bits(a.y) << 32; }
__device__ void mix(unsigned long long& hash, unsigned long long value) { hash = (hash ^ value) * 0x100000001b3ull; }

__global__ void of_double(unsigned long long* h) {
    for (int i = 0; i < 64; i++) {
        double a = val<double>(i, 64);
        mix(h[0], bits(__double2half(a)));
        mix(h[1], bits(__double2bfloat16(a)));
    }
}
__global__ void of_float(unsigned long long* h) {
    for (int i = 0; i < 64; i++) {
        float a = val<float>(i, 64);
        mix(h[0], bits(__float2half(a)));
        mix(h[1], bits(__float2half_rn(a)));
        mix(h[2], bits(__float2half_rz(a)));
        mix(h[3], bits(__float2half_rd(a)));
        mix(h[4], bits(__float2half_ru(a)));
        mix(h[5], bits(__float2half2_rn(a)));
        mix(h[6], bits(__float2bfloat16(a)));
        mix(h[7], bits(__float2bfloat16_rn(a)));
        mix(h[8], bits(__float2bfloat16_rz(a)));
        mix(h[9], bits(__float2bfloat16_rd(a)));
        mix(h[10], bits(__float2bfloat16_ru(a)));
        mix(h[11], bits(__float2bfloat162_rn(a)));
    }
}
__global__ void of_float_float(unsigned long long* h) {
    for (int i = 0; i < 576; i++) {
        float a = val<float>(i % 24, 24);
        float b = val<float>(i / 24, 24);
        mix(h[0], bits(__floats2half2_rn(a, b)));
        mix(h[1], bits(__floats2bfloat162_rn(a, b)));
    }
}
__global__ void of_uint(unsigned long long* h) {
    for (int i = 0; i < 64; i++) {
        unsigned int a = val<unsigned int>(i, 64);
        mix(h[0], bits(__uint2half_rn(a)));
        mix(h[1], bits(__uint2half_rz(a)));
        mix(h[2], bits(__uint2half_rd(a)));
        mix(h[3], bits(__uint2half_ru(a)));
        mix(h[4], bits(__uint2bfloat16_rn(a)));
        mix(h[5], bits(__uint2bfloat16_rz(a)));
        mix(h[6], bits(__uint2bfloat16_rd(a)));
        mix(h[7], bits(__uint2bfloat16_ru(a)));
    }
}
__global__ void of_llong(unsigned long long* h) {
    for (int i = 0; i < 64; i++) {
        long long a = val<long long>(i, 64);
        mix(h[0], bits(__ll2half_rn(a)));
        mix(h[1], bits(__ll2half_rz(a)));
        mix(h[2], bits(__ll2half_rd(a)));
        mix(h[3], bits(__ll2half_ru(a)));
        mix(h[4], bits(__ll2bfloat16_rn(a)));
        mix(h[5], bits(__ll2bfloat16_rz(a)));
        mix(h[6], bits(__ll2bfloat16_rd(a)));
        mix(h[7], bits(__ll2bfloat16_ru(a)));
    }
}
__global__ void of_ullong(unsigned long long* h) {
    for (int i = 0; i < 64; i++) {
        unsigned long long a = val<unsigned long long>(i, 64);
        mix(h[0], bits(__ull2half_rn(a)));
        mix(h[1], bits(__ull2half_rz(a)));
        mix(h[2], bits(__ull2half_rd(a)));
        mix(h[3], bits(__ull2half_ru(a)));
        mix(h[4], bits(__ull2bfloat16_rn(a)));
        mix(h[5], bits(__ull2bfloat16_rz(a)));
        mix(h[6], bits(__ull2bfloat16_rd(a)));
        mix(h[7], bits(__ull2bfloat16_ru(a)));
    }
}
__global__ void of_half(unsigned long long* h) {
    for (int i = 0; i < 64; i++) {
        __half a = val<__half>(i, 64);
        mix(h[0], bits(__half2float(a)));
        mix(h[1], bits(__half2char_rz(a)));
        mix(h[2], bits(__half2uchar_rz(a)));
        mix(h[3], bits(__half2short_rz(a)));
        mix(h[4], bits(__half2ushort_rz(a)));
        mix(h[5], bits(__half2int_rz(a)));
        mix(h[6], bits(__half2uint_rz(a)));
        mix(h[7], bits(__half2ll_rz(a)));
        mix(h[8], bits(__half2ull_rz(a)));
        mix(h[9], bits(__half2int_rn(a)));
        mix(h[10], bits(__half2int_rd(a)));
        mix(h[11], bits(__half2int_ru(a)));
        mix(h[12], bits(__half2short_rn(a)));
        mix(h[13], bits(__half2short_rd(a)));
        mix(h[14], bits(__half2short_ru(a)));
        mix(h[15], bits(__half2uint_rn(a)));
        mix(h[16], bits(__half2uint_rd(a)));
        mix(h[17], bits(__half2uint_ru(a)));
        mix(h[18], bits(__half2ushort_rn(a)));
        mix(h[19], bits(__half2ushort_rd(a)));
        mix(h[20], bits(__half2ushort_ru(a)));
        mix(h[21], bits(__half2ull_rn(a)));
        mix(h[22], bits(__half2ull_rd(a)));
        mix(h[23], bits(__half2ull_ru(a)));
        mix(h[24], bits(__half2ll_rn(a)));
        mix(h[25], bits(__half2ll_rd(a)));
        mix(h[26], bits(__half2ll_ru(a)));
        mix(h[27], bits(htrunc(a)));
        mix(h[28], bits(hceil(a)));
        mix(h[29], bits(hfloor(a)));
        mix(h[30], bits(hrint(a)));
        mix(h[31], bits(__half2half2(a)));
        mix(h[32], bits(__hisinf(a)));
        mix(h[33], bits(__half_as_short(a)));
        mix(h[34], bits(__half_as_ushort(a)));
        mix(h[35], bits(__habs(a)));
        mix(h[36], bits(__hneg(a)));
        mix(h[37], bits(__hisnan(a)));
        mix(h[38], bits(hsqrt(a)));
    }
}
__global__ void of_half2(unsigned long long* h) {
    for (int i = 0; i < 64; i++) {
        __half2 a = val<__half2>(i, 64);
        mix(h[0], bits(__low2float(a)));
        mix(h[1], bits(__high2float(a)));
        mix(h[2], bits(__half22float2(a)));
        mix(h[3], bits(h2trunc(a)));
        mix(h[4], bits(h2ceil(a)));
        mix(h[5], bits(h2floor(a)));
        mix(h[6], bits(h2rint(a)));
        mix(h[7], bits(__lowhigh2highlow(a)));
        mix(h[8], bits(__high2half(a)));
        mix(h[9], bits(__low2half(a)));
        mix(h[10], bits(__low2half2(a)));
        mix(h[11], bits(__high2half2(a)));
        mix(h[12], bits(__hisnan2(a)));
        mix(h[13], bits(__habs2(a)));
        mix(h[14], bits(__hneg2(a)));
        mix(h[15], bits(h2sqrt(a)));
    }
}
__global__ void of_short(unsigned long long* h) {
    for (int i = 0; i < 64; i++) {
        short a = val<short>(i, 64);
        mix(h[0], bits(__short2half_rn(a)));
        mix(h[1], bits(__short2half_rz(a)));
        mix(h[2], bits(__short2half_rd(a)));
        mix(h[3], bits(__short2half_ru(a)));
        mix(h[4], bits(__short_as_half(a)));
        mix(h[5], bits(__short2bfloat16_rn(a)));
        mix(h[6], bits(__short2bfloat16_rz(a)));
        mix(h[7], bits(__short2bfloat16_rd(a)));
        mix(h[8], bits(__short2bfloat16_ru(a)));
        mix(h[9], bits(__short_as_bfloat16(a)));
    }
}
__global__ void of_ushort(unsigned long long* h) {
    for (int i = 0; i < 64; i++) {
        unsigned short a = val<unsigned short>(i, 64);
        mix(h[0], bits(__ushort2half_rn(a)));
        mix(h[1], bits(__ushort2half_rz(a)));
        mix(h[2], bits(__ushort2half_rd(a)));
        mix(h[3], bits(__ushort2half_ru(a)));
        mix(h[4], bits(__ushort_as_half(a)));
        mix(h[5], bits(__ushort2bfloat16_rn(a)));
        mix(h[6], bits(__ushort2bfloat16_rz(a)));
        mix(h[7], bits(__ushort2bfloat16_rd(a)));
        mix(h[8], bits(__ushort2bfloat16_ru(a)));
        mix(h[9], bits(__ushort_as_bfloat16(a)));
    }
}
__global__ void of_half2_half2(unsigned long long* h) {
    for (int i = 0; i < 576; i++) {
        __half2 a = val<__half2>(i % 24, 24);
        __half2 b = val<__half2>(i / 24, 24);
        mix(h[0], bits(__lows2half2(a, b)));
        mix(h[1], bits(__highs2half2(a, b)));
        mix(h[2], bits(__hmax2(a, b)));
        mix(h[3], bits(__hmin2(a, b)));
        mix(h[4], bits(__heq2(a, b)));
        mix(h[5], bits(__hne2(a, b)));
        mix(h[6], bits(__hle2(a, b)));
        mix(h[7], bits(__hge2(a, b)));
        mix(h[8], bits(__hlt2(a, b)));
        mix(h[9], bits(__hgt2(a, b)));
        mix(h[10], bits(__hequ2(a, b)));
        mix(h[11], bits(__hneu2(a, b)));
        mix(h[12], bits(__hleu2(a, b)));
        mix(h[13], bits(__hgeu2(a, b)));
        mix(h[14], bits(__hltu2(a, b)));
        mix(h[15], bits(__hgtu2(a, b)));
        mix(h[16], bits(__heq2_mask(a, b)));
        mix(h[17], bits(__hne2_mask(a, b)));
        mix(h[18], bits(__hle2_mask(a, b)));
        mix(h[19], bits(__hge2_mask(a, b)));
        mix(h[20], bits(__hlt2_mask(a, b)));
        mix(h[21], bits(__hgt2_mask(a, b)));
        mix(h[22], bits(__hequ2_mask(a, b)));
        mix(h[23], bits(__hneu2_mask(a, b)));
        mix(h[24], bits(__hleu2_mask(a, b)));
        mix(h[25], bits(__hgeu2_mask(a, b)));
        mix(h[26], bits(__hltu2_mask(a, b)));
        mix(h[27], bits(__hgtu2_mask(a, b)));
        mix(h[28], bits(__hadd2(a, b)));
        mix(h[29], bits(__hsub2(a, b)));
        mix(h[30], bits(__hmul2(a, b)));
        mix(h[31], bits(__hadd2_rn(a, b)));
        mix(h[32], bits(__hsub2_rn(a, b)));
        mix(h[33], bits(__hmul2_rn(a, b)));
        mix(h[34], bits(__h2div(a, b)));
        mix(h[35], bits(__hadd2_sat(a, b)));
        mix(h[36], bits(__hsub2_sat(a, b)));
        mix(h[37], bits(__hmul2_sat(a, b)));
        mix(h[38], bits(__hbeq2(a, b)));
        mix(h[39], bits(__hbne2(a, b)));
        mix(h[40], bits(__hble2(a, b)));
        mix(h[41], bits(__hbge2(a, b)));
        mix(h[42], bits(__hblt2(a, b)));
        mix(h[43], bits(__hbgt2(a, b)));
        mix(h[44], bits(__hbequ2(a, b)));
        mix(h[45], bits(__hbneu2(a, b)));
        mix(h[46], bits(__hbleu2(a, b)));
        mix(h[47], bits(__hbgeu2(a, b)));
        mix(h[48], bits(__hbltu2(a, b)));
        mix(h[49], bits(__hbgtu2(a, b)));
        mix(h[50], bits(__hmax2_nan(a, b)));
        mix(h[51], bits(__hmin2_nan(a, b)));
    }
}
__global__ void of_half_half(unsigned long long* h) {
    for (int i = 0; i < 576; i++) {
        __half a = val<__half>(i % 24, 24);
        __half b = val<__half>(i / 24, 24);
        mix(h[0], bits(__halves2half2(a, b)));
        mix(h[1], bits(__hmax(a, b)));
        mix(h[2], bits(__hmin(a, b)));
        mix(h[3], bits(__hadd(a, b)));
        mix(h[4], bits(__hsub(a, b)));
        mix(h[5], bits(__hmul(a, b)));
        mix(h[6], bits(__hadd_rn(a, b)));
        mix(h[7], bits(__hsub_rn(a, b)));
        mix(h[8], bits(__hmul_rn(a, b)));
        mix(h[9], bits(__hdiv(a, b)));
        mix(h[10], bits(__hadd_sat(a, b)));
        mix(h[11], bits(__hsub_sat(a, b)));
        mix(h[12], bits(__hmul_sat(a, b)));
        mix(h[13], bits(__heq(a, b)));
        mix(h[14], bits(__hne(a, b)));
        mix(h[15], bits(__hle(a, b)));
        mix(h[16], bits(__hge(a, b)));
        mix(h[17], bits(__hlt(a, b)));
        mix(h[18], bits(__hgt(a, b)));
        mix(h[19], bits(__hequ(a, b)));
        mix(h[20], bits(__hneu(a, b)));
        mix(h[21], bits(__hleu(a, b)));
        mix(h[22], bits(__hgeu(a, b)));
        mix(h[23], bits(__hltu(a, b)));
        mix(h[24], bits(__hgtu(a, b)));
        mix(h[25], bits(__hmax_nan(a, b)));
        mix(h[26], bits(__hmin_nan(a, b)));
    }
}
__global__ void of_half2_half2_half2(unsigned long long* h) {
    for (int i = 0; i < 1728; i++) {
        __half2 a = val<__half2>(i % 12, 12);
        __half2 b = val<__half2>(i / 12 % 12, 12);
        __half2 c = val<__half2>(i / 144, 12);
        mix(h[0], bits(__hfma2(a, b, c)));
        mix(h[1], bits(__hfma2_sat(a, b, c)));
        mix(h[2], bits(__hfma2_relu(a, b, c)));
        mix(h[3], bits(__hcmadd(a, b, c)));
    }
}
__global__ void of_half_half_half(unsigned long long* h) {
    for (int i = 0; i < 1728; i++) {
        __half a = val<__half>(i % 12, 12);
        __half b = val<__half>(i / 12 % 12, 12);
        __half c = val<__half>(i / 144, 12);
        mix(h[0], bits(__hfma(a, b, c)));
        mix(h[1], bits(__hfma_sat(a, b, c)));
        mix(h[2], bits(__hfma_relu(a, b, c)));
    }
}
__global__ void of_bf16(unsigned long long* h) {
    for (int i = 0; i < 64; i++) {
        __nv_bfloat16 a = val<__nv_bfloat16>(i, 64);
        mix(h[0], bits(__bfloat162float(a)));
        mix(h[1], bits(__bfloat162char_rz(a)));
        mix(h[2], bits(__bfloat162uchar_rz(a)));
        mix(h[3], bits(__bfloat162int_rn(a)));
        mix(h[4], bits(__bfloat162int_rz(a)));
        mix(h[5], bits(__bfloat162int_rd(a)));
        mix(h[6], bits(__bfloat162int_ru(a)));
        mix(h[7], bits(__bfloat162short_rn(a)));
        mix(h[8], bits(__bfloat162short_rz(a)));
        mix(h[9], bits(__bfloat162short_rd(a)));
        mix(h[10], bits(__bfloat162short_ru(a)));
        mix(h[11], bits(__bfloat162uint_rn(a)));
        mix(h[12], bits(__bfloat162uint_rz(a)));
        mix(h[13], bits(__bfloat162uint_rd(a)));
        mix(h[14], bits(__bfloat162uint_ru(a)));
        mix(h[15], bits(__bfloat162ushort_rn(a)));
        mix(h[16], bits(__bfloat162ushort_rz(a)));
        mix(h[17], bits(__bfloat162ushort_rd(a)));
        mix(h[18], bits(__bfloat162ushort_ru(a)));
        mix(h[19], bits(__bfloat162ull_rn(a)));
        mix(h[20], bits(__bfloat162ull_rz(a)));
        mix(h[21], bits(__bfloat162ull_rd(a)));
        mix(h[22], bits(__bfloat162ull_ru(a)));
        mix(h[23], bits(__bfloat162ll_rn(a)));
        mix(h[24], bits(__bfloat162ll_rz(a)));
        mix(h[25], bits(__bfloat162ll_rd(a)));
        mix(h[26], bits(__bfloat162ll_ru(a)));
        mix(h[27], bits(htrunc(a)));
        mix(h[28], bits(hceil(a)));
        mix(h[29], bits(hfloor(a)));
        mix(h[30], bits(hrint(a)));
        mix(h[31], bits(__bfloat162bfloat162(a)));
        mix(h[32], bits(__hisinf(a)));
        mix(h[33], bits(__bfloat16_as_short(a)));
        mix(h[34], bits(__bfloat16_as_ushort(a)));
        mix(h[35], bits(__habs(a)));
        mix(h[36], bits(__hneg(a)));
        mix(h[37], bits(__hisnan(a)));
        mix(h[38], bits(hsqrt(a)));
    }
}
__global__ void of_bf162(unsigned long long* h) {
    for (int i = 0; i < 64; i++) {
        __nv_bfloat162 a = val<__nv_bfloat162>(i, 64);
        mix(h[0], bits(__low2float(a)));
        mix(h[1], bits(__high2float(a)));
        mix(h[2], bits(__bfloat1622float2(a)));
        mix(h[3], bits(h2trunc(a)));
        mix(h[4], bits(h2ceil(a)));
        mix(h[5], bits(h2floor(a)));
        mix(h[6], bits(h2rint(a)));
        mix(h[7], bits(__lowhigh2highlow(a)));
        mix(h[8], bits(__high2bfloat16(a)));
        mix(h[9], bits(__low2bfloat16(a)));
        mix(h[10], bits(__low2bfloat162(a)));
        mix(h[11], bits(__high2bfloat162(a)));
        mix(h[12], bits(__hisnan2(a)));
        mix(h[13], bits(__habs2(a)));
        mix(h[14], bits(__hneg2(a)));
        mix(h[15], bits(h2sqrt(a)));
    }
}
__global__ void of_bf162_bf162(unsigned long long* h) {
    for (int i = 0; i < 576; i++) {
        __nv_bfloat162 a = val<__nv_bfloat162>(i % 24, 24);
        __nv_bfloat162 b = val<__nv_bfloat162>(i / 24, 24);
        mix(h[0], bits(__lows2bfloat162(a, b)));
        mix(h[1], bits(__highs2bfloat162(a, b)));
        mix(h[2], bits(__heq2(a, b)));
        mix(h[3], bits(__hne2(a, b)));
        mix(h[4], bits(__hle2(a, b)));
        mix(h[5], bits(__hge2(a, b)));
        mix(h[6], bits(__hlt2(a, b)));
        mix(h[7], bits(__hgt2(a, b)));
        mix(h[8], bits(__hequ2(a, b)));
        mix(h[9], bits(__hneu2(a, b)));
        mix(h[10], bits(__hleu2(a, b)));
        mix(h[11], bits(__hgeu2(a, b)));
        mix(h[12], bits(__hltu2(a, b)));
        mix(h[13], bits(__hgtu2(a, b)));
        mix(h[14], bits(__heq2_mask(a, b)));
        mix(h[15], bits(__hne2_mask(a, b)));
        mix(h[16], bits(__hle2_mask(a, b)));
        mix(h[17], bits(__hge2_mask(a, b)));
        mix(h[18], bits(__hlt2_mask(a, b)));
        mix(h[19], bits(__hgt2_mask(a, b)));
        mix(h[20], bits(__hequ2_mask(a, b)));
        mix(h[21], bits(__hneu2_mask(a, b)));
        mix(h[22], bits(__hleu2_mask(a, b)));
        mix(h[23], bits(__hgeu2_mask(a, b)));
        mix(h[24], bits(__hltu2_mask(a, b)));
        mix(h[25], bits(__hgtu2_mask(a, b)));
        mix(h[26], bits(__hadd2(a, b)));
        mix(h[27], bits(__hsub2(a, b)));
        mix(h[28], bits(__hmul2(a, b)));
        mix(h[29], bits(__hadd2_rn(a, b)));
        mix(h[30], bits(__hsub2_rn(a, b)));
        mix(h[31], bits(__hmul2_rn(a, b)));
        mix(h[32], bits(__h2div(a, b)));
        mix(h[33], bits(__hadd2_sat(a, b)));
        mix(h[34], bits(__hsub2_sat(a, b)));
        mix(h[35], bits(__hmul2_sat(a, b)));
        mix(h[36], bits(__hbeq2(a, b)));
        mix(h[37], bits(__hbne2(a, b)));
        mix(h[38], bits(__hble2(a, b)));
        mix(h[39], bits(__hbge2(a, b)));
        mix(h[40], bits(__hblt2(a, b)));
        mix(h[41], bits(__hbgt2(a, b)));
        mix(h[42], bits(__hbequ2(a, b)));
        mix(h[43], bits(__hbneu2(a, b)));
        mix(h[44], bits(__hbleu2(a, b)));
        mix(h[45], bits(__hbgeu2(a, b)));
        mix(h[46], bits(__hbltu2(a, b)));
        mix(h[47], bits(__hbgtu2(a, b)));
        mix(h[48], bits(__hmax2(a, b)));
        mix(h[49], bits(__hmin2(a, b)));
        mix(h[50], bits(__hmax2_nan(a, b)));
        mix(h[51], bits(__hmin2_nan(a, b)));
    }
}
__global__ void of_bf16_bf16(unsigned long long* h) {
    for (int i = 0; i < 576; i++) {
        __nv_bfloat16 a = val<__nv_bfloat16>(i % 24, 24);
        __nv_bfloat16 b = val<__nv_bfloat16>(i / 24, 24);
        mix(h[0], bits(__halves2bfloat162(a, b)));
        mix(h[1], bits(__hadd(a, b)));
        mix(h[2], bits(__hsub(a, b)));
        mix(h[3], bits(__hmul(a, b)));
        mix(h[4], bits(__hadd_rn(a, b)));
        mix(h[5], bits(__hsub_rn(a, b)));
        mix(h[6], bits(__hmul_rn(a, b)));
        mix(h[7], bits(__hdiv(a, b)));
        mix(h[8], bits(__hadd_sat(a, b)));
        mix(h[9], bits(__hsub_sat(a, b)));
        mix(h[10], bits(__hmul_sat(a, b)));
        mix(h[11], bits(__heq(a, b)));
        mix(h[12], bits(__hne(a, b)));
        mix(h[13], bits(__hle(a, b)));
        mix(h[14], bits(__hge(a, b)));
        mix(h[15], bits(__hlt(a, b)));
        mix(h[16], bits(__hgt(a, b)));
        mix(h[17], bits(__hequ(a, b)));
        mix(h[18], bits(__hneu(a, b)));
        mix(h[19], bits(__hleu(a, b)));
        mix(h[20], bits(__hgeu(a, b)));
        mix(h[21], bits(__hltu(a, b)));
        mix(h[22], bits(__hgtu(a, b)));
        mix(h[23], bits(__hmax(a, b)));
        mix(h[24], bits(__hmin(a, b)));
        mix(h[25], bits(__hmax_nan(a, b)));
        mix(h[26], bits(__hmin_nan(a, b)));
    }
}
__global__ void of_bf162_bf162_bf162(unsigned long long* h) {
    for (int i = 0; i < 1728; i++) {
        __nv_bfloat162 a = val<__nv_bfloat162>(i % 12, 12);
        __nv_bfloat162 b = val<__nv_bfloat162>(i / 12 % 12, 12);
        __nv_bfloat162 c = val<__nv_bfloat162>(i / 144, 12);
        mix(h[0], bits(__hfma2(a, b, c)));
        mix(h[1], bits(__hfma2_sat(a, b, c)));
        mix(h[2], bits(__hfma2_relu(a, b, c)));
        mix(h[3], bits(__hcmadd(a, b, c)));
    }
}
__global__ void of_bf16_bf16_bf16(unsigned long long* h) {
    for (int i = 0; i < 1728; i++) {
        __nv_bfloat16 a = val<__nv_bfloat16>(i % 12, 12);
        __nv_bfloat16 b = val<__nv_bfloat16>(i / 12 % 12, 12);
        __nv_bfloat16 c = val<__nv_bfloat16>(i / 144, 12);
        mix(h[0], bits(__hfma(a, b, c)));
        mix(h[1], bits(__hfma_sat(a, b, c)));
        mix(h[2], bits(__hfma_relu(a, b, c)));
    }
}

static void run(const char* name, void (*kernel)(unsigned long long*), int count) {
    static unsigned long long h[52];
    unsigned long long* d;
    cudaMalloc((void**)&d, sizeof h);
    cudaMemset(d, 0, sizeof h);
    kernel<<<1, 1>>>(d);
    cudaError_t status = cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    if (status != cudaSuccess) std::printf("%s: %s\n", name, cudaGetErrorString(status));
    for (int i = 0; i < count; i++) std::printf("%s %d %016llx\n", name, i, h[i]);
    cudaFree(d);
}

int main() {
    run("double", of_double, 2);
    run("float", of_float, 12);
    run("float_float", of_float_float, 2);
    run("uint", of_uint, 8);
    run("llong", of_llong, 8);
    run("ullong", of_ullong, 8);
    run("half", of_half, 39);
    run("half2", of_half2, 16);
    run("short", of_short, 10);
    run("ushort", of_ushort, 10);
    run("half2_half2", of_half2_half2, 52);
    run("half_half", of_half_half, 27);
    run("half2_half2_half2", of_half2_half2_half2, 4);
    run("half_half_half", of_half_half_half, 3);
    run("bf16", of_bf16, 39);
    run("bf162", of_bf162, 16);
    run("bf162_bf162", of_bf162_bf162, 52);
    run("bf16_bf16", of_bf16_bf16, 27);
    run("bf162_bf162_bf162", of_bf162_bf162_bf162, 4);
    run("bf16_bf16_bf16", of_bf16_bf16_bf16, 3);
    return 0;
}
