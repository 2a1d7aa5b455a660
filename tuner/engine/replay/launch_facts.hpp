#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tuner/capture/stored/reach.hpp"
#include "tuner/capture/stored/stored_launch.hpp"
#include "tuner/core/base/element_type.hpp"

namespace tuner::engine {

/// A word of a parameter that leads to memory.
struct PointerParameter {
  std::size_t parameter = 0;  ///< its position
  std::uint64_t inside = 0;   ///< where in the parameter the word stands, which is a structure's if not 0
  std::uint64_t offset = 0;   ///< in the memory
};

/// Parameters whose product is the number of elements from where a pointer leads to the end of what is there for it.
struct SizeFact {
  std::vector<std::size_t> parameters;
  std::uint64_t element_bytes = 0;
};

/// What a pointer leads to: up to the next one, or to the memory's end.
struct ArrayFact {
  PointerParameter from;
  std::uint64_t bytes = 0;
  std::optional<ElementType> element;  ///< if the kernel's name says it
  bool is_mutable = false;             ///< and says that it is no pointer to const
  std::uint64_t lanes = 1;             ///< of these together, as float4 has four
  std::vector<SizeFact> sizes;
};

/// What parameters and the kernel's name say of each memory.
std::vector<std::vector<ArrayFact>> arrays_of(const capture::StoredLaunch& launch, const capture::MemoryMap& map);

/// Variables of the kernel's module that no kernel can write: those in constant memory, and the compiler's own texts.
std::set<std::string> constants_of(const std::filesystem::path& folder, const capture::StoredLaunch& launch);

/// Why a launch may do something else each time, by the kernel's code: "it reads the clock". Empty if the code has no
/// such thing.
std::string why_unsteady(const std::filesystem::path& folder, const capture::StoredLaunch& launch);

}  // namespace tuner::engine
