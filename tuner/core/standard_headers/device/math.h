#ifndef _TUNER_MATH_H
#define _TUNER_MATH_H
#ifndef INFINITY
#define INFINITY __builtin_bit_cast(float, 0x7f800000)
#endif
#ifndef NAN
#define NAN __builtin_bit_cast(float, 0x7fc00000)
#endif
#ifndef HUGE_VAL
#define HUGE_VALF INFINITY
#define HUGE_VAL ((double)INFINITY)
#endif
#ifndef M_PI
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#endif
typedef float float_t;
typedef double double_t;

// NVRTC declares these for float and double, and pow for one of them with an int. All other numbers count as doubles.
template <typename _T, typename _Result>
struct __tuner_number {};
template <typename _Result>
struct __tuner_number<float, _Result> {
  typedef _Result type;
};
template <typename _Result>
struct __tuner_number<double, _Result> {
  typedef _Result type;
};
template <typename _Result>
struct __tuner_number<bool, _Result> {
  typedef _Result type;
};
template <typename _Result>
struct __tuner_number<char, _Result> {
  typedef _Result type;
};
template <typename _Result>
struct __tuner_number<signed char, _Result> {
  typedef _Result type;
};
template <typename _Result>
struct __tuner_number<unsigned char, _Result> {
  typedef _Result type;
};
template <typename _Result>
struct __tuner_number<short, _Result> {
  typedef _Result type;
};
template <typename _Result>
struct __tuner_number<unsigned short, _Result> {
  typedef _Result type;
};
template <typename _Result>
struct __tuner_number<int, _Result> {
  typedef _Result type;
};
template <typename _Result>
struct __tuner_number<unsigned, _Result> {
  typedef _Result type;
};
template <typename _Result>
struct __tuner_number<long, _Result> {
  typedef _Result type;
};
template <typename _Result>
struct __tuner_number<unsigned long, _Result> {
  typedef _Result type;
};
template <typename _Result>
struct __tuner_number<long long, _Result> {
  typedef _Result type;
};
template <typename _Result>
struct __tuner_number<unsigned long long, _Result> {
  typedef _Result type;
};
#define __tuner_of_one(name)                                                                \
  template <typename _A>                                                                    \
  __host__ __device__ inline typename __tuner_number<_A, double>::type name(_A __a) { \
    return name(double(__a));                                                               \
  }
#define __tuner_of_two(name)                                                                                   \
  template <typename _A, typename _B>                                                                          \
  __host__ __device__ inline typename __tuner_number<_A, typename __tuner_number<_B, double>::type>::type name( \
      _A __a, _B __b) {                                                                                        \
    return name(double(__a), double(__b));                                                                     \
  }
__tuner_of_one(acos)
__tuner_of_one(acosh)
__tuner_of_one(asin)
__tuner_of_one(asinh)
__tuner_of_one(atan)
__tuner_of_one(atanh)
__tuner_of_one(cbrt)
__tuner_of_one(ceil)
__tuner_of_one(cos)
__tuner_of_one(cosh)
__tuner_of_one(erf)
__tuner_of_one(erfc)
__tuner_of_one(exp)
__tuner_of_one(exp2)
__tuner_of_one(expm1)
__tuner_of_one(fabs)
__tuner_of_one(floor)
__tuner_of_one(lgamma)
__tuner_of_one(log)
__tuner_of_one(log10)
__tuner_of_one(log1p)
__tuner_of_one(log2)
__tuner_of_one(nearbyint)
__tuner_of_one(rint)
__tuner_of_one(round)
__tuner_of_one(sin)
__tuner_of_one(sinh)
__tuner_of_one(sqrt)
__tuner_of_one(tan)
__tuner_of_one(tanh)
__tuner_of_one(tgamma)
__tuner_of_one(trunc)
__tuner_of_two(atan2)
__tuner_of_two(copysign)
__tuner_of_two(fdim)
__tuner_of_two(fmax)
__tuner_of_two(fmin)
__tuner_of_two(fmod)
__tuner_of_two(hypot)
__tuner_of_two(nextafter)
__tuner_of_two(pow)
__tuner_of_two(remainder)
#undef __tuner_of_one
#undef __tuner_of_two
#endif
