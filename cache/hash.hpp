#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace tuner::cache {

/// XXH3-128 of the content as 32 lower-case hexadecimal digits. It finds damage and tells contents apart; it is no
/// protection against somebody who forges contents on purpose.
std::string content_hash(std::span<const std::byte> bytes);
std::string content_hash(std::string_view text);

}  // namespace tuner::cache
