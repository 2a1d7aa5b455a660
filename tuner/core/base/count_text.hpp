#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tuner {

/// A large count as people write it: `1<<20`, or with K, M or G, which are 2^10, 2^20 and 2^30: `64K`, `1M` and, the
/// same, `1Mi`. Nothing if `text` is anything else, a plain number too, or does not fit in 64 bits.
std::optional<std::int64_t> read_count(std::string_view text);

/// Bytes: "512MB", "1.5G", "4GiB" or "1TB", where K is 1,024, and what read_count() reads; nothing for any other text.
std::optional<double> read_byte_count(std::string_view text);

}  // namespace tuner
