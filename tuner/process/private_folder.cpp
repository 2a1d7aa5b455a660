#include "tuner/process/private_folder.hpp"

#include <fmt/format.h>
#include <stdlib.h>

#include <string>
#include <system_error>

#include "tuner/error.hpp"

namespace tuner {

PrivateFolder::PrivateFolder(std::string_view purpose, std::string_view of) {
  std::error_code error;
  std::string name = (std::filesystem::temp_directory_path(error) / fmt::format("tuner-{}-XXXXXX", purpose)).string();
  if (error || mkdtemp(name.data()) == nullptr) {
    throw Error(Errc::store_unavailable,
                fmt::format("No folder can be made for {} like {}: is TMPDIR right, and has its disk room?", of, name));
  }
  path_ = std::filesystem::absolute(name);
}

PrivateFolder::~PrivateFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace tuner
