#include "tuner/capture/inject/memory_file.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <limits>

namespace tuner::capture {

MemoryFile::MemoryFile(std::uint64_t size, bool at_once) : size_(size) {
  descriptor_ = memfd_create("captured by tuner", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  const std::uint64_t mapped = std::max<std::uint64_t>(size, 1);
  if (descriptor_ < 0 || ftruncate(descriptor_, static_cast<off_t>(mapped)) != 0) return;
  // Pages that exist already do not slow down the copy from the GPU.
  const int when = at_once ? MAP_POPULATE : MAP_NORESERVE;
  void* const place = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_SHARED | when, descriptor_, 0);
  if (place != MAP_FAILED) bytes_ = static_cast<std::byte*>(place);
}

MemoryFile::~MemoryFile() {
  if (bytes_ != nullptr) munmap(bytes_, std::max<std::uint64_t>(size_, 1));
  if (descriptor_ >= 0) close(descriptor_);
}

std::uint64_t available_memory() {
  std::FILE* const file = std::fopen("/proc/meminfo", "re");
  unsigned long long kilobytes = 0;
  bool found = false;
  char line[256];
  while (file != nullptr && !found && std::fgets(line, sizeof line, file) != nullptr)
    found = std::sscanf(line, "MemAvailable: %llu", &kilobytes) == 1;
  if (file != nullptr) std::fclose(file);
  return found ? kilobytes * 1024 : std::numeric_limits<std::uint64_t>::max();
}

}  // namespace tuner::capture
