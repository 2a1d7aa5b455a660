#include "tests/structure/include_cycles.hpp"

#include <algorithm>
#include <fstream>

namespace tuner::test {
namespace {

namespace fs = std::filesystem;

bool is_source(const fs::path& file) {
  return file.extension() == ".hpp" || file.extension() == ".cpp";
}

/// The file's name as others include it, without its ending.
std::string unit_of(std::string file) {
  const std::string kPublic = "tuner/include/";
  if (file.starts_with(kPublic)) file.erase(0, kPublic.size());
  return file.substr(0, file.rfind('.'));
}

void add_includes(const fs::path& file, const std::string& unit, Includes& includes) {
  constexpr std::string_view kInclude = "#include \"";
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    if (!line.starts_with(kInclude)) continue;
    const std::string name = unit_of(line.substr(kInclude.size(), line.find('"', kInclude.size()) - kInclude.size()));
    if (name != unit) includes[unit].insert(name);
  }
}

/// Walks depth first; `path` is the way to `unit`. A unit that led to no cycle is not walked again.
class Walk {
 public:
  explicit Walk(const Includes& includes) : includes_(includes) {}

  std::vector<std::string> from(const std::string& unit) {
    if (const auto begin = std::find(path_.begin(), path_.end(), unit); begin != path_.end()) {
      std::vector<std::string> cycle(begin, path_.end());
      cycle.push_back(unit);
      return cycle;
    }
    const auto found = includes_.find(unit);
    if (found == includes_.end() || !done_.insert(unit).second) return {};
    path_.push_back(unit);
    for (const std::string& next : found->second) {
      if (auto cycle = from(next); !cycle.empty()) return cycle;
    }
    path_.pop_back();
    return {};
  }

 private:
  const Includes& includes_;
  std::vector<std::string> path_;
  std::set<std::string> done_;
};

}  // namespace

Includes read_includes(const fs::path& root, const std::vector<std::string>& folders) {
  Includes includes;
  for (const std::string& folder : folders) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder)) {
      if (!entry.is_regular_file() || !is_source(entry.path())) continue;
      const std::string unit = unit_of(entry.path().lexically_relative(root).generic_string());
      includes[unit];
      add_includes(entry.path(), unit, includes);
    }
  }
  return includes;
}

std::vector<std::string> find_cycle(const Includes& includes) {
  Walk walk(includes);
  for (const auto& [unit, included] : includes) {
    if (auto cycle = walk.from(unit); !cycle.empty()) return cycle;
  }
  return {};
}

}  // namespace tuner::test
