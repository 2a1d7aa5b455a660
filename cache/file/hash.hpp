#pragma once

#include <compare>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace tuner::cache {

/// What content_hash gives, or was read where that is stored: no other text becomes one unless it is said.
struct Hash {
  std::string text;  ///< empty: not known
  bool empty() const { return text.empty(); }
  operator std::string_view() const { return text; }
  friend auto operator<=>(const Hash&, const Hash&) = default;
};

void describe(auto& fields, Hash& hash) {
  fields("hash", hash.text);
}

/// XXH3-128 of the content as 32 lower-case hexadecimal digits. It finds damage and tells contents apart; it is no
/// protection against somebody who forges contents on purpose.
Hash content_hash(std::span<const std::byte> bytes);
Hash content_hash(std::string_view text);

/// The same of several texts in order, each with its length, so that no two lists of texts run together.
Hash content_hash(std::initializer_list<std::string_view> texts);

/// The same of content that comes in pieces.
class ContentHash {
 public:
  ContentHash();
  ~ContentHash();
  void add(std::span<const std::byte> piece);
  /// Of everything so far.
  Hash hash() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tuner::cache
