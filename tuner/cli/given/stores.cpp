#include "tuner/cli/given/stores.hpp"

#include <fmt/format.h>

#include "cache/store/sqlite_store.hpp"
#include "tuner/cli/terminal/message.hpp"
#include "tuner/core/base/text.hpp"

namespace tuner::cli {

std::string replays_beside(const cache::Location& location, std::string_view command) {
  const std::filesystem::path replays = cache::replay_database(location);
  if (replays == location.decisions || is_not_there_yet(replays)) return {};
  return fmt::format(" Results of replayed recordings are in a separate file: `{} --db {}`.", command,
                     in_command(replays));
}

std::string no_decision(const cache::Database* store, const std::string& kernel, const std::string& path) {
  const std::string of_kernel = kernel.empty() ? "" : fmt::format(" for a kernel `{}`", kernel);
  const std::vector<cache::DecisionKey> keys =
      store == nullptr ? std::vector<cache::DecisionKey>() : store->list_keys({.kernel_name = kernel});
  if (keys.empty()) {
    return fmt::format("Nothing is stored{} in {} yet. `tuner tune FILE --problem ...` adds a decision.", of_kernel,
                       path);
  }
  std::size_t trials = 0;
  for (const cache::DecisionKey& key : keys) trials += store->find_trials(key).size();
  if (trials == 0) {
    return fmt::format("No decision is in force{} in {}. Forgotten ones are kept there as history.", of_kernel, path);
  }
  return fmt::format(
      "No decision is stored{} in {} yet; it contains {}. The next `tuner tune` of the same kernel and problem reuses "
      "those of interrupted sessions; forgotten ones are history.",
      of_kernel, path, counted(trials, "trial"));
}

std::unique_ptr<cache::Database> open_for_reading(const cache::Location& location) {
  if (is_not_there_yet(location.decisions)) return nullptr;
  return cache::SqliteStore::open({.path = location.decisions, .access = cache::Access::read_only});
}

}  // namespace tuner::cli
