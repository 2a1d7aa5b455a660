#include "tuner/cli/pack/pack_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
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

fs::path without_slash(const fs::path& folder) {
  return folder.has_filename() ? folder : folder.parent_path();
}

/// Without a slash at the end. Links on the way to it are followed; what has the name of the pack is no link, as that
/// of no other file that is written.
fs::path place_of(const fs::path& target) {
  std::error_code error;
  const fs::path named = without_slash(fs::absolute(target));
  if (fs::is_symlink(fs::symlink_status(named, error)))
    throw Error(
        Errc::bad_usage,
        fmt::format("{} is a symbolic link and was not changed: name the folder that it leads to.", named.string()));
  const fs::path place = fs::weakly_canonical(named, error);
  if (error) cannot("reached", target, error.value());
  return without_slash(place);
}

struct FolderContents {
  bool is_empty = true;
  bool is_pack = false;  ///< and holds nothing else
};

FolderContents contents_of(const fs::path& folder) {
  std::error_code error;
  FolderContents contents{.is_pack = fs::is_regular_file(fs::symlink_status(folder / kContents, error))};
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    contents.is_empty = false;
    const std::string name = at->path().filename();
    const bool is_ours = std::find(kFilesOfPack.begin(), kFilesOfPack.end(), name) != kFilesOfPack.end();
    contents.is_pack = contents.is_pack && is_ours && at->is_regular_file() && !at->is_symlink();
  }
  if (error) cannot("read", folder, error.value());
  return contents;
}

void remove_pack(const fs::path& folder) {
  std::error_code ignored;
  for (const std::string_view name : kFilesOfPack) fs::remove(folder / name, ignored);
  fs::remove(folder, ignored);
}

/// Where the earlier pack stands between two renames, on a file system that cannot exchange two names.
fs::path earlier_of(const fs::path& place) {
  return place.parent_path() / fmt::format(".{}.earlier", place.filename().string());
}

/// What a process did not end that was killed between two renames, or after them.
void end_replacing(const fs::path& place) {
  const fs::path earlier = earlier_of(place);
  std::error_code error;
  if (!fs::is_directory(fs::symlink_status(earlier, error))) return;
  const FolderContents contents = contents_of(earlier);
  if (!contents.is_empty && !contents.is_pack) return;
  const bool is_replaced = fs::symlink_status(place, error).type() != fs::file_type::not_found;
  if (contents.is_empty || is_replaced) return remove_pack(earlier);
  if (rename(earlier.c_str(), place.c_str()) != 0) cannot("restored", place, errno);
}

/// The place of a pack, where nothing is in its way.
fs::path free_place(const fs::path& target, bool overwrite) {
  const fs::path place = place_of(target);
  end_replacing(place);
  std::error_code error;
  const fs::file_status status = fs::symlink_status(place, error);
  if (status.type() == fs::file_type::not_found) return place;
  if (!fs::is_directory(status))
    throw Error(Errc::bad_usage, fmt::format("{} is not a folder: name one for the pack.", place.string()));
  const FolderContents contents = contents_of(place);
  if (contents.is_empty || (contents.is_pack && overwrite)) return place;
  throw Error(Errc::bad_usage,
              contents.is_pack
                  ? fmt::format("{} holds a pack: replace it with --force, or name another folder.", place.string())
                  : fmt::format("{} holds files that are not those of a pack, and nothing was changed there: name "
                                "an empty folder, or one that does not exist yet.",
                                place.string()));
}

constexpr std::string_view kRandomPart = "XXXXXX";

/// How the names of folders begin that become `place`, or were it.
std::string beginning_of_parts(const fs::path& place) {
  return fmt::format(".{}.part-", place.filename().string());
}

UniqueFd locked(const fs::path& folder) {
  UniqueFd opened(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (opened && flock(opened.get(), LOCK_EX | LOCK_NB) != 0) opened.reset();
  return opened;
}

/// With what SQLite and FreshFile made there, and only if nothing else is.
void remove_part_of_pack(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> files;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename();
    const auto is_of = [&](std::string_view file) { return name.starts_with(file); };
    if (!at->is_regular_file() || std::none_of(kFilesOfPack.begin(), kFilesOfPack.end(), is_of)) return;
    files.push_back(at->path());
  }
  for (const fs::path& file : files) fs::remove(file, error);
  fs::remove(folder, error);
}

/// Folders beside `place` whose makers were killed: those that live hold a lock.
void remove_abandoned_parts(const fs::path& place) {
  const std::string beginning = beginning_of_parts(place);
  std::error_code error;
  for (fs::directory_iterator at(place.parent_path(), error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename();
    if (!name.starts_with(beginning) || name.size() != beginning.size() + kRandomPart.size()) continue;
    if (const UniqueFd lock = locked(at->path())) remove_part_of_pack(at->path());
  }
}

/// A folder beside `place` that nobody could have prepared.
fs::path make_beside(const fs::path& place) {
  std::string name = place.parent_path() / fmt::format("{}{}", beginning_of_parts(place), kRandomPart);
  if (mkdtemp(name.data()) == nullptr) cannot("made", place, errno);
  return name;
}

/// The same with its lock. Another process may have removed the folder before it was locked.
fs::path make_beside(const fs::path& place, UniqueFd& lock) {
  for (int attempt = 0; attempt < 3; ++attempt) {
    const fs::path folder = make_beside(place);
    std::error_code ignored;
    lock = locked(folder);
    if (lock && fs::exists(folder, ignored)) return folder;
    fs::remove(folder, ignored);
  }
  return make_beside(place);  // on a file system without locks nobody removes it
}

}  // namespace

PackFolder::PackFolder(const fs::path& target, bool overwrite) : target_(free_place(target, overwrite)) {}

PackFolder::~PackFolder() {
  if (!part_.empty()) remove_pack(part_);
}

const fs::path& PackFolder::path() {
  if (!part_.empty()) return part_;
  parents_.emplace(target_.parent_path());
  remove_abandoned_parts(target_);
  return part_ = make_beside(target_, lock_);
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
  take_place();
  parents_->keep();
  cache::sync_folder(target_.parent_path());
  remove_pack(part_);
  part_.clear();
}

/// Afterwards the earlier pack, if there was one, has the name of the part.
void PackFolder::take_place() {
  std::error_code error;
  const bool has_earlier = fs::exists(target_ / kContents, error);
  if (has_earlier && renameat2(AT_FDCWD, part_.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) == 0) return;
  const fs::path earlier = earlier_of(target_);
  if (has_earlier && rename(target_.c_str(), earlier.c_str()) != 0) cannot("replaced", target_, errno);
  if (rename(part_.c_str(), target_.c_str()) != 0) {
    const int why = errno;
    if (has_earlier) rename(earlier.c_str(), target_.c_str());
    cannot("published", target_, why);
  }
  if (has_earlier) part_ = earlier;
}

}  // namespace tuner::cli
