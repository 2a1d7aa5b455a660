#include "cache/file/folder_sync.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "tuner/ground/unique_handle.hpp"

namespace tuner::cache {
namespace {

bool sync_folder_at(int base, const char* path) noexcept {
  const UniqueHandle<int, close, -1> opened(openat(base, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened || fsync(opened.get()) == 0) return true;
  return errno == EINVAL || errno == ENOTSUP || errno == ENOSYS;
}

}  // namespace

bool sync_folder(const std::filesystem::path& folder) noexcept {
  return sync_folder_at(AT_FDCWD, folder.empty() ? "." : folder.c_str());
}

bool sync_folder(const OpenFolder& folder) noexcept {
  return sync_folder_at(folder.descriptor(), ".");
}

}  // namespace tuner::cache
