#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace tuner {

/// How many parameters the `__global__` function `kernel` of a source has, as far as its text shows without being
/// preprocessed; nothing if it is not found.
std::optional<std::size_t> kernel_parameter_count(std::string_view source, std::string_view kernel);

/// Whether `name` stands as a word somewhere in the source, comments included.
bool mentions(std::string_view source, std::string_view name);
/// Whether the source has a `#define` of `name`.
bool defines(std::string_view source, std::string_view name);

}  // namespace tuner
