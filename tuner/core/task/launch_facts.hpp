#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tuner/core/base/geometry.hpp"
#include "tuner/core/task/task.hpp"

namespace tuner {

/// A scalar that the description binds to the problem: what a launch must pass.
struct BoundScalar {
  std::size_t position = 0;  ///< in the signature
  std::uint32_t size = 0;    ///< 1, 2, 4 or 8
  std::uint64_t bits = 0;
};

/// A buffer among the arguments of a launch, as one configuration needs it.
struct BufferNeed {
  std::size_t position = 0;
  std::uint64_t elements = 0, bytes = 0;
  std::uint64_t alignment = 0;  ///< that is declared; 0: natural
  std::uint64_t padding = 0;    ///< bytes on either side that may be read
  bool is_scratch = false;
};

/// The value that a parameter has in a configuration.
struct ParameterValue {
  std::string name;
  search::Value value;
};

/// What a launch of one configuration has to know of its kernel's description, in numbers.
struct LaunchFacts {
  std::string kernel;  ///< function name
  Geometry geometry;
  std::vector<BoundArgument> arguments;  ///< in signature order
  std::vector<BoundScalar> bound;      ///< types narrower than float are left out: callers convert to them as they like
  std::vector<BufferNeed> buffers;     ///< in the order of the arguments
  std::vector<ParameterValue> values;  ///< in declared order
};

/// Throws Error{bad_description, bad_problem} if the geometry or the length of a scratch cannot be computed.
LaunchFacts launch_facts(const Task& task, const search::Configuration& configuration);

}  // namespace tuner
