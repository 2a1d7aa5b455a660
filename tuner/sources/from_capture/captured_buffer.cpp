#include "tuner/sources/from_capture/captured_buffer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/capture/stored/reach.hpp"

namespace tuner::sources {
namespace {

using engine::ArrayFact;
using engine::ByteRange;
using engine::MemoryFacts;
using engine::MemoryUse;

struct Found {
  const ArrayFact* array = nullptr;
  std::size_t memory = 0;
};

Found array_from(const CapturedKernel& kernel, std::size_t position) {
  for (std::size_t i = 0; i < kernel.replayed.memories.size(); ++i) {
    for (const ArrayFact& array : kernel.replayed.memories[i].arrays)
      if (array.from.parameter == position && array.from.inside == 0) return {&array, i};
  }
  return {};
}

bool is_written(MemoryUse use) {
  return use == MemoryUse::out || use == MemoryUse::inout;
}

/// Whether all ranges that were written are known.
bool has_all_ranges(const MemoryFacts& facts) {
  return facts.pattern && facts.pattern->ranges == facts.pattern->written.size();
}

bool overlap(const ByteRange& range, std::uint64_t begin, std::uint64_t end) {
  return range.begin < end && begin < range.end;
}

/// What the kernel does to [begin, end) of a memory.
std::string role_of(const MemoryFacts& facts, const ArrayFact& array, std::uint64_t begin, std::uint64_t end) {
  const bool is_const = array.element && !array.is_mutable;
  if (!is_written(facts.use)) return facts.is_certain || is_const ? "in" : "inout";
  const bool is_alone = facts.arrays.size() == 1;
  if (has_all_ranges(facts)) {
    const auto& written = facts.pattern->written;
    const auto first = std::ranges::find_if(written, [&](const ByteRange& each) { return overlap(each, begin, end); });
    if (first == written.end() && !is_alone) return "in";
    const bool is_all = first != written.end() && first->begin <= begin && first->end >= end;
    return is_all && facts.use == MemoryUse::out && facts.is_certain ? "out" : "inout";
  }
  return is_alone || !is_const ? "inout" : "in";
}

/// Another parameter that leads to the same place.
const ArrayFact* twin_of(const MemoryFacts& facts, const ArrayFact& array) {
  for (const ArrayFact& other : facts.arrays) {
    if (&other != &array && other.from.offset == array.from.offset) return &other;
  }
  return nullptr;
}

/// Whether something is written in front of the first array.
bool writes_in_front(const MemoryFacts& facts) {
  if (!is_written(facts.use) || !facts.pattern) return false;
  std::uint64_t first = ~std::uint64_t{0};
  for (const ArrayFact& array : facts.arrays) first = std::min(first, array.from.offset);
  return std::ranges::any_of(facts.pattern->written, [&](const ByteRange& range) { return range.begin < first; });
}

}  // namespace

BufferFacts buffer_facts(const CapturedKernel& kernel, std::size_t position, const TypeShape& type) {
  BufferFacts buffer;
  const Found found = array_from(kernel, position);
  if (found.array == nullptr) {
    buffer.refusal = "leads to no memory that the capture has";
    return buffer;
  }
  const MemoryFacts& facts = kernel.replayed.memories[found.memory];
  const capture::MemoryMap map(kernel.launch);
  const std::uint64_t element = size_of(type.element) * static_cast<std::uint64_t>(type.lanes);
  const std::uint64_t begin = found.array->from.offset;
  buffer.array = found.array;
  buffer.memory = &map[found.memory];
  buffer.bytes = found.array->bytes / element * element;
  buffer.pointers = facts.replayed.pointers;
  buffer.role = role_of(facts, *found.array, begin, begin + buffer.bytes);
  if (map.is_variable(found.memory)) {
    buffer.refusal = "leads to a variable of the module, which a description cannot pass";
  } else if (buffer.bytes == 0) {
    buffer.refusal = "leads to the end of an allocation, where no element is";
  } else if (const ArrayFact* const twin = twin_of(facts, *found.array); twin != nullptr && buffer.role != "in") {
    buffer.refusal = fmt::format(
        "leads to the same memory as parameter {}, and the kernel writes there: a description "
        "gives each parameter memory of its own",
        twin->from.parameter + 1);
  } else if (writes_in_front(facts)) {
    buffer.refusal = "leads into an allocation, and the kernel writes in front of it";
  } else if (buffer.role != "in" && facts.replayed.permuted > 0) {
    // Records in another order are elements in another order, too.
    buffer.is_unordered = facts.replayed.permuted % element == 0;
    if (!buffer.is_unordered)
      buffer.refusal = fmt::format(
          "leads to records of {} bytes that come in another order each time, and a "
          "description compares elements of {} bytes",
          facts.replayed.permuted, element);
  }
  return buffer;
}

}  // namespace tuner::sources
