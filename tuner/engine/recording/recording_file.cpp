#include "tuner/engine/recording/recording_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <string_view>

#include "tuner/engine/recording/recording_beginning.hpp"
#include "tuner/engine/recording/text_lines.hpp"
#include "tuner/ground/unique_handle.hpp"

namespace tuner::engine {

namespace {

namespace fs = std::filesystem;

using Descriptor = UniqueHandle<int, close, -1>;

[[noreturn]] void left_as_it_is(const fs::path& file, std::string_view what) {
  throw Error(Errc::bad_usage,
              fmt::format("{} {} and was not changed: choose another name for --record.", file.string(), what));
}

/// Whether there is something, which may be replaced.
bool is_replaced(const fs::path& file, Replace replace) {
  if (!file.has_filename()) left_as_it_is(file, "is a folder");
  struct stat status {};
  if (lstat(file.c_str(), &status) != 0) return false;
  if (S_ISLNK(status.st_mode)) left_as_it_is(file, "is a symbolic link");
  if (S_ISDIR(status.st_mode)) left_as_it_is(file, "is a folder");
  if (!S_ISREG(status.st_mode)) left_as_it_is(file, "is a pipe or a device");
  Descriptor descriptor(open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!descriptor) left_as_it_is(file, "cannot be read, so it may not be a recording,");
  if (fstat(descriptor.get(), &status) != 0 || !S_ISREG(status.st_mode)) left_as_it_is(file, "is not a file");
  if (!begins_as_recording(std::move(descriptor))) left_as_it_is(file, "exists, but is not a recording,");
  if (replace == Replace::recordings) return true;
  throw Error(Errc::bad_usage, fmt::format("{} is already a recording and was not changed: choose another name for "
                                           "--record, or add --force to replace it.",
                                           file.string()));
}

}  // namespace

RecordingFile::RecordingFile(fs::path file, Replace replace)
    : file_(std::move(file)),
      replaces_(is_replaced(file_, replace)),
      unfinished_(file_, replaces_, cache::FreshFile::Kind::text) {}

void RecordingFile::write(const Recording& recording) {
  const std::string text = recording_text(recording);
  Descriptor own(dup(unfinished_.descriptor()));
  GzFile out(gzdopen(own.get(), file_.extension() == ".gz" ? "wb9" : "wbT"), gzclose);
  if (out) own.release();  // closed with the file
  const bool written =
      out && gzwrite(out.get(), text.data(), static_cast<unsigned>(text.size())) == static_cast<int>(text.size());
  if (!written || gzclose(out.release()) != Z_OK) {
    throw Error(Errc::bad_usage,
                fmt::format("The recording {} cannot be written; check that its folder has space.", file_.string()));
  }
  try {
    if (replaces_) is_replaced(file_, Replace::recordings);
    unfinished_.publish();
  } catch (const Error& error) {
    unfinished_.leave();
    throw Error(error.code(), fmt::format("{} What was recorded is in {}.", error.what(), unfinished_.path().string()));
  }
}

void write_recording(const Recording& recording, const fs::path& file) {
  RecordingFile(file, Replace::recordings).write(recording);
}

}  // namespace tuner::engine
