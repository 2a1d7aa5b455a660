#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cache/records/wanted.hpp"

namespace tuner::cache {

namespace sqlite {
class Connection;
}

/// The list holds at most so many entries, and so many bytes of sources. Where there are more, the entries that were
/// launched least go and, of those, the ones that were asked for longest ago; for their bytes all entries of the source
/// whose launches are fewest.
inline constexpr std::int64_t kMostWanted = 4096;
inline constexpr std::int64_t kMostWantedBytes = 32 << 20;

/// The hash by which Wanted::source names this.
Hash hash_of(const WantedSource& source);

/// The list of what programs missed, in the file beside a database of decisions (wanted_beside). Whoever deletes that
/// file loses the list and nothing else. Each method opens the file, and does all or nothing; several processes may use
/// it at the same moment. Methods throw Error{store_*} with one sentence; what a file says that cannot be is
/// store_damaged. An instance holds no file and may be used from several threads.
class WantedStore {
 public:
  /// `patience`: how long a call waits for other processes, up to three times where it writes.
  explicit WantedStore(const std::filesystem::path& decisions,
                       std::chrono::milliseconds patience = std::chrono::seconds(5));
  const std::filesystem::path& path() const { return path_; }

  /// Adds `requested` and `launched` to what is there of the same key, and takes the rest in its place; `trouble` stays
  /// as long as the source does. `source_of` is called for sources that the file does not have yet. Creates the file.
  /// In a program with the rights of another user it does nothing. Throws Error{store_unavailable} where others could
  /// change it: see reason_to_distrust.
  void record(std::span<const Wanted> some, const std::function<WantedSource(const Wanted&)>& source_of) const;

  /// All entries, the ones launched most first; empty where there is no file.
  std::vector<Wanted> list() const;
  /// Nothing if it was not kept, or has gone. It is data from anyone: see reason_to_distrust before it is compiled.
  std::optional<WantedSource> find_source(const Wanted& wanted) const;

  // These return how many entries they found, and create no file.
  std::size_t forget(const DecisionKey& key) const;
  /// All of a kernel; all of all kernels if it is empty.
  std::size_t forget_kernel(const std::string& name) const;
  std::size_t note_trouble(const DecisionKey& key, const std::string& sentence) const;

 private:
  enum class Use { read, write, create };
  template <class Work>
  auto with_file(Use use, const Work& work) const;
  void require_trusted(const std::optional<std::string>& reason) const;

  std::filesystem::path path_;
  std::chrono::milliseconds patience_;
};

}  // namespace tuner::cache
