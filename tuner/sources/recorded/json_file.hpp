#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace tuner::sources {

/// The JSON of a file of somebody's, and why it is not to be trusted.
struct JsonFile {
  nlohmann::json value;
  std::optional<std::string> distrust;
};

/// Reads a file of at most 256 MiB and nesting as deep as commands need. Nothing if it holds no such JSON. Throws
/// Error{file_not_found} if it cannot be read, or is longer.
std::optional<JsonFile> read_json_file(const std::filesystem::path& file);

/// Whether it is a text that a program can be given as a word.
bool is_word(const nlohmann::json& value);

}  // namespace tuner::sources
