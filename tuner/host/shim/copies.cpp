#include <cstdint>
#include <cstring>
#include <string>

#include "tuner/host/shim/block.hpp"
#include "tuner/host/shim/memory.hpp"
#include "tuner/host/shim/thread.hpp"
#include "tuner/host/shim/watch.hpp"

namespace tuner::host {

void copy_async(void* to, const void* from, int size, int source_bytes) {
  const auto misaligned = [size](const void* address) {
    return reinterpret_cast<std::uintptr_t>(address) % static_cast<unsigned>(size) != 0;
  };
  if (misaligned(to) || misaligned(from)) {
    fail("An asynchronous copy of " + std::to_string(size) + " bytes has a misaligned " +
             (misaligned(to) ? "destination" : "source"),
         {nullptr, 0});
  }
  const std::size_t bytes = static_cast<std::size_t>(size);
  const std::size_t wanted = source_bytes < 0 ? bytes : static_cast<std::size_t>(source_bytes);
  // Address Sanitizer sees what these functions touch.
  if (__asan_region_is_poisoned && __asan_region_is_poisoned(to, bytes) != nullptr) std::memset(to, 0, bytes);
  Thread& thread = current_thread();
  Copy copy{thread.open_group, to, size, {}};
  std::memcpy(copy.bytes.data(), from, wanted);
  watch::copy_started(to, from, bytes);
  forbid(to, bytes);
  thread.copies.push_back(copy);
}

void commit_copies() {
  ++current_thread().open_group;
}

void wait_prior(int groups) {
  Thread& thread = current_thread();
  std::size_t arrived = 0;
  for (; arrived < thread.copies.size(); ++arrived) {
    const Copy& copy = thread.copies[arrived];
    if (copy.group + static_cast<std::uint64_t>(groups) >= thread.open_group) break;
    const std::size_t size = static_cast<std::size_t>(copy.size);
    allow(copy.to, size);
    std::memcpy(copy.to, copy.bytes.data(), size);
    watch::copy_arrived(copy.to, size);
  }
  thread.copies.erase(thread.copies.begin(), thread.copies.begin() + static_cast<std::ptrdiff_t>(arrived));
}

void prefetch_l2(const void* address) {
  char first;
  const volatile std::size_t size = 1;  // so that it stays a call, which Address Sanitizer sees
  std::memcpy(&first, address, size);
  asm volatile("" ::"r"(first));
}

bool copy_under_way(const void* address) {
  const auto* at = static_cast<const unsigned char*>(address);
  for (unsigned number = 0; const Thread* thread = thread_of_block(number); ++number) {
    for (const Copy& copy : thread->copies) {
      const auto* to = static_cast<const unsigned char*>(copy.to);
      if (at >= to && at < to + copy.size) return true;
    }
  }
  return false;
}

}  // namespace tuner::host
