#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "search/expression/value.hpp"

namespace tuner {

class T1Node;

/// A T1 file: its JSON, what was read of it, and what has to be said about it. Nodes refer to it.
class T1Document {
 public:
  /// Throws Error{bad_description} with line and column for text that is no JSON, and for a key that an object has
  /// twice.
  T1Document(std::filesystem::path file, std::string_view text);
  ~T1Document();
  T1Document(const T1Document&) = delete;
  T1Document& operator=(const T1Document&) = delete;

  const std::filesystem::path& file() const { return file_; }
  T1Node root();
  /// Warns of every key, in an object that was looked into, that nobody asked for.
  void report_unknown_keys();
  void warn(const std::string& path, const std::string& sentence);
  /// A setting that other tuners understand and this one has no use for: all of them become one warning.
  void set_aside(const std::string& path) { set_aside_.push_back(path); }
  std::vector<std::string> take_warnings();

 private:
  friend class T1Node;
  struct Visited {
    const nlohmann::json* object = nullptr;
    std::set<std::string, std::less<>> asked;
  };

  std::filesystem::path file_;
  std::unique_ptr<const nlohmann::json> json_;
  std::map<std::string, Visited> visited_;
  std::vector<std::string> set_aside_;
  std::vector<std::string> warnings_;
};

/// A value in a T1 file that knows where it stands: `ConfigurationSpace.Conditions[2].Expression`.
class T1Node {
 public:
  T1Node(T1Document& document, const nlohmann::json& json, std::string path)
      : document_(&document), json_(&json), path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  bool is_string() const;
  bool is_array() const;
  bool is_number() const;

  /// The member of an object; nothing if it has none of that name, or null. Fails if this is no object.
  std::optional<T1Node> find(std::string_view key) const;
  /// The same, where it must be there.
  T1Node need(std::string_view key) const;
  std::vector<T1Node> elements() const;  ///< fails if this is no array
  const std::string& string() const;     ///< fails if this is no string
  /// A number, boolean or string. Fails for anything else, and for an integer of more than 64 bits.
  search::Value value() const;
  std::int64_t integer() const;           ///< fails if this is no whole number
  bool flag() const;                      ///< true, false, 1 or 0
  std::vector<std::string> keys() const;  ///< of an object; counts as having asked for all of them

  /// Whether a string in it, at any depth, has the word.
  bool mentions(std::string_view word) const;

  /// Throws Error{bad_description}: "FILE: PATH: sentence".
  [[noreturn]] void fail(const std::string& sentence) const;
  void warn(const std::string& sentence) const { document_->warn(path_, sentence); }
  /// The same with a sentence that is formatted as fmt::format does.
  template <typename First, typename... Rest>
  [[noreturn]] void fail(fmt::format_string<First, Rest...> sentence, First&& first, Rest&&... rest) const {
    fail(fmt::format(sentence, std::forward<First>(first), std::forward<Rest>(rest)...));
  }
  template <typename First, typename... Rest>
  void warn(fmt::format_string<First, Rest...> sentence, First&& first, Rest&&... rest) const {
    warn(fmt::format(sentence, std::forward<First>(first), std::forward<Rest>(rest)...));
  }
  void set_aside() const { document_->set_aside(path_); }
  T1Document& document() const { return *document_; }

 private:
  T1Node child(const nlohmann::json& json, const std::string& step) const;

  T1Document* document_;
  const nlohmann::json* json_;
  std::string path_;
};

/// "a, b or c"
std::string alternatives(const std::vector<std::string>& words);

}  // namespace tuner
