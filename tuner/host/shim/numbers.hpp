#pragma once

#include <math.h>

#include <type_traits>

// CUDA's functions on numbers beyond those of the C library, which are there already.

namespace tuner::host {

/// T, without taking part in finding out what T is.
template <typename T>
struct Identity {
  using type = T;
};
template <typename T>
using Same = typename Identity<T>::type;

template <typename To, typename From>
inline To bits_of(From value) {
  static_assert(sizeof(To) == sizeof(From));
  To result;
  __builtin_memcpy(&result, &value, sizeof result);
  return result;
}

template <typename A, typename B>
using Common = std::enable_if_t<std::is_arithmetic_v<A> && std::is_arithmetic_v<B>, std::common_type_t<A, B>>;

/// Towards nearest even, stopping at the ends; not-a-number gives 0.
template <typename To, typename From>
inline To integer_of(From value) {
  constexpr To lowest = std::is_signed_v<To> ? To(To(1) << (8 * sizeof(To) - 1)) : To(0);
  constexpr To highest = To(~lowest);
  if (!(value == value)) return 0;
  if (value <= From(lowest)) return lowest;
  if (value >= From(highest)) return highest;
  return static_cast<To>(value);
}

}  // namespace tuner::host

template <typename A, typename B>
constexpr tuner::host::Common<A, B> min(A a, B b) {
  using T = tuner::host::Common<A, B>;
  return T(b) < T(a) || a != a ? T(b) : T(a);
}
template <typename A, typename B>
constexpr tuner::host::Common<A, B> max(A a, B b) {
  using T = tuner::host::Common<A, B>;
  return T(a) < T(b) || a != a ? T(b) : T(a);
}
inline unsigned umin(unsigned a, unsigned b) {
  return a < b ? a : b;
}
inline unsigned umax(unsigned a, unsigned b) {
  return a > b ? a : b;
}

inline float rsqrtf(float x) {
  return 1.0f / sqrtf(x);
}
inline double rsqrt(double x) {
  return 1.0 / ::sqrt(x);
}
inline float rsqrt(float x) {
  return rsqrtf(x);
}
inline float rcbrtf(float x) {
  return 1.0f / cbrtf(x);
}
inline double rcbrt(double x) {
  return 1.0 / ::cbrt(x);
}
inline double sinpi(double x) {
  return ::sin(x * M_PI);
}
inline double cospi(double x) {
  return ::cos(x * M_PI);
}
inline float sinpif(float x) {
  return static_cast<float>(sinpi(x));
}
inline float cospif(float x) {
  return static_cast<float>(cospi(x));
}
inline void sincospi(double x, double* sine, double* cosine) {
  *sine = sinpi(x);
  *cosine = cospi(x);
}
inline void sincospif(float x, float* sine, float* cosine) {
  *sine = sinpif(x);
  *cosine = cospif(x);
}
inline double norm3d(double x, double y, double z) {
  return ::sqrt(x * x + y * y + z * z);
}
inline float norm3df(float x, float y, float z) {
  return sqrtf(x * x + y * y + z * z);
}
inline float fdividef(float x, float y) {
  return x / y;
}
inline float __fdividef(float x, float y) {
  return x / y;
}
inline float __expf(float x) {
  return expf(x);
}
inline float __exp10f(float x) {
  return powf(10.0f, x);
}
inline float __logf(float x) {
  return logf(x);
}
inline float __log2f(float x) {
  return log2f(x);
}
inline float __log10f(float x) {
  return log10f(x);
}
inline float __sinf(float x) {
  return sinf(x);
}
inline float __cosf(float x) {
  return cosf(x);
}
inline float __tanf(float x) {
  return tanf(x);
}
inline float __powf(float x, float y) {
  return powf(x, y);
}
inline void __sincosf(float x, float* sine, float* cosine) {
  *sine = sinf(x);
  *cosine = cosf(x);
}
inline float __saturatef(float x) {
  return x > 0 ? (x < 1 ? x : 1.0f) : 0.0f;
}
inline float __fadd_rn(float a, float b) {
  return a + b;
}
inline float __fsub_rn(float a, float b) {
  return a - b;
}
inline float __fmul_rn(float a, float b) {
  return a * b;
}
inline float __fdiv_rn(float a, float b) {
  return a / b;
}
inline float __frcp_rn(float a) {
  return 1.0f / a;
}
inline float __fsqrt_rn(float a) {
  return sqrtf(a);
}
inline float __frsqrt_rn(float a) {
  return rsqrtf(a);
}
inline float __fmaf_rn(float a, float b, float c) {
  return fmaf(a, b, c);
}
inline double __dadd_rn(double a, double b) {
  return a + b;
}
inline double __dsub_rn(double a, double b) {
  return a - b;
}
inline double __dmul_rn(double a, double b) {
  return a * b;
}
inline double __ddiv_rn(double a, double b) {
  return a / b;
}
inline double __drcp_rn(double a) {
  return 1.0 / a;
}
inline double __dsqrt_rn(double a) {
  return ::sqrt(a);
}
inline double __fma_rn(double a, double b, double c) {
  return ::fma(a, b, c);
}

