// Inputs and hashes for comparing PTX instructions with what replaces them. Both programs
// include this: the one with the instructions, which runs on an NVIDIA GPU, and the one with the
// replacements, which runs anywhere.
#pragma once

typedef unsigned long long u64;
typedef unsigned u32;

#ifdef __CUDACC__
#define PTX_FN __device__ inline
#else
#define PTX_FN inline
#endif

PTX_FN u64 ptx_mix(u64 x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  return x ^ x >> 31;
}

PTX_FN u64 edge_integer(u32 i) {
  const u64 values[24] = {0, 1, 2, 7, 8, 15, 16, 31, 32, 33, 63, 64, 127, 128, 255, 256 + 4, 0x8000, 0x7fffffff,
                          0x80000000, 0xffffffff, 0x80010203c4d5e6f7, 0x7fffffffffffffff, 0x8000000000000000, ~0ull};
  return values[i % 24];
}

PTX_FN u32 edge_float(u32 i) {
  const u32 values[24] = {0, 0x80000000, 0x3f800000, 0xbf800000, 0x3f800001, 0x40490fdb, 0x7f800000, 0xff800000,
                          0x7fc00000, 0x00000001, 0x807fffff, 0x00800000, 0x7f7fffff, 0xff7fffff, 0x3effffff, 0x3f000000,
                          0x40200000, 0xc0200000, 0x42fe0000, 0x43000000, 0x477fe000, 0x477ff000, 0x33000000, 0x33800001};
  return values[i % 24];
}

PTX_FN u64 edge_double(u32 i) {
  const u64 values[24] = {0, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x3ff0000000000001,
                          0x400921fb54442d18, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 1,
                          0x800fffffffffffff, 0x0010000000000000, 0x7fefffffffffffff, 0xffefffffffffffff,
                          0x47efffffe0000000, 0x47effffff0000000, 0x36a0000000000000, 0x3690000000000000,
                          0x3690000000000001, 0x380fffffe0000000, 0x3ff0000010000000, 0x3ff0000030000000,
                          0x4004000000000000, 0xc004000000000000};
  return values[i % 24];
}

PTX_FN u32 edge_half(u32 i) {
  const u32 values[24] = {0,      0x8000, 0x3c00, 0xbc00, 0x3c01, 0x4248, 0x7c00, 0xfc00, 0x7e00, 0x0001, 0x83ff, 0x0400,
                          0x7bff, 0xfbff, 0x37ff, 0x3800, 0x7fff, 0xff,   0x80,   0xffff, 0x6400, 0x6801, 0x1400, 0x4000};
  return values[i % 24];
}

// The value of operand `slot` in round `i`: all combinations of edges first, then a mixture.
struct Round {
  u64 i;
  u64 edges;  // number of combinations of edges

  PTX_FN u32 edge(int slot) const {
    u64 n = i;
    for (int k = 0; k < slot; ++k) n /= 24;
    return (u32)(n % 24);
  }
  PTX_FN u64 random(int slot) const { return ptx_mix(i * 8 + slot); }
  PTX_FN bool is_edge() const { return i < edges; }

  PTX_FN u64 integer(int slot) const {
    if (is_edge()) return edge_integer(edge(slot));
    u64 r = random(slot);
    return (r & 1) ? ptx_mix(r) : ptx_mix(r) >> (r >> 1 & 63);
  }
  PTX_FN u32 word(int slot) const { return (u32)integer(slot); }
  PTX_FN unsigned short half(int slot) const {
    return (unsigned short)(is_edge() ? edge_half(edge(slot)) : random(slot));
  }
  PTX_FN u32 two_halves(int slot) const {
    return is_edge() ? edge_half(edge(slot)) | edge_half(edge(slot) * 7 + 3) << 16 : (u32)random(slot);
  }
  PTX_FN float real(int slot) const {
    u32 bits = edge_float(edge(slot));
    if (!is_edge()) {
      u64 r = random(slot);
      bits = (u32)(r >> 32);
      // Two of three near one, where rounding matters.
      if (r % 3) bits = (bits & 0x80ffffff) | (0x3c + (u32)(r % 7)) << 24;
    }
    float value;
    __builtin_memcpy(&value, &bits, 4);
    return value;
  }
  PTX_FN double real64(int slot) const {
    u64 bits = edge_double(edge(slot));
    if (!is_edge()) {
      u64 r = random(slot);
      bits = ptx_mix(r);
      if (r % 3) bits = (bits & 0x800fffffffffffff) | (0x3f0 + r % 32) << 52;
    }
    double value;
    __builtin_memcpy(&value, &bits, 8);
    return value;
  }
};

// One bit pattern for all NaNs: AMD GPUs keep their payload, NVIDIA GPUs do not.
PTX_FN u64 bits_of(float x) {
  u32 bits;
  __builtin_memcpy(&bits, &x, 4);
  return (bits & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : bits;
}
PTX_FN u64 bits_of(double x) {
  u64 bits;
  __builtin_memcpy(&bits, &x, 8);
  return (bits & 0x7fffffffffffffff) > 0x7ff0000000000000 ? 0x7ff8000000000000 : bits;
}
PTX_FN u64 bits_of(u64 x) { return x; }
PTX_FN u64 bits_of(u32 x) { return x; }
PTX_FN u64 bits_of(unsigned short x) { return x; }
PTX_FN u64 f16_bits(u32 x) { return (x & 0x7fff) > 0x7c00 ? 0x7e00 : x; }
PTX_FN u64 bf16_bits(u32 x) { return (x & 0x7fff) > 0x7f80 ? 0x7fc0 : x; }
PTX_FN u64 f16x2_bits(u32 x) { return f16_bits(x & 0xffff) | f16_bits(x >> 16) << 16; }
PTX_FN u64 bf16x2_bits(u32 x) { return bf16_bits(x & 0xffff) | bf16_bits(x >> 16) << 16; }

// The order of the rounds does not matter to a sum, so threads need not wait for each other.
PTX_FN u64 ptx_hash(u64 i, int slot, u64 bits) { return ptx_mix(ptx_mix(i * 8 + slot) ^ bits); }
