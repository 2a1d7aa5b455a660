#include "tuner/engine/measure/contenders.hpp"

#include <iterator>

#include "tuner/engine/measure/finalists.hpp"

namespace tuner::engine {

std::optional<EntryId> Contenders::add(double time_ns, EntryId entry) {
  fastest_.emplace(time_ns, entry);
  if (fastest_.size() <= FinalistPolicy{}.limit) return std::nullopt;
  return fastest_.extract(std::prev(fastest_.end())).value().second;
}

void Contenders::remove(EntryId entry) {
  std::erase_if(fastest_, [&](const auto& contender) { return contender.second == entry; });
}

std::optional<double> Contenders::time_to_beat() const {
  constexpr std::size_t kSpared = FinalistPolicy{}.at_least;
  if (fastest_.size() < kSpared) return std::nullopt;
  return std::next(fastest_.begin(), kSpared - 1)->first;
}

}  // namespace tuner::engine
