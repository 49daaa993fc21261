// What the HIP functions in `ptx.toml` compute, for processors that are no GPU.
#pragma once
#include <math.h>

inline u32 __float_as_uint(float x) { return __builtin_bit_cast(u32, x); }
inline float __uint_as_float(u32 x) { return __builtin_bit_cast(float, x); }
inline long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
inline double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
inline int __popc(u32 x) { return __builtin_popcount(x); }
inline int __popcll(u64 x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz((u32)x); }
inline int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll((u64)x); }
inline u32 __brev(u32 x) {
  u32 r = 0;
  for (int i = 0; i < 32; ++i) r |= (x >> i & 1) << (31 - i);
  return r;
}
inline u64 __brevll(u64 x) { return (u64)__brev((u32)x) << 32 | __brev((u32)(x >> 32)); }
inline u32 __umulhi(u32 x, u32 y) { return (u32)((u64)x * y >> 32); }
inline int __mulhi(int x, int y) { return (int)((long long)x * y >> 32); }
inline u64 __umul64hi(u64 x, u64 y) { return (u64)((unsigned __int128)x * y >> 64); }
inline long long __mul64hi(long long x, long long y) { return (long long)((__int128)x * y >> 64); }

// `v_alignbit_b32`: the low word of the pair, shifted right by the five low bits of `n`.
inline u32 alignbit(u32 hi, u32 lo, u32 n) { return (u32)(((u64)hi << 32 | lo) >> (n & 31)); }
inline u32 __funnelshift_l(u32 lo, u32 hi, u32 n) { return (n & 31) == 0 ? hi : alignbit(hi, lo, 32 - (n & 31)); }
inline u32 __funnelshift_lc(u32 lo, u32 hi, u32 n) {
  u32 least = n > 32 ? 32 : n;
  return least == 0 ? hi : alignbit(hi, lo, 32 - least);
}
inline u32 __funnelshift_r(u32 lo, u32 hi, u32 n) { return alignbit(hi, lo, n); }
inline u32 __funnelshift_rc(u32 lo, u32 hi, u32 n) { return n > 31 ? hi : alignbit(hi, lo, n); }

// `v_min_f32` and its family put -0 below +0, which C++ leaves open.
#define MINIMUM(name, type, first_if)                          \
  inline type name##_ordered(type x, type y) {                 \
    if (x == 0 && y == 0) return first_if(signbit(x)) ? x : y; \
    return name(x, y);                                         \
  }
#define IS(x) (x)
#define IS_NOT(x) (!(x))
MINIMUM(fminf, float, IS)
MINIMUM(fmaxf, float, IS_NOT)
MINIMUM(fmin, double, IS)
MINIMUM(fmax, double, IS_NOT)
#define fminf fminf_ordered
#define fmaxf fmaxf_ordered
#define fmin fmin_ordered
#define fmax fmax_ordered

// Three bits of each selector: HIP's function knows no sign bit.
inline u32 __byte_perm(u32 x, u32 y, u32 s) {
  u64 both = (u64)y << 32 | x;
  u32 r = 0;
  for (int i = 0; i < 4; ++i) r |= (u32)(both >> 8 * (s >> 4 * i & 7) & 255) << 8 * i;
  return r;
}

// Compilers call this for `(__bf16)x` where the processor has no instruction for it. It is declared
// with another 16-bit type that is returned in the same register: with `__bf16` it would call itself.
extern "C" __attribute__((used)) _Float16 __truncsfbf2(float x) {
  u32 bits = __float_as_uint(x);
  if ((bits & 0x7fffffff) > 0x7f800000) return __builtin_bit_cast(_Float16, (unsigned short)0x7fc0);
  return __builtin_bit_cast(_Float16, (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16));
}
