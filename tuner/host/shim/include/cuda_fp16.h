#pragma once

#include "tuner/host/shim/small_floats.hpp"
#include "tuner/host/shim/vector_types.hpp"

using __half = tuner::host::SmallFloat<10>;
using __half2 = tuner::host::SmallPair<10>;
using half = __half;
using half2 = __half2;

TUNER_SMALL_FLOATS(__half, __half2)

inline __half __float2half(float x) {
  return __half(x);
}
inline __half __float2half_rn(float x) {
  return __half(x);
}
inline __half __double2half(double x) {
  return __half(x);
}
inline float __half2float(__half x) {
  return x;
}
inline __half __int2half_rn(int x) {
  return __half(x);
}
inline int __half2int_rn(__half x) {
  return tuner::host::integer_of<int>(nearbyintf(x));
}
inline int __half2int_rz(__half x) {
  return tuner::host::integer_of<int>(truncf(x));
}
inline unsigned short __half_as_ushort(__half x) {
  return x.bits;
}
inline __half __ushort_as_half(unsigned short x) {
  return __half::from_bits(x);
}
inline __half2 make_half2(__half x, __half y) {
  return {x, y};
}
inline __half2 __halves2half2(__half x, __half y) {
  return {x, y};
}
inline __half2 __half2half2(__half x) {
  return {x, x};
}
inline __half2 __float2half2_rn(float x) {
  return {__half(x), __half(x)};
}
inline __half2 __floats2half2_rn(float x, float y) {
  return {__half(x), __half(y)};
}
inline __half2 __float22half2_rn(float2 x) {
  return {__half(x.x), __half(x.y)};
}
inline float2 __half22float2(__half2 x) {
  return {x.x, x.y};
}
inline __half __low2half(__half2 x) {
  return x.x;
}
inline __half __high2half(__half2 x) {
  return x.y;
}
inline float __low2float(__half2 x) {
  return x.x;
}
inline float __high2float(__half2 x) {
  return x.y;
}
inline __half2 __lowhigh2highlow(__half2 x) {
  return {x.y, x.x};
}
inline __half2 __low2half2(__half2 x) {
  return {x.x, x.x};
}
inline __half2 __high2half2(__half2 x) {
  return {x.y, x.y};
}
