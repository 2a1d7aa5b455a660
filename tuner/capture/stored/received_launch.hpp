#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "tuner/capture/stored/snapshot.hpp"
#include "tuner/process/fd.hpp"

namespace tuner::capture {

/// A file of memory that somebody else has made, mapped. It cannot become shorter any more.
class MappedMemory {
 public:
  /// Empty if it is no such file, or has more than `most` bytes.
  MappedMemory(UniqueFd file, std::uint64_t most);
  ~MappedMemory();
  MappedMemory(const MappedMemory&) = delete;
  MappedMemory& operator=(const MappedMemory&) = delete;
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  UniqueFd file_;
  std::span<const std::byte> bytes_;
};

/// What the injected library sent of a launch, checked.
class ReceivedLaunch {
 public:
  /// `limit`: so many bytes of memory were asked for at most.
  ReceivedLaunch(UniqueFd records, UniqueFd before, UniqueFd after, std::uint64_t limit);
  /// Nothing if it was no launch.
  const std::optional<Snapshot>& snapshot() const { return snapshot_; }
  std::span<const std::byte> before() const { return before_.bytes(); }
  std::span<const std::byte> after() const { return after_.bytes(); }

 private:
  MappedMemory before_, after_;
  std::optional<Snapshot> snapshot_;
};

}  // namespace tuner::capture
