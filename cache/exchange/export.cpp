#include "cache/exchange/exchange.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>
#include <utility>

#include "cache/exchange/binary_export.hpp"
#include "cache/exchange/key_rows.hpp"
#include "cache/file/fail.hpp"
#include "cache/file/folder_sync.hpp"
#include "cache/file/fresh_file.hpp"
#include "cache/file/location.hpp"
#include "cache/schema/schema.hpp"
#include "cache/sqlite/database_file.hpp"
#include "cache/store/rows.hpp"
#include "cache/store/served_store.hpp"

namespace tuner::cache {
namespace {

namespace fs = std::filesystem;
using sqlite::Connection;
using sqlite::Transaction;

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

/// Of the winner and of the baseline, as far as they are known.
std::set<Hash> binaries_of(const Rows& rows) {
  Hash baseline;
  for (const Trial& trial : rows.trials) {
    const bool compiled = trial.configuration == rows.decision->baseline && !trial.facts.binary_hash.empty();
    if (compiled) baseline = trial.facts.binary_hash;
  }
  std::set<Hash> hashes{rows.decision->binary_hash, baseline};
  hashes.erase(Hash{});
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

/// What says nothing of the decisions that are to have their name beside it.
void remove_file(const fs::path& path) {
  std::error_code error;
  fs::remove(path, error);
  if (!error && sync_folder(path.parent_path())) return;
  fail(Errc::store_unavailable, "{}, of an earlier export, cannot be removed: {}.", path.string(),
       error ? error.message() : std::strerror(errno));
}

/// By its header alone: what another program is writing is not waited for. This program may have no connection to it,
/// which would lose its locks.
bool holds_decisions(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return false;
  constexpr std::streamoff kApplicationId = 68;  // in SQLite's file format, the first byte the greatest
  std::array<char, 4> bytes{};
  std::ifstream(path, std::ios::binary).seekg(kApplicationId).read(bytes.data(), bytes.size());
  std::uint32_t id = 0;
  for (const char byte : bytes) id = id << 8 | static_cast<unsigned char>(byte);
  return id == static_cast<std::uint32_t>(decisions_format().application_id);
}

/// Whether a database in the same folder may need the binaries that are there; `from` has its own elsewhere. Which ones
/// that are cannot be known: a file without trials does not name those of its baselines.
bool has_other_decisions(const ExportRequest& request) {
  const auto is_other = [&](const fs::path& path) {
    std::error_code ignored;
    return path.extension() == ".db" && !fs::equivalent(path, request.to, ignored) &&
           !fs::equivalent(path, request.from, ignored);
  };
  std::error_code error;
  for (fs::directory_iterator entry(request.to.parent_path() / ".", error), end; !error && entry != end;
       entry.increment(error)) {
    if (is_other(entry->path()) && holds_decisions(entry->path())) return true;
  }
  return static_cast<bool>(error);
}

/// Writes the rows of keys, and gathers what has to be beside them.
class Rewriter {
 public:
  Rewriter(const ExportRequest& request, const Connection& from, const Connection& to)
      : request_(request), from_(from), to_(to), starts_(from.path(), kCommandPatience) {}

  ExportedKey write(const DecisionKey& key) {
    Rows rows{read_key_rows(from_, key)};
    edit(rows, request_);
    ExportedKey done{key};
    if (request_.with_trials) {
      insert_trials(to_, rows.trials);
      done.trials = static_cast<std::int64_t>(rows.trials.size());
    }
    if (!rows.decision) return done;
    const std::int64_t row = insert_decision(to_, *rows.decision);
    insert_texts(to_, row, rows.texts);
    hashes.merge(binaries_of(rows));
    if (request_.with_served && rows.has_starts) gather_starts(*rows.decision, row);
    done.decisions = 1;
    return done;
  }

  std::vector<Served> served;
  std::set<Hash> hashes;  ///< of binaries

 private:
  void gather_starts(const Decision& decision, std::int64_t exported_row) {
    Decision exported = decision;
    exported.row = exported_row;
    for (Served& start : starts_of(starts_, decision)) {
      start.decision = served_mark(exported);
      start.file.clear();
      served.push_back(std::move(start));
    }
  }

  const ExportRequest& request_;
  const Connection &from_, &to_;
  ServedStore starts_;
};

}  // namespace

Exported export_decisions(const ExportRequest& request) {
  require_others(request.from, request.to);
  const auto from =
      open_database(request.from, Access::read_only, kCommandPatience, Durability::precious, decisions_format());
  FreshFile file(request.to, request.overwrite);
  const fs::path beside = served_beside(request.to);
  require_others(request.from, beside);
  const bool has_earlier_starts = fs::exists(fs::symlink_status(beside));
  std::optional<FreshFile> starts;
  if (request.with_served || has_earlier_starts) starts.emplace(beside, request.overwrite);
  std::optional<BinaryExport> binaries;
  bool has_starts = false;
  Exported exported;
  {
    const auto to =
        open_database(file.path(), Access::read_write, kCommandPatience, Durability::precious, decisions_format());
    Transaction all(*to, Transaction::Kind::write);
    Rewriter rows(request, *from, *to);
    for (const DecisionKey& key : read_keys(*from, {})) {
      if (request.wanted && !request.wanted(key)) continue;
      ExportedKey done = rows.write(key);
      if (done.decisions + done.trials > 0) exported.keys.push_back(std::move(done));
    }
    all.commit();
    if (exported.keys.empty()) return exported;
    has_starts = !rows.served.empty();
    if (has_starts) export_served(starts->path(), rows.served);
    if (request.binaries)
      exported.binaries = binaries.emplace(*request.binaries, rows.hashes, request.overwrite).counts();
  }
  // In an order of which every state is of use: decisions have their binaries beside them, and no other decisions'
  // starts, without which programs find the same less quickly.
  if (binaries) binaries->publish_beside_earlier();
  if (has_earlier_starts) remove_file(beside);
  file.publish();
  if (has_starts) starts->publish();
  if (binaries && !has_other_decisions(request)) binaries->remove_earlier();
  return exported;
}

}  // namespace tuner::cache
