// Functions of CUDA for integers and floats that give the same bits on every GPU, over edges and mixed values. The output was
// recorded on an NVIDIA GPU.
#include <cstdio>
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
__device__ void mix(unsigned long long& hash, unsigned long long value) { hash = (hash ^ value) * 0x100000001b3ull; }

__global__ void of_double(unsigned long long* h) {
    for (int i = 0; i < 64; i++) {
        double a = val<double>(i, 64);
        mix(h[0], bits(fabs(a)));
        mix(h[1], bits(sqrt(a)));
        mix(h[2], bits(floor(a)));
        mix(h[3], bits(logb(a)));
        mix(h[4], bits(round(a)));
        mix(h[5], bits(rint(a)));
        mix(h[6], bits(nearbyint(a)));
        mix(h[7], bits(ceil(a)));
        mix(h[8], bits(trunc(a)));
        mix(h[9], bits(__double2int_rz(a)));
        mix(h[10], bits(__double2uint_rz(a)));
        mix(h[11], bits(__double2ll_rz(a)));
        mix(h[12], bits(__double2ull_rz(a)));
        mix(h[13], bits(__double_as_longlong(a)));
        mix(h[14], bits(__double2float_rn(a)));
        mix(h[15], bits(__double2float_rz(a)));
        mix(h[16], bits(__double2float_ru(a)));
        mix(h[17], bits(__double2float_rd(a)));
        mix(h[18], bits(__double2int_rn(a)));
        mix(h[19], bits(__double2int_ru(a)));
        mix(h[20], bits(__double2int_rd(a)));
        mix(h[21], bits(__double2uint_rn(a)));
        mix(h[22], bits(__double2uint_ru(a)));
        mix(h[23], bits(__double2uint_rd(a)));
        mix(h[24], bits(__double2ll_rn(a)));
        mix(h[25], bits(__double2ll_ru(a)));
        mix(h[26], bits(__double2ll_rd(a)));
        mix(h[27], bits(__double2ull_rn(a)));
        mix(h[28], bits(__double2ull_ru(a)));
        mix(h[29], bits(__double2ull_rd(a)));
        mix(h[30], bits(__double2hiint(a)));
        mix(h[31], bits(__double2loint(a)));
        mix(h[32], bits(__drcp_rn(a)));
        mix(h[33], bits(__drcp_rz(a)));
        mix(h[34], bits(__drcp_ru(a)));
        mix(h[35], bits(__drcp_rd(a)));
        mix(h[36], bits(__dsqrt_rn(a)));
        mix(h[37], bits(__dsqrt_rz(a)));
        mix(h[38], bits(__dsqrt_ru(a)));
        mix(h[39], bits(__dsqrt_rd(a)));
    }
}
__global__ void of_float(unsigned long long* h) {
    for (int i = 0; i < 64; i++) {
        float a = val<float>(i, 64);
        mix(h[0], bits(fabsf(a)));
        mix(h[1], bits(logbf(a)));
        mix(h[2], bits(roundf(a)));
        mix(h[3], bits(rintf(a)));
        mix(h[4], bits(nearbyintf(a)));
        mix(h[5], bits(truncf(a)));
        mix(h[6], bits(sqrtf(a)));
        mix(h[7], bits(ceilf(a)));
        mix(h[8], bits(floorf(a)));
        mix(h[9], bits(__float_as_int(a)));
        mix(h[10], bits(__float_as_uint(a)));
        mix(h[11], bits(__saturatef(a)));
        mix(h[12], bits(__float2int_rn(a)));
        mix(h[13], bits(__float2int_rz(a)));
        mix(h[14], bits(__float2int_ru(a)));
        mix(h[15], bits(__float2int_rd(a)));
        mix(h[16], bits(__float2uint_rn(a)));
        mix(h[17], bits(__float2uint_rz(a)));
        mix(h[18], bits(__float2uint_ru(a)));
        mix(h[19], bits(__float2uint_rd(a)));
        mix(h[20], bits(__float2ll_rn(a)));
        mix(h[21], bits(__float2ll_rz(a)));
        mix(h[22], bits(__float2ll_ru(a)));
        mix(h[23], bits(__float2ll_rd(a)));
        mix(h[24], bits(__float2ull_rn(a)));
        mix(h[25], bits(__float2ull_rz(a)));
        mix(h[26], bits(__float2ull_ru(a)));
        mix(h[27], bits(__float2ull_rd(a)));
        mix(h[28], bits(__frcp_rn(a)));
        mix(h[29], bits(__frcp_rz(a)));
        mix(h[30], bits(__frcp_ru(a)));
        mix(h[31], bits(__frcp_rd(a)));
        mix(h[32], bits(__fsqrt_rn(a)));
        mix(h[33], bits(__fsqrt_rz(a)));
        mix(h[34], bits(__fsqrt_ru(a)));
        mix(h[35], bits(__fsqrt_rd(a)));
        mix(h[36], bits(__frsqrt_rn(a)));
    }
}
__global__ void of_float_float(unsigned long long* h) {
    for (int i = 0; i < 576; i++) {
        float a = val<float>(i % 24, 24);
        float b = val<float>(i / 24, 24);
        mix(h[0], bits(fminf(a, b)));
        mix(h[1], bits(fmaxf(a, b)));
        mix(h[2], bits(fdimf(a, b)));
        mix(h[3], bits(remainderf(a, b)));
        mix(h[4], bits(copysignf(a, b)));
        mix(h[5], bits(nextafterf(a, b)));
        mix(h[6], bits(fmodf(a, b)));
        mix(h[7], bits(fdividef(a, b)));
        mix(h[8], bits(__fadd_rz(a, b)));
        mix(h[9], bits(__fadd_ru(a, b)));
        mix(h[10], bits(__fadd_rd(a, b)));
        mix(h[11], bits(__fsub_rn(a, b)));
        mix(h[12], bits(__fsub_rz(a, b)));
        mix(h[13], bits(__fsub_ru(a, b)));
        mix(h[14], bits(__fsub_rd(a, b)));
        mix(h[15], bits(__fmul_rn(a, b)));
        mix(h[16], bits(__fmul_rz(a, b)));
        mix(h[17], bits(__fmul_ru(a, b)));
        mix(h[18], bits(__fmul_rd(a, b)));
        mix(h[19], bits(__fdiv_rn(a, b)));
        mix(h[20], bits(__fdiv_rz(a, b)));
        mix(h[21], bits(__fdiv_ru(a, b)));
        mix(h[22], bits(__fdiv_rd(a, b)));
    }
}
__global__ void of_double_double(unsigned long long* h) {
    for (int i = 0; i < 576; i++) {
        double a = val<double>(i % 24, 24);
        double b = val<double>(i / 24, 24);
        mix(h[0], bits(fmin(a, b)));
        mix(h[1], bits(fmax(a, b)));
        mix(h[2], bits(fdim(a, b)));
        mix(h[3], bits(fmod(a, b)));
        mix(h[4], bits(remainder(a, b)));
        mix(h[5], bits(copysign(a, b)));
        mix(h[6], bits(nextafter(a, b)));
        mix(h[7], bits(__dadd_rn(a, b)));
        mix(h[8], bits(__dadd_rz(a, b)));
        mix(h[9], bits(__dadd_ru(a, b)));
        mix(h[10], bits(__dadd_rd(a, b)));
        mix(h[11], bits(__dsub_rn(a, b)));
        mix(h[12], bits(__dsub_rz(a, b)));
        mix(h[13], bits(__dsub_ru(a, b)));
        mix(h[14], bits(__dsub_rd(a, b)));
        mix(h[15], bits(__dmul_rn(a, b)));
        mix(h[16], bits(__dmul_rz(a, b)));
        mix(h[17], bits(__dmul_ru(a, b)));
        mix(h[18], bits(__dmul_rd(a, b)));
        mix(h[19], bits(__ddiv_rn(a, b)));
        mix(h[20], bits(__ddiv_rz(a, b)));
        mix(h[21], bits(__ddiv_ru(a, b)));
        mix(h[22], bits(__ddiv_rd(a, b)));
    }
}
__global__ void of_double_int(unsigned long long* h) {
    for (int i = 0; i < 576; i++) {
        double a = val<double>(i % 24, 24);
        int b = val<int>(i / 24, 24);
        mix(h[0], bits(ldexp(a, b)));
        mix(h[1], bits(scalbn(a, b)));
    }
}
__global__ void of_float_int(unsigned long long* h) {
    for (int i = 0; i < 576; i++) {
        float a = val<float>(i % 24, 24);
        int b = val<int>(i / 24, 24);
        mix(h[0], bits(ldexpf(a, b)));
        mix(h[1], bits(scalbnf(a, b)));
    }
}
__global__ void of_double_long(unsigned long long* h) {
    for (int i = 0; i < 576; i++) {
        double a = val<double>(i % 24, 24);
        long b = val<long>(i / 24, 24);
        mix(h[0], bits(scalbln(a, b)));
    }
}
__global__ void of_float_long(unsigned long long* h) {
    for (int i = 0; i < 576; i++) {
        float a = val<float>(i % 24, 24);
        long b = val<long>(i / 24, 24);
        mix(h[0], bits(scalblnf(a, b)));
    }
}
__global__ void of_double_double_double(unsigned long long* h) {
    for (int i = 0; i < 1728; i++) {
        double a = val<double>(i % 12, 12);
        double b = val<double>(i / 12 % 12, 12);
        double c = val<double>(i / 144, 12);
        mix(h[0], bits(fma(a, b, c)));
        mix(h[1], bits(__fma_rn(a, b, c)));
        mix(h[2], bits(__fma_rz(a, b, c)));
        mix(h[3], bits(__fma_ru(a, b, c)));
        mix(h[4], bits(__fma_rd(a, b, c)));
    }
}
__global__ void of_float_float_float(unsigned long long* h) {
    for (int i = 0; i < 1728; i++) {
        float a = val<float>(i % 12, 12);
        float b = val<float>(i / 12 % 12, 12);
        float c = val<float>(i / 144, 12);
        mix(h[0], bits(fmaf(a, b, c)));
        mix(h[1], bits(__fmaf_rn(a, b, c)));
        mix(h[2], bits(__fmaf_rz(a, b, c)));
        mix(h[3], bits(__fmaf_ru(a, b, c)));
        mix(h[4], bits(__fmaf_rd(a, b, c)));
        mix(h[5], bits(__fmaf_ieee_rn(a, b, c)));
        mix(h[6], bits(__fmaf_ieee_rd(a, b, c)));
        mix(h[7], bits(__fmaf_ieee_ru(a, b, c)));
        mix(h[8], bits(__fmaf_ieee_rz(a, b, c)));
    }
}
__global__ void of_double_float(unsigned long long* h) {
    for (int i = 0; i < 576; i++) {
        double a = val<double>(i % 24, 24);
        float b = val<float>(i / 24, 24);
        mix(h[0], bits(copysign(a, b)));
    }
}
__global__ void of_float_double(unsigned long long* h) {
    for (int i = 0; i < 576; i++) {
        float a = val<float>(i % 24, 24);
        double b = val<double>(i / 24, 24);
        mix(h[0], bits(copysign(a, b)));
    }
}
__global__ void of_int_int(unsigned long long* h) {
    for (int i = 0; i < 576; i++) {
        int a = val<int>(i % 24, 24);
        int b = val<int>(i / 24, 24);
        mix(h[0], bits(__mulhi(a, b)));
        mix(h[1], bits(__mul24(a, b)));
        mix(h[2], bits(__hadd(a, b)));
        mix(h[3], bits(__rhadd(a, b)));
        mix(h[4], bits(__vimax_s32_relu(a, b)));
        mix(h[5], bits(__vimin_s32_relu(a, b)));
        mix(h[6], bits(__hiloint2double(a, b)));
    }
}
__global__ void of_uint_uint(unsigned long long* h) {
    for (int i = 0; i < 576; i++) {
        unsigned int a = val<unsigned int>(i % 24, 24);
        unsigned int b = val<unsigned int>(i / 24, 24);
        mix(h[0], bits(__umulhi(a, b)));
        mix(h[1], bits(__umul24(a, b)));
        mix(h[2], bits(__uhadd(a, b)));
        mix(h[3], bits(__urhadd(a, b)));
        mix(h[4], bits(__vadd2(a, b)));
        mix(h[5], bits(__vaddss2(a, b)));
        mix(h[6], bits(__vaddus2(a, b)));
        mix(h[7], bits(__vavgs2(a, b)));
        mix(h[8], bits(__vavgu2(a, b)));
        mix(h[9], bits(__vhaddu2(a, b)));
        mix(h[10], bits(__vcmpeq2(a, b)));
        mix(h[11], bits(__vcmpges2(a, b)));
        mix(h[12], bits(__vcmpgeu2(a, b)));
        mix(h[13], bits(__vcmpgts2(a, b)));
        mix(h[14], bits(__vcmpgtu2(a, b)));
        mix(h[15], bits(__vcmples2(a, b)));
        mix(h[16], bits(__vcmpleu2(a, b)));
        mix(h[17], bits(__vcmplts2(a, b)));
        mix(h[18], bits(__vcmpltu2(a, b)));
        mix(h[19], bits(__vcmpne2(a, b)));
        mix(h[20], bits(__vabsdiffu2(a, b)));
        mix(h[21], bits(__vmaxs2(a, b)));
        mix(h[22], bits(__vmaxu2(a, b)));
        mix(h[23], bits(__vmins2(a, b)));
        mix(h[24], bits(__vminu2(a, b)));
        mix(h[25], bits(__vseteq2(a, b)));
        mix(h[26], bits(__vsetges2(a, b)));
        mix(h[27], bits(__vsetgeu2(a, b)));
        mix(h[28], bits(__vsetgts2(a, b)));
        mix(h[29], bits(__vsetgtu2(a, b)));
        mix(h[30], bits(__vsetles2(a, b)));
        mix(h[31], bits(__vsetleu2(a, b)));
        mix(h[32], bits(__vsetlts2(a, b)));
        mix(h[33], bits(__vsetltu2(a, b)));
        mix(h[34], bits(__vsetne2(a, b)));
        mix(h[35], bits(__vsadu2(a, b)));
        mix(h[36], bits(__vsub2(a, b)));
        mix(h[37], bits(__vsubss2(a, b)));
        mix(h[38], bits(__vsubus2(a, b)));
        mix(h[39], bits(__vabsdiffs2(a, b)));
        mix(h[40], bits(__vsads2(a, b)));
        mix(h[41], bits(__vadd4(a, b)));
        mix(h[42], bits(__vaddss4(a, b)));
        mix(h[43], bits(__vaddus4(a, b)));
        mix(h[44], bits(__vavgs4(a, b)));
        mix(h[45], bits(__vavgu4(a, b)));
        mix(h[46], bits(__vhaddu4(a, b)));
        mix(h[47], bits(__vcmpeq4(a, b)));
        mix(h[48], bits(__vcmpges4(a, b)));
        mix(h[49], bits(__vcmpgeu4(a, b)));
        mix(h[50], bits(__vcmpgts4(a, b)));
        mix(h[51], bits(__vcmpgtu4(a, b)));
        mix(h[52], bits(__vcmples4(a, b)));
        mix(h[53], bits(__vcmpleu4(a, b)));
        mix(h[54], bits(__vcmplts4(a, b)));
        mix(h[55], bits(__vcmpltu4(a, b)));
        mix(h[56], bits(__vcmpne4(a, b)));
        mix(h[57], bits(__vabsdiffu4(a, b)));
        mix(h[58], bits(__vmaxs4(a, b)));
        mix(h[59], bits(__vmaxu4(a, b)));
        mix(h[60], bits(__vmins4(a, b)));
        mix(h[61], bits(__vminu4(a, b)));
        mix(h[62], bits(__vseteq4(a, b)));
        mix(h[63], bits(__vsetles4(a, b)));
        mix(h[64], bits(__vsetleu4(a, b)));
        mix(h[65], bits(__vsetlts4(a, b)));
        mix(h[66], bits(__vsetltu4(a, b)));
        mix(h[67], bits(__vsetges4(a, b)));
        mix(h[68], bits(__vsetgeu4(a, b)));
        mix(h[69], bits(__vsetgts4(a, b)));
        mix(h[70], bits(__vsetgtu4(a, b)));
        mix(h[71], bits(__vsetne4(a, b)));
        mix(h[72], bits(__vsadu4(a, b)));
        mix(h[73], bits(__vsub4(a, b)));
        mix(h[74], bits(__vsubss4(a, b)));
        mix(h[75], bits(__vsubus4(a, b)));
        mix(h[76], bits(__vabsdiffs4(a, b)));
        mix(h[77], bits(__vsads4(a, b)));
        mix(h[78], bits(__vimax_s16x2_relu(a, b)));
        mix(h[79], bits(__vimin_s16x2_relu(a, b)));
    }
}
__global__ void of_llong_llong(unsigned long long* h) {
    for (int i = 0; i < 576; i++) {
        long long a = val<long long>(i % 24, 24);
        long long b = val<long long>(i / 24, 24);
        mix(h[0], bits(__mul64hi(a, b)));
    }
}
__global__ void of_ullong_ullong(unsigned long long* h) {
    for (int i = 0; i < 576; i++) {
        unsigned long long a = val<unsigned long long>(i % 24, 24);
        unsigned long long b = val<unsigned long long>(i / 24, 24);
        mix(h[0], bits(__umul64hi(a, b)));
    }
}
__global__ void of_uint(unsigned long long* h) {
    for (int i = 0; i < 64; i++) {
        unsigned int a = val<unsigned int>(i, 64);
        mix(h[0], bits(__uint_as_float(a)));
        mix(h[1], bits(__uint2float_rn(a)));
        mix(h[2], bits(__uint2float_rz(a)));
        mix(h[3], bits(__uint2float_ru(a)));
        mix(h[4], bits(__uint2float_rd(a)));
        mix(h[5], bits(__popc(a)));
        mix(h[6], bits(__brev(a)));
        mix(h[7], bits(__vabs2(a)));
        mix(h[8], bits(__vabsss2(a)));
        mix(h[9], bits(__vneg2(a)));
        mix(h[10], bits(__vnegss2(a)));
        mix(h[11], bits(__vabs4(a)));
        mix(h[12], bits(__vabsss4(a)));
        mix(h[13], bits(__vneg4(a)));
        mix(h[14], bits(__vnegss4(a)));
        mix(h[15], bits(__uint2double_rn(a)));
    }
}
__global__ void of_int_int_uint(unsigned long long* h) {
    for (int i = 0; i < 1728; i++) {
        int a = val<int>(i % 12, 12);
        int b = val<int>(i / 12 % 12, 12);
        unsigned int c = val<unsigned int>(i / 144, 12);
        mix(h[0], bits(__sad(a, b, c)));
    }
}
__global__ void of_uint_uint_uint(unsigned long long* h) {
    for (int i = 0; i < 1728; i++) {
        unsigned int a = val<unsigned int>(i % 12, 12);
        unsigned int b = val<unsigned int>(i / 12 % 12, 12);
        unsigned int c = val<unsigned int>(i / 144, 12);
        mix(h[0], bits(__usad(a, b, c)));
        mix(h[1], bits(__byte_perm(a, b, c)));
        mix(h[2], bits(__vimax3_s16x2(a, b, c)));
        mix(h[3], bits(__vimax3_u32(a, b, c)));
        mix(h[4], bits(__vimax3_u16x2(a, b, c)));
        mix(h[5], bits(__vimin3_s16x2(a, b, c)));
        mix(h[6], bits(__vimin3_u32(a, b, c)));
        mix(h[7], bits(__vimin3_u16x2(a, b, c)));
        mix(h[8], bits(__vimax3_s16x2_relu(a, b, c)));
        mix(h[9], bits(__vimin3_s16x2_relu(a, b, c)));
        mix(h[10], bits(__viaddmax_s16x2(a, b, c)));
        mix(h[11], bits(__viaddmax_u32(a, b, c)));
        mix(h[12], bits(__viaddmax_u16x2(a, b, c)));
        mix(h[13], bits(__viaddmin_s16x2(a, b, c)));
        mix(h[14], bits(__viaddmin_u32(a, b, c)));
        mix(h[15], bits(__viaddmin_u16x2(a, b, c)));
        mix(h[16], bits(__viaddmax_s16x2_relu(a, b, c)));
        mix(h[17], bits(__viaddmin_s16x2_relu(a, b, c)));
        mix(h[18], bits(__funnelshift_l(a, b, c)));
        mix(h[19], bits(__funnelshift_lc(a, b, c)));
        mix(h[20], bits(__funnelshift_r(a, b, c)));
        mix(h[21], bits(__funnelshift_rc(a, b, c)));
        mix(h[22], bits(__dp2a_lo(a, b, c)));
        mix(h[23], bits(__dp2a_hi(a, b, c)));
        mix(h[24], bits(__dp4a(a, b, c)));
    }
}
__global__ void of_llong(unsigned long long* h) {
    for (int i = 0; i < 64; i++) {
        long long a = val<long long>(i, 64);
        mix(h[0], bits(__ll2float_rn(a)));
        mix(h[1], bits(__ll2float_rz(a)));
        mix(h[2], bits(__ll2float_ru(a)));
        mix(h[3], bits(__ll2float_rd(a)));
        mix(h[4], bits(__clzll(a)));
        mix(h[5], bits(__ffsll(a)));
        mix(h[6], bits(__longlong_as_double(a)));
        mix(h[7], bits(__ll2double_rn(a)));
        mix(h[8], bits(__ll2double_rz(a)));
        mix(h[9], bits(__ll2double_ru(a)));
        mix(h[10], bits(__ll2double_rd(a)));
    }
}
__global__ void of_ullong(unsigned long long* h) {
    for (int i = 0; i < 64; i++) {
        unsigned long long a = val<unsigned long long>(i, 64);
        mix(h[0], bits(__ull2float_rn(a)));
        mix(h[1], bits(__ull2float_rz(a)));
        mix(h[2], bits(__ull2float_ru(a)));
        mix(h[3], bits(__ull2float_rd(a)));
        mix(h[4], bits(__popcll(a)));
        mix(h[5], bits(__brevll(a)));
        mix(h[6], bits(__ull2double_rn(a)));
        mix(h[7], bits(__ull2double_rz(a)));
        mix(h[8], bits(__ull2double_ru(a)));
        mix(h[9], bits(__ull2double_rd(a)));
    }
}
__global__ void of_int(unsigned long long* h) {
    for (int i = 0; i < 64; i++) {
        int a = val<int>(i, 64);
        mix(h[0], bits(__clz(a)));
        mix(h[1], bits(__ffs(a)));
    }
}
__global__ void of_int_int_int(unsigned long long* h) {
    for (int i = 0; i < 1728; i++) {
        int a = val<int>(i % 12, 12);
        int b = val<int>(i / 12 % 12, 12);
        int c = val<int>(i / 144, 12);
        mix(h[0], bits(__vimax3_s32(a, b, c)));
        mix(h[1], bits(__vimin3_s32(a, b, c)));
        mix(h[2], bits(__vimax3_s32_relu(a, b, c)));
        mix(h[3], bits(__vimin3_s32_relu(a, b, c)));
        mix(h[4], bits(__viaddmax_s32(a, b, c)));
        mix(h[5], bits(__viaddmin_s32(a, b, c)));
        mix(h[6], bits(__viaddmax_s32_relu(a, b, c)));
        mix(h[7], bits(__viaddmin_s32_relu(a, b, c)));
        mix(h[8], bits(__dp2a_lo(a, b, c)));
        mix(h[9], bits(__dp2a_hi(a, b, c)));
        mix(h[10], bits(__dp4a(a, b, c)));
    }
}
__global__ void of_uint_uint_int(unsigned long long* h) {
    for (int i = 0; i < 1728; i++) {
        unsigned int a = val<unsigned int>(i % 12, 12);
        unsigned int b = val<unsigned int>(i / 12 % 12, 12);
        int c = val<int>(i / 144, 12);
        mix(h[0], bits(__fns(a, b, c)));
    }
}

static void run(const char* name, void (*kernel)(unsigned long long*), int count) {
    static unsigned long long h[80];
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
    run("double", of_double, 40);
    run("float", of_float, 37);
    run("float_float", of_float_float, 23);
    run("double_double", of_double_double, 23);
    run("double_int", of_double_int, 2);
    run("float_int", of_float_int, 2);
    run("double_long", of_double_long, 1);
    run("float_long", of_float_long, 1);
    run("double_double_double", of_double_double_double, 5);
    run("float_float_float", of_float_float_float, 9);
    run("double_float", of_double_float, 1);
    run("float_double", of_float_double, 1);
    run("int_int", of_int_int, 7);
    run("uint_uint", of_uint_uint, 80);
    run("llong_llong", of_llong_llong, 1);
    run("ullong_ullong", of_ullong_ullong, 1);
    run("uint", of_uint, 16);
    run("int_int_uint", of_int_int_uint, 1);
    run("uint_uint_uint", of_uint_uint_uint, 25);
    run("llong", of_llong, 11);
    run("ullong", of_ullong, 10);
    run("int", of_int, 2);
    run("int_int_int", of_int_int_int, 11);
    run("uint_uint_int", of_uint_uint_int, 1);
    return 0;
}
