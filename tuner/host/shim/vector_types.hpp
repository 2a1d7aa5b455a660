#pragma once

#include "tuner/host/shim/block.hpp"

// CUDA's vector types, with its alignments.

#define TUNER_VECTOR(NAME, T, ALIGNMENT_2, ALIGNMENT_4) \
  struct NAME##1 {                                      \
    T x;                                                \
  };                                                    \
  struct alignas(ALIGNMENT_2) NAME##2 {                 \
    T x, y;                                             \
  };                                                    \
  struct alignas(ALIGNMENT_4) NAME##4 {                 \
    T x, y, z, w;                                       \
  };                                                    \
  inline NAME##1 make_##NAME##1(T x) {                  \
    return {x};                                         \
  }                                                     \
  inline NAME##2 make_##NAME##2(T x, T y) {             \
    return {x, y};                                      \
  }                                                     \
  inline NAME##4 make_##NAME##4(T x, T y, T z, T w) {   \
    return {x, y, z, w};                                \
  }
#define TUNER_VECTOR_3(NAME, T)                  \
  struct NAME##3 {                               \
    T x, y, z;                                   \
  };                                             \
  inline NAME##3 make_##NAME##3(T x, T y, T z) { \
    return {x, y, z};                            \
  }

TUNER_VECTOR(char, signed char, 2, 4)
TUNER_VECTOR_3(char, signed char)
TUNER_VECTOR(uchar, unsigned char, 2, 4)
TUNER_VECTOR_3(uchar, unsigned char)
TUNER_VECTOR(short, short, 4, 8)
TUNER_VECTOR_3(short, short)
TUNER_VECTOR(ushort, unsigned short, 4, 8)
TUNER_VECTOR_3(ushort, unsigned short)
TUNER_VECTOR(int, int, 8, 16)
TUNER_VECTOR_3(int, int)
TUNER_VECTOR(uint, unsigned, 8, 16)
TUNER_VECTOR(long, long, 16, 16)
TUNER_VECTOR_3(long, long)
TUNER_VECTOR(ulong, unsigned long, 16, 16)
TUNER_VECTOR_3(ulong, unsigned long)
TUNER_VECTOR(longlong, long long, 16, 16)
TUNER_VECTOR_3(longlong, long long)
TUNER_VECTOR(ulonglong, unsigned long long, 16, 16)
TUNER_VECTOR_3(ulonglong, unsigned long long)
TUNER_VECTOR(float, float, 8, 16)
TUNER_VECTOR_3(float, float)
TUNER_VECTOR(double, double, 16, 16)
TUNER_VECTOR_3(double, double)
#undef TUNER_VECTOR
#undef TUNER_VECTOR_3

using uint3 = tuner::host::Index3;
inline uint3 make_uint3(unsigned x, unsigned y, unsigned z) {
  return {x, y, z};
}

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
  constexpr dim3(uint3 size) : x(size.x), y(size.y), z(size.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};
