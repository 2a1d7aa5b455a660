#include "tuner/capture/inject/memory_file.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <span>

#include "tuner/capture/inject/quiet_thread.hpp"

namespace tuner::capture {
namespace {

constexpr std::uint64_t kPage = 4096;
/// For each thread; one takes some milliseconds for it.
constexpr std::uint64_t kLeastPart = 4 << 20;
constexpr std::uint64_t kMostThreads = 8;

/// A page costs more to make than to fill from the GPU.
void make_pages(std::span<std::byte> bytes) {
  for (std::size_t at = 0; at < bytes.size(); at += kPage) *static_cast<volatile std::byte*>(&bytes[at]) = std::byte{0};
}

}  // namespace

MemoryFile::MemoryFile(std::uint64_t size, bool ahead) : size_(size) {
  // A file that is too long for the program's limit would end it by a signal.
  rlimit longest{};
  if (getrlimit(RLIMIT_FSIZE, &longest) != 0 || size >= longest.rlim_cur) return;
  descriptor_ = memfd_create("captured by tuner", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  const std::uint64_t mapped = std::max<std::uint64_t>(size, 1);
  if (descriptor_ < 0 || ftruncate(descriptor_, static_cast<off_t>(mapped)) != 0) return;
  void* const place = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor_, 0);
  if (place == MAP_FAILED) return;
  bytes_ = static_cast<std::byte*>(place);
  const std::uint64_t part = std::max(size / kMostThreads / kPage * kPage + kPage, kLeastPart);
  for (std::uint64_t begin = 0; ahead && size > kLeastPart && begin < size; begin += part) {
    const std::span<std::byte> pages(bytes_ + begin, std::min(part, size - begin));
    try {
      threads_.push_back(quiet_thread([pages] { make_pages(pages); }));
    } catch (const std::exception&) {
      return;  // no thread, no memory: pages are made when they are written
    }
  }
}

void MemoryFile::wait() {
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

MemoryFile::~MemoryFile() {
  wait();
  if (bytes_ != nullptr) munmap(bytes_, std::max<std::uint64_t>(size_, 1));
  if (descriptor_ >= 0) close(descriptor_);
}

}  // namespace tuner::capture
