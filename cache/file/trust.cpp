#include "cache/file/trust.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "cache/file/own_library.hpp"

namespace tuner::cache {
namespace {

namespace fs = std::filesystem;

// Inside a container every user that the container does not know appears as this one, so it says nothing about who it
// is.
constexpr uid_t kNobody = 65534;

enum class Place { file, its_folder, folder_above };

std::optional<std::string> distrust_one(const fs::path& path, const struct stat& status, Place place,
                                        const std::vector<uid_t>& owners) {
  if (S_ISLNK(status.st_mode)) return fmt::format("{} is a symbolic link", path.string());
  if (place == Place::file && !S_ISREG(status.st_mode)) return fmt::format("{} is not a file", path.string());
  if (std::find(owners.begin(), owners.end(), status.st_uid) == owners.end()) {
    if (status.st_uid == kNobody)
      return fmt::format("{} belongs to user {}, who may be any user unknown on this system", path.string(), kNobody);
    return fmt::format("{} belongs to user {}, who is not this user, root or the owner of this program", path.string(),
                       status.st_uid);
  }
  const bool sticky = place == Place::folder_above && (status.st_mode & S_ISVTX) != 0;
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0 && !sticky) {
    // Nobody should take that permission from /tmp.
    if (place == Place::its_folder && (status.st_mode & S_ISVTX) != 0)
      return fmt::format("{} is a folder that other users can write to: name a folder of your own", path.string());
    return fmt::format("{} is writable by its group or by everyone (`chmod go-w {}` changes that)", path.string(),
                       path.string());
  }
  return std::nullopt;
}

void add_owner_of(const char* file, std::vector<uid_t>& owners) {
  struct stat status {};
  if (stat(file, &status) == 0 && status.st_uid != kNobody) owners.push_back(status.st_uid);
}

std::optional<std::string> examine(const OpenFolder& folder, const fs::path& file, const struct stat& status,
                                   const std::vector<uid_t>& owners) {
  if (auto reason = distrust_one(file, status, Place::file, owners)) return reason;
  const std::vector<OpenFolder::Level>& levels = folder.levels();
  for (std::size_t i = levels.size(); i-- > 0;) {
    const Place place = i + 1 == levels.size() ? Place::its_folder : Place::folder_above;
    if (auto reason = distrust_one(levels[i].path, levels[i].status, place, owners)) return reason;
  }
  // A name would have to be looked up again.
  if (!folder.is_bound()) return fmt::format("{} cannot be opened safely without /proc", file.string());
  return std::nullopt;
}

std::string cannot_be_examined(const fs::path& file) {
  return fmt::format("{} cannot be examined: {}", file.string(), std::strerror(errno));
}

}  // namespace

std::optional<std::string> reason_to_distrust(const OpenFolder& folder, const std::string& file,
                                              const std::vector<uid_t>& owners) {
  const fs::path path = folder.path() / file;
  const auto status = folder.look_at(file);
  return status ? examine(folder, path, *status, owners) : cannot_be_examined(path);
}

std::optional<std::string> reason_to_distrust(const fs::path& file, const std::vector<uid_t>& owners) {
  try {
    return reason_to_distrust(OpenFolder::of(file), file.filename(), owners);
  } catch (const std::system_error& error) {
    return fmt::format("the folder of {} cannot be examined: {}", file.string(), error.code().message());
  }
}

std::vector<uid_t> trusted_owners() {
  std::vector<uid_t> owners{geteuid(), 0};
  add_owner_of("/proc/self/exe", owners);
  // A relative name says nothing once the program has changed its folder.
  if (const std::string library = own_library(); library.starts_with('/')) add_owner_of(library.c_str(), owners);
  return owners;
}

}  // namespace tuner::cache
