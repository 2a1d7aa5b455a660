#include "cache/hash.hpp"

#include <xxhash.h>

namespace tuner::cache {

std::string content_hash(std::span<const std::byte> bytes) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.data(), bytes.size()));
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  hex.reserve(2 * sizeof canonical.digest);
  for (const unsigned char byte : canonical.digest) {
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return hex;
}

std::string content_hash(std::string_view text) {
  return content_hash(std::as_bytes(std::span(text)));
}

}  // namespace tuner::cache
