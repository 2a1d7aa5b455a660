#include "tests/attack/sandbox.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <sstream>

namespace tuner::attack {

namespace fs = std::filesystem;

namespace {

/// Of a file that was not written to since, so that it is read once.
std::string content_of(const fs::path& file, const struct stat& status) {
  struct Known {
    std::string when, hash;
  };
  static std::map<std::string, Known> all;
  char when[120];
  std::snprintf(when, sizeof when, "%lu %ld %ld.%ld %ld.%ld", status.st_ino, status.st_size, status.st_mtim.tv_sec,
                status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec);
  Known& known = all[file.string()];
  if (known.when != when) known = {when, std::to_string(std::hash<std::string>{}(read_file(file)))};
  return known.hash;
}

std::string description_of(const fs::path& file, Files files) {
  struct stat status {};
  if (lstat(file.c_str(), &status) != 0) return "gone";
  char text[80];
  std::snprintf(text, sizeof text, "mode %o of %u:%u", status.st_mode, status.st_uid, status.st_gid);
  std::string result = text;
  if (S_ISLNK(status.st_mode)) result += " -> " + fs::read_symlink(file).string();
  if (!S_ISREG(status.st_mode)) return result;
  result += ", " + std::to_string(status.st_size) + " bytes, ";
  if (files == Files::read) return result + "content " + content_of(file, status);
  return result + "of " + std::to_string(status.st_mtim.tv_sec) + "." + std::to_string(status.st_mtim.tv_nsec);
}

void add(const fs::path& root, const fs::path& folder, const std::set<std::string>& left_out, Files files,
         Listing& listing) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().string().substr(root.string().size() + 1);
    if (left_out.contains(name)) continue;
    listing[name] = description_of(entry.path(), files);
    if (entry.symlink_status(error).type() == fs::file_type::directory)
      add(root, entry.path(), left_out, files, listing);
  }
}

}  // namespace

Listing list(const fs::path& folder, const std::set<std::string>& left_out, Files files) {
  Listing listing;
  add(folder, folder, left_out, files, listing);
  return listing;
}

std::vector<std::string> differences(const Listing& before, const Listing& after) {
  std::vector<std::string> result;
  for (const auto& [name, description] : before) {
    const auto found = after.find(name);
    if (found == after.end()) {
      result.push_back("deleted " + name);
    } else if (found->second != description) {
      result.push_back("changed " + name + " from " + description + " to " + found->second);
    }
  }
  for (const auto& [name, description] : after) {
    if (!before.contains(name)) result.push_back("created " + name + " (" + description + ")");
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

void write_file(const fs::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

std::string read_file(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
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
  write_file(root_ / "outside/letter.txt", "none of your business\n");
  write_file(root_ / "outside/measurements.csv", "a,b\n1,2\n");
  write_file(root_ / "outside/notes.db", "not a database\n");
  write_file(root_ / "outside/super-journal", "a file that a journal may name\n");
  write_file(root_ / "outside/header.hpp", "#pragma once\n");
}

}  // namespace tuner::attack