inline int __popc(unsigned x) {
  return __builtin_popcount(x);
}
inline int __popcll(unsigned long long x) {
  return __builtin_popcountll(x);
}
inline int __clz(int x) {
  return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x));
}
inline int __clzll(long long x) {
  return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}
inline int __ffs(int x) {
  return __builtin_ffs(x);
}
inline int __ffsll(long long x) {
  return __builtin_ffsll(x);
}
inline unsigned long long __brevll(unsigned long long x) {
  unsigned long long result = 0;
  for (int bit = 0; bit < 64; ++bit) result = result << 1 | (x >> bit & 1);
  return result;
}
inline unsigned __brev(unsigned x) {
  return static_cast<unsigned>(__brevll(x) >> 32);
}
inline int __mul24(int a, int b) {
  return static_cast<int>(static_cast<unsigned>(a << 8 >> 8) * static_cast<unsigned>(b << 8 >> 8));
}
inline unsigned __umul24(unsigned a, unsigned b) {
  return (a & 0xffffffu) * (b & 0xffffffu);
}
inline int __mulhi(int a, int b) {
  return static_cast<int>(static_cast<long long>(a) * b >> 32);
}
inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}
inline long long __mul64hi(long long a, long long b) {
  return static_cast<long long>(static_cast<__int128>(a) * b >> 64);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
inline unsigned __sad(int a, int b, unsigned c) {
  return (a > b ? unsigned(a) - unsigned(b) : unsigned(b) - unsigned(a)) + c;
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) << (shift & 31) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) >> (shift & 31));
}
inline unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
  const unsigned long long bytes = static_cast<unsigned long long>(b) << 32 | a;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned choice = selector >> (4 * i) & 0xf;
    unsigned byte = static_cast<unsigned>(bytes >> (8 * (choice & 7)) & 0xff);
    if (choice & 8) byte = byte & 0x80 ? 0xffu : 0;
    result |= byte << (8 * i);
  }
  return result;
}
inline int __dp4a(int a, int b, int c) {
  for (int i = 0; i < 4; ++i) c += static_cast<signed char>(a >> (8 * i)) * static_cast<signed char>(b >> (8 * i));
  return c;
}
inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (int i = 0; i < 4; ++i) c += (a >> (8 * i) & 255) * (b >> (8 * i) & 255);
  return c;
}

inline int __float_as_int(float x) {
  return tuner::host::bits_of<int>(x);
}
inline unsigned __float_as_uint(float x) {
  return tuner::host::bits_of<unsigned>(x);
}
inline float __int_as_float(int x) {
  return tuner::host::bits_of<float>(x);
}
inline float __uint_as_float(unsigned x) {
  return tuner::host::bits_of<float>(x);
}
inline long long __double_as_longlong(double x) {
  return tuner::host::bits_of<long long>(x);
}
inline double __longlong_as_double(long long x) {
  return tuner::host::bits_of<double>(x);
}
inline int __double2hiint(double x) {
  return static_cast<int>(__double_as_longlong(x) >> 32);
}
inline int __double2loint(double x) {
  return static_cast<int>(__double_as_longlong(x));
}
inline double __hiloint2double(int high, int low) {
  return __longlong_as_double(static_cast<long long>(
      static_cast<unsigned long long>(static_cast<unsigned>(high)) << 32 | static_cast<unsigned>(low)));
}

#define TUNER_CONVERT(FROM, NAME, TO, SPELLING)       \
  inline TO __##NAME##2##SPELLING##_rn(FROM x) {      \
    return tuner::host::integer_of<TO>(nearbyint(x)); \
  }                                                   \
  inline TO __##NAME##2##SPELLING##_rz(FROM x) {      \
    return tuner::host::integer_of<TO>(trunc(x));     \
  }                                                   \
  inline TO __##NAME##2##SPELLING##_rd(FROM x) {      \
    return tuner::host::integer_of<TO>(floor(x));     \
  }                                                   \
  inline TO __##NAME##2##SPELLING##_ru(FROM x) {      \
    return tuner::host::integer_of<TO>(ceil(x));      \
  }                                                   \
  inline FROM __##SPELLING##2##NAME##_rn(TO x) {      \
    return static_cast<FROM>(x);                      \
  }
TUNER_CONVERT(float, float, int, int)
TUNER_CONVERT(float, float, unsigned, uint)
TUNER_CONVERT(float, float, long long, ll)
TUNER_CONVERT(float, float, unsigned long long, ull)
TUNER_CONVERT(double, double, int, int)
TUNER_CONVERT(double, double, unsigned, uint)
TUNER_CONVERT(double, double, long long, ll)
TUNER_CONVERT(double, double, unsigned long long, ull)
#undef TUNER_CONVERT
inline float __double2float_rn(double x) {
  return static_cast<float>(x);
}
