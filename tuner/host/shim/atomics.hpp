#pragma once

#include <string.h>

#include "tuner/host/shim/numbers.hpp"
#include "tuner/host/shim/watch.hpp"

// Atomic operations: threads change turns at barriers only, so a plain read and write are one. Whoever looks for races
// is told and does not see these.

namespace tuner::host {

template <typename T, typename Change>
__attribute__((no_sanitize("thread"))) inline T atomic_update(T* address, Change change) {
  watch::atomic(address, sizeof(T));
  const T old = *address;
  *address = change(old);
  return old;
}

/// Integers wrap around.
template <typename T>
inline T wrapping_sum(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) + static_cast<std::make_unsigned_t<T>>(b));
  else
    return a + b;
}

}  // namespace tuner::host

#define TUNER_ATOMIC_OF(NAME, CHANGE)                                               \
  template <typename T>                                                             \
  inline T NAME(T* address, tuner::host::Same<T> value) {                           \
    return tuner::host::atomic_update(address, [=](T old) -> T { return CHANGE; }); \
  }
#define TUNER_ATOMIC(NAME, CHANGE)      \
  TUNER_ATOMIC_OF(NAME, CHANGE)         \
  TUNER_ATOMIC_OF(NAME##_block, CHANGE) \
  TUNER_ATOMIC_OF(NAME##_system, CHANGE)
TUNER_ATOMIC(atomicAdd, tuner::host::wrapping_sum(old, value))
TUNER_ATOMIC(atomicSub, tuner::host::wrapping_sum(old, static_cast<T>(0 - value)))
TUNER_ATOMIC(atomicExch, (static_cast<void>(old), value))
TUNER_ATOMIC(atomicMin, (value < old ? value : old))
TUNER_ATOMIC(atomicMax, (old < value ? value : old))
TUNER_ATOMIC(atomicInc, (old >= value ? T(0) : T(old + 1)))
TUNER_ATOMIC(atomicDec, (old == 0 || old > value ? value : T(old - 1)))
TUNER_ATOMIC(atomicAnd, (old & value))
TUNER_ATOMIC(atomicOr, (old | value))
TUNER_ATOMIC(atomicXor, (old ^ value))
#undef TUNER_ATOMIC
#undef TUNER_ATOMIC_OF

template <typename T>
inline T atomicCAS(T* address, tuner::host::Same<T> expected, tuner::host::Same<T> value) {
  return tuner::host::atomic_update(address,
                                    [=](T old) { return memcmp(&old, &expected, sizeof(T)) == 0 ? value : old; });
}
template <typename T>
inline T atomicCAS_block(T* address, tuner::host::Same<T> expected, tuner::host::Same<T> value) {
  return atomicCAS(address, expected, value);
}

inline void __threadfence() {
  tuner::host::watch::fence();
}
inline void __threadfence_block() {
  tuner::host::watch::fence();
}
inline void __threadfence_system() {
  tuner::host::watch::fence();
}
