#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace tuner {

/// The number that the bits of a `half` are, exactly; a NaN keeps its sign.
inline float float_from_half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 0x1f;
  const int mantissa = bits & 0x3ff;
  float magnitude = 0;
  if (exponent == 31) {
    magnitude = mantissa ? std::nanf("") : HUGE_VALF;
  } else if (exponent == 0) {
    magnitude = std::ldexp(static_cast<float>(mantissa), -24);
  } else {
    magnitude = std::ldexp(static_cast<float>(mantissa + 1024), exponent - 25);
  }
  return bits & 0x8000 ? -magnitude : magnitude;
}

/// Those of a `bfloat16`.
inline float float_from_bfloat16(std::uint16_t bits) {
  return std::bit_cast<float>(std::uint32_t{bits} << 16);
}

}  // namespace tuner
