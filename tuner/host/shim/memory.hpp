#pragma once

#include <cstddef>

// Address Sanitizer's interface, absent where the program is built without it.
extern "C" {
__attribute__((weak)) void __asan_poison_memory_region(const volatile void* address, std::size_t size);
__attribute__((weak)) void __asan_unpoison_memory_region(const volatile void* address, std::size_t size);
__attribute__((weak)) void* __asan_region_is_poisoned(void* begin, std::size_t size);
__attribute__((weak)) void __sanitizer_start_switch_fiber(void** save, const void* bottom, std::size_t size);
__attribute__((weak)) void __sanitizer_finish_switch_fiber(void* save, const void** bottom, std::size_t* size);
}

namespace tuner::host {

inline void forbid(const void* memory, std::size_t size) {
  if (__asan_poison_memory_region) __asan_poison_memory_region(memory, size);
}
inline void allow(const void* memory, std::size_t size) {
  if (__asan_unpoison_memory_region) __asan_unpoison_memory_region(memory, size);
}

/// Without Address Sanitizer's looking, which would not let red zones between variables be written.
inline void fill(void* memory, int byte, std::size_t size) {
#if defined(__x86_64__)
  asm volatile("rep stosb" : "+D"(memory), "+c"(size) : "a"(byte) : "memory");
#else
  for (volatile unsigned char* at = static_cast<unsigned char*>(memory); size > 0; --size)
    *at++ = static_cast<unsigned char>(byte);
#endif
}

}  // namespace tuner::host
