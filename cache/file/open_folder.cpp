#include "cache/file/open_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace tuner::cache {
namespace {

namespace fs = std::filesystem;
using Descriptor = UniqueHandle<int, close, -1>;

constexpr int kMostLinks = 40;  // as in the kernel

[[noreturn]] void throw_errno(int error) {
  throw std::system_error(error, std::generic_category());
}

// Nothing is opened for reading: descriptors of this kind only name what they were opened for.
Descriptor open_step(int folder, const std::string& name) {
  return Descriptor(openat(folder, name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

/// What the symbolic link of this name says; throws what opening it as a folder failed with if it is none.
std::string read_link(int folder, const std::string& name, int error) {
  const Descriptor link(openat(folder, name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  if (!link) throw_errno(error);
  char target[4096];
  const ssize_t length = readlinkat(link.get(), "", target, sizeof target);
  if (length <= 0 || length == sizeof target) throw_errno(error);
  return {target, static_cast<std::size_t>(length)};
}

/// Takes the first name off a path; "" where there is no further one.
std::string take_name(std::string& path) {
  const std::size_t begin = path.find_first_not_of('/');
  if (begin == std::string::npos) return {};
  const std::size_t end = std::min(path.find('/', begin), path.size());
  std::string name = path.substr(begin, end - begin);
  path.erase(0, end);
  return name;
}

struct stat status_of(int descriptor) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0) throw_errno(errno);
  return status;
}

}  // namespace

OpenFolder OpenFolder::of(const fs::path& file) {
  OpenFolder folder;
  folder.walk(fs::absolute(file).parent_path());
  folder.is_bound_ = folder.is_at(fmt::format("/proc/self/fd/{}", folder.descriptor()));
  return folder;
}

void OpenFolder::walk(const fs::path& folder) {
  std::vector<Descriptor> opened;
  const auto enter = [&](Descriptor step, fs::path path) {
    levels_.push_back({std::move(path), status_of(step.get())});
    opened.push_back(std::move(step));
  };
  enter(Descriptor(open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)), "/");

  // Not as std::filesystem::path takes a path apart: every start of a program walks here.
  std::string rest = folder.native();
  int links = 0;
  for (std::string name = take_name(rest); !name.empty(); name = take_name(rest)) {
    if (name == ".") continue;
    if (name == "..") {
      if (levels_.size() > 1) levels_.pop_back(), opened.pop_back();
      continue;
    }
    if (Descriptor step = open_step(opened.back().get(), name)) {
      enter(std::move(step), path() / name);
      continue;
    }
    if (errno != ENOTDIR && errno != ELOOP) throw_errno(errno);
    const std::string target = read_link(opened.back().get(), name, errno);
    if (++links > kMostLinks) throw_errno(ELOOP);
    if (target.starts_with('/')) levels_.resize(1), opened.resize(1);
    rest = target + '/' + rest;
  }
  descriptor_ = std::move(opened.back());
}

std::string OpenFolder::path_of(const std::string& name) const {
  return is_bound() ? fmt::format("/proc/self/fd/{}/{}", descriptor(), name) : (path() / name).string();
}

std::optional<struct stat> OpenFolder::look_at(const std::string& name) const {
  struct stat status {};
  if (fstatat(descriptor(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
  return status;
}

std::optional<struct stat> OpenFolder::look_at_content(const std::string& name) const {
  auto status = look_at(name);
  if (status && S_ISREG(status->st_mode) && status->st_size == 0) status.reset();
  return status;
}

bool OpenFolder::is_at(const fs::path& path) const {
  struct stat there {};
  const struct stat& status = levels_.back().status;
  return stat(path.c_str(), &there) == 0 && there.st_dev == status.st_dev && there.st_ino == status.st_ino;
}

std::vector<std::byte> read_beginning(int descriptor, std::size_t size) {
  std::vector<std::byte> bytes(size);
  std::size_t done = 0;
  errno = 0;
  while (done < size) {
    const ssize_t count = pread(descriptor, bytes.data() + done, size - done, static_cast<off_t>(done));
    if (count < 0 && errno == EINTR) {
      errno = 0;
      continue;
    }
    if (count <= 0) break;
    done += static_cast<std::size_t>(count);
  }
  bytes.resize(done);
  return bytes;
}

}  // namespace tuner::cache
