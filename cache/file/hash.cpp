#include "cache/file/hash.hpp"

#include <xxhash.h>

#include <new>
#include <string>

namespace tuner::cache {

namespace {

Hash hexadecimal(XXH128_hash_t hash) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, hash);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  hex.reserve(2 * sizeof canonical.digest);
  for (const unsigned char byte : canonical.digest) {
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return {hex};
}

}  // namespace

Hash content_hash(std::span<const std::byte> bytes) {
  return hexadecimal(XXH3_128bits(bytes.data(), bytes.size()));
}

Hash content_hash(std::string_view text) {
  return content_hash(std::as_bytes(std::span(text)));
}

Hash content_hash(std::initializer_list<std::string_view> texts) {
  std::string joined;
  for (const std::string_view text : texts) {
    joined += std::to_string(text.size());
    joined += ':';
    joined += text;
  }
  return content_hash(joined);
}

struct ContentHash::State {
  XXH3_state_t* of_library = XXH3_createState();
  State() {
    if (of_library == nullptr) throw std::bad_alloc();
    XXH3_128bits_reset(of_library);
  }
  ~State() { XXH3_freeState(of_library); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

ContentHash::ContentHash() : state_(std::make_unique<State>()) {}
ContentHash::~ContentHash() = default;

void ContentHash::add(std::span<const std::byte> piece) {
  XXH3_128bits_update(state_->of_library, piece.data(), piece.size());
}

Hash ContentHash::hash() const {
  return hexadecimal(XXH3_128bits_digest(state_->of_library));
}

}  // namespace tuner::cache
