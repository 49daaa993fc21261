// Conversions between numbers, over edges and a mixed walk of bit patterns: one number for each function. The output was
// recorded on an NVIDIA GPU.
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

// One bit pattern for all NaNs, whose payload is nobody's business.
__device__ unsigned long long bits_of(float value) { return value != value ? 1 : __float_as_uint(value); }
__device__ unsigned long long bits_of(double value) { return value != value ? 1 : __double_as_longlong(value); }
__device__ unsigned long long bits_of(__half value) { return __hisnan(value) ? 1 : __half_as_ushort(value); }
__device__ unsigned long long bits_of(__nv_bfloat16 value) { return __hisnan(value) ? 1 : __bfloat16_as_ushort(value); }
__device__ unsigned long long bits_of(short value) { return (unsigned short)value; }
__device__ unsigned long long bits_of(unsigned short value) { return value; }
__device__ unsigned long long bits_of(int value) { return (unsigned)value; }
__device__ unsigned long long bits_of(unsigned value) { return value; }
__device__ unsigned long long bits_of(long long value) { return value; }
__device__ unsigned long long bits_of(unsigned long long value) { return value; }

// The pattern of number `n`: powers of two and their neighbours, then patterns of all sizes with exponents near one.
__device__ unsigned long long pattern(int n, unsigned long long state) {
    if (n < 192) return (1ull << (n / 3)) + n % 3 - 1;
    unsigned long long value = state >> (n % 64);
    return n % 3 == 0 ? value & ~0ull << (n % 61) : value;
}
__device__ unsigned long long near_one(unsigned long long bits, int mantissa, int bias, int n) {
    unsigned long long low = bits & ((1ull << mantissa) - 1), sign = bits >> 63;
    return low | (unsigned long long)(bias - 4 + n % 72) << mantissa | sign << (mantissa == 52 ? 63 : mantissa + (bias == 15 ? 5 : 8));
}

template <typename T> __device__ T number(int n, unsigned long long state) { return (T)pattern(n, state); }
template <> __device__ float number<float>(int n, unsigned long long state) {
    return __uint_as_float((unsigned)(n % 4 ? near_one(state, 23, 127, n) : state >> 32));
}
template <> __device__ double number<double>(int n, unsigned long long state) {
    return __longlong_as_double((long long)(n % 4 ? near_one(n % 8 == 1 ? state & ~0ull << 40 : state, 52, 1023, n) : state));
}
template <> __device__ __half number<__half>(int n, unsigned long long) { return __ushort_as_half((unsigned short)(n * 13)); }
template <> __device__ __nv_bfloat16 number<__nv_bfloat16>(int n, unsigned long long) {
    return __ushort_as_bfloat16((unsigned short)(n * 13));
}

#define WALK(at, call, type)                                                      \
    do {                                                                          \
        unsigned long long hash = 0xcbf29ce484222325ull, state = 0x9e3779b97f4a7c15ull; \
        _Pragma("unroll 1") for (int n = 0; n < 5042; n++) {                      \
            state = state * 6364136223846793005ull + 1442695040888963407ull;      \
            const type x = number<type>(n, state);                                \
            hash = (hash ^ bits_of(call)) * 0x100000001b3ull;                     \
        }                                                                         \
        out[at] = hash;                                                           \
    } while (0)

