#pragma once

#include <zlib.h>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tuner::engine {

using GzFile = std::unique_ptr<gzFile_s, int (*)(gzFile)>;

/// The text of a recording, unpacked as it is read, without a byte order mark: no more than a line of it is in memory.
/// A text of more than a gigabyte, or one that unpacks to an absurd multiple of its size, is refused.
class TextLines {
 public:
  /// As open_text_file; throws Error{file_not_found} as it does, too.
  explicit TextLines(const std::filesystem::path& path);
  /// `path` is for messages.
  TextLines(std::filesystem::path path, GzFile file);

  /// The first byte that is no blank, if it is among those read first, else 0. For before anything else. Throws as
  /// `next` does.
  char first();
  /// The next line without its end; false at the end of the file. Valid until the next call. Throws
  /// Error{bad_recording}: also for a line of more than 4 MiB.
  bool next(std::string_view& line);
  /// Everything that is left, of which there may be `most` bytes. Throws Error{bad_recording}.
  std::string rest(std::size_t most);

 private:
  bool fill();

  std::filesystem::path path_;
  GzFile file_;
  bool is_written_ = true;  ///< see OpenText
  std::vector<char> buffer_ = std::vector<char>(65536);
  std::size_t at_ = 0, used_ = 0, all_ = 0;
  std::string line_;
};

}  // namespace tuner::engine
