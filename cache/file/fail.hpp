#pragma once

#include <fmt/format.h>

#include <utility>

#include "tuner/error.hpp"

namespace tuner::cache {

/// Throws an Error whose sentence is formatted as fmt::format does.
template <typename... Args>
[[noreturn]] void fail(Errc code, fmt::format_string<Args...> sentence, Args&&... args) {
  throw Error(code, fmt::format(sentence, std::forward<Args>(args)...));
}

}  // namespace tuner::cache