__global__ void from_bfloat16(unsigned long long* out) {
    if (threadIdx.x == 0) WALK(0, __bfloat162float(x), __nv_bfloat16);
    if (threadIdx.x == 1) WALK(1, __bfloat162int_rd(x), __nv_bfloat16);
    if (threadIdx.x == 2) WALK(2, __bfloat162int_rn(x), __nv_bfloat16);
    if (threadIdx.x == 3) WALK(3, __bfloat162int_ru(x), __nv_bfloat16);
    if (threadIdx.x == 4) WALK(4, __bfloat162int_rz(x), __nv_bfloat16);
    if (threadIdx.x == 5) WALK(5, __bfloat162ll_rd(x), __nv_bfloat16);
    if (threadIdx.x == 6) WALK(6, __bfloat162ll_rn(x), __nv_bfloat16);
    if (threadIdx.x == 7) WALK(7, __bfloat162ll_ru(x), __nv_bfloat16);
    if (threadIdx.x == 8) WALK(8, __bfloat162ll_rz(x), __nv_bfloat16);
    if (threadIdx.x == 9) WALK(9, __bfloat162short_rd(x), __nv_bfloat16);
    if (threadIdx.x == 10) WALK(10, __bfloat162short_rn(x), __nv_bfloat16);
    if (threadIdx.x == 11) WALK(11, __bfloat162short_ru(x), __nv_bfloat16);
    if (threadIdx.x == 12) WALK(12, __bfloat162short_rz(x), __nv_bfloat16);
    if (threadIdx.x == 13) WALK(13, __bfloat162uint_rd(x), __nv_bfloat16);
    if (threadIdx.x == 14) WALK(14, __bfloat162uint_rn(x), __nv_bfloat16);
    if (threadIdx.x == 15) WALK(15, __bfloat162uint_ru(x), __nv_bfloat16);
    if (threadIdx.x == 16) WALK(16, __bfloat162uint_rz(x), __nv_bfloat16);
    if (threadIdx.x == 17) WALK(17, __bfloat162ull_rd(x), __nv_bfloat16);
    if (threadIdx.x == 18) WALK(18, __bfloat162ull_rn(x), __nv_bfloat16);
    if (threadIdx.x == 19) WALK(19, __bfloat162ull_ru(x), __nv_bfloat16);
    if (threadIdx.x == 20) WALK(20, __bfloat162ull_rz(x), __nv_bfloat16);
    if (threadIdx.x == 21) WALK(21, __bfloat162ushort_rd(x), __nv_bfloat16);
    if (threadIdx.x == 22) WALK(22, __bfloat162ushort_rn(x), __nv_bfloat16);
    if (threadIdx.x == 23) WALK(23, __bfloat162ushort_ru(x), __nv_bfloat16);
    if (threadIdx.x == 24) WALK(24, __bfloat162ushort_rz(x), __nv_bfloat16);
}

__global__ void from_double(unsigned long long* out) {
    if (threadIdx.x == 0) WALK(25, __double2bfloat16(x), double);
    if (threadIdx.x == 1) WALK(26, __double2float_rd(x), double);
    if (threadIdx.x == 2) WALK(27, __double2float_rn(x), double);
    if (threadIdx.x == 3) WALK(28, __double2float_ru(x), double);
    if (threadIdx.x == 4) WALK(29, __double2float_rz(x), double);
    if (threadIdx.x == 5) WALK(30, __double2half(x), double);
    if (threadIdx.x == 6) WALK(31, __double2int_rd(x), double);
    if (threadIdx.x == 7) WALK(32, __double2int_rn(x), double);
    if (threadIdx.x == 8) WALK(33, __double2int_ru(x), double);
    if (threadIdx.x == 9) WALK(34, __double2int_rz(x), double);
    if (threadIdx.x == 10) WALK(35, __double2ll_rd(x), double);
    if (threadIdx.x == 11) WALK(36, __double2ll_rn(x), double);
    if (threadIdx.x == 12) WALK(37, __double2ll_ru(x), double);
    if (threadIdx.x == 13) WALK(38, __double2ll_rz(x), double);
    if (threadIdx.x == 14) WALK(39, __double2uint_rd(x), double);
    if (threadIdx.x == 15) WALK(40, __double2uint_rn(x), double);
    if (threadIdx.x == 16) WALK(41, __double2uint_ru(x), double);
    if (threadIdx.x == 17) WALK(42, __double2uint_rz(x), double);
    if (threadIdx.x == 18) WALK(43, __double2ull_rd(x), double);
    if (threadIdx.x == 19) WALK(44, __double2ull_rn(x), double);
    if (threadIdx.x == 20) WALK(45, __double2ull_ru(x), double);
    if (threadIdx.x == 21) WALK(46, __double2ull_rz(x), double);
}

