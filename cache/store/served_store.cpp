#include "cache/store/served_store.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>

#include "cache/file/fail.hpp"
#include "cache/file/folder_sync.hpp"
#include "cache/file/hash.hpp"
#include "cache/file/location.hpp"
#include "cache/file/trust.hpp"
#include "cache/sqlite/database_file.hpp"
#include "cache/sqlite/sqlite.hpp"
#include "cache/store/packed_text.hpp"
#include "cache/store/schema.hpp"

namespace tuner::cache {
namespace {

namespace fs = std::filesystem;
using sqlite::Connection;
using sqlite::Statement;
using sqlite::Transaction;

/// Programs whose texts differ in what the decision does not depend on have rows of their own. For one more than this
/// the others go.
constexpr int kRowsOfDecision = 8;

/// Of a row; of a source without a place.
std::int64_t number_of(const std::string& source, const std::string& place = "") {
  constexpr std::size_t kDigits = 15;  // what fits into a positive number
  const std::string hash = content_hash({"served1", source, place});
  std::int64_t number = 0;
  std::from_chars(hash.data(), hash.data() + kDigits, number, 16);
  return number;
}

[[noreturn]] void damaged(const fs::path& path) {
  fail(Errc::store_damaged,
       "{}, which lets programs start quickly, is damaged and not used; the decisions beside it are. It is written "
       "again when the kernel is requested. If this happens again, check the disk.",
       path.string());
}

/// Of what follows it: a row that was read in the wrong place, or changed in any part, does not match.
constexpr std::size_t kSumSize = 32;

std::optional<Served> read_row(const Connection& served, std::int64_t number) {
  const auto values = served.find_row("served", {"row", "decision_id"}, number);
  if (!values) return std::nullopt;
  const std::string_view all = values->front();
  if (all.size() < kSumSize || content_hash(all.substr(kSumSize)) != all.substr(0, kSumSize)) damaged(served.path());
  auto row = unpacked<Served>(all.substr(kSumSize));
  // By this column rows are deleted: one that says something else would stay.
  if (values->back() != std::to_string(row.decision)) damaged(served.path());
  return row;
}

void write_row(const Connection& served, const Served& row) {
  const std::string text = packed(row);
  const std::string all = content_hash(text) + text;
  Statement(served, "INSERT OR REPLACE INTO served (served_id, source_id, decision_id, row) VALUES (?1, ?2, ?3, ?4)")
      .bind(number_of(row.source, row.place), number_of(row.source), row.decision, std::as_bytes(std::span(all)))
      .run();
}

/// The winner's, and that of its source.
void write_rows(const Connection& served, const Served& row) {
  write_row(served, row);
  write_row(served, {.source = row.source, .outline = row.outline});
}

/// What tells a file of decisions from another one that gets its name: rows say nothing of what was put in its place.
std::string identity_of(const OpenFolder& folder, const fs::path& decisions) {
  struct statx status {};
  statx(folder.descriptor(), decisions.filename().c_str(), AT_SYMLINK_NOFOLLOW, STATX_INO | STATX_BTIME, &status);
  return fmt::format("{} {}.{}", status.stx_ino, status.stx_btime.tv_sec, status.stx_btime.tv_nsec);
}

/// Deletes the rows of all decisions that `goes` says. Returns whether there were any.
template <class Goes>
bool delete_rows(const Connection& served, const Goes& goes) {
  std::vector<std::int64_t> gone;
  Statement decisions(served, "SELECT DISTINCT decision_id FROM served WHERE decision_id <> 0");
  while (decisions.step()) {
    if (goes(decisions.integer(0))) gone.push_back(decisions.integer(0));
  }
  Statement erase(served, "DELETE FROM served WHERE decision_id = ?1");
  for (const std::int64_t decision : gone) erase.bind(decision).run();
  return !gone.empty();
}

bool is_served(const Connection& decisions, std::int64_t decision) {
  Statement select(
      decisions,
      "SELECT 1 FROM decision JOIN run AS r USING (run_id) WHERE decision_id = ?1 AND origin <> ?2 AND decision_id = "
      "(SELECT max(d.decision_id) FROM run JOIN decision AS d USING (run_id) WHERE run.task_id = r.task_id) AND "
      "decision_id > (SELECT ifnull(max(f.decision_id), 0) FROM forgotten AS f WHERE f.task_id = r.task_id)");
  return select.bind(decision, Origin::replay).step();
}

/// Whether its header says that a program of this kind wrote it, of whatever version. No connection of this process may
/// be open on it.
bool is_ours(const OpenFolder& folder, const std::string& name) {
  constexpr std::size_t kApplicationId = 68;  // sqlite.org/fileformat2.html, "the database header"
  const UniqueHandle<int, close, -1> file(
      openat(folder.descriptor(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file) return false;
  const std::vector<std::byte> header = read_beginning(file.get(), kApplicationId + 4);
  if (header.size() < kApplicationId + 4) return false;
  std::uint32_t id = 0;
  for (std::size_t i = kApplicationId; i < header.size(); ++i) id = id << 8 | std::to_integer<std::uint32_t>(header[i]);
  return id == static_cast<std::uint32_t>(served_format().application_id);
}

/// The journal goes first: a fresh file must never find the old one's beside it.
void remove_file(const OpenFolder& folder, const std::string& name) {
  for (const std::string& each : {name + "-journal", name}) {
    if (unlinkat(folder.descriptor(), each.c_str(), 0) == 0 || errno == ENOENT) continue;
    fail(Errc::store_unavailable,
         "{} can be neither written nor removed ({}), and what it says would be served in place of what is stored now. "
         "Make its folder writable, or remove it.",
         (folder.path() / each).string(), std::strerror(errno));
  }
  sync_folder(folder);
}

/// Does `work`; once more without the file that is there, if that is of no use.
template <class Work>
void with_fresh_file(const OpenFolder& folder, const std::string& name, const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    const bool useless = error.code() == Errc::store_damaged || error.code() == Errc::store_newer;
    if (!useless || !is_ours(folder, name)) throw;
  }
  remove_file(folder, name);
  work();
}

}  // namespace

ServedStore::ServedStore(fs::path decisions, std::chrono::milliseconds patience)
    : decisions_(std::move(decisions)), patience_(patience) {}

ServedStore::~ServedStore() = default;

/// False if there is nothing that may be read.
bool ServedStore::open() {
  if (opened_ && !opened_->is_outdated()) return true;
  opened_.reset();
  const auto folder = open_folder_of(decisions_);
  const std::string name = served_beside(decisions_).filename();
  // Examined before it is opened: if only trusted users may write the folder and the file, nobody else can exchange or
  // change it afterwards.
  // Whose program this is, is looked up where that decides.
  if (reason_to_distrust(*folder, name, {geteuid(), 0}) && reason_to_distrust(*folder, name, trusted_owners()))
    return false;
  constexpr int kFlags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_NOMUTEX;
  opened_ = std::make_unique<Connection>(folder, name, kFlags, patience_);
  return true;
}

template <class Work>
void ServedStore::read(const Work& work) try {
  if (open()) work();
} catch (const Error& error) {
  opened_.reset();
  // Locked for too long, half-written or not readable: what was decided is found without it.
  if (error.code() == Errc::store_damaged) damaged(served_beside(decisions_));
}

std::optional<Served> ServedStore::find(const std::string& source, const std::string& place) {
  std::optional<Served> found;
  read([&] {
    auto row = read_row(*opened_, number_of(source, place));
    if (row && row->source == source && row->place == place && is_of_this_file(row->file)) found = std::move(row);
  });
  return found;
}

std::optional<std::string> ServedStore::find_outline(const std::string& source) {
  const auto row = find(source, "");
  return row ? std::optional(row->outline) : std::nullopt;
}

std::vector<Served> ServedStore::find_all(std::int64_t decision) {
  std::vector<Served> all;
  read([&] {
    Statement select(*opened_, "SELECT served_id FROM served WHERE decision_id = ?1 ORDER BY served_id");
    select.bind(decision);
    while (select.step()) {
      auto row = read_row(*opened_, select.integer(0));
      if (row && row->decision == decision && is_of_this_file(row->file)) all.push_back(*std::move(row));
    }
  });
  return all;
}

bool ServedStore::is_of_this_file(const std::string& file) const {
  return file.empty() || file == identity_of(*opened_->folder(), decisions_);
}

void record_served(const fs::path& path, const Served& row, std::chrono::milliseconds patience) {
  const auto decisions = open_as_it_is(path, patience);
  // What was left half-written, and an older format, are left to those who decide.
  if (decisions->folder()->has(path.filename().string() + "-journal")) return;
  if (format_version(*decisions, decisions_format()) != decisions_format().steps.size()) return;
  const Transaction lock(*decisions, Transaction::Kind::write);
  if (!is_served(*decisions, row.decision)) return;
  const OpenFolder& folder = *decisions->folder();
  const fs::path beside = served_beside(decisions->path());
  with_fresh_file(folder, beside.filename(), [&] {
    const auto served = open_database(beside, Access::read_write, patience, Durability::precious, served_format());
    if (reason_to_distrust(*served->folder(), beside.filename(), trusted_owners())) return;
    Transaction all(*served, Transaction::Kind::write);
    Statement count(*served, "SELECT count(*) FROM served WHERE decision_id = ?1");
    count.bind(row.decision).step();
    const bool full = count.integer(0) >= kRowsOfDecision;
    count.run();
    // A program that knows nothing of this file may have decided or forgotten something.
    delete_rows(*served, [&](std::int64_t decision) {
      return !is_served(*decisions, decision) || (full && decision == row.decision);
    });
    Served written = row;
    written.file = identity_of(folder, path);
    write_rows(*served, written);
    served->execute(
        "DELETE FROM served WHERE decision_id = 0 AND source_id NOT IN (SELECT source_id FROM served WHERE decision_id "
        "<> 0)");
    all.commit();
  });
}

void drop_served(const Connection& decisions, const Filter& filter) {
  const auto& folder = decisions.folder();
  const fs::path path = served_beside(decisions.path());
  const std::string name = path.filename();
  if (folder == nullptr || !folder->has(name)) return;
  try {
    const auto served = open_as_it_is(path, std::chrono::seconds(1));
    Statement is_of_task(decisions,
                         "SELECT 1 FROM task JOIN run USING (task_id) JOIN decision USING (run_id) WHERE decision_id = "
                         "?1 AND (?2 = '' OR kernel_name = ?2) AND (?3 = '' OR problem = ?3) AND (?4 = '' OR device = "
                         "?4)");
    Transaction all(*served, Transaction::Kind::write);
    const bool any = delete_rows(*served, [&](std::int64_t decision) {
      return is_of_task.bind(decision, filter.kernel_name, filter.problem, filter.device).step();
    });
    all.commit();
    // On the disk before the decision is: a power failure must not bring the row back.
    if (any) served->note_commit();
  } catch (const Error& error) {
    // In what is no database, or another program's, no start finds a row.
    if (is_ours(*folder, name)) return remove_file(*folder, name);
    if (error.code() != Errc::store_damaged) throw;
  }
}

void export_served(const fs::path& to, const std::vector<Served>& rows) {
  const auto served = open_database(to, Access::read_write, kCommandPatience, Durability::precious, served_format());
  Transaction all(*served, Transaction::Kind::write);
  for (const Served& row : rows) write_rows(*served, row);
  all.commit();
}

}  // namespace tuner::cache
