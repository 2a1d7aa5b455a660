#include "tuner/sources/recorded/build_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <set>
#include <system_error>
#include <variant>

#include "cache/file/fresh_file.hpp"
#include "tuner/error.hpp"
#include "tuner/sources/recorded/compiler_words.hpp"
#include "tuner/sources/recorded/json_file.hpp"
#include "tuner/version.hpp"

namespace tuner::sources {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using nlohmann::json;

constexpr std::uint64_t kBuildFormat = 1;

bool is_still_there(const CompilerCommand& command) {
  const auto exists = [](const fs::path& path) {
    std::error_code error;
    return fs::exists(path, error);
  };
  const std::vector<fs::path> sources = sources_of(command);
  return exists(command.folder) && (sources.empty() || std::ranges::any_of(sources, exists));
}

Json command_json(const CompilerCommand& command) {
  Json environment = Json::object();
  for (const auto& [name, value] : command.environment) environment[name] = value;
  return {{"program", command.program},
          {"folder", command.folder},
          {"arguments", command.arguments},
          {"environment", environment}};
}

[[noreturn]] void refuse_build(const fs::path& file, std::string_view where) {
  throw Error(Errc::store_damaged,
              fmt::format("{} is no record of a build, or damaged ({}): remove it and record the build again.",
                          file.string(), where));
}

/// `refuse` throws, and names the key.
CompilerCommand command_in(const json& entry, const std::function<void(const char* key)>& refuse) {
  const auto at = [&](const char* key) -> const json& {
    if (!entry.is_object() || !entry.contains(key)) refuse(key);
    return entry[key];
  };
  const auto path_at = [&](const char* key) {
    const json& value = at(key);
    if (!is_word(value) || !value.get_ref<const std::string&>().starts_with('/')) refuse(key);
    return value.get<std::string>();
  };
  CompilerCommand command{.program = path_at("program"), .folder = path_at("folder")};
  const json& arguments = at("arguments");
  if (!arguments.is_array() || arguments.empty() || !std::ranges::all_of(arguments, is_word)) refuse("arguments");
  command.arguments = arguments.get<std::vector<std::string>>();
  const json& environment = at("environment");
  if (!environment.is_object()) refuse("environment");
  for (const auto& [name, value] : environment.items()) {
    const bool is_name = !name.empty() && name.find('=') == std::string::npos && is_word(name);
    if (!is_name || !is_word(value)) refuse("environment");
    command.environment.emplace_back(name, value.get<std::string>());
  }
  return command;
}

}  // namespace

std::vector<CompilerCommand> merged(const std::vector<CompilerCommand>& earlier,
                                    const std::vector<CompilerCommand>& later) {
  std::vector<CompilerCommand> all = earlier;
  all.insert(all.end(), later.begin(), later.end());
  std::set<std::string> made;
  std::vector<CompilerCommand> kept;
  for (auto command = all.rbegin(); command != all.rend(); ++command) {
    if (is_still_there(*command) && made.insert(product_of(*command)).second) kept.push_back(std::move(*command));
  }
  std::ranges::reverse(kept);
  return kept;
}

std::size_t write_build_file(const fs::path& file, const std::vector<CompilerCommand>& commands) {
  std::size_t left_out = 0;
  std::string text =
      fmt::format("{{\"format\": {}, \"tuner\": {}, \"commands\": [", kBuildFormat, Json(kVersion).dump());
  const char* before = "\n";
  for (const CompilerCommand& command : commands) {
    try {
      const std::string entry = command_json(command).dump();
      text += before + entry;
      before = ",\n";
    } catch (const Json::type_error&) {  // JSON is UTF-8
      ++left_out;
    }
  }
  text += "\n]}\n";
  cache::FreshFile fresh(file, true, cache::FreshFile::Kind::text);
  fresh.append(text);
  // Who writes it says what is run.
  struct stat status {};
  if (fstat(fresh.descriptor(), &status) == 0) fchmod(fresh.descriptor(), status.st_mode & 0755);
  fresh.publish();
  return left_out;
}

RecordedBuild read_build_file(const fs::path& file) {
  const std::optional<JsonFile> read = read_json_file(file);
  if (!read || !read->value.is_object()) refuse_build(file, "it is no JSON object");
  const json& record = read->value;
  const auto format = record.find("format");
  if (format == record.end() || !format->is_number_unsigned() || *format == 0) refuse_build(file, "at `format`");
  if (*format > kBuildFormat) {
    throw Error(Errc::store_newer, fmt::format("{} has format {}, and this version reads {}: use the version of tuner "
                                               "that wrote it, or a newer one.",
                                               file.string(), format->get<std::uint64_t>(), kBuildFormat));
  }
  const auto commands = record.find("commands");
  if (commands == record.end() || !commands->is_array()) refuse_build(file, "at `commands`");
  RecordedBuild build{.distrust = read->distrust};
  for (std::size_t i = 0; i < commands->size(); ++i) {
    build.commands.push_back(command_in(
        (*commands)[i], [&](const char* key) { refuse_build(file, fmt::format("at `commands[{}].{}`", i, key)); }));
  }
  return build;
}

}  // namespace tuner::sources
