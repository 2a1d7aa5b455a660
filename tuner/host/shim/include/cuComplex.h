#pragma once

#include <math.h>

#include "tuner/host/shim/vector_types.hpp"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

// The functions of single precision are called as those of double precision, with an f behind.
#define TUNER_COMPLEX(TYPE, T, NAME, F)                                                                      \
  inline TYPE make_##NAME(T real, T imaginary) {                                                             \
    return {real, imaginary};                                                                                \
  }                                                                                                          \
  inline T cuCreal##F(TYPE a) {                                                                              \
    return a.x;                                                                                              \
  }                                                                                                          \
  inline T cuCimag##F(TYPE a) {                                                                              \
    return a.y;                                                                                              \
  }                                                                                                          \
  inline TYPE cuConj##F(TYPE a) {                                                                            \
    return {a.x, -a.y};                                                                                      \
  }                                                                                                          \
  inline TYPE cuCadd##F(TYPE a, TYPE b) {                                                                    \
    return {a.x + b.x, a.y + b.y};                                                                           \
  }                                                                                                          \
  inline TYPE cuCsub##F(TYPE a, TYPE b) {                                                                    \
    return {a.x - b.x, a.y - b.y};                                                                           \
  }                                                                                                          \
  inline TYPE cuCmul##F(TYPE a, TYPE b) {                                                                    \
    return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};                                                   \
  }                                                                                                          \
  /* Divided first by what is larger, so that nothing overflows. */                                          \
  inline TYPE cuCdiv##F(TYPE a, TYPE b) {                                                                    \
    const T scale = (b.x < 0 ? -b.x : b.x) + (b.y < 0 ? -b.y : b.y);                                         \
    const T ax = a.x / scale, ay = a.y / scale, bx = b.x / scale, by = b.y / scale, sum = bx * bx + by * by; \
    return {(ax * bx + ay * by) / sum, (ay * bx - ax * by) / sum};                                           \
  }                                                                                                          \
  inline T cuCabs##F(TYPE a) {                                                                               \
    return hypot##F(a.x, a.y);                                                                               \
  }                                                                                                          \
  inline TYPE cuCfma##F(TYPE a, TYPE b, TYPE c) {                                                            \
    return cuCadd##F(cuCmul##F(a, b), c);                                                                    \
  }
TUNER_COMPLEX(cuFloatComplex, float, cuFloatComplex, f)
TUNER_COMPLEX(cuDoubleComplex, double, cuDoubleComplex, )
#undef TUNER_COMPLEX

inline cuComplex make_cuComplex(float real, float imaginary) {
  return {real, imaginary};
}
inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex a) {
  return {a.x, a.y};
}
inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex a) {
  return {static_cast<float>(a.x), static_cast<float>(a.y)};
}
