#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cache/records/decision_text.hpp"
#include "tuner/explain/explanation.hpp"

namespace tuner::explain {

/// What is known of a configuration, as in both objects.
nlohmann::ordered_json configuration_json(const ConfigurationFacts& facts);

/// One object; docs/json.md is its manual.
std::string to_json(const Explanation& explanation);

/// What to_json wrote, so that it can be shown, and rules asked, without a GPU. What is missing or of another type is
/// not known; nothing for a text that is not such an object. Of the roofline, the rates are not restored. Never throws
/// for what it reads.
std::optional<Explanation> explanation_from_json(std::string_view text);

/// What is kept of it among a decision's texts; nothing if none is, or it cannot be read.
std::optional<Explanation> kept_explanation(std::span<const cache::DecisionText> texts);
/// Whether one is kept, readable or not; and what to say where it is not.
bool is_kept(std::span<const cache::DecisionText> texts);
inline constexpr const char* kUnreadable =
    "What was found about it before cannot be read: it is damaged, or of a newer version. `tuner explain FILE` on its "
    "GPU finds it anew.";

}  // namespace tuner::explain