__global__ void from_float(unsigned long long* out) {
    if (threadIdx.x == 0) WALK(47, __float2bfloat16(x), float);
    if (threadIdx.x == 1) WALK(48, __float2bfloat16_rd(x), float);
    if (threadIdx.x == 2) WALK(49, __float2bfloat16_rn(x), float);
    if (threadIdx.x == 3) WALK(50, __float2bfloat16_ru(x), float);
    if (threadIdx.x == 4) WALK(51, __float2bfloat16_rz(x), float);
    if (threadIdx.x == 5) WALK(52, __float2half(x), float);
    if (threadIdx.x == 6) WALK(53, __float2half_rd(x), float);
    if (threadIdx.x == 7) WALK(54, __float2half_rn(x), float);
    if (threadIdx.x == 8) WALK(55, __float2half_ru(x), float);
    if (threadIdx.x == 9) WALK(56, __float2half_rz(x), float);
    if (threadIdx.x == 10) WALK(57, __float2int_rd(x), float);
    if (threadIdx.x == 11) WALK(58, __float2int_rn(x), float);
    if (threadIdx.x == 12) WALK(59, __float2int_ru(x), float);
    if (threadIdx.x == 13) WALK(60, __float2int_rz(x), float);
    if (threadIdx.x == 14) WALK(61, __float2ll_rd(x), float);
    if (threadIdx.x == 15) WALK(62, __float2ll_rn(x), float);
    if (threadIdx.x == 16) WALK(63, __float2ll_ru(x), float);
    if (threadIdx.x == 17) WALK(64, __float2ll_rz(x), float);
    if (threadIdx.x == 18) WALK(65, __float2uint_rd(x), float);
    if (threadIdx.x == 19) WALK(66, __float2uint_rn(x), float);
    if (threadIdx.x == 20) WALK(67, __float2uint_ru(x), float);
    if (threadIdx.x == 21) WALK(68, __float2uint_rz(x), float);
    if (threadIdx.x == 22) WALK(69, __float2ull_rd(x), float);
    if (threadIdx.x == 23) WALK(70, __float2ull_rn(x), float);
    if (threadIdx.x == 24) WALK(71, __float2ull_ru(x), float);
    if (threadIdx.x == 25) WALK(72, __float2ull_rz(x), float);
}

__global__ void from_half(unsigned long long* out) {
    if (threadIdx.x == 0) WALK(73, __half2float(x), __half);
    if (threadIdx.x == 1) WALK(74, __half2int_rd(x), __half);
    if (threadIdx.x == 2) WALK(75, __half2int_rn(x), __half);
    if (threadIdx.x == 3) WALK(76, __half2int_ru(x), __half);
    if (threadIdx.x == 4) WALK(77, __half2int_rz(x), __half);
    if (threadIdx.x == 5) WALK(78, __half2ll_rd(x), __half);
    if (threadIdx.x == 6) WALK(79, __half2ll_rn(x), __half);
    if (threadIdx.x == 7) WALK(80, __half2ll_ru(x), __half);
    if (threadIdx.x == 8) WALK(81, __half2ll_rz(x), __half);
    if (threadIdx.x == 9) WALK(82, __half2short_rd(x), __half);
    if (threadIdx.x == 10) WALK(83, __half2short_rn(x), __half);
    if (threadIdx.x == 11) WALK(84, __half2short_ru(x), __half);
    if (threadIdx.x == 12) WALK(85, __half2short_rz(x), __half);
    if (threadIdx.x == 13) WALK(86, __half2uint_rd(x), __half);
    if (threadIdx.x == 14) WALK(87, __half2uint_rn(x), __half);
    if (threadIdx.x == 15) WALK(88, __half2uint_ru(x), __half);
    if (threadIdx.x == 16) WALK(89, __half2uint_rz(x), __half);
    if (threadIdx.x == 17) WALK(90, __half2ull_rd(x), __half);
    if (threadIdx.x == 18) WALK(91, __half2ull_rn(x), __half);
    if (threadIdx.x == 19) WALK(92, __half2ull_ru(x), __half);
    if (threadIdx.x == 20) WALK(93, __half2ull_rz(x), __half);
    if (threadIdx.x == 21) WALK(94, __half2ushort_rd(x), __half);
    if (threadIdx.x == 22) WALK(95, __half2ushort_rn(x), __half);
    if (threadIdx.x == 23) WALK(96, __half2ushort_ru(x), __half);
    if (threadIdx.x == 24) WALK(97, __half2ushort_rz(x), __half);
}

