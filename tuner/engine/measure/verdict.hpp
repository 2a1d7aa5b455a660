#pragma once

#include <cstdint>
#include <string_view>

#include "tuner/engine/measure/race.hpp"

namespace tuner::engine {

/// What a comparison came to, of the second against the first.
enum class Verdict : std::uint8_t { faster, slower, same, undecided };

constexpr std::string_view to_string(Verdict verdict) {
  constexpr std::string_view kWords[] = {"FASTER", "SLOWER", "SAME", "UNDECIDED"};
  return kWords[static_cast<std::size_t>(verdict)];
}

/// `ratio`: time of the second over time of the first. Faster or slower where the whole interval is by more than
/// `within`, 0.01 for 1 %; the same where all of it is within; undecided otherwise. A difference is one of times in
/// either direction, so that exchanging the two exchanges faster and slower.
constexpr Verdict verdict(const Ratio& ratio, double within) {
  const double most = 1 + within, least = 1 / most;
  if (ratio.high < least) return Verdict::faster;
  if (ratio.low > most) return Verdict::slower;
  return ratio.low >= least && ratio.high <= most ? Verdict::same : Verdict::undecided;
}

}  // namespace tuner::engine
