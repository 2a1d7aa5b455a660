#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace tuner::test {

/// Ends the test program: ctest shows it as skipped, with `reason` in its log. For hardware, data and rights that are
/// missing; the cases before it have passed or failed unseen, so such cases have a test (tuner_test_of) of their own.
[[noreturn]] inline void skip(const std::string& reason) {
  std::printf("SKIPPED: %s\n", reason.c_str());
  std::fflush(stdout);
  std::_Exit(77);
}

/// The folder of recorded search spaces (label spaces); skips where none is given.
inline std::filesystem::path spaces_folder() {
  const char* const folder = std::getenv("TUNER_SPACES_DIR");
  if (folder == nullptr || *folder == '\0') skip("TUNER_SPACES_DIR is not set; it names a folder of recorded spaces");
  return folder;
}

}  // namespace tuner::test
