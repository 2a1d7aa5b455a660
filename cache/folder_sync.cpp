#include "cache/folder_sync.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "tuner/detail/unique_handle.hpp"

namespace tuner::cache {

bool sync_folder(const std::filesystem::path& folder) noexcept {
  const char* const path = folder.empty() ? "." : folder.c_str();
  const UniqueHandle<int, close, -1> opened(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened || fsync(opened.get()) == 0) return true;
  return errno == EINVAL || errno == ENOTSUP || errno == ENOSYS;
}

}  // namespace tuner::cache
