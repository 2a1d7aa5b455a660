#include "tuner/sources/device_compile/compiler_folder.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>

#include "tuner/core/base/words.hpp"

namespace tuner::sources {

PrivateFolder compiler_folder(std::string_view purpose) {
  std::error_code error;
  const std::filesystem::path named = std::filesystem::temp_directory_path(error);
  const std::string name = error ? std::string() : std::filesystem::absolute(named).string();
  const bool is_read_as_it_is = std::ranges::all_of(
      name, [](char c) { return is_word_character(c) || std::string_view("/.-+").find(c) != std::string_view::npos; });
  return {purpose, "a compiler", is_read_as_it_is ? std::filesystem::path(name) : "/tmp"};
}

}  // namespace tuner::sources
