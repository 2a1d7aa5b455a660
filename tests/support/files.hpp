#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include "tests/support/text.hpp"  // what tests look for in files

namespace tuner::test {

/// The whole content of a file; nothing if it cannot be read.
inline std::string read_bytes(const std::filesystem::path& file) {
  // Not through iterators: they throw where reading fails, as it does for a process that ends meanwhile.
  std::ostringstream bytes;
  bytes << std::ifstream(file, std::ios::binary).rdbuf();
  return bytes.str();
}

inline void write_bytes(const std::filesystem::path& file, std::string_view bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

}  // namespace tuner::test
