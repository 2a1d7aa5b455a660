#include "tuner/engine/gpu_lock.hpp"

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace tuner::engine {

cache::FileLock gpu_lock(const std::string& uuid) {
  std::string name = uuid;
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '-';
  }
  const char* const variable = std::getenv("XDG_RUNTIME_DIR");
  const std::filesystem::path own = variable == nullptr ? "" : variable;
  std::error_code ignored;
  const bool has_own = own.is_absolute() && std::filesystem::is_directory(own, ignored);
  return {(has_own ? own : "/tmp") / ("tuner-gpu-" + name + ".lock"), 0,
          has_own ? cache::FileLock::Sharing::user : cache::FileLock::Sharing::everybody};
}

}  // namespace tuner::engine
