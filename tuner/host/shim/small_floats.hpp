#pragma once

#include "tuner/host/shim/numbers.hpp"

// The 16-bit formats of CUDA: arithmetic in float, rounded once afterwards, as the hardware's results are.

namespace tuner::host {

/// A number with this many mantissa bits in 16.
template <int MantissaBits>
struct SmallFloat {
  unsigned short bits;

  static constexpr int kExponentBits = 15 - MantissaBits;
  static constexpr int kBias = (1 << (kExponentBits - 1)) - 1;

  SmallFloat() = default;
  SmallFloat(float value) : bits(rounded(value)) {}
  SmallFloat(double value) : bits(rounded(static_cast<float>(value))) {}
  SmallFloat(int value) : bits(rounded(static_cast<float>(value))) {}
  SmallFloat(unsigned value) : bits(rounded(static_cast<float>(value))) {}
  SmallFloat(long long value) : bits(rounded(static_cast<float>(value))) {}

  operator float() const {
    const int exponent = bits >> MantissaBits & ((1 << kExponentBits) - 1);
    const int mantissa = bits & ((1 << MantissaBits) - 1);
    float magnitude;
    if (exponent == (1 << kExponentBits) - 1)
      magnitude = mantissa != 0 ? __builtin_nanf("") : __builtin_inff();
    else if (exponent == 0)
      magnitude = ldexpf(static_cast<float>(mantissa), 1 - kBias - MantissaBits);
    else
      magnitude = ldexpf(static_cast<float>(mantissa + (1 << MantissaBits)), exponent - kBias - MantissaBits);
    return bits & 0x8000 ? -magnitude : magnitude;
  }

  SmallFloat& operator+=(SmallFloat other) { return *this = SmallFloat(float(*this) + float(other)); }
  SmallFloat& operator-=(SmallFloat other) { return *this = SmallFloat(float(*this) - float(other)); }
  SmallFloat& operator*=(SmallFloat other) { return *this = SmallFloat(float(*this) * float(other)); }
  SmallFloat& operator/=(SmallFloat other) { return *this = SmallFloat(float(*this) / float(other)); }
  SmallFloat operator-() const { return from_bits(static_cast<unsigned short>(bits ^ 0x8000)); }

  static SmallFloat from_bits(unsigned short bits) {
    SmallFloat result;
    result.bits = bits;
    return result;
  }

 private:
  /// To nearest, ties to even.
  static unsigned short rounded(float value) {
    const unsigned sign = bits_of<unsigned>(value) >> 16 & 0x8000u;
    const unsigned infinity = ((1u << kExponentBits) - 1) << MantissaBits;
    const float magnitude = fabsf(value);
    if (magnitude != magnitude) return static_cast<unsigned short>(sign | infinity | 1u << (MantissaBits - 1));
    if (magnitude == 0) return static_cast<unsigned short>(sign);
    int exponent;
    frexpf(magnitude, &exponent);  // magnitude = m * 2^exponent, m in [0.5, 1)
    if (exponent - 1 > kBias) return static_cast<unsigned short>(sign | infinity);
    const int lowest = 1 - kBias;
    const int unit = (exponent - 1 < lowest ? lowest : exponent - 1) - MantissaBits;  // of the last place
    const unsigned steps = static_cast<unsigned>(nearbyint(ldexp(static_cast<double>(magnitude), -unit)));
    const unsigned scale = static_cast<unsigned>(unit + MantissaBits - lowest);  // exponent field less one
    const unsigned result = steps + (scale << MantissaBits);
    return static_cast<unsigned short>(sign | (result > infinity ? infinity : result));
  }
};

template <int B>
inline SmallFloat<B> operator+(SmallFloat<B> a, SmallFloat<B> b) {
  return a += b;
}
template <int B>
inline SmallFloat<B> operator-(SmallFloat<B> a, SmallFloat<B> b) {
  return a -= b;
}
template <int B>
inline SmallFloat<B> operator*(SmallFloat<B> a, SmallFloat<B> b) {
  return a *= b;
}
template <int B>
inline SmallFloat<B> operator/(SmallFloat<B> a, SmallFloat<B> b) {
  return a /= b;
}
template <int B>
inline bool operator<(SmallFloat<B> a, SmallFloat<B> b) {
  return float(a) < float(b);
}
template <int B>
inline bool operator>(SmallFloat<B> a, SmallFloat<B> b) {
  return float(a) > float(b);
}
template <int B>
inline bool operator<=(SmallFloat<B> a, SmallFloat<B> b) {
  return float(a) <= float(b);
}
template <int B>
inline bool operator>=(SmallFloat<B> a, SmallFloat<B> b) {
  return float(a) >= float(b);
}
template <int B>
inline bool operator==(SmallFloat<B> a, SmallFloat<B> b) {
  return float(a) == float(b);
}

template <int B>
struct alignas(4) SmallPair {
  SmallFloat<B> x, y;

