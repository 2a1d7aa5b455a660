#pragma once

#include <doctest/doctest.h>

#include <exception>
#include <string>

#include "tests/support/skip.hpp"

namespace tuner::test {

/// What `main` returns: the result of the test cases. Where `find_gpu` throws, the program ends as skipped.
template <typename FindGpu>
int run_on_gpu(int argc, char** argv, FindGpu find_gpu) {
  try {
    find_gpu();
  } catch (const std::exception& error) {
    skip(std::string("no GPU that can be used: ") + error.what());
  }
  return doctest::Context(argc, argv).run();
}

}  // namespace tuner::test
