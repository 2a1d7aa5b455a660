#include "tuner/sources/recorded/bounded_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "tuner/process/fd.hpp"

namespace tuner::sources {

std::optional<std::string> read_bounded(const std::filesystem::path& file, std::size_t most) {
  const UniqueFd opened(open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  return opened ? read_bounded(opened.get(), most) : std::nullopt;
}

std::optional<std::string> read_bounded(int descriptor, std::size_t most) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0) return std::nullopt;
  if (!S_ISREG(status.st_mode)) {
    errno = EINVAL;
    return std::nullopt;
  }
  constexpr std::size_t kPiece = std::size_t{1} << 16;
  std::string text;
  for (;;) {
    const std::size_t before = text.size();
    text.resize(before + kPiece);
    const ssize_t count = read(descriptor, text.data() + before, kPiece);
    text.resize(before + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return std::nullopt;
    if (count == 0) return text;
    if (text.size() > most) {
      errno = EFBIG;
      return std::nullopt;
    }
  }
}

}  // namespace tuner::sources
