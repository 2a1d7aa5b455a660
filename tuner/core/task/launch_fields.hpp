#pragma once

#include "tuner/core/task/launch_facts.hpp"

// The fields of what a launch has to know, as packed_text.hpp wants them.

namespace tuner {

constexpr bool is_known(ElementType type) {
  return type >= ElementType::boolean && type <= ElementType::float64;
}
constexpr bool is_known(Argument::Role role) {
  return role >= Argument::Role::in && role <= Argument::Role::value;
}
constexpr bool is_known(Generator::Kind kind) {
  return kind >= Generator::Kind::constant && kind <= Generator::Kind::offsets;
}

void describe(auto& fields, DataFile& file) {
  auto& [path, offset, bytes, hash] = file;
  fields("path", path)("offset", offset)("bytes", bytes)("hash", hash);
}

void describe(auto& fields, BoundGenerator& generator) {
  auto& [kind, parameters, is_sorted] = generator;
  fields("kind", kind)("parameters", parameters)("is_sorted", is_sorted);
}

void describe(auto& fields, BoundArgument& argument) {
  auto& [name, role, type, lanes, length, generators, file, rtol, atol, chosen_tolerance, may_differ, partial, trivial,
         unordered, counted_by, expected, alignment, padding, value, values, varies] = argument;
  fields("name", name)("role", role)("type", type)("lanes", lanes)("length", length)("generators", generators);
  fields("file", file)("rtol", rtol)("atol", atol)("chosen_tolerance", chosen_tolerance)("may_differ", may_differ)(
      "partial", partial)("trivial", trivial);
  fields("unordered", unordered)("counted_by", counted_by);
  fields("expected", expected)("alignment", alignment)("padding", padding)("value", value)("values", values);
  fields("varies", varies);
}

void describe(auto& fields, Geometry& geometry) {
  auto& [grid, block, shared_bytes] = geometry;
  fields("grid", grid)("block", block)("shared_bytes", shared_bytes);
}

void describe(auto& fields, BoundScalar& scalar) {
  auto& [position, size, bits] = scalar;
  fields("position", position)("size", size)("bits", bits);
}

void describe(auto& fields, BufferNeed& need) {
  auto& [position, elements, bytes, alignment, padding, is_scratch] = need;
  fields("position", position)("elements", elements)("bytes", bytes)("alignment", alignment);
  fields("padding", padding)("is_scratch", is_scratch);
}

void describe(auto& fields, ParameterValue& parameter) {
  auto& [name, value] = parameter;
  fields("name", name)("value", value);
}

void describe(auto& fields, LaunchFacts& facts) {
  auto& [kernel, geometry, arguments, bound, buffers, values] = facts;
  fields("kernel", kernel)("geometry", geometry)("arguments", arguments)("bound", bound)("buffers", buffers);
  fields("values", values);
}

}  // namespace tuner
