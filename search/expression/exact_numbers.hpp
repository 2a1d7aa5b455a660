#pragma once

#include <compare>
#include <cstdint>

namespace tuner::search {

/// Whether `real` is integral and fits in 64 bits.
bool is_integral(double real);

/// Compares by exact values: the integer is not rounded to a real.
std::partial_ordering compare_exactly(std::int64_t a, double b);

}  // namespace tuner::search
