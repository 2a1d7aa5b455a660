#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <type_traits>

namespace tuner::bench {

/// What `main` returns: what `run` returns, 0 if that is nothing, 1 after an exception, of which standard error tells.
template <typename Run>
int run_program(const char* name, Run run) {
  try {
    if constexpr (std::is_void_v<decltype(run())>) {
      run();
      return 0;
    } else {
      return run();
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", name, error.what());
    return 1;
  }
}

}  // namespace tuner::bench