__global__ void from_int(unsigned long long* out) {
    if (threadIdx.x == 0) WALK(98, __int2bfloat16_rd(x), int);
    if (threadIdx.x == 1) WALK(99, __int2bfloat16_rn(x), int);
    if (threadIdx.x == 2) WALK(100, __int2bfloat16_ru(x), int);
    if (threadIdx.x == 3) WALK(101, __int2bfloat16_rz(x), int);
    if (threadIdx.x == 4) WALK(102, __int2double_rn(x), int);
    if (threadIdx.x == 5) WALK(103, __int2float_rd(x), int);
    if (threadIdx.x == 6) WALK(104, __int2float_rn(x), int);
    if (threadIdx.x == 7) WALK(105, __int2float_ru(x), int);
    if (threadIdx.x == 8) WALK(106, __int2float_rz(x), int);
    if (threadIdx.x == 9) WALK(107, __int2half_rd(x), int);
    if (threadIdx.x == 10) WALK(108, __int2half_rn(x), int);
    if (threadIdx.x == 11) WALK(109, __int2half_ru(x), int);
    if (threadIdx.x == 12) WALK(110, __int2half_rz(x), int);
}

__global__ void from_ll(unsigned long long* out) {
    if (threadIdx.x == 0) WALK(111, __ll2bfloat16_rd(x), long long);
    if (threadIdx.x == 1) WALK(112, __ll2bfloat16_rn(x), long long);
    if (threadIdx.x == 2) WALK(113, __ll2bfloat16_ru(x), long long);
    if (threadIdx.x == 3) WALK(114, __ll2bfloat16_rz(x), long long);
    if (threadIdx.x == 4) WALK(115, __ll2double_rd(x), long long);
    if (threadIdx.x == 5) WALK(116, __ll2double_rn(x), long long);
    if (threadIdx.x == 6) WALK(117, __ll2double_ru(x), long long);
    if (threadIdx.x == 7) WALK(118, __ll2double_rz(x), long long);
    if (threadIdx.x == 8) WALK(119, __ll2float_rd(x), long long);
    if (threadIdx.x == 9) WALK(120, __ll2float_rn(x), long long);
    if (threadIdx.x == 10) WALK(121, __ll2float_ru(x), long long);
    if (threadIdx.x == 11) WALK(122, __ll2float_rz(x), long long);
    if (threadIdx.x == 12) WALK(123, __ll2half_rd(x), long long);
    if (threadIdx.x == 13) WALK(124, __ll2half_rn(x), long long);
    if (threadIdx.x == 14) WALK(125, __ll2half_ru(x), long long);
    if (threadIdx.x == 15) WALK(126, __ll2half_rz(x), long long);
}

__global__ void from_short(unsigned long long* out) {
    if (threadIdx.x == 0) WALK(127, __short2bfloat16_rd(x), short);
    if (threadIdx.x == 1) WALK(128, __short2bfloat16_rn(x), short);
    if (threadIdx.x == 2) WALK(129, __short2bfloat16_ru(x), short);
    if (threadIdx.x == 3) WALK(130, __short2bfloat16_rz(x), short);
    if (threadIdx.x == 4) WALK(131, __short2half_rd(x), short);
    if (threadIdx.x == 5) WALK(132, __short2half_rn(x), short);
    if (threadIdx.x == 6) WALK(133, __short2half_ru(x), short);
    if (threadIdx.x == 7) WALK(134, __short2half_rz(x), short);
}

__global__ void from_uint(unsigned long long* out) {
    if (threadIdx.x == 0) WALK(135, __uint2bfloat16_rd(x), unsigned);
    if (threadIdx.x == 1) WALK(136, __uint2bfloat16_rn(x), unsigned);
    if (threadIdx.x == 2) WALK(137, __uint2bfloat16_ru(x), unsigned);
    if (threadIdx.x == 3) WALK(138, __uint2bfloat16_rz(x), unsigned);
    if (threadIdx.x == 4) WALK(139, __uint2double_rn(x), unsigned);
    if (threadIdx.x == 5) WALK(140, __uint2float_rd(x), unsigned);
    if (threadIdx.x == 6) WALK(141, __uint2float_rn(x), unsigned);
    if (threadIdx.x == 7) WALK(142, __uint2float_ru(x), unsigned);
    if (threadIdx.x == 8) WALK(143, __uint2float_rz(x), unsigned);
    if (threadIdx.x == 9) WALK(144, __uint2half_rd(x), unsigned);
    if (threadIdx.x == 10) WALK(145, __uint2half_rn(x), unsigned);
    if (threadIdx.x == 11) WALK(146, __uint2half_ru(x), unsigned);
    if (threadIdx.x == 12) WALK(147, __uint2half_rz(x), unsigned);
}

