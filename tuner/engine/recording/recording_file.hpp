#pragma once

#include <filesystem>

#include "cache/file/fresh_file.hpp"
#include "tuner/engine/recording/recording.hpp"

namespace tuner::engine {

/// What a new recording may take the place of.
enum class Replace { nothing, recordings };

/// Where a recording will be written: found out before there is one, since measuring it takes long.
class RecordingFile {
 public:
  /// Creates an unfinished file beside `file`, gone if `write` is never reached. Throws Error{bad_usage} if something
  /// is there that may not be replaced (only a regular file that begins as a recording ever is), or nothing can be
  /// written there.
  RecordingFile(std::filesystem::path file, Replace replace);

  const std::filesystem::path& path() const { return file_; }
  /// Writes it and gives it its name; once. Gzipped if the name ends in .gz. Throws Error{bad_usage}; what was written
  /// is kept beside `file` if only its name cannot be given, and the sentence says where.
  void write(const Recording& recording);

 private:
  std::filesystem::path file_;
  bool replaces_;  ///< something that may be replaced; what appears meanwhile is not
  cache::FreshFile unfinished_;
};

}  // namespace tuner::engine
