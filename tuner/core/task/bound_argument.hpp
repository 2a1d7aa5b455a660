#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cache/file/hash.hpp"
#include "search/expression/value.hpp"
#include "tuner/core/base/element_type.hpp"
#include "tuner/core/description/description.hpp"
#include "tuner/core/task/not_compared.hpp"

namespace tuner {

/// Where an argument's content stands in a file.
struct DataFile {
  std::filesystem::path path;
  // What looking at the file has shown; nothing before.
  std::uint64_t offset = 0, bytes = 0;
  cache::Hash hash;  ///< of these bytes
};

/// A generator with every number in place. For offsets these are the mean and the spread.
struct BoundGenerator {
  Generator::Kind kind = Generator::Kind::uniform;
  std::array<double, 2> parameters{0, 1};
  bool is_sorted = false;

  friend bool operator==(const BoundGenerator&, const BoundGenerator&) = default;
};

/// One kernel argument with every number in place.
struct BoundArgument {
  std::string name;
  Argument::Role role = Argument::Role::in;
  ElementType type = ElementType::float32;
  int lanes = 1;             ///< vector types: float4 has 4 lanes; length counts vectors, elements = length * lanes
  std::uint64_t length = 0;  ///< buffers; 0 for scratch whose length depends on the configuration (see scratch_lengths)
  std::vector<BoundGenerator> generators{BoundGenerator()};  ///< one for all elements, or one a lane; never none
  std::optional<DataFile> file;                              ///< instead of them, where the generator is a file
  double rtol = 0, atol = 0;
  bool chosen_tolerance = false;            ///< one of them is described, so that both are meant
  std::uint64_t may_differ = 0;             ///< out, inout: elements that may be beyond them
  bool is_partial = false;                  ///< out: candidates may write what the reference leaves unwritten
  bool is_trivial = false;                  ///< out, inout: the right result may be one value, or what was there before
  bool is_unordered = false;                ///< out, inout: its elements may stand in any order
  std::optional<std::uint64_t> counted_by;  ///< then: position of the output that says how many there are
  std::optional<DataFile> expected;         ///< out, inout: what is right
  std::uint64_t alignment = 0;              ///< declared, bytes; 0: natural
  std::uint64_t padding = 0;                ///< bytes on either side that may be read
  search::Value value;                      ///< scalars
  std::vector<search::Value> values;        ///< values: numbers, one a member
  bool varies = false;                      ///< scratch: its length depends on tuned parameters
};

/// Whether it is compared after a launch.
inline bool is_output(const BoundArgument& argument) {
  return is_compared(argument.role);
}

/// Bytes of one of its elements, all lanes.
inline std::uint64_t element_size(const BoundArgument& argument) {
  return static_cast<std::uint64_t>(std::max(argument.lanes, 1)) * size_of(argument.type);
}

/// How many elements of an unordered output there are, all lanes of each, where `count` is what the output that counts
/// them begins with: no more than it has room for.
std::uint64_t counted(const BoundArgument& argument, const BoundArgument& counting, std::span<const std::byte> count);

/// An array in constant memory that has more bytes than are described for it, in words.
std::string partly_filled(const std::string& array, std::uint64_t bytes, std::uint64_t described);

/// Whether its content is another one for another seed.
bool is_seeded(const BoundArgument& argument);

/// Whether candidates may write what `left` is about.
bool is_partial(const NotCompared& left, const std::vector<BoundArgument>& arguments);

}  // namespace tuner
