#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>

#include "tuner/capture/stored/stored_launch.hpp"

namespace tuner::capture {

inline constexpr int kManifestFormat = 1;

/// As docs/json.md describes it.
nlohmann::ordered_json manifest_json(const Capture& capture);

/// The same read. Throws Error{store_damaged, store_newer} with a sentence about `name`.
Capture capture_from_manifest(std::string_view text, std::string_view name);

/// "max dynamic shared bytes" of the function attribute 8; empty for those without a name here. Likewise limits of a
/// context, and attributes of a launch.
std::string_view function_attribute_name(int number);
std::string_view limit_name(int number);
std::string_view launch_attribute_name(int number);

}  // namespace tuner::capture
