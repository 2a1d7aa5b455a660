#pragma once

// Function objects of libcu++ that reductions take.

namespace cuda {

#define TUNER_JOIN(NAME, RESULT)                                  \
  template <typename T = void>                                    \
  struct NAME {                                                   \
    T operator()(const T& a, const T& b) const { return RESULT; } \
  };                                                              \
  template <>                                                     \
  struct NAME<void> {                                             \
    template <typename A, typename B>                             \
    auto operator()(const A& a, const B& b) const {               \
      return RESULT;                                              \
    }                                                             \
  };

TUNER_JOIN(minimum, b < a ? b : a)
TUNER_JOIN(maximum, a < b ? b : a)

namespace std {
TUNER_JOIN(plus, a + b)
TUNER_JOIN(multiplies, a* b)
TUNER_JOIN(bit_and, a& b)
TUNER_JOIN(bit_or, a | b)
TUNER_JOIN(bit_xor, a ^ b)
TUNER_JOIN(logical_and, a&& b)
TUNER_JOIN(logical_or, a || b)
}  // namespace std

#undef TUNER_JOIN

}  // namespace cuda
