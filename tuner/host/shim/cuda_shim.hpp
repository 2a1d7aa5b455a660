#pragma once

// Included before a kernel's text to compile it as C++ for the CPU: CUDA's keywords, built-in variables, types and
// functions. What is not declared here does not compile, which is the right answer for a kernel that uses it. The
// machine behind it is in block.hpp.

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tuner/host/shim/atomics.hpp"
#include "tuner/host/shim/block.hpp"
#include "tuner/host/shim/numbers.hpp"
#include "tuner/host/shim/vector_types.hpp"
#include "tuner/host/shim/warp.hpp"

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __cluster_dims__(...)
#define __grid_constant__
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __constant__ static
#define __managed__ static
// Each kernel's own variables lie together, so that they can be filled with garbage before a block begins. The
// section's name is what TUNER_SHARED_SECTION says where the variable is declared.
#define TUNER_SHARED_SECTION "tuner_shared"
#define __shared__ static __attribute__((section(TUNER_SHARED_SECTION)))

constexpr int warpSize = 32;

// Of the runtime, what kernels and the structures around them mention.
using cudaStream_t = struct CUstream_st*;
using cudaEvent_t = struct CUevent_st*;
enum cudaError_t { cudaSuccess };

#undef assert
#define assert(condition) \
  ((condition) ? (void)0 : ::tuner::host::stop("The assertion `" #condition "` does not hold", {__FILE__, __LINE__}))
#if !defined(__clang__)
#define __builtin_assume(condition) ((void)0)
#endif

inline void __syncthreads(int line = __builtin_LINE(), const char* file = __builtin_FILE()) {
  tuner::host::block_barrier({file, line});
}
inline int __syncthreads_count(int vote, int line = __builtin_LINE(), const char* file = __builtin_FILE()) {
  return tuner::host::block_barrier_count(vote, {file, line});
}
inline int __syncthreads_and(int vote, int line = __builtin_LINE(), const char* file = __builtin_FILE()) {
  return tuner::host::block_barrier_count(!vote, {file, line}) == 0;
}
inline int __syncthreads_or(int vote, int line = __builtin_LINE(), const char* file = __builtin_FILE()) {
  return tuner::host::block_barrier_count(vote, {file, line}) != 0;
}
[[noreturn]] inline void __trap(int line = __builtin_LINE(), const char* file = __builtin_FILE()) {
  tuner::host::stop("The kernel stops at a trap", {file, line});
}
inline void __brkpt() {}
inline void __nanosleep(unsigned) {}
inline long long clock64() {
  return tuner::host::turns();
}
inline long clock() {
  return static_cast<long>(tuner::host::turns());
}

// Loads and stores that only differ in what caches make of them.
#define TUNER_LOAD(NAME)            \
  template <typename T>             \
  inline T NAME(const T* address) { \
    return *address;                \
  }
TUNER_LOAD(__ldg)
TUNER_LOAD(__ldca)
TUNER_LOAD(__ldcg)
TUNER_LOAD(__ldcs)
TUNER_LOAD(__ldlu)
TUNER_LOAD(__ldcv)
#undef TUNER_LOAD
#define TUNER_STORE(NAME)                                           \
  template <typename T>                                             \
  inline void NAME(T* address, const tuner::host::Same<T>& value) { \
    *address = value;                                               \
  }
TUNER_STORE(__stwb)
TUNER_STORE(__stcg)
TUNER_STORE(__stcs)
TUNER_STORE(__stwt)
#undef TUNER_STORE

// cuda_pipeline_primitives.h
inline void __pipeline_memcpy_async(void* to, const void* from, size_t size, size_t zero_fill = 0) {
  tuner::host::copy_async(to, from, static_cast<int>(size), static_cast<int>(size - zero_fill));
}
inline void __pipeline_commit() {
  tuner::host::commit_copies();
}
inline void __pipeline_wait_prior(size_t groups) {
  tuner::host::wait_prior(static_cast<int>(groups));
}
