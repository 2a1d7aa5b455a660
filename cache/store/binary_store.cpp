#include "cache/store/binary_store.hpp"

#include <fmt/format.h>

#include "cache/file/fail.hpp"
#include "cache/file/hash.hpp"
#include "cache/file/trust.hpp"
#include "cache/schema/schema.hpp"
#include "cache/sqlite/database_file.hpp"
#include "cache/sqlite/sqlite.hpp"
#include "cache/store/record_sql.hpp"
#include "cache/store/store_rules.hpp"

namespace tuner::cache {
namespace {

/// The order of use matters from session to session, not within one: finding a binary should seldom write.
constexpr std::int64_t kUseResolutionMs = 60 * 60 * 1000;

std::int64_t build_size(const Binary& binary) {
  return static_cast<std::int64_t>(binary.compile_key.size() + binary.resource_log.size());
}

std::int64_t size_of(const Binary& binary) {
  return static_cast<std::int64_t>(binary.bytes.size()) + build_size(binary);
}

/// Ties a build to its binary, whose bytes have this hash: read in the wrong place, or changed in any part, it does not
/// match.
std::string checksum_of(const Binary& binary, const Hash& hash) {
  return content_hash({binary.compile_key, binary.resource_log, binary.kernel, binary.architecture, hash}).text;
}

bool has_its_bytes(const Binary& binary) {
  return content_hash(binary.bytes) == binary.hash;
}

/// A file of format 1 that is only read; once it is written it has sums.
bool lacks_checksum(const StoredBinary& stored) {
  return stored.checksum == "format 1";  // see schema.cpp
}

/// A program of format 1 that had the file open while it was brought up to date goes on writing builds without a
/// symbol and a sum. They are compiled again.
bool was_written_as_format_1(const StoredBinary& stored) {
  return stored.checksum.empty();
}

bool is_sound(const StoredBinary& stored) {
  return has_its_bytes(stored.binary) &&
         (lacks_checksum(stored) || stored.checksum == checksum_of(stored.binary, stored.binary.hash));
}

enum class Verdict { fits, missing, damaged };

/// Of what the store has for this key; `expected_hash` as for BinaryStore::find_compiled.
Verdict judge(const StoredBinary& stored, std::string_view compile_key, const Hash& expected_hash) {
  if (was_written_as_format_1(stored)) return Verdict::missing;
  if (stored.binary.compile_key != compile_key || !is_sound(stored)) return Verdict::damaged;
  if (lacks_checksum(stored) && stored.binary.hash != expected_hash) return Verdict::missing;
  return Verdict::fits;
}

constexpr const char* kColumns =
    "binary_id, build_id, last_used_unix_ms, hash, architecture, build.kernel, key_text, resource_log, checksum, bytes";

}  // namespace

struct BinaryStore::Row {
  std::int64_t id = 0;
  std::int64_t build_id = 0;
  std::int64_t last_used_unix_ms = 0;
  StoredBinary stored;

