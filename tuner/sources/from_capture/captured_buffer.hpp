#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tuner/sources/from_capture/captured_kernel.hpp"

namespace tuner::sources {

/// The array that a parameter points to.
struct BufferFacts {
  std::string refusal;  ///< why no description can give it; the rest says nothing then
  const engine::ArrayFact* array = nullptr;
  const capture::StoredMemory* memory = nullptr;
  std::uint64_t bytes = 0;     ///< from array->from.offset on: whole elements
  std::uint64_t pointers = 0;  ///< words of the memory that lead to memory
  std::string role;            ///< "in", "out", "inout"
  bool is_unordered = false;
};

/// Of the parameter at `position`, which is not null, with elements of that type.
BufferFacts buffer_facts(const CapturedKernel& kernel, std::size_t position, const TypeShape& type);

}  // namespace tuner::sources
