#include "tuner/core/t1/baseline.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "tuner/core/task/task.hpp"
#include "tuner/error.hpp"

namespace tuner {
namespace {

constexpr const char* kAnyDevice = "H200";
constexpr std::uint64_t kMostThreads = 1024;  // of a block, on every GPU
constexpr std::uint64_t kMostLookedAt = 1'000'000;

/// Empty if it can be launched.
std::string why_not_launched(const Task& task, const search::Configuration& configuration) {
  try {
    const Geometry geometry = task.geometry(configuration);
    const bool fits = std::uint64_t{geometry.block[0]} * geometry.block[1] * geometry.block[2] <= kMostThreads;
    return fits ? "" : "their block has too many threads";
  } catch (const Error& error) {
    return error.what();
  }
}

bool can_be_launched(const Task& task, const search::Configuration& configuration) {
  return why_not_launched(task, configuration).empty();
}

/// Looks for a valid configuration that differs from the defaults in a few parameters, the fewest first. Listing the
/// whole space for that would take long where it is large.
class NearDefaults {
 public:
  NearDefaults(const Task& task, search::Configuration defaults) : task_(task), configuration_(std::move(defaults)) {}

  std::optional<search::Configuration> find() {
    constexpr std::size_t kMostChanges = 3;
    for (std::size_t changes = 1; changes <= kMostChanges; ++changes) {
      if (change(0, changes)) return configuration_;
    }
    return std::nullopt;
  }

 private:
  /// Changes so many of the parameters from `first` on, and back if that leads nowhere.
  bool change(std::size_t first, std::size_t changes) {
    if (changes == 0) {
      ++looked_at_;
      return !task_.space().why_invalid(configuration_) && can_be_launched(task_, configuration_);
    }
    const auto parameters = task_.space().parameters();
    for (std::size_t i = first; i < parameters.size(); ++i) {
      const std::uint32_t kept = configuration_.choice[i];
      for (std::uint32_t v = 0; v < parameters[i].values.size() && looked_at_ < kMostLookedAt; ++v) {
        configuration_.choice[i] = v;
        if (v != kept && change(i + 1, changes - 1)) return true;
      }
      configuration_.choice[i] = kept;
    }
    return false;
  }

  const Task& task_;
  search::Configuration configuration_;
  std::uint64_t looked_at_ = 0;
};

/// The first of all configurations that can be launched.
std::optional<search::Configuration> first_of_space(const Task& task) {
  for (std::uint64_t i = 0; i < std::min(task.space().size(), kMostLookedAt); ++i) {
    const search::Configuration candidate = task.space().at(i);
    if (can_be_launched(task, candidate)) return candidate;
  }
  return std::nullopt;
}

/// "A=1,B=2 violates the constraint `A > 1` (kernel.json: PATH)." from "violates" on; any sentence without its end.
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
    mended.why = complaint(violated ? *violated : why_not_launched(task, defaults));
    if (mended.why.empty()) return mended;
    std::optional<search::Configuration> found = NearDefaults(task, defaults).find();
    if (!found) found = first_of_space(task);
    if (!found) return {};
    for (std::size_t i = 0; i < found->choice.size(); ++i) mended.values.push_back(space.value(*found, i));
  } catch (const Error&) {
    return {};  // a condition that cannot be evaluated is the caller's to find: it has a sentence of its own
  }
  return mended;
}

}  // namespace tuner