__global__ void from_ull(unsigned long long* out) {
    if (threadIdx.x == 0) WALK(148, __ull2bfloat16_rd(x), unsigned long long);
    if (threadIdx.x == 1) WALK(149, __ull2bfloat16_rn(x), unsigned long long);
    if (threadIdx.x == 2) WALK(150, __ull2bfloat16_ru(x), unsigned long long);
    if (threadIdx.x == 3) WALK(151, __ull2bfloat16_rz(x), unsigned long long);
    if (threadIdx.x == 4) WALK(152, __ull2double_rd(x), unsigned long long);
    if (threadIdx.x == 5) WALK(153, __ull2double_rn(x), unsigned long long);
    if (threadIdx.x == 6) WALK(154, __ull2double_ru(x), unsigned long long);
    if (threadIdx.x == 7) WALK(155, __ull2double_rz(x), unsigned long long);
    if (threadIdx.x == 8) WALK(156, __ull2float_rd(x), unsigned long long);
    if (threadIdx.x == 9) WALK(157, __ull2float_rn(x), unsigned long long);
    if (threadIdx.x == 10) WALK(158, __ull2float_ru(x), unsigned long long);
    if (threadIdx.x == 11) WALK(159, __ull2float_rz(x), unsigned long long);
    if (threadIdx.x == 12) WALK(160, __ull2half_rd(x), unsigned long long);
    if (threadIdx.x == 13) WALK(161, __ull2half_rn(x), unsigned long long);
    if (threadIdx.x == 14) WALK(162, __ull2half_ru(x), unsigned long long);
    if (threadIdx.x == 15) WALK(163, __ull2half_rz(x), unsigned long long);
}

__global__ void from_ushort(unsigned long long* out) {
    if (threadIdx.x == 0) WALK(164, __ushort2bfloat16_rd(x), unsigned short);
    if (threadIdx.x == 1) WALK(165, __ushort2bfloat16_rn(x), unsigned short);
    if (threadIdx.x == 2) WALK(166, __ushort2bfloat16_ru(x), unsigned short);
    if (threadIdx.x == 3) WALK(167, __ushort2bfloat16_rz(x), unsigned short);
    if (threadIdx.x == 4) WALK(168, __ushort2half_rd(x), unsigned short);
    if (threadIdx.x == 5) WALK(169, __ushort2half_rn(x), unsigned short);
    if (threadIdx.x == 6) WALK(170, __ushort2half_ru(x), unsigned short);
    if (threadIdx.x == 7) WALK(171, __ushort2half_rz(x), unsigned short);
}

