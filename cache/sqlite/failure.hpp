#pragma once

#include <sqlite3.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "tuner/error.hpp"

namespace tuner::cache::sqlite {

/// An Error that also carries SQLite's extended result code.
class Failure : public Error {
 public:
  Failure(Errc errc, int result, const std::string& sentence) : Error(errc, sentence), result_(result) {}
  bool busy() const noexcept { return (result_ & 0xff) == SQLITE_BUSY; }
  /// A process was killed while it wrote the file, and this connection may not clear that up.
  bool half_written() const noexcept { return result_ == SQLITE_READONLY_ROLLBACK; }
  bool constraint() const noexcept { return (result_ & 0xff) == SQLITE_CONSTRAINT; }

 private:
  int result_;
};

struct Explanation {
  Errc errc;
  std::string sentence;
};
/// What a result of SQLite's that is no success means for the user of the database at `path`, and what to try.
/// `no_locks`: the file system refused to lock.
Explanation explain(int result, const std::filesystem::path& path, std::chrono::milliseconds busy_timeout,
                    bool no_locks);

/// What becomes of the damaged database of this path, for messages.
const char* damage_next_step(const std::filesystem::path& path);

}  // namespace tuner::cache::sqlite
