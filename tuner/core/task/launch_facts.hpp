#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tuner/core/base/geometry.hpp"
#include "tuner/core/task/task.hpp"

namespace tuner {

/// An argument of a kernel as every launch for one problem must pass it, whatever configuration is in force.
struct CallArgument {
  BoundArgument bound;
  bool varies = false;  ///< its length depends on tuned parameters
};

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
  std::vector<CallArgument> arguments;  ///< in signature order
  std::vector<BoundScalar> bound;       ///< types narrower than float are left out: callers convert to them as they like
  std::vector<BufferNeed> buffers;      ///< in the order of the arguments
  std::vector<ParameterValue> values;   ///< in declared order
};

std::vector<CallArgument> call_arguments(const Task& task);
/// Throws Error{bad_description, bad_problem} if the geometry or the length of a scratch cannot be computed.
LaunchFacts launch_facts(const Task& task, const search::Configuration& configuration);

// As PackedWriter and PackedReader want them. Of an argument, what a launch asks for.

template <class Fields, cache::MaybeConst<CallArgument> Some>
void describe(Fields& fields, Some& argument) {
  auto& bound = argument.bound;
  fields("name", bound.name);
  fields("role", bound.role);
  fields("type", bound.type);
  fields("lanes", bound.lanes);
  fields("length", bound.length);
  fields("alignment", bound.alignment);
  fields("value", bound.value);
  fields("varies", argument.varies);
}

template <class Fields, cache::MaybeConst<BoundScalar> Some>
void describe(Fields& fields, Some& scalar) {
  auto& [position, size, bits] = scalar;
  fields("position", position);
  fields("size", size);
  fields("bits", bits);
}

template <class Fields, cache::MaybeConst<BufferNeed> Some>
void describe(Fields& fields, Some& need) {
  auto& [position, elements, bytes, alignment, is_scratch] = need;
  fields("position", position);
  fields("elements", elements);
  fields("bytes", bytes);
  fields("alignment", alignment);
  fields("is_scratch", is_scratch);
}

template <class Fields, cache::MaybeConst<ParameterValue> Some>
void describe(Fields& fields, Some& parameter) {
  auto& [name, value] = parameter;
  fields("name", name);
  fields("value", value);
}

template <class Fields, cache::MaybeConst<LaunchFacts> Some>
void describe(Fields& fields, Some& facts) {
  auto& [kernel, geometry, arguments, bound, buffers, values] = facts;
  fields("kernel", kernel);
  fields("grid", geometry.grid);
  fields("block", geometry.block);
  fields("shared_bytes", geometry.shared_bytes);
  fields("arguments", arguments);
  fields("bound", bound);
  fields("buffers", buffers);
  fields("values", values);
}

}  // namespace tuner
