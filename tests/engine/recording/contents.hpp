#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace tuner::engine {

inline std::string contents(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

}  // namespace tuner::engine
