#include "tuner/capture/stored/received_launch.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "tuner/capture/stored/snapshot_reader.hpp"

namespace tuner::capture {
namespace {

/// A module, and some words for each piece of memory.
constexpr std::uint64_t kMostRecordBytes = std::uint64_t{1} << 30;

}  // namespace

MappedMemory::MappedMemory(UniqueFd file, std::uint64_t most) : file_(std::move(file)) {
  struct stat status {};
  // Only files in memory can be sealed. Without that, whoever shortens it ends this process.
  if (fcntl(file_.get(), F_ADD_SEALS, F_SEAL_SHRINK) != 0 || fstat(file_.get(), &status) != 0 || status.st_size <= 0)
    return;
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size > most) return;
  void* const place = mmap(nullptr, size, PROT_READ, MAP_SHARED, file_.get(), 0);
  if (place != MAP_FAILED) bytes_ = {static_cast<const std::byte*>(place), size};
}

MappedMemory::~MappedMemory() {
  if (!bytes_.empty()) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

ReceivedLaunch::ReceivedLaunch(UniqueFd records, UniqueFd before, UniqueFd after, std::uint64_t limit)
    : before_(std::move(before), limit), after_(std::move(after), limit) {
  const MappedMemory mapped(std::move(records), kMostRecordBytes);
  // A copy, because the program can still write to the file.
  const std::vector<std::byte> copy(mapped.bytes().begin(), mapped.bytes().end());
  snapshot_ = read_snapshot(copy, std::min(before_.bytes().size(), after_.bytes().size()));
}

}  // namespace tuner::capture
