#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "tuner/cli/explanation.hpp"

namespace tuner::cli {

/// What is known of a configuration, as in both objects.
nlohmann::ordered_json configuration_json(const explain::ConfigurationFacts& facts);

/// One object; docs/json.md is its manual.
std::string to_json(const Explanation& explanation);

/// What to_json wrote, so that it can be shown, and rules asked, without a GPU. What is missing or of another type is
/// not known; nothing for a text that is not such an object. Of the roofline, the rates are not restored. Never throws
/// for what it reads.
std::optional<Explanation> explanation_from_json(std::string_view text);

}  // namespace tuner::cli
