#include "tuner/core/task/decision_text.hpp"

#include <fmt/format.h>

#include "tuner/core/base/text.hpp"
#include "tuner/core/task/not_compared.hpp"

namespace tuner {

std::string searched_text(const cache::Decision& decision) {
  if (!decision.evaluated || !decision.space_size) return {};
  const auto evaluated = static_cast<std::uint64_t>(*decision.evaluated);
  const std::string all = counted(static_cast<std::uint64_t>(*decision.space_size), "configuration");
  return decision.evaluated == decision.space_size ? "all " + all : fmt::format("{} of {}", grouped(evaluated), all);
}

std::optional<double> packed_loss(const cache::Decision& decision) {
  const auto counter = decision.counters.find(kPackedCounter);
  if (counter == decision.counters.end()) return std::nullopt;
  return static_cast<double>(counter->second) / 1e6;
}

std::string verified_text(const cache::Decision& decision) {
  if (decision.origin == cache::Origin::replay) return "not verified: replayed from a recording";
  const bool same_inputs = decision.counters.contains(kSameInputsCounter);
  std::string text = !decision.verified ? "in the search only"
                     : same_inputs      ? "again after the final race, on the same inputs, because none are random"
                                        : "again after the final race, on fresh inputs";
  if (decision.awkward_sizes > 0) text += fmt::format(", and at {}", counted(decision.awkward_sizes, "awkward size"));
  if (const auto loss = packed_loss(decision)) {
    text += fmt::format(": a pack has it in place of the winner, which is {} faster {}", percent(*loss),
                        decision.race_blocks > 0 ? "in the final race" : "in the search");
  }
  return text;
}

std::string speedup_cell(const cache::Decision& decision) {
  if (decision.has_baseline() && decision.baseline == decision.configuration) return "baseline";
  if (!decision.speedup) return "-";
  if (!decision.speedup_low || !decision.speedup_high) return fmt::format("{:.3f}x (?)", *decision.speedup);
  return fmt::format("{:.3f}x ({:.3f}-{:.3f})", *decision.speedup, *decision.speedup_low, *decision.speedup_high);
}

}  // namespace tuner
