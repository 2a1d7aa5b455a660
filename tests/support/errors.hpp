#pragma once

#include <stdexcept>
#include <string>

#include "tuner/error.hpp"

namespace tuner::test {

/// What the Error that `action` throws says; "no error" if it throws none.
template <typename Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

/// What the Error that `action` throws says, which must have this code. What is wrong is thrown, so that a mistake in a
/// child process ends it with a status.
template <typename Action>
std::string error_of(Errc code, Action action) {
  try {
    action();
  } catch (const Error& error) {
    if (error.code() == code) return error.what();
    throw std::runtime_error(std::string("an Error of another code was thrown: ") + error.what());
  }
  throw std::runtime_error("no Error was thrown");
}

}  // namespace tuner::test
