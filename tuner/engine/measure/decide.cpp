#include "tuner/engine/measure/decide.hpp"

#include <algorithm>
#include <tuple>

#include "tuner/error.hpp"

namespace tuner::engine {

std::size_t choose_winner(std::span<const TieCandidate> tied) {
  if (tied.empty()) {
    throw Error(Errc::internal, "A winner was asked for among no candidates; check that the tie set holds one.");
  }
  const auto order = [](const TieCandidate& one) {
    return std::tie(one.differing_parameters, one.registers, one.text, one.id);
  };
  return std::min_element(tied.begin(), tied.end(),
                          [&order](const TieCandidate& a, const TieCandidate& b) { return order(a) < order(b); })
      ->id;
}

}  // namespace tuner::engine
