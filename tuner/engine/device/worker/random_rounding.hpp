#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tuner::engine {

/// A module of PTX in which every real operation that is not exact is rounded up or down at random instead of to the
/// nearest number. Several runs of it on the same data show how exactly the kernel computes each element: what another
/// order of summation may change, they change too. Operations that are exact stay as they are, and with them indices,
/// counts and flags that are kept as floats.
///
/// This is the method of CESTAC (J. Vignes, "A stochastic arithmetic for reliable scientific computation", 1993), with
/// the choice drawn from the bits of the result and a seed: a run can be repeated, and threads that compute the same
/// get the same.
///
/// Rounded so: add, sub, mul, fma, div, sqrt and rcp of f32 and f64; add, sub, mul and fma of f16 and bf16; conversions
/// to f16, bf16, f32 and f64; what atomics add in f32 and f64. The f32 sums of mma and wmma move by one unit in the
/// last place at most, also where they are exact. Not rounded: approximations (ex2.approx, div.full), wgmma, tensor
/// cores that sum in other types, and half operations that saturate or flush.
///
/// Nothing, if the module has none of these, or so many that the driver would take seconds to translate it.
std::optional<std::string> with_random_rounding(std::string_view ptx);

/// The module's global variable from which the choices are drawn, 32 bits.
inline constexpr const char* kRoundingSeed = "tuner_rounding_seed";

/// Operations beyond which the driver takes longer than two seconds or so; one in double counts as five.
inline constexpr std::size_t kMaxRoundedOperations = 2048;

}  // namespace tuner::engine
