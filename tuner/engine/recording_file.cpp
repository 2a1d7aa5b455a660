#include "tuner/engine/recording_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <memory>
#include <string_view>

#include "tuner/detail/unique_handle.hpp"

namespace tuner::engine {

namespace {

namespace fs = std::filesystem;

using Descriptor = UniqueHandle<int, close, -1>;
using GzFile = std::unique_ptr<gzFile_s, int (*)(gzFile)>;

/// Whether the open file begins as every recording does, packed or not.
bool begins_as_recording(Descriptor descriptor) {
  const GzFile file(gzdopen(descriptor.get(), "rb"), gzclose);
  if (!file) return false;
  descriptor.release();  // closed with the file
  char head[16];
  const int count = gzread(file.get(), head, sizeof head);
  std::string_view text(head, count > 0 ? static_cast<std::size_t>(count) : 0);
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  return text.starts_with("#space ");
}

[[noreturn]] void left_as_it_is(const fs::path& file, std::string_view what) {
  throw Error(Errc::bad_usage,
              fmt::format("{} {} and was left as it is: choose another name for --record.", file.string(), what));
}

/// Does nothing if there is nothing.
void require_replaceable(const fs::path& file, Replace replace) {
  struct stat status {};
  if (lstat(file.c_str(), &status) != 0) return;
  if (S_ISLNK(status.st_mode)) left_as_it_is(file, "is a symbolic link");
  if (S_ISDIR(status.st_mode)) left_as_it_is(file, "is a folder");
  if (!S_ISREG(status.st_mode)) left_as_it_is(file, "is a pipe or a device");
  Descriptor descriptor(open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!descriptor) left_as_it_is(file, "cannot be read, so it may be no recording,");
  if (fstat(descriptor.get(), &status) != 0 || !S_ISREG(status.st_mode)) left_as_it_is(file, "is no file");
  if (!begins_as_recording(std::move(descriptor))) left_as_it_is(file, "is there and no recording");
  if (replace == Replace::recordings) return;
  throw Error(Errc::bad_usage,
              fmt::format("{} is a recording already and was left as it is: choose another name for --record, or add "
                          "--force to replace it.",
                          file.string()));
}

const fs::path& replaceable(const fs::path& file, Replace replace) {
  if (!file.has_filename()) left_as_it_is(file, "is a folder");
  require_replaceable(file, replace);
  return file;
}

}  // namespace

RecordingFile::RecordingFile(fs::path file, Replace replace)
    : file_(std::move(file)),
      replace_(replace),
      unfinished_(replaceable(file_, replace), replace == Replace::recordings, cache::FreshFile::Kind::text) {}

void RecordingFile::write(const Recording& recording) {
  const std::string text = recording_text(recording);
  Descriptor own(dup(unfinished_.descriptor()));
  GzFile out(gzdopen(own.get(), file_.extension() == ".gz" ? "wb9" : "wbT"), gzclose);
  if (out) own.release();  // closed with the file
  const bool written = out && gzwrite(out.get(), text.data(), static_cast<unsigned>(text.size())) ==
                                  static_cast<int>(text.size());
  if (!written || gzclose(out.release()) != Z_OK) {
    throw Error(Errc::bad_usage,
                fmt::format("The recording {} cannot be written; check that its folder has space.", file_.string()));
  }
  try {
    require_replaceable(file_, replace_);
    unfinished_.publish();
  } catch (const Error& error) {
    unfinished_.keep();
    throw Error(error.code(), fmt::format("{} What was recorded is in {}.", error.what(), unfinished_.path().string()));
  }
}

void write_recording(const Recording& recording, const fs::path& file) {
  RecordingFile(file, Replace::recordings).write(recording);
}

}  // namespace tuner::engine
