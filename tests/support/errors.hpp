#pragma once

#include <doctest/doctest.h>

#include <string>

#include "tuner/error.hpp"

namespace tuner::test {

/// What the error that `action` throws says. The test fails unless it throws one, with this code.
template <typename Action>
std::string error_of(Errc code, Action action) {
  try {
    action();
  } catch (const Error& error) {
    CHECK(error.code() == code);
    return error.what();
  }
  FAIL_CHECK("nothing was thrown");
  return {};
}

}  // namespace tuner::test
