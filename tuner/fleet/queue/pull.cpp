#include "tuner/fleet/queue/pull.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "cache/exchange/key_rows.hpp"
#include "tuner/core/base/printable.hpp"
#include "tuner/error.hpp"
#include "tuner/fleet/job/row_text.hpp"

namespace tuner::fleet {
namespace {

constexpr std::size_t kJobsOfPart = 200;

/// A worker answers its job, and no other one.
void require_own(const cache::DecisionKey& key, const Accepted& accepted) {
  if (key.kernel_name == accepted.kernel && key.problem == accepted.problem) return;
  throw Error(Errc::store_damaged, fmt::format("Its worker sent rows of {} for {}, which is another job.",
                                               one_line(key.kernel_name), one_line(key.problem)));
}

/// The same key may have been tuned by several jobs: each one's rows are imported by themselves. All rows of a job are
/// imported in one transaction: a session that is known is not pulled again.
class Part {
 public:
  Part(const std::filesystem::path& database, Pulled& pulled) : database_(database), pulled_(pulled) {}

  void add(std::vector<cache::KeyRows> rows) {
    const auto has_key = [&](const cache::KeyRows& each) { return keys_.contains(each.key.text()); };
    if (std::any_of(rows.begin(), rows.end(), has_key)) import();
    for (cache::KeyRows& each : rows) {
      std::string key = each.key.text();
      keys_.emplace(std::move(key), std::move(each));
    }
    if (++jobs_ >= kJobsOfPart) import();
  }

  void import() {
    if (keys_.empty()) return;
    std::vector<cache::KeyRows> rows;
    for (auto& [key, each] : std::exchange(keys_, {})) rows.push_back(std::move(each));
    jobs_ = 0;
    std::vector<cache::ImportedKey> imported = cache::import_rows(database_, rows);
    std::move(imported.begin(), imported.end(), std::back_inserter(pulled_.keys));
  }

 private:
  const std::filesystem::path& database_;
  Pulled& pulled_;
  std::map<std::string, cache::KeyRows> keys_;
  std::size_t jobs_ = 0;
};

}  // namespace

Pulled pull(Queue& queue, const std::filesystem::path& database, const std::function<void(const std::string&)>& warn) {
  Pulled pulled;
  std::set<std::string> known = cache::known_sessions(database);
  Part part(database, pulled);
  for (const Accepted& accepted : queue.accepted()) {
    if (known.contains(accepted.session)) {
      ++pulled.known;
      continue;
    }
    std::vector<cache::KeyRows> rows;
    try {
      rows = rows_from_texts(queue.rows(accepted));
      for (const cache::KeyRows& each : rows) {
        require_own(each.key, accepted);
        cache::require_storable(each);
      }
    } catch (const Error& error) {
      if (error.code() != Errc::store_damaged) throw;
      ++pulled.damaged;
      warn(fmt::format("Job {} of the queue was left out: {}", accepted.job, error.what()));
      continue;
    }
    part.add(std::move(rows));
    known.insert(accepted.session);
    ++pulled.jobs;
  }
  part.import();
  return pulled;
}

}  // namespace tuner::fleet
