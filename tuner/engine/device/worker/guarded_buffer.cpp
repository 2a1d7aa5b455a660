#include "tuner/engine/device/worker/guarded_buffer.hpp"

#include <algorithm>

namespace tuner::engine {
namespace {

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

GuardedBuffer::GuardedBuffer(std::uint64_t bytes, std::uint64_t alignment, std::uint64_t guard)
    : bytes_(bytes), capacity_(bytes), guard_(guard), allocation_(allocate(bytes + 2 * guard + alignment)) {
  offset_ = round_up(allocation_.get() + guard, alignment) - allocation_.get();
}

bool GuardedBuffer::resize(std::uint64_t bytes) {
  if (bytes > capacity_) return false;
  bytes_ = bytes;
  return true;
}

FencedBuffer::FencedBuffer(Use use, const Shape& shape)
    : shape_(shape), at_end_(shape.bytes + 2 * shape.before(), shape.alignment) {
  if (use == Use::input && !fills_mapping()) at_start_.emplace(at_end_.bytes(), shape.alignment);
}

Placement FencedBuffer::place(Layout layout) const {
  const FencedMemory& memory = layout == Layout::at_start && at_start_ ? *at_start_ : at_end_;
  Placement result;
  result.memory = memory.address();
  const auto& [bytes, alignment, padding] = shape_;
  result.begin =
      layout == Layout::at_end ? (memory.bytes() - bytes - padding) / alignment * alignment : shape_.before();
  result.end = result.begin + bytes;
  const std::uint64_t farthest = std::max(kMaxGuardBytes, shape_.before());
  result.guard_begin = result.begin - std::min(result.begin, farthest);
  result.guard_end = std::min(memory.bytes(), result.end + farthest);
  return result;
}

bool FencedBuffer::resize(std::uint64_t bytes) {
  if (bytes + 2 * shape_.before() > at_end_.bytes()) return false;
  shape_.bytes = bytes;
  return true;
}

void FencedBuffer::set_writable(bool writable) {
  at_end_.set_writable(writable);
  if (at_start_) at_start_->set_writable(writable);
}

std::uint64_t FencedBuffer::memory_needed(Use use, const Shape& shape, std::uint64_t granularity) {
  const std::uint64_t bytes = shape.bytes + 2 * shape.before();
  const std::uint64_t mapped = std::max(round_up(bytes, granularity), granularity);
  return use == Use::input && mapped != bytes ? 2 * mapped : mapped;
}

}  // namespace tuner::engine
