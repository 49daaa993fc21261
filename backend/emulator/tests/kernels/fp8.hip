// Floats of eight bits with HIP's header, which has instructions for them on some targets.
#include <hip/hip_runtime.h>
#include <hip/hip_fp8.h>

#if defined(__gfx942__)
#define FP8 __HIP_E4M3_FNUZ
#define BF8 __HIP_E5M2_FNUZ
typedef __hip_fp8_e4m3_fnuz fp8;
typedef __hip_fp8_e5m2_fnuz bf8;
typedef __hip_fp8x2_e4m3_fnuz fp8x2;
#else
#define FP8 __HIP_E4M3
#define BF8 __HIP_E5M2
typedef __hip_fp8_e4m3 fp8;
typedef __hip_fp8_e5m2 bf8;
typedef __hip_fp8x2_e4m3 fp8x2;
#endif

// Six results for each number: both formats, saturated and not, and from a half.
extern "C" __global__ void narrow(const float *from, unsigned char *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    to[i] = __hip_cvt_float_to_fp8(from[i], __HIP_NOSAT, FP8);
    to[n + i] = __hip_cvt_float_to_fp8(from[i], __HIP_SATFINITE, FP8);
    to[2 * n + i] = __hip_cvt_float_to_fp8(from[i], __HIP_NOSAT, BF8);
    to[3 * n + i] = __hip_cvt_float_to_fp8(from[i], __HIP_SATFINITE, BF8);
    __half half = __float2half(from[i]);
    to[4 * n + i] = fp8(half).__x;
    to[5 * n + i] = bf8(half).__x;
}

// Two numbers at once, and all four bytes of a register.
extern "C" __global__ void narrow_pairs(const float2 *from, unsigned *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    to[i] = fp8x2(from[i]).__x;
    int word = __builtin_amdgcn_cvt_pk_bf8_f32(from[i].x, from[i].y, 0, false);
    to[n + i] = __builtin_amdgcn_cvt_pk_bf8_f32(-from[i].y, from[i].x, word, true);
}

extern "C" __global__ void widen(const unsigned *from, float *to, __half *halves, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    fp8 small;
    bf8 wide;
    for (int byte = 0; byte < 4; byte++) {
        small.__x = wide.__x = from[i] >> (8 * byte);
        to[8 * i + byte] = small;
        to[8 * i + 4 + byte] = wide;
    }
    halves[2 * i] = __half(__hip_cvt_fp8_to_halfraw(from[i] & 255, FP8));
    halves[2 * i + 1] = __half(__hip_cvt_fp8_to_halfraw(from[i] & 255, BF8));
}

// The same by the compiler's builtins, with bytes and halves that the instruction chooses.
extern "C" __global__ void widen_parts(const unsigned *from, float *to, int n) {
    typedef float pair __attribute__((ext_vector_type(2)));
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    to[8 * i] = __builtin_amdgcn_cvt_f32_fp8(from[i], 0);
    to[8 * i + 1] = __builtin_amdgcn_cvt_f32_fp8(from[i], 1);
    to[8 * i + 2] = __builtin_amdgcn_cvt_f32_fp8(from[i], 2);
    to[8 * i + 3] = __builtin_amdgcn_cvt_f32_fp8(from[i], 3);
    pair low = __builtin_amdgcn_cvt_pk_f32_bf8(from[i], false), high = __builtin_amdgcn_cvt_pk_f32_bf8(from[i], true);
    to[8 * i + 4] = low.x;
    to[8 * i + 5] = low.y;
    to[8 * i + 6] = high.x;
    to[8 * i + 7] = high.y;
}
