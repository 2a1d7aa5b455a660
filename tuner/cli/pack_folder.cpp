#include "tuner/cli/pack_folder.hpp"

#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "cache/file/folder_sync.hpp"
#include "cache/file/fresh_file.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {

namespace {

namespace fs = std::filesystem;

constexpr const char* kContents = "pack.json";
constexpr std::array<std::string_view, 4> kFilesOfPack{"decisions.db", "binaries.db", "served.db", kContents};

[[noreturn]] void cannot(const char* what, const fs::path& folder, int error) {
  throw Error(Errc::store_unavailable,
              fmt::format("The folder {} cannot be {}: {}.", folder.string(), what, std::strerror(error)));
}

/// Where a link leads to, as the files of a pack are replaced, not the link. Without a slash at the end.
fs::path place_of(const fs::path& target) {
  std::error_code error;
  fs::path place = fs::weakly_canonical(fs::absolute(target), error);
  if (error) cannot("reached", target, error.value());
  return place.has_filename() ? place : place.parent_path();
}

/// The place of a pack, where nothing is in its way.
fs::path free_place(const fs::path& target, bool overwrite) {
  const fs::path place = place_of(target);
  std::error_code error;
  const fs::file_status status = fs::symlink_status(place, error);
  if (status.type() == fs::file_type::not_found) return place;
  if (!fs::is_directory(status))
    throw Error(Errc::bad_usage, fmt::format("{} is not a folder: name one for the pack.", place.string()));
  bool is_pack = fs::is_regular_file(fs::symlink_status(place / kContents, error));
  bool is_empty = true;
  for (fs::directory_iterator at(place, error), end; !error && at != end; at.increment(error)) {
    is_empty = false;
    const std::string name = at->path().filename();
    const bool is_ours = std::find(kFilesOfPack.begin(), kFilesOfPack.end(), name) != kFilesOfPack.end();
    is_pack = is_pack && is_ours && at->is_regular_file() && !at->is_symlink();
  }
  if (error) cannot("read", place, error.value());
  if (is_empty || (is_pack && overwrite)) return place;
  throw Error(Errc::bad_usage,
              is_pack ? fmt::format("{} holds a pack: replace it with --force, or name another folder.", place.string())
                      : fmt::format("{} holds files that are not those of a pack, and nothing was changed there: name "
                                    "an empty folder, or one that does not exist yet.",
                                    place.string()));
}

void remove_pack(const fs::path& folder) {
  std::error_code ignored;
  for (const std::string_view name : kFilesOfPack) fs::remove(folder / name, ignored);
  fs::remove(folder, ignored);
}

/// A folder beside `place` that nobody could have prepared.
fs::path make_beside(const fs::path& place) {
  std::string name = place.parent_path() / fmt::format(".{}.XXXXXX", place.filename().string());
  if (mkdtemp(name.data()) == nullptr) cannot("made", place, errno);
  return name;
}

}  // namespace

PackFolder::PackFolder(const fs::path& target, bool overwrite) : target_(free_place(target, overwrite)) {}

PackFolder::~PackFolder() {
  if (!part_.empty()) remove_pack(part_);
}

const fs::path& PackFolder::path() {
  if (!part_.empty()) return part_;
  parents_.emplace(target_.parent_path());
  return part_ = make_beside(target_);
}

void PackFolder::publish(const std::string& contents) {
  {
    cache::FreshFile file(path() / kContents, false, cache::FreshFile::Kind::text);
    file.append(contents);
    file.publish();
  }
  // Whoever runs the program has to read it.
  if (chmod(part_.c_str(), 0755) != 0 || chmod((part_ / kContents).c_str(), 0644) != 0)
    cannot("published", part_, errno);
  std::error_code error;
  const bool has_earlier = fs::exists(target_ / kContents, error);
  fs::path earlier;
  if (has_earlier) {
    earlier = make_beside(target_);
    if (rename(target_.c_str(), earlier.c_str()) != 0) cannot("replaced", target_, errno);
  }
  if (rename(part_.c_str(), target_.c_str()) != 0) {
    const int why = errno;
    if (has_earlier) rename(earlier.c_str(), target_.c_str());
    cannot("published", target_, why);
  }
  part_.clear();
  parents_->keep();
  cache::sync_folder(target_.parent_path());
  if (has_earlier) remove_pack(earlier);
}

}  // namespace tuner::cli
