#include "cache/binary_store.hpp"

#include <fmt/format.h>

#include "cache/hash.hpp"
#include "cache/quick_look.hpp"
#include "cache/schema.hpp"
#include "cache/sqlite.hpp"
#include "cache/store_rules.hpp"
#include "cache/trust.hpp"

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

bool is_sound(const Binary& binary) {
  return content_hash(binary.bytes) == binary.hash;
}

}  // namespace

struct BinaryStore::Row {
  std::int64_t id = 0;
  std::int64_t last_used_unix_ms = 0;
  Binary binary;

  static Row read(const sqlite::Statement& select) {
    sqlite::Columns column(select);
    Row row;
    row.id = column.integer();
    row.last_used_unix_ms = column.integer();
    row.binary.hash = column.text();
    row.binary.architecture = column.text();
    row.binary.kernel = column.text();
    row.binary.compile_key = column.text();
    row.binary.resource_log = column.text();
    row.binary.bytes = column.bytes();
    return row;
  }
};

namespace {

std::optional<std::string> why_unused(const std::filesystem::path& file) {
  const auto reason = reason_to_distrust(file, trusted_owners());
  if (!reason) return std::nullopt;
  return fmt::format("Compiled binaries are neither taken from {} nor kept there, since {}.", file.string(), *reason);
}

}  // namespace

std::unique_ptr<BinaryStore> BinaryStore::open(const BinaryStoreOptions& options) {
  return std::unique_ptr<BinaryStore>(new BinaryStore(options));
}

BinaryStore::BinaryStore(const BinaryStoreOptions& options) : options_(options) {
  if (!options_.clock) options_.clock = [] { return stamp(0); };
  if (options_.access == Access::read_only) look_anew();
  if (quick_look_) {
    options_.path = quick_look_->path();  // absolute
  } else {
    connection();
  }
}

/// Lets go of a file in whose place there may be another one. Whatever throws, no file is left open for reading that
/// was not examined.
void BinaryStore::look_anew() {
  quick_look_.reset();
  connection_.reset();
  distrust_.reset();
  auto look = QuickLook::open(options_.path, binaries_format());
  // After opening: a file that only trusted users can touch cannot have been exchanged since.
  if (look) distrust_ = why_unused(look->path());
  quick_look_ = std::move(look);
}

const sqlite::Connection& BinaryStore::connection() const {
  if (!connection_) {
    auto opened = open_database(options_.path, options_.access, options_.busy_timeout, Durability::rebuildable,
                                binaries_format());
    distrust_ = why_unused(opened->path());  // after opening, as above
    connection_ = std::move(opened);
  }
  return *connection_;
}

BinaryStore::~BinaryStore() = default;

bool BinaryStore::put(const Binary& binary, Keep keep) {
  const std::string hash = content_hash(binary.bytes);
  if (!binary.hash.empty() && binary.hash != hash) {
    throw Error(Errc::internal,
                fmt::format("A binary of {} has the hash {}, but was handed over as {}: please report this "
                            "as a bug.",
                            binary.kernel, hash, binary.hash));
  }
  if (distrust_ || size_of(binary) > options_.limit_bytes) return false;
  sqlite::write(connection(), [&] {
    // The bytes are written again even if the hash is known: that repairs a row whose bytes were damaged.
    sqlite::Statement insert(
        connection(),
        "INSERT INTO binary (hash, architecture, kernel, keep, last_used_unix_ms, byte_count, bytes) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) "
        "ON CONFLICT (hash) DO UPDATE SET keep = max(keep, excluded.keep), "
        "last_used_unix_ms = excluded.last_used_unix_ms, byte_count = excluded.byte_count, "
        "bytes = excluded.bytes RETURNING binary_id");
    insert.bind(hash, binary.architecture, binary.kernel, keep, options_.clock(), binary.bytes.size(),
                std::span(binary.bytes));
    insert.step();
    const std::int64_t binary_id = insert.integer(0);
    insert.run();
    // Replaced rather than updated, so that the latest build has the greatest build_id.
    sqlite::Statement(connection(),
                      "INSERT OR REPLACE INTO build (binary_id, key_hash, key_text, resource_log, byte_count) "
                      "VALUES (?1, ?2, ?3, ?4, ?5)")
        .bind(binary_id, content_hash(binary.compile_key), binary.compile_key, binary.resource_log, build_size(binary))
        .run();
    make_room(binary_id);
  });
  return true;
}

