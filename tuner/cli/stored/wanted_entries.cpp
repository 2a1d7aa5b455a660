#include "tuner/cli/stored/wanted_entries.hpp"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <optional>

#include "tuner/cli/given/stores.hpp"
#include "tuner/core/task/task.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {

namespace {

/// Reads each source once, and only if somebody asks for its work.
class Works {
 public:
  explicit Works(const cache::WantedStore& list) : list_(list) {}

  std::optional<double> of(const cache::Wanted& wanted, const std::string& problem) {
    auto [position, is_new] = kernels_.try_emplace(wanted.source.text);
    if (is_new) {
      StoredKernel stored = wanted_kernel(wanted, list_);
      const bool has_work = stored.description && (stored.description->work.bytes || stored.description->work.flops);
      if (has_work) position->second = std::make_shared<const KernelDescription>(*std::move(stored.description));
    }
    if (position->second == nullptr) return std::nullopt;
    try {
      // Work that depends on the GPU is rare, and only ratios of it matter.
      const Task task(position->second, parse_problem(problem), known_device(kPlanDevice), {}, {},
                      search::Listing::when_needed);
      const auto baseline = task.baseline();
      if (!baseline) return std::nullopt;
      const auto bytes = task.work_bytes(*baseline);
      return bytes ? bytes : task.work_flops(*baseline);
    } catch (const Error&) {
      return std::nullopt;  // a problem that this version of the kernel does not accept
    }
  }

 private:
  const cache::WantedStore& list_;
  std::map<std::string, std::shared_ptr<const KernelDescription>> kernels_;  ///< null: no work
};

}  // namespace

StoredKernel wanted_kernel(const cache::Wanted& wanted, const cache::WantedStore& list) {
  auto source = list.find_source(wanted);
  if (!source) return {std::nullopt, "Its source is not kept"};
  return kernel_of_source({source->file, source->text}, std::move(source->headers), wanted.key);
}

WantedEntries wanted_entries(const cache::Location& location, const cache::WantedStore& list,
                             const std::string& kernel) {
  WantedEntries entries;
  std::vector<cache::Wanted> open;
  const std::unique_ptr<cache::Database> store = open_for_reading(location);
  for (cache::Wanted& wanted : list.list()) {
    if (!kernel.empty() && wanted.key.kernel_name != kernel) continue;
    (store && store->find_decision(wanted.key) ? entries.tuned : open).push_back(std::move(wanted));
  }
  Works works(list);
  entries.open =
      by_value(std::move(open), store ? store->list_decisions({}) : std::vector<cache::Decision>(),
               [&](const cache::Wanted& wanted, const std::string& problem) { return works.of(wanted, problem); });
  return entries;
}

}  // namespace tuner::cli
