#include "tuner/runtime/problem_key.hpp"

#include <fmt/format.h>

#include <bit>

#include "tuner/error.hpp"

namespace tuner {
namespace {

/// The product carries every bit upwards, the shift brings the high ones down to where slots are chosen.
std::uint64_t mix(std::uint64_t state, std::uint64_t word) {
  const std::uint64_t product = (state ^ word) * 0x9e3779b97f4a7c15u;
  return product ^ (product >> 32);
}

}  // namespace

search::Value search_value(const ProblemValue& value) {
  switch (value.kind()) {
    case ProblemValue::Kind::integer:
      return value.integer();
    case ProblemValue::Kind::real:
      return value.real();
    case ProblemValue::Kind::word:
      break;
  }
  return value.word();
}

bool same(const ProblemValue& a, const ProblemValue& b) {
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case ProblemValue::Kind::integer:
      return a.integer() == b.integer();
    case ProblemValue::Kind::real:
      return std::bit_cast<std::uint64_t>(a.real()) == std::bit_cast<std::uint64_t>(b.real());
    case ProblemValue::Kind::word:
      break;
  }
  return a.word() == b.word();
}

std::uint64_t hash_of(std::uint64_t context, std::span<const ProblemValue> values) {
  std::uint64_t hash = mix(context + 1, values.size());
  for (const ProblemValue& value : values) {
    switch (value.kind()) {
      case ProblemValue::Kind::integer:
        hash = mix(hash, static_cast<std::uint64_t>(value.integer()));
        break;
      case ProblemValue::Kind::real:
        hash = mix(hash, std::bit_cast<std::uint64_t>(value.real()));
        break;
      case ProblemValue::Kind::word:
        for (const char c : value.word()) hash = mix(hash, static_cast<unsigned char>(c));
        break;
    }
  }
  return hash;
}

StoredValues::StoredValues(std::span<const ProblemValue> values) {
  std::size_t length = 0;
  for (const ProblemValue& value : values) {
    if (value.kind() == ProblemValue::Kind::word) length += value.word().size();
  }
  words_.reserve(length);  // views into it must not move
  for (const ProblemValue& value : values) {
    if (value.kind() != ProblemValue::Kind::word) {
      values_.push_back(value);
      continue;
    }
    const std::size_t begin = words_.size();
    words_ += value.word();
    values_.emplace_back(std::string_view(words_).substr(begin));
  }
}

bool StoredValues::equals(std::span<const ProblemValue> values) const {
  if (values.size() != values_.size()) return false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!same(values[i], values_[i])) return false;
  }
  return true;
}

ProblemValues named_values(const KernelDescription& description, std::span<const ProblemValue> values) {
  if (values.size() > description.problem.size()) {
    throw Error(
        Errc::bad_problem,
        fmt::format(
            "The kernel `{}` has {} problem properties, but the request gives {} values; leave some out, or name them.",
            description.kernel, description.problem.size(), values.size()));
  }
  ProblemValues named;
  for (std::size_t i = 0; i < values.size(); ++i) named.emplace(description.problem[i].name, search_value(values[i]));
  return named;
}

}  // namespace tuner
