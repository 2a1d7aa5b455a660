#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tuner/core/skeleton/plain_source.hpp"

namespace tuner {

/// Of an expression of numbers alone, as `16u` and `4 * 8`; nothing for others.
std::optional<std::int64_t> literal_value(std::string_view text);

/// Fills the constants of a source whose functions are known: macros and variables that are an integer, but for those
/// of host functions.
void find_constants(PlainSource& source);

struct SourceInsertion {
  std::size_t at = 0;
  std::string text;
};

/// What puts the declaration of a constant within `#ifndef`, so that the tuner's macro of that name wins.
std::vector<SourceInsertion> guard(const PlainSource& source, const PlainConstant& constant);

}  // namespace tuner
