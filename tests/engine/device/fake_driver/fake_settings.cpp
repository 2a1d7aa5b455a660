#include "tests/engine/device/fake_driver/fake_settings.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

namespace fake {
namespace {

const std::map<std::string, std::string>& settings() {
  static const std::map<std::string, std::string> all = [] {
    std::map<std::string, std::string> found;
    const char* text = std::getenv("FAKE_DRIVER");
    std::istringstream words(text ? text : "");
    for (std::string word; words >> word;) {
      const std::size_t equals = word.find('=');
      found[word.substr(0, equals)] = equals == std::string::npos ? "" : word.substr(equals + 1);
    }
    return found;
  }();
  return all;
}

const char* journal() {
  return std::getenv("FAKE_DRIVER_JOURNAL");
}

}  // namespace

bool told(const std::string& word) {
  return settings().count(word) > 0;
}

std::optional<std::uint64_t> number(const std::string& name) {
  const auto found = settings().find(name);
  if (found == settings().end()) return std::nullopt;
  return std::stoull(found->second);
}

void write_journal(const std::string& line) {
  if (!journal()) return;
  const int file = open(journal(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  const std::string text = line + "\n";
  // One write, so that lines of several processes do not mix.
  if (file < 0 || write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size())) std::abort();
  close(file);
}

int count_in_journal(const std::string& line) {
  if (!journal()) return 0;
  int count = 0;
  std::ifstream lines(journal());
  for (std::string found; std::getline(lines, found);) count += found == line ? 1 : 0;
  return count;
}

const std::vector<int>& visible_gpus() {
  static const std::vector<int> gpus = [] {
    const int count = static_cast<int>(number("devices").value_or(1));
    std::vector<int> all;
    const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
    if (!told("numbered") || visible == nullptr) {
      for (int i = 0; i < count; ++i) all.push_back(i);
      return all;
    }
    std::istringstream list(visible);
    for (std::string entry; std::getline(list, entry, ',');) {
      const int gpu = std::atoi(entry.c_str());
      if (gpu >= count) break;
      all.push_back(gpu);
    }
    return all;
  }();
  return gpus;
}

bool lost(int gpu) {
  const auto launches_until_lost = number("lost_after");
  if (!launches_until_lost || !journal()) return false;
  if (const auto only = number("lost_device"); only && *only != static_cast<std::uint64_t>(gpu)) return false;
  std::uint64_t launches = 0, contexts = 0;
  std::ifstream lines(journal());
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("launch ", 0) == 0) ++launches;
    if (line == "context" && launches >= *launches_until_lost) ++contexts;
  }
  const auto back_after = number("back_after");
  return launches >= *launches_until_lost && !(back_after && contexts > *back_after);
}

bool crowded(std::uint64_t bytes) {
  const auto limit = number("crowded");
  if (!limit || bytes < *limit) return false;
  const std::string parent = "PPid:\t" + std::to_string(getppid());
  std::error_code gone;  // processes come and go meanwhile
  for (const auto& entry : std::filesystem::directory_iterator("/proc", gone)) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos || name == std::to_string(getpid())) continue;
    std::ifstream status(entry.path() / "status");
    for (std::string line; std::getline(status, line);) {
      if (line == parent) return true;
    }
  }
  return false;
}

}  // namespace fake
