#include "tuner/engine/measure/panel.hpp"

#include <fmt/format.h>

#include <limits>

#include "tuner/engine/measure/paired_ratio.hpp"
#include "tuner/engine/measure/statistics.hpp"
#include "tuner/error.hpp"

namespace tuner::engine {

Panel::Panel(std::size_t entrants, std::uint64_t seed) : entrants_(entrants), shuffle_(seed) {}

std::vector<EntrantId> Panel::next_block() {
  std::vector<EntrantId> order = PerEntrant<bool>(entrants_).ids();
  shuffle_(order);
  return order;
}

void Panel::add_block(const Block& block) {
  PerEntrant<double> times(entrants_, 0.0);
  bool fits = block.order.size() == entrants_ && block.samples_ns.size() == entrants_;
  for (std::size_t i = 0; fits && i < entrants_; ++i) {
    fits = block.order[i].index < entrants_ && times[block.order[i]] == 0 && is_time(block.samples_ns[i]);
    if (fits) times[block.order[i]] = block.samples_ns[i];
  }
  if (!fits) {
    throw Error(Errc::internal, fmt::format("A block of {} entrants with {} samples was added to a panel of {}; each "
                                            "needs one time.",
                                            block.order.size(), block.samples_ns.size(), entrants_));
  }
  if (!block.disturbed) clean_.push_back(times);
  all_.push_back(std::move(times));
}

Ratio Panel::ratio(EntrantId entrant, EntrantId other) const {
  if (blocks() == 0) return {1, 0, std::numeric_limits<double>::infinity()};
  return paired_ratio(samples_ns(entrant), samples_ns(other));
}

double Panel::median_ns(EntrantId entrant) const {
  return blocks() == 0 ? 0 : median(samples_ns(entrant));
}

std::vector<double> Panel::samples_ns(EntrantId entrant) const {
  std::vector<double> samples;
  samples.reserve(blocks());
  for (const PerEntrant<double>& times : used()) samples.push_back(times[entrant]);
  return samples;
}

}  // namespace tuner::engine
