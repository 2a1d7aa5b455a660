#include "tuner/host/shim/buffers.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <stdexcept>

#include "tuner/host/shim/memory.hpp"
#include "tuner/host/shim/runs.hpp"

namespace tuner::host {
namespace {

constexpr std::size_t kNaturalAlignment = 16;  // what a kernel may count on
constexpr unsigned char kPattern = 0xa5;       // of padding

/// The first byte that a kernel may only read and that is not what it was; its offset from the data, or nothing.
std::optional<std::ptrdiff_t> first_change(const Buffer& buffer) {
  const auto padding = static_cast<std::ptrdiff_t>(buffer.padding);
  const auto bytes = static_cast<std::ptrdiff_t>(buffer.bytes);
  const bool read_only = buffer.role == PlannedArgument::Role::in || buffer.role == PlannedArgument::Role::constant;
  const auto changed_padding = [&](std::ptrdiff_t begin, std::ptrdiff_t end) -> std::optional<std::ptrdiff_t> {
    const auto is_changed = [](unsigned char byte) { return byte != kPattern; };
    const unsigned char* const at = std::find_if(buffer.data + begin, buffer.data + end, is_changed);
    return at == buffer.data + end ? std::nullopt : std::optional(at - buffer.data);
  };
  if (const auto before = changed_padding(-padding, 0)) return before;
  if (read_only && buffer.content != nullptr && std::memcmp(buffer.data, buffer.content, buffer.bytes) != 0)
    return std::mismatch(buffer.data, buffer.data + bytes, buffer.content).first - buffer.data;
  return changed_padding(bytes, bytes + padding);
}

}  // namespace

Buffers::Buffers(const PlannedCase& planned, const unsigned char* inputs, const Variant& variant) {
  const std::size_t count = planned.arguments.size();
  buffers_.reserve(count);
  std::size_t symbol = 0, maker = 0;
  for (const PlannedArgument& argument : planned.arguments) {
    Buffer& buffer = buffers_.emplace_back();
    buffer.role = argument.role;
    values_.push_back(nullptr);
    if (argument.role == PlannedArgument::Role::scalar) continue;
    if (argument.role == PlannedArgument::Role::value) {
      values_.back() = make(variant.makers[maker++], argument);
      continue;
    }
    if (argument.role == PlannedArgument::Role::constant) {
      buffer.data = static_cast<unsigned char*>(variant.symbols[symbol++].address);
      buffer.bytes = argument.bytes;
      buffer.content = inputs + argument.offset;
      continue;
    }
    // At a multiple of its alignment and of nothing more, so that an access that counts on more is seen.
    const std::size_t alignment = argument.alignment == 0 ? kNaturalAlignment : argument.alignment;
    const std::size_t multiple = 2 * (alignment < kNaturalAlignment ? kNaturalAlignment : alignment);
    const std::size_t odd = alignment < kNaturalAlignment ? kNaturalAlignment + alignment : alignment;
    const std::size_t before = odd + (argument.padding + multiple - 1) / multiple * multiple;
    void* block = nullptr;
    if (posix_memalign(&block, multiple, before + argument.bytes + argument.padding) != 0)
      throw std::runtime_error("Cannot allocate memory for the kernel's buffers");
    blocks_.push_back(block);
    forbid(block, before - argument.padding);
    buffer.data = static_cast<unsigned char*>(block) + before;
    buffer.bytes = argument.bytes;
    buffer.padding = argument.padding;
    if (argument.offset >= 0) buffer.content = inputs + argument.offset;
  }
  for (const std::size_t position : planned.takes) {
    const PlannedArgument& argument = planned.arguments.at(position);
    pointers_.push_back(argument.role == PlannedArgument::Role::scalar
                            ? const_cast<unsigned char*>(argument.value.data())
                        : argument.role == PlannedArgument::Role::value ? values_[position]
                                                                        : static_cast<void*>(&buffers_[position].data));
  }
}

void* Buffers::make(const ValueMaker& maker, const PlannedArgument& argument) {
  void* objects[2] = {};
  for (void*& object : objects) {
    if (posix_memalign(&object, std::max(maker.alignment, kNaturalAlignment), maker.size) != 0)
      throw std::runtime_error("Cannot allocate memory for the kernel's arguments");
    blocks_.push_back(object);
    std::memset(object, 0, maker.size);
  }
  std::vector<PlannedNumber> numbers = argument.numbers;
  const int number = maker.make(numbers.data(), objects[0], objects[1]);
  if (misfit_.number == 0 && number != 0) misfit_ = {number, values_.size() - 1};
  return objects[0];
}

Buffers::~Buffers() {
  for (void* block : blocks_) std::free(block);
}

void Buffers::reset(unsigned char poison) {
  for (const Buffer& buffer : buffers_) {
    if (buffer.data == nullptr) continue;
    std::memset(buffer.data - buffer.padding, kPattern, buffer.padding);
    std::memset(buffer.data + buffer.bytes, kPattern, buffer.padding);
    if (buffer.content != nullptr)
      std::memcpy(buffer.data, buffer.content, buffer.bytes);
    else
      std::memset(buffer.data, buffer.role == PlannedArgument::Role::scratch ? poison ^ kShared : poison, buffer.bytes);
  }
}

Buffers::Change Buffers::changed_input() const {
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (buffers_[i].data == nullptr) continue;
    if (const auto byte = first_change(buffers_[i])) return {static_cast<int>(i), *byte};
  }
  return {};
}

std::vector<unsigned char> Buffers::outputs() const {
  std::vector<unsigned char> bytes;
  for (const Buffer& buffer : buffers_) {
    if (buffer.role != PlannedArgument::Role::out && buffer.role != PlannedArgument::Role::inout) continue;
    bytes.insert(bytes.end(), buffer.data, buffer.data + buffer.bytes);
  }
  return bytes;
}

}  // namespace tuner::host
