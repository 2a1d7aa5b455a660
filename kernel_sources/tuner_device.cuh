// Device helpers for annotated kernels: fixed-width integers, packs of values that travel in one instruction,
// reductions over a warp, asynchronous copies into shared memory and prefetches into L2, the last two as inline PTX.
// Including this instead of a toolkit header keeps a compilation at the cost of the kernel itself, and needs no include
// path. Compiles with NVRTC and nvcc for every architecture; where the hardware has no asynchronous copy (before
// compute capability 8.0) the copy is done at once and the waits are empty.
//
// With TUNER_HOST_EMULATION the same calls are C++ on the CPU: tuner::host, declared before this file is read, supplies
// them. A copy then lands when it is waited for and not before, so that a missing wait is a wrong result.
#ifndef TUNER_DEVICE_CUH
#define TUNER_DEVICE_CUH

namespace tuner {

using int8 = signed char;
using uint8 = unsigned char;
using int16 = short;
using uint16 = unsigned short;
using int32 = int;
using uint32 = unsigned int;
using int64 = long long;
using uint64 = unsigned long long;

// `Count` neighbouring values that are loaded and stored in one instruction, of at most 16 bytes: Count * sizeof(T) is
// a power of two up to 16, and so is the alignment of the address.
template <typename T, int Count>
struct alignas(sizeof(T) * Count) Pack {
  T value[Count];

  __device__ __forceinline__ T& operator[](int i) { return value[i]; }
  __device__ __forceinline__ const T& operator[](int i) const { return value[i]; }
};

template <int Count, typename T>
__device__ __forceinline__ Pack<T, Count> load_pack(const T* from) {
  return *reinterpret_cast<const Pack<T, Count>*>(from);
}
template <int Count, typename T>
__device__ __forceinline__ void store_pack(T* to, const Pack<T, Count>& pack) {
  *reinterpret_cast<Pack<T, Count>*>(to) = pack;
}

// Loads and stores that say how long the caches shall keep what they move: streaming ones let it go first, those past
// L1 do not keep it there, and read-only ones tell the compiler that nothing writes it while the kernel runs.
#if !defined(TUNER_HOST_EMULATION)
template <int Bytes>
struct PackWord;
template <>
struct PackWord<4> {
  using Type = unsigned int;
};
template <>
struct PackWord<8> {
  using Type = uint2;
};
template <>
struct PackWord<16> {
  using Type = uint4;
};
template <typename To, typename From>
__device__ __forceinline__ To copied_bits(const From& from) {
  To to;
  memcpy(&to, &from, sizeof(To));
  return to;
}
#define TUNER_LOAD_PACK(INTRINSIC) \
  copied_bits<Pack<T, Count>>(INTRINSIC(reinterpret_cast<const typename PackWord<sizeof(T) * Count>::Type*>(from)))
#else
#define TUNER_LOAD_PACK(INTRINSIC) load_pack<Count>(from)
#endif
template <int Count, typename T>
__device__ __forceinline__ Pack<T, Count> load_pack_streaming(const T* from) {
  return TUNER_LOAD_PACK(__ldcs);
}
template <int Count, typename T>
__device__ __forceinline__ Pack<T, Count> load_pack_past_l1(const T* from) {
  return TUNER_LOAD_PACK(__ldcg);
}
template <int Count, typename T>
__device__ __forceinline__ Pack<T, Count> load_pack_read_only(const T* from) {
  return TUNER_LOAD_PACK(__ldg);
}
#undef TUNER_LOAD_PACK
template <int Count, typename T>
__device__ __forceinline__ void store_pack_streaming(T* to, const Pack<T, Count>& pack) {
#if defined(TUNER_HOST_EMULATION)
  store_pack(to, pack);
#else
  using Word = typename PackWord<sizeof(T) * Count>::Type;
  __stcs(reinterpret_cast<Word*>(to), copied_bits<Word>(pack));
#endif
}

// The sum or the maximum over the 32 lanes of a warp, in lane 0 (the other lanes hold partial results). All lanes call
// it.
template <typename T>
__device__ __forceinline__ T warp_sum(T value) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(0xffffffffu, value, distance);
  return value;
}
template <typename T>
__device__ __forceinline__ T warp_max(T value) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) {
    const T other = __shfl_down_sync(0xffffffffu, value, distance);
    value = other > value ? other : value;
  }
  return value;
}

// Counts one block that is done, and returns how many were before it. What this thread wrote before is visible to
// whoever sees the count and has called acquire_writes() since.
__device__ __forceinline__ uint32 count_done(uint32* counter) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700 && !defined(TUNER_HOST_EMULATION)
  uint32 before;
  asm volatile("atom.add.release.gpu.global.u32 %0, [%1], 1;"
               : "=r"(before)
               : "l"(__cvta_generic_to_global(counter))
               : "memory");
  return before;
#else
  __threadfence();
  return atomicAdd(counter, 1u);
#endif
}
__device__ __forceinline__ void acquire_writes() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700 && !defined(TUNER_HOST_EMULATION)
  asm volatile("fence.acq_rel.gpu;" ::: "memory");
#else
  __threadfence();
#endif
}

// Starts copying `Bytes` bytes from global to shared memory; both addresses are multiples of `Bytes`. The data may be
// read by this thread after wait_prior, by other threads after a barrier that follows the wait. Copies of 16 bytes
// leave L1 alone; narrower ones go through it, as the hardware knows no other way.
template <int Bytes>
__device__ __forceinline__ void copy_async(void* to_shared, const void* from_global) {
  static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16, "an asynchronous copy moves 4, 8 or 16 bytes");
#if defined(TUNER_HOST_EMULATION)
  host::copy_async(to_shared, from_global, Bytes);
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  const unsigned shared_address = static_cast<unsigned>(__cvta_generic_to_shared(to_shared));
  if constexpr (Bytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address), "l"(from_global) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared_address), "l"(from_global), "n"(Bytes)
                 : "memory");
  }
#else
  struct alignas(Bytes) Words {
    unsigned word[Bytes / 4];
  };
  *static_cast<Words*>(to_shared) = *static_cast<const Words*>(from_global);
#endif
}

// Closes the group of copies this thread has started since its last commit. An empty group counts too.
__device__ __forceinline__ void commit_copies() {
#if defined(TUNER_HOST_EMULATION)
  host::commit_copies();
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// Waits until at most the `Groups` latest groups of this thread are still under way.
template <int Groups>
__device__ __forceinline__ void wait_prior() {
#if defined(TUNER_HOST_EMULATION)
  host::wait_prior(Groups);
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(Groups) : "memory");
#endif
}

// Asks for the cache line at `address` to be brought into L2. A hint: it changes no result.
__device__ __forceinline__ void prefetch_l2(const void* address) {
#if defined(TUNER_HOST_EMULATION)
  host::prefetch_l2(address);
#elif defined(__CUDA_ARCH__)
  asm volatile("prefetch.global.L2 [%0];" ::"l"(address));
#endif
}

}  // namespace tuner

#endif
