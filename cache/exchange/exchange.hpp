#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cache/records/binary.hpp"
#include "cache/records/decision.hpp"

namespace tuner::cache {

struct ExportRequest {
  std::filesystem::path from;  ///< a database of decisions
  std::filesystem::path to;    ///< the file to write
  bool overwrite = false;      ///< replace files that are there
  bool with_trials = true;
  /// Also write what programs start from to served.db beside `to`. It is code: taken only from where it is trusted.
  bool with_served = false;
  struct Binaries {
    std::filesystem::path from, to;
  };
  /// Also write the binaries of winners and baselines, with everything they were built from, from one such file to
  /// another.
  std::optional<Binaries> binaries = {};
  std::function<bool(const DecisionKey&)> wanted = {};  ///< which keys; all if empty
  /// Changes what is written of a decision. One that gets another configuration has no row in served.db.
  std::function<void(Decision&)> edit = {};
};

struct ExportedKey {
  DecisionKey key;
  std::int64_t decisions = 0;  ///< 0 or 1
  std::int64_t trials = 0;
};

struct ExportedBinaries {
  std::int64_t written = 0;
  std::int64_t missing = 0;  ///< they are not stored here any more
};

struct Exported {
  std::vector<ExportedKey> keys;
  std::optional<ExportedBinaries> binaries;  ///< if they were asked for
};

/// Writes what counts (served decisions with the texts that belong to them, trials that were not forgotten; nothing
/// that was replayed, nothing that is quarantined) to a fresh database, which appears under its name when it is
/// complete and may be read by everybody. Writes nothing if there is nothing to write. However this ends, killed or by
/// an error, the decisions that are at `to` then, an earlier export's or the new ones, have their binaries beside them,
/// and so have those of other databases in its folder.
/// Throws Error: bad_usage if one of the files is there and may not be replaced, is in use, or is `from`; store_*;
/// store_unavailable if a file of binaries is not trusted with code.
Exported export_decisions(const ExportRequest& request);

/// Writes these builds to a fresh file in the same way. Throws likewise.
void write_binaries(const std::filesystem::path& to, std::span<const Binary> builds, bool overwrite);

struct ImportedKey {
  DecisionKey key;
  enum class Decision {
    none,   ///< the file has none
    kept,   ///< is served now
    older,  ///< the database has, or had before it was forgotten, one that is as new or newer
  };
  Decision decision = Decision::none;
  std::int64_t trials_kept = 0;
  std::int64_t trials_known = 0;  ///< the database had them
};

/// Takes the decisions, with their texts, and trials of another database in, as imported, with their dates, sessions
/// and conditions. All of it happens or, if this throws, nothing; `from` is only read. What is in the database already
/// is not added again, and what is replayed, forgotten or quarantined in `from` stays there. A decision that is in the
/// database already gets the texts that it lacks, unless it was forgotten; sources and headers only if it was imported.
/// Throws Error: bad_usage if the two are one file; store_newer, store_damaged or store_unavailable for either file.
std::vector<ImportedKey> import_decisions(const std::filesystem::path& database, const std::filesystem::path& from);

/// Reads all of a file that is to be imported. Throws what import_decisions would throw for it.
void require_importable(const std::filesystem::path& database, const std::filesystem::path& from);

}  // namespace tuner::cache
