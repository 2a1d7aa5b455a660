#pragma once

#include "tuner/host/shim/small_floats.hpp"
#include "tuner/host/shim/vector_types.hpp"

using __nv_bfloat16 = tuner::host::SmallFloat<7>;
using __nv_bfloat162 = tuner::host::SmallPair<7>;
using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;

TUNER_SMALL_FLOATS(__nv_bfloat16, __nv_bfloat162)

inline __nv_bfloat16 __float2bfloat16(float x) {
  return __nv_bfloat16(x);
}
inline __nv_bfloat16 __float2bfloat16_rn(float x) {
  return __nv_bfloat16(x);
}
inline __nv_bfloat16 __double2bfloat16(double x) {
  return __nv_bfloat16(x);
}
inline float __bfloat162float(__nv_bfloat16 x) {
  return x;
}
inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 x) {
  return x.bits;
}
inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short x) {
  return __nv_bfloat16::from_bits(x);
}
inline __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) {
  return {x, y};
}
inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) {
  return {x, y};
}
inline __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 x) {
  return {x, x};
}
inline __nv_bfloat162 __float2bfloat162_rn(float x) {
  return {__nv_bfloat16(x), __nv_bfloat16(x)};
}
inline __nv_bfloat162 __floats2bfloat162_rn(float x, float y) {
  return {__nv_bfloat16(x), __nv_bfloat16(y)};
}
inline float2 __bfloat1622float2(__nv_bfloat162 x) {
  return {x.x, x.y};
}
inline __nv_bfloat16 __low2bfloat16(__nv_bfloat162 x) {
  return x.x;
}
inline __nv_bfloat16 __high2bfloat16(__nv_bfloat162 x) {
  return x.y;
}
inline float __low2float(__nv_bfloat162 x) {
  return x.x;
}
inline float __high2float(__nv_bfloat162 x) {
  return x.y;
}
