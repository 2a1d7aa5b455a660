#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>

#include "cache/file/hash.hpp"
#include "search/expression/expression.hpp"

namespace tuner {

/// Text to be hashed: fields with a tag and a length, so that no two lists of fields give the same text. The formats
/// are persisted through their hashes: a change makes every stored decision unfindable, so they carry a version.
class HashedFields {
 public:
  explicit HashedFields(std::string_view format) : text_(format) {}
  void add(std::string_view tag, std::string_view content) {
    text_ += fmt::format("\n{}:{}:", tag, content.size());
    text_ += content;
  }
  void add(std::string_view tag, const std::optional<search::Expression>& expression) {
    if (expression) add(tag, expression->text());
  }
  const std::string& text() const { return text_; }
  std::string hash() const { return cache::content_hash(text_).text; }

 private:
  std::string text_;
};

}  // namespace tuner
