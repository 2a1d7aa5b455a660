#pragma once

#include <cstddef>
#include <cstdlib>
#include <string_view>

namespace tuner::test {

/// How often a campaign tries what it tries: `brief` where tests run at each commit, which finds what is broken, and
/// `full` with TUNER_TESTS=full in the environment (`./bootstrap full`), which finds what is rare.
inline std::size_t length(std::size_t brief, std::size_t full) {
  const char* const wanted = std::getenv("TUNER_TESTS");
  return wanted != nullptr && std::string_view(wanted) == "full" ? full : brief;
}

}  // namespace tuner::test
