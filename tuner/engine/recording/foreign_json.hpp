#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "search/expression/value.hpp"

namespace tuner::engine {

/// A value in a JSON file that knows where it stands: `cache."16,4".time`. It refers to the node it comes from, which
/// must outlive it.
class JsonNode {
 public:
  JsonNode(const std::filesystem::path& file, const nlohmann::json& json) : file_(&file), json_(&json) {}

  bool is_string() const;
  bool is_number() const;
  bool is_array() const;
  bool is_object() const;

  /// The member of an object; nothing if it has none of that name, or null. Fails if this is no object.
  std::optional<JsonNode> find(std::string_view key) const&;
  std::optional<JsonNode> find(std::string_view key) && = delete;
  /// The same, where it must be there.
  JsonNode need(std::string_view key) const&;
  JsonNode need(std::string_view key) && = delete;
  /// The same, and it may be null.
  JsonNode need_or_null(std::string_view key) const&;
  JsonNode need_or_null(std::string_view key) && = delete;
  std::vector<std::pair<std::string_view, JsonNode>> members() const&;  ///< in order of their keys
  std::vector<JsonNode> elements() const&;                              ///< of an array, or fails

  const std::string& string() const;
  /// A string that stands in a line: not empty, at most a thousand bytes, no control characters.
  const std::string& name() const;
  double number() const;                    ///< finite
  std::optional<double> as_number() const;  ///< a string may hold one, or be NaN or Infinity; null is NaN
  double any_number() const;                ///< the same, or fails
  std::string text() const;                 ///< as the file has it, in one line and without quotes; shortened
  /// Of a parameter: a number, boolean or string; a string that reads as a finite number or a boolean is one.
  search::Value value() const;

  /// Throws Error{bad_recording}: "FILE: PATH: sentence".
  [[noreturn]] void fail(const std::string& sentence) const;
  template <typename First, typename... Rest>
  [[noreturn]] void fail(fmt::format_string<First, Rest...> sentence, First&& first, Rest&&... rest) const {
    fail(fmt::format(sentence, std::forward<First>(first), std::forward<Rest>(rest)...));
  }

 private:
  JsonNode(const JsonNode& parent, std::string_view key, const nlohmann::json& json)
      : file_(parent.file_), json_(&json), parent_(&parent), key_(key) {}
  JsonNode(const JsonNode& parent, std::size_t index, const nlohmann::json& json)
      : file_(parent.file_), json_(&json), parent_(&parent), index_(index) {}
  std::string path() const;
  [[noreturn]] void fail_type(std::string_view wanted) const;

  const std::filesystem::path* file_;
  const nlohmann::json* json_;
  const JsonNode* parent_ = nullptr;
  std::string_view key_;
  std::optional<std::size_t> index_;
};

/// A JSON file of another tuner. What Python writes beyond JSON (NaN, Infinity) is read as a string, and a
/// Kernel Tuner cache that a session left open is closed. A key that occurs twice in an object is an error, and so is
/// more than half a gigabyte of values.
class JsonFile {
 public:
  /// Throws Error{bad_recording}.
  JsonFile(std::filesystem::path file, std::string text);
  ~JsonFile();
  JsonFile(const JsonFile&) = delete;
  JsonFile& operator=(const JsonFile&) = delete;

  JsonNode root() const { return {file_, *json_}; }

 private:
  std::filesystem::path file_;
  std::unique_ptr<const nlohmann::json> json_;
};

}  // namespace tuner::engine
