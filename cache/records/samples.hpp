#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tuner::cache {

/// JSON array, every number to the last bit: "[1021.5,998]".
std::string to_json(std::span<const double> values);
/// The reverse; nothing if the text is not what to_json writes.
std::optional<std::vector<double>> doubles_from_json(std::string_view text);

}  // namespace tuner::cache
