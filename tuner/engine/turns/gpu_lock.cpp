#include "tuner/engine/turns/gpu_lock.hpp"

#include <cctype>

namespace tuner::engine {

cache::FileLock gpu_lock(const std::string& uuid) {
  std::string name = uuid;
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '-';
  }
  return {"/tmp/tuner-gpu-" + name + ".lock", 0, cache::FileLock::Sharing::everybody};
}

}  // namespace tuner::engine