static const char* const NAMES[] = {
    "__bfloat162float",
    "__bfloat162int_rd",
    "__bfloat162int_rn",
    "__bfloat162int_ru",
    "__bfloat162int_rz",
    "__bfloat162ll_rd",
    "__bfloat162ll_rn",
    "__bfloat162ll_ru",
    "__bfloat162ll_rz",
    "__bfloat162short_rd",
    "__bfloat162short_rn",
    "__bfloat162short_ru",
    "__bfloat162short_rz",
    "__bfloat162uint_rd",
    "__bfloat162uint_rn",
    "__bfloat162uint_ru",
    "__bfloat162uint_rz",
    "__bfloat162ull_rd",
    "__bfloat162ull_rn",
    "__bfloat162ull_ru",
    "__bfloat162ull_rz",
    "__bfloat162ushort_rd",
    "__bfloat162ushort_rn",
    "__bfloat162ushort_ru",
    "__bfloat162ushort_rz",
    "__double2bfloat16",
    "__double2float_rd",
    "__double2float_rn",
    "__double2float_ru",
    "__double2float_rz",
    "__double2half",
    "__double2int_rd",
    "__double2int_rn",
    "__double2int_ru",
    "__double2int_rz",
    "__double2ll_rd",
    "__double2ll_rn",
    "__double2ll_ru",
    "__double2ll_rz",
    "__double2uint_rd",
    "__double2uint_rn",
    "__double2uint_ru",
    "__double2uint_rz",
    "__double2ull_rd",
    "__double2ull_rn",
    "__double2ull_ru",
    "__double2ull_rz",
    "__float2bfloat16",
    "__float2bfloat16_rd",
    "__float2bfloat16_rn",
    "__float2bfloat16_ru",
    "__float2bfloat16_rz",
    "__float2half",
    "__float2half_rd",
    "__float2half_rn",
    "__float2half_ru",
    "__float2half_rz",
    "__float2int_rd",
    "__float2int_rn",
    "__float2int_ru",
    "__float2int_rz",
    "__float2ll_rd",
    "__float2ll_rn",
    "__float2ll_ru",
    "__float2ll_rz",
    "__float2uint_rd",
    "__float2uint_rn",
    "__float2uint_ru",
    "__float2uint_rz",
    "__float2ull_rd",
    "__float2ull_rn",
    "__float2ull_ru",
    "__float2ull_rz",
    "__half2float",
    "__half2int_rd",
    "__half2int_rn",
    "__half2int_ru",
    "__half2int_rz",
    "__half2ll_rd",
    "__half2ll_rn",
    "__half2ll_ru",
    "__half2ll_rz",
    "__half2short_rd",
    "__half2short_rn",
    "__half2short_ru",
    "__half2short_rz",
    "__half2uint_rd",
    "__half2uint_rn",
    "__half2uint_ru",
    "__half2uint_rz",
    "__half2ull_rd",
    "__half2ull_rn",
    "__half2ull_ru",
    "__half2ull_rz",
    "__half2ushort_rd",
    "__half2ushort_rn",
    "__half2ushort_ru",
    "__half2ushort_rz",
    "__int2bfloat16_rd",
    "__int2bfloat16_rn",
    "__int2bfloat16_ru",
    "__int2bfloat16_rz",
    "__int2double_rn",
    "__int2float_rd",
    "__int2float_rn",
    "__int2float_ru",
    "__int2float_rz",
    "__int2half_rd",
    "__int2half_rn",
    "__int2half_ru",
    "__int2half_rz",
    "__ll2bfloat16_rd",
    "__ll2bfloat16_rn",
    "__ll2bfloat16_ru",
    "__ll2bfloat16_rz",
    "__ll2double_rd",
    "__ll2double_rn",
    "__ll2double_ru",
    "__ll2double_rz",
    "__ll2float_rd",
    "__ll2float_rn",
    "__ll2float_ru",
    "__ll2float_rz",
    "__ll2half_rd",
    "__ll2half_rn",
    "__ll2half_ru",
    "__ll2half_rz",
    "__short2bfloat16_rd",
    "__short2bfloat16_rn",
    "__short2bfloat16_ru",
    "__short2bfloat16_rz",
    "__short2half_rd",
    "__short2half_rn",
    "__short2half_ru",
    "__short2half_rz",
    "__uint2bfloat16_rd",
    "__uint2bfloat16_rn",
    "__uint2bfloat16_ru",
    "__uint2bfloat16_rz",
    "__uint2double_rn",
    "__uint2float_rd",
    "__uint2float_rn",
    "__uint2float_ru",
    "__uint2float_rz",
    "__uint2half_rd",
    "__uint2half_rn",
    "__uint2half_ru",
    "__uint2half_rz",
    "__ull2bfloat16_rd",
    "__ull2bfloat16_rn",
    "__ull2bfloat16_ru",
    "__ull2bfloat16_rz",
    "__ull2double_rd",
    "__ull2double_rn",
    "__ull2double_ru",
    "__ull2double_rz",
    "__ull2float_rd",
    "__ull2float_rn",
    "__ull2float_ru",
    "__ull2float_rz",
    "__ull2half_rd",
    "__ull2half_rn",
    "__ull2half_ru",
    "__ull2half_rz",
    "__ushort2bfloat16_rd",
    "__ushort2bfloat16_rn",
    "__ushort2bfloat16_ru",
    "__ushort2bfloat16_rz",
    "__ushort2half_rd",
    "__ushort2half_rn",
    "__ushort2half_ru",
    "__ushort2half_rz",
};

int main() {
    const int count = sizeof NAMES / sizeof *NAMES;
    unsigned long long *out, host[count];
    cudaMalloc(&out, sizeof host);
    from_bfloat16<<<1, 25>>>(out);
    from_double<<<1, 22>>>(out);
    from_float<<<1, 26>>>(out);
    from_half<<<1, 25>>>(out);
    from_int<<<1, 13>>>(out);
    from_ll<<<1, 16>>>(out);
    from_short<<<1, 8>>>(out);
    from_uint<<<1, 13>>>(out);
    from_ull<<<1, 16>>>(out);
    from_ushort<<<1, 8>>>(out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < count; i++) printf("%s %016llx\n", NAMES[i], host[i]);
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
