#pragma once

#include <string_view>

namespace tuner {

/// Version of the headers and the library. Recorded with every result.
inline constexpr std::string_view kVersion = "0.1.0";

}  // namespace tuner
