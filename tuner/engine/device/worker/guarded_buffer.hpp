#pragma once

#include <cstdint>
#include <optional>

#include "tuner/engine/device/lane/memory_needed.hpp"
#include "tuner/engine/device/memory/cuda.hpp"
#include "tuner/engine/device/memory/fenced_memory.hpp"

namespace tuner::engine {

/// Where a launch finds its buffers.
enum class Layout {
  plain,     ///< ordinary memory between guards, as timed
  at_end,    ///< fenced; the data ends where the mapping ends, as closely as its alignment lets it
  at_start,  ///< fenced; the data begins where the mapping begins
};

/// One buffer in one layout: data at [begin, end) from `memory`, and around it, up to [guard_begin, guard_end), bytes
/// with a pattern that must not change.
struct Placement {
  CUdeviceptr memory = 0;
  std::uint64_t guard_begin = 0, begin = 0, end = 0, guard_end = 0;
  CUdeviceptr data() const { return memory + begin; }
};

/// Device memory between two guard bands. Also the unused bytes behind the data belong to the guard: it begins at the
/// first byte past the end.
class GuardedBuffer {
 public:
  /// `alignment` of the data in bytes: at least 256, or as declared if that is more. `guard`: bytes of each band.
  /// Throws CallFailed.
  GuardedBuffer(std::uint64_t bytes, std::uint64_t alignment, std::uint64_t guard);

  Placement place() const { return {allocation_.get(), 0, offset_, offset_ + bytes_, offset_ + bytes_ + guard_}; }
  std::uint64_t capacity() const { return capacity_; }
  /// Uses less, or again more, of what was allocated. False if it never was enough.
  bool resize(std::uint64_t bytes);

 private:
  std::uint64_t bytes_;
  std::uint64_t capacity_;
  std::uint64_t guard_;
  DeviceMemory allocation_;
  std::uint64_t offset_;
};

/// The same data twice with nothing mapped beside it: behind its end, and before its start; or, where there is padding,
/// behind the padding. That, and what lies between data and fence on the other side, is guard.
class FencedBuffer {
 public:
  /// Inputs keep their content in both layouts, and can be made read-only; outputs share the memory of both.
  enum class Use { input, output };
  struct Shape {
    std::uint64_t bytes = 0;
    std::uint64_t alignment = 1;
    std::uint64_t padding = 0;  ///< bytes on either side that may be read
    /// What a fence is away from data that has padding in front of it.
    std::uint64_t before() const { return (padding + alignment - 1) / alignment * alignment; }
  };
  /// The farthest guards are planted and looked at, if no padding reaches farther.
  static constexpr std::uint64_t kMaxGuardBytes = 2 * 1024 * 1024;

  /// Throws CallFailed.
  FencedBuffer(Use use, const Shape& shape);

  Placement place(Layout layout) const;
  /// Whether both layouts are the same memory at the same place: data that fills its granules.
  bool fills_mapping() const { return place(Layout::at_end).data() == place(Layout::at_start).data(); }
  bool resize(std::uint64_t bytes);
  void set_writable(bool writable);

  /// Device memory that such a buffer takes.
  static std::uint64_t memory_needed(Use use, const Shape& shape, std::uint64_t granularity);

 private:
  Shape shape_;
  FencedMemory at_end_;
  std::optional<FencedMemory> at_start_;  ///< nothing: at_end_ serves both
};

}  // namespace tuner::engine
