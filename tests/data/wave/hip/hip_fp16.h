// Halves as numbers of 32 bits: the programs use those only that both hold.
#pragma once

struct __half {
    float value;
};

struct __half2 {
    __half low, high;
};

inline __half __float2half(float value) { return {value}; }
inline float __half2float(__half half) { return half.value; }
inline __half __hadd(__half one, __half other) { return {one.value + other.value}; }
inline __half2 __floats2half2_rn(float low, float high) { return {{low}, {high}}; }
inline __half2 __hadd2(__half2 one, __half2 other) { return {__hadd(one.low, other.low), __hadd(one.high, other.high)}; }
inline float __low2float(__half2 pair) { return pair.low.value; }
inline float __high2float(__half2 pair) { return pair.high.value; }
