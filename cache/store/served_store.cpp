#include "cache/store/served_store.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <ctime>

#include "cache/file/fail.hpp"
#include "cache/file/folder_sync.hpp"
#include "cache/file/hash.hpp"
#include "cache/file/location.hpp"
#include "cache/file/packed_text.hpp"
#include "cache/file/trust.hpp"
#include "cache/schema/schema.hpp"
#include "cache/sqlite/database_file.hpp"
#include "cache/sqlite/sqlite.hpp"

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
  const std::string hash = content_hash({"served1", source, place}).text;
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
  if (all.size() < kSumSize || content_hash(all.substr(kSumSize)).text != all.substr(0, kSumSize))
    damaged(served.path());
  auto row = unpacked<Served>(all.substr(kSumSize));
  // By this column rows are deleted: one that says something else would stay.
  if (values->back() != row.decision) damaged(served.path());
  return row;
}

void write_row(const Connection& served, const Served& row) {
  const std::string text = packed(row);
  const std::string all = content_hash(text).text + text;
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
/// Nothing of an empty file, and where the file system does not say.
std::optional<std::string> identity_of(const OpenFolder& folder, const fs::path& decisions) {
  constexpr unsigned kWanted = STATX_INO | STATX_BTIME | STATX_SIZE;
  struct statx status {};
  const int done = statx(folder.descriptor(), decisions.filename().c_str(), AT_SYMLINK_NOFOLLOW, kWanted, &status);
  if (done != 0 || (status.stx_mask & kWanted) != kWanted || status.stx_size == 0) return std::nullopt;
  return fmt::format("{} {}.{}", status.stx_ino, status.stx_btime.tv_sec, status.stx_btime.tv_nsec);
}

/// Deletes the rows of all decisions whose marks `goes` says. Returns whether there were any.
template <class Goes>
bool delete_rows(const Connection& served, const Goes& goes) {
  std::vector<std::string> gone;
  Statement marks(served, "SELECT DISTINCT decision_id FROM served WHERE decision_id <> ''");
  while (marks.step()) {
    if (goes(marks.text(0))) gone.push_back(marks.text(0));
  }
  Statement erase(served, "DELETE FROM served WHERE decision_id = ?1");
  for (const std::string& mark : gone) erase.bind(mark).run();
  return !gone.empty();
}

/// What a file says of the decisions whose marks stand in rows.
class MarkedDecisions {
 public:
  explicit MarkedDecisions(const Connection& decisions)
      : select_(
            decisions,
            "SELECT decision_id || ' ' || decision.created_unix_ms || ' ' || r.session, kernel_name, problem, device, "
            "decision_id = (SELECT max(d.decision_id) FROM run JOIN decision AS d USING (run_id) WHERE run.task_id = "
            "r.task_id) AND decision_id > (SELECT ifnull(max(f.decision_id), 0) FROM forgotten AS f WHERE f.task_id = "
            "r.task_id) FROM decision JOIN run AS r USING (run_id) JOIN task USING (task_id) WHERE decision_id = ?1 "
            "AND origin <> ?2") {}
  bool is_served(const std::string& mark) { return find(mark) && select_.integer(4) != 0; }
  bool is_of(const std::string& mark, const std::vector<Filter>& filters) {
    if (!find(mark)) return false;
    const std::string kernel = select_.text(1), problem = select_.text(2), device = select_.text(3);
    const auto fits = [](const std::string& wanted, const std::string& is) { return wanted.empty() || wanted == is; };
    return std::any_of(filters.begin(), filters.end(), [&](const Filter& filter) {
      return fits(filter.kernel_name, kernel) && fits(filter.problem, problem) && fits(filter.device, device);
    });
  }

 private:
  bool find(const std::string& mark) {
    std::int64_t row = 0;
    std::from_chars(mark.data(), mark.data() + mark.size(), row);
    return select_.bind(row, Origin::replay).step() && select_.text(0) == mark;
  }

  Statement select_;
};

/// Renames a file that is of no use, so that nothing is lost. The journal goes first: a fresh file must never find the
/// old one's beside it.
void put_aside(const OpenFolder& folder, const std::string& name) {
  const std::string suffix = fmt::format(".corrupt-{}-{}", std::time(nullptr), getpid());
  for (const std::string& each : {name + "-journal", name}) {
    const int at = folder.descriptor();
    if (renameat(at, each.c_str(), at, (each + suffix).c_str()) == 0 || errno == ENOENT) continue;
    fail(Errc::store_unavailable,
         "{} can be neither written nor renamed ({}), and what it says would be served in place of what is stored now. "
         "Make its folder writable, or remove it.",
         (folder.path() / each).string(), std::strerror(errno));
  }
  sync_folder(folder);
}

/// Does `work`; once more without the file that is there, if that is damaged.
template <class Work>
void with_fresh_file(const OpenFolder& folder, const std::string& name, const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    if (error.code() != Errc::store_damaged) throw;
  }
  put_aside(folder, name);
  work();
}

bool is_regular(const OpenFolder& folder, const std::string& name) {
  const auto status = folder.look_at(name);
  return status && S_ISREG(status->st_mode);
}

/// Deletes the rows of those marks that `goes` says, or the file that holds them.
template <class Goes>
void drop_rows(const Connection& decisions, const Goes& goes) {
  const auto& folder = decisions.folder();
  const fs::path path = served_beside(decisions.path());
  const std::string name = path.filename();
  // Of what is no file no start reads a row.
  if (folder == nullptr || !is_regular(*folder, name)) return;
  try {
    const auto served = open_as_it_is(path, std::chrono::seconds(1));
    if (served->integer("SELECT count(*) FROM sqlite_schema WHERE name = 'served'") == 0) return;
    MarkedDecisions known(decisions);
    Transaction all(*served, Transaction::Kind::write);
    const bool any = delete_rows(*served, [&](const std::string& mark) { return goes(known, mark); });
    all.commit();
    // On the disk before the decision is: a power failure must not bring the row back.
    if (any) served->note_commit();
  } catch (const Error&) {
    put_aside(*folder, name);
  }
}

}  // namespace

