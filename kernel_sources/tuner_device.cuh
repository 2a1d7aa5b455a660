// Device helpers for annotated kernels: asynchronous copies into shared memory and prefetches into L2, as inline PTX.
// Including this instead of a toolkit header keeps a compilation at the cost of the kernel itself, and needs no include
// path. Compiles with NVRTC and nvcc for every architecture; where the hardware has no asynchronous copy (before
// compute capability 8.0) the copy is done at once and the waits are empty.
//
// With TUNER_HOST_EMULATION the same calls are C++ on the CPU: tuner::host, declared before this file is read, supplies
// them. A copy then lands when it is waited for and not before, so that a missing wait is a wrong result.
#ifndef TUNER_DEVICE_CUH
#define TUNER_DEVICE_CUH

namespace tuner {

// Starts copying `Bytes` bytes from global to shared memory; both addresses are multiples of `Bytes`. The data may be read
// by this thread after wait_prior, by other threads after a barrier that follows the wait.
template <int Bytes>
__device__ __forceinline__ void copy_async(void* to_shared, const void* from_global) {
  static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16, "an asynchronous copy moves 4, 8 or 16 bytes");
#if defined(TUNER_HOST_EMULATION)
  host::copy_async(to_shared, from_global, Bytes);
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  const unsigned shared_address = static_cast<unsigned>(__cvta_generic_to_shared(to_shared));
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared_address), "l"(from_global), "n"(Bytes) : "memory");
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
