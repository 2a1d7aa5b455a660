#include "tuner/core/t1_baseline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "tuner/core/task.hpp"
#include "tuner/error.hpp"

namespace tuner {
namespace {

constexpr const char* kAnyDevice = "H200";
constexpr std::uint64_t kMostThreads = 1024;  // of a block, on every GPU
constexpr std::uint64_t kMostLookedAt = 4'000'000;

bool can_be_launched(const Task& task, const search::Configuration& configuration) {
  try {
    const Geometry geometry = task.geometry(configuration);
    return std::uint64_t{geometry.block[0]} * geometry.block[1] * geometry.block[2] <= kMostThreads;
  } catch (const Error&) {
    return false;
  }
}

std::size_t distance(const search::Configuration& a, const search::Configuration& b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.choice.size(); ++i) count += a.choice[i] != b.choice[i] ? 1 : 0;
  return count;
}

/// "A=1,B=2 violates the constraint `A > 1` (kernel.json: PATH)." from "violates" on, without the end.
std::string complaint(const std::string& sentence) {
  const std::size_t verb = sentence.find(" violates ");
  std::string text = verb == std::string::npos ? sentence : "their combination " + sentence.substr(verb + 1);
  while (text.ends_with('.')) text.pop_back();
  return text;
}

Task bound(const KernelDescription& kernel) {
  return Task(kernel, {}, known_device(kAnyDevice), {}, {}, search::Listing::when_needed);
}

}  // namespace

void check_t1_problem(const KernelDescription& kernel) {
  bound(kernel);
}

T1Baseline mend_t1_baseline(const KernelDescription& kernel) {
  const Task task = bound(kernel);
  const search::Space& space = task.space();
  const search::Configuration defaults = space.defaults();
  T1Baseline mended;
  try {
    const auto violated = space.why_invalid(defaults);
    if (!violated && can_be_launched(task, defaults)) return mended;
    mended.why = violated ? complaint(*violated) : "their block has too many threads";
    std::size_t least = std::numeric_limits<std::size_t>::max();
    search::Configuration nearest;
    for (std::uint64_t i = 0; i < std::min(space.size(), kMostLookedAt) && least > 1; ++i) {
      const search::Configuration candidate = space.at(i);
      const std::size_t changes = distance(candidate, defaults);
      if (changes >= least || !can_be_launched(task, candidate)) continue;
      least = changes;
      nearest = candidate;
    }
    if (nearest.choice.empty()) return {};
    for (std::size_t i = 0; i < nearest.choice.size(); ++i) mended.values.push_back(space.value(nearest, i));
  } catch (const Error&) {
    return {};  // a condition that cannot be evaluated is the caller's to find: it has a sentence of its own
  }
  return mended;
}

}  // namespace tuner
