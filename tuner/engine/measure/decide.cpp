#include "tuner/engine/measure/decide.hpp"

#include <algorithm>
#include <string_view>
#include <tuple>

#include "tuner/error.hpp"

namespace tuner::engine {

std::size_t choose_winner(std::span<const TieCandidate> tied, double margin) {
  if (tied.empty()) {
    throw Error(Errc::internal, "A winner was requested from no candidates; check that the tie set contains one.");
  }
  double fastest = tied.front().relative_time;
  for (const TieCandidate& one : tied) fastest = std::min(fastest, one.relative_time);
  const auto order = [fastest, margin](const TieCandidate& one) {
    const bool behind = one.relative_time > fastest * (1 + margin);
    return std::tuple(behind, one.differing_parameters, one.registers, std::string_view(one.text));
  };
  const auto winner = std::min_element(
      tied.begin(), tied.end(), [&order](const TieCandidate& a, const TieCandidate& b) { return order(a) < order(b); });
  return static_cast<std::size_t>(winner - tied.begin());
}

}  // namespace tuner::engine
