#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "tuner/capture/stored/snapshot.hpp"

namespace tuner::capture {

/// What stands in the records of snapshot_format.hpp, of which any program can have written any byte. Nothing if they
/// are no launch whose memory lies in files of `memory_size` bytes, every piece apart from the others.
std::optional<Snapshot> read_snapshot(std::span<const std::byte> records, std::uint64_t memory_size);

}  // namespace tuner::capture
