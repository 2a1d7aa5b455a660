#include "tuner/engine/searching/won_elsewhere.hpp"

#include <fmt/format.h>

#include <utility>

#include "tuner/engine/searching/warm_start.hpp"
#include "tuner/error.hpp"

namespace tuner::engine {
namespace {

/// Those that the space has.
std::vector<search::Configuration> proven(const search::Space& space, const std::vector<std::string>& texts) {
  std::vector<search::Configuration> result;
  for (const std::string& text : texts) {
    try {
      search::Configuration configuration = space.parse(text);
      if (space.contains(configuration)) result.push_back(std::move(configuration));
    } catch (const Error&) {
      // Another problem's space has more.
    }
  }
  return result;
}

}  // namespace

std::vector<search::Configuration> won_elsewhere(const Task& task, const SessionOptions& options,
                                                 const SessionParts& parts, const cache::DecisionKey& key) {
  if (!options.proven.empty()) return proven(task.space(), options.proven);
  std::vector<search::Configuration> promising = hinted_configurations(task, options.hints);
  if (!options.warm_start || options.origin == cache::Origin::replay) return promising;
  try {
    const std::vector<search::Configuration> found = promising_configurations(task, key, parts.store);
    promising.insert(promising.end(), found.begin(), found.end());
  } catch (const Error& error) {
    parts.observer.warning(
        fmt::format("{} Configurations that won for other problems and on other GPUs are not used.", error.what()));
  }
  return promising;
}

}  // namespace tuner::engine
