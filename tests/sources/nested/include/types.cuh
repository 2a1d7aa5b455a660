#pragma once

#include <cstdint>
#include <type_traits>

using real = float;
static_assert(std::is_floating_point<real>::value, "");
using index_type = std::int32_t;
