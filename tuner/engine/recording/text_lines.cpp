#include "tuner/engine/recording/text_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

#include "tuner/core/description/code_text.hpp"
#include "tuner/core/description/kernel_text.hpp"
#include "tuner/error.hpp"

namespace tuner::engine {

namespace {

/// More text than any recording has: what does not end is no recording.
constexpr std::size_t kMostText = std::size_t{1} << 30;
/// What is packed may unpack to that much, and beyond it to so many times its size. Samples are digits that hardly
/// repeat: recordings shrink to a tenth, and what is all failures to a hundredth.
constexpr std::size_t kUnpackedFreely = std::size_t{32} << 20;
constexpr std::size_t kMostUnpacked = 200;
/// A row with thousands of samples has a tenth of that.
constexpr std::size_t kMostLine = std::size_t{4} << 20;

}  // namespace

TextLines::TextLines(const std::filesystem::path& path) : path_(path), file_(nullptr, gzclose) {
  OpenText opened = open_text_file(path, "recording", "a recording");
  is_written_ = opened.is_written;
  file_.reset(gzdopen(opened.descriptor.get(), "rb"));
  if (!file_) throw std::bad_alloc();
  opened.descriptor.release();  // closed with the file
}

TextLines::TextLines(std::filesystem::path path, GzFile file) : path_(std::move(path)), file_(std::move(file)) {}

char TextLines::first() {
  if (at_ == used_ && !fill()) return 0;
  const std::string_view begun(buffer_.data() + at_, used_ - at_);
  const std::size_t found = begun.find_first_not_of(" \t\r\n");
  return found == std::string_view::npos ? '\0' : begun[found];
}

bool TextLines::next(std::string_view& line) {
  line_.clear();
  while (true) {
    if (at_ == used_ && !fill()) break;
    const std::string_view rest(buffer_.data() + at_, used_ - at_);
    const std::size_t end = rest.find('\n');
    line_ += rest.substr(0, end);
    if (line_.size() > kMostLine) {
      throw Error(Errc::bad_recording, fmt::format("{} has a line of more than {} MiB, so it is not a recording.",
                                                   path_.string(), kMostLine >> 20U));
    }
    at_ += std::min(end, rest.size());
    if (end == std::string_view::npos) continue;
    ++at_;
    line = line_;
    return true;
  }
  line = line_;
  return !line_.empty();
}

std::string TextLines::rest(std::size_t most) {
  std::string text;
  while (at_ < used_ || fill()) {
    text.append(buffer_.data() + at_, used_ - at_);
    at_ = used_;
    if (text.size() <= most) continue;
    throw Error(Errc::bad_recording,
                fmt::format("{} has more than {} MiB of text, more than is read of another tuner's results; take fewer "
                            "configurations.",
                            path_.string(), most >> 20U));
  }
  return text;
}

bool TextLines::fill() {
  const int count = gzread(file_.get(), buffer_.data(), static_cast<unsigned>(buffer_.size()));
  int code = Z_OK;
  gzerror(file_.get(), &code);
  if (count < 0 || (count == 0 && code != Z_OK && code != Z_STREAM_END)) {
    throw Error(Errc::bad_recording,
                fmt::format("The recording {} cannot be unpacked: the file is damaged or truncated.", path_.string()));
  }
  at_ = 0;
  used_ = static_cast<std::size_t>(count);
  if (all_ == 0) at_ = mark_length(std::string_view(buffer_.data(), used_));
  if (all_ == 0 && (std::string_view(buffer_.data(), used_).starts_with("\xFF\xFE") ||
                    std::string_view(buffer_.data(), used_).starts_with("\xFE\xFF"))) {
    throw Error(Errc::bad_recording, fmt::format("{} is UTF-16: save it as UTF-8.", path_.string()));
  }
  if (all_ == 0 && used_ == 0 && !is_written_) nobody_wrote_to(path_, "recording");
  all_ += used_;
  if (all_ > kMostText)
    throw Error(Errc::bad_recording,
                fmt::format("{} is larger than a gigabyte, so it is not a recording.", path_.string()));
  const z_off_t packed = gzoffset(file_.get());  // -1: a pipe, which does not say
  if (packed > 0 && all_ > kUnpackedFreely && all_ / static_cast<std::size_t>(packed) > kMostUnpacked) {
    throw Error(Errc::bad_recording, fmt::format("{} unpacks to more than {} times its size, so it is not a recording.",
                                                 path_.string(), kMostUnpacked));
  }
  return used_ > 0;
}

}  // namespace tuner::engine
