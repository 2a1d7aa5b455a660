#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cache/file/location.hpp"
#include "cache/records/key.hpp"

namespace tuner::cache {

/// Rows of one kind that nothing needs.
struct PrunedRows {
  std::string kind;  ///< "decisions", "trials", "quarantined", "texts", "served" or "binaries"
  std::int64_t rows = 0;
  std::int64_t bytes = 0;  ///< of what they say, about: what a file loses, PrunedFile knows
};

/// A key that was left as it is, because a session, or another prune, has the lease on it.
struct BusyKey {
  DecisionKey key;
  std::optional<std::string> holder;  ///< what that says of itself
};

struct PrunedFile {
  std::filesystem::path path;
  std::uintmax_t bytes_before = 0;
  std::uintmax_t bytes_after = 0;
  std::string why_not_smaller;  ///< a sentence where the room of deleted rows was not given back; else empty
};

struct Pruned {
  std::vector<PrunedRows> kinds;  ///< all of them, in the order above
  std::vector<BusyKey> left_out;  ///< never in a dry run, which asks nobody
  std::vector<PrunedFile> files;  ///< those that rows were deleted from
  bool nothing() const;
};

/// Deletes what nothing needs; `dry_run`: only says what that is, and writes to no file. What is kept keeps its number,
/// and no number is ever given a second time: the last decision, trial and quarantined binary stay in any case.
///
/// - Decisions that were forgotten or replaced, but for the one that what is known over sizes belongs to.
/// - Trials that were forgotten; those of a version of a source for which no decision is served, once another version
///   of the kernel was tuned later. What an interrupted session of the last version left stays.
/// - What is quarantined and forgotten, or under a driver that was not the last one on that kind of GPU, nor the one
///   under which a decision that is served there was made.
/// - Texts that belong to no decision; rows of served.db without one; binaries that no decision or trial names.
///
/// Other processes may use the files meanwhile. It may be killed at any moment, and goes on when it is called again.
/// Throws Error{store_*}; of a database with damage nothing is deleted.
Pruned prune(const Location& location, bool dry_run);

}  // namespace tuner::cache