std::optional<Binary> BinaryStore::find(std::string_view hash) {
  trouble_.reset();
  if (distrust_) return std::nullopt;
  const sqlite::Connection& database = connection();
  if (distrust_) return std::nullopt;
  std::optional<Row> row;
  {
    sqlite::Statement select(
        database,
        "SELECT binary_id, last_used_unix_ms, hash, architecture, kernel, key_text, resource_log, bytes "
        "FROM binary LEFT JOIN build USING (binary_id) WHERE hash = ?1 ORDER BY build_id DESC LIMIT 1");
    if (select.bind(hash).step()) row = Row::read(select);
  }
  return checked(std::move(row));
}

std::optional<Binary> BinaryStore::find_compiled(std::string_view compile_key) {
  trouble_.reset();
  if (distrust_ && quick_look_ && quick_look_->is_replaced()) look_anew();
  if (distrust_) return std::nullopt;
  if (quick_look_) {
    auto seen = (*quick_look_)([&](PageFile& file) { return read_compiled(file, compile_key); });
    if (seen && *seen && !is_sound(**seen)) {
      note_damage(**seen);
      return std::nullopt;
    }
    if (seen) return *std::move(seen);
    if (quick_look_->is_replaced()) look_anew();
    if (distrust_) return std::nullopt;
  }
  const sqlite::Connection& database = connection();
  if (distrust_) return std::nullopt;
  std::optional<Row> row;
  {
    sqlite::Statement select(
        database,
        "SELECT binary_id, last_used_unix_ms, hash, architecture, kernel, key_text, resource_log, bytes "
        "FROM build JOIN binary USING (binary_id) WHERE key_hash = ?1 AND key_text = ?2");
    if (select.bind(content_hash(compile_key), compile_key).step()) row = Row::read(select);
  }
  return checked(std::move(row));
}

std::vector<Binary> BinaryStore::find_builds(std::string_view hash) {
  const std::optional<Binary> latest = find(hash);
  if (!latest) return {};
  std::vector<Binary> builds;
  sqlite::Statement select(connection(),
                           "SELECT key_text, resource_log FROM build JOIN binary USING (binary_id) WHERE hash = ?1 "
                           "ORDER BY build_id");
  select.bind(hash);
  while (select.step()) {
    Binary& build = builds.emplace_back(*latest);
    build.compile_key = select.text(0);
    build.resource_log = select.text(1);
  }
  return builds;
}

std::int64_t BinaryStore::size_bytes() const {
  return connection().integer(
      "SELECT (SELECT ifnull(sum(byte_count), 0) FROM binary) + "
      "(SELECT ifnull(sum(byte_count), 0) FROM build)");
}

std::optional<Binary> BinaryStore::checked(std::optional<Row> row) {
  if (!row) return std::nullopt;
  if (!is_sound(row->binary)) {
    note_damage(row->binary);
    forget(*row);
    return std::nullopt;
  }
  mark_used(*row);
  return std::move(row->binary);
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
      "The binary of `{}` in {} is damaged (its bytes do not match its hash) and is not used: the kernel has to be "
      "compiled again. If this happens again, check the disk; the file holds nothing but compiled code and may be "
      "deleted.",
      binary.kernel, options_.path.string());
}

void BinaryStore::forget(const Row& row) {
  if (options_.access == Access::read_only) return;
  connection_->try_now(
      [&] { sqlite::Statement(connection(), "DELETE FROM binary WHERE binary_id = ?1").bind(row.id).run(); });
}

void BinaryStore::mark_used(const Row& row) {
  const std::int64_t now = options_.clock();
  if (now - row.last_used_unix_ms < kUseResolutionMs || options_.access == Access::read_only) return;
  connection_->try_now([&] {
    sqlite::Statement(connection(), "UPDATE binary SET last_used_unix_ms = ?2 WHERE binary_id = ?1")
        .bind(row.id, now)
        .run();
  });
}

}  // namespace tuner::cache
