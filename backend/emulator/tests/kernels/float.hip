// Floating-point kernels.
#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>

extern "C" __global__ void float_math(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i];
    float *o = y + i;
    o[0] = sinf(v); o[n] = cosf(v); o[2 * n] = expf(v * 0.1f); o[3 * n] = logf(fabsf(v) + 1e-3f);
    o[4 * n] = powf(fabsf(v), 1.5f); o[5 * n] = tanhf(v); o[6 * n] = sqrtf(fabsf(v)); o[7 * n] = rsqrtf(fabsf(v) + 1.0f);
    o[8 * n] = atan2f(v, 2.0f); o[9 * n] = erff(v); o[10 * n] = fmodf(v, 3.7f); o[11 * n] = cbrtf(v);
    o[12 * n] = floorf(v) + ceilf(v) * 0.5f; o[13 * n] = rintf(v); o[14 * n] = v / 3.3f; o[15 * n] = ldexpf(v, 5);
}

extern "C" __global__ void double_math(const double *x, double *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double v = x[i];
    double *o = y + i;
    o[0] = sin(v); o[n] = cos(v); o[2 * n] = exp(v * 0.1); o[3 * n] = log(fabs(v) + 1e-3);
    o[4 * n] = pow(fabs(v), 1.5); o[5 * n] = tanh(v); o[6 * n] = sqrt(fabs(v)); o[7 * n] = 1.0 / (v + 0.125);
    o[8 * n] = atan2(v, 2.0); o[9 * n] = erf(v); o[10 * n] = fmod(v, 3.7); o[11 * n] = cbrt(v);
    o[12 * n] = floor(v) + ceil(v) * 0.5; o[13 * n] = rint(v); o[14 * n] = v / 3.3; o[15 * n] = tan(v * 1e15);
}

extern "C" __global__ void divide_floats(const float *a, const float *b, float *q, const double *c, const double *d,
                                         double *r, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    q[i] = a[i] / b[i];
    r[i] = c[i] / d[i];
    q[i + n] = sqrtf(fabsf(a[i]));
    r[i + n] = sqrt(fabs(c[i]));
}

extern "C" __global__ void half_math(const __half *a, const __half *b, __half *c, float *f, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    c[i] = __hadd(a[i], b[i]);
    c[i + n] = __hmul(a[i], b[i]);
    c[i + 2 * n] = __hfma(a[i], b[i], a[i]);
    c[i + 3 * n] = __hdiv(a[i], b[i]);
    c[i + 4 * n] = hsqrt(__habs(a[i]));
    c[i + 5 * n] = __hsub(a[i], b[i]);
    f[i] = __half2float(a[i]) * 3.0f;
    c[i + 6 * n] = __float2half(f[i] * 1.001f);
    c[i + 7 * n] = __hlt(a[i], b[i]) ? __hneg(a[i]) : __hmax(a[i], b[i]);
}

extern "C" __global__ void half2_math(const __half2 *a, const __half2 *b, __half2 *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    c[i] = __hfma2(a[i], b[i], __hadd2(a[i], b[i]));
    c[i + n] = __hmul2(a[i], __lowhigh2highlow(b[i]));
    c[i + 2 * n] = __hsub2(__high2half2(a[i]), b[i]);
}

extern "C" __global__ void conversions(const float *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = in[i];
    out[i] = (int)v; out[i + n] = (int)(unsigned)fabsf(v); out[i + 2 * n] = (int)(long long)(v * 1000.0f);
    out[i + 3 * n] = __float_as_int((float)(long long)(v * 1e10f)); out[i + 4 * n] = (unsigned char)(int)v;
    out[i + 5 * n] = __float_as_int((float)(double)v * (float)(unsigned)i); out[i + 6 * n] = (short)(int)v;
    out[i + 7 * n] = __float2int_rn(v); out[i + 8 * n] = __popc((unsigned)i * 77) + __clz(i) + __ffs(i) + (int)__brev(i);
}

extern "C" __global__ void small_integers(const unsigned char *a, const unsigned char *b, unsigned char *c,
                                          const short *s, short *t, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    c[i] = (unsigned char)((a[i] * 3 + b[i]) >> 1);
    c[i + n] = (unsigned char)(a[i] > b[i] ? a[i] - b[i] : b[i] - a[i]);
    c[i + 2 * n] = (unsigned char)(a[i] << (b[i] & 7));
    t[i] = (short)(s[i] * s[i + n]);
    t[i + n] = (short)(s[i] < s[i + n] ? s[i] : s[i + n]);
    t[i + 2 * n] = (short)(s[i] >> (a[i] & 7));
    t[i + 3 * n] = (short)(((signed char)a[i] + (signed char)b[i]) * 5 / 3);
}