ServedStore::ServedStore(fs::path decisions, std::chrono::milliseconds patience)
    : decisions_(std::move(decisions)), patience_(patience) {}

ServedStore::~ServedStore() = default;

/// False if there is nothing that may be read.
bool ServedStore::open() {
  if (opened_ && !opened_->is_replaced()) return true;
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
  std::optional<std::string> outline;
  read([&] {
    const auto row = read_row(*opened_, number_of(source));
    if (row && row->source == source && row->place.empty()) outline = row->outline;
  });
  return outline;
}

std::vector<Served> ServedStore::find_all(const std::string& decision) {
  std::vector<Served> all;
  read([&] {
    // A view of that name may never end.
    if (opened_->integer("SELECT count(*) FROM sqlite_schema WHERE name = 'served' AND type = 'table'") == 0) return;
    Statement select(*opened_, "SELECT served_id FROM served WHERE decision_id = ?1 ORDER BY served_id");
    select.bind(decision);
    while (select.step()) {
      auto row = read_row(*opened_, select.integer(0));
      if (row && row->decision == decision && is_of_this_file(row->file)) all.push_back(*std::move(row));
    }
  });
  return all;
}

/// An exported row is of whichever file is there.
bool ServedStore::is_of_this_file(const std::string& file) const {
  const OpenFolder& folder = *opened_->folder();
  return file.empty() ? folder.look_at_content(decisions_.filename()).has_value()
                      : identity_of(folder, decisions_) == file;
}

void record_served(const fs::path& path, const Served& row, std::chrono::milliseconds patience) {
  // What was left half-written, and an older format, are left to those who decide. Looked at before it is opened: that
  // would roll a journal back.
  const auto before = open_folder_of(path);
  for (const char* const suffix : {"-journal", "-wal"}) {
    if (before->has(path.filename().string() + suffix)) return;
  }
  const auto decisions = open_as_it_is(path, patience);
  const OpenFolder& folder = *decisions->folder();
  const fs::path beside = served_beside(decisions->path());
  const std::string name = beside.filename();
  if (folder.has(name) && reason_to_distrust(folder, name, trusted_owners())) return;
  if (format_version(*decisions, decisions_format()) != decisions_format().steps.size()) return;
  const Transaction lock(*decisions, Transaction::Kind::write);
  MarkedDecisions known(*decisions);
  if (!known.is_served(row.decision)) return;
  with_fresh_file(folder, name, [&] {
    const auto served = open_database(beside, Access::read_write, patience, Durability::precious, served_format());
    const auto file = identity_of(folder, path);
    if (!file || reason_to_distrust(*served->folder(), name, trusted_owners())) return;
    Transaction all(*served, Transaction::Kind::write);
    Statement count(*served, "SELECT count(*) FROM served WHERE decision_id = ?1");
    count.bind(row.decision).step();
    const bool full = count.integer(0) >= kRowsOfDecision;
    count.run();
    // A program that knows nothing of this file may have decided or forgotten something.
    delete_rows(*served,
                [&](const std::string& mark) { return !known.is_served(mark) || (full && mark == row.decision); });
    Served written = row;
    written.file = *file;
    write_rows(*served, written);
    served->execute(
        "DELETE FROM served WHERE decision_id = '' AND source_id NOT IN (SELECT source_id FROM served WHERE "
        "decision_id "
        "<> '')");
    decisions->require_at_its_path();  // whose identity was written
    all.commit();
  });
}

void drop_served(const Connection& decisions, const std::vector<Filter>& filters) {
  // What this file does not serve is of no use either: it may be an export's, or have replaced another one.
  drop_rows(decisions, [&](MarkedDecisions& known, const std::string& mark) {
    return known.is_of(mark, filters) || !known.is_served(mark);
  });
}

UnservedRows drop_unserved(const Connection& decisions, bool dry_run) {
  UnservedRows unserved;
  const auto& folder = decisions.folder();
  const std::string name = served_beside(decisions.path()).filename();
  if (folder == nullptr || !is_regular(*folder, name)) return unserved;
  constexpr int kFlags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_NOMUTEX;
  try {
    const Connection served(folder, name, kFlags, std::chrono::seconds(1));
    if (served.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'served' AND type = 'table'") == 0)
      return unserved;
    MarkedDecisions known(decisions);
    Statement marks(served,
                    "SELECT decision_id, count(*), sum(length(row)) FROM served WHERE decision_id <> '' GROUP BY 1");
    while (marks.step()) {
      if (known.is_served(marks.text(0))) continue;
      unserved.rows += marks.integer(1);
      unserved.bytes += marks.integer(2);
    }
  } catch (const Error&) {
    return {};  // who writes it next sees to it
  }
  if (unserved.rows > 0 && !dry_run) {
    drop_rows(decisions, [](MarkedDecisions& known, const std::string& mark) { return !known.is_served(mark); });
  }
  return unserved;
}

void export_served(const fs::path& to, const std::vector<Served>& rows) {
  const auto served = open_database(to, Access::read_write, kCommandPatience, Durability::precious, served_format());
  Transaction all(*served, Transaction::Kind::write);
  for (const Served& row : rows) write_rows(*served, row);
  all.commit();
}

}  // namespace tuner::cache
