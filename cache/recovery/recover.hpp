#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tuner::cache {

/// What came back of one table.
struct RecoveredTable {
  std::string name;
  std::int64_t rows = 0;
  /// At least so many are lost: rows are numbered without gaps, and refused ones have been seen. How many there were
  /// behind the last number that can be read is not known.
  std::int64_t lost = 0;
  std::int64_t refused = 0;  ///< of those: read, but not such that a database may hold them
  std::string why_refused;   ///< the first of them
};

struct Recovered {
  std::vector<RecoveredTable> tables;
  std::vector<std::string> warnings;
  bool nothing() const;
  bool all() const;  ///< as far as is known
};

/// Reads what can be read of a damaged database of decisions, page by page, whatever its header and schema say, and
/// writes it to a new database of the present format. Rows keep their numbers. What was forgotten stays forgotten as
/// far as the rows that say so came back; where they are lost, what was forgotten and configurations that were
/// quarantined may count again. What a journal beside `from` says was not finished is undone first, unless it is a link
/// or names a super-journal. `from` is only read. Writes nothing if no row was found. `to` appears when it is complete,
/// for this user alone. Throws Error: bad_usage if `to` is there or is no name of a database, or if `from` is a
/// database of binaries; file_not_found; store_unavailable for either file, and if `from` has more than 1 GiB or there
/// is not enough memory: it is kept twice, with the rows that were found.
Recovered recover(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace tuner::cache