  static Row read(const sqlite::Statement& select) {
    Row row;
    Binary& binary = row.stored.binary;
    RowReader(select).read(row.id, row.build_id, row.last_used_unix_ms, binary.hash, binary.architecture, binary.kernel,
                           binary.compile_key, binary.resource_log, row.stored.checksum, binary.bytes);
    return row;
  }
};

namespace {

std::string say_unused(const std::filesystem::path& file, const std::string& reason) {
  return fmt::format("Compiled binaries are neither read from {} nor stored there, because {}.", file.string(), reason);
}

}  // namespace

std::unique_ptr<BinaryStore> BinaryStore::open(const BinaryStoreOptions& options) {
  return std::unique_ptr<BinaryStore>(new BinaryStore(options));
}

BinaryStore::BinaryStore(const BinaryStoreOptions& options) : options_(options) {
  if (!options_.clock) options_.clock = now_unix_ms;
  options_.path = connection().path();  // absolute, for when it is opened again
}

/// Lets go of a file in whose place there is another one, or that was, or is, half-written.
void BinaryStore::close_if_outdated() {
  if (options_.access == Access::read_only && connection_ && connection_->is_outdated()) connection_.reset();
}

const sqlite::Connection& BinaryStore::connection() const {
  if (!connection_) {
    auto opened = open_database(options_.path, options_.access, options_.busy_timeout, Durability::rebuildable,
                                binaries_format());
    // SQLite opened what is in the folder that is examined here. If only trusted users may write that folder and the
    // file, nobody else can have exchanged or changed the file before, between or after.
    const auto why = reason_to_distrust(*opened->folder(), opened->path().filename(), trusted_owners());
    distrust_ = why ? std::optional(say_unused(opened->path(), *why)) : std::nullopt;
    connection_ = std::move(opened);
  }
  return *connection_;
}

BinaryStore::~BinaryStore() = default;

std::optional<std::string> BinaryStore::damage() const {
  return find_damage(connection(), binaries_format());
}

bool BinaryStore::put(const Binary& binary, Keep keep) {
  if (!is_kept(binary)) return false;
  sqlite::write(connection(), [&] { write(binary, keep); });
  return true;
}

void BinaryStore::put_all(std::span<const BinaryToKeep> binaries) {
  if (distrust_ || binaries.empty()) return;
  sqlite::write(connection(), [&] {
    for (const auto& [binary, keep] : binaries) {
      if (is_kept(binary)) write(binary, keep);
    }
  });
}

bool BinaryStore::is_kept(const Binary& binary) const {
  return !distrust_ && size_of(binary) <= options_.limit_bytes;
}

/// Inside of a transaction.
void BinaryStore::write(const Binary& binary, Keep keep) {
  const Hash hash = content_hash(binary.bytes);
  if (!binary.hash.empty() && binary.hash != hash) {
    fail(Errc::internal, "A binary of {} has the hash {}, but was passed as {}: please report this as a bug.",
         binary.kernel, hash.text, binary.hash.text);
  }
  // The bytes are written again even if the hash is known: that repairs a row whose bytes were damaged.
  sqlite::Statement insert(
      connection(),
      "INSERT INTO binary (hash, architecture, kernel, keep, last_used_unix_ms, byte_count, bytes) "
      "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) "
      "ON CONFLICT (hash) DO UPDATE SET architecture = excluded.architecture, keep = max(keep, excluded.keep), "
      "last_used_unix_ms = excluded.last_used_unix_ms, byte_count = excluded.byte_count, "
      "bytes = excluded.bytes RETURNING binary_id");
  insert.bind(hash, binary.architecture, binary.kernel, keep, options_.clock(), binary.bytes.size(),
              std::span(binary.bytes));
  insert.step();
  const std::int64_t binary_id = insert.integer(0);
  insert.run();
  // Replaced rather than updated, so that the latest build has the greatest build_id.
  sqlite::Statement(connection(),
                    "INSERT OR REPLACE INTO build (binary_id, key_hash, key_text, resource_log, byte_count, kernel, "
                    "checksum) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")
      .bind(binary_id, content_hash(binary.compile_key), binary.compile_key, binary.resource_log, build_size(binary),
            binary.kernel, checksum_of(binary, hash))
      .run();
  make_room(binary_id);
}

/// Asks the file, if it is trusted.
template <class Work>
void BinaryStore::read(const Work& work) {
  sqlite::read([&] { close_if_outdated(); },
               [&] {
                 const sqlite::Connection& database = connection();
                 if (!distrust_) work(database);
               });
}

std::optional<Binary> BinaryStore::find(const Hash& hash) {
  std::vector<Binary> builds = find_builds(hash);
  if (builds.empty()) return std::nullopt;
  return std::move(builds.back());
}

std::optional<Binary> BinaryStore::find_compiled(std::string_view compile_key, const Hash& expected_hash) {
  trouble_.reset();
  std::optional<Row> row = find_row(compile_key);
  if (!row) return std::nullopt;
  switch (judge(row->stored, compile_key, expected_hash)) {
    case Verdict::fits:
      break;
    case Verdict::missing:
      return std::nullopt;
    case Verdict::damaged:
      return give_up(*row);
  }
  mark_used(*row);
  return std::move(row->stored.binary);
}

/// What is there for this key, whether it may be used or not.
std::optional<BinaryStore::Row> BinaryStore::find_row(std::string_view compile_key) {
  std::optional<Row> row;
  read([&](const sqlite::Connection& database) {
    sqlite::Statement select(database,
                             fmt::format("SELECT {} FROM build JOIN binary USING (binary_id) WHERE key_hash = "
                                         "?1 AND key_text = ?2",
                                         kColumns));
    if (select.bind(content_hash(compile_key), compile_key).step()) row = Row::read(select);
  });
  return row;
}

std::vector<Binary> BinaryStore::find_builds(const Hash& hash) {
  trouble_.reset();
  std::vector<Row> rows;
  read([&](const sqlite::Connection& database) {
    rows.clear();
    sqlite::Statement select(database, fmt::format("SELECT {} FROM build JOIN binary USING (binary_id) WHERE hash = ?1 "
                                                   "ORDER BY build_id",
                                                   kColumns));
    select.bind(hash);
    while (select.step()) rows.push_back(Row::read(select));
  });
  std::vector<Binary> builds;
  for (Row& row : rows) {
    if (was_written_as_format_1(row.stored)) continue;
    if (row.stored.binary.hash != hash || !is_sound(row.stored)) {
      give_up(row);
      continue;
    }
    if (builds.empty()) mark_used(row);
    builds.push_back(std::move(row.stored.binary));
  }
  return builds;
}

std::vector<Hash> BinaryStore::list() {
  std::vector<Hash> hashes;
  read([&](const sqlite::Connection& database) {
    hashes.clear();
    sqlite::Statement select(database, "SELECT hash FROM binary ORDER BY binary_id");
    while (select.step()) hashes.push_back({select.text(0)});
  });
  return hashes;
}

std::int64_t BinaryStore::size_bytes() const {
  return connection().integer(
      "SELECT (SELECT ifnull(sum(byte_count), 0) FROM binary) + "
      "(SELECT ifnull(sum(byte_count), 0) FROM build)");
}

std::nullopt_t BinaryStore::give_up(const Row& row) {
  note_damage(row.stored.binary);
  if (options_.access == Access::read_only) return std::nullopt;
  connection_->try_now([&] {
    // Other builds of bytes that are in order may be, too.
    const bool build_alone = has_its_bytes(row.stored.binary);
    sqlite::Statement(connection(),
                      build_alone ? "DELETE FROM build WHERE build_id = ?1" : "DELETE FROM binary WHERE binary_id = ?1")
        .bind(build_alone ? row.build_id : row.id)
        .run();
  });
  return std::nullopt;
}

void BinaryStore::make_room(std::int64_t keep_binary_id) {
  std::int64_t size = size_bytes();
  if (size <= options_.limit_bytes) return;
  sqlite::Statement oldest(connection(),
                           "SELECT binary_id, byte_count + (SELECT ifnull(sum(build.byte_count), 0) FROM build "
                           "WHERE build.binary_id = binary.binary_id) FROM binary WHERE binary_id <> ?1 "
                           "ORDER BY keep, last_used_unix_ms, binary_id LIMIT 1");
  sqlite::Statement erase(connection(), "DELETE FROM binary WHERE binary_id = ?1");
  while (size > options_.limit_bytes && oldest.bind(keep_binary_id).step()) {
    size -= oldest.integer(1);
    const std::int64_t binary_id = oldest.integer(0);
    erase.bind(binary_id).run();
  }
}

void BinaryStore::note_damage(const Binary& binary) {
  trouble_ = fmt::format(
      "The binary of `{}` in {} is damaged (it does not match its hash or what it was compiled from) and is not used: "
      "the kernel has to be compiled again. If this happens again, check the disk; the file contains only compiled "
      "code and can be deleted.",
      binary.kernel, options_.path.string());
}

void BinaryStore::mark_used(const Row& row) {
  if (options_.access == Access::read_only) return;
  const std::int64_t now = options_.clock();
  if (row.last_used_unix_ms > now - kUseResolutionMs && row.last_used_unix_ms <= now) return;
  connection_->try_now([&] {
    sqlite::Statement(connection(), "UPDATE binary SET last_used_unix_ms = ?2 WHERE binary_id = ?1")
        .bind(row.id, now)
        .run();
  });
}

}  // namespace tuner::cache
