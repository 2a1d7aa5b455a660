// Without NVRTC none of these tests says anything: the program reports itself skipped before the first.
#include <cstdio>
#include <cstdlib>

#include "tuner/engine/compile/nvrtc.hpp"
#include "tuner/error.hpp"

namespace {

const bool toolkit_is_there = [] {
  try {
    tuner::engine::nvrtc();
    return true;
  } catch (const tuner::Error& error) {
    std::printf("SKIPPED: %s\n", error.what());
    std::fflush(stdout);
    std::_Exit(77);
  }
}();

}  // namespace
