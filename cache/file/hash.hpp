#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace tuner::cache {

/// XXH3-128 of the content as 32 lower-case hexadecimal digits. It finds damage and tells contents apart; it is no
/// protection against somebody who forges contents on purpose.
std::string content_hash(std::span<const std::byte> bytes);
std::string content_hash(std::string_view text);

/// The same of several texts in order, each with its length, so that no two lists of texts run together.
std::string content_hash(std::initializer_list<std::string_view> texts);

/// The same of content that comes in pieces.
class ContentHash {
 public:
  ContentHash();
  ~ContentHash();
  void add(std::span<const std::byte> piece);
  /// Of everything so far.
  std::string text() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tuner::cache
