#include "tuner/process/system_databases.hpp"

#include <algorithm>
#include <string>
#include <system_error>

#include "cache/file/location.hpp"
#include "cache/file/own_library.hpp"
#include "tuner/ground/file_variable.hpp"
#include "tuner/process/installed_tree.hpp"

namespace tuner {

namespace fs = std::filesystem;

std::vector<fs::path> site_databases() {
  std::vector<fs::path> files{"/etc/tuner/decisions.db"};
  // A program is one folder below the tree's top; a library may be deeper.
  const char* const share = cache::own_library().empty() ? "../share" : TUNER_DATA_FROM_LIB;
  const fs::path here = folder_of_this_code();
  if (!here.empty()) files.push_back((here / share / "tuner/system.db").lexically_normal());
  return files;
}

std::vector<fs::path> system_databases() {
  std::vector<fs::path> all;
  if (has_rights_of_another()) return all;
  const char* const variable = file_variable("TUNER_SYSTEM_DB");
  const std::string named = variable != nullptr ? variable : "";
  for (std::size_t begin = 0; begin < named.size();) {
    const std::size_t end = std::min(named.find(':', begin), named.size());
    if (end > begin) all.emplace_back(named.substr(begin, end - begin));
    begin = end + 1;
  }
  for (const fs::path& file : site_databases()) {
    std::error_code error;
    const bool is_there = fs::is_regular_file(file, error) && !cache::is_not_there_yet(file);
    // What this user may not look at is said, not taken for absent.
    if (is_there || error == std::errc::permission_denied) all.push_back(file);
  }
  return all;
}

}  // namespace tuner
