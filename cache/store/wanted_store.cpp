#include "cache/store/wanted_store.hpp"

#include <cmath>
#include <set>

#include "cache/file/fail.hpp"
#include "cache/file/hash.hpp"
#include "cache/file/location.hpp"
#include "cache/file/trust.hpp"
#include "cache/schema/schema.hpp"
#include "cache/sqlite/database_file.hpp"
#include "cache/sqlite/failure.hpp"
#include "cache/sqlite/sqlite.hpp"
#include "tuner/ground/file_variable.hpp"

namespace tuner::cache {
namespace {

namespace fs = std::filesystem;
using sqlite::Connection;
using sqlite::Statement;

/// What the limits allow takes less; what is larger is not read.
constexpr std::uintmax_t kLargestFile = 128 << 20;

/// What a file says that cannot be, as the end of a sentence.
struct Damage {
  std::string why;
};

/// Finds the row of a key: its columns in this order.
constexpr const char* kOfKey =
    "kernel_name = ?1 AND kernel_identity = ?2 AND problem = ?3 AND device = ?4 AND mode = ?5 AND objective = ?6";

Statement& bind_key(Statement& statement, const DecisionKey& key) {
  return statement.bind(key.kernel_name, key.kernel_identity, key.problem, key.device, key.mode, key.objective);
}

std::size_t changes(const Connection& file) {
  return static_cast<std::size_t>(file.integer("SELECT changes()"));
}

std::int64_t ensure_source_text(const Connection& file, const std::string& text) {
  const Hash hash = content_hash(text);
  Statement find(file, "SELECT text_id FROM text WHERE hash = ?1 AND text = ?2");
  if (find.bind(hash, text).step()) return find.integer(0);
  Statement(file, "INSERT INTO text (hash, byte_count, text) VALUES (?1, ?2, ?3)").bind(hash, text.size(), text).run();
  return sqlite3_last_insert_rowid(file.get());
}

bool has_source(const Connection& file, const Hash& source) {
  return Statement(file, "SELECT 1 FROM source_text WHERE source = ?1").bind(source).step();
}

std::size_t size_of(const WantedSource& source) {
  std::size_t bytes = source.text.size();
  for (const Header& header : source.headers) bytes += header.text.size();
  return bytes;
}

void insert_source(const Connection& file, const Hash& hash, const WantedSource& source) {
  Statement insert(file, "INSERT INTO source_text (source, position, name, text_id) VALUES (?1, ?2, ?3, ?4)");
  std::int64_t position = 0;
  insert.bind(hash, position, source.file, ensure_source_text(file, source.text)).run();
  for (const Header& header : source.headers) {
    insert.bind(hash, ++position, header.name, ensure_source_text(file, header.text)).run();
  }
}

void upsert(const Connection& file, const Wanted& wanted) {
  Statement insert(file,
                   "INSERT INTO wanted (kernel_name, kernel_identity, problem, device, mode, objective, source, rung, "
                   "configuration, time_ns, requested, launched, first_unix_ms, last_unix_ms, trouble) "
                   "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, '') "
                   "ON CONFLICT (kernel_identity, problem, device, mode, objective, kernel_name) DO UPDATE SET "
                   "source = excluded.source, rung = excluded.rung, configuration = excluded.configuration, "
                   "time_ns = excluded.time_ns, requested = requested + excluded.requested, launched = launched + "
                   "excluded.launched, last_unix_ms = max(last_unix_ms, excluded.last_unix_ms), "
                   "trouble = CASE WHEN source = excluded.source THEN trouble ELSE '' END");
  const DecisionKey& key = wanted.key;
  insert
      .bind(key.kernel_name, key.kernel_identity, key.problem, key.device, key.mode, key.objective, wanted.source,
            wanted.rung, wanted.configuration, wanted.time_ns, wanted.requested, wanted.launched, wanted.first_unix_ms,
            wanted.last_unix_ms)
      .run();
}

void drop_unused_texts(const Connection& file) {
  file.execute("DELETE FROM source_text WHERE source NOT IN (SELECT source FROM wanted)");
  file.execute("DELETE FROM text WHERE text_id NOT IN (SELECT text_id FROM source_text)");
}

void keep_within_limits(const Connection& file) {
  Statement(file,
            "DELETE FROM wanted WHERE wanted_id IN (SELECT wanted_id FROM wanted "
            "ORDER BY launched DESC, last_unix_ms DESC, wanted_id DESC LIMIT -1 OFFSET ?1)")
      .bind(kMostWanted)
      .run();
  drop_unused_texts(file);
  Statement least(file,
                  "SELECT source FROM wanted WHERE source <> '' GROUP BY source "
                  "ORDER BY sum(launched), max(last_unix_ms), source LIMIT 1");
  Statement erase(file, "DELETE FROM wanted WHERE source = ?1");
  while (file.integer("SELECT ifnull(sum(byte_count), 0) FROM text") > kMostWantedBytes && least.bind().step()) {
    erase.bind(least.text(0)).run();
    least.bind();
    drop_unused_texts(file);
  }
}

Wanted read_wanted(const Statement& row) {
  Wanted wanted;
  wanted.key = {row.text(0), row.text(1), row.text(2), row.text(3), row.text(4), row.text(5)};
  wanted.source = {row.text(6)};
  wanted.rung = row.text(7);
  wanted.configuration = row.text(8);
  if (!row.is_null(9)) wanted.time_ns = row.real(9);
  wanted.requested = row.integer(10);
  wanted.launched = row.integer(11);
  wanted.first_unix_ms = row.integer(12);
  wanted.last_unix_ms = row.integer(13);
  wanted.trouble = row.text(14);
  const bool has_time = !wanted.time_ns || (std::isfinite(*wanted.time_ns) && *wanted.time_ns > 0);
  if (!has_time || wanted.requested < 0 || wanted.launched < 0)
    throw Damage{"an entry has a time or a count that cannot be"};
  return wanted;
}

}  // namespace

Hash hash_of(const WantedSource& source) {
  std::string parts = content_hash({"wanted1", source.file, source.text}).text;
  for (const Header& header : source.headers) parts += content_hash({header.name, header.text}).text;
  return content_hash(parts);
}

WantedStore::WantedStore(const fs::path& decisions, std::chrono::milliseconds patience)
    : path_(wanted_beside(decisions)), patience_(patience) {}

/// What `work` returns, in one transaction. A value of its type where there is no file to read or change.
template <class Work>
auto WantedStore::with_file(Use use, const Work& work) const {
  using Result = decltype(work(std::declval<const Connection&>()));
  const bool is_missing = is_not_there_yet(path_);
  if (is_missing && use != Use::create) return Result();
  std::string why;
  try {
    if (use == Use::create && !is_missing) require_trusted(reason_to_distrust(path_, trusted_owners()));
    std::error_code ignored;
    if (const auto size = fs::file_size(path_, ignored); !ignored && size > kLargestFile) {
      throw Damage{fmt::format("its {} bytes are more than a list has", size)};
    }
    const auto file = open_database(path_, use == Use::read ? Access::read_only : Access::read_write, patience_,
                                    Durability::rebuildable, wanted_format());
    Result result{};
    if (use == Use::read) {
      const sqlite::Transaction snapshot(*file, sqlite::Transaction::Kind::read);
      return work(*file);
    }
    // Of the file that was opened, whatever has its name by now.
    if (use == Use::create) require_trusted(reason_to_distrust(*file->folder(), path_.filename(), trusted_owners()));
    sqlite::write(*file, [&] { result = work(*file); });
    return result;
  } catch (const Damage& damage) {
    why = damage.why;
  } catch (const sqlite::Failure& failure) {
    if (failure.code() != Errc::store_damaged && !failure.constraint()) throw;
    why = "a part of it cannot be read, or breaks the rules of its format";
  } catch (const Error& error) {
    if (error.code() != Errc::store_damaged) throw;
    why = "it is not of any format that there was";
  }
  fail(Errc::store_damaged,
       "{}, where programs list what they missed, is damaged: {}. Delete it: nothing but the list is lost.",
       path_.string(), why);
}

void WantedStore::require_trusted(const std::optional<std::string>& reason) const {
  if (!reason) return;
  fail(Errc::store_unavailable,
       "What programs miss is not listed in {}, because the sources there are to be compiled and others could change "
       "them: {}. Choose another place with --db or TUNER_DB.",
       path_.string(), *reason);
}

void WantedStore::record(std::span<const Wanted> some,
                         const std::function<WantedSource(const Wanted&)>& source_of) const {
  // Who runs with the rights of another user reads what that names, and changes nothing.
  if (has_rights_of_another()) return;
  with_file(Use::create, [&](const Connection& file) {
    for (const Wanted& wanted : some) {
      Wanted kept = wanted;
      if (!kept.source.empty() && !has_source(file, kept.source)) {
        const WantedSource source = source_of(wanted);
        if (size_of(source) > kMostWantedBytes) {
          kept.source = {};
        } else {
          insert_source(file, kept.source, source);
        }
      }
      upsert(file, kept);
    }
    keep_within_limits(file);
    return true;
  });
}

std::vector<Wanted> WantedStore::list() const {
  return with_file(Use::read, [&](const Connection& file) {
    Statement select(file,
                     "SELECT kernel_name, kernel_identity, problem, device, mode, objective, source, rung, "
                     "configuration, time_ns, requested, launched, first_unix_ms, last_unix_ms, trouble "
                     "FROM wanted ORDER BY launched DESC, last_unix_ms DESC, wanted_id LIMIT ?1");
    std::vector<Wanted> all;
    for (select.bind(kMostWanted); select.step();) all.push_back(read_wanted(select));
    return all;
  });
}

std::optional<WantedSource> WantedStore::find_source(const Wanted& wanted) const {
  return with_file(Use::read, [&](const Connection& file) -> std::optional<WantedSource> {
    Statement select(file,
                     "SELECT name, text FROM source_text JOIN text USING (text_id) WHERE source = ?1 "
                     "ORDER BY position");
    std::optional<WantedSource> source;
    std::size_t bytes = 0;
    for (select.bind(wanted.source); select.step();) {
      Header part{select.text(0), select.text(1)};
      bytes += part.name.size() + part.text.size();
      if (bytes > 2 * kMostWantedBytes) throw Damage{"a source is larger than all of them may be"};
      if (source) {
        source->headers.push_back(std::move(part));
      } else {
        source = {std::move(part.name), std::move(part.text), {}};
      }
    }
    if (source && hash_of(*source) != wanted.source) throw Damage{"a source is not what it was when it was noted"};
    return source;
  });
}

std::size_t WantedStore::forget(const DecisionKey& key) const {
  return with_file(Use::write, [&](const Connection& file) {
    Statement erase(file, std::string("DELETE FROM wanted WHERE ") + kOfKey);
    bind_key(erase, key).run();
    const std::size_t count = changes(file);
    drop_unused_texts(file);
    return count;
  });
}

std::size_t WantedStore::forget_kernel(const std::string& name) const {
  return with_file(Use::write, [&](const Connection& file) {
    Statement(file, "DELETE FROM wanted WHERE ?1 = '' OR kernel_name = ?1").bind(name).run();
    const std::size_t count = changes(file);
    drop_unused_texts(file);
    return count;
  });
}

std::size_t WantedStore::note_trouble(const DecisionKey& key, const std::string& sentence) const {
  return with_file(Use::write, [&](const Connection& file) {
    Statement update(file, std::string("UPDATE wanted SET trouble = ?7 WHERE ") + kOfKey);
    bind_key(update, key);
    update.bind_at(7, sentence);
    update.run();
    return changes(file);
  });
}

}  // namespace tuner::cache
