#include "cache/exchange/exchange.hpp"

#include <signal.h>

#include <iterator>
#include <limits>
#include <utility>

#include "cache/exchange/key_rows.hpp"
#include "cache/file/fail.hpp"
#include "cache/file/fresh_file.hpp"
#include "cache/file/location.hpp"
#include "cache/sqlite/database_file.hpp"
#include "cache/store/binary_store.hpp"
#include "cache/store/rows.hpp"
#include "cache/store/schema.hpp"
#include "cache/store/served_store.hpp"

namespace tuner::cache {
namespace {

namespace fs = std::filesystem;
using sqlite::Transaction;

void require_others(const fs::path& from, const fs::path& to) {
  std::error_code ignored;
  if (!fs::equivalent(from, to, ignored)) return;
  fail(Errc::bad_usage, "{} is the database itself, which cannot be exported onto itself: choose another name.",
       to.string());
}

/// What of a key is exported.
struct Rows : KeyRows {
  bool has_starts = true;  ///< what programs start from says the same as the decision
};

void edit(Rows& rows, const ExportRequest& request) {
  if (!rows.decision || !request.edit) return;
  const std::string winner = rows.decision->configuration;
  request.edit(*rows.decision);
  rows.has_starts = rows.decision->configuration == winner;
}

void require_trust(const BinaryStore& store) {
  if (!store.distrust()) return;
  fail(Errc::store_unavailable, "Binaries cannot be exported. {}", *store.distrust());
}

std::vector<Hash> binaries_of(const Rows& rows) {
  std::vector<Hash> hashes;
  if (!rows.decision) return hashes;
  if (!rows.decision->binary_hash.empty()) hashes.push_back(rows.decision->binary_hash);
  Hash baseline;
  for (const Trial& trial : rows.trials) {
    const bool compiled = trial.configuration == rows.decision->baseline && !trial.facts.binary_hash.empty();
    if (compiled) baseline = trial.facts.binary_hash;
  }
  if (!baseline.empty()) hashes.push_back(baseline);
  return hashes;
}

/// None of a file that is damaged: the decisions are exported without.
std::vector<Served> starts_of(ServedStore& starts, const Decision& decision) {
  try {
    return starts.find_all(served_mark(decision));
  } catch (const Error&) {
    return {};
  }
}

/// What asks the process to end waits.
class HeldSignals {
 public:
  HeldSignals() {
    sigset_t ending;
    sigemptyset(&ending);
    for (const int signal : {SIGHUP, SIGINT, SIGTERM}) sigaddset(&ending, signal);
    pthread_sigmask(SIG_BLOCK, &ending, &before_);
  }
  ~HeldSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

std::vector<ExportedKey> export_decisions(const ExportRequest& request) {
  require_others(request.from, request.to);
  const auto from =
      open_database(request.from, Access::read_only, kCommandPatience, Durability::precious, decisions_format());
  ServedStore starts(from->path(), kCommandPatience);
  FreshFile file(request.to, request.overwrite);
  // What an earlier export left there says nothing of the new decisions, so it is replaced even if there are no rows.
  const fs::path beside = served_beside(request.to);
  require_others(request.from, beside);
  const bool has_earlier = fs::exists(fs::symlink_status(beside));
  std::optional<FreshFile> of_starts;
  if (request.with_served || has_earlier) of_starts.emplace(beside, request.overwrite);
  std::vector<ExportedKey> exported;
  std::vector<Served> served;
  {
    const auto to =
        open_database(file.path(), Access::read_write, kCommandPatience, Durability::precious, decisions_format());
    Transaction all(*to, Transaction::Kind::write);
    for (const DecisionKey& key : read_keys(*from, {})) {
      if (request.wanted && !request.wanted(key)) continue;
      Rows rows{read_key_rows(*from, key)};
      edit(rows, request);
      ExportedKey& done = exported.emplace_back();
      done.key = key;
      done.binary_hashes = binaries_of(rows);
      if (request.with_trials) {
        insert_trials(*to, rows.trials);
        done.trials = static_cast<std::int64_t>(rows.trials.size());
      }
      if (rows.decision) {
        const std::int64_t row = insert_decision(*to, *rows.decision);
        insert_texts(*to, row, rows.texts);
        done.decisions = 1;
        if (request.with_served && rows.has_starts) {
          Decision exported_decision = *rows.decision;
          exported_decision.row = row;
          for (Served& start : starts_of(starts, *rows.decision)) {
            start.decision = served_mark(exported_decision);
            start.file.clear();
            served.push_back(std::move(start));
          }
        }
      }
      if (done.decisions + done.trials == 0) exported.pop_back();
    }
    all.commit();
  }
  if (exported.empty()) return exported;
  if (of_starts) export_served(of_starts->path(), served);
  // Of an earlier export under these names all files are replaced, or none.
  const HeldSignals held;
  if (request.before_publishing) request.before_publishing(exported);
  // First what programs start from: an earlier export's rows would be served beside the new decisions.
  if (of_starts && (has_earlier || !served.empty())) of_starts->publish();
  file.publish();
  return exported;
}

ExportedBinaries export_binaries(const fs::path& from, const fs::path& to, const std::vector<Hash>& hashes,
                                 bool overwrite) {
  require_others(from, to);
  const auto source = BinaryStore::open({.path = from, .access = Access::read_only});
  require_trust(*source);
  ExportedBinaries exported;
  std::vector<Binary> all;
  for (const Hash& hash : hashes) {
    std::vector<Binary> builds = source->find_builds(hash);
    ++(builds.empty() ? exported.missing : exported.written);
    std::move(builds.begin(), builds.end(), std::back_inserter(all));
  }
  write_binaries(to, all, overwrite);
  return exported;
}

void write_binaries(const fs::path& to, std::span<const Binary> builds, bool overwrite) {
  FreshFile file(to, overwrite);
  {
    const auto target =
        BinaryStore::open({.path = file.path(), .limit_bytes = std::numeric_limits<std::int64_t>::max()});
    require_trust(*target);
    for (const Binary& build : builds) target->put(build, Keep::pinned);
  }
  file.publish();
}

}  // namespace tuner::cache
