#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace tuner::fleet {

/// SHA-256 (FIPS 180-4) of the bytes, as 32 bytes. Unlike cache::content_hash it holds against somebody who forges
/// contents on purpose: what a job carries comes from others. About 200 MB/s.
std::string sha256(std::string_view bytes);

/// The bytes as lower-case hexadecimal digits.
std::string hexadecimal(std::string_view bytes);

}  // namespace tuner::fleet
