#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cache/records/served.hpp"
#include "cache/store/store.hpp"

// The file beside a database of decisions from which programs start (served_beside). It is derived: whoever deletes it
// loses nothing. A row never outlives its decision: whatever changes what is served deletes rows first, and rows are
// written under the lock of those who change it. A crash in between leaves too few of them.

namespace tuner::cache {

namespace sqlite {
class Connection;
}

/// Reads that file. It is opened when it is first asked, and again when another one has its name. Rows are code: none
/// is found in a file that other users could have changed (reason_to_distrust), and none that was written for decisions
/// in another file. What is missing, locked for too long or cannot be read has no rows. One instance, one thread.
class ServedStore {
 public:
  ServedStore(std::filesystem::path decisions, std::chrono::milliseconds patience);
  ~ServedStore();

  /// Served::outline of any row of this source. Throws Error{store_damaged}, as the others do.
  std::optional<std::string> find_outline(const std::string& source);
  /// The winner for this source in this place.
  std::optional<Served> find(const std::string& source, const std::string& place);
  /// All of a decision.
  std::vector<Served> find_all(const std::string& decision);

 private:
  bool open();
  bool is_of_this_file(const std::string& file) const;
  template <class Work>
  void read(const Work& work);

  std::filesystem::path decisions_;
  std::chrono::milliseconds patience_;
  std::unique_ptr<sqlite::Connection> opened_;  ///< null while there is none
};

/// Writes a row for the decisions there, unless another decision of its task is served by now. What is there is made
/// anew if it is of no use. Throws Error{store_*} if that cannot be done, or not without waiting for longer.
void record_served(const std::filesystem::path& decisions, const Served& served, std::chrono::milliseconds patience);

/// Deletes the rows of these tasks. Within the transaction that changes what is served for them. Throws Error{store_*}
/// if the rows can be neither deleted nor removed with their file: what they say must not be served any more.
void drop_served(const sqlite::Connection& decisions, const std::vector<Filter>& filters);

/// Rows that no decision there serves any more.
struct UnservedRows {
  std::int64_t rows = 0;
  std::int64_t bytes = 0;
};
/// Deletes them; `dry_run`: only counts them. None of a file that cannot be read. Within a transaction on `decisions`.
UnservedRows drop_unserved(const sqlite::Connection& decisions, bool dry_run);

/// Writes rows, of which none names a file of decisions, into a new file.
void export_served(const std::filesystem::path& to, const std::vector<Served>& rows);

}  // namespace tuner::cache
