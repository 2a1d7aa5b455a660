#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cache/file/access.hpp"
#include "cache/records/binary.hpp"

namespace tuner::cache {

namespace sqlite {
class Connection;
}

/// How long a binary is kept. Persisted as numbers: never renumber.
enum class Keep : int {
  while_room = 0,  ///< until the file is full and others were used more recently
  pinned = 1,      ///< winners and baselines: deleted only when nothing but pinned binaries is left to delete
};

struct BinaryToKeep {
  Binary binary;
  Keep keep = Keep::while_room;
};

struct BinaryStoreOptions {
  std::filesystem::path path;
  Access access = Access::read_write;
  /// How long a call waits for other processes; a writer up to three times as long.
  std::chrono::milliseconds busy_timeout{5000};
  /// Limit on the sum of all binaries with their logs and keys. The file is a little larger, and space that was freed
  /// in it is used again. Raise it to compile less after switching between many kernels.
  std::int64_t limit_bytes = std::int64_t{256} << 20;
  /// Milliseconds since 1970 for the order of use; the system's clock when empty.
  std::function<std::int64_t()> clock = {};
};

/// Compiled binaries in an SQLite file of their own, which may be deleted at any time. A binary is code: from a file
/// that other users could have changed (reason_to_distrust) nothing is ever returned. One instance, one thread; several
/// processes may use one file.
class BinaryStore {
 public:
  /// Throws Error{store_*} like SqliteStore::open. An untrusted file is opened all the same: see `distrust`.
  static std::unique_ptr<BinaryStore> open(const BinaryStoreOptions& options);
  ~BinaryStore();

  /// Keeps the binary, makes room for it, and pins it if `keep` says so (what is pinned stays pinned). False if it is
  /// not kept: it alone is beyond the limit, or the file is not trusted. Throws Error{store_*}.
  bool put(const Binary& binary, Keep keep = Keep::while_room);
  /// Each of them like that, in one transaction, which costs little more than one of them. Throws Error{store_*}, and
  /// keeps none then.
  void put_all(std::span<const BinaryToKeep> binaries);

  /// The binary with this content hash; `compile_key` and `resource_log` are those of its latest build. What does not
  /// match its hash any more is not found (see `trouble`), and deleted unless the store is read only. Throws
  /// Error{store_*}.
  std::optional<Binary> find(const Hash& hash);
  /// The binary that was compiled for exactly this key; what does not match the checksum of its build is not found, as
  /// above. `expected_hash` is the hash of the binary that was measured, if that is known: a file of format 1, which
  /// has no such sums and may not be written, is searched for that one only. Throws Error{store_*}.
  std::optional<Binary> find_compiled(std::string_view compile_key, const Hash& expected_hash = {});

  /// The binary with this content hash as often as something was compiled to it, each time with another `compile_key`.
  /// Throws Error{store_*}.
  std::vector<Binary> find_builds(const Hash& hash);

  /// The content hashes of all binaries there. Throws Error{store_*}.
  std::vector<Hash> list();

  /// Why nothing is ever found here, as a sentence; nothing if all is well.
  const std::optional<std::string>& distrust() const noexcept { return distrust_; }
  /// Reads the whole file and looks for damage: nothing, or what was found first. Throws Error{store_*}.
  std::optional<std::string> damage() const;
  /// What is wrong with the binary that the latest find, find_compiled or find_builds did not return, as a sentence;
  /// nothing if it was returned or is not here.
  const std::optional<std::string>& trouble() const noexcept { return trouble_; }
  /// What the limit applies to.
  std::int64_t size_bytes() const;

 private:
  explicit BinaryStore(const BinaryStoreOptions& options);
  const sqlite::Connection& connection() const;
  struct Row;
  bool is_kept(const Binary& binary) const;
  void write(const Binary& binary, Keep keep);
  std::optional<Row> find_row(std::string_view compile_key);
  void make_room(std::int64_t keep_binary_id);
  void mark_used(const Row& row);
  template <class Work>
  void read(const Work& work);
  std::nullopt_t give_up(const Row& row);
  void close_if_outdated();
  void note_damage(const Binary& binary);

  BinaryStoreOptions options_;
  mutable std::unique_ptr<sqlite::Connection> connection_;  ///< null while there is none
  mutable std::optional<std::string> distrust_;             ///< of the file that is open, found out on opening it
  std::optional<std::string> trouble_;
};

}  // namespace tuner::cache
