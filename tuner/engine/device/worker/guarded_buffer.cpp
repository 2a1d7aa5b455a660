#include "tuner/engine/device/worker/guarded_buffer.hpp"

#include <algorithm>

namespace tuner::engine {
namespace {

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

GuardedBuffer::GuardedBuffer(std::uint64_t bytes, std::uint64_t alignment)
    : bytes_(bytes), capacity_(bytes), allocation_(allocate(bytes + 2 * kGuardBytes + alignment)) {
  offset_ = round_up(allocation_.get() + kGuardBytes, alignment) - allocation_.get();
}

bool GuardedBuffer::resize(std::uint64_t bytes) {
  if (bytes > capacity_) return false;
  bytes_ = bytes;
  return true;
}

FencedBuffer::FencedBuffer(Use use, std::uint64_t bytes, std::uint64_t alignment)
    : bytes_(bytes), alignment_(alignment), at_end_(bytes, alignment) {
  if (use == Use::input && place(Layout::at_end).begin != 0) at_start_.emplace(bytes, alignment);
}

Placement FencedBuffer::place(Layout layout) const {
  const FencedMemory& memory = layout == Layout::at_start && at_start_ ? *at_start_ : at_end_;
  Placement result;
  result.memory = memory.address();
  if (layout == Layout::at_end) result.begin = (memory.bytes() - bytes_) / alignment_ * alignment_;
  result.end = result.begin + bytes_;
  result.guard_begin = result.begin - std::min(result.begin, kMaxGuardBytes);
  result.guard_end = std::min(memory.bytes(), result.end + kMaxGuardBytes);
  return result;
}

bool FencedBuffer::resize(std::uint64_t bytes) {
  if (bytes > at_end_.bytes()) return false;
  bytes_ = bytes;
  return true;
}

void FencedBuffer::set_writable(bool writable) {
  at_end_.set_writable(writable);
  if (at_start_) at_start_->set_writable(writable);
}

std::uint64_t FencedBuffer::memory_needed(Use use, std::uint64_t bytes, std::uint64_t granularity) {
  const std::uint64_t mapped = std::max(round_up(bytes, granularity), granularity);
  return use == Use::input && mapped != bytes ? 2 * mapped : mapped;
}

}  // namespace tuner::engine
