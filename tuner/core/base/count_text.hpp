#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tuner {

/// A large count as people write it: `1<<20`, or with K, M or G, which are 2^10, 2^20 and 2^30: `64K`, `1M` and, the
/// same, `1Mi`. Nothing if `text` is anything else, a plain number too, or does not fit in 64 bits.
std::optional<std::int64_t> read_count(std::string_view text);

}  // namespace tuner
