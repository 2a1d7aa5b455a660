#include "tuner/process/private_folder.hpp"

#include <fmt/format.h>
#include <stdlib.h>

#include <string>
#include <system_error>

#include "tuner/error.hpp"

namespace tuner {

namespace fs = std::filesystem;

namespace {

fs::path temporary_files() {
  std::error_code error;
  return fs::temp_directory_path(error);  // empty where TMPDIR is no folder
}

}  // namespace

PrivateFolder::PrivateFolder(std::string_view purpose, std::string_view of)
    : PrivateFolder(purpose, of, temporary_files()) {}

PrivateFolder::PrivateFolder(std::string_view purpose, std::string_view of, const fs::path& parent) {
  std::string name = (parent / fmt::format("tuner-{}-XXXXXX", purpose)).string();
  if (parent.empty() || mkdtemp(name.data()) == nullptr) {
    throw Error(Errc::store_unavailable,
                fmt::format("No folder can be made for {} like {}: is TMPDIR right, and has its disk room?", of, name));
  }
  path_ = fs::absolute(name);
}

PrivateFolder::~PrivateFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace tuner