  friend SmallPair operator+(SmallPair a, SmallPair b) { return {a.x + b.x, a.y + b.y}; }
  friend SmallPair operator-(SmallPair a, SmallPair b) { return {a.x - b.x, a.y - b.y}; }
  friend SmallPair operator*(SmallPair a, SmallPair b) { return {a.x * b.x, a.y * b.y}; }
  friend SmallPair operator/(SmallPair a, SmallPair b) { return {a.x / b.x, a.y / b.y}; }
};

template <int B>
inline SmallFloat<B> fused(SmallFloat<B> a, SmallFloat<B> b, SmallFloat<B> c) {
  return SmallFloat<B>(static_cast<float>(static_cast<double>(float(a)) * float(b) + float(c)));
}

// What both headers declare, for numbers of one format and pairs of them.
#define TUNER_SMALL_FLOATS(ONE, PAIR)                                    \
  inline ONE __hadd(ONE a, ONE b) {                                      \
    return a + b;                                                        \
  }                                                                      \
  inline ONE __hadd_rn(ONE a, ONE b) {                                   \
    return a + b;                                                        \
  }                                                                      \
  inline ONE __hsub(ONE a, ONE b) {                                      \
    return a - b;                                                        \
  }                                                                      \
  inline ONE __hsub_rn(ONE a, ONE b) {                                   \
    return a - b;                                                        \
  }                                                                      \
  inline ONE __hmul(ONE a, ONE b) {                                      \
    return a * b;                                                        \
  }                                                                      \
  inline ONE __hmul_rn(ONE a, ONE b) {                                   \
    return a * b;                                                        \
  }                                                                      \
  inline ONE __hdiv(ONE a, ONE b) {                                      \
    return a / b;                                                        \
  }                                                                      \
  inline ONE __hfma(ONE a, ONE b, ONE c) {                               \
    return tuner::host::fused(a, b, c);                                  \
  }                                                                      \
  inline ONE __hneg(ONE a) {                                             \
    return -a;                                                           \
  }                                                                      \
  inline ONE __habs(ONE a) {                                             \
    return ONE::from_bits(static_cast<unsigned short>(a.bits & 0x7fff)); \
  }                                                                      \
  inline ONE __hmax(ONE a, ONE b) {                                      \
    return a < b || float(a) != float(a) ? b : a;                        \
  }                                                                      \
  inline ONE __hmin(ONE a, ONE b) {                                      \
    return b < a || float(a) != float(a) ? b : a;                        \
  }                                                                      \
  inline bool __heq(ONE a, ONE b) {                                      \
    return a == b;                                                       \
  }                                                                      \
  inline bool __hne(ONE a, ONE b) {                                      \
    return !(a == b);                                                    \
  }                                                                      \
  inline bool __hlt(ONE a, ONE b) {                                      \
    return a < b;                                                        \
  }                                                                      \
  inline bool __hle(ONE a, ONE b) {                                      \
    return a <= b;                                                       \
  }                                                                      \
  inline bool __hgt(ONE a, ONE b) {                                      \
    return a > b;                                                        \
  }                                                                      \
  inline bool __hge(ONE a, ONE b) {                                      \
    return a >= b;                                                       \
  }                                                                      \
  inline bool __hisnan(ONE a) {                                          \
    return float(a) != float(a);                                         \
  }                                                                      \
  inline ONE hexp(ONE a) {                                               \
    return ONE(expf(a));                                                 \
  }                                                                      \
  inline ONE hlog(ONE a) {                                               \
    return ONE(logf(a));                                                 \
  }                                                                      \
  inline ONE hsqrt(ONE a) {                                              \
    return ONE(sqrtf(a));                                                \
  }                                                                      \
  inline ONE hrsqrt(ONE a) {                                             \
    return ONE(rsqrtf(a));                                               \
  }                                                                      \
  inline ONE hrcp(ONE a) {                                               \
    return ONE(1.0f / float(a));                                         \
  }                                                                      \
  inline PAIR __hadd2(PAIR a, PAIR b) {                                  \
    return a + b;                                                        \
  }                                                                      \
  inline PAIR __hsub2(PAIR a, PAIR b) {                                  \
    return a - b;                                                        \
  }                                                                      \
  inline PAIR __hmul2(PAIR a, PAIR b) {                                  \
    return a * b;                                                        \
  }                                                                      \
  inline PAIR __h2div(PAIR a, PAIR b) {                                  \
    return a / b;                                                        \
  }                                                                      \
  inline PAIR __hfma2(PAIR a, PAIR b, PAIR c) {                          \
    return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};               \
  }                                                                      \
  inline PAIR __hneg2(PAIR a) {                                          \
    return {-a.x, -a.y};                                                 \
  }                                                                      \
  inline PAIR __habs2(PAIR a) {                                          \
    return {__habs(a.x), __habs(a.y)};                                   \
  }                                                                      \
  inline PAIR __hmax2(PAIR a, PAIR b) {                                  \
    return {__hmax(a.x, b.x), __hmax(a.y, b.y)};                         \
  }                                                                      \
  inline PAIR __hmin2(PAIR a, PAIR b) {                                  \
    return {__hmin(a.x, b.x), __hmin(a.y, b.y)};                         \
  }

}  // namespace tuner::host
