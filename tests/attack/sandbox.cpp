#include "tests/attack/sandbox.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <unordered_map>

namespace tuner::attack {

namespace fs = std::filesystem;

namespace {

bool operator==(const timespec& a, const timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

/// Of a file that was not written to since, so that it is read once.
std::size_t content_of(const std::string& file, const struct stat& status) {
  struct Known {
    ino_t inode = 0;
    off_t size = 0;
    timespec written{}, changed{};
    std::size_t hash = 0;
  };
  static std::unordered_map<std::string, Known> all;
  Known& known = all[file];
  if (known.inode != status.st_ino || known.size != status.st_size || !(known.written == status.st_mtim) ||
      !(known.changed == status.st_ctim)) {
    const std::size_t hash = std::hash<std::string>{}(read_bytes(file));
    known = {status.st_ino, status.st_size, status.st_mtim, status.st_ctim, hash};
  }
  return known.hash;
}

Entry entry_of(const std::string& file, const struct stat& status, Files files) {
  Entry entry{.mode = status.st_mode, .user = status.st_uid, .group = status.st_gid};
  if (S_ISLNK(status.st_mode)) {
    std::error_code error;
    entry.target = fs::read_symlink(file, error).string();
  }
  if (!S_ISREG(status.st_mode)) return entry;
  entry.size = status.st_size;
  entry.content = files == Files::read ? content_of(file, status)
                                       : static_cast<std::size_t>(status.st_mtim.tv_sec) * 1'000'000'000 +
                                             static_cast<std::size_t>(status.st_mtim.tv_nsec);
  return entry;
}

std::string text_of(const Entry& entry) {
  char text[120];
  std::snprintf(text, sizeof text, "mode %o of %u:%u", entry.mode, entry.user, entry.group);
  if (S_ISLNK(entry.mode)) return text + (" -> " + entry.target);
  if (!S_ISREG(entry.mode)) return text;
  return text + (", " + std::to_string(entry.size) + " bytes, content " + std::to_string(entry.content));
}

/// `name` is that of the folder as it stands in the listing, with a slash at its end, or empty.
void add(const std::string& root, const std::string& name, const std::set<std::string>& left_out, Files files,
         Listing& listing) {
  DIR* const folder = opendir((root + name).c_str());
  if (folder == nullptr) return;
  while (const dirent* each = readdir(folder)) {
    if (std::strcmp(each->d_name, ".") == 0 || std::strcmp(each->d_name, "..") == 0) continue;
    const std::string inner = name + each->d_name;
    struct stat status {};
    if (left_out.contains(inner) || fstatat(dirfd(folder), each->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    listing.emplace(inner, entry_of(root + inner, status, files));
    if (S_ISDIR(status.st_mode)) add(root, inner + "/", left_out, files, listing);
  }
  closedir(folder);
}

}  // namespace

Listing list(const fs::path& folder, const std::set<std::string>& left_out, Files files) {
  Listing listing;
  add(folder.string() + "/", "", left_out, files, listing);
  return listing;
}

std::vector<std::string> differences(const Listing& before, const Listing& after) {
  std::vector<std::string> result;
  if (before == after) return result;
  for (const auto& [name, entry] : before) {
    const auto found = after.find(name);
    if (found == after.end()) {
      result.push_back("deleted " + name);
    } else if (found->second != entry) {
      result.push_back("changed " + name + " from " + text_of(entry) + " to " + text_of(found->second));
    }
  }
  for (const auto& [name, entry] : after) {
    if (!before.contains(name)) result.push_back("created " + name + " (" + text_of(entry) + ")");
  }
  return result;
}

void copy_as_it_is(const fs::path& from, const fs::path& to) {
  fs::remove_all(to);
  fs::create_directories(to);
  for (const fs::directory_entry& entry : fs::directory_iterator(from)) {
    const fs::path target = to / entry.path().filename();
    struct stat status {};
    if (lstat(entry.path().c_str(), &status) != 0) continue;
    if (S_ISLNK(status.st_mode)) {
      fs::create_symlink(fs::read_symlink(entry.path()), target);
    } else if (S_ISDIR(status.st_mode)) {
      copy_as_it_is(entry.path(), target);
    } else if (S_ISFIFO(status.st_mode)) {
      if (mkfifo(target.c_str(), status.st_mode & 0777) != 0) continue;
    } else if (S_ISREG(status.st_mode)) {
      fs::copy_file(entry.path(), target);
    }
  }
}

Sandbox::Sandbox(fs::path root) : root_(std::move(root)) {
  fs::create_directories(root_);
  chmod(root_.c_str(), 0700);
  clear();
}

void Sandbox::clear(const std::string& name) const {
  fs::remove_all(root_ / name);
  fs::create_directory(root_ / name);
  chmod((root_ / name).c_str(), 0700);
}

void Sandbox::clear() const {
  for (const char* name : {"db", "in", "out", "home", "tmp", "outside", "saved"}) clear(name);
  write_bytes(root_ / "outside/letter.txt", "none of your business\n");
  write_bytes(root_ / "outside/measurements.csv", "a,b\n1,2\n");
  write_bytes(root_ / "outside/notes.db", "not a database\n");
  write_bytes(root_ / "outside/super-journal", "a file that a journal may name\n");
  write_bytes(root_ / "outside/header.hpp", "#pragma once\n");
}

}  // namespace tuner::attack
